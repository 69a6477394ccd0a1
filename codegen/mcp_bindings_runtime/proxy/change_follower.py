"""The subscription to changes of a server without sessions behind a proxy, for one client of the proxy."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, Final

from ..errors import ConnectionClosed, McpError
from ..logs import write_log

if TYPE_CHECKING:
    from ..client.subscription import Subscription
    from ..methods import NotificationMethod

_LISTS: Final = ("tools", "prompts", "resources")


class ChangeFollower:
    """Passes the changes of lists, and the updates of some resources, to ``announce``, each with its key and params.

    For other resources the subscription is opened again, before the former one is closed. Thread-safe.
    """

    def __init__(self, client: Any, announce: Callable[[NotificationMethod[Any], Any], None]) -> None:
        self._client = client
        self._announce = announce
        declared = client.server_capabilities
        self._lists = {name: client.binding.declares(declared, f"{name}.listChanged") for name in _LISTS}
        self._lock = Lock()
        self._subscription: Subscription | None = None

    def begin(self, uris: frozenset[str]) -> None:
        """Follow those of these resources that the server agrees to, unless something is followed; log a failure."""
        try:
            with self._lock:
                while self._subscription is None:
                    refused = self._open(uris)
                    if not refused:
                        break
                    for uri in sorted(refused):
                        write_log("warning", "a server behind does not send updates of %s any more: it refuses to", uri)
                    uris -= refused
        except McpError as fault:
            _log("changes of a server behind cannot be followed", fault)

    def follow(self, uris: frozenset[str]) -> frozenset[str]:
        """Follow these resources, and no others. Return those that the server refuses; nothing changes then."""
        with self._lock:
            return self._open(uris)

    def _open(self, uris: frozenset[str]) -> frozenset[str]:
        """Replace the subscription by one that a thread of its own follows; return the resources that are refused."""
        before, found = self._subscription, None
        if uris or any(self._lists.values()):
            found = self._client.listen(**self._lists, resource=sorted(uris))
            refused = uris.difference(found.acknowledged.resource_subscriptions or ())
            if refused:
                found.close()
                return refused
            Thread(target=self._pass_on, args=(found,), name="mcp-changes", daemon=True).start()
        self._subscription = found
        if before is not None:
            before.close()
        return frozenset()

    def _pass_on(self, subscription: Subscription) -> None:
        try:
            with subscription as changes:
                for change in changes:
                    self._announce(change.key, change.params)
        except McpError as fault:
            _log("changes of a server behind are not followed any more", fault)


def _log(event: str, fault: McpError) -> None:
    """Log a failure: a warning, unless the connection has ended, which is reported elsewhere."""
    write_log("info" if isinstance(fault, ConnectionClosed) else "warning", "%s: %s", event, fault)
