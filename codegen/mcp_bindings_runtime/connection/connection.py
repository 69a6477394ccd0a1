"""A session on a transport: threads, clocks and locks around the sans-I/O core."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from threading import Lock, RLock
from time import monotonic, sleep
from typing import Any, Final, TypeVar

from ..errors import ConnectionClosed, McpError, MessageTooLarge, UsageError
from ..jsonrpc import INTERNAL_ERROR, ErrorObject
from ..logs import RareWarning, log_exception, write_log
from ..methods import NotificationMethod, RequestMethod
from ..session.control_flow import SessionBegins
from ..session.events import Dropped, Event, Incoming, Notified, Outcome, Progressed, Published, Reply, RequestCancelled
from ..session.session import Session
from ..transports import Transport, Unanswered
from .batches import send_batch
from .call_scope import OutsideScope, bounded
from .calls import Call, PendingCalls, Requestor
from .deferred_interrupt import DeferredInterrupt, defer_interrupt
from .leader_followers import LeaderFollowers, SerialQueue
from .notification_buffer import NotificationBuffer
from .opening_noise import OpeningNoise, drop
from .progress_queue import ProgressQueue

R = TypeVar("R")

_CLOSING = 1.0
"""Seconds that the last messages to the other side may take."""
MAX_REPLIES: Final = 1000
"""Limit on the responses that wait to be sent; beyond it, nothing more is read from the other side."""
_LOOK: Final = 0.005
"""Seconds between two looks whether answers have been sent."""
_TOO_BUSY: Final = ErrorObject(
    INTERNAL_ERROR, "Too busy", {"reason": "too many requests wait; send this one again later"}
)


class Connection(Requestor):
    """One side's end of a conversation: thread-safe, and closed at most once.

    ``run`` is called with the connection and each request of the other side, and returns the line that answers it or
    None; ``listen`` is called with the connection and each notification, one at a time and in order. ``timeout`` and
    ``limit`` are in seconds: how long to wait for an answer or its progress, and how long altogether. At most
    ``workers`` requests of the other side run at the same time; if too many wait, further ones are refused.
    """

    def __init__(
        self,
        transport: Transport,
        session: Session,
        *,
        run: Callable[[Connection, Incoming], bytes | None],
        listen: Callable[[Connection, Notified], None],
        timeout: float,
        limit: float,
        workers: int,
    ) -> None:
        super().__init__(session, Lock(), PendingCalls(session), timeout=timeout, limit=limit)
        self.select: Callable[[bytes], None] | None = None  # for the first message: it may hand the connection over
        self.begin: Callable[[bytes], Sequence[Event]] = session.receive  # for one that begins a session in another era
        self.last_received = 0.0
        """Time of the last message of the other side, by ``time.monotonic``."""
        self._transport = transport
        self._answer = run
        self._replies = SerialQueue(self._send_answer)
        self._listen = listen
        self._notification_buffer = NotificationBuffer()
        self.notifications = SerialQueue(self._handle_notification, self._notification_buffer)
        self.put_notification = self._notification_buffer.append
        """Queue a notification, of so many bytes, for ``listen``; ``dispatch_notifications`` handles it."""
        self._refusals = RareWarning("requests are refused, because too many wait: the last is %s")
        self.end: ConnectionClosed | None = None  # why the connection has ended
        self._ending = Lock()
        self._shutting = RLock()
        self.noise = OpeningNoise(opened=session.side == "server")
        self._mute = False
        """Whether answers cannot be sent any more."""
        self._left = False  # whether the connection has lost its last user
        self._threads = LeaderFollowers(
            f"mcp-{session.side}", workers, read=self._read, run=self._run, queues=(self._replies, self.notifications)
        )

    @property
    def closed(self) -> bool:
        """Whether nothing can be sent or received any more."""
        return self.end is not None

    @property
    def retrying(self) -> tuple[Any, ...]:
        """The requests and streams of the transport that failed and wait to be tried again (HTTP)."""
        found: tuple[Any, ...] = getattr(self._transport, "retrying", ())
        return found

    def hand_over(self, session: Session, run: Callable[..., bytes | None], listen: Callable[..., None]) -> None:
        """Continue with another session and the functions of its server; hold the lock."""
        self.session.close()
        self.session, self.calls, self._answer, self._listen = session, PendingCalls(session), run, listen

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the end; return False after ``timeout`` seconds (None: no limit)."""
        return self._threads.wait(timeout)

    # Sending.

    def open(
        self, prepare: Callable[[], tuple[Any, bytes]], key: RequestMethod[Any, R], timeout: float | None = None
    ) -> R:
        """Send a request that the session makes by itself, such as ``hello``, and wait for its result."""
        result: R = self.complete(Call(key, self.timeout if timeout is None else timeout, self.limit, None), prepare)
        return result

    def notify(self, key: NotificationMethod[Any], params: Any = None) -> None:
        """Send a notification; raise `UsageError`, `EncodeError` or `ConnectionClosed`."""
        if self.end is not None:
            raise self.end.again()
        with self.lock:
            line = self.session.notify(key, params)
        self.send(line)

    batch = send_batch

    def send(self, line: bytes, *, optional: bool = False) -> None:
        """Send a line of the session, as ``Channel.send``."""
        self._transport.send(line, bounded(self.timeout))

    def send_unanswered(self, line: bytes) -> None:
        """Send a line whose answer is not awaited, within a second."""
        self._transport.send(line, _CLOSING)

    def hold(self, incoming: Incoming) -> None:
        """Do nothing, as answers may come at any time; see ``Channel.hold``."""

    def reply(self, incoming: Incoming, line: bytes | None) -> None:
        """Send the line that answers a request, as ``Channel.reply``."""
        if line is not None:
            self._send_answer(line)

    def pause(self, retry: int) -> None:
        """Do nothing, as there is one transport for everything; see ``Channel.pause``."""

    def send_after_replies(self, make_lines: Callable[[], Iterable[bytes]]) -> None:
        """Send lines of the session after all its replies so far."""
        with self.lock:
            if self.end is not None:
                raise self.end.again()
            for line in make_lines():
                self._replies.put(line)
        self._replies.run()

    def deliver_progress(self, queue: ProgressQueue) -> None:
        """Let the threads of the connection deliver the progress of a task."""
        self.put_notification(queue)
        self.dispatch_notifications()

    def complete(self, call: Call, prepare: Callable[[], tuple[Any, bytes]]) -> Any:
        """Send a call and wait for its result; let another request of the other side run meanwhile."""
        if not (self._threads.busy and self._threads.release_slot()):
            return super().complete(call, prepare)
        try:
            return super().complete(call, prepare)
        finally:
            self._threads.reclaim_slot()

    def attend(self, call: Call, prepare: Callable[[], tuple[Any, bytes]] | None = None) -> None:
        """See ``Requestor.attend``. No id stands for a line of several calls, which are registered already."""
        interrupt = defer_interrupt(call, self._wake)
        try:
            if prepare is not None:
                with self.lock:
                    if self.end is not None:
                        raise self.end.again()
                    call.id, line = prepare()
                    if call.id is not None:
                        self.calls[call.id] = call
                if call.scope is not None:
                    call.requestor = self
                if call.requestor is not None and call.error is not None:
                    # Cancelled before it was sent, so the other side need not know.
                    with self.lock:
                        self.calls.cancel(call, "", sent=False)
                    return
                # Transports allow Ctrl-C to end a send that waits, so it need not be deferred to the deadline.
                interrupt.passes = True
                if not interrupt.seen:
                    self._transport.send(line, bounded(call.timeout))
                interrupt.passes = False
            self._wait(call, interrupt)
        finally:
            interrupt.release()

    def _wait(self, call: Call, interrupt: DeferredInterrupt) -> None:
        """Wait until a call has ended or has a notification; read messages unless another thread does."""
        threads = self._threads
        longest = interrupt.longest
        while not (call.done or call.notified or interrupt.seen):
            remaining = min(call.deadline - monotonic(), longest)
            if remaining <= 0:
                self._extend(call)
                continue
            if not threads.become_leader(if_needed=not call.awaited):
                call.sleep(remaining)
                continue
            try:
                while remaining > 0 and not (call.done or call.notified or interrupt.seen):
                    self._read(remaining)
                    # Most messages are answers; then there is no work.
                    if (threads.jobs or self._replies.items or self.notifications.items) and threads.ready:
                        if not threads.started:
                            break
                        threads.delegate()
                    if not call.done:
                        remaining = min(call.deadline - monotonic(), longest)
            finally:
                threads.resign()
                if self.calls:
                    self.calls.wake_another(call, any_call=not threads.has_follower)
            if not (threads.started or call.done):
                # There is no other thread, and the other side may need the work done before it answers.
                with OutsideScope():
                    threads.work()

    def _extend(self, call: Call) -> None:
        """Move the deadline of a call by the seconds that did not count. Raise ``RequestTimeout`` if all did."""
        seconds: float = getattr(self._transport, "paused", {}).pop(call.id, 0.0)
        if not seconds:
            raise call.overdue(self.noise.last, self._transport)
        call.deadline += seconds
        call.limit += seconds

    def _wake(self, call: Call) -> None:
        call.wake()
        self._transport.interrupt()

    def interrupt(self, call: Call) -> None:
        """Wake the thread that sends a call's request or waits for its answer, because the call has ended."""
        abort = getattr(self._transport, "abort", None)
        if abort is not None and call.id is not None:
            abort(call.id)
        self._transport.interrupt()

    def abandon(self, call: Call, why: BaseException | str) -> None:
        """Stop waiting for a call, as ``Requestor.abandon``; let another waiting thread read on."""
        self.calls.wake_another(call)
        super().abandon(call, why)

    def conclude(self, call: Call, reason: str) -> None:
        """End a call from this side with the result None; wake the thread that waits for it."""
        if not call.done:
            self.abandon(call, reason)
            call.finish(None)
            self._transport.interrupt()

    # Receiving.

    def start(self) -> None:
        """Start reading even if no caller waits for a message: the session is open."""
        self.noise.end(opened=True)
        self._threads.start()

    def listen(self) -> None:
        """Open the stream of server messages if the transport needs one (HTTP)."""
        listen = getattr(self._transport, "listen", None)
        if listen is not None:
            listen()

    def dispatch_notifications(self) -> None:
        """Handle queued notifications in this thread unless another thread is already doing so."""
        with OutsideScope():
            self.notifications.run()

    def serve(self) -> None:
        """Read and run messages in other threads until the connection ends."""
        self._threads.serve()

    def pump(self, timeout: float | None = None) -> bool:
        """Read one message within ``timeout`` seconds and run it in the calling thread; return whether one came."""
        if not self._threads.become_leader():
            message = "another thread reads from this connection; pump() is for servers that nothing else serves"
            raise UsageError(message)
        try:
            received = self._read(timeout)
        finally:
            self._threads.resign()
        self._threads.work()
        return received

    def _read(self, timeout: float | None) -> bool:
        """Read one message and act on it, as the leader; return whether one came."""
        handle: Callable[[Any], Sequence[Event]] = self.session.receive
        received: Any
        if len(self._replies.items) > MAX_REPLIES and not self._await_replies(timeout):
            return False
        try:
            received = self._transport.receive(timeout)
        except MessageTooLarge as fault:
            handle, received = self.session.receive_too_large, fault
        except Unanswered as fault:
            handle, received = self._unanswered, fault
        except ConnectionClosed as end:
            self._cut(end)
            return False
        except Exception as fault:  # noqa: BLE001  # a user's transport; no caller may wait for ever
            log_exception(fault, "the transport failed: %s", fault)
            self._cut(ConnectionClosed(f"the transport failed: {fault}"))
            return False
        if received is None:
            if self._left:
                self.close()
            return False
        with self.lock:
            if self.select is not None and received.__class__ is bytes:
                self.select(received)
                handle = self.session.receive
            try:
                events = handle(received)
            except SessionBegins:
                events = self.begin(received)
            for event in events:
                # Queued under the lock, before anything else can be sent.
                if isinstance(event, Reply):
                    self._replies.put(event.line)
        self.last_received = monotonic()
        for event in events:
            self._act(event, received)
        return True

    def _await_replies(self, timeout: float | None) -> bool:
        """Read nothing while the other side does not read answers; return False after ``timeout`` and at the end."""
        deadline = None if timeout is None else monotonic() + timeout
        while len(self._replies.items) > MAX_REPLIES:
            if self.end is not None or self._left or (deadline is not None and monotonic() >= deadline):
                return False
            sleep(_LOOK)
            self._replies.run()
        return True

    def _unanswered(self, fault: Unanswered) -> Sequence[Event]:
        """Return the end of a request that will not be answered."""
        return () if self.session.forget(fault.id) is None else (Outcome(fault.id, None, fault.error),)

    def _act(self, event: Event, received: Any) -> None:
        """Act on an event of a received message."""
        if isinstance(event, Outcome):
            if self.calls.finish(event):
                self._threads.answered = not self.calls.awaited
            elif (line := self.cancel_task_in(event)) is not None:
                self._replies.put(line)
        elif isinstance(event, Incoming):
            event.related = getattr(received, "request_ids", event.related)
            size = len(received) if event.batch is None else len(received) // max(event.batch.waiting, 1)
            if not self._threads.add_job(event, size):
                self._refuse(event)
        elif isinstance(event, Progressed):
            queue = self.calls.progressed(event, len(received))
            if queue is not None:
                self.notifications.put(queue)
        elif isinstance(event, Published):
            self.calls.published(event, len(received))
        elif isinstance(event, Notified):
            self._notification_buffer.append(event, len(received))
        elif isinstance(event, RequestCancelled):
            write_log("debug", "%s is cancelled: %s", event.incoming.key.name, event.incoming.reason)
            event.incoming.stop_calls()
            if event.line is not None:
                self._replies.put(event.line)
        elif isinstance(event, Dropped):
            drop(event, self.noise, self.calls, self.lock)
        elif not isinstance(event, Reply):
            # Replies were queued before; this cancels a late task.
            self._replies.put(event.line)

    def _refuse(self, incoming: Incoming) -> None:
        """Answer a request with an error, because too many wait."""
        self._refusals.log(incoming.key.name)
        with self.lock:
            line = self.session.settle(incoming, self.session.error_response_line(incoming, _TOO_BUSY))
            if line is not None:
                self._replies.put(line)

    def _handle_notification(self, item: Notified | ProgressQueue) -> None:
        if isinstance(item, Notified):
            self._listen(self, item)
            return
        item.deliver_scheduled()

    def _run(self, incoming: Incoming) -> None:
        # A request that was cancelled while it waited is not run.
        if not (incoming.cancelled or self._mute):
            self.reply(incoming, self._answer(self, incoming))

    def _send_answer(self, line: bytes) -> None:
        try:
            self._transport.send(line, self.timeout)
        except McpError as fault:
            write_log("info", "an answer could not be sent: %s", fault)

    # The end.

    def close(self, lines: Iterable[bytes] = (), why: str = "the connection was closed on this side") -> None:
        """End the connection, after these last lines; running calls fail with ``why``, and requests remain unanswered."""
        if self.end is None:
            try:
                for line in lines:
                    self._transport.send(line, _CLOSING)
            except McpError as fault:
                write_log("debug", "the last messages could not be sent: %s", fault)
        self._mute = True
        self._stop(ConnectionClosed(why))
        self._shut()

    def leave(self) -> None:
        """Let the thread that reads end the connection. Takes no lock, so it may be called during garbage collection."""
        self._left = True
        self._transport.interrupt()

    def drain(self, grace: float) -> None:
        """Answer the requests that run for at most ``grace`` seconds, and close; the other side sends nothing more."""
        if not self._mute:
            self._threads.wait_idle(grace)
        self._shut()

    def _cut(self, end: ConnectionClosed) -> None:
        """Handle the end of the other side's messages. A server may still answer; a client shuts the connection."""
        self._mute |= self.session.side == "client"
        self._stop(end)
        if self.session.side == "client" and self.end is end:
            self._shut()

    def _stop(self, end: ConnectionClosed) -> None:
        """Stop receiving, and end all calls."""
        with self._ending:
            if self.end is not None:
                return
            self.end = end
        self.noise.end()
        with self.lock:
            calls = self.calls.end()
        for call in calls:
            call.finish(None, end.again())
        self._threads.stop()

    def _shut(self) -> None:
        """Close session and transport; running handlers see it."""
        with self.lock:
            self.session.close()
        # A second thread waits until the first has closed the transport.
        with self._shutting:
            self._transport.close()
