"""What ``Channel`` asks for, for links of which no thread reads: answers are handed in by whoever received them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from threading import Lock
from time import monotonic
from typing import Any, Final, TypeVar

from ...connection.calls import Call
from ...errors import CallCancelled, McpError, RequestTimeout
from ...logs import note
from ...methods import NotificationMethod, RequestMethod
from ...session.events import Incoming
from ...session.session import Session
from ...session.stateless import CHANGES
from .event_log import Priority

R = TypeVar("R")

NO_ROOM: Final = "there is no room on the stream"
"""Why messages that wait for a reader are dropped."""
_LONGEST: Final = 3600.0
"""Seconds that one wait lasts at most; there is no limit to how many follow each other."""


class HttpChannel(ABC):
    """Sends requests and notifications of a session by ``deliver``, which is for those that derive from it to say.

    ``timeout`` and ``limit`` are in seconds, as those of ``Connection``. ``calls`` are the requests that wait for their
    answer, by id.
    """

    dropped: int = 0
    """How many notifications could not be sent."""
    _reason: str = ""
    """Why the last of them was not."""
    _stalled: bool = False
    """Whether the last notification waited in vain for the client to take what was sent before."""

    def __init__(self, session: Session, lock: Lock, calls: dict[Any, Call], *, timeout: float, limit: float) -> None:
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
        """Append a line to its stream; return how many notifications were dropped to make room for it.

        Raises McpError where there is no stream, or no room on it within ``timeout`` seconds.
        """

    def send(self, line: bytes, *, optional: bool = False) -> None:
        """Sends a line, as ``Channel.send``; a required one raises NoStream, too. What is dropped is counted."""
        if optional:
            self._send_notification(line, Priority.OPTIONAL)
            return
        dropped = self.deliver(line, Priority.REQUIRED, self.timeout)
        if dropped:
            self._count(dropped, NO_ROOM)

    def _send_notification(self, line: bytes, priority: Priority) -> None:
        try:
            # A client that takes nothing delays the first of many notifications, and not each of them.
            dropped = self.deliver(line, priority, 0.0 if self._stalled else self.timeout)
            self._stalled = False
        except McpError as fault:
            self._stalled = isinstance(fault, RequestTimeout)
            self._count(1, fault)
        else:
            if dropped:
                self._count(dropped, NO_ROOM)

    def _count(self, dropped: int, reason: object) -> None:
        """Count notifications that were dropped."""
        with self.lock:
            self.dropped += dropped
            self._reason = str(reason)

    def hold(self, incoming: Incoming) -> None:  # noqa: B027 - doing nothing is right but for requests
        """Nothing: only answers to requests are waited for by who holds a connection to the client."""

    def reply(self, incoming: Incoming, line: bytes | None) -> None:
        """Sends the line that answers a request; that it cannot be sent is noted."""
        if line is not None:
            self.offer((line,))

    def offer(self, lines: Iterable[bytes]) -> None:
        """Sends lines as far as that goes; that it goes no further is noted."""
        for line in lines:
            try:
                self.send(line)
            except McpError as fault:
                note("info", "what was left to say could not be sent: %s", fault)
                return

    def pause(self, retry: int) -> None:  # noqa: B027 - doing nothing is right but for requests
        """Nothing: only requests have streams that a client can come back to."""

    def say(self, speak: Callable[[], Iterable[bytes]]) -> None:
        """Sends notifications of the session; as ``Channel.say``."""
        with self.lock:
            lines = list(speak())
        for line in lines:
            self.send(line, optional=True)

    def notify(self, key: NotificationMethod[Any], params: Any = None) -> None:
        """Sends a notification, as ``Channel.notify``; one that cannot be streamed is dropped and counted."""
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
        begun: Callable[[Call], object] | None = None,
    ) -> R:
        """Sends a request and waits for its result; raises as ``Connection.request`` does."""
        call = Call(key, self.timeout if timeout is None else timeout, self.limit, on_progress)
        with self._waiting_for():
            if begun is not None:
                begun(call)
            with self.lock:
                call.id, line = self.session.request(key, params, progress=on_progress is not None)
                self.calls[call.id] = call
            self._conclude(call, line)
        if call.error is not None:
            raise call.error
        result: R = call.result
        return result

    def _waiting_for(self) -> AbstractContextManager[object]:
        """Entered for as long as a request is made, sent, waited for, and cancelled if need be."""
        return nullcontext()

    def _conclude(self, call: Call, line: bytes) -> None:
        try:
            self.send(line)
            while not call.done:
                call.deliver_progress()
                _wait(call)
            call.check_stopped()
            if call.progress is not None:
                call.deliver_progress()
                call.progress.discard()
        except CallCancelled as fault:
            self._abandon(call, fault.reason)
            raise
        except BaseException as fault:
            self._abandon(call, str(fault) or fault.__class__.__name__)
            raise

    def conclude(self, call: Call, reason: str) -> None:
        """As ``Channel.conclude``."""
        if not call.done:
            self._abandon(call, reason)
            call.finish(None)

    def _abandon(self, call: Call, reason: str | None) -> None:
        with self.lock:
            known = self.calls.pop(call.id, None) is call
            line = self.session.cancel(call.id, reason) if known else None
        if line is not None:
            self.send(line, optional=True)


def _wait(call: Call) -> None:
    """Waits until a call is done or has progressed; raises RequestTimeout."""
    while not (call.done or call.notified):
        left = min(call.deadline - monotonic(), _LONGEST)
        if left <= 0:
            raise call.overdue()
        call.sleep(left)
