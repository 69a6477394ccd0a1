"""``RedisStore``: sessions and streams in Redis, for several processes that serve one endpoint (extra ``redis``)."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue
from threading import Event, Thread
from typing import Any, Final

from ...logs import log_exception, write_log
from ...validation import require_instance, require_positive_integers, require_positive_numbers
from ..server.event_log import EventLog, Priority
from ..server.session_expiry import SESSION_LIFETIME, STREAM_LIFETIME
from ..server.session_store import MAX_SESSIONS, limit_of_source
from ..server.store import (
    MAX_STREAMS,
    STANDALONE,
    AnnouncementReceiver,
    MessageReceiver,
    StoreUnavailable,
)
from . import call_scripts, scripts
from .call_queue import RedisCallQueue
from .client import RedisClient
from .event_log import LocalReaders, RedisEventLog
from .session_store import RedisSessionStore

BUS_BYTES: Final = 16 * 1024 * 1024
"""Limit on the bytes of messages between processes that Redis keeps for slow readers."""
BUS_COUNT: Final = 10_000
"""Limit on the number of messages between processes that Redis keeps."""
BUS_TIME: Final = 60.0
"""Seconds for which Redis keeps messages between processes."""
MEMORY_PER_SOURCE: Final = 32 * 1024 * 1024
"""Default limit on the bytes of the messages on all streams of one source."""
ALIVE: Final = 15.0
"""Seconds after its last heartbeat at which a process counts as dead; heartbeats are at most a third of that apart."""
# At its limit on memory, Redis drops the keys first that expire first (``volatile-ttl``), so these have to last.
HEARTBEATS_KEPT: Final = 86400.0
"""Lifetime, in seconds, of heartbeats in Redis, and of the time of the first one."""


class RedisStore:
    """A store like ``MemoryStore``, but in Redis.

    ``url`` is ``redis://HOST:PORT/DATABASE``, ``rediss://…`` with TLS, or ``unix:///PATH``. All keys begin with
    ``prefix``, which must differ between endpoints. ``sessions`` limits the number of sessions. ``sessions_per_source``
    limits the sessions of one principal or, without a principal, of one address; the default is a fourth of
    ``sessions``. Sessions expire ``lifetime`` seconds after the last use. ``memory_per_source`` limits the bytes of
    messages on the streams of one principal or address; beyond it, streams lose messages as in ``MemoryStore``. Redis
    counts as unavailable after ``timeout`` seconds without an answer. ``connections`` limits the connection pool of a
    process. Redis Cluster is not supported. Raises ``UsageError`` if the Python library ``redis`` is not installed.

    Each process that uses it has two background threads, which ``close`` ends.
    """

    def __init__(
        self,
        url: str = "redis://127.0.0.1:6379/0",
        *,
        prefix: str = "mcp:",
        sessions: int = MAX_SESSIONS,
        sessions_per_source: int | None = None,
        lifetime: float = SESSION_LIFETIME,
        memory_per_source: int = MEMORY_PER_SOURCE,
        timeout: float = 5.0,
        connections: int = 64,
    ) -> None:
        require_instance("url", url, str, "a str such as 'redis://127.0.0.1:6379/0'")
        require_instance("prefix", prefix, str, "a str")
        require_positive_integers(sessions=sessions, memory_per_source=memory_per_source, connections=connections)
        require_positive_numbers(lifetime=lifetime, timeout=timeout)
        self.client = RedisClient(url, prefix=prefix, timeout=timeout, connections=connections)
        self.sessions = RedisSessionStore(
            self.client,
            limit=sessions,
            per_source=limit_of_source(sessions, sessions_per_source),
            lifetime=lifetime,
            on_save=self._publish_saved,
            on_evict=self.end_streams,
        )
        self._lifetime = lifetime
        self._memory = memory_per_source
        self._message_receivers: list[MessageReceiver] = []
        self._announcement_receivers: list[AnnouncementReceiver] = []
        self._saved_callbacks: list[Callable[[str], None]] = []
        self._closed = Event()
        self._readers = LocalReaders()
        self.calls = RedisCallQueue(self.client, self._readers, alive=ALIVE, memory=memory_per_source)
        self._reset()
        if hasattr(os, "register_at_fork"):
            store: weakref.ref[RedisStore] = weakref.ref(self)
            os.register_at_fork(after_in_child=lambda: _restart(store))

    def _reset(self) -> None:
        self._callback_queue: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._threads: list[Thread] = []

    def restart(self) -> None:
        """Replace locks and threads in a forked process, which does not inherit them."""
        self._readers.restart()
        self._reset()
        if self._message_receivers or self._announcement_receivers:
            self._start()

    def _start(self) -> None:
        """Start the threads, if they are not running."""
        if self._threads or self._closed.is_set():
            return
        try:
            self._send_heartbeat()
            last: bytes | None = self._newest_id()
        except StoreUnavailable as error:
            write_log("warning", "%s", error)
            last = None
        self._threads = [
            Thread(target=self._follow, args=(last,), name="mcp-redis", daemon=True),
            Thread(target=self._run_callbacks, name="mcp-redis-callbacks", daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """End the threads and connections. The data stay in Redis, for other processes and until they expire."""
        self._closed.set()
        self._callback_queue.put(None)
        try:
            # Wake the thread that waits for messages.
            inbox = f"{self.client.prefix}inbox:{self._readers.process}"
            self.client.execute("XADD", inbox, "*", "wake", "")
            self.client.execute("PEXPIRE", inbox, int(self.client.timeout * 1000))
        except StoreUnavailable as error:
            write_log("debug", "%s", error)
        for thread in self._threads:
            thread.join(2 * self.client.timeout)
        try:
            # Other processes need not wait until it expires.
            self.client.execute("DEL", f"{self.client.prefix}alive:{self._readers.process}")
        except StoreUnavailable as error:
            write_log("debug", "%s", error)
        self.client.close()

    # Streams.

    def _log(self, session_id: str, stream: str) -> RedisEventLog:
        lifetime, memory = self._log_lifetime(stream), self._memory
        return RedisEventLog(self.client, self._readers, session_id, stream, lifetime=lifetime, memory=memory)

    def _log_lifetime(self, stream: str) -> float:
        return max(self._lifetime, STREAM_LIFETIME) if stream == STANDALONE else STREAM_LIFETIME

    def open(self, session_id: str, stream: str, *, keep: bool = True) -> EventLog:
        """See ``Store.open``. If the session has ended, its logs have ended, too."""
        log_lifetime = int(self._log_lifetime(stream) * 1000)
        index_lifetime = int((self._lifetime + STREAM_LIFETIME) * 1000)
        process = self._readers.process
        self.client.run(scripts.OPEN, session_id, stream, process, int(keep), log_lifetime, MAX_STREAMS, index_lifetime)
        return self._log(session_id, stream)

    def find(self, session_id: str, stream: str) -> EventLog | None:
        """See ``Store.find``."""
        key = f"{self.client.prefix}log:{session_id}:{stream}"
        return self._log(session_id, stream) if self.client.execute("EXISTS", key) else None

    def end_streams(self, session_id: str) -> None:
        """See ``Store.end_streams``. Other processes end the session, too."""
        self.client.run(scripts.END_STREAMS, session_id, "")
        self._post("gone", -1, session_id, b"")

    def append_once(self, session_id: str, line: bytes, mark: str, priority: Priority) -> int:
        """See ``SharedStore.append_once``."""
        self.open(session_id, STANDALONE)
        return self._log(session_id, STANDALONE).append_once(line, mark, priority)

    # Between processes.

    def on_message(self, receive: MessageReceiver) -> None:
        """See ``Store.on_message``."""
        self._message_receivers.append(receive)
        self._start()

    def forward(self, session_id: str, line: bytes, receive: MessageReceiver) -> None:
        """See ``Store.forward``. Raise ``StoreUnavailable``."""
        self._post("line", self._message_receivers.index(receive), session_id, line)

    def on_announcement(self, receive: AnnouncementReceiver) -> None:
        """See ``SharedStore.on_announcement``."""
        self._announcement_receivers.append(receive)
        self._start()

    def on_session_saved(self, callback: Callable[[str], None]) -> None:
        """See ``SharedStore.on_session_saved``."""
        self._saved_callbacks.append(callback)

    def _publish_saved(self, session_id: str) -> None:
        self._post("saved", -1, session_id, b"")

    def publish(self, announcement: bytes) -> None:
        """See ``SharedStore.publish``."""
        self._post("news", -1, "", announcement)

    def _post(self, kind: str, number: int, session_id: str, data: bytes) -> None:
        sender = f"{self._readers.process} {number}"
        values = ("kind", kind, "from", sender, "session", session_id, "data", data)
        self.client.run(scripts.POST, BUS_BYTES, BUS_COUNT, int(BUS_TIME * 1000), *values)

    def _send_heartbeat(self) -> None:
        times = int(ALIVE * 1000), int(HEARTBEATS_KEPT * 1000)
        self.client.run(call_scripts.HEARTBEAT, self._readers.process, *times)

    def _newest_id(self) -> bytes:
        found = self.client.execute("XREVRANGE", f"{self.client.prefix}bus", "+", "-", "COUNT", 1)
        newest: bytes = found[0][0] if found else b"0-0"
        return newest

    def _follow(self, last: bytes | None) -> None:
        """Receive messages of other processes and wake readers, until the store is closed."""
        process = self._readers.process
        bus, inbox = f"{self.client.prefix}bus", f"{self.client.prefix}inbox:{process}"
        last_wakeup = b"0-0"
        available = last is not None
        has_calls = True
        while not self._closed.is_set() and process == self._readers.process:
            try:
                self._send_heartbeat()
                if last is None:
                    last = self._newest_id()
                if not available:
                    write_log("info", "Redis answers again")
                    available = True
                    self._readers.catch_up()
                    has_calls = True
                self.sessions.end_expired()
                if has_calls:
                    self.calls.receive()
                    has_calls = False
                found = self.client.read_streams({bus: last, inbox: last_wakeup}, ALIVE / 3)
            except StoreUnavailable as error:
                if available:
                    write_log("warning", "%s", error)
                available = False
                self._closed.wait(0.2)
                continue
            for stream, entries in found:
                if stream == bus.encode():
                    last = entries[-1][0]
                    self._receive_all(entries)
                else:
                    last_wakeup = entries[-1][0]
                    names = {values[b"wake"].decode() for _, values in entries}
                    has_calls = has_calls or call_scripts.CALLS in names
                    self._readers.wake(names)

    def _receive_all(self, entries: list[tuple[bytes, Any]]) -> None:
        for mark, values in entries:
            try:
                self._receive(mark.decode(), values)
            except Exception as error:  # noqa: BLE001  # one bad message must not stop the thread
                log_exception(error, "a message of another process could not be handled: %s", error)

    def _receive(self, mark: str, values: dict[bytes, bytes]) -> None:
        process, _, number = values[b"from"].decode().partition(" ")
        session_id, kind, data = values[b"session"].decode(), values[b"kind"], values[b"data"]
        ours = process == self._readers.process
        if kind == b"news":
            for receive in list(self._announcement_receivers):
                self._callback_queue.put(partial(receive, mark, ours, data))
        elif kind == b"saved":
            # In order with announcements: a client that has unsubscribed before one must not get it.
            for callback in [] if ours else list(self._saved_callbacks):
                self._callback_queue.put(partial(callback, session_id))
        elif kind == b"gone":
            if not ours:
                self.sessions.end(session_id)
        else:
            for index, receive_message in enumerate(list(self._message_receivers)):
                if not (ours and index == int(number)):
                    receive_message(session_id, data)

    def _run_callbacks(self) -> None:
        queue = self._callback_queue
        while (callback := queue.get()) is not None:
            try:
                callback()
            except Exception as error:  # noqa: BLE001  # see above
                log_exception(error, "an announcement could not be delivered: %s", error)


def _restart(store: weakref.ref[RedisStore]) -> None:
    found = store()
    if found is not None:
        found.restart()
