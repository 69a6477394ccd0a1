"""A session at work on a transport: threads, clocks and locks, around the core that has none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from threading import Lock, RLock
from time import monotonic
from typing import Any, TypeVar

from ..errors import ConnectionClosed, McpError, MessageTooLarge, RequestTimeout, UsageError
from ..logs import log_exception, write_log
from ..methods import NotificationMethod, RequestMethod
from ..session.events import Dropped, Event, Incoming, Notified, Outcome, Progressed, Published, Reply, RequestCancelled
from ..session.session import Session
from ..transports import Transport, Unanswered
from .call_scope import bounded, outside
from .calls import Call, PendingCalls
from .deferred_interrupt import DeferredInterrupt, defer_interrupt
from .leader_followers import LeaderFollowers, SerialQueue
from .progress_queue import ProgressQueue

R = TypeVar("R")

_CLOSING = 1.0
"""Seconds that last words to the other side may take."""


class Connection:
    """One side's end of a conversation: thread-safe, and closed at most once.

    ``run`` is given the connection and each request of the other side, and gives the line that answers it (None: none);
    ``listen`` is given the connection and notifications, one at a time and in their order. ``timeout`` and ``limit`` are
    in seconds: how long to wait for an answer, or for progress of it, and how long altogether. At most ``workers``
    requests of the other side run at the same time.
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
        self.session = session
        self.lock = Lock()
        """Held while the session is asked or told anything."""
        self.heard = 0.0
        """When the other side was last heard of, by ``time.monotonic``."""
        self._transport = transport
        self._answer = run
        self.timeout = timeout
        """Seconds to wait for an answer if nothing else is said."""
        self._limit = limit
        self.calls = PendingCalls(session)
        """The requests in flight; changed under the lock, or by the thread that reads."""
        self._replies = SerialQueue(self._send_answer)
        self._listen = listen
        self._notifications = SerialQueue(self._spread)
        self.hear = self._notifications.put
        """Takes a notification as if it had come for nobody in particular; ``spread`` has it told."""
        self._end: ConnectionClosed | None = None
        self._ending = Lock()
        self._shutting = RLock()
        self._noise = ""
        self._mute = False
        """Whether answers would come to nothing."""
        self._left = False
        """Whether nobody is there any more for whom it would be held open."""
        self._threads = LeaderFollowers(
            f"mcp-{session.side}", workers, read=self._read, run=self._run, queues=(self._replies, self._notifications)
        )

    @property
    def closed(self) -> bool:
        """Whether nothing can be sent or received any more."""
        return self._end is not None

    def wait(self, timeout: float | None = None) -> bool:
        """Waits for the end, for ``timeout`` seconds at most (None: no limit); whether it has come."""
        return self._threads.wait(timeout)

    # Saying things.

    def request(
        self,
        key: RequestMethod[Any, R],
        params: Any = None,
        *,
        timeout: float | None = None,
        on_progress: Callable[[Any], object] | None = None,
        begun: Callable[[Call], object] | None = None,
    ) -> R:
        """Sends a request and waits for its result.

        Progress is reported in the calling thread, all of it before the result; that of a task, once there is one,
        in another thread, one at a time. Raises UsageError, EncodeError,
        ResponseError, DecodeError, RequestTimeout, ConnectionClosed. After a timeout or an interruption the other side
        is told that the answer is not awaited any more.
        """
        call = Call(key, self.timeout if timeout is None else timeout, self._limit, on_progress)
        if begun is not None:
            call.carrier = self
            begun(call)
        ask = partial(self.session.request, key, params, progress=on_progress is not None)
        result: R = self._conclude(call, ask)
        return result

    def open(self, ask: Callable[[], tuple[Any, bytes]], key: RequestMethod[Any, R], timeout: float | None = None) -> R:
        """Sends a request that the session makes by itself, such as ``hello``, and waits for its result."""
        result: R = self._conclude(Call(key, self.timeout if timeout is None else timeout, self._limit, None), ask)
        return result

    def notify(self, key: NotificationMethod[Any], params: Any = None) -> None:
        """Sends a notification; raises UsageError, EncodeError, ConnectionClosed."""
        if self._end is not None:
            raise self._end.again()
        with self.lock:
            line = self.session.notify(key, params)
        self.send(line)

    def send(self, line: bytes, *, optional: bool = False) -> None:
        """Sends a line that the session has made; as ``Channel.send``."""
        self._transport.send(line, bounded(self.timeout))

    def post(self, key: RequestMethod[Any, Any], params: Any) -> None:
        """Send a request as last words about a call: nobody waits for its answer."""
        with self.lock:
            if self._end is not None:
                raise self._end.again()
            request_id, line = self.session.request(key, params)
            self.session.forget(request_id)
        self._transport.send(line, _CLOSING)

    def hold(self, incoming: Incoming) -> None:
        """Nothing: answers may come at any time. As ``Channel.hold``."""

    def reply(self, incoming: Incoming, line: bytes | None) -> None:
        """Sends the line that answers a request; that it cannot be sent is noted. As ``Channel.reply``."""
        try:
            if line is not None:
                self.send(line)
        except (ConnectionClosed, RequestTimeout) as fault:
            write_log("info", "an answer could not be sent: %s", fault)

    def pause(self, retry: int) -> None:
        """Nothing: all goes over one transport. As ``Channel.pause``."""

    def say(self, speak: Callable[[], Iterable[bytes]]) -> None:
        """Sends lines of the session behind all that it has replied so far, so that nothing overtakes a reply."""
        with self.lock:
            if self._end is not None:
                raise self._end.again()
            for line in speak():
                self._replies.put(line)
        self._replies.run()

    def _conclude(self, call: Call, ask: Callable[[], tuple[Any, bytes]]) -> Any:
        released = bool(self._threads.busy) and self._threads.release_slot()
        try:
            self.attend(call, ask)
            while not call.done:
                call.deliver_progress()
                self.attend(call)
            call.check_stopped()
            if call.progress is not None and self.calls.finish_progress(call, call.progress):
                # What comes of a task is left to the threads of the connection.
                self.hear(call.progress)
                self.spread()
        except BaseException as fault:
            self.abandon(call, fault)
            raise
        finally:
            if call.scope is not None:
                call.scope.forget(call.stop)
            if released:
                self._threads.reclaim_slot()
        if call.error is not None:
            raise call.error
        return call.result

    def attend(self, call: Call, ask: Callable[[], tuple[Any, bytes]] | None = None) -> None:
        """Waits until a call is done or has progressed, after having sent it if ``ask`` gives its id and line.

        No id stands for a line of several calls, which are known already.

        Raises RequestTimeout once its deadline has passed, and ConnectionClosed where it cannot be sent any more.
        """
        interrupt = defer_interrupt(call, self._stir)
        try:
            if ask is not None:
                with self.lock:
                    if self._end is not None:
                        raise self._end.again()
                    call.id, line = ask()
                    if call.id is not None:
                        self.calls[call.id] = call
                if call.scope is not None:
                    call.carrier = self
                if call.carrier is not None and call.error is not None:
                    # Cancelled before it was sent: there is nothing to tell the other side.
                    with self.lock:
                        self.calls.cancel(call, "", sent=False)
                    return
                # Ctrl-C ends a send that waits, as transports promise: not held off, it need not wait for the deadline.
                interrupt.passes = True
                if not interrupt.seen:
                    self._transport.send(line, bounded(call.patience))
                interrupt.passes = False
            self._wait(call, interrupt)
        finally:
            interrupt.release()

    def _wait(self, call: Call, interrupt: DeferredInterrupt) -> None:
        """Waits until a call is done or has progressed; reads for all, unless another thread does."""
        threads = self._threads
        longest = interrupt.patience
        while not (call.done or call.notified or interrupt.seen):
            remaining = min(call.deadline - monotonic(), longest)
            if remaining <= 0:
                raise call.overdue(self._noise)
            if not threads.become_leader():
                call.sleep(remaining)
                continue
            try:
                while remaining > 0 and not (call.done or call.notified or interrupt.seen):
                    self._read(remaining)
                    # Most messages are answers; then there is nothing that might be due.
                    if (threads.jobs or self._replies.items or self._notifications.items) and threads.ready:
                        if not threads.started:
                            break
                        threads.delegate()
                    if not call.done:
                        remaining = min(call.deadline - monotonic(), longest)
            finally:
                threads.resign()
                if self.calls:
                    self.calls.wake_another(call)
            if not (threads.started or call.done):
                # Nobody else would: the other side may need it in order to answer.
                with outside():
                    threads.work()

    def _stir(self, call: Call) -> None:
        call.wake()
        self._transport.interrupt()

    def interrupt(self, call: Call) -> None:
        """Wake the thread that sends the request of a call or waits for its answer, as the call has ended."""
        abort = getattr(self._transport, "abort", None)
        if abort is not None and call.id is not None:
            abort(call.id)
        self._transport.interrupt()

    def abandon(self, call: Call, why: BaseException | str) -> None:
        """Waits for a call no longer, and tells the other side so, and why, if it is in flight."""
        with self.lock:
            line = self.calls.cancel(call, why, sent=self._end is None)
        self.calls.wake_another(call)
        if line is not None:
            try:
                self._transport.send(line, _CLOSING)
            except McpError as more:
                write_log("debug", "%s could not be cancelled: %s", call.key.name, more)

    def conclude(self, call: Call, reason: str) -> None:
        """Ends a call from this side, as if it had been answered with nothing; wakes the thread that waits for it."""
        if not call.done:
            self.abandon(call, reason)
            call.finish(None)
            self._transport.interrupt()

    # Hearing things.

    def start(self) -> None:
        """From now on messages are read even while nobody waits for one."""
        self._threads.start()

    def listen(self) -> None:
        """Has the transport bring what the other side says unasked, too, where that takes something of it (HTTP)."""
        listen = getattr(self._transport, "listen", None)
        if listen is not None:
            listen()

    def spread(self) -> None:
        """Has told what was heard, in this thread unless another is at it. Who reads does so anyway."""
        with outside():
            self._notifications.run()

    def serve(self) -> None:
        """Has messages read and run in other threads until the connection ends."""
        self._threads.serve()

    def pump(self, timeout: float | None = None) -> bool:
        """Reads what comes within ``timeout`` seconds, runs it in the calling thread, and says whether anything came."""
        if not self._threads.become_leader():
            message = "another thread reads from this connection; pump() is for servers that nothing else serves"
            raise UsageError(message)
        try:
            came = self._read(timeout)
        finally:
            self._threads.resign()
        self._threads.work()
        return came

    def _read(self, timeout: float | None) -> bool:
        """Reads one message and acts on it; whether one came. For the thread that has the reading."""
        hear: Callable[[Any], Sequence[Event]] = self.session.receive
        what: Any
        try:
            what = self._transport.receive(timeout)
        except MessageTooLarge as fault:
            hear, what = self.session.receive_too_large, fault
        except Unanswered as fault:
            hear, what = self._unanswered, fault
        except ConnectionClosed as end:
            self._cut(end)
            return False
        except Exception as fault:  # noqa: BLE001  # a transport of somebody's own; nobody is left waiting for it
            log_exception(fault, "the transport failed: %s", fault)
            self._cut(ConnectionClosed(f"the transport failed: {fault}"))
            return False
        if what is None:
            if self._left:
                self.close()
            return False
        with self.lock:
            events = hear(what)
            for event in events:
                # It is in the queue before anything else can be said.
                if isinstance(event, Reply):
                    self._replies.put(event.line)
        self.heard = monotonic()
        for event in events:
            self._act(event)
        return True

    def _unanswered(self, fault: Unanswered) -> Sequence[Event]:
        """A request of one's own will not be answered."""
        known = self.session.forget(fault.id) is not None
        return (Outcome(fault.id, None, fault.error),) if known else ()

    def _act(self, event: Event) -> None:
        if isinstance(event, Outcome):
            if self.calls.finish(event):
                self._threads.answered = not self.calls
        elif isinstance(event, Incoming):
            self._threads.jobs.append(event)
        elif isinstance(event, Progressed):
            queue = self.calls.progressed(event)
            if queue is not None:
                self._notifications.put(queue)
        elif isinstance(event, Published):
            self.calls.published(event)
        elif isinstance(event, Notified):
            self._notifications.put(event)
        elif isinstance(event, RequestCancelled):
            write_log("debug", "%s is cancelled: %s", event.incoming.key.name, event.incoming.reason)
            event.incoming.stop_calls()
            if event.line is not None:
                self._replies.put(event.line)
        elif isinstance(event, Dropped):
            self._noise = self._noise if self.session.state == "open" else event.reason
            write_log("info", "dropped: %s", event.reason)

    def _spread(self, news: Notified | ProgressQueue) -> None:
        if isinstance(news, Notified):
            self._listen(self, news)
            return
        try:
            news.deliver_scheduled()
        except Exception as fault:  # noqa: BLE001  # nobody waits for it
            log_exception(fault, "a function that is told of the progress of a task failed")

    def _run(self, incoming: Incoming) -> None:
        # One that was cancelled while it waited is not begun.
        line = None if incoming.cancelled or self._mute else self._answer(self, incoming)
        if line is not None:
            self._send_answer(line)

    def _send_answer(self, line: bytes) -> None:
        try:
            self._transport.send(line, self.timeout)
        except McpError as fault:
            write_log("info", "an answer could not be sent: %s", fault)

    # The end.

    def close(self, lines: Iterable[bytes] = (), why: str = "the connection was closed on this side") -> None:
        """Ends the connection, after these last lines; what waits is told ``why``. What still runs cannot be answered."""
        if self._end is None:
            try:
                for line in lines:
                    self._transport.send(line, _CLOSING)
            except McpError as fault:
                write_log("debug", "the last words could not be sent: %s", fault)
        self._mute = True
        self._stop(ConnectionClosed(why))
        self._shut()

    def leave(self) -> None:
        """Has the thread that reads end the connection; takes no lock, so it may be called while garbage is collected."""
        self._left = True
        self._transport.interrupt()

    def drain(self, grace: float) -> None:
        """After the other side has stopped sending: answers what is running, for ``grace`` seconds at most, and closes."""
        if not self._mute:
            self._threads.wait_idle(grace)
        self._shut()

    def _cut(self, end: ConnectionClosed) -> None:
        """The other side says no more; a server may still answer. Where this side has ended it, that thread shuts it."""
        client = self.session.side == "client"
        self._mute = self._mute or client
        self._stop(end)
        if client and self._end is end:
            self._shut()

    def _stop(self, end: ConnectionClosed) -> None:
        """Nothing is heard any more."""
        with self._ending:
            if self._end is not None:
                return
            self._end = end
        with self.lock:
            calls = self.calls.end()
        for call in calls:
            call.finish(None, end.again())
        self._threads.stop()

    def _shut(self) -> None:
        """Nothing is said any more, either; handlers that still run see it."""
        with self.lock:
            self.session.close()
        # Whoever comes second waits too, until there is nothing left.
        with self._shutting:
            self._transport.close()
