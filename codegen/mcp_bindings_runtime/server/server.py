"""Servers of every revision: what they have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast, overload

from .. import validation as given
from ..binding import Binding
from ..connection.connection import Connection
from ..connection.context import ServerContext
from ..connection.handlers import Handlers
from ..errors import UsageError
from ..features.limited import Limited
from ..methods import NotificationMethod, RequestMethod
from ..session.capabilities import OFFERED, declared_by, introduction
from ..session.events import Incoming, Notified
from ..session.log_levels import Level, check_level
from ..session.session import Session
from .announcements import Announcement, tell_each

if TYPE_CHECKING:
    from ..connection.channel import Channel
    from ..features.completion import Completions
    from ..features.limits import Limits
    from ..features.pagination import Paginator
    from ..features.prompts import Prompts
    from ..features.resources import Resources
    from ..features.tools import Tools
    from ..tasks.core_tasks import CoreTasks
    from ..tasks.extension_tasks import ExtensionTasks
    from ..tasks.store import MemoryTasks, Support
    from ..transports import Transport

P = TypeVar("P")
R = TypeVar("R")

_ROOTS_CHANGED = "notifications/roots/list_changed"


class Server(Limited, ABC):
    """A server: handlers for methods, served on any number of connections.

    ``name``, ``version`` and, where the revision has them, ``title``, ``description``, ``icons`` and ``website_url``
    introduce it; ``instructions`` say to a language model how to use it. ``capabilities`` are added to those that follow
    from the handlers. ``logging`` says whether handlers may send log messages. At most ``workers`` requests of one
    connection run at the same time. ``timeout`` is how many seconds an answer of the client may take, ``limit`` how many
    altogether if it reports progress. ``grace`` is how many seconds running handlers have left after the client has left.

    With ``ping`` a client that is served in threads is pinged after so many seconds without a message, and its connection
    ends after ``ping_failures`` of them without an answer; in revisions whose servers may not ping, that is a UsageError.

    Lists come in pages of ``page_size``. ``cursor_key``, 32 secret bytes or more, signs cursors: processes that serve one
    endpoint need the same, by default each server object draws its own. ``tasks`` keeps the tasks that requests become.
    ``limits`` bounds how often a client may call tools and ask for completions, and how often it is sent progress and log
    messages; False for no limit. ``redact`` is called with the data of each log message, and returns what is sent. Raises
    UsageError for a ``page_size`` below 1, and for ``tasks`` in revisions without them.
    """

    binding: Binding
    context: ClassVar[type[ServerContext]]

    def __init__(
        self,
        name: str,
        version: str,
        *,
        title: str | None = None,
        description: str | None = None,
        icons: Sequence[Any] | None = None,
        website_url: str | None = None,
        instructions: str | None = None,
        capabilities: Any = None,
        logging: bool = True,
        workers: int = 16,
        timeout: float = 60.0,
        limit: float = 600.0,
        grace: float = 2.0,
        ping: float | None = None,
        ping_failures: int = 3,
        page_size: int = 100,
        cursor_key: bytes | None = None,
        tasks: MemoryTasks | None = None,
        limits: Limits | bool = True,
        redact: Callable[[Any], Any] | None = None,
    ) -> None:
        if ping is not None and "ping" not in self.binding.requests:
            message = f"servers of {self.binding.revision} send no requests, so no ping; leave `ping` out"
            raise UsageError(message)
        more = {"title": title, "description": description, "icons": icons, "website_url": website_url}
        self.info = introduction(self.binding, name, version, **more)
        given.require_seconds(timeout=timeout, limit=limit, grace=grace, ping=ping or 0)
        given.require_positive_integers(workers=workers, ping_failures=ping_failures, page_size=page_size)
        given.require_strings(instructions=instructions)
        given.require_booleans(logging=logging)
        given.require_secret("cursor_key", cursor_key)
        if redact is not None:
            given.require_callable("redact", redact, ("data",))
        self.instructions = instructions
        self.timeout = timeout
        self.limit = limit
        self.workers = workers
        self.grace = grace
        self._ping = ping
        self._ping_failures = ping_failures
        self._page_size = page_size
        self._cursor_key = cursor_key
        self._capabilities = capabilities
        self._logging = logging
        super().__init__(limits)
        self.redact = redact
        self._handlers = Handlers(self.binding, "server")
        self._lock = Lock()
        self._connections: set[Channel] = set()
        self._told_otherwise: set[Channel] = set()
        self.relays: list[Callable[[Announcement], None]] = []
        """Are given what is announced, for clients of other processes."""
        self._paginator: Paginator | None = None
        self._receiver: CoreTasks | ExtensionTasks | None = None
        self._declared: tuple[frozenset[str], CoreTasks | ExtensionTasks | None, Any] | None = None
        self._offers: dict[str, Any] = {}
        if tasks is not None:
            self._execute_tasks(tasks)

    @overload
    def handler(self, key: RequestMethod[P, R]) -> Callable[[Callable[[P, Any], R]], Callable[[P, Any], R]]: ...
    @overload
    def handler(self, key: NotificationMethod[P]) -> Callable[[Callable[[P, Any], None]], Callable[[P, Any], None]]: ...
    def handler(self, key: Any) -> Any:
        """Registers the function that handles a method: it is called with the typed params and a context.

        For a request it returns the typed result (None for an empty one), or raises ResponseError. Any other exception
        is logged, and answered with -32603 and no detail. Raises UsageError for a method that clients do not send.
        """
        return self._handlers.register(key)

    @property
    def capabilities(self) -> Any:
        """What the server declares: what its handlers, ``logging`` and ``capabilities`` amount to.

        What is declared by ``capabilities`` alone is answered from then on, though nothing may be offered yet.
        """
        methods, receiver = self._handlers.methods, self._receiver
        declared = self._declared
        # Each session asks for them, and over HTTP a session may be one request.
        if declared is None or declared[0] != methods or declared[1] is not receiver:
            for kind, method in OFFERED.items():
                if method not in methods and getattr(self._capabilities, kind, None) is not None:
                    getattr(self, kind)
            methods = self._handlers.methods
            capabilities = declared_by(
                self.binding,
                "server",
                methods,
                more=self._capabilities,
                logging=self._logging,
                also=() if receiver is None else receiver.declared,
            )
            declared = self._declared = methods, receiver, capabilities
        return declared[2]

    @property
    def tasks(self) -> MemoryTasks:
        """The tasks that requests become: those that the server was made with, or else of default limits.

        Raises UsageError in revisions without tasks.
        """
        if self._receiver is None:
            from ..tasks.store import MemoryTasks

            self._execute_tasks(MemoryTasks())
        return cast("CoreTasks | ExtensionTasks", self._receiver).store

    def supports_task(self, tool: str) -> Support:
        """Whether a tool may be called as a task, or has to be."""
        return "forbidden" if self._receiver is None else self._receiver.store.support(tool)

    @abstractmethod
    def _execute_tasks(self, tasks: MemoryTasks) -> None:
        """Execute requests as tasks from now on."""

    # What is offered, by kind: for what the decorators add, and for adding and removing later.

    @property
    def tools(self) -> Tools:
        """The tools."""
        tools: Tools = self._offered("tools", "Tools")
        return tools

    @property
    def resources(self) -> Resources:
        """The resources and their templates: ``add``, ``add_template``, ``remove``, ``changing()``, ``updated``."""
        found: Resources = self._offered("resources", "Resources")
        return found

    @property
    def prompts(self) -> Prompts:
        """The prompts: ``add``, ``remove``, ``changing()``. They are declared as soon as this is asked for."""
        found: Prompts = self._offered("prompts", "Prompts")
        return found

    @property
    def completions(self) -> Completions:
        """What completes arguments of prompts and variables of templates."""
        found: Completions = self._offered("completion", "Completions")
        return found

    def _offered(self, module: str, name: str) -> Any:
        """What holds the offers of a kind, made when it is first asked for: its module is loaded with it."""
        found = self._offers.get(name)
        if found is None:
            from importlib import import_module

            cls = getattr(import_module(f"..features.{module}", __package__), name)
            with self._lock:
                found = self._offers.get(name)
                if found is None:
                    found = self._offers[name] = cls(self)
        return found

    def listed_tool(self, name: str) -> Any:
        """What the list says of a tool: an object of the revision; None where the registry does not have it."""
        tools = self._offers.get("Tools")
        found = None if tools is None else tools.get(name)
        return None if found is None else found.listed

    # What the registries of ``features`` need.

    def offered(self, name: str) -> Any:
        """What holds the offers of a kind, by its class; None where nobody has asked for it yet."""
        return self._offers.get(name)

    def provide(self, method: str, function: Callable[[Any, Any], Any]) -> None:
        """Has a function handle a method of the client, unless there is a handler for it."""
        if method not in self._handlers.methods:
            self._handlers.add(self.binding.requests[method], function)

    @property
    def paginator(self) -> Paginator:
        """Cuts the server's lists into pages."""
        if self._paginator is None:
            import os

            from ..features.pagination import Paginator

            key = self._cursor_key or os.urandom(32)
            with self._lock:
                self._paginator = self._paginator or Paginator(self._page_size, key)
        return self._paginator

    def freshness(self, method: str, name: str | None = None, params: Any = None) -> dict[str, Any]:
        """Return the attributes of a result that say how long it may be kept: none, unless the revision has them.

        ``name`` is what the result is about, a resource's URI or its template; ``params`` are those of the request.
        """
        return {}

    # Connections.

    @abstractmethod
    def session(self, versions: Sequence[str] = ()) -> Session:
        """Return a session with a new client.

        ``versions`` are all revisions that are served where it is served, for those sessions that name them.
        """

    def connect(self, transport: Transport, *, versions: Sequence[str] = ()) -> Connection:
        """Speaks with the client at the other end of a transport, which is the server's from now on.

        Nothing is read until ``serve`` or ``pump`` of the connection is called. ``versions`` are as those of ``session``.
        """
        given.require_transport(transport)
        connection = Connection(
            transport,
            self.session(versions),
            run=self.run,
            listen=self.listen,
            timeout=self.timeout,
            limit=self.limit,
            workers=self.workers,
        )
        self.admit(connection)
        return connection

    def admit(self, link: Channel, *, told: bool = True) -> None:
        """Counts a conversation among those that ``close`` ends and, unless a relay does, that are told of changes."""
        with self._lock:
            self._connections.add(link)
            if not told:
                self._told_otherwise.add(link)

    def dismiss(self, link: Channel) -> None:
        """Forgets a conversation that has ended."""
        with self._lock:
            self._connections.discard(link)
            self._told_otherwise.discard(link)
        if self._receiver is not None:
            self._receiver.store.leave(link.session)

    def listen(self, connection: Channel, notified: Notified) -> None:
        """Gives a notification to its handler, if there is one."""
        kept = connection.session.feature_state
        if notified.key.name == _ROOTS_CHANGED and "roots" in kept:
            kept["roots"].forget()
        self._handlers.notice(notified, self.context(self, connection, None))

    def run(self, connection: Channel, incoming: Incoming) -> bytes | None:
        """Has a request handled; the line that answers it, None where there is none to send."""
        if self._receiver is not None:
            taken = self._receiver.intercept(connection, incoming)
            if taken is not None:
                return taken[0]
        return self._handlers.answer(connection, incoming, self.context(self, connection, incoming))

    def serve(self, transport: Transport) -> None:
        """Speaks with a client until it leaves, or ``close`` is called."""
        self.serve_connection(self.connect(transport))

    def serve_connection(self, connection: Connection) -> None:
        """Serves what ``connect`` has made, until the client leaves."""
        if self._ping is not None:
            from ..connection.keepalive import watch

            watch(connection, self.binding, every=self._ping, failures=self._ping_failures)
        try:
            connection.serve()
            connection.drain(self.grace)
        finally:
            self._drop(connection)

    def close(self) -> None:
        """Ends all connections. Idempotent; from any thread."""
        with self._lock:
            connections = list(self._connections)
        for connection in connections:
            self._drop(connection)

    def _drop(self, connection: Channel) -> None:
        connection.close(self._last_words(connection))
        self.dismiss(connection)

    def _last_words(self, connection: Channel) -> list[bytes]:
        """Return the lines that end a connection in good order."""
        return []

    # What clients are told without having asked.

    def notify(self, key: NotificationMethod[Any], params: Any = None) -> None:
        """Sends a notification to every client that is connected and has finished its handshake."""
        given.require_method_key(key)
        self._announce(Announcement(key, params))

    def log(self, level: Level, data: Any, logger: str | None = None) -> None:
        """Sends a log message to every client that wants those of its severity; nobody does where each has a request."""
        check_level(level)
        key = self.binding.notifications["notifications/message"]
        shown = data if self.redact is None else self.redact(data)
        self._announce(Announcement(key, key.params(level=level, data=shown, logger=logger), level=level))

    def announce(self, method: str, params: Any = None, *, about: tuple[str, ...] = ()) -> None:
        """Send a notification to the clients to which the server has declared it by its capabilities.

        With URIs of resources in ``about``, send it only to those that have subscribed to one of them.
        """
        self._announce(Announcement(self.binding.notifications[method], params, promised=True, about=about))

    def _announce(self, announcement: Announcement) -> None:
        for relay in list(self.relays):
            relay(announcement)
        self.tell_here(announcement)

    def tell_here(self, announcement: Announcement) -> None:
        """Tells the clients of this process."""
        here = self._connections - self._told_otherwise

        def tell(connection: Channel) -> None:
            if announcement.level is not None:
                self.context(self, connection, None).send_log(announcement.params)
            else:
                self._tell(connection, announcement)

        tell_each((each for each in here if announcement.reaches(self.binding, each.session)), tell)

    @abstractmethod
    def _tell(self, connection: Channel, announcement: Announcement) -> None:
        """Tell one client of an announcement that reaches it."""
