"""Event logs in Redis: any process can append to one, and any can read it, one reader at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from secrets import token_hex, token_urlsafe
from threading import Event, Lock
from time import monotonic, sleep
from typing import Any, Final

from ...errors import ConnectionClosed, RequestTimeout
from ...logs import write_log
from ..server.event_log import CAPACITY, COUNT, LogEvent, Priority, ReadResult
from ..server.store import StoreUnavailable
from . import scripts
from .client import RedisClient

POLL_INTERVAL: Final = 5.0
"""Seconds between two looks of a reader that gets no wakeup."""
RETRY_TIME: Final = 5.0
"""Seconds for which a process retries to add a message to a stream while Redis does not answer."""
_MAX_UNENDED: Final = 10_000
"""Limit on the streams that a process could not end while Redis did not answer, and ends later."""


class Wakeup(Event):
    """Wakes a reader: one that waits, or one that has registered a function."""

    callback: Callable[[], object] | None = None

    def set(self) -> None:
        """Wake the reader."""
        super().set()
        if self.callback is not None:
            self.callback()


class RedisEventLog:
    """The log of a stream; it expires ``lifetime`` seconds after its last use.

    ``memory`` limits the bytes of all logs of a source.
    """

    remote = True

    def __init__(
        self, client: RedisClient, readers: LocalReaders, session_id: str, stream: str, *, lifetime: float, memory: int
    ) -> None:
        self._client = client
        self._local_readers = readers
        self._session_id = session_id
        self._stream = stream
        self._lifetime = int(lifetime * 1000)
        self._memory = memory
        self._wakeups: dict[int, Wakeup] = {}

    def _run(self, script: str, *arguments: object) -> Any:
        return self._client.run(script, self._session_id, self._stream, *arguments)

    def _get(self, name: str) -> bytes | None:
        key = f"{self._client.prefix}log:{self._session_id}:{self._stream}"
        found: bytes | None = self._client.execute("HGET", key, name)
        return found

    def append(self, line: bytes, timeout: float | None = None, priority: Priority = Priority.REQUIRED) -> int:
        """See ``EventLog.append``. Raise ``StoreUnavailable``, too."""
        return self._append(line, timeout, priority)

    def append_once(self, line: bytes, mark: str, priority: Priority) -> int:
        """Append a message, unless any process has done so with the same mark. Do not wait for room."""
        return self._append(line, 0, priority, mark=mark)

    def _append(self, line: bytes, timeout: float | None, priority: Priority, *, mark: str = "", retry: int = 0) -> int:
        # The token keeps a retry from appending twice.
        arguments = (line, retry, token_urlsafe(9), mark, CAPACITY, COUNT, self._lifetime, priority.value, self._memory)
        start = monotonic()
        pause = 0.01
        while True:
            try:
                status, dropped = self._run(scripts.APPEND, *arguments)
            except StoreUnavailable:
                if monotonic() - start > min(RETRY_TIME, RETRY_TIME if timeout is None else timeout):
                    raise
            else:
                if status > 0:
                    return int(dropped)
                if status < 0:
                    message = "the stream has ended"
                    raise ConnectionClosed(message)
                if timeout is not None and monotonic() - start > timeout:
                    text = f"the client read nothing for {timeout:g} s"
                    raise RequestTimeout(text)
            sleep(pause)
            pause = min(2 * pause, 0.25)

    def pause(self, retry: int) -> None:
        """See ``EventLog.pause``."""
        try:
            self._append(b"", None, Priority.REQUIRED, retry=retry)
        except ConnectionClosed:
            write_log("debug", "a stream has ended before it could be paused")

    def end(self) -> None:
        """See ``EventLog.end``. If Redis does not answer, the log is ended when it does again."""
        try:
            self._run(scripts.END)
        except StoreUnavailable as error:
            write_log("info", "a stream will be ended later: %s", error)
            self._local_readers.end_later(self)

    @property
    def ended(self) -> bool:
        """Whether the stream has ended; False if Redis does not answer."""
        try:
            return self._get("ended") != b"0"
        except StoreUnavailable:
            return False

    @property
    def delivered(self) -> int:
        """The number of the last event that was delivered to a reader."""
        return int(self._get("delivered") or 0)

    def attach(self) -> int:
        """See ``EventLog.attach``."""
        reader: int = self._run(scripts.ATTACH, self._local_readers.process, self._lifetime)
        if reader:
            self._wakeups[reader] = self._local_readers.add(self._wakeup_name(reader))
        return reader

    def watch(self, reader: int, callback: Callable[[], object]) -> None:
        """See ``EventLog.watch``."""
        wakeup = self._wakeups.get(reader)
        if wakeup is not None:
            wakeup.callback = callback
        callback()

    def detach(self, reader: int) -> None:
        """See ``EventLog.detach``."""
        wakeup = self._wakeups.pop(reader, None)
        if wakeup is None:
            return
        self._local_readers.remove(self._wakeup_name(reader))
        wakeup.set()
        try:
            self._run(scripts.DETACH, self._reader_name(reader), self._lifetime)
        except StoreUnavailable as error:
            write_log("info", "a reader could not be detached from its stream: %s", error)

    def _wakeup_name(self, reader: int) -> str:
        return f"{self._session_id} {self._stream} {reader}"

    def _reader_name(self, reader: int) -> str:
        return f"{self._local_readers.process} {reader}"

    def read(self, reader: int, after: int, timeout: float) -> ReadResult:
        """See ``EventLog.read``."""
        deadline = monotonic() + timeout
        while True:
            wakeup = self._wakeups.get(reader)
            if wakeup is None:
                return ReadResult((), over=True)
            wakeup.clear()
            over, found = self._run(scripts.READ, self._reader_name(reader), after, self._lifetime)
            left = deadline - monotonic()
            if found or over or left <= 0:
                return ReadResult([_event(entry) for entry in found], over=bool(over))
            wakeup.wait(min(left, POLL_INTERVAL))


class LocalReaders:
    """The waiting readers of this process, which the store wakes, and the logs to end when Redis answers again."""

    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """Start without readers and under a new name, as a forked process must."""
        self.process = token_hex(8)
        """The name of this process in Redis."""
        self._lock = Lock()
        self._wakeups: dict[str, Wakeup] = {}
        self._unended: list[RedisEventLog] = []

    def add(self, name: str) -> Wakeup:
        """Return the event that is set when there is something for a reader."""
        with self._lock:
            return self._wakeups.setdefault(name, Wakeup())

    def remove(self, name: str) -> None:
        """Forget a reader."""
        with self._lock:
            self._wakeups.pop(name, None)

    def wake(self, names: Iterable[str]) -> None:
        """Wake readers; ignore unknown ones."""
        for name in names:
            wakeup = self._wakeups.get(name)
            if wakeup is not None:
                wakeup.set()

    def end_later(self, log: RedisEventLog) -> None:
        """Remember a log to end it in ``catch_up``."""
        with self._lock:
            if len(self._unended) < _MAX_UNENDED:
                self._unended.append(log)

    def catch_up(self) -> None:
        """End the remembered logs and wake all readers, because Redis answers again."""
        with self._lock:
            unended, self._unended = self._unended, []
            names = [*self._wakeups]
        for log in unended:
            log.end()
        self.wake(names)


def _event(entry: bytes) -> LogEvent:
    code, number, line = entry.split(b":", 2)
    return LogEvent(int(number), line, int(code) if code.isdigit() else 0, required=code != b"n")
