"""The log level and the subscriptions of a session that several processes of a proxy serve.

Each process has a session of its own with the servers behind for the same client. The endpoint saves the settings of the
client's session and shares them between the processes; each process applies them to its servers with the client's next
request.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol

from ..errors import ResponseError
from ..features.resources import check_room
from ..installed_revisions import facts_of
from ..jsonrpc import INTERNAL_ERROR
from ..logs import write_log
from ..session.stateless import contains

if TYPE_CHECKING:
    from ..binding import Binding
    from ..methods import RequestMethod
    from ..server.subscription_opening import Listener

_STATE = "settings at the servers behind"
_SET_LEVEL = "logging/setLevel"
_SUBSCRIBE = "resources/subscribe"
_UNSUBSCRIBE = "resources/unsubscribe"


class Behind(Protocol):
    """The servers behind a proxy, as the ``ChangeSource`` of its clients and for their requests."""

    binding: Binding

    def forward(self, key: RequestMethod[Any, Any], params: Any, context: Any) -> Any:
        """Return the answer to a request of a client; raise ``ResponseError``."""
        ...

    def watch(self, uris: frozenset[str], context: Any) -> None:
        """See ``ChangeSource.watch``."""
        ...

    def listen(self, listener: Listener, context: Any) -> frozenset[str]:
        """See ``ChangeSource.listen``."""
        ...


class _Applied:
    """The settings of a session that this process has applied to its servers."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.uris: frozenset[str] = frozenset()
        # The level of a session that has set none. Which messages a server then sends is its own choice.
        self.level = "debug"


class SessionSettings:
    """Passes requests on to the servers ``behind``, after the settings that clients have made through other processes."""

    def __init__(self, behind: Behind) -> None:
        self._behind = behind

    def forward(self, key: RequestMethod[Any, Any], params: Any, context: Any) -> Any:
        """Return the answer to a request of a client; raise ``ResponseError``."""
        if not _has_session(context):
            return self._behind.forward(key, params, context)
        session: Any = context.connection.session
        applied = _applied(session)
        self._apply(applied, context)
        if key.name == _SUBSCRIBE and params.uri not in session.subscribed:
            check_room(session.subscribed, params.uri)
        result = self._behind.forward(key, params, context)
        with applied.lock:
            if key.name == _SUBSCRIBE:
                session.subscribed.add(params.uri)
                applied.uris |= {params.uri}
            elif key.name == _UNSUBSCRIBE:
                session.subscribed.discard(params.uri)
                applied.uris -= {params.uri}
            elif key.name == _SET_LEVEL:
                session.log_level = applied.level = params.level
        return result

    def watch(self, uris: frozenset[str], context: Any) -> None:
        """Send a client with a session the updates of these resources, and no others; raise ``ResponseError``."""
        self._behind.watch(uris, context)
        applied = _applied(context.connection.session)
        with applied.lock:
            applied.uris = uris

    def listen(self, listener: Listener, context: Any) -> frozenset[str]:
        """Send changes to a subscription. Return the URIs whose updates it gets; raise ``ResponseError``."""
        return self._behind.listen(listener, context)

    def _apply(self, applied: _Applied, context: Any) -> None:
        """Apply the settings that have changed in other processes; log those that are not possible here."""
        session: Any = context.connection.session
        with applied.lock:
            uris, level = frozenset(session.subscribed), session.log_level
            before, former = applied.uris, applied.level
            if (uris, level) == (before, former):
                return
            # A request that runs at the same time need not do it again.
            applied.uris, applied.level = uris, level
        if self._behind.binding.era == "stateless":
            if uris != before and not self._try(lambda: self._behind.watch(uris, context)):
                with applied.lock:
                    applied.uris = before
            return
        requests = self._behind.binding.requests
        for method, changed in ((_SUBSCRIBE, uris - before), (_UNSUBSCRIBE, before - uris)):
            key = requests[method]
            for uri in changed:
                params = key.params(uri=uri)
                if not self._try(lambda key=key, params=params: self._behind.forward(key, params, context)):
                    with applied.lock:
                        applied.uris ^= {uri}
        if level != former:
            key = requests[_SET_LEVEL]
            params = key.params(level=level)
            if not self._try(lambda: self._behind.forward(key, params, context)):
                with applied.lock:
                    applied.level = former

    @staticmethod
    def _try(apply: Any) -> bool:
        """Apply a setting; log a failure. Return False if it is to be applied again."""
        try:
            apply()
        except ResponseError as error:
            write_log("info", "a setting of a session, made in another process, is not possible here: %s", error)
            # Otherwise the server has refused it, and would do so again.
            return error.code != INTERNAL_ERROR
        return True


def is_unsubscribed(session: Any, uri: str) -> bool:
    """Return whether the client has unsubscribed from a resource in another process, and the servers here do not know."""
    applied: _Applied | None = session.feature_state.get(_STATE)
    if applied is None:
        return False
    subscribed = frozenset[str](session.subscribed)
    return any(contains(each, uri) for each in applied.uris - subscribed) and not any(
        contains(each, uri) for each in subscribed
    )


def _applied(session: Any) -> _Applied:
    found: _Applied = session.feature_state.setdefault(_STATE, _Applied())
    return found


def _has_session(context: Any) -> bool:
    facts = facts_of(context.peer_revision)
    return facts is None or facts.handshake
