"""The base of the clients of all revisions."""

from __future__ import annotations

from _warnings import warn
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any, ClassVar, ParamSpec, TypeVar
from weakref import WeakMethod

from ..binding import Binding
from ..connection.call_scope import CallScope, held
from ..connection.connection import Connection
from ..connection.context import QUESTIONS, ClientContext, Context
from ..connection.handlers import Handlers
from ..errors import ConnectionClosed, McpError, MissingCapability, ProtocolError, RequestTimeout, UsageError
from ..features.limited import Limited
from ..foreign_names import OF_CLIENTS, explain_attributes
from ..methods import NotificationMethod, RequestMethod
from ..session.capabilities import declared_by, introduction
from ..session.events import Incoming, Notified
from ..validation import require_callable
from .activity_log import log_activity, log_failure, log_opening
from .options import ClientOptions
from .transport_factories import recorded, require_factory

if TYPE_CHECKING:
    from typing import Self

    from ..bridge.connection_ledger import ConnectionLedger
    from ..features.tools_lock import ToolsLock
    from ..http.client.repeater import Retry
    from ..transports import Transport
    from .output_check import Outputs
    from .running_call import RunningCall

P = ParamSpec("P")
R = TypeVar("R")
Params = TypeVar("Params")

_ENDED = "the connection of this client has ended; make another client"
_LISTS = frozenset({"tools/list"})
_TOOLS_CHANGED = "notifications/tools/list_changed"


class Answers(Handlers):
    """The handlers of a client; they check questions of the server and their own answers."""

    def handle(self, key: RequestMethod[Any, Any], params: Any, context: Any) -> Any:
        """Return the result of a request. Raise as ``Handlers.handle``, and for a question that is not allowed."""
        with context.cancellable():
            if key.name not in QUESTIONS or key.name not in self.methods:
                return super().handle(key, params, context)
            from ..features.server_requests import check_incoming_request, finish_result

            check_incoming_request(context, key, params)
            return finish_result(context, key, params, super().handle(key, params, context))


