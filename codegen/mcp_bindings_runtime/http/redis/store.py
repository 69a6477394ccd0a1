"""Sessions and streams in Redis, so that several processes or machines serve one endpoint (extra ``redis``)."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue
from secrets import token_hex
from threading import Event as Flag
from threading import Lock, Thread
from typing import Any, Final

from ...logs import note, report
from ...validation import check_counts, check_kind, check_times
from ..server.event_log import EventLog, Priority
from ..server.session_store import MAX_SESSIONS, SESSION_LIFETIME
from ..server.store import STANDALONE, STREAM_LIFETIME, STREAMS, Hear, Receive, StoreUnavailable
from . import scripts
from .client import RedisClient
from .event_log import RedisEventLog
from .session_store import RedisSessionStore

BUS_BYTES: Final = 16 * 1024 * 1024
BUS_COUNT: Final = 10_000
BUS_TIME: Final = 60.0
"""What processes tell each other is kept for this many seconds, up to so many bytes and messages, for who is late."""
ALIVE: Final = 15.0
"""Seconds after which a process that says nothing counts as dead; it speaks up every third of that at least."""


class RedisStore:
    """Keeps sessions and streams in Redis, as ``MemoryStore`` does in one process.

    ``url`` is ``redis://HOST:PORT/DATABASE``, ``rediss://…`` with TLS, or ``unix:///PATH``. The name of each key begins
    with ``prefix``: one for each endpoint. ``sessions`` is how many sessions there are at most, ``lifetime`` after how
    many seconds without use they end. Redis counts as unreachable when it does not answer within ``timeout`` seconds;
    ``connections`` is how many of them a process has. Not for Redis Cluster. Raises UsageError without the library.

    Two threads of each process that uses it follow what other processes say; ``close`` ends them.
    """

    def __init__(
        self,
        url: str = "redis://127.0.0.1:6379/0",
        *,
        prefix: str = "mcp:",
        sessions: int = MAX_SESSIONS,
        lifetime: float = SESSION_LIFETIME,
        timeout: float = 5.0,
        connections: int = 64,
    ) -> None:
        check_kind("url", url, str, "texts such as 'redis://127.0.0.1:6379/0'")
        check_kind("prefix", prefix, str, "texts")
        check_counts(sessions=sessions, connections=connections)
        check_times(lifetime=lifetime, timeout=timeout)
        self.link = RedisClient(url, prefix=prefix, timeout=timeout, connections=connections)
        self.sessions = RedisSessionStore(self.link, most=sessions, lifetime=lifetime, saved=self._tell_saved)
        self._lifetime = lifetime
        self._receivers: list[Receive] = []
        self._hearers: list[Hear] = []
        self._changed: list[Callable[[str], None]] = []
        self._closed = Flag()
        self._begin()
        if hasattr(os, "register_at_fork"):
            store: weakref.ref[RedisStore] = weakref.ref(self)
            os.register_at_fork(after_in_child=lambda: _begin_again(store))

    def _begin(self) -> None:
        self.process = token_hex(8)
        """What it is called in Redis."""
        self._lock = Lock()
        self._bells: dict[str, Flag] = {}
        self._unended: list[RedisEventLog] = []
        self._news: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._threads: list[Thread] = []

    def begin_again(self) -> None:
        """In a process that was forked from the one that made it: what is not inherited is made anew."""
        self._begin()
        if self._receivers or self._hearers:
            self._start()

    def _start(self) -> None:
        """Follows what other processes say from now on."""
        if self._threads or self._closed.is_set():
            return
        try:
            self._beat()
            last: bytes | None = self._newest()
        except StoreUnavailable as fault:
            note("warning", "%s", fault)
            last = None
        self._threads = [
            Thread(target=self._follow, args=(last,), name="mcp-redis", daemon=True),
            Thread(target=self._tell_news, name="mcp-redis-news", daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """Ends its threads and connections. What is in Redis stays, for other processes and until it expires."""
        self._closed.set()
        self._news.put(None)
        try:
            # So that the thread that follows what others say has something to notice it by.
            inbox = f"{self.link.prefix}inbox:{self.process}"
            self.link.ask("XADD", inbox, "*", "wake", "")
            self.link.ask("PEXPIRE", inbox, int(self.link.timeout * 1000))
        except StoreUnavailable as fault:
            note("debug", "%s", fault)
        for thread in self._threads:
            thread.join(2 * self.link.timeout)
        self.link.close()

    # Streams.

    def _log(self, session_id: str, stream: str) -> RedisEventLog:
        return RedisEventLog(self, session_id, stream, stay=self._stay(stream))

    def _stay(self, stream: str) -> float:
        return max(self._lifetime, STREAM_LIFETIME) if stream == STANDALONE else STREAM_LIFETIME

    def open(self, session_id: str, stream: str, *, keep: bool = True) -> EventLog:
        """As ``Store.open``; of a session that has ended there is none, but one that has ended, too."""
        stay = int(self._stay(stream) * 1000)
        index = int((self._lifetime + STREAM_LIFETIME) * 1000)
        self.link.run(scripts.OPEN, session_id, stream, self.process, int(keep), stay, STREAMS, index)
        return self._log(session_id, stream)

    def find(self, session_id: str, stream: str) -> EventLog | None:
        """As ``Store.find``."""
        key = f"{self.link.prefix}log:{session_id}:{stream}"
        return self._log(session_id, stream) if self.link.ask("EXISTS", key) else None

    def forget(self, session_id: str) -> None:
        """As ``Store.forget``. Other processes hear of it."""
        self.link.run(scripts.FORGET, session_id, "")
        self._post("gone", -1, session_id, b"")

    def tell(self, session_id: str, line: bytes, mark: str, priority: Priority) -> int:
        """As ``SharedStore.tell``."""
        self.open(session_id, STANDALONE)
        return self._log(session_id, STANDALONE).append_once(line, mark, priority)

    def bell(self, name: str) -> Flag:
        """What is set when there is something for this reader."""
        with self._lock:
            return self._bells.setdefault(name, Flag())

    def unhang(self, name: str) -> None:
        """The reader has left."""
        with self._lock:
            self._bells.pop(name, None)

    def end_later(self, log: RedisEventLog) -> None:
        """Ends a log as soon as Redis answers again."""
        with self._lock:
            if len(self._unended) < BUS_COUNT:
                self._unended.append(log)

    # Between processes.

    def listen(self, receive: Receive) -> None:
        """As ``Store.listen``."""
        self._receivers.append(receive)
        self._start()

    def pass_on(self, session_id: str, line: bytes, receive: Receive) -> None:
        """As ``Store.pass_on``. Raises StoreUnavailable."""
        self._post("line", self._receivers.index(receive), session_id, line)

    def hear(self, hear: Hear) -> None:
        """As ``SharedStore.hear``."""
        self._hearers.append(hear)
        self._start()

    def changes(self, changed: Callable[[str], None]) -> None:
        """As ``SharedStore.changes``."""
        self._changed.append(changed)

    def _tell_saved(self, session_id: str) -> None:
        self._post("saved", -1, session_id, b"")

    def spread(self, news: bytes) -> None:
        """As ``SharedStore.spread``."""
        self._post("news", -1, "", news)

    def _post(self, kind: str, number: int, session_id: str, data: bytes) -> None:
        values = ("kind", kind, "from", f"{self.process} {number}", "session", session_id, "data", data)
        self.link.run(scripts.POST, BUS_BYTES, BUS_COUNT, int(BUS_TIME * 1000), *values)

    def _beat(self) -> None:
        self.link.ask("SET", f"{self.link.prefix}alive:{self.process}", "1", "PX", int(ALIVE * 1000))

    def _newest(self) -> bytes:
        found = self.link.ask("XREVRANGE", f"{self.link.prefix}bus", "+", "-", "COUNT", 1)
        newest: bytes = found[0][0] if found else b"0-0"
        return newest

    def _follow(self, last: bytes | None) -> None:
        bus, inbox = f"{self.link.prefix}bus", f"{self.link.prefix}inbox:{self.process}"
        process, woken = self.process, b"0-0"
        reached = last is not None
        while not self._closed.is_set() and process == self.process:
            try:
                self._beat()
                if last is None:
                    last = self._newest()
                if not reached:
                    note("info", "Redis answers again")
                    reached = True
                    self._catch_up()
                self.sessions.sweep()
                found = self.link.wait({bus: last, inbox: woken}, ALIVE / 3)
            except StoreUnavailable as fault:
                if reached:
                    note("warning", "%s", fault)
                reached = False
                self._closed.wait(0.2)
                continue
            for stream, entries in found:
                if stream == bus.encode():
                    last = entries[-1][0]
                    self._take_all(entries)
                else:
                    woken = entries[-1][0]
                    self._wake({values[b"wake"].decode() for _, values in entries})

    def _catch_up(self) -> None:
        with self._lock:
            unended, self._unended = self._unended, []
            bells = [*self._bells]
        for log in unended:
            log.end()
        self._wake(bells)

    def _wake(self, names: Any) -> None:
        for name in names:
            flag = self._bells.get(name)
            if flag is not None:
                flag.set()

    def _take_all(self, entries: list[tuple[bytes, Any]]) -> None:
        for mark, values in entries:
            try:
                self._take(mark.decode(), values)
            except Exception as fault:  # noqa: BLE001  # what one process says must not keep another from hearing more
                report(fault, "what another process has passed on could not be dealt with: %s", fault)

    def _take(self, mark: str, values: dict[bytes, bytes]) -> None:
        process, _, number = values[b"from"].decode().partition(" ")
        session_id, kind, data = values[b"session"].decode(), values[b"kind"], values[b"data"]
        ours = process == self.process
        if kind == b"news":
            for hear in list(self._hearers):
                self._news.put(partial(hear, mark, ours, data))
        elif kind == b"saved":
            # In one order with announcements: who has unsubscribed before one does not hear it.
            for changed in [] if ours else list(self._changed):
                self._news.put(partial(changed, session_id))
        elif kind == b"gone":
            if not ours:
                self.sessions.end(session_id)
        else:
            for index, receive in enumerate(list(self._receivers)):
                if not (ours and index == int(number)):
                    receive(session_id, data)

    def _tell_news(self) -> None:
        news = self._news
        while (tell := news.get()) is not None:
            try:
                tell()
            except Exception as fault:  # noqa: BLE001  # see above
                report(fault, "an announcement could not be made: %s", fault)


def _begin_again(store: weakref.ref[RedisStore]) -> None:
    found = store()
    if found is not None:
        found.begin_again()
