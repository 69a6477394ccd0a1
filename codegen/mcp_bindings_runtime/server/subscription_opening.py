"""Subscriptions of clients without sessions to changes that come from elsewhere, such as servers behind a proxy.

Only what the source of the changes agrees to is acknowledged (2026-07-28, Subscriptions: Acknowledgment).
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol, cast

from ..connection.handlers import INTERNAL, Handlers
from ..errors import McpError, ResponseError
from ..jsonrpc import ErrorObject
from ..logs import log_exception, write_log
from ..session.control_flow import Abandoned
from ..session.stateless import FILTERS, StatelessServerSession

if TYPE_CHECKING:
    from ..connection.channel import Channel
    from ..methods import NotificationMethod
    from ..session.events import Incoming


class SubscriptionServer(Protocol):
    """A server whose clients have no sessions."""

    @property
    def handlers(self) -> Handlers:
        """The functions that handle requests and notifications."""
        ...

    def listening_context(self, connection: Channel, incoming: Incoming) -> Any:
        """Return the context of a subscription, for the source of its changes."""
        ...

    def announced(self, key: NotificationMethod[Any], params: Any) -> tuple[NotificationMethod[Any], Any] | None:
        """Return a change as clients receive it; None if they do not."""
        ...


class ChangeSource(Protocol):
    """Sends changes to the subscriptions of a server's clients."""

    def watch(self, uris: frozenset[str], context: Any) -> None:
        """Send a client with a session the updates of these resources, and no others; raise ``ResponseError``."""
        ...

    def listen(self, listener: Listener, context: Any) -> frozenset[str]:
        """Send changes to a listener from now on. Return the URIs whose updates it gets; raise ``ResponseError``."""
        ...


class Listener:
    """A subscription: the notifications of ``methods``, and the updates of the resources ``uris``."""

    def __init__(self, server: SubscriptionServer, connection: Channel, incoming: Incoming) -> None:
        accepted = incoming.accepted
        self.methods = frozenset(method for method, name in FILTERS.items() if getattr(accepted, name))
        self.uris = frozenset(accepted.resource_subscriptions or ())
        self._server = server
        self._connection = connection
        self._incoming = incoming
        self._lock = Lock()
        self._acknowledged = False

    @property
    def gone(self) -> bool:
        """Whether the subscription has ended."""
        return self._incoming.cancelled or self._connection.closed

    def acknowledge(self, uris: frozenset[str]) -> None:
        """Begin the subscription, with these of its resources; raise as ``Channel.send``."""
        incoming, accepted = self._incoming, self._incoming.accepted
        if accepted.resource_subscriptions is not None:
            accepted.resource_subscriptions = [uri for uri in accepted.resource_subscriptions if uri in uris] or None
        with self._lock:
            with self._connection.lock:
                if incoming.cancelled:
                    return
                line = self._session.begin_subscription(incoming.id, accepted)
            self._connection.send(line)
            self._acknowledged = True

    def publish(self, key: NotificationMethod[Any], params: Any, about: tuple[str, ...] = ()) -> None:
        """Send a change, about resources with these URIs, once the subscription is acknowledged; log a failure."""
        found = self._server.announced(key, params)
        if found is None:
            return
        with self._lock:
            if not self._acknowledged or self.gone:
                return
            try:
                self._connection.send_after_replies(
                    lambda: self._session.publish(*found, about=about, only=self._incoming.id)
                )
            except McpError as fault:
                write_log("debug", "a change could not be sent: %s", fault)

    @property
    def _session(self) -> StatelessServerSession:
        return cast("StatelessServerSession", self._connection.session)


def open_subscription(
    server: SubscriptionServer, source: ChangeSource, connection: Channel, incoming: Incoming
) -> bytes | None:
    """Open a subscription whose changes come from ``source``; return the line that refuses it, else None."""
    listener = Listener(server, connection, incoming)
    try:
        uris = source.listen(listener, server.listening_context(connection, incoming))
        connection.hold(incoming)
        listener.acknowledge(uris)
    except Abandoned:
        return None
    except ResponseError as error:
        refusal = ErrorObject(error.code, error.message, error.data)
    except McpError as fault:
        write_log("info", "a subscription could not be acknowledged: %s", fault)
        return None
    except Exception as fault:  # noqa: BLE001  # the client waits for an answer
        log_exception(fault, "a subscription could not be opened: %s", fault)
        refusal = INTERNAL
    else:
        return None
    line = server.handlers.refuse(connection, incoming, refusal)
    with connection.lock:
        return connection.session.settle(incoming, line)
