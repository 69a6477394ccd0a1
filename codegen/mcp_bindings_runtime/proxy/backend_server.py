"""A server behind a proxy, with the sessions of all clients."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .backend_session import BackendSession
from .client_sessions import ClientSessions
from .routed_states import forward_to_holder
from .server_contact import MAX_PAGES, ServerContact

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..methods import NotificationMethod, RequestMethod
    from ..server.subscription_opening import Listener
    from ..transports import Transport


class BackendServer(ServerContact):
    """A server behind a proxy. ``options`` are those of ``ServerContact``.

    At most ``sessions`` clients may have a session with it at the same time. With ``is_started``, the server is a program
    that is started for each session, so its state is its own.
    """

    def __init__(
        self, open_transport: Callable[[], Transport], *, sessions: int = 1000, is_started: bool = True, **options: Any
    ) -> None:
        super().__init__(open_transport, **options)
        self._is_started = is_started
        self._sessions = ClientSessions(lambda context: BackendSession(self, context), sessions, self.name)

    def session(self, context: Any) -> BackendSession:
        """Return the session of the client of a request. Raise ``ResponseError`` if there are too many."""
        return self._sessions.of(context)

    def forward(self, key: RequestMethod[Any, Any], params: Any, context: Any) -> Any:
        """Return the answer of the server to a request of a client; raise ``ResponseError``."""

        def forward(params: Any) -> Any:
            return self.session(context).forward(key, params, context, timeout=self.timeout)

        if self._is_started and self.binding.era == "stateless":
            return forward_to_holder(key, params, context, forward)
        return forward(params)

    def list_all(self, key: RequestMethod[Any, Any], params: Any, member: str, context: Any, timeout: float) -> Any:
        """Return the result of a request for a list, with the items of all its pages; raise ``ResponseError``."""
        session = self.session(context)
        items: list[Any] = []
        cursors: set[str] = set()
        cursor: str | None = None
        while True:
            page = params.__replace__(cursor=cursor)
            result: Any = session.forward(key, page, context, timeout=timeout, progress=False)
            items += getattr(result, member)
            cursor = result.next_cursor
            # A server may return the same cursor again, or pages without an end.
            if cursor is None or cursor in cursors or len(cursors) >= MAX_PAGES - 1:
                break
            cursors.add(cursor)
        return result.__replace__(**{member: items, "next_cursor": None})

    def notify(self, key: NotificationMethod[Any], params: Any, context: Any) -> None:
        """Pass a notification of a client on."""
        session = self._sessions.existing(context)
        if session is not None:
            session.notify(key, params)

    def watch(self, uris: frozenset[str], context: Any) -> None:
        """Pass updates of these resources on to a client with a session; raise ``ResponseError``."""
        self.session(context).watch(uris, context)

    def listen(self, listener: Listener, context: Any) -> frozenset[str]:
        """Send changes to a subscription. Return the URIs whose updates it gets; raise ``ResponseError``."""
        return self.session(context).listen(listener, listener.uris, context)

    def close(self) -> None:
        """Close all sessions with the server. Idempotent; from any thread."""
        self._sessions.close()
