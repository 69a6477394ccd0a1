"""Sessions of the handshake era, which begin with ``initialize`` (2024-11-05 to 2025-11-25, Lifecycle: Initialization)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from ..binding import Binding
from ..errors import ConnectionClosed, UnsupportedRevision, UsageError
from ..facts import Era
from ..jsonrpc import METHOD_NOT_FOUND, ErrorObject, RequestId, invalid_request
from ..meta import member, with_token
from ..methods import NotificationMethod, RequestMethod
from .events import Dropped, Event, Notified, Outcome, Reply
from .session import Session

INITIALIZED = "notifications/initialized"
"""The notification that opens a session."""

if TYPE_CHECKING:
    from .log_levels import Level


class HandshakeSession(Session):
    """The base of both sides: it answers ``ping`` at once (Ping: Behavior Requirements)."""

    era: ClassVar[Era] = "handshake"
    _answering: ClassVar[Mapping[str, str]] = {"ping": "_answer_ping"}

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

    def add_request_meta(self, key: RequestMethod[Any, Any], params: Any, token: RequestId | None) -> Any:
        """Return the params of a request with what this revision adds to them, as ``Session.add_request_meta``."""
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
        self.counter_offer: Any = None
        """The result of ``initialize`` if the server has chosen another revision."""
        self._probe: RequestId | None = None
        self._stateless_revisions: Sequence[str] = ()

    def await_discovery(self, probe: RequestId, revisions: Sequence[str]) -> None:
        """Let a late result of ``server/discover``, sent earlier with the id ``probe``, end the handshake.

        The server is one without handshake if it supports one of these ``revisions``: ``initialize`` then fails with
        ``UnsupportedRevision``, which has what the server supports. An error, and any other result, are dropped as expected.
        """
        self._probe, self._stateless_revisions = probe, revisions

    def start_handshake(self) -> tuple[RequestId, bytes]:
        """Return the id and the line of ``initialize``."""
        initialize = self.binding.requests["initialize"]
        params = initialize.params(
            protocol_version=self.binding.revision, capabilities=self.capabilities, client_info=self.info
        )
        sent = self.request(initialize, params)
        self.state = "offered"
        return sent

    def _receive_late_response(self, request_id: RequestId | None, result: Any, error: Exception | None) -> Event:
        if request_id is None or request_id != self._probe:
            return super()._receive_late_response(request_id, result, error)
        if self.state == "offered" and error is None:
            found: Any = member(result, "supportedVersions")
            supported = [each for each in found if isinstance(each, str)] if found.__class__ is list else []
            initialize = next((each for each, key in self._pending.items() if key.name == "initialize"), None)
            if initialize is not None and not {*supported}.isdisjoint(self._stateless_revisions):
                self.forget(initialize)
                return Outcome(initialize, None, UnsupportedRevision(self.binding.revision, supported))
        return Dropped(f"the late answer to server/discover ({error or 'a result'})", expected=True)

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
            self.counter_offer = result
            raise UnsupportedRevision(self.binding.revision, [result.protocol_version])
        self.peer_info = result.server_info
        self.peer_capabilities = result.capabilities
        self.instructions = result.instructions
        self.state = "agreed"
        line = self.notify(self.binding.notifications[INITIALIZED])
        self.state = "open"
        return line


class HandshakeServerSession(HandshakeSession):
    """The session of a server, which answers ``initialize`` itself."""

    _answering: ClassVar[Mapping[str, str]] = {"ping": "_answer_ping", "initialize": "_answer_initialize"}

    def __init__(self, binding: Binding, *, info: Any, capabilities: Any, instructions: str | None = None) -> None:
        super().__init__(binding, "server", info=info, capabilities=capabilities)
        self.instructions = instructions
        """The server's instructions for language models."""
        self.log_level: Level | None = "debug"
        """The least severity of the log messages that the client wants; all until it sets one, with None no messages."""
        self.subscribed: set[str] = set()
        """URIs of the resources to whose updates the client has subscribed."""
        self.unannounced: dict[str, Any] = {}
        """Changes of lists since the answer to ``initialize``, for which the session is not open yet; by method."""

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
        if key.name == INITIALIZED and event.__class__ is Notified:
            self.state = "open"
        return event
