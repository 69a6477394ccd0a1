"""A server that gives every message back, and does what it is told besides: ``server.py WORD ...``."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from mcp_bindings_runtime.errors import ConnectionClosed
from mcp_bindings_runtime.transports.stdio import Stdio

words = sys.argv[1:]
if "buffered" in words:
    print("buffered before", end=" ")
stdio = Stdio()
if "noisy" in words:
    print("from print")
    sys.stdout.buffer.write(b"from the buffer\n")
    sys.stdout.flush()
    os.write(1, b"from C\n")
    subprocess.run([sys.executable, "-c", "print('from a child', repr(input.__self__ and open(0).read()))"], check=True)
    print("stdin has", repr(sys.stdin.read()))
if "flood" in words:
    for number in range(100_000):
        os.write(2, b"%099d\n" % number)
if "stubborn" in words:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
while True:
    try:
        message = stdio.receive()
    except ConnectionClosed:
        break
    if message == b"descriptors":
        listing = subprocess.run(["ls", "/proc/self/fd"], capture_output=True, text=True, check=True, close_fds=False)
        message = " ".join(listing.stdout.split()).encode()
    stdio.send(message)
stdio.close()
if "stubborn" in words:
    time.sleep(60)
if "afterwards" in words:
    print("an ordinary line")