@explain_attributes(OF_CLIENTS)
class Client(Limited, ABC):
    """A client: thread-safe; it connects when it is entered (``with``) or by ``connect``.

    Handlers of requests are registered before it connects, as the declared capabilities follow from them.
    """

    binding: Binding
    context: ClassVar[type[Context]] = ClientContext

    options_class: ClassVar[type[ClientOptions]]

    def __init__(self, open_transport: Callable[[], Transport], options: ClientOptions) -> None:
        require_factory(open_transport)
        self._options = options
        if options.extensions:
            from ..extensions.extended_binding import with_extensions

            self.binding = with_extensions(self.binding, options.extensions)
        self.info = introduction(
            self.binding,
            options.name,
            options.version,
            title=options.title,
            description=options.description,
            icons=options.icons,
            website_url=options.website_url,
        )
        self.timeout = options.timeout
        self.limit = options.limit
        self._open = open_transport
        self._handlers = Answers(self.binding, "client")
        self._connection: Connection | None = None
        self._closed = False
        self._greeting: Connection | None = None
        """The connection during the handshake, so that ``close`` can end it."""
        self._connecting = Lock()
        super().__init__(options.limits)
        self.checks_outputs: bool | None = None
        """Whether results of tools are validated against their schemas; None: if ``jsonschema`` is installed."""
        self.outputs: Outputs | None = None
        """The output schemas of the listed tools, once there are any."""
        self.tools_lock: ToolsLock | None = None
        """The lock that the tools of the server are compared with."""
        facts = self.binding.facts
        self.followed: frozenset[str] = _LISTS if facts.output_schemas else frozenset()
        """The methods whose results ``follow`` handles."""
        self.task_support: dict[str, str] | None = {} if facts.tool_execution else None
        """``execution.taskSupport`` of the listed tools, by name; None if the revision has no such member."""
        self._has: Sequence[str] = ()
        """Dotted paths of capabilities that follow from the options."""
        if options.has_callbacks:
            from ..features.callbacks import install

            self._has = install(self, vars(options))

    # Handlers.

    def handler(self, key: Any) -> Any:
        """Register the function that handles a method of the server, called with typed params and a context.

        Handlers of requests are registered before the client connects, as its capabilities follow from them. Raise
        ``UsageError`` for later ones, and for a method that servers do not send.
        """
        self._check_in_time(key)
        remember: Callable[[Any], Any] = self._handlers.register(key)

        def register(function: Any) -> Any:
            remember(function)
            self._receive_notifications(self._connection)
            return function

        return register

    def handles(
        self, key: RequestMethod[Any, Any] | NotificationMethod[Any], function: Callable[[Any, Any], Any]
    ) -> None:
        """Register a function for a method, like ``handler``."""
        self._check_in_time(key)
        require_callable(f"the handler of {key.name}", function, ("params", "context"))
        self._handlers.add(key, function)
        self._receive_notifications(self._connection)

    def handler_of(self, key: RequestMethod[Any, Any] | NotificationMethod[Any]) -> Callable[[Any, Any], Any] | None:
        """Return the function that handles a method; None if there is none."""
        return self._handlers.of(key)

    def _check_in_time(self, key: RequestMethod[Any, Any] | NotificationMethod[Any]) -> None:
        if self._connection is not None and isinstance(key, RequestMethod):
            text = f"{key.name} is declared when the client connects; register the handler before"
            raise UsageError(text)

    def _receive_notifications(self, connection: Connection | None) -> None:
        """Open the stream of server messages if the transport has one."""
        if connection is not None:
            connection.listen()

    @property
    def capabilities(self) -> Any:
        """The declared capabilities: those of the handlers and the option ``capabilities``."""
        return declared_by(
            self.binding, "client", self._handlers.methods, more=self._options.capabilities, also=self._also_declared()
        )

    def _also_declared(self) -> Sequence[str]:
        """Return the dotted paths of capabilities that follow from the options."""
        return self._has

    # The connection.

    def __enter__(self) -> Self:
        self.connect()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def connect(self) -> None:
        """Open the connection and do the handshake, unless that is done.

        All of it has the client's ``timeout``. Raise ``ConnectionClosed`` if there is no server or the client has ended,
        ``UnsupportedRevision`` if the server does not support this revision, ``MissingCapability`` if it has not declared
        what is required, ``RequestTimeout`` if it does not answer; the transport is closed then.
        """
        with held(self._connecting, "the connection is being opened"):
            if self._closed:
                raise ConnectionClosed(_ENDED)
            if self._connection is not None and not self._stale(self._connection):
                if self._connection.closed:
                    raise ConnectionClosed(_ENDED)
                return
            transport = recorded(self._open(), self._options.record, self._options.redact)
            connection = self._greeting = log_opening(self.attach(transport))
            try:
                with CallScope(self.timeout):
                    try:
                        self.greet(connection)
                    except (ProtocolError, RequestTimeout, ConnectionClosed) as fault:
                        connection = self._negotiate(transport, connection, fault)
                    self.adopt(connection)
            except BaseException as fault:
                log_failure(fault)
                connection.close()
                raise
            finally:
                self._greeting = None

    def _negotiate(self, transport: Transport, connection: Connection, fault: McpError) -> Any:
        """Return the connection in another revision after the first attempt, in the client's own, has failed.

        Raise the error of that attempt if it says nothing about the revision, or there is no other one.
        """
        if self._closed:
            raise fault
        from ..bridge.client_negotiation import negotiate
        from ..bridge.program import Program

        program = Program(self, self._handlers, self._handle_notification, self._open, self._options)

        def attached(connection: Connection) -> None:
            self._greeting = connection

        return negotiate(program, transport, connection, fault, attached)

    def _stale(self, connection: Connection) -> bool:
        """Return whether to open another connection in place of this one."""
        return False

    def attach(self, transport: Transport) -> Connection:
        """Return a connection of this client over a transport; nothing is sent or read yet."""
        # Threads keep a connection alive, but not the client, so that a client without references ends.
        running, handling = WeakMethod(self._run), WeakMethod(self._handle_notification)

        def run(connection: Connection, incoming: Incoming) -> bytes | None:
            answer = running()
            return None if answer is None else answer(connection, incoming)

        def listen(connection: Connection, notified: Notified) -> None:
            handler = handling()
            if handler is not None:
                handler(connection, notified)

        return Connection(
            transport,
            self._session(),
            run=run,
            listen=listen,
            timeout=self.timeout,
            limit=self.limit,
            workers=self._options.workers,
        )

    def _run(self, connection: Connection, incoming: Incoming) -> bytes | None:
        return self._handlers.answer(connection, incoming, self.context(self, connection, incoming))

    def _handle_notification(self, connection: Connection, notified: Notified) -> None:
        self.forget_outdated(notified)
        self._handlers.notice(notified, self.context(self, connection, None))

    def forget_outdated(self, notified: Notified) -> None:
        """Drop what a notification makes outdated."""
        if notified.key.name == _TOOLS_CHANGED:
            if self.outputs is not None:
                self.outputs.forget()
            if self.task_support:
                self.task_support = {}

    @abstractmethod
    def greet(self, connection: Connection, *, timeout: float | None = None) -> None:
        """Find out what the server is, before anything else; ``timeout`` is in seconds."""

    @abstractmethod
    def _session(self) -> Any:
        """Return a new session of the revision's era."""

    def adopt(self, connection: Connection) -> None:
        """Make a connection the client's after its handshake. Raise ``MissingCapability``."""
        declared = connection.session.peer_capabilities
        missing = [path for path in self._options.require if not self.binding.declares(declared, path)]
        if missing:
            raise MissingCapability(missing)
        self._adopted(connection)
        log_activity(self.binding.revision, connection)
        connection.start()
        self._connection = connection
        if self._handlers.methods:
            self._receive_notifications(connection)
        options = self._options
        if options.ping is not None:
            from ..connection.keepalive import watch

            watch(connection, self.binding, every=options.ping, failures=options.ping_failures)
        if self.tools_lock is not None:
            try:
                self.tools_lock.check(self)
            except BaseException:
                connection.close()
                raise

    def _adopted(self, connection: Connection) -> None:
        """Send what belongs at the start of a connection."""

    def close(self) -> None:
        """Close the connection, or end the attempt to open one in another thread. Idempotent; from any thread."""
        self._closed = True
        for connection in (self._greeting, self._connection):
            if connection is not None:
                connection.close()

    def __del__(self) -> None:
        # The attribute is missing if the constructor failed.
        connection: Connection | None = getattr(self, "_connection", None)
        if connection is not None and not connection.closed:
            warn(f"{self!r} was never closed; use it in a `with` block", ResourceWarning, 2, self)
            connection.leave()

    @property
    def connection(self) -> Connection:
        """The connection. Raise ``ConnectionClosed`` before ``connect``."""
        if self._connection is None:
            text = "the client is not connected; enter it (`with client:`) or call connect()"
            raise ConnectionClosed(text)
        return self._connection

    @property
    def connected(self) -> bool:
        """Whether the connection is open."""
        return self._connection is not None and not self._connection.closed

    @property
    def retrying(self) -> tuple[Retry, ...]:
        """The HTTP requests and streams that failed and wait to be tried again, each with its reason and pause."""
        return () if self._connection is None else self._connection.retrying

    @property
    def peer_revision(self) -> str:
        """The revision of the messages on the wire; messages are converted if it is not the client's own."""
        connection: Any = self.connection
        ledger: ConnectionLedger | None = getattr(connection, "ledger", None)
        return self.binding.revision if ledger is None else ledger.peer_revision

    @property
    def ledger(self) -> ConnectionLedger:
        """The differences between the client's messages and those on the wire; empty if the revisions are the same."""
        connection: Any = self.connection
        ledger: ConnectionLedger | None = getattr(connection, "ledger", None)
        if ledger is None:
            from ..bridge.connection_ledger import ConnectionLedger

            ledger = ConnectionLedger(self.binding.revision, self.binding.revision)
        return ledger

    @property
    def server_info(self) -> Any:
        """Name and version of the server's software, as declared; None if unknown."""
        return self.connection.session.peer_info

    @property
    def server_capabilities(self) -> Any:
        """The capabilities that the server has declared."""
        return self.connection.session.peer_capabilities

    @property
    def instructions(self) -> str | None:
        """The server's instructions for language models."""
        session: Any = self.connection.session
        instructions: str | None = session.instructions
        return instructions

    # Requests and notifications.

    @abstractmethod
    def request(
        self,
        key: RequestMethod[Params, R],
        params: Params | None = None,
        *,
        timeout: float | None = None,
        on_progress: Callable[[Any], object] | None = None,
    ) -> R:
        """Return the result of a request.

        ``timeout`` is in seconds, by default the client's, and bounds all that the call does; progress restarts it if
        ``on_progress`` is passed. After it, or when Ctrl-C interrupts the wait, the request is cancelled. ``on_progress`` is
        called in this thread with the params of each progress notification that arrives before the answer, in order; if
        more than 1,000 wait for it, the newest replaces the one before it. It is not called after the deadline.

        Raise ``UsageError`` if the session or the server's capabilities do not allow the request, ``EncodeError``,
        ``ResponseError`` for an error of the server, ``DecodeError`` for a result that does not match the method,
        ``OutputMismatch`` for one that does not match the tool's schema, ``RequestTimeout``, ``ConnectionClosed``.
        """

    def request_raw(
        self,
        method: str,
        params: Mapping[str, Any] | None = None,
        *,
        timeout: float | None = None,
        on_progress: Callable[[Any], object] | None = None,
    ) -> dict[str, Any]:
        """Return the result of a request that no schema declares: its params and result are JSON objects.

        ``method`` is its name on the wire. The arguments and exceptions are those of ``request``; raise ``UsageError`` for a
        method of the revision or of one of its ``extensions``, too.
        """
        from ..extensions.extended_binding import raw_request

        key = raw_request(self.binding, method)
        result: dict[str, Any] = self.request(key, params or {}, timeout=timeout, on_progress=on_progress)
        return result

    def start(self, method: Callable[P, R], /, *args: P.args, **options: P.kwargs) -> RunningCall[R]:
        """Start a call in a thread of its own: ``client.start(client.call_tool, "name", {"a": 1}, timeout=10)``.

        ``method`` is one that waits for an answer, of the client or of an object from it (``PolledTask.result``, say); the
        rest are its arguments. Return a ``concurrent.futures.Future`` that can be cancelled while it runs, with a reason.
        Raise ``UsageError`` if ``method`` is not callable.
        """
        from .running_call import start

        return start(method, *args, **options)

    def follow(self, key: RequestMethod[Any, Any], params: Any, result: Any) -> None:
        """Remember the schemas of listed tools, or validate the result of a tool. Raise ``OutputMismatch``."""
        from .output_check import follow

        follow(self, key, params, result)

    def notify(self, key: NotificationMethod[Params], params: Params | None = None) -> None:
        """Send a notification."""
        self.connection.notify(key, params)

    def batch(
        self,
        *messages: tuple[RequestMethod[Any, Any] | NotificationMethod[Any], Any],
        timeout: float | None = None,
    ) -> list[Any]:
        """Send requests and notifications, each a key with its params, as one message; return the results in their order.

        An exception takes the place of the result of a request that was answered with an error. ``timeout`` is the number
        of seconds for all of them. Raise ``UsageError`` in revisions without batches and for an empty batch, and as
        ``request``.
        """
        if not self.binding.batches:
            text = f"{self.binding.revision} has no batches; send the messages one by one"
            raise UsageError(text)
        if not messages:
            text = "a batch has at least one message (JSON-RPC 2.0, section 6)"
            raise UsageError(text)
        return self.connection.batch(messages, timeout)
