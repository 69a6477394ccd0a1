"""Base of the channels of the HTTP server: no thread reads from them, the requests of the client bring its messages."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from threading import Lock
from time import monotonic
from typing import Any, Final, TypeVar

from ...connection.calls import Call, PendingCalls
from ...errors import McpError, RequestTimeout
from ...logs import write_log
from ...methods import NotificationMethod, RequestMethod
from ...session.events import Incoming
from ...session.session import Session
from ...session.stateless import CHANGES
from .event_log import Priority

R = TypeVar("R")

NO_ROOM: Final = "there is no room on the stream"
"""Reason for dropping messages that wait for a reader."""
_MAX_WAIT: Final = 3600.0
"""Limit on one wait, in seconds; a call may wait any number of times."""


class HttpChannel(ABC):
    """A ``Channel`` that sends by ``deliver``, which derived classes implement.

    ``timeout`` and ``limit`` are in seconds, as for ``Connection``. ``calls`` holds the pending requests to the client.
    """

    dropped: int = 0
    """Number of notifications that were dropped."""
    _reason: str = ""
    """Reason for dropping the last of them."""
    _stalled: bool = False
    """Whether the last notification timed out while the stream was full."""

    def __init__(self, session: Session, lock: Lock, calls: PendingCalls, *, timeout: float, limit: float) -> None:
        self.session = session
        self.lock = lock
        self.calls = calls
        self.timeout = timeout
        self.limit = limit

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

    def hold(self, incoming: Incoming) -> None:  # noqa: B027 - only a POST waits for its responses
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

    def pause(self, retry: int) -> None:  # noqa: B027 - only a POST has a stream that can be resumed
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

    def request(
        self,
        key: RequestMethod[Any, R],
        params: Any = None,
        *,
        timeout: float | None = None,
        on_progress: Callable[[Any], object] | None = None,
        sending: Callable[[Call], object] | None = None,
    ) -> R:
        """Send a request and wait for its result. Raise as ``Connection.request`` does."""
        call = Call(key, self.timeout if timeout is None else timeout, self.limit, on_progress)
        with self._keep_open():
            if sending is not None:
                sending(call)
            with self.lock:
                call.id, line = self.session.request(key, params, progress=on_progress is not None)
                self.calls[call.id] = call
            self._await_response(call, line)
        if call.error is not None:
            raise call.error
        result: R = call.result
        return result

    def _keep_open(self) -> AbstractContextManager[object]:
        """Return a context in which a request is sent, awaited and, if necessary, cancelled."""
        return nullcontext()

    def _await_response(self, call: Call, line: bytes) -> None:
        try:
            self.send(line)
            while not call.done:
                call.deliver_progress()
                _wait(call)
            call.check_stopped()
            if call.progress is not None:
                call.deliver_progress()
                call.progress.discard()
        except BaseException as error:
            self._abandon(call, error)
            raise

    def conclude(self, call: Call, reason: str) -> None:
        """End a call without a response; see ``Channel.conclude``."""
        if not call.done:
            self._abandon(call, reason)
            call.finish(None)

    def _abandon(self, call: Call, why: BaseException | str) -> None:
        with self.lock:
            line = self.calls.cancel(call, why)
        if line is not None:
            self.send(line, optional=True)


def _wait(call: Call) -> None:
    """Wait until a call is done or has progressed. Raise ``RequestTimeout``."""
    while not (call.done or call.notified):
        left = min(call.deadline - monotonic(), _MAX_WAIT)
        if left <= 0:
            raise call.overdue()
        call.sleep(left)
