"""Sessions of the stateless era: each request carries the client's revision, name and capabilities (2026-07-28).

Overview (Statelessness; General fields), Versioning and Compatibility, Discovery, Subscriptions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from ..binding import Binding
from ..errors import DecodeError, EncodeError, ResponseError, UnsupportedRevision, UsageError
from ..facts import Era
from ..jsonrpc import UNSUPPORTED_VERSION, ErrorObject, RequestId, is_unicode
from ..meta import member
from ..methods import NotificationMethod, RequestMethod
from .control_flow import SessionBegins
from .events import Dropped, Event, Incoming, Notified, Published, Reply
from .session import Session

VERSION = "io.modelcontextprotocol/protocolVersion"
INITIALIZE = "initialize"
LISTEN = "subscriptions/listen"
DISCOVER = "server/discover"

_RESULT_TYPES = frozenset({None, "complete", "input_required"})
"""The values of ``resultType``, absence included, unless an extension adds some (Overview, ResultType)."""

FILTERS: Mapping[str, str] = {
    "notifications/tools/list_changed": "tools_list_changed",
    "notifications/prompts/list_changed": "prompts_list_changed",
    "notifications/resources/list_changed": "resources_list_changed",
}
"""Notification to the boolean member of a subscription's filter that asks for it."""
UPDATED = "notifications/resources/updated"
"""The notification that a filter asks for by a list of URIs."""
CHANGES = frozenset({*FILTERS, UPDATED})
"""The notifications to which clients can subscribe."""
_TASK_IDS = "taskIds"
"""The member of a filter that asks for the states of tasks."""
_SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
_SUBSCRIBED = CHANGES | frozenset({"notifications/subscriptions/acknowledged", "notifications/cancelled"})
"""The notifications that a server sends to subscribers only."""

_STALE: Mapping[str, Any] = {"ttl_ms": 0, "cache_scope": "private"}


def require_subscribable(key: NotificationMethod[Any]) -> None:
    """Raise ``UsageError`` for a notification to which clients cannot subscribe."""
    if key.name not in FILTERS and key.name != UPDATED:
        text = f"clients cannot subscribe to {key.name}, but only to {', '.join([*FILTERS, UPDATED])}"
        hint = "; in a handler, send it with context.notify()"
        raise UsageError(text if key.name in _SUBSCRIBED else text + hint)


def filters_of(binding: Binding) -> Mapping[str, str]:
    """Return the entries of ``FILTERS`` for the notifications that a revision has."""
    return {method: member for method, member in FILTERS.items() if method in binding.notifications}


def contains(uri: str, updated: str) -> bool:
    """Return whether a resource is another one or, by their URIs, below it (Resources: Subscriptions)."""
    return updated == uri or updated.startswith(uri.rstrip("/") + "/")


def name_versions(error: ErrorObject, versions: Sequence[str]) -> ErrorObject:
    """Add the supported revisions to the error that answers ``initialize``, to its message too.

    Clients of the handshake era can only show the message to their users (Versioning: Backward Compatibility with
    Initialization-Based Versions).
    """
    message = f"{error.message}; this server supports {', '.join(versions)}"
    return ErrorObject(error.code, message, {**(error.data or {}), "supported": [*versions]})


def _default_params(binding: Binding, key: RequestMethod[Any, Any] | NotificationMethod[Any], meta: Any) -> Any:
    """Return the params of a message that was passed none; raise ``EncodeError`` if its method requires some."""
    try:
        return key.params(meta=meta)
    except TypeError:
        value = {} if meta is None else {"_meta": binding.codec.unstructure(meta)}
        try:
            return binding.codec.structure(value, key.params)
        except DecodeError as error:
            raise EncodeError(("params", *error.keys), error.found, error.expected, error.revision) from None


