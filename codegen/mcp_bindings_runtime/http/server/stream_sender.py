"""Send the events of streams, without a thread for each stream."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ...connection.thread_pool import ThreadPool
from ...logs import log_exception, write_log
from .event_loop import READ, WRITE, EventLoop
from .http_connection import HttpConnection, Phase
from .store import StoreUnavailable
from .unsent_responses import UnsentResponses

_IN_A_ROW = 16
"""Number of parts of a stream that are sent before other connections have their turn."""


class StreamSender:
    """Sends streams in the thread of the loop; those of a log in another process are read by ``workers``.

    A stream carries a comment after ``keepalive`` seconds without an event, and is cut off if the client does not read the
    events of one time within ``send_time`` seconds. A client that has closed its sending side may still read: it has gone if
    no event follows within ``leave_time`` seconds, or if the event cannot be sent. ``end`` is called with a connection whose
    stream has ended, ``close`` with one that is lost. ``unsent`` accounts for what clients have not read.
    """

    def __init__(
        self,
        loop: EventLoop,
        workers: ThreadPool,
        *,
        keepalive: float,
        send_time: float,
        leave_time: float,
        end: Callable[[HttpConnection], object],
        close: Callable[[HttpConnection], object],
        unsent: UnsentResponses,
    ) -> None:
        self._loop = loop
        self._workers = workers
        self._keepalive = keepalive
        self._send_time = send_time
        self._leave_time = leave_time
        self._end = end
        self._close = close
        self._unsent = unsent

    def start(self, connection: HttpConnection) -> None:
        """Send what the stream of a connection has, now and later."""
        assert connection.stream is not None
        connection.phase = Phase.STREAMING
        self._wait(connection)
        connection.stream.watch(partial(self._send_soon, connection))

    def _wait(self, connection: HttpConnection) -> None:
        """Wait for the client to read, or for the next event."""
        slow = bool(connection.unsent)
        if slow or connection.unsent_charged:
            self._unsent.update(connection)
        time = self._send_time if slow else self._leave_time if connection.ended else self._keepalive
        self._loop.set_deadline(connection, time)
        reads = 0 if connection.ended else READ
        connection.register(WRITE | reads if slow else reads)

    def on_end_of_input(self, connection: HttpConnection) -> None:
        """Wait a little for the next event: it shows whether a client that has closed its sending side still reads."""
        self._wait(connection)

    def _send_soon(self, connection: HttpConnection) -> None:
        """Send what has been added to a stream, soon; from any thread."""
        if not connection.queued:
            connection.queued = True
            self._loop.call(partial(self._send, connection))

    def _send(self, connection: HttpConnection) -> None:
        connection.queued = False
        stream = connection.stream
        if stream is None or connection.phase is not Phase.STREAMING or connection.unsent:
            return
        if not stream.remote:
            self._after_transfer(connection, self.transfer(connection))
        elif connection.transferring:
            connection.again = True
        else:
            connection.transferring = True
            self._workers.submit(partial(self._transfer_remote, connection))

    def transfer(self, connection: HttpConnection) -> tuple[bool, bool]:
        """Send parts of a stream; return whether there were any, and whether the stream has ended."""
        stream, request = connection.stream, connection.request
        assert stream is not None
        assert request is not None
        sent = False
        for _ in range(_IN_A_ROW):
            if connection.unsent or connection.broken:
                return sent, False
            data = stream.read_available()
            if data is None:
                stream.close()
                request.end()
                return sent, True
            if not data:
                return sent, False
            request.write(data)
            sent = True
        self._send_soon(connection)
        return sent, False

    def _transfer_remote(self, connection: HttpConnection) -> None:
        outcome = False, False
        try:
            outcome = self.transfer(connection)
        except Exception as error:  # noqa: BLE001  # the connection is closed
            log_exception(error, "a stream failed: %s", error)
            connection.broken = True
        finally:
            self._loop.call(partial(self._after_remote_transfer, connection, outcome))

    def _after_remote_transfer(self, connection: HttpConnection, outcome: tuple[bool, bool]) -> None:
        connection.transferring = False
        self._after_transfer(connection, outcome)
        if connection.again:
            connection.again = False
            self._send_soon(connection)

    def _after_transfer(self, connection: HttpConnection, outcome: tuple[bool, bool]) -> None:
        sent, over = outcome
        if connection.phase is not Phase.STREAMING:
            # It was closed meanwhile.
            return
        if connection.broken:
            self._close(connection)
        elif over:
            self._end(connection)
        elif sent:
            self._wait(connection)

    def on_writable(self, connection: HttpConnection) -> None:
        """Continue, because the client has read."""
        if connection.flush():
            self._wait(connection)
            self._send_soon(connection)

    def on_deadline(self, connection: HttpConnection) -> None:
        """Cut off a stream that the client does not read; otherwise, send a comment."""
        assert connection.stream is not None
        if connection.unsent:
            text = "a stream is cut off: %s did not read it within %g s"
            write_log("info", text, connection.remote_addr, self._send_time)
            self._close(connection)
        elif connection.ended:
            self._close(connection)
        elif connection.stream.remote:
            self._wait(connection)
            if not connection.transferring:
                connection.transferring = True
                self._workers.submit(partial(self._keep_alive_remote, connection))
        else:
            self._keep_alive(connection)
            if connection.broken:
                self._close(connection)
            else:
                self._wait(connection)

    def _keep_alive(self, connection: HttpConnection) -> None:
        stream, request = connection.stream, connection.request
        assert stream is not None
        assert request is not None
        try:
            data = stream.keep_alive()
        except StoreUnavailable as error:
            write_log("info", "a stream is cut off, so that the client reconnects: %s", error)
            connection.broken = True
        else:
            request.write(data)

    def _keep_alive_remote(self, connection: HttpConnection) -> None:
        self._keep_alive(connection)
        # A notice from the other process may have been lost.
        self._transfer_remote(connection)

    def close(self, connection: HttpConnection) -> None:
        """Close the stream of a connection that is closed."""
        stream = connection.stream
        if stream is None:
            return
        if stream.remote:
            self._workers.submit(stream.close)
        else:
            stream.close()
