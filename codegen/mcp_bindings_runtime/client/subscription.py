"""A subscription to changes, to iterate over (2026-07-28, Subscriptions)."""

from __future__ import annotations

from collections import deque
from math import inf
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakMethod

from ..connection.calls import Call
from ..connection.connection import Connection
from ..connection.notification_buffer import NotificationBuffer
from ..errors import CallCancelled
from ..methods import NotificationMethod, RequestMethod
from ..session.stateless import UPDATED, filters_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Self

    from ..session.events import Notified

_ACKNOWLEDGED = "notifications/subscriptions/acknowledged"


class Change(NamedTuple):
    """A change: the key of the notification, and its params."""

    key: NotificationMethod[Any]
    params: Any


class NotificationQueue(NotificationBuffer):
    """Queued notifications, which the client sees when they arrive and not when they are read."""

    def __init__(self, forget_outdated: Callable[[Notified], object]) -> None:
        super().__init__()
        # The connection holds the queue, but must not keep the client alive.
        self._forget_outdated = WeakMethod(forget_outdated)

    def append(self, notified: Notified, size: int = 0, /) -> None:
        """Append a notification of so many bytes."""
        forget_outdated = self._forget_outdated()
        if forget_outdated is not None:
            forget_outdated(notified)
        super().append(notified, size)


class Subscription:
    """An iterator over changes, each as soon as it arrives, until the server or ``close`` ends the stream.

    Use it in a ``with`` block. Of equal changes that wait to be read only one is kept. Over HTTP a stream that breaks is
    opened again, and then every change is reported once, as it may have happened meanwhile; iteration raises
    ``ResponseError`` if the server refuses that. Over other transports iteration raises ``ConnectionClosed`` if the
    connection breaks: subscribe again then, and read everything again.
    """

    def __init__(self, client: Any, key: RequestMethod[Any, Any], params: Any, timeout: float) -> None:
        # Keeps the client alive, with which the connection ends.
        self._client = client
        self._connection: Connection = client.connection
        connection = self._connection
        self._changes: deque[Change] = deque()
        self._call = Call(key, timeout, timeout, None)
        self._queue = self._call.notifications = NotificationQueue(client.forget_outdated)
        self.acknowledged: Any = None
        """The part of the requested filter that the server has agreed to."""
        try:
            connection.attend(self._call, lambda: connection.session.request(key, params))
            while self.acknowledged is None and not self._call.done:
                self._process()
                if self.acknowledged is None:
                    connection.attend(self._call)
        except BaseException as fault:
            connection.abandon(self._call, fault)
            raise
        if self._call.error is not None:
            raise self._call.error
        self._call.awaited = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[Change]:
        while True:
            change = self.get()
            if change is None:
                return
            yield change

    def get(self, timeout: float | None = None) -> Change | None:
        """Return the next change; None once the stream has ended.

        Raise ``RequestTimeout`` if none arrives within ``timeout`` seconds (None: no limit), ``ConnectionClosed``, and
        ``ResponseError`` if the server refuses to open a broken stream again.
        """
        call = self._call
        limit = inf if timeout is None else monotonic() + timeout
        while True:
            if not self._changes:
                self._process()
            if self._changes:
                return self._changes.popleft()
            if call.done:
                if call.error is not None and not isinstance(call.error, CallCancelled):
                    raise call.error
                return None
            call.deadline = limit
            call.timeout = limit if timeout is None else timeout
            self._connection.attend(call)

    def close(self) -> None:
        """End the stream, and the wait of another thread for a change. Idempotent; from any thread."""
        self._connection.conclude(self._call, "the client has closed the subscription")

    def _process(self) -> None:
        self._call.notified = False
        while self._queue:
            notified = self._queue.popleft()
            if notified.key.name != _ACKNOWLEDGED:
                self._add(notified.key, notified.params)
                continue
            again = self.acknowledged is not None
            self.acknowledged = notified.params.notifications
            if again:
                self._add_all()

    def _add(self, key: NotificationMethod[Any], params: Any) -> None:
        change = Change(key, params)
        if change not in self._changes:
            self._changes.append(change)

    def _add_all(self) -> None:
        """Add all changes that the stream reports."""
        binding = self._client.binding
        notifications = binding.notifications
        for method, member in filters_of(binding).items():
            if getattr(self.acknowledged, member):
                self._add(notifications[method], None)
        updated = notifications[UPDATED]
        for uri in self.acknowledged.resource_subscriptions or ():
            self._add(updated, updated.params(uri=uri))
