"""The connection of a client without handshake, to a server of another revision without handshake."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import DecodeError, NotExpressible, ResponseError
from ..logs import write_log
from ..methods import RequestMethod
from ..session.events import Notified
from ..session.stateless import LISTEN
from .bridged_connection import BridgedConnection
from .bridged_tasks import BridgedTasks, client_tasks_module
from .twin_client import translated_error

if TYPE_CHECKING:
    from ..connection.calls import Call
    from ..connection.connection import Connection
    from .program import Program

R = TypeVar("R")

_TASKS = "notifications/tasks"


class _OwnNotified(Notified):
    """A notification in the revision of the client, among those in that of the wire."""

    __slots__ = ()


class StatelessPair(BridgedConnection):
    """A bridged connection between two revisions that have no sessions.

    Each request and each result has its counterpart, those that request input and those with the responses included. So the
    client itself goes through the rounds of a call, polls its tasks, and keeps its subscriptions.
    """

    def __init__(self, program: Program, twin: Any, wire: Connection, session: Any) -> None:
        super().__init__(program, twin, wire, session)
        self._tasks: BridgedTasks | None = None
        if program.binding.extension is not None:
            self._tasks = client_tasks_module().tasks_of(self)

    def answer_here(self, key: RequestMethod[Any, R], params: Any, timeout: float | None) -> R | None:
        """Return the result of a request about tasks, as ``BridgedConnection.answer_here``."""
        return None if self._tasks is None else self._tasks.answer(key, params, timeout)

    def prepare(self, key: RequestMethod[Any, Any], params: Any, timeout: float | None) -> Any:
        """Return the params of a request with ``_meta``."""
        return self.session.add_request_meta(key, params, None)

    def receive(self, notified: Notified) -> None:
        """Handle a notification, as ``BridgedConnection.receive``; one of a subscription was converted before."""
        if isinstance(notified, _OwnNotified):
            self.program.receive(self, notified)
        else:
            super().receive(notified)

    # Subscriptions.

    def attend(self, call: Call, prepare: Callable[[], tuple[Any, bytes]] | None = None) -> None:
        """Wait until a subscription has ended or has a notification; open it first with ``prepare``.

        Raise `RequestTimeout` at the deadline of the call, and `ConnectionClosed`.
        """
        request: Callable[[], tuple[Any, bytes]] | None = None
        if prepare is not None:
            with self.lock:
                own_id, line = prepare()
                self.session.forget(own_id)
            # Nothing but a subscription is sent in this way.
            message = self.program.binding.codec.decode(line, sender="client")
            listen = self.outward.request(self.program.binding.requests[LISTEN], message.params)
            request = partial(self.wire.session.request, *listen)
            call.convert = self._converted
        self.wire.attend(call, request)
        if isinstance(call.error, ResponseError):
            call.error = translated_error(self.inward, call.key.name, call.error)

    def _converted(self, notified: Notified) -> Notified | None:
        """Return a notification of a subscription in the client's revision; None if it has no form there."""
        key, params = notified.key, notified.params
        try:
            if self._tasks is not None and key.name == _TASKS:
                return Notified(key, self._tasks.converted_state(params))
            found = self.inward.notification(key, params)
        except (NotExpressible, DecodeError) as fault:
            write_log("info", "%s is dropped: %s", key.name, fault)
            return None
        return None if found is None else Notified(*found)

    def abandon(self, call: Call, why: BaseException | str) -> None:
        """Close a subscription that nobody waits for any more."""
        self.wire.abandon(call, why)

    def conclude(self, call: Call, reason: str) -> None:
        """End a subscription from this side; wake the thread that waits for it."""
        self.wire.conclude(call, reason)

    def put_notification(self, notified: Notified, size: int = 0) -> None:
        """Queue a notification in the client's revision for its handlers."""
        self.wire.put_notification(_OwnNotified(notified.key, notified.params), size)

    def dispatch_notifications(self) -> None:
        """Handle queued notifications in this thread, as ``Connection.dispatch_notifications``."""
        self.wire.dispatch_notifications()
