"""Twins of servers: a twin serves the clients of another revision with the handlers of a server."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..connection.context import ServerContext
from ..errors import EncodeError, ResponseError
from ..installed_revisions import server_class
from ..jsonrpc import INTERNAL_ERROR, ErrorObject
from ..methods import NotificationMethod, RequestMethod
from ..server.announcements import Announcement, announce_deferred
from ..server.server import Server
from ..session.control_flow import InputNeeded
from ..session.events import Incoming, Notified
from ..session.handshake import INITIALIZED
from ..session.stateless import CHANGES
from .bridged_tasks import twin_tasks_module
from .channel_view import ChannelView, SendQuestion, SessionView
from .incoming_view import IncomingView
from .parked_calls import ParkedCall, ParkedCalls
from .required_pages import visit_pages
from .translation import Translators, translators
from .twin_contexts import context_class, parked_context_class
from .twin_handlers import TwinHandlers
from .undeclared_capability import missing_input_text

if TYPE_CHECKING:
    from ..connection.channel import Channel
    from ..server.call_router import CallRouter

_SET_LEVEL = "logging/setLevel"
_SUBSCRIBE = "resources/subscribe"
_UNSUBSCRIBE = "resources/unsubscribe"
_CALL_TOOL = "tools/call"
_LIST_TOOLS = "tools/list"
_MAX_ROUNDS = 16
"""Limit on the times that a bridged call may request input."""
_VIEW = "bridge"
_SHARED_OPTIONS = ("logging", "workers", "timeout", "limit", "grace", "instructions")


def make_twin(server: Server, revision: str) -> ServerTwin:
    """Return a server of another revision that handles requests with the handlers of ``server``."""
    base = server_class(revision)
    mixin: type[ServerTwin] = HandshakeTwin if base.binding.era == "handshake" else StatelessTwin
    twin: ServerTwin = type("Server", (mixin, base), {"__module__": base.__module__})(server)
    return twin


class ServerTwin(Server):
    """The part of a twin that both eras share; subclasses also derive from the ``Server`` of their revision."""

    def __init__(self, original: Server) -> None:
        self.original = original
        options = {name: getattr(original.options, name) for name in _SHARED_OPTIONS}
        if "ping" in self.binding.requests and original.options.ping is not None:
            options |= {"ping": original.options.ping, "ping_failures": original.options.ping_failures}
        super().__init__(original.info.name, original.info.version, **options)
        self._limits = original.limits or False
        self.change_source = original.change_source
        self._translators = translators(original.binding, self.binding, "server", quiet=self.binding.era == "handshake")
        """The translators of announcements, and of stateless requests."""
        self._announcements = self._translators.outward
        self.info = self._announcements.implementation(original.info)
        self._handlers = TwinHandlers(self)
        self._has_tasks = False
        if original.existing_tasks is not None:
            execute: Callable[..., bool] = twin_tasks_module().execute_tasks
            self._has_tasks = execute(original.existing_tasks, self.binding, self._execute_tasks)
        self._converted: tuple[Any, Any] = (None, None)
        """The capabilities of the original, and what they are in this revision."""
        self.own_context = context_class(original, self.binding.era)

    @property
    def capabilities(self) -> Any:
        """The capabilities of the original, as this revision declares them."""
        found = self.original.capabilities_for(self.binding.era)
        if self._converted[0] is not found:
            self._converted = found, self._as_declared(found)
        return self._converted[1]

    def _as_declared(self, capabilities: Any) -> Any:
        """Return capabilities of the original as this revision declares them."""
        if not self._has_tasks:
            return self._with_new_capabilities(self._announcements.capabilities("server", capabilities))
        tasks = twin_tasks_module()
        converted = self._announcements.capabilities("server", tasks.without_tasks(capabilities))
        return tasks.with_tasks_declared(self.binding, self._with_new_capabilities(converted))

    def _with_new_capabilities(self, declared: Any) -> Any:
        """Add the capabilities of handled methods that need none in the revision of the original."""
        before = self.original.binding.requests
        missing: dict[str, Any] = {
            key.capability: {}
            for method, key in self.binding.requests.items()
            # A capability inside another one, such as `tasks.cancel`, is declared with it.
            if key.capability is not None
            and "." not in key.capability
            and self.supports(method)
            and before[method].capability is None
        }
        if not missing:
            return declared
        codec = self.binding.codec
        return codec.structure(missing | codec.unstructure(declared), self.binding.types.ServerCapabilities)

    def supports(self, method: str) -> bool:
        """Return whether the original handles a method."""
        return method in self.original.handlers.methods

    @property
    def has_scopes(self) -> bool:
        """Whether a tool, resource or prompt of the original needs scopes."""
        return self.original.has_scopes

    def existing_registry(self, name: str) -> Any:
        """Return a registry of the original, which knows the scopes of its entries."""
        return self.original.existing_registry(name)

    def listed_tool(self, name: str) -> Any:
        """Return the ``Tool`` that the list of the original has for a name, in this revision."""
        tool = self.original.listed_tool(name)
        if tool is None:
            return None
        codec = self.binding.codec
        return codec.structure(self.original.binding.codec.unstructure(tool), self.binding.types.Tool)

    @abstractmethod
    def view(self, connection: Channel, incoming: Incoming | None) -> SessionView:
        """Return the session of a connection in the revision of the original."""

    def handle_notification(self, connection: Channel, notified: Notified) -> None:
        """Call the handler of the original for a notification."""
        announce_deferred(connection, self.binding, self._send_announcement)
        if notified.key.name == INITIALIZED and self.original.binding.era == "stateless":
            return
        view = self.view(connection, None)
        channel = ChannelView(view, connection)
        found = view.inward.notification(notified.key, notified.params)
        if found is not None:
            self.original.handle_notification(channel, Notified(*found))
        elif "roots" in view.feature_state:
            view.feature_state["roots"].forget()

    def answer_itself(self, connection: Channel, incoming: Incoming) -> Any:
        """Return the result of a request that the original need not handle; None for others."""
        return None

    def run_original(self, connection: Channel, incoming: Incoming) -> Any:
        """Return the result of the original's handler, in this revision."""
        view = self.view(connection, incoming)
        return self.translate(view, ChannelView(view, connection), incoming)

    def run_as_task(self, context: Any) -> Any:
        """Return the result of the original's handler for a call that is a task; ``context`` is the task's."""
        incoming = context.incoming
        channel: ChannelView = twin_tasks_module().task_channel(self.view(context.connection, incoming), context)
        params = incoming.params
        if getattr(params, "task", None) is not None:
            params = params.__replace__(task=None)
        key, own_params = channel.view.inward.request(incoming.key, params, incoming.id)
        return self.call(channel.view, channel, self.seen(key, own_params, incoming))

    def seen(self, key: RequestMethod[Any, Any], params: Any, incoming: Incoming) -> IncomingView:
        """Return a request as the original's handler sees it."""
        undeclared = self.original.binding.undeclared_meta
        return IncomingView(key, params, incoming, declares_meta=key.name not in undeclared)

    def translate(self, view: SessionView, channel: ChannelView, incoming: Incoming) -> Any:
        """Call the original's handler through a view, and return its result in this revision."""
        key, params = view.inward.request(incoming.key, incoming.params, incoming.id)
        seen = self.seen(key, params, incoming)
        return self.call(view, channel, seen)

    def call(self, view: SessionView, channel: ChannelView, seen: IncomingView) -> Any:
        """Call the original's handler for a request of its revision, and return the result in this revision."""
        key = seen.key
        try:
            result = self.result_of(channel, seen)
            try:
                made = view.outward.result(key, result, seen.id)
                return self._with_task_support(made) if self._has_tasks and key.name == _LIST_TOOLS else made
            except EncodeError as fault:
                instead = self.original.handlers.unsendable_result(key, seen.params, result, fault)
                if instead is None:
                    raise
                return view.outward.result(key, instead, seen.id)
        except ResponseError as error:
            instead = self.result_instead_of(view, key, error)
            if instead is not None:
                return instead
            found = ErrorObject(error.code, error.message, error.data)
            raise ResponseError(*view.outward.error(key.name, found, seen.id)) from error

    def result_instead_of(self, _view: SessionView, _key: RequestMethod[Any, Any], _error: ResponseError) -> Any:
        """Return the result in this revision that stands for an error of the original's handler; None if none does."""
        return None

    def _with_task_support(self, result: Any) -> Any:
        """Return a list of tools that says which of them may be called as tasks."""
        return twin_tasks_module().with_support_declared(self.tasks, self.binding, result)

    def result_of(self, channel: ChannelView, seen: IncomingView) -> Any:
        """Return the result of the original's handler, in its revision."""
        return self.original.handlers.handle(seen.key, seen.params, self.context_of(channel, seen))

    def context_of(self, channel: ChannelView, seen: IncomingView) -> Any:
        """Return the context for the original's handler."""
        if channel.parked is not None:
            return parked_context_class(self.own_context)(self.original, channel, seen)
        if channel.task is None:
            return self.own_context(self.original, channel, seen)
        context = twin_tasks_module().task_context_class(self.own_context)(self.original, channel, seen)
        context.task = channel.task
        return context

    # Announcements.

    def relay_announcement(self, announcement: Announcement) -> None:
        """Send an announcement of the original to the clients of this revision."""
        found = self._announcements.notification(announcement.key, announcement.params)
        if found is not None and self.may_announce(found[0]):
            self._announce(announcement._replace(key=found[0], params=found[1]))

    def may_announce(self, key: NotificationMethod[Any]) -> bool:
        """Return whether clients of this revision receive a notification outside requests."""
        return True