class StatelessClientSession(Session):
    """A client: it adds its revision, name and capabilities to ``_meta`` of each request."""

    era: ClassVar[Era] = "stateless"

    def __init__(self, binding: Binding, *, info: Any, capabilities: Any, log_level: str | None = None) -> None:
        super().__init__(binding, "client", info=info, capabilities=capabilities)
        if binding.extension is not None:
            self._task_calls = frozenset({"tools/call"})
        self.log_level = log_level
        """The least severity of the log messages that requests ask for; None for no log messages."""
        self.instructions: str | None = None
        """The server's instructions for language models."""

    def record_discovery(self, result: Any) -> None:
        """Store what a result of ``server/discover`` tells; raise ``UnsupportedRevision``."""
        if self.binding.revision not in result.supported_versions:
            raise UnsupportedRevision(self.binding.revision, result.supported_versions)
        self.peer_capabilities = result.capabilities
        # Messages that were allowed without known capabilities are checked again.
        self._sendable.clear()
        self.peer_info = None if result.meta is None else result.meta.server_info
        self.instructions = result.instructions

    def cancel(self, request_id: RequestId, reason: str | None = None) -> bytes | None:
        """See ``Session.cancel``. The first ``server/discover`` is not cancelled: a late result still shows the era."""
        key = self._pending.get(request_id)
        if key is not None and key.name == DISCOVER and self.peer_capabilities is None:
            self.forget(request_id)
            return None
        return super().cancel(request_id, reason)

    def meta(self, entries: Mapping[str, Any] | None = None) -> Any:
        """Return ``_meta`` of a request, with further entries by their wire names."""
        return self.binding.types.RequestMetaObject(
            protocol_version=self.binding.revision,
            client_capabilities=self.capabilities,
            client_info=self.info,
            log_level=self.log_level,
            extra=dict(entries) if entries else None,
        )

    def add_request_meta(self, key: RequestMethod[Any, Any], params: Any, token: RequestId | None) -> Any:
        """Return the params of a request with what this revision adds to them, as ``Session.add_request_meta``."""
        if params is None:
            params = _default_params(self.binding, key, self.meta())
        try:
            passed = params.meta
        except AttributeError:
            # Of another type; the encoder says which is expected.
            self._encode(key.message(id=self.requests_sent, params=params))
            raise
        meta = self.meta() if passed is None else passed
        if token is not None:
            meta = meta.__replace__(progress_token=token)
        return params if meta is passed else params.__replace__(meta=meta)

    def _missing_capability(self, key: RequestMethod[Any, Any] | NotificationMethod[Any]) -> str:
        # While the server's capabilities are unknown, its response decides.
        return "" if self.peer_capabilities is None else super()._missing_capability(key)

    def _receive_notification(self, key: NotificationMethod[Any], message: Any) -> Event:
        event = super()._receive_notification(key, message)
        if not isinstance(event, Notified):
            return event
        subscription = None if event.params is None else getattr(event.params.meta, "subscription_id", None)
        if subscription is None:
            return event
        if subscription not in self._pending:
            return Dropped(f"{key.name} on {subscription!r}, which is not a subscription of this client")
        return Published(subscription, event)

    def _receive_cancelled(self, params: Any) -> Event:
        # This is how a server ends a subscription; the response may follow later or never.
        key = self._pending.get(params.request_id)
        if key is None or key.name != LISTEN:
            return super()._receive_cancelled(params)
        meta = self.binding.types.SubscriptionsListenResultMetaObject(subscription_id=params.request_id)
        return self._receive_response(params.request_id, key.result(meta=meta), None)

    def _receive_response(self, request_id: RequestId | None, result: Any, error: Exception | None) -> Event:
        kind = getattr(result, "result_type", None)
        task_result = self.binding.task_result_class
        known = kind in _RESULT_TYPES or (
            bool(self.capabilities.extensions) and (kind != "task" or task_result is None)
        )
        if not known and (task_result is None or result.__class__ is not task_result):
            where, expected = ("result", "resultType"), 'one of "complete", "input_required"'
            error = DecodeError(where, f'"{kind}"', expected, self.binding.revision)
            result = None
        return super()._receive_response(request_id, result, error)


