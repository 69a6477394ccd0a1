"""Base of the channels of the HTTP server: no thread reads from them, the requests of the client bring its messages."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable
from time import monotonic
from typing import Any, Final

from ...connection.calls import Call, Requestor
from ...connection.progress_queue import ProgressQueue
from ...errors import McpError, RequestTimeout
from ...logs import write_log
from ...methods import NotificationMethod
from ...session.events import Incoming
from ...session.stateless import CHANGES
from .client_request_limit import ClientRequestLimit
from .event_log import Priority

NO_ROOM: Final = "there is no room on the stream"
"""Reason for dropping messages that wait for a reader."""
_MAX_WAIT: Final = 3600.0
"""Limit in seconds on one wait; a call may wait any number of times."""


class HttpChannel(Requestor):
    """A ``Channel`` that sends by ``deliver``, which derived classes implement."""

    dropped: int = 0
    """Number of notifications that were dropped."""
    _reason: str = ""
    """Reason for dropping the last of them."""
    _stalled: bool = False
    """Whether the last notification timed out while the stream was full."""
    client_requests: ClientRequestLimit | None = None
    """The limit on requests to clients that wait; None where handlers send none."""
    source: str = ""
    """The source that such requests, and the handlers of a request, are charged to."""

    @property
    def closed(self) -> bool:
        """Whether nothing can be sent or received any more."""
        return self.session.state == "closed"

    @abstractmethod
    def deliver(self, line: bytes, priority: Priority, timeout: float) -> int:
        """Append a line to a stream; return the number of notifications that were dropped to make room for it.

        Raise ``McpError`` if there is no stream, or no room on it within ``timeout`` seconds.
        """

    def send(self, line: bytes, *, optional: bool = False) -> None:
        """Send a line; see ``Channel.send``. Raise ``NoStream``, too, if a required line needs a stream."""
        if optional:
            self._send_notification(line, Priority.OPTIONAL)
            return
        dropped = self.deliver(line, Priority.REQUIRED, self.timeout)
        if dropped:
            self._count_dropped(dropped, NO_ROOM)

    def _send_notification(self, line: bytes, priority: Priority) -> None:
        try:
            # A client that reads nothing must delay only the first of many notifications.
            dropped = self.deliver(line, priority, 0.0 if self._stalled else self.timeout)
            self._stalled = False
        except McpError as error:
            self._stalled = isinstance(error, RequestTimeout)
            self._count_dropped(1, error)
        else:
            if dropped:
                self._count_dropped(dropped, NO_ROOM)

    def _count_dropped(self, dropped: int, reason: object) -> None:
        with self.lock:
            self.dropped += dropped
            self._reason = str(reason)

    def hold(self, incoming: Incoming) -> None:
        """Do nothing; see ``Channel.hold``."""

    def reply(self, incoming: Incoming, line: bytes | None) -> None:
        """Send a response; log a failure."""
        if line is not None:
            self.try_send((line,))

    def try_send(self, lines: Iterable[bytes]) -> None:
        """Send lines until one fails; log the failure."""
        for line in lines:
            try:
                self.send(line)
            except McpError as error:
                write_log("info", "the remaining messages could not be sent: %s", error)
                return

    def pause(self, retry: int) -> None:
        """Do nothing; see ``Channel.pause``."""

    def send_after_replies(self, make_lines: Callable[[], Iterable[bytes]]) -> None:
        """Send notifications of the session; see ``Channel.send_after_replies``."""
        with self.lock:
            lines = list(make_lines())
        for line in lines:
            self.send(line, optional=True)

    def notify(self, key: NotificationMethod[Any], params: Any = None) -> None:
        """Send a notification; drop and count one that cannot be streamed."""
        with self.lock:
            line = self.session.notify(key, params)
        self._send_notification(line, Priority.CHANGE if key.name in CHANGES else Priority.OPTIONAL)

    def complete(self, call: Call, prepare: Callable[[], tuple[Any, bytes]]) -> Any:
        """See ``Requestor.complete``. Raise ``TooManyClientRequests``, too."""
        if self.client_requests is None:
            return super().complete(call, prepare)
        with self.client_requests.charged(self.source):
            return super().complete(call, prepare)

    def attend(self, call: Call, prepare: Callable[[], tuple[Any, bytes]] | None = None) -> None:
        """See ``Requestor.attend``."""
        if prepare is not None:
            with self.lock:
                call.id, line = prepare()
                self.calls[call.id] = call
            self.send(line)
        while not (call.done or call.notified):
            left = min(call.deadline - monotonic(), _MAX_WAIT)
            if left <= 0:
                raise call.overdue()
            call.sleep(left)

    def interrupt(self, call: Call) -> None:
        """Do nothing: the end of a call wakes its thread."""

    def send_unanswered(self, line: bytes) -> None:
        """Send a line whose answer is not awaited; drop it if there is no room."""
        self.send(line, optional=True)

    def deliver_progress(self, queue: ProgressQueue) -> None:
        """Drop the progress of a task."""
        queue.discard()
