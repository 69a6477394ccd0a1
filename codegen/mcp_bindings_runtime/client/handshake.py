"""Clients of the revisions that begin with ``initialize``: 2024-11-05 to 2025-11-25."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from ..connection.connection import Connection
from ..errors import ResponseError
from ..methods import RequestMethod
from ..session.handshake import HandshakeClientSession
from ..task_interfaces import core_tasks, tasks_module
from .client import Client
from .options import HandshakeClientOptions

if TYPE_CHECKING:
    from ..session.events import Incoming, Notified
    from ..transports import Transport

R = TypeVar("R")
Params = TypeVar("Params")

_CALL_TOOL = "tools/call"
_LIST_TOOLS = "tools/list"
_PAGE_DONE = "notifications/elicitation/complete"
_PAGE_FIRST = -32042
"""The code of an error that sends the user to a page first (2025-11-25)."""


class HandshakeClient(Client):
    """A client of a revision whose sessions begin with a handshake. ``options`` are those of ``HandshakeClientOptions``."""

    options_class = HandshakeClientOptions

    def __init__(self, open_transport: Callable[[], Transport], **options: Any) -> None:
        chosen = HandshakeClientOptions(self.binding, open_transport, **options)
        super().__init__(open_transport, chosen)
        tasks = chosen.tasks
        self._tasks = None if tasks is None else core_tasks(self.binding, self._handlers, tasks, self)

    def _also_declared(self) -> Sequence[str]:
        return [*super()._also_declared(), *(() if self._tasks is None else self._tasks.declared)]

    def _run(self, connection: Connection, incoming: Incoming) -> bytes | None:
        if self._tasks is not None:
            handled = self._tasks.intercept(connection, incoming)
            if handled is not None:
                return handled[0]
        return super()._run(connection, incoming)

    def _handle_notification(self, connection: Connection, notified: Notified) -> None:
        kept = connection.session.feature_state
        if notified.key.name == _PAGE_DONE and "pages" in kept:
            kept["pages"].complete(notified.params.elicitation_id)
        super()._handle_notification(connection, notified)

    def _session(self) -> Any:
        return HandshakeClientSession(self.binding, info=self.info, capabilities=self.capabilities)

    def greet(self, connection: Connection, *, timeout: float | None = None) -> None:
        """Initialize the session; ``timeout`` is in seconds."""
        session: Any = connection.session
        self.settle(connection, connection.open(session.start_handshake, self.binding.requests["initialize"], timeout))

    def settle(self, connection: Connection, result: Any) -> None:
        """Complete the handshake with the result of ``initialize``. Raise ``UnsupportedRevision``."""
        session: Any = connection.session
        with connection.lock:
            line = session.finish_handshake(result)
        connection.send(line)

    def _adopted(self, connection: Connection) -> None:
        key, level = self.binding.requests["logging/setLevel"], self._options.log_level
        if level is not None and self.binding.declares(connection.session.peer_capabilities, "logging"):
            connection.request(key, key.params(level=level))

    def close(self) -> None:
        """Close the connection, or end the attempt to open one in another thread. Idempotent; from any thread."""
        if self._tasks is not None and self._connection is not None:
            self._tasks.store.leave(self._connection.session)
        super().close()

    def request(
        self,
        key: RequestMethod[Params, R],
        params: Params | None = None,
        *,
        timeout: float | None = None,
        on_progress: Callable[[Any], object] | None = None,
    ) -> R:
        """Return the result of a request; see ``Client.request``."""
        if self.task_support and key.name == _CALL_TOOL:
            tasks_module("tool_support").check(self, params)
        try:
            connection = self._connection or self.connection
            result: R = connection.request(key, params, timeout=timeout, on_progress=on_progress)
        except ResponseError as error:
            if error.code != _PAGE_FIRST:
                raise
            from ..features.elicitation import typed_elicitation_error

            raise typed_elicitation_error(self.connection.session, error) from None
        if self.task_support is not None and key.name == _LIST_TOOLS:
            tasks_module("tool_support").learn(self, result)
        if key.name in self.followed:
            self.follow(key, params, result)
        return result
