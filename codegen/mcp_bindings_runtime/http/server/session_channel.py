"""The channel of a session, in a process that serves it: messages that belong to no request, and the state to save."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from math import ceil
from secrets import randbits
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, cast
from weakref import ref

from ...connection.calls import PendingCalls
from ...connection.leader_followers import SerialQueue
from ...connection.notification_buffer import NotificationBuffer
from ...connection.progress_queue import ProgressQueue
from ...errors import ConnectionClosed
from ...features.limits import Bucket
from ...logs import write_log
from ...methods import NotificationMethod
from ...session.events import Dropped, Event, Incoming, LateTask, Notified, Outcome, Progressed, RequestCancelled
from ...session.stateless import CHANGES
from .event_log import Priority
from .http_channel import NO_ROOM, HttpChannel
from .post_channel import PostChannel
from .responses import FORWARDS, busy
from .session_store import SessionRecord
from .store import STANDALONE, SharedStore, Store

if TYPE_CHECKING:
    from ...server.server import Server
    from ...session.handshake import HandshakeServerSession


FORWARD_RATE: Final = 1024 * 1024
"""Limit on the bytes per second that a process forwards to other processes for one session."""
FORWARD_BURST: Final = 5 * 1024 * 1024
"""Bytes that may be forwarded at once: somewhat more than the largest body by default."""
FORWARD_COST: Final = 10 * 1024
"""Bytes that each message counts in addition to its own."""


class SessionChannel(HttpChannel):
    """The ``Channel`` of a session; it sends on the standalone stream.

    ``start`` runs a job in another thread, and returns False if the limit is reached. ``forward`` is called with the
    session id and a message about a request that this process does not know.
    """

    def __init__(
        self,
        server: Server,
        record: SessionRecord,
        store: Store,
        *,
        start: Callable[[Callable[[], None]], bool],
        forward: Callable[[str, bytes], None],
    ) -> None:
        session = server.session()
        super().__init__(session, Lock(), PendingCalls(session), timeout=server.timeout, limit=server.limit)
        self.server = server
        self.record = record
        self._store = store
        self._start = start
        self._forward = forward
        self._forwarded: Bucket | None = None
        self._post_channels: dict[Incoming, PostChannel] = {}
        self._notification_buffer = NotificationBuffer()
        # A reference to itself would keep a session that has ended in memory until the garbage collector runs.
        self._notifications = SerialQueue(partial(_handle_notification, ref(self)), self._notification_buffer)
        # Ids of requests to the client must differ from those that other processes use.
        self.session.requests_sent = randbits(31) << 20
        self._save_lock = Lock()
        self._set_record(record)
        if record.client is not None:
            self._restore()

    @property
    def core(self) -> HandshakeServerSession:
        """The sans-I/O session."""
        return cast("HandshakeServerSession", self.session)

    def _restore(self) -> None:
        """Continue a session that another process has begun."""
        session, record, binding = self.core, self.record, self.session.binding
        session.peer_info = binding.codec.structure(record.client, binding.types.Implementation)
        session.peer_capabilities = binding.codec.structure(record.capabilities, binding.types.ClientCapabilities)
        session.log_level = record.log_level
        session.subscribed.update(record.subscribed)
        session.state = cast("Any", record.state)

    def refresh(self, record: SessionRecord) -> None:
        """Apply the changes that other processes have saved in ``record``."""
        if record.version <= self._version or self.record.client is None:
            return
        with self._save_lock:
            if record.version <= self._version:
                return
            session, saved = self.core, self._saved
            if record.state != saved["state"] and not self.closed:
                session.state = cast("Any", record.state)
            if record.log_level != saved["log_level"]:
                session.log_level = record.log_level
            before, now = {*saved["subscribed"]}, {*record.subscribed}
            session.subscribed |= now - before
            session.subscribed -= before - now
            self._set_record(record)

    def _set_record(self, record: SessionRecord) -> None:
        self.record = record
        self._version = record.version
        self._saved = record.values()

    def save(self) -> None:
        """Save the changes of the session, so that other processes apply them."""
        if self._has_changed():
            with self._save_lock:
                if self.update_record():
                    self._store.sessions.save(self.record, self._saved)
                    self._set_record(self.record)

    def _has_changed(self) -> bool:
        session, saved = self.core, self._saved
        return (
            (saved["client"] is None and session.peer_info is not None)
            or (saved["state"] != session.state and session.state != "closed")
            or saved["log_level"] != session.log_level
            or len(saved["subscribed"]) != len(session.subscribed)
            or bool(session.subscribed and saved["subscribed"] != sorted(session.subscribed.copy()))
        )

    def update_record(self) -> bool:
        """Copy the state of the session into the record; return whether anything has changed."""
        if not self._has_changed():
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

    # Receiving.

    def receive(self, line: bytes, *, forwarded: bool = False) -> Sequence[Event]:
        """Act on a message of the client, except for requests; return its events."""
        with self.lock:
            events = self.session.receive(line)
        if len(events) == 1 and isinstance(events[0], Incoming) and not self._notifications.items:
            # It changes nothing before its handler runs.
            return events
        for event in events:
            if isinstance(event, Outcome):
                cancellation = None if self.calls.finish(event) else self.cancel_task_in(event)
                if cancellation is not None:
                    self.try_send((cancellation,))
            elif isinstance(event, LateTask):
                self.try_send((event.line,))
            elif isinstance(event, Progressed):
                queue = self.calls.progressed(event)
                if queue is not None:
                    self._notifications.put(queue)
            elif isinstance(event, Notified):
                self._notification_buffer.append(event, len(line))
            elif isinstance(event, RequestCancelled):
                write_log("debug", "%s is cancelled: %s", event.incoming.key.name, event.incoming.reason)
                event.incoming.stop_calls()
                post_channel = self._post_channels.get(event.incoming)
                if post_channel is not None:
                    post_channel.finish(event.incoming, event.line)
            elif isinstance(event, Dropped):
                write_log("info", "dropped: %s", event.reason)
        self._dispatch_notifications()
        if not forwarded and any(isinstance(event, Dropped) and event.elsewhere for event in events):
            self._forward_line(line, alone=len(events) == 1)
        return events

    def _dispatch_notifications(self) -> None:
        if self._notifications.ready:
            # In another thread: a handler may call the client, which may first wait for the response to its POST.
            self._start(self._handle_notifications)

    def _handle_notifications(self) -> None:
        # A method, so that its job holds the channel until all are handled.
        self._notifications.run()

    def deliver_progress(self, queue: ProgressQueue) -> None:
        """Deliver the progress of a task in another thread."""
        self._notifications.put(queue)
        self._dispatch_notifications()

    def _forward_line(self, line: bytes, *, alone: bool) -> None:
        """Forward a line to the other processes. Raise ``Rejection`` if the session has forwarded too much.

        A line with other messages, which have been acted on, is dropped instead.
        """
        if self._forwarded is None:
            self._forwarded = Bucket(FORWARD_RATE, FORWARD_BURST, monotonic)
        wait = self._forwarded.acquire(FORWARD_COST + len(line))
        if not wait:
            self._forward(self.record.id, line)
            return
        write_log(
            "info", "a message about an unknown request is not forwarded: its session has forwarded too many bytes"
        )
        if alone:
            raise busy(FORWARDS, ceil(wait))

    def job(self, incoming: Incoming, post_channel: PostChannel) -> Callable[[], None]:
        """Return the job that runs the handler of a request."""
        self._post_channels[incoming] = post_channel
        return partial(post_channel.run, self.server, incoming, self.save)

    @property
    def busy(self) -> bool:
        """Whether requests of the client wait for their responses."""
        return bool(self._post_channels)

    def forget(self, incoming: Incoming) -> None:
        """Forget a request that is done."""
        self._post_channels.pop(incoming, None)

    def cancel(self, incomings: Iterable[Incoming]) -> None:
        """Cancel these requests without a response."""
        cancelled = list(incomings)
        with self.lock:
            for incoming in cancelled:
                incoming.cancelled = True
                self.session.settle(incoming, b"")
        for incoming in cancelled:
            incoming.stop_calls()
            self.forget(incoming)

    # Sending.

    def deliver(self, line: bytes, priority: Priority, timeout: float) -> int:
        """Append a line to the standalone stream, where it waits until the client opens that."""
        if self.closed:
            message = "the session has ended"
            raise ConnectionClosed(message)
        return self._store.open(self.record.id, STANDALONE).append(line, timeout, priority)

    def _count_dropped(self, dropped: int, reason: object) -> None:
        before = self.dropped
        super()._count_dropped(dropped, reason)
        if len(str(before)) < len(str(self.dropped)) or not before:
            # Many clients never open the stream: log at 1, 10, 100 and so on.
            write_log("info", "%d notifications of a session have been dropped so far: %s", self.dropped, reason)

    def notify_once(self, key: NotificationMethod[Any], params: Any, mark: str) -> None:
        """Send a notification that every process with this session sends, and one delivers. Do not wait for room."""
        with self.lock:
            line = self.session.notify(key, params)
        priority = Priority.CHANGE if key.name in CHANGES else Priority.OPTIONAL
        dropped = cast("SharedStore", self._store).append_once(self.record.id, line, mark, priority)
        if dropped:
            self._count_dropped(dropped, NO_ROOM)

    def close(self, lines: Iterable[bytes] = ()) -> None:
        """End the session in this process; running handlers cannot send their responses any more."""
        self.try_send(lines)
        with self.lock:
            self.session.close()
            calls = self.calls.end()
        for call in calls:
            call.finish(None, ConnectionClosed("the session has ended"))
        for post_channel in list(self._post_channels.values()):
            post_channel.end()


def _handle_notification(channel: ref[SessionChannel], item: Notified | ProgressQueue) -> None:
    """Handle a notification, or deliver the queued progress of a task."""
    receiver = channel()
    # The job that handles notifications holds the channel.
    assert receiver is not None
    if isinstance(item, Notified):
        receiver.server.handle_notification(receiver, item)
    else:
        item.deliver_scheduled()
