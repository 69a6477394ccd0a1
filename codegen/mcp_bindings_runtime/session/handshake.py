"""Sessions of the revisions that begin with ``initialize``: 2024-11-05 to 2025-11-25 (Lifecycle: Initialization)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ..binding import Binding
from ..errors import ConnectionClosed, UnsupportedRevision, UsageError
from ..facts import Era
from ..jsonrpc import METHOD_NOT_FOUND, ErrorObject, RequestId, invalid_request
from ..methods import NotificationMethod, RequestMethod, Side
from .events import Event, Notified, Reply
from .session import Session

if TYPE_CHECKING:
    from .log_levels import Level


class HandshakeSession(Session):
    """What both sides do: they answer ``ping`` at once (Ping: Behavior Requirements)."""

    era: ClassVar[Era] = "handshake"

    def __init__(self, binding: Binding, side: Side, *, info: Any, capabilities: Any) -> None:
        super().__init__(binding, side, info=info, capabilities=capabilities)
        self._handlers["ping"] = self._pong

    def _check_request(self, key: RequestMethod[Any, Any], params: Any) -> ErrorObject | None:
        """As ``Session``; what was not declared when the session began stays out of it, though it may be there now."""
        if self._receivable.get(key) is self.state:
            return None
        refusal = super()._check_request(key, params)
        if refusal is not None or key.capability is None or self.binding.declares(self.capabilities, key.capability):
            return refusal
        del self._receivable[key]
        reason = f"this {self.side} has not declared {key.capability!r} to this session, which {key.name} takes"
        return ErrorObject(METHOD_NOT_FOUND, "Method not found", {"method": key.name, "reason": reason})

    def _pong(self, message: Any) -> Event:
        result = self.binding.requests["ping"].result()
        return Reply(self._encode(self.binding.response(id=message.id, result=result)))


class HandshakeClientSession(HandshakeSession):
    """The client: ``hello``, then, with what is answered, ``agree``."""

    def __init__(self, binding: Binding, *, info: Any, capabilities: Any) -> None:
        super().__init__(binding, "client", info=info, capabilities=capabilities)
        self.instructions: str | None = None

    def start_handshake(self) -> tuple[RequestId, bytes]:
        """The id and the line of ``initialize``."""
        initialize = self.binding.requests["initialize"]
        params = initialize.params(
            protocol_version=self.binding.revision, capabilities=self.capabilities, client_info=self.info
        )
        asked = self.request(initialize, params)
        self.state = "offered"
        return asked

    def finish_handshake(self, result: Any) -> bytes:
        """The line of ``notifications/initialized``, after which the session is open.

        ``result`` is the answer to ``initialize``. Raises UnsupportedRevision where the server wants another revision;
        the connection is then to be closed. Raises UsageError where that has happened already, or ``hello`` was not said;
        ConnectionClosed.
        """
        if self.state == "closed":
            text = "the session was closed before client and server had come to terms"
            raise ConnectionClosed(text)
        if self.state != "offered":
            text = f"initialize has nothing to come to terms about: the session is {self.state}"
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
    """The server: answers ``initialize``, too."""

    def __init__(self, binding: Binding, *, info: Any, capabilities: Any, instructions: str | None = None) -> None:
        super().__init__(binding, "server", info=info, capabilities=capabilities)
        self.instructions = instructions
        self.log_level: Level = "debug"
        """The least severity of log messages that the client wants: all, as long as it has not said which."""
        self.subscribed: set[str] = set()
        """URIs of the resources whose updates the client wants to hear of."""
        self._handlers["initialize"] = self._initialize

    def _initialize(self, message: Any) -> Event:
        if self._in_batch:
            return self._refuse(message.id, invalid_request("initialize may not be part of a batch"))
        params = message.params
        self.peer_info = params.client_info
        self.peer_capabilities = params.capabilities
        result = self.binding.requests["initialize"].result(
            # Whatever the client asks for: this is the latest revision that is spoken here, being the only one.
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
