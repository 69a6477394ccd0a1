"""A stream of changes that a client has asked for (2026-07-28, Subscriptions)."""

from __future__ import annotations

from collections import deque
from math import inf
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakMethod

from ..connection.calls import Call
from ..connection.connection import Connection
from ..errors import ConnectionClosed
from ..methods import NotificationMethod, RequestMethod

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Self

    from ..session.events import Notified

_ACKNOWLEDGED = "notifications/subscriptions/acknowledged"


class Change(NamedTuple):
    """What has changed: the key of the notification, and its params."""

    key: NotificationMethod[Any]
    params: Any


class NotificationQueue(deque["Notified"]):
    """News, of which the client hears when they come, not when somebody asks for them."""

    def __init__(self, forget_outdated: Callable[[Notified], object]) -> None:
        super().__init__()
        # The connection holds the news, and is not to keep the client.
        self._forget_outdated = WeakMethod(forget_outdated)

    def append(self, notified: Notified, /) -> None:
        """Adds a notification."""
        forget_outdated = self._forget_outdated()
        if forget_outdated is not None:
            forget_outdated(notified)
        super().append(notified)


class Subscription:
    """Iterates over changes, each as soon as it comes, until the server ends the stream or ``close`` does.

    To be used in a ``with`` block. Of changes that say the same, only one is kept while nobody asks for them. Iterating
    raises ConnectionClosed where the connection breaks: subscribe again then, and look at everything anew.
    """

    def __init__(self, client: Any, key: RequestMethod[Any, Any], params: Any, timeout: float) -> None:
        # Not the connection alone: that ends with the client.
        self._client = client
        self._connection: Connection = client.connection
        connection = self._connection
        self._changes: deque[Change] = deque()
        self._call = Call(key, timeout, timeout, None)
        self._call.notifications = NotificationQueue(client.forget_outdated)
        self.acknowledged: Any = None
        """What the server has agreed to tell of, which may be less than was asked for."""
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
        """The next change; None once the stream has ended.

        Raises RequestTimeout where none comes within ``timeout`` seconds (None: no limit), and ConnectionClosed.
        """
        call = self._call
        limit = inf if timeout is None else monotonic() + timeout
        while True:
            self._process()
            if self._changes:
                return self._changes.popleft()
            if call.done:
                if isinstance(call.error, ConnectionClosed):
                    raise call.error
                return None
            call.deadline = limit
            call.timeout = limit if timeout is None else timeout
            self._connection.attend(call)

    def close(self) -> None:
        """Ends the stream, also for a thread that waits for a change. Idempotent; from any thread."""
        self._connection.conclude(self._call, "the client has closed the subscription")

    def _process(self) -> None:
        self._call.notified = False
        queue = self._call.notifications
        while queue:
            notified = queue.popleft()
            if notified.key.name == _ACKNOWLEDGED:
                self.acknowledged = notified.params.notifications
            else:
                change = Change(notified.key, notified.params)
                if change not in self._changes:
                    self._changes.append(change)
