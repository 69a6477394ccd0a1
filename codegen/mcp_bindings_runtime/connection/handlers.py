"""The functions that handle requests and notifications, by method."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from threading import current_thread, main_thread
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, overload

from ..binding import OTHER_SIDE, Binding
from ..errors import EncodeError, ResponseError, UsageError
from ..jsonrpc import (
    HEADER_MISMATCH,
    INTERNAL_ERROR,
    METHOD_NOT_FOUND,
    MISSING_CLIENT_CAPABILITY,
    UNSUPPORTED_VERSION,
    ErrorObject,
)
from ..logs import log_exception, log_handler_error, log_warning, place_of, write_log
from ..methods import NotificationMethod, RequestMethod, Side
from ..session.control_flow import Abandoned, Detached, InputNeeded
from ..session.events import Incoming, Notified
from ..validation import require_callable
from .context import CURRENT
from .handler_results import WrongResult, wrong_result

if TYPE_CHECKING:
    from ..extensions.wire_methods import WireRequest
    from ..session.session import Session
    from .channel import Channel

P = TypeVar("P")
R = TypeVar("R")

LIMITED = frozenset(
    {
        *("completion/complete", "elicitation/create", "sampling/createMessage", "tools/call"),
        *("tasks/cancel", "tasks/get", "tasks/list", "tasks/result", "tasks/update"),
    }
)
"""Requests that `Limits` apply to."""
KEPT = frozenset(range(-32099, -31999)) - {HEADER_MISMATCH, MISSING_CLIENT_CAPABILITY, UNSUPPORTED_VERSION}
"""Error codes that 2026-07-28 no longer uses, or not yet (Error Codes)."""
SourceOf: TypeAlias = Callable[[Any], str | None] | None
"""A function that names the user's function for the params of a request, with its file and line; None if there is none."""
INTERNAL = ErrorObject(INTERNAL_ERROR, "Internal error")
"""The error for failures whose cause is not disclosed."""


