"""Limit on concurrently open streams, each of which occupies a thread of the WSGI server."""

from __future__ import annotations

from threading import Lock
from typing import Protocol

from ...errors import UsageError


class OpenStream(Protocol):
    """A stream that the server can end."""

    def hang_up(self) -> None:
        """End the response after what has been sent."""
        ...


class StreamLimiter:
    """Counts the open streams of a WSGI server with so many ``threads``.

    Long streams, on which clients listen, are limited to ``limit``, by default three quarters of the threads. Streamed
    responses may exceed that, but some threads always remain for requests that a streaming handler may wait for.
    """

    def __init__(self, threads: int, limit: int | None = None) -> None:
        self.limit = max(1, threads * 3 // 4) if limit is None else limit
        if self.limit > threads:
            text = (
                f"`streams` is {limit}, but the server has only {threads} threads; raise `threads` or lower `streams`"
            )
            raise UsageError(text)
        self._total_limit = max(1, threads - max(1, threads // 8))
        self._lock = Lock()
        self._long = 0
        self._short = 0
        self._closed = False
        self.streams: set[OpenStream] = set()
        """The open streams."""

    def acquire(self, *, long: bool) -> bool:
        """Count one more stream; return False if the limit is reached."""
        with self._lock:
            limit = min(self.limit, self._total_limit) if long else self._total_limit
            if self._closed or self._long + self._short >= limit:
                return False
            if long:
                self._long += 1
            else:
                self._short += 1
            return True

    def release(self, *, long: bool) -> None:
        """Count one stream less."""
        with self._lock:
            if long:
                self._long -= 1
            else:
                self._short -= 1

    def close(self) -> None:
        """Allow no more streams, and end the open ones."""
        with self._lock:
            self._closed = True
        for stream in list(self.streams):
            stream.hang_up()
