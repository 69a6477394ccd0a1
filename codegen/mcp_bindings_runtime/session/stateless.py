"""Sessions of 2026-07-28: every request says by itself who sends it, in which revision, and what the client can do.

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
from .events import Dropped, Event, Incoming, Notified, Published, Reply
from .session import Session

VERSION = "io.modelcontextprotocol/protocolVersion"
INITIALIZE = "initialize"
LISTEN = "subscriptions/listen"
DISCOVER = "server/discover"

_RESULT_TYPES = frozenset({None, "complete", "input_required"})
"""What a result may be, absence included, unless an extension adds to it (Overview, ResultType)."""

FILTERS: Mapping[str, str] = {
    "notifications/tools/list_changed": "tools_list_changed",
    "notifications/prompts/list_changed": "prompts_list_changed",
    "notifications/resources/list_changed": "resources_list_changed",
}
"""The member of a subscription's filter that asks for a notification; that of ``resources/updated`` is a list of URIs."""
UPDATED = "notifications/resources/updated"
CHANGES = frozenset({*FILTERS, UPDATED})
"""What servers tell subscribers of."""
_TASK_IDS = "taskIds"
"""The member of a filter that asks for the states of tasks."""
_SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
_SUBSCRIBED = CHANGES | frozenset({"notifications/subscriptions/acknowledged", "notifications/cancelled"})
"""What a server sends about subscriptions, and never else."""

_STALE: Mapping[str, Any] = {"ttl_ms": 0, "cache_scope": "private"}


def name_versions(refusal: ErrorObject, versions: Sequence[str]) -> ErrorObject:
    """Name the supported revisions in the error that answers ``initialize``, in its message too.

    The clients that send it show the message to their users, and have no other use for the error (Versioning: Backward
    Compatibility with Initialization-Based Versions).
    """
    message = f"{refusal.message}; this server supports {', '.join(versions)}"
    return ErrorObject(refusal.code, message, {**(refusal.data or {}), "supported": [*versions]})


class StatelessClientSession(Session):
    """The client: its requests carry ``_meta`` with its revision, its name and its capabilities."""

    era: ClassVar[Era] = "stateless"

    def __init__(self, binding: Binding, *, info: Any, capabilities: Any, log_level: str | None = None) -> None:
        super().__init__(binding, "client", info=info, capabilities=capabilities)
        self.log_level = log_level
        """The least severity of the log messages that are wanted with each request; none are without it."""
        self.instructions: str | None = None

    def record_discovery(self, result: Any) -> None:
        """Remembers what ``server/discover`` has told. Raises UnsupportedRevision."""
        if self.binding.revision not in result.supported_versions:
            raise UnsupportedRevision(self.binding.revision, result.supported_versions)
        self.peer_capabilities = result.capabilities
        # What has been sent in good faith so far may turn out not to be declared.
        self._sendable.clear()
        self.peer_info = None if result.meta is None else result.meta.server_info
        self.instructions = result.instructions

    def meta(self, entries: Mapping[str, Any] | None = None) -> Any:
        """``_meta`` of a request, with further entries by their wire names."""
        return self.binding.types.RequestMetaObject(
            protocol_version=self.binding.revision,
            client_capabilities=self.capabilities,
            client_info=self.info,
            log_level=self.log_level,
            extra=dict(entries) if entries else None,
        )

    def _add_request_meta(self, key: RequestMethod[Any, Any], params: Any, token: RequestId | None) -> Any:
        if params is None:
            params = key.params(meta=self.meta())
        given = params.meta
        meta = self.meta() if given is None else given
        if token is not None:
            meta = meta.__replace__(progress_token=token)
        return params if meta is given else params.__replace__(meta=meta)

    def _missing_capability(self, key: RequestMethod[Any, Any] | NotificationMethod[Any]) -> str:
        # A server that was not asked for its capabilities is taken at its word when it answers.
        return "" if self.peer_capabilities is None else super()._missing_capability(key)

    def _receive_notification(self, key: NotificationMethod[Any], message: Any) -> Event:
        event = super()._receive_notification(key, message)
        if not isinstance(event, Notified):
            return event
        subscription = None if event.params is None else getattr(event.params.meta, "subscription_id", None)
        if subscription is None:
            return event
        if subscription not in self._pending:
            return Dropped(f"{key.name} on {subscription!r}, which is no subscription of this client")
        return Published(subscription, event)

    def _receive_cancelled(self, params: Any) -> Event:
        # A server says so when it ends a subscription; the response that is asked for elsewhere may come later or never.
        key = self._pending.get(params.request_id)
        if key is None or key.name != LISTEN:
            return super()._receive_cancelled(params)
        meta = self.binding.types.SubscriptionsListenResultMetaObject(subscription_id=params.request_id)
        return self._receive_response(params.request_id, key.result(meta=meta), None)

    def _receive_response(self, request_id: RequestId | None, result: Any, error: Exception | None) -> Event:
        kind = getattr(result, "result_type", None)
        created = self.binding.task_result_class
        known = kind in _RESULT_TYPES or (bool(self.capabilities.extensions) and (kind != "task" or created is None))
        if not known and (created is None or result.__class__ is not created):
            where, expected = ("result", "resultType"), 'one of "complete", "input_required"'
            error = DecodeError(where, f'"{kind}"', expected, self.binding.revision)
            result = None
        return super()._receive_response(request_id, result, error)


