"""Servers of the revisions without handshake, where every request stands alone: from 2026-07-28 on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from ..errors import ResponseError, UsageError
from ..foreign_names import USAGE_OF_SERVERS, explain_calls
from ..jsonrpc import ErrorObject
from ..session import stateless
from ..session.control_flow import Detached, InputNeeded
from ..session.events import Incoming
from ..session.session import Session
from ..validation import require_method_key
from .announcements import Announcement, send_to_each
from .options import StatelessServerOptions
from .runnable import RunnableServer
from .signing_key import SigningKey

if TYPE_CHECKING:
    from ..connection.channel import Channel
    from ..features.cache_hints import CachePolicy
    from ..methods import NotificationMethod, RequestMethod
    from ..session.multi_round import RequestStates, Round
    from ..task_interfaces import TaskStore
    from ..tasks.extension_tasks import ExtensionTasks
    from .call_router import CallRouter

P = TypeVar("P")


class StatelessServer(RunnableServer):
    """A server of a revision without handshake. ``options`` are those of `StatelessServerOptions`."""

    _stateless_options: StatelessServerOptions
    _extension: ExtensionTasks | None = None
    call_router: CallRouter | None = None
    """Routes retries to the process that holds their call; None if no other process serves the same endpoint."""

    @explain_calls({}, USAGE_OF_SERVERS)
    def __init__(self, name: str, version: str, **options: Any) -> None:
        super().__init__(name, version, **options)
        self.signing_key = SigningKey(self._stateless_options.state_key)
        """The key that signs the states of requests for input."""
        self._states: RequestStates | None = None
        self._cache_policy: CachePolicy | None = None
        chosen = self._stateless_options
        if (chosen.ttl_ms, chosen.cache_scope) != (0, "private"):
            self._cache_policy = self._new_cache_policy(chosen.ttl_ms, chosen.cache_scope)

    def _read_options(self, options: dict[str, Any]) -> StatelessServerOptions:
        self._stateless_options = chosen = StatelessServerOptions(**options)
        return chosen

    def session(self, versions: Sequence[str] = ()) -> Session:
        """Return a session with a new client, which lists ``versions`` as supported, by default those of the server."""
        session = stateless.StatelessServerSession(
            self.binding,
            info=self.info,
            capabilities=None,
            instructions=self.instructions,
            versions=versions or tuple(self._stateless_options.versions),
        )
        # Few requests need them, and each has a session of its own over HTTP.
        session.current_capabilities = lambda: self.capabilities
        session.freshness = lambda: self.cache_hints(stateless.DISCOVER)
        session.defers_subscriptions = self.change_source is not None
        if self._extension is not None:
            session.select_watched = self._extension.watched
        return session

    @property
    def capabilities(self) -> Any:
        """The capabilities that follow from the handlers and the options ``logging``, ``tasks`` and ``capabilities``."""
        if self._extension is None:
            return super().capabilities
        from ..tasks.extension_binding import declare_tasks

        return declare_tasks(super().capabilities)

    def notify(self, key: NotificationMethod[P], params: P | None = None) -> None:
        """Send a notification to every client that has subscribed to it.

        Raise ``UsageError`` for a notification to which clients cannot subscribe and, if a client is connected, for one that
        the server has not declared.
        """
        require_method_key(key, request=False)
        stateless.require_subscribable(key)
        super().notify(key, params)

    # Tasks.

    def _execute_tasks(self, tasks: TaskStore | None) -> None:
        from ..tasks.extension_binding import with_tasks
        from ..tasks.extension_tasks import ExtensionTasks
        from ..tasks.store import MemoryTasks

        store: Any = MemoryTasks() if tasks is None else tasks
        self.binding = with_tasks(self.binding)
        self._handlers.extend(self.binding)
        self._receiver = self._extension = ExtensionTasks(
            self.binding, self._handlers, store, self, self._send_task_status
        )

    def detach(self, incoming: Incoming, *, required: bool) -> None:
        """Continue the handler of a call as a task; see ``Context.begin_task``."""
        if self._extension is None:
            text = "this server has no tasks; create it with tasks=MemoryTasks()"
            raise UsageError(text)
        self._extension.detach(incoming, required=required)

    def _begin_task(self, connection: Channel, incoming: Incoming) -> bytes | None:
        try:
            cast("ExtensionTasks", self._extension).begin(connection, incoming)
        except ResponseError as error:
            # Its handler does not run again.
            incoming.stop_calls()
            line = self._handlers.refuse(connection, incoming, ErrorObject(error.code, error.message, error.data))
            with connection.lock:
                return connection.session.settle(incoming, line)
        return None

    def _send_task_status(self, task_id: str, status: Mapping[str, Any]) -> None:
        def send(connection: Channel) -> None:
            connection.send_after_replies(lambda: _session_of(connection).publish_task(task_id, status))

        send_to_each(self._connections.copy(), send)

    # Subscriptions to changes of another source.

    def listening_context(self, connection: Channel, incoming: Incoming) -> Any:
        """Return the context of a subscription."""
        return self.context(self, connection, incoming)

    def announced(self, key: NotificationMethod[Any], params: Any) -> tuple[NotificationMethod[Any], Any] | None:
        """Return a change as clients receive it; None if they do not."""
        return key, params

    # Services for the registries of features.

    def cache(
        self, what: RequestMethod[Any, Any] | str, *, ttl_ms: int, scope: Literal["public", "private"] = "private"
    ) -> None:
        """Set how many milliseconds clients may keep some results, and who may share them.

        ``what`` is the key of a method, such as ``methods.LIST_TOOLS``, the URI of a resource or the text of a template.
        A ``public`` result is for everybody, a ``private`` one for the requesting user. Results that depend on input from
        the client are never kept. Raise `UsageError` for a method whose results are not to be kept, for a negative
        ``ttl_ms``, and for another scope. Caching: Cacheable Results.
        """
        if self._cache_policy is None:
            self._cache_policy = self._new_cache_policy(0, "private")
        self._cache_policy.set(what, ttl_ms, scope)

    def _new_cache_policy(self, ttl_ms: int, scope: Literal["public", "private"]) -> CachePolicy:
        from ..features.cache_hints import CachePolicy

        return CachePolicy(self.binding, ttl_ms, scope)

    def cache_hints(self, method: str, name: str | None = None, params: Any = None) -> dict[str, Any]:
        """Return ``ttl_ms`` and ``cache_scope`` of the result of a method (Caching: Cacheable Results)."""
        if self._cache_policy is None:
            return {"ttl_ms": 0, "cache_scope": "private"}
        return self._cache_policy.hints(method, name, params)._asdict()

    def replay(self, incoming: Incoming) -> Round:
        """Return the questions that the handler of a request has asked so far, with their answers."""
        from ..session.multi_round import Round

        return Round(self.binding, self._request_states(), incoming.key, incoming.params, incoming.principal)

    def _request_states(self) -> RequestStates:
        if self._states is None:
            import time

            from ..session.multi_round import RequestStates

            self._states = RequestStates(self.signing_key.value, self._stateless_options.state_lifetime, time.time)
        return self._states

    def handle_request(self, connection: Channel, incoming: Incoming) -> bytes | None:
        """Call the handler of a request and return the line of its response.

        A question to the client is a response, too (Multi Round-Trip Requests).
        """
        if incoming.accepted is not None and self.change_source is not None:
            from .subscription_opening import open_subscription

            return open_subscription(self, self.change_source, connection, incoming)
        try:
            return super().handle_request(connection, incoming)
        except Detached:
            return self._begin_task(connection, incoming)
        except InputNeeded as question:
            if incoming.multiprocess:
                self.signing_key.warn_if_unshared()
            result = self.binding.types.InputRequiredResult(
                # The schema declares the field without the value that the text states.
                result_type="input_required",
                input_requests={question.name: question.request},
                request_state=question.state,
            )
            line = connection.session.response_line(incoming, result)
            with connection.lock:
                return connection.session.settle(incoming, line)

    def _send_announcement(self, connection: Channel, announcement: Announcement) -> None:
        key, params, about = announcement.key, announcement.params, announcement.about
        # ``send_after_replies`` keeps the order: a subscription is acknowledged first (Subscriptions: Acknowledgment).
        connection.send_after_replies(lambda: _session_of(connection).publish(key, params, about=about))

    def _closing_lines(self, connection: Channel) -> list[bytes]:
        with connection.lock:
            return _session_of(connection).end_subscriptions()


def _session_of(connection: Channel) -> stateless.StatelessServerSession:
    return cast("stateless.StatelessServerSession", connection.session)