class HandshakeTwin(ServerTwin):
    """A twin of a revision with a handshake."""

    _serves_without_sessions = False

    def view(self, connection: Channel, incoming: Incoming | None) -> SessionView:
        """Return the view of the session, which lives as long as the session."""
        session = connection.session
        found = session.feature_state.get(_VIEW)
        if found is None:
            found = session.feature_state[_VIEW] = SessionView(
                self.original,
                session,
                self._translators_for(session),
                peer_info=session.peer_info,
                peer_capabilities=session.peer_capabilities,
            )
        view: SessionView = found
        return view

    def _translators_for(self, session: Any) -> Translators:
        """Return the translators of a session; where each request is one, what all have in common is logged once."""
        if not session.unknown_peer:
            return translators(self.original.binding, self.binding, "server")
        if not self._serves_without_sessions:
            self._serves_without_sessions = True
            self._translators.ledger.log_revisions()
        return self._translators.for_request()

    def answer_itself(self, connection: Channel, incoming: Incoming) -> Any:
        """Keep the log level and the subscriptions, which a stateless server gets with every request."""
        if self.original.binding.era == "handshake":
            return None
        session: Any = connection.session
        if incoming.key.name == _SET_LEVEL:
            session.log_level = incoming.params.level
        elif incoming.key.name == _SUBSCRIBE:
            self._subscribe(session, incoming.params.uri)
            self._follow_subscriptions(connection, incoming)
        elif incoming.key.name == _UNSUBSCRIBE:
            session.subscribed.discard(incoming.params.uri)
            self._follow_subscriptions(connection, incoming)
        else:
            return None
        return incoming.key.result()

    def _subscribe(self, session: Any, uri: str) -> None:
        from ..features.resources import check_room

        resources = self.original.existing_registry("Resources")
        if resources is not None and not resources.finds(uri):
            code = self.binding.facts.unknown_resource_code
            raise ResponseError(code, "Resource not found", {"uri": uri})
        if uri not in session.subscribed:
            check_room(session.subscribed, uri)
            session.subscribed.add(uri)

    def _follow_subscriptions(self, connection: Channel, incoming: Incoming) -> None:
        """Report the subscriptions of a client to the follower of the original; undo the last one if that fails."""
        source = self.original.change_source
        if source is None:
            return
        session: Any = connection.session
        context = ServerContext(self.original, ChannelView(self.view(connection, incoming), connection), None)
        try:
            source.watch(frozenset(session.subscribed), context)
        except ResponseError:
            session.subscribed.discard(incoming.params.uri)
            raise

    def result_instead_of(self, view: SessionView, key: RequestMethod[Any, Any], error: ResponseError) -> Any:
        """Report a missing capability in the result of a tool, which models read, as servers with sessions do."""
        text = missing_input_text(error) if key.name == _CALL_TOOL else None
        if text is not None and view.wire.unknown_peer:
            text = f"this tool needs input from the client, and clients cannot be asked here: {view.wire.unknown_peer}"
        types = self.binding.types
        return None if text is None else types.CallToolResult(content=[types.TextContent(text=text)], is_error=True)

    def result_of(self, channel: ChannelView, seen: IncomingView) -> Any:
        """Return the result of the original's handler; send the questions in a result to the client, and call again."""
        if self.original.binding.era == "handshake":
            return super().result_of(channel, seen)
        question_class: Any = self.original.binding.types.InputRequiredResult
        for _ in range(_MAX_ROUNDS):
            context = self.context_of(channel, seen)
            result = self.original.handlers.handle(seen.key, seen.params, context)
            if result.__class__ is not question_class:
                return result
            seen.params = _retry(context, seen, result)
        reason = f"the handler requested input {_MAX_ROUNDS} times"
        raise ResponseError(INTERNAL_ERROR, "Internal error", {"reason": reason})


