"""The server of a proxy."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ..server.stand_in import stand_in_for
from ..session.stateless import DISCOVER, INITIALIZE, LISTEN
from .proxy_tasks import ProxyTasks
from .session_settings import SessionSettings
from .several_servers import SeveralServers

if TYPE_CHECKING:
    from ..server.server import Server
    from .backend_server import BackendServer

_ANSWERED_HERE = frozenset({INITIALIZE, DISCOVER, LISTEN, "ping"})
"""Requests that belong to one session, of which a proxy has two."""
_OF_ONE_SESSION = frozenset({"notifications/initialized", "notifications/cancelled", "notifications/progress"})
"""Notifications of which the same holds."""
_TASKS = "tasks/"


class Proxy:
    """A server that passes everything on to the servers behind it, or the one.

    ``server`` is the proxy's server, for any transport. It has the revision of the server behind; where several have
    different ones, it has the newest revision with sessions. Each client gets its own sessions with the servers. Tasks of
    the servers are tasks of the proxy, too. If the servers have names, these are prefixes of tools and prompts, and
    ``version`` is that of the proxy itself. With ``shared``, other processes serve the same sessions of clients. Raise
    ``UsageError`` if several servers clash.
    """

    def __init__(self, backends: Sequence[BackendServer], *, version: str = "0", shared: bool = False) -> None:
        self._backends = backends
        # A single server has a name if the others could not be used: its tools keep their prefix.
        behind = SeveralServers(backends, version) if any(each.name for each in backends) else backends[0]
        binding = behind.binding
        front = SessionSettings(behind) if shared else behind
        forward: Any = front.forward
        notify: Any = behind.notify
        timeout = max(each.timeout for each in backends)
        tasks: dict[str, Any] = {}
        if behind.has_tasks:
            tasks["tasks"] = ProxyTasks(behind.task_support_of, handler_decides=binding.era == "stateless")
        self.server: Server = stand_in_for(
            binding.revision,
            info=behind.info,
            capabilities=behind.capabilities,
            instructions=behind.instructions,
            limits=False,
            **tasks,
            timeout=timeout,
            limit=max(each.limit for each in backends),
        )
        self.server.change_source = front
        for key in binding.requests.values():
            sent = "client" in key.sent_by and not key.embedded
            if sent and key.name not in _ANSWERED_HERE and not key.name.startswith(_TASKS):
                self.server.handler(key)(partial(forward, key))
        for notification in binding.notifications.values():
            if "client" in notification.sent_by and notification.name not in _OF_ONE_SESSION:
                self.server.handler(notification)(partial(notify, notification))

    def close(self) -> None:
        """Close all connections, and the sessions with the servers behind. Idempotent; from any thread."""
        self.server.close()
        for each in self._backends:
            each.close()
