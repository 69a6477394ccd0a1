"""What a session says has happened: the answer of ``Session.receive``."""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

from ..errors import CallCancelled
from ..jsonrpc import ErrorObject, RequestId
from ..methods import NotificationMethod, RequestMethod


class PendingCall(Protocol):
    """A call of this side that waits for its answer."""

    def stop(self, error: CallCancelled) -> None:
        """End the call with an error."""
        ...


class CancelsCalls(Protocol):
    """Something that cancels several calls of this side, those that begin later too."""

    def cancel(self, reason: str | None) -> None:
        """Cancel the calls."""
        ...


class Incoming:
    """A request of the other side; it waits for ``Session.settle``."""

    # What few requests differ in is the class's, which takes no time when one is made.
    cancelled: bool = False
    reason: str | None = None
    """Why it was cancelled, where that was said."""
    meta: Any = None
    """``_meta`` of the params, as ``meta.entries_of`` finds it."""
    token: RequestId | None = None
    """The progress token, where the sender wants to hear of progress."""
    progress: float | None = None
    """The last value of progress that was sent."""
    batch: Batch | None = None
    refusal: ErrorObject | None = None
    """The error that it is answered with, once it is: some transports say it in their own terms, too."""
    principal: str | None = None
    """Who sends it, where the transport has made sure of that; it is set before the request is run."""
    source: str | None = None
    """From which address it comes, where requests come without a lasting connection: "" where that is not known."""
    result: Any = None
    """What it is answered with, in revisions in which that may be a task."""
    task: str | None = None
    """The task that it has become, where there may still be progress of it."""
    calls: set[PendingCall] | None = None
    """The requests to the other side that its handler waits for."""
    cancellation: CancelsCalls | None = None
    """Ends what the handler of a client waits for."""

    def __init__(self, key: RequestMethod[Any, Any], request_id: RequestId, params: Any) -> None:
        self.key = key
        self.id = request_id
        self.params = params

    def stop_calls(self) -> None:
        """Cancel what its handler waits for, as nobody wants the answer; not under the lock of the session."""
        reason = f"{self.key.name} was cancelled: {self.reason}" if self.reason else f"{self.key.name} was cancelled"
        for call in tuple(self.calls or ()):
            call.stop(CallCancelled(reason))
        if self.cancellation is not None:
            self.cancellation.cancel(reason)


class Batch:
    """The answers to one JSON array of requests, which go back as one array (JSON-RPC 2.0, section 6)."""

    __slots__ = ("answers", "waiting")

    def __init__(self) -> None:
        self.waiting = 0
        self.answers: list[bytes] = []


class Notified:
    """A notification of the other side, for whoever listens to its method."""

    __slots__ = ("key", "params")

    def __init__(self, key: NotificationMethod[Any], params: Any) -> None:
        self.key = key
        self.params = params


class Published:
    """A notification on the subscription that a request of one's own has opened."""

    __slots__ = ("id", "notified")

    def __init__(self, request_id: RequestId, notified: Notified) -> None:
        self.id = request_id
        self.notified = notified


class Outcome:
    """How a request of one's own ended: with ``result``, or with ``error``.

    ``goes_on`` says that it became a task, of which there may be more progress under its id.
    """

    __slots__ = ("error", "goes_on", "id", "result")

    def __init__(self, request_id: RequestId, result: Any, error: Exception | None = None) -> None:
        self.id = request_id
        self.result = result
        self.error = error
        self.goes_on = False


class Progressed:
    """Progress of a request of one's own; values increase."""

    __slots__ = ("id", "params")

    def __init__(self, request_id: RequestId, params: Any) -> None:
        self.id = request_id
        self.params = params


class RequestCancelled:
    """The other side wants no answer to its request any more; ``incoming.cancelled`` is set.

    ``line`` is what is to be sent where the others of its batch were answered before.
    """

    __slots__ = ("incoming", "line")

    def __init__(self, incoming: Incoming, line: bytes | None) -> None:
        self.incoming = incoming
        self.line = line


class Reply:
    """A line that the session wants sent: an answer that takes no handler.

    ``refusal`` is the error in it, ``named`` whether that is on a request whose id could be read.
    """

    __slots__ = ("line", "named", "refusal")

    def __init__(self, line: bytes, refusal: ErrorObject | None = None, *, named: bool = True) -> None:
        self.line = line
        self.refusal = refusal
        self.named = named


class Dropped:
    """A message that came to nothing, and why: for the local log.

    ``bad`` is one that should not have been sent; others are of no use here, and perhaps only late.
    """

    __slots__ = ("bad", "reason")

    def __init__(self, reason: str, *, bad: bool = False) -> None:
        self.reason = reason
        self.bad = bad


Event: TypeAlias = Incoming | Notified | Published | Outcome | Progressed | RequestCancelled | Reply | Dropped
