"""What a handler sees of the connection that its request came on, whatever carries it."""

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
    """One side's end of a conversation: a ``Connection``, or what stands for one over HTTP."""

    @property
    def session(self) -> Session:
        """The core of the conversation."""
        ...

    @property
    def lock(self) -> AbstractContextManager[object]:
        """Held while the session is asked or told anything."""
        ...

    @property
    def closed(self) -> bool:
        """Whether nothing can be sent or received any more."""
        ...

    def send(self, line: bytes, *, optional: bool = False) -> None:
        """Sends a line that the session has made; raises ConnectionClosed, RequestTimeout.

        An optional one, a notification, may be dropped where there is no room for it.
        """
        ...

    def say(self, speak: Callable[[], Iterable[bytes]]) -> None:
        """Sends lines of the session behind all that it has replied so far, so that nothing overtakes a reply."""
        ...

    def request(
        self,
        key: RequestMethod[Any, R],
        params: Any = None,
        *,
        timeout: float | None = None,
        on_progress: Callable[[Any], object] | None = None,
        begun: Callable[[Call], object] | None = None,
    ) -> R:
        """Sends a request and waits for its result; raises as ``Client.request`` does.

        ``begun`` is given the call before it is sent; ``conclude`` can end it.
        """
        ...

    def conclude(self, call: Call, reason: str) -> None:
        """Ends a call from this side, as if it had been answered with nothing; wakes the thread that waits for it."""
        ...

    def notify(self, key: NotificationMethod[Any], params: Any = None) -> None:
        """Sends a notification; raises UsageError, EncodeError, ConnectionClosed.

        Over HTTP one that cannot be streamed is dropped.
        """
        ...

    def hold(self, incoming: Incoming) -> None:
        """The answer to a request comes later, by ``reply``: no thread of ours waits for it. Raises McpError.

        It raises where a connection to the client has to be held open meanwhile, and as many are as may be.
        """
        ...

    def reply(self, incoming: Incoming, line: bytes | None) -> None:
        """Sends the line that answers a request, None where there is none to send; from any thread.

        That it cannot be sent is noted.
        """
        ...

    def pause(self, retry: int) -> None:
        """Has the client hang up on the stream of its request and come back after ``retry`` milliseconds.

        Nothing happens where a request has no stream of its own.
        """
        ...

    def close(self, lines: Iterable[bytes] = ()) -> None:
        """Ends the connection, after these last lines; idempotent, from any thread."""
        ...
