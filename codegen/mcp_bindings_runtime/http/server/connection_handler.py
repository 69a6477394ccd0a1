"""Handle the connections of the HTTP server: one thread waits, and workers only do what can be done at once.

The event loop waits for the bytes of a request, for events of a stream, and for a client to read. A worker gets a connection
when a whole request has arrived; it runs the handler, and sends as much of the response as the client accepts. So neither
idle streams nor clients that send or read slowly occupy a thread.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from threading import get_ident
from time import monotonic
from typing import Any, Final, NamedTuple

from ...connection.thread_pool import ThreadPool
from ...logs import RareWarning, log_exception, write_log
from .acceptor import Acceptor
from .cheroot_requests import ServerSettings
from .disconnection import POLL_INTERVAL
from .event_loop import READ, WRITE, EventLoop
from .http_connection import HttpConnection, Phase, Progress
from .pending_response import PendingResponse
from .responses import Response
from .stream_sender import StreamSender
from .unsent_responses import UnsentResponses

_LINGER: Final = 10
"""Milliseconds for which a worker waits for the next request of its connection while most other workers are idle."""
_PACKETS: Final = 2
"""Number of packets for which it waits: many clients send the head and the body of a request one after the other."""
_DRAIN_TIME: Final = 2.0
"""Seconds in which a client may read the last response before the connection is reset."""
_SMALL: Final = 16 * 1024
"""Bytes of a request that no limit refuses."""


class ConnectionLimits(NamedTuple):
    """Limits of a ``ConnectionHandler``; times are in seconds."""

    connections: int
    """Open connections."""
    buffered: int
    """Bytes of requests of all connections together that are incomplete or in progress."""
    body: int
    """Bytes of the body of a request."""
    idle: float
    """Silence before or within a request."""
    head_time: float
    """Time in which the head of a request must arrive."""
    body_time: float
    """Time in which the body of a request must arrive."""
    send_time: float
    """Time in which a client must read a response, or the next events of a stream."""
    keepalive: float
    """Time without an event after which a stream carries a comment."""
    workers: int
    """Requests that are parsed and responded to at the same time, besides running handlers."""


class ConnectionHandler:
    """Serves the connections of a listening socket; ``run`` returns after ``stop``."""

    def __init__(
        self, listener: socket.socket, settings: ServerSettings, workers: ThreadPool, limits: ConnectionLimits
    ) -> None:
        self._settings = settings
        self._application = settings.application
        self._workers = workers
        self._limits = limits
        self._interval = min(POLL_INTERVAL, limits.keepalive)
        self.loop = EventLoop(self._interval)
        self._acceptor = Acceptor(self.loop, listener, limits.connections, self._begin, self._close)
        self._unsent = UnsentResponses(self._application.memory, self._close)
        self._streams = StreamSender(
            self.loop,
            workers,
            keepalive=limits.keepalive,
            send_time=limits.send_time,
            leave_time=self._interval,
            end=self._end_stream,
            close=self._close,
            unsent=self._unsent,
        )
        self._connections: set[HttpConnection] = set()
        self._working: dict[HttpConnection, None] = {}
        """Connections to whose request a worker responds, or a handler."""
        self._buffered = 0
        """Bytes of requests that are incomplete or in progress."""
        self._overfull = RareWarning("a request is refused: those that are incomplete or in progress take %d bytes")
        self._next_look = 0.0
        """Time at which to look after the requests of running handlers."""
        self._stop_at: float | None = None

    # Any thread.

    def stop_accepting(self) -> None:
        """Accept no more connections; close each connection after its response."""
        self._settings.can_add_keepalive_connection = False
        self.loop.call(self._acceptor.close)

    def stop(self, seconds: float) -> None:
        """End ``run`` when all responses are sent, after ``seconds`` at the latest."""
        self._stop_at = monotonic() + seconds
        self.loop.call(self._acceptor.close)

    # The thread of the loop.

    def run(self) -> None:
        """Serve until ``stop``."""
        try:
            self.loop.run(self._look)
        finally:
            self._acceptor.close()
            for connection in list(self._connections):
                self._close(connection)
            self.loop.close()

    def _look(self) -> bool:
        """Look after running handlers; return whether to continue."""
        now = monotonic()
        if now >= self._next_look:
            self._next_look = now + self._interval
            for connection in list(self._working):
                self._look_after(connection, now - connection.since)
        if self._stop_at is None or not self._acceptor.closed:
            # Clients that wait to be accepted have to be told, too.
            return True
        busy = any(each.unsent or each.phase is not Phase.RECEIVING or each.has_unread for each in self._connections)
        return busy and now < self._stop_at

    def _look_after(self, connection: HttpConnection, seconds: float) -> None:
        """Cancel the request of a client that has gone, and begin a stream if the handler takes long."""
        pending = connection.pending
        if pending is None or seconds < self._interval or self._workers.queued:
            # While jobs wait for a thread, each look would add one.
            return
        if pending.cancellable and connection.is_closed:
            self._workers.submit(partial(self._run_job, connection, partial(self._abandon, connection, pending)))
        elif seconds >= self._limits.keepalive and not pending.ready:
            self._workers.submit(pending.channel.open)

    def _abandon(self, connection: HttpConnection, pending: PendingResponse) -> None:
        """Cancel a request whose client has gone."""
        if not pending.claim():
            return
        self._working.pop(connection, None)
        pending.cancel()
        if pending.channel.log is not None:
            stream: Any = self._application.complete(pending).body
            with suppress(AttributeError):
                stream.close()
        self.loop.call(partial(self._close, connection))

    def _begin(self, sock: socket.socket, address: Any) -> None:
        connection = HttpConnection(self._settings, self, sock, address)
        self._connections.add(connection)
        self._await_request(connection)

    def on_ready(self, connection: HttpConnection, events: int) -> None:
        """Receive from or send to a connection."""
        if events & WRITE:
            if connection.phase is Phase.STREAMING:
                self._streams.on_writable(connection)
            else:
                self._finish(connection)
        elif connection.receive():
            if connection.phase is Phase.RECEIVING:
                self._parse(connection)
            elif connection.phase is Phase.CLOSING:
                connection.rfile.clear()
                if connection.ended:
                    self._close(connection)
            elif connection.broken or len(connection.rfile) > _SMALL:
                # The client of a stream has gone, or sends more requests than are kept.
                self._close(connection)
            elif connection.ended:
                self._streams.on_end_of_input(connection)

    def on_deadline(self, connection: HttpConnection) -> None:
        """Act on a client that takes too long, or on a stream without events."""
        if connection.phase is Phase.STREAMING:
            self._streams.on_deadline(connection)
        elif connection.phase is Phase.SENDING:
            text = "a response is cut off: %s did not read it within %g s"
            write_log("info", text, connection.remote_addr, self._limits.send_time)
            self._close(connection)
        elif connection.phase is not Phase.RECEIVING or connection.idle:
            # A request that has just arrived is read next.
            if connection.phase is Phase.CLOSING or not connection.has_unread:
                self._close(connection)
        elif connection.request is None:
            connection.refuse("408 Request Timeout")
            self._forget_waiting(connection)
            self._finish(connection)
        else:
            # The application refuses the request.
            connection.rfile.late = True
            self._parse(connection)

    def on_error(self, connection: HttpConnection) -> None:
        """Close a connection that has failed."""
        self._close(connection)

    # Receiving.

    def _await_request(self, connection: HttpConnection) -> None:
        """Wait for the next request, some of which may have arrived."""
        connection.phase = Phase.RECEIVING
        if not connection.idle:
            self._await_rest(connection)
            connection.register(READ)
            self._parse(connection)
        elif self._settings.can_add_keepalive_connection or connection.has_unread:
            self._acceptor.add_idle(connection)
            self.loop.set_deadline(connection, self._limits.idle)
            connection.register(READ)
        else:
            self._close(connection)

    def _await_rest(self, connection: HttpConnection) -> None:
        """Wait for the rest of a head or body, which has a time for all of it, and one for each silence."""
        limits, now = self._limits, monotonic()
        if self._acceptor.add_incomplete(connection):
            connection.complete_at = now + limits.head_time
        if connection.request is not None and not connection.has_head:
            connection.has_head = True
            connection.complete_at = now + limits.body_time
        self.loop.set_deadline(connection, min(limits.idle, connection.complete_at - now))

    def _parse(self, connection: HttpConnection) -> None:
        progress = connection.parse(self._limits.body)
        if progress is Progress.COMPLETE:
            if self._charge(connection):
                self._stop_waiting(connection)
                connection.register(0)
                self._submit(connection)
        elif progress is Progress.REFUSED:
            self._forget_waiting(connection)
            self._finish(connection)
        elif connection.ended:
            self._close(connection)
        elif not connection.idle:
            self._await_rest(connection)
            self._charge(connection)

    def _charge(self, connection: HttpConnection) -> bool:
        """Account for the bytes of a request; if all of them exceed the limit, refuse it and return False."""
        size = len(connection.rfile)
        self._buffered += size - connection.charged
        connection.charged = size
        if self._buffered <= self._limits.buffered or size <= _SMALL:
            return True
        self._overfull.log(self._buffered)
        connection.refuse("503 Service Unavailable")
        self._forget_waiting(connection)
        self._finish(connection)
        return False

    def _release(self, connection: HttpConnection) -> None:
        """Take back the charge for a request."""
        self._buffered -= connection.charged
        connection.charged = 0

    def _stop_waiting(self, connection: HttpConnection) -> None:
        self._acceptor.remove_waiting(connection)
        connection.deadline = 0.0
        connection.has_head = False

    def _forget_waiting(self, connection: HttpConnection) -> None:
        self._release(connection)
        self._stop_waiting(connection)

    def _submit(self, connection: HttpConnection) -> None:
        connection.phase = Phase.WORKING
        self._count(connection)
        try:
            self._workers.submit(partial(self._run_job, connection, partial(self._work, connection)))
        except RuntimeError as error:
            write_log("warning", "a request is refused: %s", error)
            self._working.pop(connection, None)
            self._release(connection)
            connection.refuse("503 Service Unavailable")
            self._finish(connection)

    def _count(self, connection: HttpConnection) -> None:
        connection.since = monotonic()
        self._working[connection] = None

    # Workers.

    def _run_job(self, connection: HttpConnection, job: Callable[[], None]) -> None:
        """Run a job of a worker; whatever it raises, the connection is closed, and its client does not wait in vain."""
        try:
            job()
        except BaseException as error:  # noqa: BLE001  # functions of the application may raise SystemExit
            log_exception(error, "a request could not be answered: %r", error)
            self.loop.call(partial(self._close, connection))

    def _work(self, connection: HttpConnection) -> None:
        """Respond to the request of a connection, and to those that follow it closely."""
        while self._respond(connection):
            if not self._has_next_request(connection):
                self.loop.call(partial(self._continue, connection))
                return
            self._count(connection)

    def _respond(self, connection: HttpConnection) -> bool:
        """Respond to a request; return whether this worker can continue with the connection."""
        request = connection.request
        assert request is not None
        answer = request.call_application()
        if isinstance(answer, PendingResponse):
            refusal = self._run(connection, answer)
            if not (refusal or answer.ready) or not answer.claim():
                # Another thread sends the response.
                return False
            answer = refusal or self._application.complete(answer)
        self._send(connection, answer)
        if connection.request is None and not connection.unsent and not connection.last:
            return True
        self.loop.call(partial(self._continue, connection))
        return False

    def _run(self, connection: HttpConnection, pending: PendingResponse) -> Response | None:
        """Run the handlers of a request; return a response if that is not possible."""
        worker = get_ident()

        def on_change() -> None:
            # This worker looks itself, unless a handler begins a stream.
            if get_ident() != worker or not pending.channel.done:
                complete = partial(self._run_job, connection, partial(self._complete, connection, pending))
                self.loop.call(partial(self._workers.submit, complete))

        connection.pending = pending
        pending.channel.on_change = on_change
        return self._application.run(pending)

    def _complete(self, connection: HttpConnection, pending: PendingResponse) -> None:
        """Send a response that has become ready, unless that was done."""
        if pending.ready and pending.claim():
            self._send(connection, self._application.complete(pending))
            self.loop.call(partial(self._continue, connection))

    def _send(self, connection: HttpConnection, response: Response) -> None:
        """Send a response, or the head and the first events of a stream."""
        self._working.pop(connection, None)
        pending, connection.pending = connection.pending, None
        if pending is not None:
            # It refers to the channel: without cycles, all objects of a request are freed at its end.
            pending.channel.on_change = None
        request = connection.request
        assert request is not None
        assert request.gateway is not None
        try:
            over = request.gateway.send(response)
            if not over:
                stream: Any = response.body
                connection.stream = stream
                _, over = self._streams.transfer(connection)
        finally:
            connection.release()
        if over:
            connection.end_request()

    def _has_next_request(self, connection: HttpConnection) -> bool:
        """Return whether the next request arrives at once; otherwise the loop waits for it."""
        if len(connection.rfile):
            return connection.parse(self._limits.body) is Progress.COMPLETE
        for _ in range(_PACKETS):
            if not self._receives_soon(connection):
                return False
            progress = connection.parse(self._limits.body)
            if progress is not Progress.MORE:
                return progress is Progress.COMPLETE
        return False

    def _receives_soon(self, connection: HttpConnection) -> bool:
        """Wait shortly for bytes of the client; return whether there are any, or the end of the connection."""
        if connection.ended or not self._settings.can_add_keepalive_connection:
            return False
        if 2 * self._workers.busy > self._limits.workers:
            return False
        return connection.wait(_LINGER) and connection.receive()

    # After a worker.

    def _continue(self, connection: HttpConnection) -> None:
        """Wait for what a connection needs next."""
        self._release(connection)
        if connection.phase is Phase.CLOSED:
            self._streams.close(connection)
        elif connection.broken:
            self._close(connection)
        elif connection.stream is not None:
            self._streams.start(connection)
        elif connection.request is not None and connection.request.ready and not connection.last:
            # The head of the next request has arrived.
            self._await_request(connection)
        else:
            self._finish(connection)

    def _end_stream(self, connection: HttpConnection) -> None:
        connection.end_request()
        self._finish(connection)

    def _finish(self, connection: HttpConnection) -> None:
        """Send what is left of a response; then wait for the next request, or close the connection."""
        if connection.request is not None and not connection.request.ready:
            connection.last = True
        sent = connection.flush()
        if connection.unsent or connection.unsent_charged:
            self._unsent.update(connection)
        if connection.broken or (sent and connection.last and connection.ended):
            self._close(connection)
        elif not sent:
            if connection.phase is not Phase.SENDING:
                connection.phase = Phase.SENDING
                self.loop.set_deadline(connection, self._limits.send_time)
            connection.register(WRITE)
        elif not connection.last:
            self._await_request(connection)
        else:
            # Closing now could reset the connection before the client has read the response (RFC 9112, section 9.6).
            connection.phase = Phase.CLOSING
            with suppress(OSError):
                connection.socket.shutdown(socket.SHUT_WR)
            connection.rfile.clear()
            self.loop.set_deadline(connection, _DRAIN_TIME)
            connection.register(READ)

    def _close(self, connection: HttpConnection) -> None:
        """Close a connection in both directions, and its stream."""
        if connection.phase is Phase.CLOSED:
            return
        self._forget_waiting(connection)
        self.loop.forget(connection)
        self._working.pop(connection, None)
        connection.phase = Phase.CLOSED
        connection.register(0)
        connection.close()
        self._unsent.forget(connection)
        self._connections.discard(connection)
        self._streams.close(connection)
        self._acceptor.count_closed()
