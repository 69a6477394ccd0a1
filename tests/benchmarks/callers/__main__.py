"""``python -m benchmarks.callers NAME``: one client and its server, which talk when they are told to.

``["versions"]``, ``["call", revision]`` gives the text that came back, ``["calls", revision, fold, seconds]`` the
nanoseconds of all calls together and of each.
"""

from __future__ import annotations

import sys

from benchmarks.callers import load
from benchmarks.orders import follow

if __name__ == "__main__":
    follow(load(sys.argv[1]))
