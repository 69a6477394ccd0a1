"""End the reading of bodies that arrive too slowly, below WSGI servers whose reads wait as long as the client likes.

gunicorn, for example, returns from a read when all of its bytes have arrived, and a client may send one a minute. One thread
looks once a second at the sockets of such bodies, as far as the WSGI server exposes them.
"""

from __future__ import annotations

import socket
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from threading import Lock, Thread
from time import monotonic, sleep
from typing import Any, Final

from ...logs import write_log

_INTERVAL: Final = 0.5
"""Seconds between two looks."""
_SOCKETS: Final = ("gunicorn.socket", "werkzeug.socket")
"""The keys of the client's socket in the environments of WSGI servers."""


class BodyWatch:
    """Ends the reading of each body that is watched beyond its deadline; its thread runs while there is one."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._deadlines: dict[socket.socket, float] = {}
        self._running = False

    @contextmanager
    def watched(self, environ: Mapping[str, Any], seconds: float) -> Generator[None]:
        """Watch the body of a request inside ``with``: after so many seconds, reads return what has arrived."""
        sock: socket.socket | None = next((environ[name] for name in _SOCKETS if name in environ), None)
        if sock is None:
            yield
            return
        with self._lock:
            self._deadlines[sock] = monotonic() + seconds
            if not self._running:
                self._start()
        try:
            yield
        finally:
            with self._lock:
                self._deadlines.pop(sock, None)

    def _start(self) -> None:
        try:
            Thread(target=self._run, name="mcp-http-bodies", daemon=True).start()
        except RuntimeError as fault:
            write_log("warning", "no thread could be started to watch slow bodies: %s", fault)
        else:
            self._running = True

    def _run(self) -> None:
        while True:
            sleep(_INTERVAL)
            with self._lock:
                now = monotonic()
                for sock, deadline in self._deadlines.items():
                    if deadline <= now:
                        # Below TLS; the response can still be sent.
                        with suppress(OSError):
                            socket.socket.shutdown(sock, socket.SHUT_RD)
                if not self._deadlines:
                    self._running = False
                    return


BODY_WATCH: Final = BodyWatch()
