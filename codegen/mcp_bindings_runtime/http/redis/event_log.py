"""The log of a stream in Redis: appended to in any process, read in any, by one reader at a time."""

from __future__ import annotations

from secrets import token_urlsafe
from threading import Event as Flag
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, Final

from ...errors import ConnectionClosed, RequestTimeout
from ...logs import note
from ..server.event_log import CAPACITY, COUNT, LogEvent, Priority, ReadResult
from ..server.store import StoreUnavailable
from . import scripts

if TYPE_CHECKING:
    from .store import RedisStore

LOOK: Final = 5.0
"""Seconds after which a reader looks for itself, though nobody has told it that there is something."""
PERSISTENCE: Final = 5.0
"""Seconds for which an append is tried again while Redis does not answer."""


class RedisEventLog:
    """A log of a store. ``stay`` is for how many seconds it stays after it was last touched."""

    def __init__(self, store: RedisStore, session_id: str, stream: str, *, stay: float) -> None:
        self._store = store
        self._session_id = session_id
        self._stream = stream
        self._stay = int(stay * 1000)
        self._readers: dict[int, Flag] = {}

    def _run(self, script: str, *arguments: object) -> Any:
        return self._store.link.run(script, self._session_id, self._stream, *arguments)

    def _get(self, name: str) -> bytes | None:
        key = f"{self._store.link.prefix}log:{self._session_id}:{self._stream}"
        found: bytes | None = self._store.link.ask("HGET", key, name)
        return found

    def append(self, line: bytes, timeout: float | None = None, priority: Priority = Priority.REQUIRED) -> int:
        """As ``EventLog.append``; raises StoreUnavailable, too."""
        return self._add(line, timeout, priority)

    def append_once(self, line: bytes, mark: str, priority: Priority) -> int:
        """Add a message, unless any process has done so with the same mark. As ``append``, without waiting for room."""
        return self._add(line, 0, priority, mark=mark)

    def _add(self, line: bytes, timeout: float | None, priority: Priority, *, mark: str = "", retry: int = 0) -> int:
        # By its token an append that is tried again is not done again.
        arguments = (line, retry, token_urlsafe(9), mark, CAPACITY, COUNT, self._stay, priority.value)
        start = monotonic()
        pause = 0.01
        while True:
            try:
                done, dropped = self._run(scripts.APPEND, *arguments)
            except StoreUnavailable:
                if monotonic() - start > min(PERSISTENCE, PERSISTENCE if timeout is None else timeout):
                    raise
            else:
                if done > 0:
                    return int(dropped)
                if done < 0:
                    message = "the stream has ended"
                    raise ConnectionClosed(message)
                if timeout is not None and monotonic() - start > timeout:
                    text = f"the client took nothing for {timeout:g} seconds"
                    raise RequestTimeout(text)
            sleep(pause)
            pause = min(2 * pause, 0.25)

    def pause(self, retry: int) -> None:
        """As ``EventLog.pause``."""
        try:
            self._add(b"", None, Priority.REQUIRED, retry=retry)
        except ConnectionClosed:
            note("debug", "a stream has ended before it could be paused")

    def end(self) -> None:
        """As ``EventLog.end``. Where Redis does not answer, it is done when it does again."""
        try:
            self._run(scripts.END)
        except StoreUnavailable as fault:
            note("info", "a stream is ended later: %s", fault)
            self._store.end_later(self)

    @property
    def ended(self) -> bool:
        """As ``EventLog.ended``; not so where Redis does not answer."""
        try:
            return self._get("ended") != b"0"
        except StoreUnavailable:
            return False

    @property
    def delivered(self) -> int:
        """As ``EventLog.delivered``."""
        return int(self._get("delivered") or 0)

    def attach(self) -> int:
        """As ``EventLog.attach``."""
        reader: int = self._run(scripts.ATTACH, self._store.process, self._stay)
        if reader:
            self._readers[reader] = self._store.bell(self._bell(reader))
        return reader

    def detach(self, reader: int) -> None:
        """As ``EventLog.detach``."""
        flag = self._readers.pop(reader, None)
        if flag is None:
            return
        self._store.unhang(self._bell(reader))
        flag.set()
        try:
            self._run(scripts.DETACH, self._reader(reader), self._stay)
        except StoreUnavailable as fault:
            note("info", "the reader of a stream could not be taken leave of: %s", fault)

    def _bell(self, reader: int) -> str:
        return f"{self._session_id} {self._stream} {reader}"

    def _reader(self, reader: int) -> str:
        return f"{self._store.process} {reader}"

    def read(self, reader: int, after: int, timeout: float) -> ReadResult:
        """As ``EventLog.read``."""
        deadline = monotonic() + timeout
        while True:
            flag = self._readers.get(reader)
            if flag is None:
                return ReadResult((), over=True)
            flag.clear()
            over, found = self._run(scripts.READ, self._reader(reader), after, self._stay)
            left = deadline - monotonic()
            if found or over or left <= 0:
                return ReadResult([_event(entry) for entry in found], over=bool(over))
            flag.wait(min(left, LOOK))


def _event(entry: bytes) -> LogEvent:
    code, number, line = entry.split(b":", 2)
    return LogEvent(int(number), line, int(code) if code.isdigit() else 0, required=code != b"n")
