"""Sessions of the handshake era, which begin with ``initialize`` (2024-11-05 to 2025-11-25, Lifecycle: Initialization)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ..binding import Binding
from ..errors import ConnectionClosed, UnsupportedRevision, UsageError
from ..facts import Era
from ..jsonrpc import METHOD_NOT_FOUND, ErrorObject, RequestId, invalid_request
from ..meta import with_token
from ..methods import NotificationMethod, RequestMethod, Side
from .events import Event, Notified, Reply
from .session import Session

if TYPE_CHECKING:
    from .log_levels import Level


class HandshakeSession(Session):
    """The base of both sides: it answers ``ping`` at once (Ping: Behavior Requirements)."""

    era: ClassVar[Era] = "handshake"

    def __init__(self, binding: Binding, side: Side, *, info: Any, capabilities: Any) -> None:
        super().__init__(binding, side, info=info, capabilities=capabilities)
        self._handlers["ping"] = self._answer_ping

    def _check_request(self, key: RequestMethod[Any, Any], params: Any) -> ErrorObject | None:
        """Refuse requests for capabilities that were not declared when the session began, even if they exist by now."""
        if self._receivable.get(key) is self.state:
            return None
        error = super()._check_request(key, params)
        if error is not None or key.capability is None or self.binding.declares(self.capabilities, key.capability):
            return error
        del self._receivable[key]
        reason = f"this {self.side} has not declared {key.capability!r} in this session, which {key.name} needs"
        return ErrorObject(METHOD_NOT_FOUND, "Method not found", {"method": key.name, "reason": reason})

    def _add_request_meta(self, key: RequestMethod[Any, Any], params: Any, token: RequestId | None) -> Any:
        if token is None:
            return params
        return with_token(key.params() if params is None else params, token, self.binding.meta_class(key.name))

    def _answer_ping(self, message: Any) -> Event:
        result = self.binding.requests["ping"].result()
        return Reply(self._encode(self.binding.response(id=message.id, result=result)))


class HandshakeClientSession(HandshakeSession):
    """A client: call ``start_handshake``, and ``finish_handshake`` with the result."""

    def __init__(self, binding: Binding, *, info: Any, capabilities: Any) -> None:
        super().__init__(binding, "client", info=info, capabilities=capabilities)
        self.instructions: str | None = None
        """The server's instructions for language models."""

    def start_handshake(self) -> tuple[RequestId, bytes]:
        """Return the id and the line of ``initialize``."""
        initialize = self.binding.requests["initialize"]
        params = initialize.params(
            protocol_version=self.binding.revision, capabilities=self.capabilities, client_info=self.info
        )
        sent = self.request(initialize, params)
        self.state = "offered"
        return sent

    def finish_handshake(self, result: Any) -> bytes:
        """Return the line of ``notifications/initialized``, which opens the session, for the result of ``initialize``.

        Raise ``UnsupportedRevision`` if the server uses another revision, after which the connection is to be closed;
        ``UsageError`` if no handshake is in progress; ``ConnectionClosed``.
        """
        if self.state == "closed":
            text = "the session was closed during the handshake"
            raise ConnectionClosed(text)
        if self.state != "offered":
            text = f"call start_handshake() first and finish_handshake() once: the session is {self.state}"
            raise UsageError(text)
        if result.protocol_version != self.binding.revision:
            raise UnsupportedRevision(self.binding.revision, [result.protocol_version])
        self.peer_info = result.server_info
        self.peer_capabilities = result.capabilities
        self.instructions = result.instructions
        self.state = "agreed"
        line = self.notify(self.binding.notifications["notifications/initialized"])
        self.state = "open"
        return line


class HandshakeServerSession(HandshakeSession):
    """A server: it answers ``initialize`` itself."""

    def __init__(self, binding: Binding, *, info: Any, capabilities: Any, instructions: str | None = None) -> None:
        super().__init__(binding, "server", info=info, capabilities=capabilities)
        self.instructions = instructions
        """The server's instructions for language models."""
        self.log_level: Level = "debug"
        """The least severity of the log messages that the client wants; all until it sets one."""
        self.subscribed: set[str] = set()
        """URIs of the resources to whose updates the client has subscribed."""
        self._handlers["initialize"] = self._answer_initialize

    def _answer_initialize(self, message: Any) -> Event:
        if self._in_batch:
            return self._refuse(message.id, invalid_request("initialize may not be part of a batch"))
        params = message.params
        self.peer_info = params.client_info
        self.peer_capabilities = params.capabilities
        result = self.binding.requests["initialize"].result(
            # The server's only revision, whatever the client requests.
            protocol_version=self.binding.revision,
            capabilities=self.capabilities,
            server_info=self.info,
            instructions=self.instructions,
        )
        line = self._encode(self.binding.response(id=message.id, result=result))
        self.state = "agreed"
        return Reply(line)

    def _receive_notification(self, key: NotificationMethod[Any], message: Any) -> Event:
        event = super()._receive_notification(key, message)
        if key.name == "notifications/initialized" and event.__class__ is Notified:
            self.state = "open"
        return event