class StatelessTwin(ServerTwin):
    """A twin of a revision without handshake."""

    call_router: CallRouter | None

    def __init__(self, original: Server) -> None:
        super().__init__(original)
        if original.binding.era == "stateless":
            # Its handlers write the states.
            replaying: Any = original
            self.signing_key = replaying.signing_key
        self._parked = ParkedCalls(self.binding, original.limit, lambda: self.call_router)

    def view(self, connection: Channel, incoming: Incoming | None) -> SessionView:
        """Return the view of the session in one request, which introduces its client."""
        meta = None if incoming is None else incoming.params.meta
        return SessionView(
            self.original,
            connection.session,
            self._translators if incoming is None else self._translators.for_request(),
            peer_info=None if meta is None else meta.client_info,
            peer_capabilities=None if meta is None else meta.client_capabilities,
            log_level=None if meta is None else meta.log_level,
        )

    def run_original(self, connection: Channel, incoming: Incoming) -> Any:
        """Return the result of the original's handler, or the questions that it waits for."""
        if self.original.binding.era == "stateless":
            return self._replay_original(connection, incoming)
        params = incoming.params
        if incoming.key.name not in self.binding.facts.resumable:
            return self._run_here(
                connection, incoming, ParkedCall(self.binding, connection, incoming, 0.0).send_question
            )
        if params.request_state is not None:
            found = self._parked.forward(self, connection, incoming)
            return self._await(self._parked.resume(connection, incoming), incoming) if found is None else found
        call = ParkedCall(self.binding, connection, incoming, self.original.limit)
        if not self.binding.codec.unstructure(params.meta.client_capabilities):
            # Nothing can be asked, so the handler never waits.
            return self._run_here(connection, incoming, call.send_question)
        view = self.view(connection, incoming)
        channel = ChannelView(view, connection, call.send_question)
        channel.parked = call
        key, own_params = view.inward.request(incoming.key, params, incoming.id)
        seen = self.seen(key, own_params, incoming)

        def move(connection: Any, incoming: Incoming) -> None:
            channel.wire, view.wire = connection, connection.session
            seen.move_to(incoming)

        seen.prepare_move()
        call.move = move
        if not self._parked.start(call, lambda: self.call(view, channel, seen)):
            return self._run_here(connection, incoming, self._parked.refuse)
        return self._await(call, incoming)

    def _replay_original(self, connection: Channel, incoming: Incoming) -> Any:
        """Return the result of a handler that is run again for each answer; raise ``InputNeeded``, in this revision."""
        view = self.view(connection, incoming)
        try:
            return self.translate(view, ChannelView(view, connection), incoming)
        except InputNeeded as question:
            request: Any = question.request
            key, params = view.outward.request(self.original.binding.requests[request.method], request.params)
            raise InputNeeded(question.name, key.message(params=params), question.state) from None

    def result_of(self, channel: ChannelView, seen: IncomingView) -> Any:
        """Return the result of the original's handler; send the user to the pages that it requires, and call it again."""
        for _ in range(_MAX_ROUNDS):
            try:
                return super().result_of(channel, seen)
            except ResponseError as error:
                if seen.key.name not in self.binding.facts.resumable:
                    raise
                if not visit_pages(self.context_of(channel, seen), error):
                    raise
        return super().result_of(channel, seen)

    def _run_here(self, connection: Channel, incoming: Incoming, send_question: SendQuestion) -> Any:
        view = self.view(connection, incoming)
        return self.translate(view, ChannelView(view, connection, send_question), incoming)

    def _await(self, call: ParkedCall, incoming: Incoming) -> Any:
        """Return the result of a call, or the questions that it waits for."""
        requests = call.next()
        if requests is None:
            return call.result
        return self.binding.types.InputRequiredResult(
            # The schema declares the field without the value that the text states.
            result_type="input_required",
            input_requests=requests,
            request_state=self._parked.park(call, incoming),
        )

    def may_announce(self, key: NotificationMethod[Any]) -> bool:
        """Return whether clients can subscribe to a notification."""
        return key.name in CHANGES

    def listening_context(self, connection: Channel, incoming: Incoming) -> Any:
        """Return the context of a subscription, for the source of the original's changes."""
        return ServerContext(self.original, ChannelView(self.view(connection, incoming), connection), incoming)

    def announced(self, key: NotificationMethod[Any], params: Any) -> tuple[NotificationMethod[Any], Any] | None:
        """Return a change of the original as clients of this revision receive it; None if they do not."""
        return self._announcements.notification(key, params)

    def remove_connection(self, connection: Channel) -> None:
        """Forget a connection that has ended, and end the calls that are parked for it."""
        super().remove_connection(connection)
        self._parked.end(connection)

    def close(self) -> None:
        """Close all connections, and end the parked calls."""
        super().close()
        self._parked.end()


def _retry(context: Any, seen: IncomingView, result: Any) -> Any:
    """Ask the client for what a result requests, and return the params of the retry."""
    requests: Mapping[str, Any] = result.input_requests or {}
    by_class = {key.message: key for key in context.connection.session.binding.requests.values()}
    send: Callable[..., Any] = context.request
    answers = {name: send(by_class[request.__class__], request.params) for name, request in requests.items()}
    return seen.params.__replace__(input_responses=answers or None, request_state=result.request_state)
