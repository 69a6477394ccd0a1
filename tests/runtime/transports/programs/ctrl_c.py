"""Is sent SIGINT while it receives, and while it sends; the transport goes on."""

import os
import signal
import sys
from pathlib import Path
from threading import Timer

sys.path.insert(0, str(Path(__file__).parents[3]))

from mcp_bindings_runtime.transports.streams import Streams

(near_in, far_out), (far_in, near_out) = os.pipe(), os.pipe()
near, far = Streams(near_in, near_out), Streams(far_in, far_out)


def with_ctrl_c(wait, *args):
    timer = Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        wait(*args)
    except KeyboardInterrupt:
        timer.join()
    else:
        sys.exit("there was no KeyboardInterrupt")


with_ctrl_c(near.receive)
with_ctrl_c(near.send, b"x" * 1_000_000)
rest = Timer(0, near.send, (b"next",))
rest.start()
assert far.receive(10) == b"x" * 1_000_000
assert far.receive(10) == b"next"
far.send(b"back")
assert near.receive(10) == b"back"
print("usable")
