"""Starts a server, prints its number, and ends without closing it, in the way that it is told."""

import os
import sys

from mcp_bindings_runtime.transports.child import Child

child = Child(["cat"])
print(child.pid, flush=True)


def fork():
    """A fork that ends has not started the server, and leaves it alone."""
    pid = os.fork()
    if not pid:
        sys.exit()
    os.waitpid(pid, 0)
    child.send(b"alive")
    print((child.receive(10) or b"").decode(), flush=True)


exec(sys.argv[1])
