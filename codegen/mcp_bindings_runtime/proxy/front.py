"""The client of a proxy, as a server behind it sees it."""

from __future__ import annotations

from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from ..errors import McpError, ResponseError
from ..installed_revisions import facts_of
from ..jsonrpc import INTERNAL_ERROR
from ..logs import write_log
from ..methods import NotificationMethod, RequestMethod
from ..session.stateless import UPDATED
from .front_listeners import FrontListeners
from .session_settings import is_unsubscribed

if TYPE_CHECKING:
    from ..connection.calls import Call
    from ..connection.channel import Channel
    from ..connection.context import Context
    from ..jsonrpc import RequestId

_LOG = "notifications/message"
_BURST: Final = 0.5
"""Seconds after a question in which another one is of the same request, if every request in progress waits for answers."""


class ServedRequest:
    """A request of the client that is in progress."""

    __slots__ = ("able", "calls", "context")

    def __init__(self, context: Context, able: bool) -> None:
        self.context = context
        self.able = able
        """Whether a client without session can be asked within it."""
        self.calls: list[Call] = []
        """The requests to the server behind that pass it on."""


class Front:
    """Sends a client of the proxy what a server behind requests, announces and logs."""

    def __init__(self, context: Context) -> None:
        self.channel: Channel = context.connection
        facts = facts_of(context.peer_revision)
        self.has_session = facts is None or facts.handshake
        """Whether the client has a session, in which it can be asked and told at any time."""
        self.listeners = FrontListeners()
        """The subscriptions of a client without session."""
        self._lock = Lock()
        self._contexts: list[Context] = []
        self._calls: dict[Call, Context] = {}
        """The requests to the server behind, and those of the client which they pass on."""
        self._able: list[Context] = []
        """Those of requests in which a client without session can be asked."""
        self._waiting: list[Context] = []
        """Those of them that wait for an answer of the client, once for each question."""
        self._burst_end = 0.0

    def begin(self, context: Context, method: str) -> ServedRequest:
        """Note that a request is in progress, until ``end``."""
        served = ServedRequest(context, not self.has_session and _allows_server_requests(context.peer_revision, method))
        with self._lock:
            self.channel = context.connection
            self._contexts.append(context)
            if served.able:
                self._able.append(context)
        return served

    def note(self, served: ServedRequest, call: Call) -> None:
        """Note a request to the server behind that passes a request of the client on."""
        served.calls.append(call)
        with self._lock:
            self._calls[call] = served.context

    def end(self, served: ServedRequest) -> None:
        """Note that a request is done."""
        with self._lock:
            for call in served.calls:
                del self._calls[call]
            self._contexts.remove(served.context)
            if served.able:
                self._able.remove(served.context)

    @property
    def latest(self) -> Context | None:
        """The context of the request in progress that began last."""
        with self._lock:
            return self._contexts[-1] if self._contexts else None

    @property
    def active(self) -> bool:
        """Whether a request is in progress, or a subscription is open."""
        return self.latest is not None or bool(self.listeners)

    @property
    def gone(self) -> bool:
        """Whether the client has left."""
        return self.channel.closed and not self.active

    def request(self, key: RequestMethod[Any, Any], params: Any, related: frozenset[RequestId]) -> Any:
        """Send the client a request of the server behind, within a request in progress if there is one.

        ``related`` has the ids of the requests to the server to one of which it belongs, if the transport tells; one of a
        batch is as good as another. Otherwise raise ``ResponseError`` if a client without session has no request in
        progress, or several that do not wait for an answer: nothing says which of them asks.
        """
        if self.has_session:
            with self._lock:
                found: Any = self._related(related)
            found = found or self.latest or self.channel
            return found.request(key, params)
        context = self._begin_wait(key.name, related)
        try:
            return context.request(key, params)
        finally:
            with self._lock:
                self._waiting.remove(context)

    def _related(self, ids: frozenset[RequestId]) -> Context | None:
        """Return the context of the request with one of these ids at the server; hold the lock."""
        return next((context for call, context in self._calls.items() if call.id in ids), None) if ids else None

    def _possible(self, related: frozenset[RequestId], now: float) -> list[Context]:
        """Return the contexts of the requests that may have asked; hold the lock."""
        known = self._related(related)
        if known is not None:
            return [each for each in self._able if each is known]
        others = [each for each in self._able if each not in self._waiting]
        if not others and now < self._burst_end and self._waiting:
            # The threads of a handler ask at the same time.
            return self._waiting[-1:]
        return others or self._able

    def _begin_wait(self, method: str, related: frozenset[RequestId]) -> Any:
        """Return the context of the request that has asked; it waits for an answer from now on.

        If the transport does not tell, that is the only one which does not wait already. A handler with several threads may
        ask while it waits, so with another request in progress this is a guess.
        """
        with self._lock:
            now = monotonic()
            possible = self._possible(related, now)
            if len(possible) == 1:
                self._waiting.append(possible[0])
                self._burst_end = now + _BURST
                return possible[0]
        reason = f"no request of the client is in progress, so it cannot be asked for {method}"
        if possible:
            reason = (
                f"{len(possible)} requests of the client are in progress, and nothing says which of them asks {method}"
            )
        raise ResponseError(INTERNAL_ERROR, "Internal error", {"reason": reason})

    def notify(self, key: NotificationMethod[Any], params: Any) -> None:
        """Send the client a notification of the server behind; log if that is not possible."""
        with self._lock:
            contexts: list[Any] = self._contexts[::-1]
        try:
            if key.name == _LOG and contexts:
                # Nothing says which request a log message belongs to.
                wanting = (each for each in contexts if self.has_session or each.wants_log(params.level))
                context = next(wanting, None)
                if context is not None:
                    context.send_log(params)
            elif self.has_session:
                if key.name != UPDATED or not is_unsubscribed(self.channel.session, params.uri):
                    self.channel.notify(key, params)
            else:
                self.listeners.publish(key, params)
        except McpError as fault:
            write_log("info", "%s of the server behind is dropped: %s", key.name, fault)


def _allows_server_requests(revision: str, method: str) -> bool:
    """Return whether a server may ask a client of a revision without sessions within a request."""
    facts = facts_of(revision)
    return facts is None or method in facts.resumable
