"""The subscriptions of a client without sessions to the changes of one server behind a proxy."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any

from ..session.stateless import FILTERS, UPDATED, contains

if TYPE_CHECKING:
    from ..binding import Binding
    from ..methods import NotificationMethod
    from ..server.subscription_opening import Listener


class FrontListeners:
    """Sends changes to the subscriptions of one client. Those that have ended are forgotten. Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._uris: dict[Listener, frozenset[str]] = {}

    def __bool__(self) -> bool:
        return bool(self._live())

    def add(self, listener: Listener, uris: frozenset[str]) -> None:
        """Add a subscription, with those of its resources that belong to the server."""
        with self._lock:
            self._uris[listener] = uris

    def remove(self, listener: Listener) -> None:
        """Forget a subscription."""
        with self._lock:
            self._uris.pop(listener, None)

    def restrict(self, listener: Listener, uris: frozenset[str]) -> None:
        """Leave only these resources to a subscription."""
        with self._lock:
            if listener in self._uris:
                self._uris[listener] = uris

    @property
    def uris(self) -> frozenset[str]:
        """URIs of all resources whose updates are wanted."""
        return frozenset[str]().union(*self._live().values())

    def publish(self, key: NotificationMethod[Any], params: Any) -> None:
        """Send a change to the subscriptions that want it."""
        for listener, uris in self._live().items():
            if key.name in FILTERS:
                listener.publish(key, params)
            elif key.name == UPDATED:
                about = tuple(uri for uri in uris if contains(uri, params.uri))
                if about:
                    listener.publish(key, params, about)

    def publish_all(self, binding: Binding) -> None:
        """Report every change once, because some may have been missed."""
        for listener, uris in self._live().items():
            for method in listener.methods:
                listener.publish(binding.notifications[method], None)
            key = binding.notifications[UPDATED]
            for uri in uris:
                listener.publish(key, key.params(uri=uri), (uri,))

    def _live(self) -> dict[Listener, frozenset[str]]:
        with self._lock:
            self._uris = {listener: uris for listener, uris in self._uris.items() if not listener.gone}
            return dict(self._uris)
