"""The user's client, as its twin sees it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from weakref import WeakMethod, ref

from ..errors import ConnectionClosed

if TYPE_CHECKING:
    from ..client.options import ClientOptions
    from ..connection.handlers import Handlers
    from ..session.events import Notified
    from ..transports import Transport


def _no_connection() -> None:
    """Return None: there is no connection yet."""


class Program:
    """The parts of the user's client that its twin needs. They do not keep the client alive."""

    def __init__(
        self,
        client: Any,
        handlers: Handlers,
        receive: Callable[[Any, Notified], object],
        open_transport: Callable[[], Transport],
        options: ClientOptions,
    ) -> None:
        self._client = ref(client)
        self._receive = WeakMethod(receive)
        self.binding = client.binding
        self.handlers = handlers
        self.open_transport = open_transport
        self.options = options
        self._connection: Callable[[], Any] = _no_connection

    @property
    def connection(self) -> Any:
        """The ``BridgedConnection`` of the client. Raise ``ConnectionClosed`` if there is none any more."""
        connection = self._connection()
        if connection is None:
            text = "the client is not used any more"
            raise ConnectionClosed(text)
        return connection

    @connection.setter
    def connection(self, connection: Any) -> None:
        self._connection = ref(connection)

    @property
    def client(self) -> Any:
        """The client. Raise ``ConnectionClosed`` if nobody uses it any more."""
        client = self._client()
        if client is None:
            text = "the client is not used any more"
            raise ConnectionClosed(text)
        return client

    def receive(self, connection: Any, notified: Notified) -> None:
        """Handle a notification in the client's revision."""
        receive = self._receive()
        if receive is not None:
            receive(connection, notified)

    def forget_outdated(self, notified: Notified) -> None:
        """Drop what a change makes outdated in the client."""
        client = self._client()
        if client is not None:
            client.forget_outdated(notified)
