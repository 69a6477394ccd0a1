"""The connection of a client that begins sessions with a handshake, to a server without handshake."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from ..connection.call_scope import CallScope
from ..errors import ResponseError, UsageError
from ..jsonrpc import INVALID_PARAMS
from ..methods import RequestMethod
from .bridged_connection import BridgedConnection
from .bridged_tasks import BridgedTasks, client_tasks_module, twin_tasks_module

if TYPE_CHECKING:
    from ..connection.calls import Call
    from ..connection.connection import Connection
    from ..session.log_levels import Level
    from .program import Program

R = TypeVar("R")

_DISCOVER = "server/discover"
_CALL_TOOL = "tools/call"
_LIST_TOOLS = "tools/list"
_LOG = "notifications/message"
_TASK_RESULT = "tasks/result"
_UPDATED = "notifications/resources/updated"
DEFAULT_LEVEL: Level = "info"
"""Least severity of the log messages for a client that handles them and has set none."""


class StatelessWire(BridgedConnection):
    """A bridged connection whose server has no sessions.

    The twin sends the client's log level with each request, keeps one subscription for all resources, and answers requests
    for input by the client's handlers.
    """

    def __init__(self, program: Program, twin: Any, wire: Connection, session: Any) -> None:
        super().__init__(program, twin, wire, session)
        wire_session: Any = wire.session
        self._wire_session = wire_session
        if _LOG in program.handlers.methods:
            wire_session.log_level = DEFAULT_LEVEL
        self._tasks: BridgedTasks | None = None
        if _TASK_RESULT in program.binding.requests:
            self._tasks = client_tasks_module().tasks_of(self)
        self._own: dict[str, Callable[[Any, float | None], object]] = {
            "logging/setLevel": self._set_level,
            "ping": self._ping,
            "resources/subscribe": self._subscribe,
            "resources/unsubscribe": self._unsubscribe,
        }
        """Methods of sessions to what stands for them."""

    def request(
        self,
        key: RequestMethod[Any, R],
        params: Any = None,
        *,
        timeout: float | None = None,
        on_progress: Callable[[Any], object] | None = None,
        sending: Callable[[Call], object] | None = None,
    ) -> R:
        """Send a request and wait for its result, as ``BridgedConnection.request``."""
        result = super().request(key, params, timeout=timeout, on_progress=on_progress, sending=sending)
        if self._tasks is not None and key.name == _LIST_TOOLS:
            self._tasks.declare_support(result)
        return result

    def answer_here(self, key: RequestMethod[Any, R], params: Any, timeout: float | None) -> R | None:
        """Do what stands for a method of sessions, as ``BridgedConnection.answer_here``."""
        own = self._own.get(key.name)
        if own is None:
            return None if self._tasks is None else self._tasks.answer(key, params, timeout)
        self.session.require_sendable(key, request=True)
        own(params, timeout)
        done: R = key.result()
        return done

    def call(
        self,
        key: RequestMethod[Any, Any],
        params: Any,
        timeout: float | None,
        on_progress: Callable[[Any], object] | None,
        sending: Callable[[Call], object] | None,
    ) -> Any:
        """Return the result of a request on the wire, after all rounds in which the server requests input."""
        # The params were made for this request.
        meta = params.meta = self.wire_meta(params)
        if key.name == _CALL_TOOL and self.twin.binding.extension is not None:
            # The client waits for the result, so the server need not make a task of the call.
            declared = twin_tasks_module().without_tasks(meta.client_capabilities)
            params.meta = meta.__replace__(client_capabilities=declared)
        return self.twin.request(key, params, timeout=timeout, on_progress=on_progress)

    def wire_meta(self, params: Any) -> Any:
        """Return ``_meta`` of a request on the wire, with what each request declares there."""
        return self._wire_session.meta(params.meta.extra)

    def _set_level(self, params: Any, timeout: float | None) -> None:
        self._wire_session.log_level = params.level

    def _ping(self, params: Any, timeout: float | None) -> None:
        self.wire.request(self.twin.binding.requests[_DISCOVER], timeout=timeout)

    def _subscribe(self, params: Any, timeout: float | None) -> None:
        self.twin.ensure_notified(self.twin.binding.notifications[_UPDATED])
        try:
            with CallScope(self.timeout if timeout is None else timeout):
                self.twin.subscribe(params.uri)
        except UsageError as fault:
            raise ResponseError(INVALID_PARAMS, str(fault), {"uri": params.uri}) from fault

    def _unsubscribe(self, params: Any, timeout: float | None) -> None:
        with CallScope(self.timeout if timeout is None else timeout):
            self.twin.unsubscribe(params.uri)
