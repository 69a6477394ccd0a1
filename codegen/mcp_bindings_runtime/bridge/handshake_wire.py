"""The connection of a client without handshake, to a server whose sessions begin with one."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

from ..connection.call_scope import CallScope
from ..errors import NotExpressible, ResponseError
from ..methods import RequestMethod
from ..session.events import Notified
from ..session.stateless import CHANGES, DISCOVER
from .bridged_connection import BridgedConnection
from .bridged_tasks import BridgedTasks, client_tasks_module
from .change_streams import ChangeStreams
from .required_pages import ELICIT, required_pages

if TYPE_CHECKING:
    from ..connection.calls import Call
    from ..connection.connection import Connection
    from .program import Program

R = TypeVar("R")

_LOG = "notifications/message"
_PING = "ping"
_SET_LEVEL = "logging/setLevel"
_TOOLS_CHANGED = "notifications/tools/list_changed"
_LONGEST_SLEEP = 3600.0
"""Seconds between two looks of a thread that waits for a change at its deadline."""


class HandshakeWire(BridgedConnection):
    """A bridged connection whose server has sessions.

    The log level of a request is set before it, if it is not that of the session. Subscriptions of the client are
    subscriptions to resources, and the notifications of the session.
    """

    def __init__(self, program: Program, twin: Any, wire: Connection, session: Any) -> None:
        super().__init__(program, twin, wire, session)
        self._streams = ChangeStreams(self)
        self._level: str | None = None
        """The log level of the session; None until a request wants log messages."""
        self._setting_level = Lock()
        self._tasks: BridgedTasks | None = None
        if program.binding.extension is not None:
            self._tasks = client_tasks_module().tasks_of(self)

    def answer_here(self, key: RequestMethod[Any, R], params: Any, timeout: float | None) -> R | None:
        """Describe the server of the session, or answer a request about tasks, as ``BridgedConnection.answer_here``."""
        if key.name == DISCOVER:
            return self._discovered(key, timeout)
        return None if self._tasks is None else self._tasks.answer(key, params, timeout)

    def prepare(self, key: RequestMethod[Any, Any], params: Any, timeout: float | None) -> Any:
        """Set the log level that a request names, or that of the client."""
        session: Any = self.session
        meta = None if params is None else params.meta
        level = session.log_level if meta is None else meta.log_level
        if level is not None and level != self._level:
            self._set_level(level, timeout)
        # Without `_meta`: it would only repeat what the session of the server knows.
        return key.params(meta=None) if params is None else params

    def call(
        self,
        key: RequestMethod[Any, Any],
        params: Any,
        timeout: float | None,
        on_progress: Callable[[Any], object] | None,
        sending: Callable[[Call], object] | None,
    ) -> Any:
        """Return the result of a request on the wire, after the user has visited the pages that the server requires."""
        options: Any = self.program.options
        for _ in range(options.rounds):
            try:
                return super().call(key, params, timeout, on_progress, sending)
            except ResponseError as error:
                if not self._visit_pages(error):
                    raise
        return super().call(key, params, timeout, on_progress, sending)

    def _visit_pages(self, error: ResponseError) -> bool:
        """Show the pages of an error by the client's handler; return whether the user has accepted all."""
        binding, client = self.twin.binding, self.program.client
        pages = required_pages(binding, error)
        if not pages or ELICIT not in self.program.handlers.methods:
            return False
        for page in pages:
            own_key, own_params = self.inward.request(binding.requests[ELICIT], page)
            context = client.context(client, self, None)
            if self.program.handlers.handle(own_key, own_params, context).action != "accept":
                return False
        return True

    def _discovered(self, key: RequestMethod[Any, R], timeout: float | None) -> R:
        """Describe the server of the session, which a ping shows to be there."""
        self.wire.request(self.twin.binding.requests[_PING], timeout=timeout)
        session: Any = self.session
        binding = self.program.binding
        result: R = key.result(
            supported_versions=[binding.revision],
            capabilities=session.peer_capabilities,
            instructions=session.instructions,
            ttl_ms=0,
            cache_scope="private",
            meta=binding.types.ResultMetaObject(server_info=session.peer_info),
        )
        return result

    def _set_level(self, level: str, timeout: float | None) -> None:
        wire, binding = self.wire, self.twin.binding
        with self._setting_level:
            if level == self._level:
                return
            if binding.declares(wire.session.peer_capabilities, "logging"):
                key = binding.requests[_SET_LEVEL]
                wire.request(key, key.params(level=level), timeout=timeout)
            self._level = level

    def receive(self, notified: Notified) -> None:
        """Pass a change to the client's subscriptions, and anything else to its handlers."""
        if notified.key.name not in CHANGES:
            # A request that names no level wants no log messages.
            if notified.key.name != _LOG or self._level is not None:
                super().receive(notified)
            return
        try:
            found = self.inward.notification(notified.key, notified.params)
        except NotExpressible:
            return
        if self._tasks is not None and notified.key.name == _TOOLS_CHANGED:
            self._tasks.forget_tools()
        if found is not None:
            change = Notified(*found)
            self.program.forget_outdated(change)
            self._streams.publish(change)

    # Subscriptions.

    def attend(self, call: Call, prepare: Callable[[], tuple[Any, bytes]] | None = None) -> None:
        """Wait until a subscription has ended or has a notification; open it first with ``prepare``.

        Raise `RequestTimeout` at the deadline of the call, and `ConnectionClosed`.
        """
        if prepare is not None:
            with self.lock:
                call.id, line = prepare()
                self.session.forget(call.id)
            # Nothing but a subscription is sent in this way.
            message = self.program.binding.codec.decode(line, sender="client")
            with CallScope(call.timeout):
                self._streams.open(call, message.params.notifications)
        while not (call.done or call.notified):
            left = call.deadline - monotonic()
            if left <= 0:
                raise call.overdue()
            call.sleep(min(left, _LONGEST_SLEEP))

    def abandon(self, call: Call, why: BaseException | str) -> None:
        """Close a subscription that nobody waits for any more."""
        self._streams.close(call)

    def conclude(self, call: Call, reason: str) -> None:
        """End a subscription from this side; wake the thread that waits for it."""
        if not call.done:
            self.abandon(call, reason)
            call.finish(None)

    def put_notification(self, notified: Notified, size: int = 0) -> None:
        """Handle a notification of a subscription by the client's handlers."""
        self.program.receive(self, notified)

    def dispatch_notifications(self) -> None:
        """Do nothing: notifications are handled when they arrive."""
