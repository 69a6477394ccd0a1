"""One POST with requests in it: where their answers go, and what their handlers send meanwhile.

As long as nothing is sent but the answer, it can go back as JSON. The first message that a handler sends before makes
the response a stream.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any

from ...connection.auto_reset_event import AutoResetEvent
from ...connection.calls import Call
from ...errors import McpError
from ...jsonrpc import Refusal
from ...logs import note
from ...session.events import Incoming
from ...session.session import Session
from .disconnection import LOOK, ClientGone
from .event_log import EventLog, Priority
from .http_channel import HttpChannel
from .responses import STREAMS, busy

if TYPE_CHECKING:
    from ...server.server import Server


def _unheard(_incoming: Incoming) -> None:
    """Nobody has to know which requests are dealt with."""


def _unknown() -> bool:
    """Whether the client has gone is not known, or does not matter."""
    return False


class NoStream(McpError):
    """A request or a response has to be streamed, and as many streams are open as may be."""


class PostChannel(HttpChannel):
    """The link of the handlers of one POST.

    ``waiting`` are those of its requests that are to be handled. ``stream`` gives the log of its stream, when there is
    something to be sent on it; it raises NoStream. ``late`` delivers what comes after all is answered. ``over`` is told
    of each request that is dealt with.
    """

    def __init__(
        self,
        session: Session,
        lock: Lock,
        calls: dict[Any, Call],
        *,
        timeout: float,
        limit: float,
        stream: Callable[[], EventLog],
        late: Callable[[bytes, Priority, float], int],
        waiting: Iterable[Incoming],
        over: Callable[[Incoming], object] = _unheard,
    ) -> None:
        super().__init__(session, lock, calls, timeout=timeout, limit=limit)
        self._stream = stream
        self._late = late
        self._over = over
        self._waiting = {*waiting}
        self._asking = 0
        """How many requests to the client are open."""
        self._ended = False
        """Whether nothing more goes back with the answer."""
        self._held: set[Incoming] = set()
        self._gate = Lock()
        self._changed = AutoResetEvent()
        self.log: EventLog | None = None
        """What is streamed, if anything is."""
        self.answer: bytes | None = None
        """The answer, where it goes back alone."""
        self.refusal: Refusal | None = None
        """The error in the answer, if it is one."""
        self.overloaded = False
        """Whether a handler had to stream, and no stream was to be had."""

    @property
    def done(self) -> bool:
        """Whether all requests are answered, or will not be."""
        return not self._waiting

    # For handlers.

    def deliver(self, line: bytes, priority: Priority, timeout: float) -> int:
        """Append a line to the stream of the POST; raises NoStream, ConnectionClosed, RequestTimeout."""
        with self._gate:
            late = self._ended or not (self._waiting or self._asking)
            log = None if late else self._open(needed=priority is Priority.REQUIRED)
        return self._late(line, priority, timeout) if log is None else log.append(line, timeout, priority)

    def hold(self, incoming: Incoming) -> None:
        """The answer comes by ``reply``, on a stream that is opened now; raises NoStream."""
        with self._gate:
            if self._waiting:
                self._open(needed=True)
        self._held.add(incoming)

    def reply(self, incoming: Incoming, line: bytes | None) -> None:
        """As ``finish``."""
        self.finish(incoming, line)

    def pause(self, retry: int) -> None:
        """Has the client hang up and come back after ``retry`` milliseconds."""
        try:
            with self._gate:
                log = self._open() if self._waiting else None
        except NoStream as fault:
            note("debug", "a client is not sent away: %s", fault)
            return
        if log is not None:
            log.pause(retry)

    def close(self, lines: Iterable[bytes] = ()) -> None:
        """Ends the exchange, after these last lines."""
        self.offer(lines)
        self.give_up()

    @contextmanager
    def _waiting_for(self) -> Generator[None, None, None]:
        """Keep the stream open, as a request on it may have to be cancelled on it."""
        with self._gate:
            self._asking += 1
        try:
            yield
        finally:
            with self._gate:
                self._asking -= 1
            self._end()

    def _end(self, *, asking: bool = False) -> None:
        """End the stream once all is answered and, unless ``asking`` may go on, nothing is asked."""
        with self._gate:
            open_still = self._waiting or self._ended or (self._asking and not asking)
            log = None if open_still else self.log
            self._ended = self._ended or log is not None
        if log is not None:
            log.end()

    def _open(self, *, needed: bool = False) -> EventLog:
        if self.log is None:
            try:
                self.log = self._stream()
            except NoStream:
                self.overloaded = self.overloaded or needed
                raise
            self._changed.set()
        return self.log

    # For those who run them.

    def run(self, server: Server, incoming: Incoming, then: Callable[[], object] = lambda: None) -> None:
        """Has a request handled and answered; ``then`` is called in between."""
        line: bytes | None = None
        try:
            if not incoming.cancelled:
                line = server.run(self, incoming)
                then()
        finally:
            if incoming not in self._held:
                self.finish(incoming, line)

    def finish(self, incoming: Incoming, line: bytes | None) -> None:
        """One of the requests is dealt with; the line, if there is one, answers it and others of its batch.

        What was dealt with before, as it was cancelled, is so once only.
        """
        self._over(incoming)
        with self._gate:
            if incoming not in self._waiting:
                return
            self._waiting.remove(incoming)
            if line is not None:
                # It answers all of them, though the handlers of some may go on beyond their time.
                self._waiting.clear()
            log = self.log
            self.refusal = incoming.refusal
            last = not self._waiting
            if log is None and last:
                self.answer = line
                self._ended = True
        if log is not None and line is not None:
            try:
                log.append(line, self.timeout)
            except McpError as fault:
                note("info", "an answer could not be sent: %s", fault)
        if last:
            self._log_dropped()
            # Where it was cancelled, so is what it asks; that is to be said first.
            self._end(asking=not incoming.cancelled)
            self._changed.set()

    def _log_dropped(self) -> None:
        dropped, self.dropped = self.dropped, 0
        if dropped:
            note("warning", "%d notifications of a request were dropped: %s", dropped, self._reason)

    def give_up(self) -> None:
        """Nothing more is sent."""
        with self._gate:
            self._waiting.clear()
            self._ended = True
            log = self.log
        self._log_dropped()
        if log is not None:
            log.end()
        self._changed.set()

    # For the thread that holds the connection to the client.

    def wait(self, keepalive: float, gone: Callable[[], bool] = _unknown) -> bool:
        """Waits until there is something to be sent; whether nothing was for so many seconds.

        What takes that long becomes a stream: proxies see that there is something to wait for, and where ``gone`` cannot
        see it, only on a stream it can be noticed that the client has gone. Raises ClientGone once it has, and Rejection
        (503) where a handler has failed for want of a stream.
        """
        quiet = not self._sleep(keepalive, gone)
        while quiet and self.log is None and not self.done:
            try:
                self.open()
            except NoStream as fault:
                note("debug", "a request goes on without a stream: %s", fault)
                quiet = not self._sleep(keepalive, gone)
        if self.log is None and self.overloaded and self.refusal is not None:
            raise busy(STREAMS)
        return quiet

    def _sleep(self, seconds: float, gone: Callable[[], bool]) -> bool:
        """Wait for a change, for at most ``seconds``; return whether there was one. Raise ClientGone."""
        while not self._changed.wait(min(seconds, LOOK)):
            if gone():
                raise ClientGone
            seconds -= LOOK
            if seconds <= 0:
                return False
        return True

    def open(self) -> None:
        """Makes the response a stream, unless all is answered; raises NoStream."""
        with self._gate:
            if self._waiting:
                self._open()
