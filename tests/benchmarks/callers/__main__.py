"""Command ``python -m benchmarks.callers NAME``: one client and its server, which make calls on request.

``["versions"]`` returns versions, ``["call", revision]`` the text of the result, ``["calls", revision, fold, seconds]``
the nanoseconds of all calls together and of each.
"""

from __future__ import annotations

import sys

from benchmarks.callers import load
from benchmarks.orders import follow

if __name__ == "__main__":
    follow(load(sys.argv[1]))
