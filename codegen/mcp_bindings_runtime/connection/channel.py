"""The connection of a handler, over any transport."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from ..methods import NotificationMethod, RequestMethod
    from ..session.events import Incoming
    from ..session.session import Session
    from .calls import Call

R = TypeVar("R")


class Channel(Protocol):
    """One side's end of a conversation: a ``Connection``, or a channel of the HTTP server."""

    @property
    def session(self) -> Session:
        """The sans-I/O core of the conversation."""
        ...

    @property
    def lock(self) -> AbstractContextManager[object]:
        """The lock to hold while calling the session."""
        ...

    @property
    def closed(self) -> bool:
        """Whether nothing can be sent or received any more."""
        ...

    def send(self, line: bytes, *, optional: bool = False) -> None:
        """Send a line that the session has made; raise `ConnectionClosed` or `RequestTimeout`.

        An optional line, a notification, may be dropped if there is no room for it.
        """
        ...

    def send_after_replies(self, make_lines: Callable[[], Iterable[bytes]]) -> None:
        """Send lines of the session after all its replies so far."""
        ...

    def request(
        self,
        key: RequestMethod[Any, R],
        params: Any = None,
        *,
        timeout: float | None = None,
        on_progress: Callable[[Any], object] | None = None,
        sending: Callable[[Call], object] | None = None,
    ) -> R:
        """Send a request and wait for its result; raise as ``Client.request``.

        ``sending`` is called with the call before it is sent.
        """
        ...

    def notify(self, key: NotificationMethod[Any], params: Any = None) -> None:
        """Send a notification; raise `UsageError`, `EncodeError` or `ConnectionClosed`.

        Over HTTP it is dropped if it cannot be streamed.
        """
        ...

    def hold(self, incoming: Incoming) -> None:
        """Announce that ``reply`` answers a request later, while no thread waits for it.

        Raise `McpError` if a connection to the client would have to be held open and the limit is reached.
        """
        ...

    def reply(self, incoming: Incoming, line: bytes | None) -> None:
        """Send the line that answers a request, if there is one; from any thread. Log if it cannot be sent."""
        ...

    def pause(self, retry: int) -> None:
        """Ask the client to close the stream of its request and come back after ``retry`` milliseconds.

        Do nothing if requests have no stream of their own.
        """
        ...

    def close(self, lines: Iterable[bytes] = ()) -> None:
        """End the connection, after these last lines; idempotent, from any thread."""
        ...
