"""The channel of the handlers of one POST: their responses, and the messages that they send meanwhile.

The responses go back as JSON if nothing else is sent. The first other message turns the HTTP response into a stream.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from os import urandom
from threading import Lock
from typing import TYPE_CHECKING, Any

from ...connection.auto_reset_event import AutoResetEvent
from ...connection.calls import Call, PendingCalls
from ...connection.progress_queue import ProgressQueue
from ...errors import McpError
from ...jsonrpc import ErrorObject
from ...logs import write_log
from ...session.events import Incoming
from ...session.session import Session
from .client_request_limit import TooManyClientRequests
from .disconnection import POLL_INTERVAL, ClientGone
from .event_log import EventLog, Priority
from .http_channel import HttpChannel
from .responses import CLIENT_REQUESTS, STREAMS

if TYPE_CHECKING:
    from ...server.server import Server


def _ignore(_incoming: Incoming) -> None:
    """Do nothing."""


def _never() -> bool:
    return False


class NoStream(McpError):
    """A message needs a stream, and the limit on open streams is reached."""

    def __init__(self) -> None:
        super().__init__("the limit on open streams is reached, so only the final response can be sent")


class PostChannel(HttpChannel):
    """The ``Channel`` of the handlers of one POST.

    ``incomings`` are the requests that wait for a handler. ``open_stream`` is called with a new name when the first message
    needs a stream; it returns the log of the stream, or raises ``NoStream``. ``deliver_late`` delivers messages sent after
    the last response. ``on_answered`` is called with each request that is done, ``on_progress`` with the queued progress of
    tasks.
    """

    # Initial values are attributes of the class, so that a new channel need not set them.
    log: EventLog | None = None
    """The log of the stream; None while there is none."""
    stream_name: str = ""
    """The name of the stream, unique among processes; empty while there is none."""
    timed_out: bool = False
    """Whether the stream was opened because the response takes long."""
    answer: bytes | None = None
    """The response, if it is not streamed."""
    refusal: ErrorObject | None = None
    """The error in the response, if it is one."""
    overloaded: str = ""
    """The limit that was reached when a handler needed a stream or a response of the client; empty for none."""
    resumable: bool = True
    """Whether the client can come back for the rest of the stream."""
    on_change: Callable[[], object] | None = None
    """Called, from any thread, when the stream is open and when all requests are answered; must not wait."""
    _open_calls = 0
    """Number of pending requests to the client."""
    _ended = False
    """Whether nothing more can be sent on the HTTP response."""

    def __init__(
        self,
        session: Session,
        lock: Lock,
        calls: PendingCalls,
        *,
        timeout: float,
        limit: float,
        open_stream: Callable[[str], EventLog],
        deliver_late: Callable[[bytes, Priority, float], int],
        incomings: Iterable[Incoming],
        on_answered: Callable[[Incoming], object] = _ignore,
        on_progress: Callable[[ProgressQueue], object] = ProgressQueue.discard,
    ) -> None:
        super().__init__(session, lock, calls, timeout=timeout, limit=limit)
        self._open_stream = open_stream
        self._deliver_late = deliver_late
        self._on_answered = on_answered
        self._on_progress = on_progress
        self._unanswered = {*incomings}
        self._held: set[Incoming] = set()
        self._state_lock = Lock()
        self._wakeup = AutoResetEvent()

    @property
    def done(self) -> bool:
        """Whether all requests are answered or abandoned."""
        return not self._unanswered

    # For handlers.

    def deliver(self, line: bytes, priority: Priority, timeout: float) -> int:
        """Append a line to the stream. Raise ``NoStream``, ``ConnectionClosed`` or ``RequestTimeout``."""
        with self._state_lock:
            late = self._ended or not (self._unanswered or self._open_calls)
            log = None if late else self._ensure_log(required=priority is Priority.REQUIRED)
        return self._deliver_late(line, priority, timeout) if log is None else log.append(line, timeout, priority)

    def hold(self, incoming: Incoming) -> None:
        """Open the stream now, and leave the response to ``reply``. Raise ``NoStream``."""
        with self._state_lock:
            if self._unanswered:
                self._ensure_log(required=True)
        self._held.add(incoming)

    def reply(self, incoming: Incoming, line: bytes | None) -> None:
        """Finish a request; see ``finish``."""
        self.finish(incoming, line)

    def pause(self, retry: int) -> None:
        """End the HTTP response, and make the client reconnect after ``retry`` milliseconds; do nothing if it cannot."""
        if not self.resumable:
            return
        try:
            with self._state_lock:
                log = self._ensure_log() if self._unanswered else None
        except NoStream as error:
            write_log("debug", "the client is not asked to reconnect: %s", error)
            return
        if log is not None:
            log.pause(retry)

    def close(self, lines: Iterable[bytes] = ()) -> None:
        """Send these last lines and end the response."""
        self.try_send(lines)
        self.end()

    def complete(self, call: Call, prepare: Callable[[], tuple[Any, bytes]]) -> Any:
        """Send a call and wait; keep the stream open, because a cancellation of the request has to be sent on it."""
        with self._state_lock:
            self._open_calls += 1
        try:
            return super().complete(call, prepare)
        except TooManyClientRequests:
            self.overloaded = CLIENT_REQUESTS
            raise
        finally:
            with self._state_lock:
                self._open_calls -= 1
            self._end_stream()

    def deliver_progress(self, queue: ProgressQueue) -> None:
        """Deliver the progress of a task; the task outlives the POST."""
        self._on_progress(queue)

    def _end_stream(self, *, despite_calls: bool = False) -> None:
        """End the stream if all requests are answered and no call to the client is open, or ``despite_calls``."""
        with self._state_lock:
            stays_open = self._unanswered or self._ended or (self._open_calls and not despite_calls)
            log = None if stays_open else self.log
            self._ended = self._ended or log is not None
        if log is not None:
            log.end()

    def _ensure_log(self, *, required: bool = False) -> EventLog:
        if self.log is None:
            try:
                # ``random`` would not be unique if a handler seeds it.
                self.stream_name = urandom(9).hex()
                self.log = self._open_stream(self.stream_name)
            except NoStream:
                self.overloaded = STREAMS if required else self.overloaded
                raise
            self._wake()
        return self.log

    def _wake(self) -> None:
        self._wakeup.set()
        on_change = self.on_change
        if on_change is not None:
            on_change()

    # For the handler pool.

    def run(
        self,
        server: Server,
        incoming: Incoming,
        then: Callable[[], object] = lambda: None,
        check: Callable[[], ErrorObject | None] = lambda: None,
    ) -> None:
        """Run the handler of a request, call ``then``, and send the response, or the error that ``check`` returns."""
        line: bytes | None = None
        try:
            if not incoming.cancelled:
                refusal = check()
                if refusal is None:
                    line = server.handle_request(self, incoming)
                else:
                    line = self._refuse(incoming, refusal)
                then()
        finally:
            if incoming not in self._held:
                self.finish(incoming, line)

    def _refuse(self, incoming: Incoming, refusal: ErrorObject) -> bytes | None:
        """Return the line of an error that answers a request in place of its handler."""
        line = self.session.error_response_line(incoming, refusal)
        with self.lock:
            return self.session.settle(incoming, line)

    def finish(self, incoming: Incoming, line: bytes | None) -> None:
        """Send the response to a request, or to its whole batch; ignore one that is finished, such as a cancelled one."""
        self._on_answered(incoming)
        with self._state_lock:
            if incoming not in self._unanswered:
                return
            self._unanswered.remove(incoming)
            if line is not None:
                # It is the response to the batch, even if handlers that exceeded their time still run.
                self._unanswered.clear()
            log = self.log
            self.refusal = incoming.refusal
            last = not self._unanswered
            if log is None and last:
                self.answer = line
                self._ended = True
        if log is not None and line is not None:
            try:
                log.append(line, self.timeout)
            except McpError as error:
                write_log("info", "a response could not be sent: %s", error)
        if last:
            if self.dropped:
                self._log_dropped()
            if log is not None:
                # A cancelled request cancels its calls, and that has to be sent before the end.
                self._end_stream(despite_calls=not incoming.cancelled)
            self._wake()

    def _log_dropped(self) -> None:
        dropped, self.dropped = self.dropped, 0
        write_log("warning", "%d notifications of a request were dropped: %s", dropped, self._reason)

    def end(self) -> None:
        """End the response; send nothing more."""
        with self._state_lock:
            self._unanswered.clear()
            self._ended = True
            log = self.log
        if self.dropped:
            self._log_dropped()
        if log is not None:
            log.end()
        self._wake()

    # For the WSGI thread.

    def wait(self, keepalive: float, is_gone: Callable[[], bool] = _never) -> None:
        """Wait until there is something to send; after ``keepalive`` seconds, open a stream.

        A stream shows proxies that the server is working and, where ``is_gone`` cannot, the server that the client has
        gone. Raise ``ClientGone`` once ``is_gone()``.
        """
        while not self._sleep(keepalive, is_gone) and self.log is None and not self.done:
            self.open()

    def _sleep(self, seconds: float, is_gone: Callable[[], bool]) -> bool:
        """Wait up to so many seconds for a wakeup; return whether there was one. Raise ``ClientGone``."""
        while not self._wakeup.wait(min(seconds, POLL_INTERVAL)):
            if is_gone():
                raise ClientGone
            seconds -= POLL_INTERVAL
            if seconds <= 0:
                return False
        return True

    def open(self) -> None:
        """Turn the response into a stream, because it takes long, unless all requests are answered or no stream is left."""
        try:
            with self._state_lock:
                if self._unanswered:
                    self._ensure_log()
                    self.timed_out = True
        except NoStream as error:
            write_log("debug", "a request continues without a stream: %s", error)