class StatelessServerSession(Session):
    """A server: it answers ``server/discover`` itself, and keeps the subscriptions of its connection.

    ``versions`` are the revisions supported at its address.
    """

    era: ClassVar[Era] = "stateless"
    _answering: ClassVar[Mapping[str, str]] = {DISCOVER: "_answer_discover", LISTEN: "_open_subscription"}

    current_capabilities: Callable[[], Any] | None = None
    """Returns the capabilities where they may change; each request is independent of what others were told."""
    freshness: Callable[[], Mapping[str, Any]] | None = None
    """Returns the attributes of the discovery result that limit caching; None if it is not to be cached."""
    hands_over: bool = False
    """Whether ``initialize`` raises `SessionBegins`, because a server with a handshake can answer it."""
    defers_subscriptions: bool = False
    """Whether a handler opens subscriptions by ``begin_subscription``, instead of the session at once."""
    others: Sequence[str] = ()
    """Revisions whose requests raise `SessionBegins` while none is in progress, because other servers answer them."""
    select_watched: Callable[[Session, Any, Sequence[Any]], list[str]] | None = None
    """Selects the tasks that a subscription may watch from those that it asks for; set by the tasks extension."""

    def __init__(
        self,
        binding: Binding,
        *,
        info: Any,
        capabilities: Any,
        instructions: str | None = None,
        versions: Sequence[str] = (),
    ) -> None:
        super().__init__(binding, "server", info=info, capabilities=capabilities)
        self.instructions = instructions
        """The server's instructions for language models."""
        self.versions = versions or (binding.revision,)
        self._subscriptions: dict[RequestId, Any] = {}
        """Request id of a subscription to its filter."""

    def receive_value(self, value: dict[str, Any]) -> Event:
        """Return the event of a message that was parsed; see ``receive``. Call it once in a session that is open."""
        try:
            message = self.binding.codec.read_value(value, self._sender, self._pending)
        except DecodeError as error:
            return self._refuse_invalid(value, error)
        return self._receive_message(message)

    @property
    def capabilities(self) -> Any:
        """The capabilities that the server declares."""
        return self._declared if self.current_capabilities is None else self.current_capabilities()

    @capabilities.setter
    def capabilities(self, declared: Any) -> None:
        self._declared = declared

    def _answer_discover(self, message: Any) -> Event:
        result = self.binding.requests[DISCOVER].result(
            supported_versions=[*self.versions],
            capabilities=self.capabilities,
            instructions=self.instructions,
            **(_STALE if self.freshness is None else self.freshness()),
        )
        return Reply(self._encode(self.binding.response(id=message.id, result=self._add_result_meta(result))))

    def _add_result_meta(self, result: Any) -> Any:
        types = self.binding.types
        if result.__class__ is types.InputRequiredResult and not result.input_requests and result.request_state is None:
            # Multi Round-Trip Requests: Server Requirements. The client would send the same request for ever.
            found, expected = "neither `inputRequests` nor `requestState`", "at least one of the two"
            raise EncodeError(("result",), found, expected, self.binding.revision)
        meta = result.meta
        if meta is None:
            return result.__replace__(meta=types.ResultMetaObject(server_info=self.info))
        if meta.server_info is not None:
            return result
        return result.__replace__(meta=meta.__replace__(server_info=self.info))

    def notify(self, key: NotificationMethod[Any], params: Any = None) -> bytes:
        """Return the line of a notification that belongs to a request; raise ``UsageError`` for one to subscribers."""
        if key.name in _SUBSCRIBED:
            text = f"{key.name} is sent to subscribers only; use the server's notify()"
            raise UsageError(text)
        return super().notify(key, params)

    def _missing_capability(self, key: RequestMethod[Any, Any] | NotificationMethod[Any]) -> str:
        # The client's capabilities are those of a request, which its context knows.
        return "" if getattr(key, "capability_of", "sender") == "receiver" else super()._missing_capability(key)

    # The revision of a request.

    def _check_request(self, key: RequestMethod[Any, Any], params: Any) -> ErrorObject | None:
        version = params.meta.protocol_version
        if version != self.binding.revision:
            return self._unsupported_version(version)
        return super()._check_request(key, params)

    def _explain_refusal(self, value: Any, error: ErrorObject) -> ErrorObject:
        return self._prefer_version_error(value.get("method"), value.get("params"), error)

    def _not_found(self, message: Any) -> ErrorObject:
        return self._prefer_version_error(message.method, message.params, super()._not_found(message))

    def _prefer_version_error(self, method: Any, params: Any, error: ErrorObject) -> ErrorObject:
        """Return the error for a request of another revision instead: in that revision it may be valid."""
        if self.hands_over and method == INITIALIZE and member(params, "_meta", VERSION) is None:
            raise SessionBegins
        error = self._other_revision(method, params) or error
        return name_versions(error, self.versions) if method == INITIALIZE else error

    def _other_revision(self, method: Any, params: Any) -> ErrorObject | None:
        """Return the error for raw params of another revision; None for this one.

        ``initialize`` always gets it (Versioning, Backward Compatibility).
        """
        version = member(params, "_meta", VERSION)
        if method == INITIALIZE and version != self.binding.revision:
            requested = member(params, "protocolVersion")
            return self._unsupported_version(requested if is_unicode(requested) else "")
        return self._unsupported_version(version) if is_unicode(version) and version != self.binding.revision else None

    def _unsupported_version(self, version: str) -> ErrorObject:
        """Return the error for a revision; raise `SessionBegins` if the connection can continue in it."""
        if version in self.others and not self._running:
            raise SessionBegins
        data = {"supported": [*self.versions], "requested": version}
        return ErrorObject(UNSUPPORTED_VERSION, "Unsupported protocol version", data)

    # Subscriptions.

    def _can_publish(self, method: str) -> bool:
        """Return whether the revision has a notification and the server has declared it."""
        key = self.binding.notifications.get(method)
        return key is not None and not self._missing_capability(key)

    def _open_subscription(self, message: Any) -> Event:
        """Open a subscription and acknowledge the part of its filter that the server supports."""
        try:
            accepted = self._supported_filter(message.params)
        except ResponseError as error:
            return self._refuse(message.id, ErrorObject(error.code, error.message, error.data))
        incoming = self._running[message.id] = Incoming(self.binding.requests[LISTEN], message.id, message.params)
        if self.defers_subscriptions:
            incoming.meta, incoming.accepted = message.params.meta, accepted
            return incoming
        return Reply(self.begin_subscription(message.id, accepted))

    def _supported_filter(self, params: Any) -> Any:
        """Return the part of a filter that the server supports; raise ``ResponseError``."""
        wanted = params.notifications
        tasks: Any = member(wanted.extra, _TASK_IDS)
        watched: list[str] | None = None
        if self.select_watched is not None and tasks.__class__ is list:
            watched = self.select_watched(self, params.meta, tasks)
        accepted = self.binding.types.SubscriptionFilter(
            **{name: True for method, name in FILTERS.items() if getattr(wanted, name) and self._can_publish(method)}
        )
        if wanted.resource_subscriptions and self._can_publish(UPDATED):
            accepted.resource_subscriptions = list(wanted.resource_subscriptions)
        if watched is not None:
            accepted.extra = {_TASK_IDS: watched}
        return accepted

    def begin_subscription(self, subscription: RequestId, accepted: Any) -> bytes:
        """Open a subscription, and return the line that acknowledges this part of its filter."""
        self._subscriptions[subscription] = accepted
        key = self.binding.notifications["notifications/subscriptions/acknowledged"]
        params = key.params(notifications=accepted, meta=self._subscription_meta(subscription))
        return self._encode(key.message(params=params))

    def _subscription_meta(self, subscription: RequestId) -> Any:
        return self.binding.types.NotificationMetaObject(subscription_id=subscription)

    def publish(
        self,
        key: NotificationMethod[Any],
        params: Any = None,
        *,
        about: Sequence[str] = (),
        only: RequestId | None = None,
    ) -> list[bytes]:
        """Return the lines of a change for each subscription to it, or to a resource with a URI in ``about``.

        ``only`` limits that to one subscription. Raise ``UsageError`` for a notification to which clients cannot subscribe.
        """
        require_subscribable(key)
        name = FILTERS.get(key.name)
        self.require_sendable(key, request=False)
        lines: list[bytes] = []
        change: Any = _default_params(self.binding, key, None) if params is None else params
        if not isinstance(change, key.params):
            self._encode(key.message(params=change))
        for subscription, accepted in self._subscriptions.items():
            uris = accepted.resource_subscriptions or ()
            wanted = any(uri in uris for uri in (change.uri, *about)) if name is None else getattr(accepted, name)
            if not wanted or (only is not None and subscription != only):
                continue
            meta = change.meta or self._subscription_meta(subscription)
            tagged = change.__replace__(meta=meta.__replace__(subscription_id=subscription))
            lines.append(self._encode(key.message(params=tagged)))
        return lines

    def publish_task(self, task_id: str, state: Mapping[str, Any]) -> list[bytes]:
        """Return the lines of a task's state, a JSON object, for each subscription that watches the task."""
        key = self.binding.notifications["notifications/tasks"]
        lines: list[bytes] = []
        for subscription, accepted in self._subscriptions.items():
            if task_id in (member(accepted.extra, _TASK_IDS) or ()):
                params = {**state, "_meta": {_SUBSCRIPTION: subscription}}
                lines.append(self._encode(key.message(params=self.binding.codec.structure(params, key.params))))
        return lines

    def end_subscriptions(self) -> list[bytes]:
        """End all subscriptions, and return the lines that tell the clients."""
        lines: list[bytes] = []
        cancelled = self.binding.notifications["notifications/cancelled"]
        for subscription in self._subscriptions:
            incoming = self._running.pop(subscription, None)
            if incoming is None:
                continue
            meta = self.binding.types.SubscriptionsListenResultMetaObject(
                subscription_id=subscription, server_info=self.info
            )
            result = self.binding.requests[LISTEN].result(meta=meta)
            lines.append(self._encode(self.binding.response(id=subscription, result=result)))
            # Subscriptions (Graceful Closure) asks for the response, Cancellation for the notification; after the
            # response clients ignore the latter.
            lines.append(self._encode(cancelled.message(params=cancelled.params(request_id=subscription))))
        self._subscriptions.clear()
        return lines

    def _receive_cancelled(self, params: Any) -> Event:
        if params.request_id is not None:
            self._subscriptions.pop(params.request_id, None)
        return super()._receive_cancelled(params)
