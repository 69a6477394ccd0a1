"""The changes of a server behind a proxy that one client of the proxy wants to know."""

from __future__ import annotations

from threading import Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from ..errors import McpError, ResponseError
from ..jsonrpc import INVALID_PARAMS
from ..logs import write_log
from ..session.stateless import FILTERS, UPDATED
from .change_follower import ChangeFollower

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..methods import NotificationMethod, RequestMethod
    from ..server.subscription_opening import Listener
    from .front import Front
    from .server_contact import ServerContact

_SUBSCRIBE = "resources/subscribe"
_UNSUBSCRIBE = "resources/unsubscribe"
_OPENING: Final = 2.0
"""Seconds to wait until a server that was started has agreed to the subscription, before requests are sent."""


class FollowedChanges:
    """Follows changes in the way of the server, and again after it was started again.

    A server with sessions announces changes of lists, and gets ``resources/subscribe``. One without sessions gets a
    subscription to everything; ``announce`` is called with its notifications. ``front`` is the client, whose subscriptions
    count if it has no session. Methods raise ``ResponseError``, and ``McpError`` if the server cannot be used.
    """

    def __init__(
        self,
        contact: ServerContact,
        front: Front,
        announce: Callable[[NotificationMethod[Any], Any], None],
    ) -> None:
        self._contact = contact
        self._binding = contact.binding
        self._front = front
        self._listeners = front.listeners
        self._announce = announce
        self._lock = Lock()
        self._started = False
        self._follower: ChangeFollower | None = None
        """Follows a server without sessions."""
        self._watched: frozenset[str] = frozenset()
        """URIs of the resources that it follows."""
        self._subscribed: dict[str, Any] = {}
        """Params of ``resources/subscribe`` by URI, for a server with sessions."""

    @property
    def watches(self) -> bool:
        """Whether the resources of a server without sessions are followed."""
        return bool(self._watched)

    def begin(self, client: Any) -> None:
        """Follow the changes of a server that was started."""
        again, self._started = self._started, True
        if self._binding.era == "stateless":
            self._follower = follower = ChangeFollower(client, self._announce)
            began = monotonic()
            opening = Thread(target=self._begin, args=(follower, again, began), name="mcp-changes", daemon=True)
            opening.start()
            # Otherwise a change that the first request causes might come too early.
            opening.join(_OPENING)
            return
        key = self._binding.requests[_SUBSCRIBE]
        for uri, params in list(self._subscribed.items()):
            try:
                client.connection.request(key, params)
            except ResponseError as error:
                # The resource may have ended with the former process.
                self._subscribed.pop(uri, None)
                write_log("warning", "%s does not send updates of %s any more: %s", self._contact.title, uri, error)
        if again:
            self._report_all()

    def _begin(self, follower: ChangeFollower, again: bool, began: float) -> None:
        follower.begin(self._watched)
        if again or monotonic() - began > _OPENING:
            self._report_all()

    def _report_all(self) -> None:
        """Report every change once, because some may have been missed."""
        binding = self._binding
        if not self._front.has_session:
            self._listeners.publish_all(binding)
            return
        for key in filter(None, map(binding.notifications.get, FILTERS)):
            if key.capability is not None and binding.declares(self._contact.capabilities, key.capability):
                self._announce(key, None)
        key = binding.notifications[UPDATED]
        for uri in (*self._subscribed, *self._watched):
            self._announce(key, key.params(uri=uri))

    def note(self, key: RequestMethod[Any, Any], params: Any) -> None:
        """Note a request of a client with a session that the server has answered."""
        if key.name == _SUBSCRIBE:
            self._subscribed[params.uri] = params
        elif key.name == _UNSUBSCRIBE:
            self._subscribed.pop(params.uri, None)

    def watch(self, uris: frozenset[str]) -> None:
        """Follow these resources of a server without sessions, and no others, for a client with a session."""
        with self._lock:
            before, self._watched = self._watched, uris
            try:
                refused = frozenset[str]() if self._follower is None else self._follower.follow(uris)
            except BaseException:
                self._watched = before
                raise
            if not refused:
                return
            self._watched = before
        reason = f"{self._contact.title} does not send updates of {', '.join(sorted(refused))}"
        raise ResponseError(INVALID_PARAMS, "Invalid params", {"reason": reason})

    def listen(self, client: Any, listener: Listener, uris: frozenset[str]) -> frozenset[str]:
        """Send changes to a subscription of a client without session; return the URIs to which the server agrees."""
        self._listeners.add(listener, uris)
        try:
            with self._lock:
                wanted = self._listeners.uris
                follow = self._follow if self._binding.era == "stateless" else self._subscribe
                refused = follow(client, wanted)
        except BaseException:
            self._listeners.remove(listener)
            raise
        self._listeners.restrict(listener, uris - refused)
        if refused:
            write_log("info", "%s does not send updates of %s", self._contact.title, ", ".join(sorted(refused)))
        return uris - refused

    def _follow(self, _client: Any, uris: frozenset[str]) -> frozenset[str]:
        """Follow these resources of a server without sessions; return those that it refuses."""
        wanted = uris
        while self._follower is not None:
            refused = self._follower.follow(wanted)
            if not refused:
                break
            wanted -= refused
        self._watched = wanted
        return uris - wanted

    def _subscribe(self, client: Any, uris: frozenset[str]) -> frozenset[str]:
        """Subscribe to these resources of a server with sessions, and no others; return those that it refuses."""
        self._unsubscribe_except(client, uris)
        if not self._binding.declares(client.server_capabilities, "resources.subscribe"):
            return uris
        key = self._binding.requests[_SUBSCRIBE]
        refused: set[str] = set()
        for uri in uris - self._subscribed.keys():
            params = key.params(uri=uri)
            try:
                client.connection.request(key, params, timeout=self._contact.timeout)
            except ResponseError:
                refused.add(uri)
            else:
                self._subscribed[uri] = params
        return frozenset(refused)

    def release_unused(self, client: Any) -> None:
        """Unsubscribe from resources whose subscriptions have ended, unless subscriptions change at this moment."""
        if client is None or self._binding.era == "stateless" or not self._lock.acquire(blocking=False):
            return
        try:
            self._unsubscribe_except(client, self._listeners.uris)
        finally:
            self._lock.release()

    def _unsubscribe_except(self, client: Any, uris: frozenset[str]) -> None:
        """Unsubscribe from all resources but these, without waiting for an answer."""
        key = self._binding.requests[_UNSUBSCRIBE]
        for uri in self._subscribed.keys() - uris:
            del self._subscribed[uri]
            try:
                client.connection.post(key, key.params(uri=uri))
            except McpError as fault:
                write_log("debug", "%s was not unsubscribed from: %s", uri, fault)