class StatelessServerSession(Session):
    """The server: answers ``server/discover`` itself, and keeps the subscriptions of its connection.

    ``versions`` are all revisions that are spoken where it is served, ``freshness`` the attributes of what it discloses
    that say how long that may be kept.
    """

    era: ClassVar[Era] = "stateless"

    def __init__(
        self,
        binding: Binding,
        *,
        info: Any,
        capabilities: Any,
        instructions: str | None = None,
        versions: Sequence[str] = (),
        freshness: Mapping[str, Any] = _STALE,
    ) -> None:
        self.current_capabilities: Callable[[], Any] | None = None
        """Gives what the server declares now, where that may change: no request is bound by what was said to another."""
        super().__init__(binding, "server", info=info, capabilities=capabilities)
        self.instructions = instructions
        self._freshness = freshness
        self.versions = [*versions] or [binding.revision]
        self._input_required = binding.types.InputRequiredResult
        self._handlers[DISCOVER] = self._discover
        self._handlers[LISTEN] = self._listen
        self._subscriptions: dict[RequestId, Any] = {}
        self.select_watched: Callable[[Session, Any, Sequence[Any]], list[str]] | None = None
        """The tasks that a subscription may hear of, of those that it asks for; with the extension of tasks only."""

    @property
    def capabilities(self) -> Any:
        """What the server declares."""
        return self._declared if self.current_capabilities is None else self.current_capabilities()

    @capabilities.setter
    def capabilities(self, declared: Any) -> None:
        self._declared = declared

    def _discover(self, message: Any) -> Event:
        result = self.binding.requests[DISCOVER].result(
            supported_versions=self.versions,
            capabilities=self.capabilities,
            instructions=self.instructions,
            **self._freshness,
        )
        return Reply(self._encode(self.binding.response(id=message.id, result=self._add_result_meta(result))))

    def _add_result_meta(self, result: Any) -> Any:
        if result.__class__ is self._input_required and not result.input_requests and result.request_state is None:
            # Multi Round-Trip Requests: Server Requirements. The client would send the same request again, for ever.
            found, expected = "neither `inputRequests` nor `requestState`", "at least one of the two"
            raise EncodeError(("result",), found, expected, self.binding.revision)
        meta = result.meta
        if meta is None:
            return result.__replace__(meta=self.binding.types.ResultMetaObject(server_info=self.info))
        return (
            result if meta.server_info is not None else result.__replace__(meta=meta.__replace__(server_info=self.info))
        )

    def notify(self, key: NotificationMethod[Any], params: Any = None) -> bytes:
        """The line of a notification that belongs to a request; raises UsageError for what only subscribers hear."""
        if key.name in _SUBSCRIBED:
            text = f"{key.name} is for those who subscribed to it: a server tells them by its notify()"
            raise UsageError(text)
        return super().notify(key, params)

    # Which revision a request is in.

    def _check_request(self, key: RequestMethod[Any, Any], params: Any) -> ErrorObject | None:
        version = params.meta.protocol_version
        if version != self.binding.revision:
            return self._unsupported_version(version)
        return super()._check_request(key, params)

    def _explain_refusal(self, value: Any, refusal: ErrorObject) -> ErrorObject:
        # What another revision declares is no fault of ours to name: that it is another one is.
        return self._name_versions(value.get("method"), value.get("params"), refusal)

    def _not_found(self, message: Any) -> ErrorObject:
        return self._name_versions(message.method, message.params, super()._not_found(message))

    def _name_versions(self, method: Any, params: Any, refusal: ErrorObject) -> ErrorObject:
        refusal = self._refuse_other_revision(method, params) or refusal
        return name_versions(refusal, self.versions) if method == INITIALIZE else refusal

    def _refuse_other_revision(self, method: Any, params: Any) -> ErrorObject | None:
        """Why a request of another revision is refused, by its raw params; None for one of ours.

        Clients that begin a handshake are to hear in any case what is spoken here (Versioning, Backward Compatibility).
        """
        version = member(params, "_meta", VERSION)
        if method == INITIALIZE and version != self.binding.revision:
            wanted = member(params, "protocolVersion")
            return self._unsupported_version(wanted if is_unicode(wanted) else "")
        return self._unsupported_version(version) if is_unicode(version) and version != self.binding.revision else None

    def _unsupported_version(self, version: str) -> ErrorObject:
        data = {"supported": self.versions, "requested": version}
        return ErrorObject(UNSUPPORTED_VERSION, "Unsupported protocol version", data)

    # Subscriptions.

    def _listen(self, message: Any) -> Event:
        """Opens a subscription; what the server cannot notify of is left out of what it acknowledges."""
        wanted = message.params.notifications
        tasks: Any = member(wanted.extra, _TASK_IDS)
        if self.select_watched is not None and tasks.__class__ is list:
            try:
                tasks = self.select_watched(self, message.params.meta, tasks)
            except ResponseError as error:
                return self._refuse(message.id, ErrorObject(error.code, error.message, error.data))
        else:
            tasks = None
        honoured = self.binding.types.SubscriptionFilter(
            **{
                name: True
                for method, name in FILTERS.items()
                if getattr(wanted, name) and not self._missing_capability(self.binding.notifications[method])
            }
        )
        if wanted.resource_subscriptions and not self._missing_capability(self.binding.notifications[UPDATED]):
            honoured.resource_subscriptions = list(wanted.resource_subscriptions)
        if tasks is not None:
            honoured.extra = {_TASK_IDS: tasks}
        self._running[message.id] = Incoming(self.binding.requests[LISTEN], message.id, message.params)
        self._subscriptions[message.id] = honoured
        key = self.binding.notifications["notifications/subscriptions/acknowledged"]
        params = key.params(notifications=honoured, meta=self._subscription_meta(message.id))
        return Reply(self._encode(key.message(params=params)))

    def _subscription_meta(self, subscription: RequestId) -> Any:
        return self.binding.types.NotificationMetaObject(subscription_id=subscription)

    def publish(self, key: NotificationMethod[Any], params: Any = None, *, about: Sequence[str] = ()) -> list[bytes]:
        """Return the lines that carry a change to the subscriptions to it, or to a resource with a URI in ``about``.

        Raise ``UsageError`` for a notification that nobody can subscribe to.
        """
        name = FILTERS.get(key.name)
        if name is None and key.name != UPDATED:
            text = f"{key.name} is not subscribed to; accepted are {', '.join([*FILTERS, UPDATED])}"
            raise UsageError(text)
        self._require_sendable(key, request=False)
        lines: list[bytes] = []
        carried: Any = key.params() if params is None else params
        for subscription, honoured in self._subscriptions.items():
            uris = honoured.resource_subscriptions or ()
            wanted = any(uri in uris for uri in (carried.uri, *about)) if name is None else getattr(honoured, name)
            if not wanted:
                continue
            meta = carried.meta or self._subscription_meta(subscription)
            tagged = carried.__replace__(meta=meta.__replace__(subscription_id=subscription))
            lines.append(self._encode(key.message(params=tagged)))
        return lines

    def publish_task(self, task_id: str, said: Mapping[str, Any]) -> list[bytes]:
        """The lines that tell all who subscribed to a task of its state, which is JSON."""
        key = self.binding.notifications["notifications/tasks"]
        lines: list[bytes] = []
        for subscription, honoured in self._subscriptions.items():
            if task_id in (member(honoured.extra, _TASK_IDS) or ()):
                params = {**said, "_meta": {_SUBSCRIPTION: subscription}}
                lines.append(self._encode(key.message(params=self.binding.codec.structure(params, key.params))))
        return lines

    def end_subscriptions(self) -> list[bytes]:
        """The lines that end all subscriptions in good order (Subscriptions: Graceful Closure; Cancellation)."""
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
            # The one page asks for the response, the other for this; whoever has seen the response ignores it.
            lines.append(self._encode(cancelled.message(params=cancelled.params(request_id=subscription))))
        self._subscriptions.clear()
        return lines

    def _receive_cancelled(self, params: Any) -> Event:
        if params.request_id is not None:
            self._subscriptions.pop(params.request_id, None)
        return super()._receive_cancelled(params)
