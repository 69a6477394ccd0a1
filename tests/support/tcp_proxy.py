"""TCP proxy between client and server that lets a test delay, cut and change the bytes."""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable, Iterable
from contextlib import suppress
from threading import Lock, Thread
from typing import Self

from support.scripted_peers import PATIENCE

Shape = Callable[[bytes], Iterable[bytes]]


class Cut(Exception):
    """Raised to reset both connections."""


class Proxy:
    """Forwards the bytes in the pieces that ``up`` (to the server) and ``down`` return; they may raise Cut."""

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
                pair = _Pair(near, far)
                with self._lock:
                    self._open |= {near, far}
                for one, other, which in ((near, far, "up"), (far, near, "down")):
                    thread = Thread(target=self._pass, args=(one, other, which, pair), name="test-proxy", daemon=True)
                    with self._lock:
                        self._threads.append(thread)
                    thread.start()

    def _pass(self, one: socket.socket, other: socket.socket, which: str, pair: _Pair) -> None:
        try:
            while data := one.recv(65536):
                for piece in getattr(self, which)(data):
                    other.sendall(piece)
            if not pair.cut:
                other.shutdown(socket.SHUT_WR)
        except Cut:
            pair.reset()
        except OSError:
            for each in (one, other):
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)
        finally:
            pair.leave()


class _Pair:
    """The connections to both ends, and the two threads that forward bytes between them."""

    def __init__(self, near: socket.socket, far: socket.socket) -> None:
        self._both = (near, far)
        self._lock = Lock()
        self._threads = 2
        self.cut = False

    def reset(self) -> None:
        """Mark both connections for closing with a reset, and wake the reading thread; this sends nothing."""
        self.cut = True
        for each in self._both:
            with suppress(OSError):
                each.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                each.shutdown(socket.SHUT_RD)

    def leave(self) -> None:
        """End a thread; the second one closes the connections, because closing them may not wake a waiting thread."""
        with self._lock:
            self._threads -= 1
            if self._threads:
                return
        for each in self._both:
            each.close()
