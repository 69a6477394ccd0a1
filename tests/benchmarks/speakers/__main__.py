"""Command ``python -m benchmarks.speakers NAME``: one client and its server, which make calls on request.

``["versions"]`` returns versions, ``["call"]`` the text of the result, ``["calls", seconds]`` the nanoseconds of each
call.
"""

from __future__ import annotations

import sys

from benchmarks.orders import follow
from benchmarks.speakers import load

if __name__ == "__main__":
    follow(load(sys.argv[1]))
