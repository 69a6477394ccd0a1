"""Servers of the revisions that begin with ``initialize``: 2024-11-05 to 2025-11-25."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from ..foreign_names import USAGE_OF_SERVERS, explain_calls
from ..session import handshake
from ..session.session import Session
from ..task_interfaces import core_tasks
from .announcements import Announcement
from .runnable import RunnableServer

if TYPE_CHECKING:
    from ..connection.channel import Channel
    from ..connection.context import Context
    from ..task_interfaces import TaskStore

_SET_LEVEL = "logging/setLevel"


class HandshakeServer(RunnableServer):
    """A server of a revision whose sessions begin with a handshake. ``options`` are those of `ServerOptions`."""

    @explain_calls({}, USAGE_OF_SERVERS)
    def __init__(self, name: str, version: str, **options: Any) -> None:
        super().__init__(name, version, **options)
        set_level = self.binding.requests.get(_SET_LEVEL)
        if self._options.logging and set_level is not None:
            self._handlers.add(set_level, self._set_level)

    def session(self, versions: Sequence[str] = ()) -> Session:
        """Return a session with a new client."""
        return handshake.HandshakeServerSession(
            self.binding, info=self.info, capabilities=self.capabilities, instructions=self.instructions
        )

    def _execute_tasks(self, tasks: TaskStore | None) -> None:
        self._receiver = core_tasks(self.binding, self._handlers, tasks, self)

    def _send_announcement(self, connection: Channel, announcement: Announcement) -> None:
        connection.notify(announcement.key, announcement.params)

    def _set_level(self, params: Any, context: Context) -> None:
        cast("handshake.HandshakeServerSession", context.connection.session).log_level = params.level
