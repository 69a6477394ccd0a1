"""How many streams may be open: each holds a thread of the WSGI server, and requests need some, too."""

from __future__ import annotations

from threading import Lock
from typing import Protocol

from ...errors import UsageError


class Leaving(Protocol):
    """A stream that can be told to end."""

    def hang_up(self) -> None:
        """Ends the connection to the client, after what has been sent before."""
        ...


class StreamLimiter:
    """Counts streams, for a WSGI server with so many ``threads``.

    Streams that are open for long (those that clients listen on) are at most ``most``, by default three quarters of the
    threads. Answers that are streamed are taken beyond that, but always leave some threads to those requests that a
    streaming handler may wait for.
    """

    def __init__(self, threads: int, most: int | None = None) -> None:
        self.most = max(1, threads * 3 // 4) if most is None else most
        if self.most > threads:
            text = (
                f"{most} streams take as many threads, and the server has {threads}; raise `threads` or lower `streams`"
            )
            raise UsageError(text)
        self._all = max(1, threads - max(1, threads // 8))
        self._lock = Lock()
        self._long = 0
        self._short = 0
        self._shut = False
        self.streams: set[Leaving] = set()
        """Those that are open."""

    def take(self, *, long: bool) -> bool:
        """Counts one more stream; False where there may be no more."""
        with self._lock:
            most = min(self.most, self._all) if long else self._all
            if self._shut or self._long + self._short >= most:
                return False
            if long:
                self._long += 1
            else:
                self._short += 1
            return True

    def give(self, *, long: bool) -> None:
        """A stream has been closed."""
        with self._lock:
            if long:
                self._long -= 1
            else:
                self._short -= 1

    def shut(self) -> None:
        """From now on there are no more streams, and those that are open end."""
        with self._lock:
            self._shut = True
        for stream in list(self.streams):
            stream.hang_up()
