"""Starts a server with as many free descriptors as it takes to fail at each step."""

import os
import resource
import sys
from pathlib import Path

from mcp_bindings_runtime.errors import ConnectionClosed
from mcp_bindings_runtime.transports.child import Child


def descriptors():
    return sorted(path.name for path in Path("/proc/self/fd").iterdir())


# All that is imported on the way is there before descriptors run out.
Child(["cat"]).close()
before = descriptors()
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
started = 0
for free in range(30):
    resource.setrlimit(resource.RLIMIT_NOFILE, (3 + free, hard))
    try:
        child = Child(["cat"], stderr="capture")
    except ConnectionClosed:
        continue
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (1000, hard))
    started += 1
    child.close()
    child = None
try:
    os.waitpid(-1, os.WNOHANG)
except ChildProcessError:
    print("as before" if descriptors() == before and 0 < started < 30 else "something is left")
else:
    sys.exit("a child is left")
