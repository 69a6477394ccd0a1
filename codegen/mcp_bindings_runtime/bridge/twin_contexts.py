"""The contexts of a server's handlers for clients of another era."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from ..connection.context import ServerContext
from ..session.multi_round import require_capability

if TYPE_CHECKING:
    from ..server.server import Server


class RealQuestions(ServerContext):
    """The part of a context of the stateless era whose questions are requests: the handler runs once."""

    __slots__ = ()

    def _request(self, key: Any, params: Any, timeout: float | None, on_progress: Any) -> Any:
        """Send the client a request, and wait for its answer."""
        require_capability(self.connection.session.binding, self.peer_capabilities, key)
        lifetime: float = self.peer.options.state_lifetime
        return self.send_request(key, params, lifetime if timeout is None else timeout, on_progress)

    def _least(self) -> Any:
        """Return the least severity that the client of the session wants."""
        session: Any = self.connection.session
        return session.log_level


class InParkedCall(ServerContext):
    """The part of a context whose call may be parked: then a result that ends the call waits for the retry."""

    __slots__ = ()

    def conclude(self, result: Any) -> None:
        """Answer the request, or the retry, with this result; the result of its handler is ignored."""
        channel: Any = self.connection
        incoming: Any = self._incoming
        channel.parked.conclude(channel.view.outward.result(incoming.key, result, incoming.id))
        super().conclude(result)


@cache
def parked_context_class(base: Any) -> Any:
    """Return the class of the contexts of calls that may be parked, whose contexts are of class ``base`` otherwise."""
    return type(base.__name__, (InParkedCall, base), {"__slots__": (), "__doc__": base.__doc__})


_CONTEXTS: dict[tuple[type, str], Any] = {}


def context_class(original: Server, era: str) -> Any:
    """Return the class of the contexts of a server for clients of an era."""
    cls = original.context
    if era in {original.binding.era, "stateless"}:
        return cls
    found = _CONTEXTS.get((cls, era))
    if found is None:
        found = _CONTEXTS[cls, era] = type(cls.__name__, (RealQuestions, cls), {"__slots__": ()})
    return found
