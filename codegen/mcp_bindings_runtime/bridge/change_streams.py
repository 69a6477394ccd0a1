"""Subscriptions of a stateless client to the changes of a server with sessions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any
from weakref import ref

from ..errors import ConnectionClosed, McpError, ResponseError
from ..logs import write_log
from ..session.events import Notified
from ..session.stateless import FILTERS, contains, filters_of

if TYPE_CHECKING:
    from ..connection.calls import Call
    from .bridged_connection import BridgedConnection

_ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
_SUBSCRIBE = "resources/subscribe"
_UNSUBSCRIBE = "resources/unsubscribe"
_ENDED = "the connection has ended"
_SIZE = 256
"""Bytes that a notification counts in the buffer of a subscription."""


class ChangeStreams:
    """The open subscriptions of a connection. A resource is subscribed to while one of them is for it. Thread-safe."""

    def __init__(self, connection: BridgedConnection) -> None:
        self._connection = ref(connection)
        self._binding = connection.program.binding
        self._wire = connection.wire
        self._requests = connection.twin.binding.requests
        self._lock = Lock()
        self._streams: dict[Call, Any] = {}
        """The request that keeps a subscription open, to its acknowledged filter."""
        self._switching = Lock()
        self._uris: Counter[str] = Counter()
        """Number of subscriptions for each resource; ``_switching`` is for changes and the requests that follow."""
        self._watching = False

    def open(self, call: Call, wanted: Any) -> None:
        """Open the subscription of a request, and acknowledge what the server offers. Raise as ``Client.request``."""
        connection = self._connection()
        if connection is None:
            raise ConnectionClosed(_ENDED)
        declared = connection.session.peer_capabilities
        binding = self._binding
        kinds = {
            member: True
            for method, member in filters_of(binding).items()
            if getattr(wanted, member) and binding.declares(declared, binding.notifications[method].capability)
        }
        uris: list[str] = []
        if wanted.resource_subscriptions and binding.declares(declared, "resources.subscribe"):
            try:
                # An error leaves those in the list that came before.
                uris.extend(uri for uri in wanted.resource_subscriptions if self._subscribe(uri))
            except BaseException:
                self._unsubscribe(uris)
                raise
        accepted = binding.types.SubscriptionFilter(**kinds, resource_subscriptions=uris or None)
        with self._lock:
            self._streams[call] = accepted
            watching, self._watching = self._watching, True
        if not watching:
            Thread(target=_end_with, args=(self._wire, ref(self)), name="mcp-bridge", daemon=True).start()
        self._wire.listen()
        key = binding.notifications[_ACKNOWLEDGED]
        call.publish(Notified(key, key.params(notifications=accepted, meta=self._meta(call))), _SIZE)

    def _subscribe(self, uri: str) -> bool:
        """Subscribe to a resource unless that was done; return whether the server agrees."""
        with self._switching:
            self._uris[uri] += 1
            if self._uris[uri] > 1:
                return True
        key = self._requests[_SUBSCRIBE]
        try:
            self._wire.request(key, key.params(uri=uri))
        except BaseException as fault:
            with self._switching:
                self._remove(uri)
            if isinstance(fault, ResponseError):
                write_log("info", "the server refused the subscription to %s: %s", uri, fault)
                return False
            raise
        return True

    def _remove(self, uri: str) -> bool:
        """Remove a resource once; return whether it was the last time; hold the lock for changes."""
        self._uris[uri] -= 1
        is_last = not self._uris[uri]
        if is_last:
            del self._uris[uri]
        return is_last

    def _unsubscribe(self, uris: Sequence[str]) -> None:
        """Unsubscribe from resources that no other subscription is for."""
        key = self._requests[_UNSUBSCRIBE]
        # A subscription that is opened meanwhile has to come later.
        with self._switching:
            for uri in uris:
                if not self._remove(uri):
                    continue
                try:
                    self._wire.post(key, key.params(uri=uri))
                except McpError as fault:
                    write_log("debug", "%s could not be unsubscribed from: %s", uri, fault)

    def close(self, call: Call) -> None:
        """Close the subscription of a request, if it is open."""
        with self._lock:
            accepted: Any = self._streams.pop(call, None)
        if accepted is not None:
            self._unsubscribe(accepted.resource_subscriptions or ())

    def publish(self, notified: Notified) -> None:
        """Pass a change, in the revision of the client, to the subscriptions that are for it."""
        member = FILTERS.get(notified.key.name)
        params: Any = notified.key.params() if notified.params is None else notified.params
        with self._lock:
            streams = list(self._streams.items())
        for call, accepted in streams:
            uris: Sequence[str] = accepted.resource_subscriptions or ()
            wanted = any(contains(uri, params.uri) for uri in uris) if member is None else getattr(accepted, member)
            if not wanted:
                continue
            call.publish(Notified(notified.key, params.__replace__(meta=self._meta(call))), _SIZE)

    def end(self) -> None:
        """End all subscriptions, since the connection has ended."""
        with self._lock:
            calls = list(self._streams)
            self._streams.clear()
        for call in calls:
            call.finish(None, ConnectionClosed(_ENDED))

    def _meta(self, call: Call) -> Any:
        return self._binding.types.NotificationMetaObject(subscription_id=call.id)


def _end_with(wire: Any, streams: ref[ChangeStreams]) -> None:
    """End the subscriptions with the connection on the wire."""
    wire.wait()
    found = streams()
    if found is not None:
        found.end()