class Handlers:
    """The functions of one side; each is called with params and a context."""

    def __init__(self, binding: Binding, side: Side) -> None:
        self._binding = binding
        self._side: Side = side
        self._requests: dict[str, Callable[[Any, Any], Any]] = {}
        self._notifications: dict[str, Callable[[Any, Any], Any]] = {}
        self._chosen: set[str] = set()
        """Methods whose function was registered by ``register``."""
        self._sources: dict[str, SourceOf] = {}

    @property
    def methods(self) -> frozenset[str]:
        """Methods for which a handler is registered."""
        return frozenset({*self._requests, *self._notifications})

    @property
    def chosen(self) -> frozenset[str]:
        """Methods whose handler the user has registered."""
        return frozenset(self._chosen)

    def extend(self, binding: Binding) -> None:
        """Use this binding, which has all methods of the one before, from now on."""
        self._binding = binding

    def add(self, key: RequestMethod[Any, Any] | NotificationMethod[Any], function: Callable[[Any, Any], Any]) -> None:
        """Register a function for a method; raise `UsageError` if this side never receives the method."""
        methods = self._binding.wire_methods
        wire = None if methods is None else methods.keys.get(key)
        if wire is not None:
            self._put(wire, wire.handler(function))
            return
        known: Mapping[str, Any] = (
            self._binding.requests if isinstance(key, RequestMethod) else self._binding.notifications
        )
        if known.get(key.name) is not key:
            text = (
                f"{key!r} is not a method of {self._binding.revision}; take the key from that revision's `methods`, or pass "
                "the package of the extension that has it in `extensions`"
            )
            raise UsageError(text)
        self._put(key, function)

    def add_default(
        self, key: RequestMethod[Any, Any], function: Callable[[Any, Any], Any], source_of: SourceOf = None
    ) -> None:
        """Register a function for a method that has none; ``source_of`` names the function of the user that it calls."""
        if key.name not in self._requests:
            self.add(key, function)
            self._sources[key.name] = source_of

    def add_raw(self, key: WireRequest, function: Callable[[Any, Any], Any]) -> None:
        """Register a function for a request without a schema."""
        self._put(key, key.handler(function))

    def _put(self, key: RequestMethod[Any, Any] | NotificationMethod[Any], function: Callable[[Any, Any], Any]) -> None:
        if OTHER_SIDE[self._side] not in key.sent_by:
            text = f"{key.name} is sent by the {self._side}, so a {self._side} has nothing to handle"
            raise UsageError(text)
        (self._requests if isinstance(key, RequestMethod) else self._notifications)[key.name] = function

    def of(self, key: RequestMethod[Any, Any] | NotificationMethod[Any]) -> Callable[[Any, Any], Any] | None:
        """Return the function for a method; None if there is none."""
        return (self._requests if isinstance(key, RequestMethod) else self._notifications).get(key.name)

    @overload
    def register(self, key: RequestMethod[P, R]) -> Callable[[Callable[[P, Any], R]], Callable[[P, Any], R]]: ...
    @overload
    def register(
        self, key: NotificationMethod[P]
    ) -> Callable[[Callable[[P, Any], None]], Callable[[P, Any], None]]: ...
    def register(self, key: Any) -> Any:
        """Return a decorator for the function that handles a method; raise `UsageError` for an invalid key."""
        unchecked: Any = key
        if not isinstance(unchecked, (RequestMethod, NotificationMethod)):
            text = f"handler() takes the key of a method, such as `methods.CALL_TOOL` of the revision, and not {key!r}"
            raise UsageError(text)

        def remember(function: Any) -> Any:
            require_callable(f"the handler of {key.name}", function, ("params", "context"))
            if key.name in self._chosen:
                text = f"{key.name} has a handler already: {self.of(key)!r}"
                raise UsageError(text)
            self.add(key, function)
            self._chosen.add(key.name)
            return function

        return remember

    def handle(self, key: RequestMethod[Any, Any], params: Any, context: Any) -> Any:
        """Return the result of a request.

        Raise `ResponseError` if the method has no function, `UsageError` if the result has another type than the
        method's, and whatever the function raises.
        """
        function = self._requests.get(key.name)
        if function is None:
            raise ResponseError(*self._unhandled(key.name))
        if key.name in LIMITED and context.peer.limits is not None:
            from ..features.limits import admit

            refused = admit(context.peer.limits, context, key.name)
            if refused is not None:
                return refused
        # Handlers nest in one thread: while one waits for an answer, the thread may handle another request.
        before, CURRENT.context = CURRENT.context, context
        try:
            result = function(params, context)
        finally:
            CURRENT.context = before
            context.flush()
        if result is None and isinstance(key.result, type):
            try:
                return key.result()
            except TypeError:
                # The result has required members, so that nothing stands for it.
                raise wrong_result(key, result, self._source(key, params)) from None
        if not isinstance(result, key.result):
            raise wrong_result(key, result, self._source(key, params))
        return result

    def answer(self, connection: Channel, incoming: Incoming, context: Any) -> bytes | None:
        """Return the line that answers a request; None if there is none to send."""
        session = connection.session
        try:
            result = self.handle(incoming.key, incoming.params, context)
            try:
                line = session.response_line(incoming, result)
            except EncodeError as fault:
                line = self._unsendable_line(session, incoming, result, fault)
        except ResponseError as error:
            if error.code in KEPT and session.binding.era == "stateless":
                text = "%s: the handler raised an error with the code %d, which the protocol reserves; use a code outside %s"
                write_log("warning", text, incoming.key.name, error.code, "-32768 to -32000, and those that it defines")
            line = self.refuse(connection, incoming, ErrorObject(error.code, error.message, error.data))
        except WrongResult as fault:
            # The message says everything, and no frame of a traceback is the handler's.
            log_warning("%s", fault)
            line = session.error_response_line(incoming, INTERNAL)
        except (InputNeeded, Detached):
            raise
        except Abandoned:
            line = session.error_response_line(incoming, INTERNAL)
        except BaseException as error:  # whatever a handler raises, the request is answered
            log_handler_error(error, f"{incoming.key.name}: the handler failed", over=connection.closed)
            line = session.error_response_line(incoming, INTERNAL)
            if _by_ctrl_c(error):
                with connection.lock:
                    last = session.settle(incoming, line)
                if last is not None:
                    connection.send(last)
                raise
        with connection.lock:
            return session.settle(incoming, line)

    def unsendable_result(self, key: RequestMethod[Any, Any], params: Any, result: Any, fault: EncodeError) -> Any:
        """Log that a result cannot be sent; return the one to send instead of that of a tool, None instead of others."""
        log_warning("%s returned a result that cannot be sent: %s", self._source(key, params), fault)
        types = self._binding.types
        if not isinstance(result, types.CallToolResult):
            return None
        text = f"The tool's result cannot be sent: {fault}"
        return types.CallToolResult(content=[types.TextContent(text=text)], is_error=True)

    def _source(self, key: RequestMethod[Any, Any], params: Any) -> str:
        """Return a description of the user's function that has handled a request, with its file and line."""
        handler = f"the handler of {key.name}"
        if key.name in self._chosen:
            place = place_of(self._requests[key.name])
            return handler if place is None else f"{place}: {handler}"
        source_of = self._sources.get(key.name)
        return (None if source_of is None else source_of(params)) or handler

    def _unsendable_line(self, session: Session, incoming: Incoming, result: Any, fault: EncodeError) -> bytes:
        instead = self.unsendable_result(incoming.key, incoming.params, result, fault)
        try:
            return (
                session.error_response_line(incoming, INTERNAL)
                if instead is None
                else session.response_line(incoming, instead)
            )
        except EncodeError:
            # The fault is in what the server adds to every result.
            return session.error_response_line(incoming, INTERNAL)

    def notice(self, notified: Notified, context: Any) -> None:
        """Call the function for a notification, if there is one."""
        function = self._notifications.get(notified.key.name)
        if function is None:
            return
        try:
            function(notified.params, context)
        except BaseException as error:  # a notification has no answer
            log_handler_error(error, f"{notified.key.name}: the handler failed", over=context.connection.closed)
            if _by_ctrl_c(error):
                raise

    def _unhandled(self, method: str) -> ErrorObject:
        reason = f"this {self._side} does not handle {method}"
        return ErrorObject(METHOD_NOT_FOUND, "Method not found", {"method": method, "reason": reason})

    @staticmethod
    def refuse(connection: Channel, incoming: Incoming, refusal: ErrorObject) -> bytes:
        """Return the line that answers a request with an error; its data may come from a handler."""
        try:
            return connection.session.error_response_line(incoming, refusal)
        except (TypeError, ValueError) as fault:
            log_exception(fault, "%s: the data of a ResponseError is not JSON", incoming.key.name)
            return connection.session.error_response_line(incoming, INTERNAL)


def _by_ctrl_c(error: BaseException) -> bool:
    """Return whether Ctrl-C has ended a handler: handlers see it in the main thread only."""
    return isinstance(error, KeyboardInterrupt) and current_thread() is main_thread()
