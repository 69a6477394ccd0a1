"""The calls that a handler makes, which end when its request is cancelled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ..errors import CallCancelled
from ..session.control_flow import Abandoned
from .call_scope import CallScope, Cancellation

if TYPE_CHECKING:
    from ..session.events import Incoming


class Cancellable(Protocol):
    """A request that may be cancelled: the ``Context`` of its handler."""

    @property
    def cancelled(self) -> bool:
        """Whether the answer is not wanted any more."""
        ...


class RequestScope(CallScope):
    """End the calls that the thread makes inside ``with`` when the request is cancelled; raise ``Abandoned`` then."""

    __slots__ = ("_request",)

    def __init__(self, request: Cancellable, incoming: Incoming) -> None:
        cancellation = incoming.cancellation
        if not isinstance(cancellation, Cancellation):
            incoming.cancellation = cancellation = Cancellation()
        if request.cancelled:
            # Its cancellation came before there was anything to stop.
            incoming.stop_calls()
        super().__init__(cancellation=cancellation)
        self._request = request

    def __exit__(self, *raised: object) -> None:
        super().__exit__(*raised)
        if isinstance(raised[1], CallCancelled) and self._request.cancelled:
            raise Abandoned from None
