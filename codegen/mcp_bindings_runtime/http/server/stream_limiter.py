"""Limit on concurrently open streams, so that other requests always find a thread, or a connection."""

from __future__ import annotations

from threading import Lock
from typing import Protocol

from ...errors import UsageError
from ...logs import RareWarning


class OpenStream(Protocol):
    """A stream that the server can end."""

    def hang_up(self) -> None:
        """End the response after what has been sent."""
        ...


class StreamLimiter:
    """Counts the open streams of a server that holds ``places`` requests open at a time.

    A place is a thread of a WSGI server, or a connection of ``run_http``; ``option`` is the option that sets their number.
    Long streams, on which clients listen, are limited to ``limit``, by default three quarters of the places. Streamed
    responses may exceed that, but an eighth of the places always remains for requests that a streaming handler may wait
    for. Raises ``UsageError`` for a limit beyond the others.
    """

    def __init__(self, places: int, limit: int | None = None, *, option: str = "threads") -> None:
        self._total_limit = total = max(1, places - max(1, places // 8))
        self.limit = max(1, places * 3 // 4) if limit is None else limit
        if self.limit > total:
            text = (
                f"`streams` is {limit}, but the server has {places} {option}, of which {places - total} are reserved for "
                f"other requests; set `{option}` to {-(-self.limit * 8 // 7)} or more, or `streams` to {total} or less"
            )
            raise UsageError(text)
        self._warning = RareWarning("%d streams are open, which is the limit; further ones are refused")
        self._lock = Lock()
        self._long = 0
        self._short = 0
        self._closed = False
        self.streams: set[OpenStream] = set()
        """The open streams."""

    def acquire(self, *, long: bool) -> bool:
        """Count one more stream; return False if the limit is reached."""
        with self._lock:
            limit = self.limit if long else self._total_limit
            count = self._long + self._short
            if self._closed:
                return False
            if count < limit:
                if long:
                    self._long += 1
                else:
                    self._short += 1
                return True
        if limit:
            self._warning.log(count)
        return False

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
