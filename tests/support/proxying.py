"""A proxy between a client and a server, over which a test has a say in every byte."""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable, Iterable
from contextlib import suppress
from threading import Lock, Thread
from typing import Self

from support.conversing import PATIENCE

Shape = Callable[[bytes], Iterable[bytes]]


class Cut(Exception):
    """Resets both connections."""


class Proxy:
    """Passes on what comes in the pieces that ``up`` (to the server) and ``down`` make of it; they may raise Cut."""

    def __init__(self, target: int, *, up: Shape = lambda data: [data], down: Shape = lambda data: [data]) -> None:
        self._target = target
        self.up, self.down = up, down
        self._lock = Lock()
        self._open: set[socket.socket] = set()
        self._threads: list[Thread] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._accepting = Thread(target=self._accept, name="test-proxy", daemon=True)
        self._accepting.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._accepting.join(PATIENCE)
        self._listener.close()
        with self._lock:
            opened, threads = list(self._open), list(self._threads)
        for each in opened:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        for thread in threads:
            thread.join(PATIENCE)
        for each in opened:
            each.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = socket.create_connection(("127.0.0.1", self._target), PATIENCE)
                for each in (near, far):
                    each.settimeout(PATIENCE)
                    each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                with self._lock:
                    self._open |= {near, far}
                for one, other, which in ((near, far, "up"), (far, near, "down")):
                    thread = Thread(target=self._pass, args=(one, other, which), name="test-proxy", daemon=True)
                    with self._lock:
                        self._threads.append(thread)
                    thread.start()

    def _pass(self, one: socket.socket, other: socket.socket, which: str) -> None:
        try:
            while data := one.recv(65536):
                for piece in getattr(self, which)(data):
                    other.sendall(piece)
            other.shutdown(socket.SHUT_WR)
        except Cut:
            for each in (one, other):
                with suppress(OSError):
                    each.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    each.shutdown(socket.SHUT_RD)
                each.close()
        except OSError:
            for each in (one, other):
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)
