"""Events of a session: the results of ``Session.receive``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

from ..errors import CallCancelled
from ..jsonrpc import ErrorObject, RequestId
from ..methods import NotificationMethod, RequestMethod
from .caller import Caller


class PendingCall(Protocol):
    """A call of this side that waits for its response."""

    def stop(self, error: CallCancelled) -> None:
        """End the call with an error."""
        ...


class CancelsCalls(Protocol):
    """A cancellation of several calls of this side, of later ones too."""

    def cancel(self, reason: str | None) -> None:
        """Cancel the calls."""
        ...


class Incoming:
    """A request of the peer; complete it with ``Session.settle``."""

    # Values that most requests share are attributes of the class, which cost nothing per request.
    cancelled: bool = False
    reason: str | None = None
    """The reason for its cancellation; None if the peer named none."""
    meta: Any = None
    """``_meta`` of the params: an object of the revision, a dict, or None."""
    token: RequestId | None = None
    """The progress token; None if the peer wants no progress notifications."""
    progress: float | None = None
    """The last progress value that was sent."""
    batch: Batch | None = None
    """The batch that it is part of."""
    refusal: ErrorObject | None = None
    """The error with which it was answered; some transports express it in their own terms, too."""
    caller: Caller | None = None
    """The authenticated sender, set by an authenticating transport before the request is handled."""
    source: str | None = None
    """The address of the sender if requests come without a lasting connection; "" if it is unknown."""
    multiprocess: bool = False
    """Whether the next request may reach another process (PEP 3333, ``wsgi.multiprocess``)."""
    result: Any = None
    """The result with which it was answered, in revisions where that may be a task."""
    accepted: Any = None
    """The part of the filter of a subscription that the server supports; None for other requests."""
    end_task: Callable[[], object] | None = None
    """Ends the task that it becomes; for transports that notice that the answer cannot be delivered."""
    task: str | None = None
    """The id of the task that it became, while progress may follow."""
    calls: set[PendingCall] | None = None
    """The calls to the peer that its handler waits for."""
    related: frozenset[RequestId] = frozenset()
    """The ids of the requests of this side during one of which it was sent; empty if the transport does not tell."""
    cancellation: CancelsCalls | None = None
    """Cancels the calls of a client's handler."""

    def __init__(self, key: RequestMethod[Any, Any], request_id: RequestId, params: Any) -> None:
        self.key = key
        self.id = request_id
        self.params = params

    @property
    def principal(self) -> str | None:
        """The identity of the sender; None if it is not authenticated."""
        return None if self.caller is None else self.caller.principal

    @property
    def on_wire(self) -> Incoming:
        """The request as it was received, where handlers of another revision see a view of it."""
        return self

    def stop_calls(self) -> None:
        """Cancel the calls of the handler of this cancelled request; do not hold the session's lock."""
        reason = f"{self.key.name} was cancelled: {self.reason}" if self.reason else f"{self.key.name} was cancelled"
        for call in tuple(self.calls or ()):
            call.stop(CallCancelled(reason))
        if self.cancellation is not None:
            self.cancellation.cancel(reason)


class Batch:
    """The responses to a JSON array of requests, which are sent as one array (JSON-RPC 2.0, section 6)."""

    __slots__ = ("answers", "waiting")

    def __init__(self, waiting: int) -> None:
        self.waiting = waiting
        """The number of requests without a response."""
        self.answers: list[bytes] = []


class Notified:
    """A notification of the peer."""

    __slots__ = ("key", "params")

    def __init__(self, key: NotificationMethod[Any], params: Any) -> None:
        self.key = key
        self.params = params


class Published:
    """A notification on a subscription of this side; ``id`` is that of the request that opened it."""

    __slots__ = ("id", "notified")

    def __init__(self, request_id: RequestId, notified: Notified) -> None:
        self.id = request_id
        self.notified = notified


class Outcome:
    """The end of a request of this side, with ``result`` or with ``error``."""

    __slots__ = ("error", "goes_on", "id", "result")

    def __init__(self, request_id: RequestId, result: Any, error: Exception | None = None) -> None:
        self.id = request_id
        self.result = result
        self.error = error
        self.goes_on = False
        """Whether it became a task, of which progress may follow under its id."""


class Progressed:
    """Progress of a request of this side; the values increase."""

    __slots__ = ("id", "params")

    def __init__(self, request_id: RequestId, params: Any) -> None:
        self.id = request_id
        self.params = params


class RequestCancelled:
    """The peer's cancellation of a request; ``incoming.cancelled`` is set."""

    __slots__ = ("incoming", "line")

    def __init__(self, incoming: Incoming, line: bytes | None) -> None:
        self.incoming = incoming
        self.line = line
        """The responses to the rest of its batch, to be sent now; None if there are none."""


class Reply:
    """A line that the session wants sent."""

    __slots__ = ("line", "named", "refusal")

    def __init__(self, line: bytes, refusal: ErrorObject | None = None, *, named: bool = True) -> None:
        self.line = line
        self.refusal = refusal
        """The error in the line; None if it is a result."""
        self.named = named
        """Whether the id of the request could be read."""


class Dropped:
    """A message without effect, with the reason for the local log."""

    __slots__ = ("bad", "elsewhere", "expected", "reason")

    def __init__(self, reason: str, *, bad: bool = False, elsewhere: bool = False, expected: bool = False) -> None:
        self.reason = reason
        self.elsewhere = elsewhere
        """Whether it is about a request that is unknown here, but may be in progress in another process of the server."""
        self.bad = bad
        """Whether the peer should not have sent it; other messages are merely late or of no use."""
        self.expected = expected
        """Whether every slow peer sends it, so that it says nothing about what is wrong."""


class LateTask:
    """A task in the late response to a request that this side had cancelled; ``line`` cancels the task."""

    __slots__ = ("line",)

    def __init__(self, line: bytes) -> None:
        self.line = line


Event: TypeAlias = (
    Incoming | Notified | Published | Outcome | Progressed | RequestCancelled | Reply | LateTask | Dropped
)
