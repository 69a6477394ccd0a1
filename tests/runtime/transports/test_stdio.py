"""The server's side of stdio, in a process of its own."""

from __future__ import annotations

import os
import pty
import socket
import subprocess
import sys
import tty
from pathlib import Path

import pytest
from mcp_bindings_runtime.transports.streams import Streams
from runtime.transports.links import LONG, python


def served(words: list[str], sent: bytes) -> subprocess.CompletedProcess[bytes]:
    # As it usually is; a build machine may have it otherwise.
    env = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    return subprocess.run(
        python("server.py", *words), input=sent, capture_output=True, timeout=LONG, check=False, env=env
    )


def test_only_messages_reach_standard_output() -> None:
    done = served(["buffered", "noisy"], b"1\n2\n")
    assert done.stdout == b"1\n2\n"
    assert done.stderr.decode().split("\n") == [
        "buffered before from print",
        "from the buffer",
        "from C",
        "from a child ''",
        "stdin has ''",
        "",
    ]


def test_standard_output_is_what_it_was_afterwards() -> None:
    assert served(["afterwards"], b"1\n").stdout == b"1\nan ordinary line\n"


def test_what_the_server_starts_inherits_the_standard_descriptors_only() -> None:
    # 3 is the folder that ls lists.
    assert served([], b"descriptors\n").stdout == b"0 1 2 3\n"


def test_standard_input_may_be_a_file(tmp_path: Path) -> None:
    source, target = tmp_path / "in", tmp_path / "out"
    source.write_bytes(b"1\n2")
    with source.open("rb") as stdin, target.open("wb") as stdout:
        subprocess.run(python("server.py"), stdin=stdin, stdout=stdout, timeout=LONG, check=True)
    assert target.read_bytes() == b"1\n2\n"


def test_both_may_be_one_socket() -> None:
    near, far = socket.socketpair()
    with far:
        server = subprocess.Popen(python("server.py"), stdin=far, stdout=far)
    descriptor = near.detach()
    streams = Streams(descriptor, descriptor)
    streams.send(b"x" * 1_000_000, LONG)
    assert streams.receive(LONG) == b"x" * 1_000_000
    streams.close()
    assert server.wait(LONG) == 0


def test_both_may_be_a_terminal() -> None:
    terminal, other = pty.openpty()
    tty.setraw(other)
    server = subprocess.Popen(python("server.py"), stdin=other, stdout=other)
    os.close(other)
    streams = Streams(terminal, terminal)
    streams.send(b"x", LONG)
    assert streams.receive(LONG) == b"x"
    streams.close()
    assert server.wait(LONG) == 0


@pytest.mark.parametrize(("closed", "name"), [("<&-", "input (descriptor 0)"), (">&-", "output (descriptor 1)")])
def test_a_closed_descriptor_is_refused(closed: str, name: str) -> None:
    command = ["sh", "-c", f'exec "$@" {closed}', "sh", *python("server.py")]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, timeout=LONG, check=False)
    assert f"UsageError: standard {name} is closed" in done.stderr


def test_without_standard_error_what_is_printed_goes_nowhere() -> None:
    command = ["sh", "-c", 'exec "$@" 2>&-', "sh", sys.executable, "-c", PRINTS]
    done = subprocess.run(command, input=b"1\n", stdout=subprocess.PIPE, timeout=LONG, check=True)
    assert done.stdout == b"1\n"


PRINTS = """
import os
from mcp_bindings_runtime.transports.stdio import Stdio
stdio = Stdio()
print("stray")
os.write(1, b"stray")
stdio.send(stdio.receive())
"""


def test_one_transport_has_it_at_a_time_and_the_end_of_the_program_gives_it_back() -> None:
    done = subprocess.run([sys.executable, "-c", TWICE], input="1\n", capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"
    assert done.stderr == "taken over already\nno more\n"
    assert os.get_blocking(1)


TWICE = """
from mcp_bindings_runtime.errors import UsageError
from mcp_bindings_runtime.transports.stdio import Stdio
Stdio().close()
stdio = Stdio()
try:
    Stdio()
except UsageError as problem:
    print("taken over already" if "taken over already" in str(problem) else problem)
stdio.send(stdio.receive(10))
print("no more")
"""


def test_what_cannot_be_taken_over_is_left_as_it_was() -> None:
    done = subprocess.run([sys.executable, "-c", FAILS], input="1\n", capture_output=True, text=True, check=True)
    assert done.stdout == "`limit` must be at least 1 byte, got 0\nTrue\n"


FAILS = """
import os
from mcp_bindings_runtime.errors import UsageError
from mcp_bindings_runtime.transports.stdio import Stdio
before = os.listdir("/proc/self/fd")
try:
    Stdio(limit=0)
except UsageError as problem:
    print(problem)
print(os.listdir("/proc/self/fd") == before)
Stdio().close()
"""
