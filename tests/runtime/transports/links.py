"""Two connected transports of every kind, and threads whose failures are seen."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any

from mcp_bindings_runtime.errors import RequestTimeout
from mcp_bindings_runtime.transports import Transport
from mcp_bindings_runtime.transports.child import Child
from mcp_bindings_runtime.transports.memory import pair
from mcp_bindings_runtime.transports.streams import Streams
from mcp_bindings_runtime.transports.windows import ThreadStreams
from runtime.unix_socket import UnixSocket, accept

PROGRAMS = Path(__file__).parent / "programs"
LONG = 20.0
"""Seconds in which everything that is to happen has happened, on a busy machine too."""
LIMIT = 16 * 1024 * 1024

Ends = tuple[Transport, Transport]


class Running:
    """A function that runs in a thread."""

    def __init__(self, function: Callable[..., Any], *args: Any) -> None:
        self._function = function
        self._args = args
        self._outcome: Any = None
        self._problem: BaseException | None = None
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def result(self) -> Any:
        """What it gave or raised, which must not take long."""
        self._thread.join(LONG)
        assert not self._thread.is_alive(), "it still waits"
        if self._problem is not None:
            raise self._problem
        return self._outcome

    def waits(self) -> bool:
        """Whether it is still at it after a moment."""
        self._thread.join(0.05)
        return self._thread.is_alive()

    def _run(self) -> None:
        try:
            self._outcome = self._function(*self._args)
        except BaseException as problem:  # noqa: BLE001 - raised by result()
            self._problem = problem


def python(program: str, *args: str) -> list[str]:
    """The command that runs one of the programs."""
    return [sys.executable, str(PROGRAMS / program), *args]


def fill(transport: Transport) -> int:
    """Sends until the other side takes nothing more; gives how many messages were sent."""
    sent = 0
    with contextlib.suppress(RequestTimeout):
        while True:
            transport.send(b"%07d" % sent + b"x" * 2000, 0.3)
            sent += 1
    return sent


def memory() -> Ends:
    return pair(limit=LIMIT)


def pipes() -> Ends:
    (near_in, far_out), (far_in, near_out) = os.pipe(), os.pipe()
    return Streams(near_in, near_out, limit=LIMIT), Streams(far_in, far_out)


def threads() -> Ends:
    (near_in, far_out), (far_in, near_out) = os.pipe(), os.pipe()
    return ThreadStreams(near_in, near_out, limit=LIMIT), Streams(far_in, far_out)


def socket_pair() -> Ends:
    near, far = (end.detach() for end in socket.socketpair())
    return Streams(near, near, limit=LIMIT), Streams(far, far)


def unix_socket() -> Ends:
    with listening() as (listener, path):
        far = Running(accept, listener)
        return UnixSocket(path, limit=LIMIT), far.result()


def child() -> Ends:
    """A server process that hands on, over a socket, whatever comes and goes through its standard streams."""
    with listening() as (listener, path):
        near = Child(python("relay.py", str(path)), inherit_env=True, limit=LIMIT, grace=0.5)
        return near, accept(listener)


@contextlib.contextmanager
def listening() -> Iterator[tuple[socket.socket, Path]]:
    """A socket that listens. The folder is a short one, because a socket's path has to be short."""
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listener:
        path = Path(folder, "socket")
        listener.bind(str(path))
        listener.listen()
        listener.settimeout(LONG)
        yield listener, path


KINDS = [memory, pipes, socket_pair, unix_socket, child, threads]
