"""Servers of every revision: what they have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from threading import Lock
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast, overload

from ..auth.scopes import scope_set
from ..binding import Binding
from ..connection.connection import Connection
from ..connection.context import ServerContext
from ..connection.handlers import Handlers, SourceOf
from ..errors import UsageError
from ..features.limited import Limited
from ..logs import write_log
from ..methods import NotificationMethod, RequestMethod
from ..session.capabilities import OFFERED, declared_by, introduction
from ..session.events import Incoming, Notified
from ..session.log_levels import Level, check_level
from ..session.session import Session
from ..validation import require_callable, require_method_key, require_transport
from .announcements import Announcement, announce_deferred, recipients, send_to_each
from .caller_binding import with_caller
from .options import ServerOptions
from .served_revisions import ServedRevisions
from .signing_key import SigningKey

if TYPE_CHECKING:
    from ..connection.channel import Channel
    from ..facts import Era
    from ..features.completion import Completions
    from ..features.pagination import Paginator
    from ..features.prompts import Prompts
    from ..features.resources import Resources
    from ..features.tools import Tools
    from ..session.caller import Caller
    from ..task_interfaces import Support, TaskReceiver, TaskStore
    from ..transports import Transport
    from .subscription_opening import ChangeSource

P = TypeVar("P")
R = TypeVar("R")

_ROOTS_CHANGED = "notifications/roots/list_changed"


class Server(Limited, ABC):
    """A server: handlers for methods, served on any number of connections.

    ``options`` are those of `ServerOptions`. Raise `UsageError` for a value that does not fit its option, for ``ping`` in
    a revision whose servers send no requests, and for ``tasks`` in a revision without tasks.
    """

    binding: Binding
    change_source: ChangeSource | None = None
    """Sends clients the changes to which they subscribe; None if the server announces changes itself."""
    context: ClassVar[type[ServerContext]]

    def __init__(self, name: str, version: str, **options: Any) -> None:
        self._options = chosen = self._read_options(options)
        if chosen.ping is not None and "ping" not in self.binding.requests:
            message = f"servers of {self.binding.revision} send no requests, so no ping; leave `ping` out"
            raise UsageError(message)
        if chosen.extensions:
            from ..extensions.extended_binding import with_extensions

            self.binding = with_extensions(self.binding, chosen.extensions)
        self.info = introduction(
            self.binding,
            name,
            version,
            title=chosen.title,
            description=chosen.description,
            icons=chosen.icons,
            website_url=chosen.website_url,
        )
        self.instructions = chosen.instructions
        self.timeout = chosen.timeout
        self.limit = chosen.limit
        self.workers = chosen.workers
        super().__init__(chosen.limits)
        self.redact = chosen.redact
        self._handlers = Handlers(self.binding, "server")
        self._lock = Lock()
        self._connections: set[Channel] = set()
        self._relayed: set[Channel] = set()
        """The connections to which a relay sends announcements."""
        self.relays: list[Callable[[Announcement], None]] = []
        """Functions that pass announcements on to the clients of other processes."""
        self._cursor_key = SigningKey(chosen.cursor_key)
        self._paginator: Paginator | None = None
        self._receiver: TaskReceiver | None = None
        self._declared: tuple[frozenset[str], TaskReceiver | None, Any] | None = None
        """Handled methods, task receiver, and the capabilities that follow from them."""
        self.served_revisions = ServedRevisions(self.binding, chosen.revisions)
        self._registries: dict[str, Any] = {}
        """Registries of features by the names of their classes."""
        self._has_scopes = False
        self._scopes_ignored = False
        if chosen.tasks is not None:
            self._execute_tasks(chosen.tasks)

    def _read_options(self, options: dict[str, Any]) -> ServerOptions:
        return ServerOptions(**options)

    @overload
    def handler(self, key: RequestMethod[P, R]) -> Callable[[Callable[[P, Any], R]], Callable[[P, Any], R]]: ...
    @overload
    def handler(self, key: NotificationMethod[P]) -> Callable[[Callable[[P, Any], None]], Callable[[P, Any], None]]: ...
    def handler(self, key: Any) -> Any:
        """Register the function that handles a method. It is called with the typed params and a context.

        For a request it returns the typed result (None for an empty one) or raises `ResponseError`. Any other exception
        is logged, and the response is the error -32603 without details. Raise `UsageError` for a method that clients do
        not send.
        """
        return self._handlers.register(key)

    def raw_handler(
        self, method: str
    ) -> Callable[
        [Callable[[dict[str, Any], Any], Mapping[str, Any]]], Callable[[dict[str, Any], Any], Mapping[str, Any]]
    ]:
        """Register the function that handles a request that no schema declares: its params and result are JSON objects.

        ``method`` is its name on the wire. The function is called like those of ``handler``; ``_meta`` is in the
        context. Connections that are open already do not know the method. Raise `UsageError` if the method belongs to
        the revision or to one of the server's ``extensions``, or if it already has a handler.
        """
        from ..extensions.extended_binding import with_raw_request

        binding, key = with_raw_request(self.binding, method)

        def register(
            function: Callable[[dict[str, Any], Any], Mapping[str, Any]],
        ) -> Callable[[dict[str, Any], Any], Mapping[str, Any]]:
            require_callable(f"the handler of {method}", function, ("params", "context"))
            self.binding = binding
            self._handlers.extend(binding)
            self._handlers.add_raw(key, function)
            return function

        return register

    @property
    def capabilities(self) -> Any:
        """The capabilities that follow from the handlers and the options ``logging`` and ``capabilities``.

        If only the option ``capabilities`` declares a feature, reading this attribute adds the handlers of the feature,
        although the feature has nothing to list yet.
        """
        methods, receiver = self._handlers.methods, self._receiver
        declared = self._declared
        # Every session needs them, and over HTTP a session may be a single request.
        if declared is None or declared[0] != methods or declared[1] is not receiver:
            more = self._options.capabilities
            for kind, method in OFFERED.items():
                if method not in methods and getattr(more, kind, None) is not None:
                    getattr(self, kind)
            methods = self._handlers.methods
            capabilities = declared_by(
                self.binding,
                "server",
                methods,
                more=more,
                logging=self._options.logging,
                also=() if receiver is None else receiver.declared,
            )
            declared = self._declared = methods, receiver, capabilities
        return declared[2]

    def capabilities_for(self, era: Era) -> Any:
        """Return the capabilities that clients of an era may use, in the server's revision."""
        return self.capabilities

    @property
    def tasks(self) -> TaskStore:
        """The store of tasks: the option ``tasks``, or else one with default limits.

        Raise `UsageError` in a revision without tasks.
        """
        if self._receiver is None:
            self._execute_tasks(None)
        return cast("TaskReceiver", self._receiver).store

    @property
    def existing_tasks(self) -> TaskStore | None:
        """The store of tasks; None if requests are not run as tasks."""
        return None if self._receiver is None else self._receiver.store

    def supports_task(self, tool: str) -> Support:
        """Return whether a tool may or must be called as a task."""
        return "forbidden" if self._receiver is None else self._receiver.store.support(tool)

    @abstractmethod
    def _execute_tasks(self, tasks: TaskStore | None) -> None:
        """Execute requests as tasks from now on, in a store of default limits for None."""

    # Registries of features.

    @property
    def tools(self) -> Tools:
        """The registry of tools: ``add``, ``remove``, ``changing()``."""
        tools: Tools = self._registry("tools", "Tools")
        return tools

    @property
    def resources(self) -> Resources:
        """The registry of resources and templates: ``add``, ``add_template``, ``remove``, ``changing()``, ``updated``."""
        found: Resources = self._registry("resources", "Resources")
        return found

    @property
    def prompts(self) -> Prompts:
        """The registry of prompts: ``add``, ``remove``, ``changing()``. Accessing it declares the capability."""
        found: Prompts = self._registry("prompts", "Prompts")
        return found

    @property
    def completions(self) -> Completions:
        """The registry of completions for arguments of prompts and variables of resource templates."""
        found: Completions = self._registry("completion", "Completions")
        return found

    def _registry(self, module: str, name: str) -> Any:
        """Return the registry of a feature; import its module and create it on first use."""
        found = self._registries.get(name)
        if found is None:
            cls = getattr(import_module(f"..features.{module}", __package__), name)
            with self._lock:
                found = self._registries.get(name)
                if found is None:
                    found = self._registries[name] = cls(self)
        return found

    def listed_tool(self, name: str) -> Any:
        """Return the ``Tool`` that the list has for a name; None if the registry has no such tool."""
        tools = self._registries.get("Tools")
        found = None if tools is None else tools.get(name)
        return None if found is None else found.listed

    # Services for the registries.

    def existing_registry(self, name: str) -> Any:
        """Return a registry by the name of its class; None if it was not used yet."""
        return self._registries.get(name)

    def checked_scopes(self, what: str, scopes: Iterable[str]) -> frozenset[str]:
        """Return the scopes that a registration requires, as a set; ``what`` names it in errors. Raise ``UsageError``."""
        found = scope_set(f"{what}: scopes", scopes)
        self._has_scopes = self._has_scopes or bool(found)
        return found

    def add_default_handler(self, method: str, function: Callable[[Any, Any], Any], source_of: SourceOf = None) -> None:
        """Register a function for a method of the client unless the method has a handler."""
        self._handlers.add_default(self.binding.requests[method], function, source_of)

    @property
    def paginator(self) -> Paginator:
        """The paginator of the server's lists."""
        if self._paginator is None:
            from ..features.pagination import Paginator

            with self._lock:
                self._paginator = self._paginator or Paginator(self._options.page_size, self._cursor_key.value)
        return self._paginator

    def cache_hints(self, method: str, name: str | None = None, params: Any = None) -> dict[str, Any]:
        """Return the attributes of a result that say how long it may be kept: none unless the revision has them.

        ``name`` is the URI or the template of the resource in the result, ``params`` are those of the request.
        """
        return {}

    @property
    def has_scopes(self) -> bool:
        """Whether a tool, resource or prompt needs scopes."""
        return self._has_scopes

    @property
    def options(self) -> ServerOptions:
        """The options that the server was made with."""
        return self._options

    @property
    def handlers(self) -> Handlers:
        """The functions that handle requests and notifications."""
        return self._handlers

    # Connections.

    @abstractmethod
    def session(self, versions: Sequence[str] = ()) -> Session:
        """Return a session with a new client.

        ``versions`` are all revisions that the endpoint supports, for sessions that list them.
        """

    def connect(
        self, transport: Transport, *, versions: Sequence[str] = (), caller: Caller | None = None
    ) -> Connection:
        """Return a connection to the client at the other end of a transport, which the connection owns from now on.

        It reads nothing until its ``serve`` or ``pump`` is called. ``versions`` are those of ``session``. All requests come
        from ``caller``.
        """
        require_transport(transport)
        if self.has_scopes and not self._scopes_ignored:
            self._scopes_ignored = True
            write_log(
                "info", "the scopes of tools, resources and prompts are ignored: this transport has no access tokens"
            )
        connection = Connection(
            transport,
            self.session(versions),
            run=with_caller(self.handle_request, caller),
            listen=self.handle_notification,
            timeout=self.timeout,
            limit=self.limit,
            workers=self.workers,
        )
        self.add_connection(connection)
        return connection

    def add_connection(self, connection: Channel, *, relayed: bool = False) -> None:
        """Include a connection in ``close`` and, unless a relay sends it announcements, in announcements."""
        with self._lock:
            self._connections.add(connection)
            if relayed:
                self._relayed.add(connection)

    def remove_connection(self, connection: Channel) -> None:
        """Forget a connection that has ended."""
        with self._lock:
            self._connections.discard(connection)
            self._relayed.discard(connection)
        if self._receiver is not None:
            self._receiver.store.leave(connection.session)

    def handle_notification(self, connection: Channel, notified: Notified) -> None:
        """Call the handler of a notification, if there is one."""
        announce_deferred(connection, self.binding, self._send_announcement)
        kept = connection.session.feature_state
        if notified.key.name == _ROOTS_CHANGED and "roots" in kept:
            kept["roots"].forget()
        self._handlers.notice(notified, self.context(self, connection, None))

    def handle_request(self, connection: Channel, incoming: Incoming) -> bytes | None:
        """Call the handler of a request and return the line of its response; None if there is none to send now."""
        if self._receiver is not None:
            handled = self._receiver.intercept(connection, incoming)
            if handled is not None:
                return handled[0]
        return self._handlers.answer(connection, incoming, self.context(self, connection, incoming))

    # Other revisions.

    @property
    def revisions(self) -> tuple[str, ...]:
        """The revisions whose clients are served, newest first: all installed ones, or those of the option ``revisions``."""
        return self.served_revisions.revisions

    def serving(self, revision: str) -> Server:
        """Return the server for clients of a revision: this one, or its twin of that revision."""
        return self if revision == self.binding.revision else self.served_revisions.twin(self, revision)

    def serve_connection(self, connection: Connection) -> None:
        """Serve a connection that ``connect`` has returned until the client leaves."""
        self.watch(connection)
        try:
            connection.serve()
            connection.drain(self._options.grace)
        finally:
            self.close_connection(connection)

    def watch(self, connection: Connection) -> None:
        """Ping the client of a connection when it is silent, if the option ``ping`` is set."""
        if self._options.ping is not None:
            from ..connection.keepalive import watch

            watch(connection, self.binding, every=self._options.ping, failures=self._options.ping_failures)

    def close(self) -> None:
        """Close all connections. Idempotent; may be called from any thread."""
        with self._lock:
            connections = list(self._connections)
        for connection in connections:
            self.close_connection(connection)
        for twin in self.served_revisions.twins:
            twin.close()

    def close_connection(self, connection: Channel) -> None:
        """Close one connection."""
        connection.close(self._closing_lines(connection))
        self.remove_connection(connection)

    def _closing_lines(self, connection: Channel) -> list[bytes]:
        """Return the lines to send before a connection is closed."""
        return []

    # Announcements: notifications that belong to no request.

    def notify(self, key: NotificationMethod[P], params: P | None = None) -> None:
        """Send a notification to all clients with an open session; skip those that lack the extension that defines it."""
        require_method_key(key, request=False)
        methods = self.binding.wire_methods
        wire: Any = None if methods is None else methods.keys.get(key)
        self._announce(Announcement(key, params) if wire is None else Announcement(wire, wire.to_wire(params)))

    def log(self, level: Level, data: Any, logger: str | None = None) -> None:
        """Send a log message to every client that wants messages of this level.

        Nothing is sent in revisions in which log messages belong to requests.
        """
        check_level(level)
        key = self.binding.notifications["notifications/message"]
        shown = data if self.redact is None else self.redact(data)
        self._announce(Announcement(key, key.params(level=level, data=shown, logger=logger), level=level))

    def announce(self, method: str, params: Any = None, *, about: tuple[str, ...] = ()) -> None:
        """Send a notification to the clients to which the server has declared it by its capabilities.

        With URIs of resources in ``about``, send it only to those that have subscribed to one of them.
        """
        self._announce(Announcement(self.binding.notifications[method], params, declared=True, about=about))

    def _announce(self, announcement: Announcement) -> None:
        for relay in list(self.relays):
            relay(announcement)
        self.announce_locally(announcement)
        for twin in self.served_revisions.twins:
            twin.relay_announcement(announcement)

    def announce_locally(self, announcement: Announcement) -> None:
        """Send an announcement to the clients of this process."""

        def send(connection: Channel) -> None:
            if announcement.level is not None:
                self.context(self, connection, None).send_log(announcement.params)
            else:
                self._send_announcement(connection, announcement)

        send_to_each(recipients(announcement, self._connections - self._relayed, self.binding), send)

    @abstractmethod
    def _send_announcement(self, connection: Channel, announcement: Announcement) -> None:
        """Send an announcement to one client that it reaches."""
