"""A request on the wire, as a handler of another revision sees it."""

from __future__ import annotations

from typing import Any

from ..connection.call_scope import Cancellation
from ..meta import meta_of
from ..methods import RequestMethod
from ..session.events import CancelsCalls, Incoming, PendingCall


def _of_original(name: str) -> Any:
    """Return a property that is an attribute of the request on the wire; it is declared with the type of that."""

    def read(view: IncomingView) -> Any:
        return getattr(view.original, name)

    def write(view: IncomingView, value: Any) -> None:
        setattr(view.original, name, value)

    return property(read, write)


class IncomingView(Incoming):
    """A request in the revision of the handler; ``original`` is the one on the wire, with which it is cancelled.

    The retry of a parked call replaces ``original``, by ``move_to``.
    """

    # A cancellation arrives for the request on the wire, and has to reach its handler, and the other way round.
    cancelled: bool = _of_original("cancelled")
    reason: str | None = _of_original("reason")
    calls: set[PendingCall] | None = _of_original("calls")
    cancellation: CancelsCalls | None = _of_original("cancellation")

    def __init__(self, key: RequestMethod[Any, Any], params: Any, original: Incoming, *, declares_meta: bool) -> None:
        super().__init__(key, original.id, params)
        self.original = original
        self.meta = meta_of(params, declared=declares_meta)
        self.token = original.token
        self.caller = original.caller
        self.source = original.source
        self.related = original.related

    @property
    def on_wire(self) -> Incoming:
        """The request as it was received."""
        return self.original

    def prepare_move(self) -> None:
        """Let ``move_to`` find the calls of the handler, whenever they begin."""
        self.original.calls = set()
        self.original.cancellation = Cancellation()

    def move_to(self, original: Incoming) -> None:
        """Go on as another request on the wire, whose cancellation ends the calls of the handler from now on."""
        original.calls, original.cancellation = self.calls, self.cancellation
        self.original = original
        if original.cancelled:
            # Its cancellation came before there was anything to stop.
            original.stop_calls()
