"""A session of the handshake era as this process serves it: the core, and what runs on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from secrets import randbits
from threading import Lock
from typing import TYPE_CHECKING, Any, cast

from ...connection.calls import Call
from ...connection.leader_followers import SerialQueue
from ...errors import ConnectionClosed
from ...logs import note
from ...methods import NotificationMethod
from ...session.events import Cancelled, Dropped, Event, Incoming, Notified, Outcome, Progressed
from ...session.stateless import CHANGES
from .event_log import Priority
from .http_channel import NO_ROOM, HttpChannel
from .post_channel import PostChannel
from .session_store import SessionRecord
from .store import STANDALONE, SharedStore, Store

if TYPE_CHECKING:
    from ...server.server import Server
    from ...session.handshake import HandshakeServer


class SessionChannel(HttpChannel):
    """The link of a session: what belongs to no request goes to the stream that stands alone.

    ``begin`` has a job run in another thread. ``unclaimed`` is given messages that are about requests that this process
    does not have.
    """

    def __init__(
        self,
        server: Server,
        record: SessionRecord,
        store: Store,
        *,
        begin: Callable[[Callable[[], None]], bool],
        unclaimed: Callable[[str, bytes], None],
    ) -> None:
        calls: dict[Any, Call] = {}
        super().__init__(server.session(), Lock(), calls, timeout=server.timeout, limit=server.limit)
        self.server = server
        self.record = record
        self._store = store
        self._begin = begin
        self._unclaimed = unclaimed
        self._exchanges: dict[Incoming, PostChannel] = {}
        self._news = SerialQueue(self._listen)
        # Ids of requests are not to be those that another process gives.
        self.session.asked = randbits(31) << 20
        self._saving = Lock()
        self._know(record)
        if record.client is not None:
            self._restore()

    @property
    def core(self) -> HandshakeServer:
        """The core of the session."""
        return cast("HandshakeServer", self.session)

    def _restore(self) -> None:
        """Goes on with a session that another process has begun."""
        session, record, binding = self.core, self.record, self.session.binding
        session.peer_info = binding.codec.structure(record.client, binding.types.Implementation)
        session.peer_capabilities = binding.codec.structure(record.capabilities, binding.types.ClientCapabilities)
        session.log_level = record.log_level
        session.subscribed.update(record.subscribed)
        session.state = cast("Any", record.state)

    def refresh(self, record: SessionRecord) -> None:
        """Takes over what other processes have changed of the session; ``record`` is as they have saved it."""
        if record.version <= self._version or self.record.client is None:
            return
        with self._saving:
            if record.version <= self._version:
                return
            session, known = self.core, self._known
            if record.state != known["state"] and not self.closed:
                session.state = cast("Any", record.state)
            if record.log_level != known["log_level"]:
                session.log_level = record.log_level
            before, now = {*known["subscribed"]}, {*record.subscribed}
            session.subscribed |= now - before
            session.subscribed -= before - now
            self._know(record)

    def _know(self, record: SessionRecord) -> None:
        self.record = record
        self._version = record.version
        self._known = record.values()

    def save(self) -> None:
        """Keeps what has changed of the session where other processes find it."""
        if self._changed():
            with self._saving:
                if self.remember():
                    self._store.sessions.save(self.record, self._known)
                    self._know(self.record)

    def _changed(self) -> bool:
        session, known = self.core, self._known
        return (
            (known["client"] is None and session.peer_info is not None)
            or (known["state"] != session.state and session.state != "closed")
            or known["log_level"] != session.log_level
            or len(known["subscribed"]) != len(session.subscribed)
            or bool(session.subscribed and known["subscribed"] != sorted(session.subscribed.copy()))
        )

    def remember(self) -> bool:
        """Brings the record up to what the session is now; whether that has changed it."""
        if not self._changed():
            return False
        session, record = self.core, self.record
        if record.client is None and session.peer_info is not None:
            codec = session.binding.codec
            record.client = codec.unstructure(session.peer_info)
            record.capabilities = codec.unstructure(session.peer_capabilities)
        if session.state != "closed":
            record.state = session.state
        record.log_level = session.log_level
        record.subscribed = sorted(session.subscribed.copy())
        return True

    # What the client sends.

    def receive(self, line: bytes, *, passed_on: bool = False) -> Sequence[Event]:
        """Takes a line of the client, and acts on what it says of requests that are known.

        Gives what happened; requests in it are to be handled.
        """
        with self.lock:
            events = self.session.receive(line)
        for event in events:
            if isinstance(event, Outcome):
                call = self.calls.pop(event.id, None)
                if call is not None:
                    call.finish(event.result, event.error)
            elif isinstance(event, Progressed):
                call = self.calls.get(event.id)
                if call is not None:
                    call.advance(event.params)
            elif isinstance(event, Notified):
                self._news.put(event)
            elif isinstance(event, Cancelled):
                note("debug", "%s is cancelled: %s", event.incoming.key.name, event.incoming.reason)
                event.incoming.stop_calls()
                exchange = self._exchanges.get(event.incoming)
                if exchange is not None:
                    exchange.finish(event.incoming, event.line)
            elif isinstance(event, Dropped):
                note("info", "dropped: %s", event.reason)
                if not event.bad and not passed_on:
                    self._unclaimed(self.record.id, line)
        if self._news.ready:
            # A handler may ask the client something, and the client may first want to be told that it was heard.
            self._begin(self._news.run)
        return events

    def _listen(self, notified: Notified) -> None:
        self.server.listen(self, notified)

    def run(self, incoming: Incoming, exchange: PostChannel) -> bool:
        """Has a request handled in another thread; False where too many are."""
        incoming.principal = self.record.principal
        self._exchanges[incoming] = exchange
        if self._begin(partial(exchange.run, self.server, incoming, self.save)):
            return True
        self.leave(incoming)
        return False

    def leave(self, incoming: Incoming) -> None:
        """A request is dealt with."""
        self._exchanges.pop(incoming, None)

    def drop(self, incomings: Iterable[Incoming]) -> None:
        """Handles these requests no further."""
        dropped = list(incomings)
        with self.lock:
            for incoming in dropped:
                incoming.cancelled = True
                self.session.settle(incoming, b"")
        for incoming in dropped:
            incoming.stop_calls()

    # What the server sends.

    def deliver(self, line: bytes, priority: Priority, timeout: float) -> int:
        """Append a line to the standalone stream, where it waits while the client has not opened that."""
        if self.closed:
            message = "the session has ended"
            raise ConnectionClosed(message)
        return self._store.open(self.record.id, STANDALONE).append(line, timeout, priority)

    def _count(self, dropped: int, reason: object) -> None:
        before = self.dropped
        super()._count(dropped, reason)
        if len(str(before)) < len(str(self.dropped)) or not before:
            # Many clients never open the stream, and a session may last long: 1, 10, 100 and so on are logged.
            note("info", "%d notifications of a session have been dropped so far: %s", self.dropped, reason)

    def tell(self, key: NotificationMethod[Any], params: Any, mark: str) -> None:
        """Sends what every process that has this session is to tell it, and one does. Does not wait for the client."""
        with self.lock:
            line = self.session.notify(key, params)
        priority = Priority.CHANGE if key.name in CHANGES else Priority.OPTIONAL
        dropped = cast("SharedStore", self._store).tell(self.record.id, line, mark, priority)
        if dropped:
            self._count(dropped, NO_ROOM)

    def close(self, lines: Iterable[bytes] = ()) -> None:
        """Ends the session in this process. What still runs cannot be answered any more."""
        self.offer(lines)
        with self.lock:
            self.session.close()
            calls = list(self.calls.values())
            self.calls.clear()
        for call in calls:
            call.finish(None, ConnectionClosed("the session has ended"))
        for exchange in list(self._exchanges.values()):
            exchange.give_up()
