"""The subscription that feeds the notification handlers of a client while it is connected (2026-07-28).

``client.listen`` opens a stream of its own (``subscription``). No thread waits for this one: its notifications are
dispatched as those of earlier revisions, and it is opened again after it breaks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from threading import Lock, Thread
from time import monotonic
from typing import Any
from weakref import WeakMethod, proxy

from ..connection.calls import Call
from ..connection.connection import Connection
from ..errors import HttpError, McpError, ProtocolError, ResponseError, UsageError
from ..http.client.retry import RetryPolicy
from ..http.client.statuses import rejects_message
from ..logs import log_exception, write_log
from ..session.events import Notified
from ..session.stateless import FILTERS, LISTEN, UPDATED, filters_of

_ACKNOWLEDGED = "notifications/subscriptions/acknowledged"

PAUSE = 1.0
LONGEST_PAUSE = 60.0
"""Seconds before it is opened again: at first, and after repeated failures."""


class _Stream(Call):
    """The request that keeps the subscription open.

    It calls ``on_change`` with notifications, ``on_reopened`` when the transport has opened the stream again, and ``ended``
    at its end.
    """

    def __init__(
        self,
        key: Any,
        wanted: Any,
        timeout: float,
        on_change: Callable[[Notified, int], object],
        on_reopened: Callable[[], object],
        ended: Callable[[], object],
    ) -> None:
        super().__init__(key, timeout, timeout, None)
        self.wanted = wanted
        self.on_change = on_change
        self.on_reopened = on_reopened
        self.ended: Callable[[], object] | None = ended
        self.acknowledged: Any = None

    def publish(self, notified: Notified, size: int) -> None:
        """Dispatch a notification of the stream."""
        if notified.key.name == _ACKNOWLEDGED:
            again = self.acknowledged is not None
            self.acknowledged = notified.params.notifications
            if again:
                self.on_reopened()
            self.notified = True
            self.wake()
        else:
            self.on_change(notified, size)

    def finish(self, result: Any, error: Exception | None = None) -> None:
        """Record the end of the stream."""
        super().finish(result, error)
        ended, self.ended = self.ended, None
        if ended is not None and self.acknowledged is not None:
            ended()


class ChangeFeed:
    """The subscription of a client to the changes that it has handlers for. Thread-safe."""

    def __init__(self, client: Any) -> None:
        self._client = proxy(client)
        self._uris: dict[str, None] = {}
        self._stream: _Stream | None = None
        self._opening = Lock()
        self._policy = RetryPolicy(pause=PAUSE, longest=LONGEST_PAUSE)
        self._failures = 0
        """The number of times in a row that the subscription ended or could not be opened."""
        self._opened = 0.0

    def open(self, connection: Connection) -> None:
        """Open the subscription for all changes that have handlers, unless it is open for them.

        Log a failure; try again later unless the server has refused it.
        """
        try:
            self._open(connection)
        except McpError as fault:
            # A server that is busy or restarts says nothing about the subscription.
            refused = isinstance(fault, ResponseError) and (
                not isinstance(fault, HttpError) or rejects_message(fault.status)
            )
            if refused and self._stream is None:
                write_log("info", "the server refused the subscription, so changes are not reported: %s", fault)
                return
            write_log("warning", "the subscription to changes could not be opened yet: %s", fault)
            self._reopen_later(connection)

    def watch(self, uris: Iterable[str]) -> None:
        """Subscribe to updates of these resources, too.

        Raise ``UsageError`` if no handler is registered for them, or the server does not offer them; and as
        ``Client.request``.
        """
        fresh = [uri for uri in uris if uri not in self._uris]
        if not self._handles(UPDATED):
            text = "no handler for updates of resources; pass `on_resource_updated`, or iterate over `listen(resource=[…])`"
            raise UsageError(text)
        connection = self._client.connection
        self._uris.update(dict.fromkeys(fresh))
        agreed: Iterable[str] = ()
        try:
            stream = self._open(connection)
            agreed = () if stream is None else stream.acknowledged.resource_subscriptions or ()
        finally:
            for uri in fresh:
                if uri not in agreed:
                    self._uris.pop(uri, None)
        lacking = [uri for uri in fresh if uri not in agreed]
        if lacking:
            text = f"the server did not agree to a subscription to {', '.join(lacking)}"
            raise UsageError(text)

    def unwatch(self, uri: str) -> None:
        """Unsubscribe from updates of a resource."""
        if uri in self._uris:
            del self._uris[uri]
            self._open(self._client.connection)

    def _open(self, connection: Connection) -> _Stream | None:
        with self._opening:
            wanted = self._wanted(connection)
            old = self._stream
            if old is not None and not old.done and old.wanted == wanted:
                return old
            self._stream = None if wanted is None else self._subscribe(connection, wanted)
            if old is not None:
                # Only now, so that no change is missed.
                old.ended = None
                connection.conclude(old, "another subscription takes its place")
            return self._stream

    def _handles(self, method: str) -> bool:
        key = self._client.binding.notifications.get(method)
        return key is not None and self._client.handler_of(key) is not None

    def _wanted(self, connection: Connection) -> Any:
        """Return the filter of the subscription; None if there is nothing to subscribe to."""
        binding, declared = self._client.binding, connection.session.peer_capabilities
        kinds = {
            member: True
            for method, member in FILTERS.items()
            if self._handles(method)
            and (declared is None or binding.declares(declared, binding.notifications[method].capability))
        }
        uris = list(self._uris) if self._handles(UPDATED) else []
        return binding.types.SubscriptionFilter(**kinds, resource_subscriptions=uris or None) if kinds or uris else None

    def _subscribe(self, connection: Connection, wanted: Any) -> _Stream:
        client = self._client
        session: Any = connection.session
        key = client.binding.requests[LISTEN]
        # The connection must not keep the client alive.
        reopen_later, report_all = WeakMethod(self._reopen_later), WeakMethod(self._report_all)

        def ended() -> None:
            retry = reopen_later()
            if retry is not None:
                retry(connection)

        def reopened() -> None:
            report = report_all()
            if report is not None:
                report(connection, stream)

        stream = _Stream(key, wanted, client.timeout, connection.put_notification, reopened, ended)
        params = key.params(meta=session.meta(), notifications=wanted)
        try:
            connection.attend(stream, lambda: session.request(key, params))
            while stream.acknowledged is None and not stream.done:
                connection.attend(stream)
        except BaseException as fault:
            stream.ended = None
            connection.abandon(stream, fault)
            raise
        stream.notified = False
        if stream.acknowledged is None:
            text = f"{key.name}: the server ended the stream before it acknowledged the subscription"
            raise stream.error or ProtocolError(text)
        stream.awaited = False
        self._opened = monotonic()
        return stream

    def _reopen_later(self, connection: Connection) -> None:
        if connection.closed:
            return
        if monotonic() - self._opened > LONGEST_PAUSE:
            self._failures = 0
        self._failures += 1
        pause = self._policy.seconds(self._failures)
        reopen = WeakMethod(self._reopen)

        def wait() -> None:
            if not connection.wait(pause):
                call = reopen()
                if call is not None:
                    call(connection)

        try:
            Thread(target=wait, name="mcp-resubscribe", daemon=True).start()
        except RuntimeError as fault:
            log_exception(fault, "no thread could be started, so changes are not reported any more")

    def _reopen(self, connection: Connection) -> None:
        """Open the subscription again, and report a change of everything, as it may have changed meanwhile."""
        if connection.closed:
            return
        self.open(connection)
        stream = self._stream
        if stream is None or stream.acknowledged is None:
            return
        self._report_all(connection, stream)
        connection.dispatch_notifications()

    def _report_all(self, connection: Connection, stream: _Stream) -> None:
        """Queue notifications of all changes that a stream reports."""
        binding = self._client.binding
        notifications = binding.notifications
        for method, member in filters_of(binding).items():
            if getattr(stream.acknowledged, member):
                connection.put_notification(Notified(notifications[method], None))
        updated = notifications[UPDATED]
        for uri in stream.acknowledged.resource_subscriptions or ():
            connection.put_notification(Notified(updated, updated.params(uri=uri)))
