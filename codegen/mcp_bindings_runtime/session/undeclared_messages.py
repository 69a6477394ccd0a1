"""Messages of methods that the revision does not declare: those of extensions, and requests without a schema."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from ..binding import Binding
from ..errors import DecodeError, ProtocolError, UsageError
from ..jsonrpc import METHOD_NOT_FOUND, ErrorObject, RequestId, classify_invalid
from ..methods import NotificationMethod, RequestMethod, Side
from ..validation import require_method_key
from .events import Dropped, Event

if TYPE_CHECKING:
    from ..extensions.wire_methods import WireKey

_ECHO = "the other side sends back what it receives, as the program cat does; it is not an MCP server"


class UndeclaredMessages(ABC):
    """The part of a session that sends and receives messages of methods that the revision does not declare."""

    binding: Binding
    _sender: Side
    _pending: dict[RequestId, RequestMethod[Any, Any]]

    def _sendable_form(self, key: Any, params: Any, *, request: bool) -> tuple[Any, Any]:
        """Return the key and the params with which the session sends a message, after all checks of ``request``."""
        require_method_key(key, request=request)
        methods = self.binding.wire_methods
        wire: WireKey | None = None if methods is None else methods.keys.get(key)
        if wire is not None:
            key, params = wire, wire.to_wire(params)
        elif key.name not in (self.binding.requests if request else self.binding.notifications):
            from ..extensions.wire_methods import WireNotification, WireRequest

            if not isinstance(key, WireRequest | WireNotification):
                text = f"{key.name} is not a method of {self.binding.revision}; pass its package in `extensions`"
                if key.name in (self.binding.notifications if request else self.binding.requests):
                    kind, method = ("notification", "notify") if request else ("request", "request")
                    text = f"{key.name} is a {kind}; send it with {method}()"
                raise UsageError(text)
            params = key.to_wire(params)
        self.require_sendable(key, request=request)
        return key, params

    def _receive_undeclared_request(self, message: Any) -> Event:
        """Return the event of a request, of the generic class of the revision."""
        methods = self.binding.wire_methods
        key = None if methods is None else methods.requests.get(message.method)
        if key is None or self._sender not in key.sent_by:
            sent = self._pending.get(message.id)
            if sent is not None and sent.name == message.method:
                return self._receive_response(message.id, None, ProtocolError(_ECHO))
            return self._refuse(message.id, self._not_found(message))
        try:
            received = key.read(message)
        except DecodeError as error:
            value: Any = self.binding.codec.unstructure(message)
            refusal = classify_invalid(value, error.keys, str(error)).error
            return self._refuse(message.id, self._explain_refusal(value, refusal))
        return self._receive_request(key, received)

    def _receive_undeclared_notification(self, message: Any) -> Event:
        """Return the event of a notification, of the generic class of the revision."""
        methods = self.binding.wire_methods
        key = None if methods is None else methods.notifications.get(message.method)
        if key is None or self._sender not in key.sent_by:
            return Dropped(f"{message.method} is not a notification of a {self._sender} in {self.binding.revision}")
        try:
            received = key.read(message)
        except DecodeError as error:
            return Dropped(f"an invalid notification: {error}", bad=True)
        return self._receive_notification(key, received)

    def _not_found(self, message: Any) -> ErrorObject:
        """Return the error for a request whose method the peer may not send in this revision."""
        reason = f"a {self._sender} does not send {message.method} in {self.binding.revision}"
        return ErrorObject(METHOD_NOT_FOUND, "Method not found", {"method": message.method, "reason": reason})

    def _explain_refusal(self, value: Any, error: ErrorObject) -> ErrorObject:
        """Return the error for an invalid request, which an era may replace by a better one."""
        return error

    @abstractmethod
    def require_sendable(self, key: RequestMethod[Any, Any] | NotificationMethod[Any], *, request: bool) -> None:
        """Raise ``UsageError`` for a message that may not be sent now, ``NotDeclared``, or ``ConnectionClosed``."""
        ...

    @abstractmethod
    def _refuse(self, request_id: RequestId, error: ErrorObject) -> Event: ...
    @abstractmethod
    def _receive_response(self, request_id: RequestId | None, result: Any, error: Exception | None) -> Event: ...
    @abstractmethod
    def _receive_request(self, key: RequestMethod[Any, Any], message: Any) -> Event: ...
    @abstractmethod
    def _receive_notification(self, key: NotificationMethod[Any], message: Any) -> Event: ...
