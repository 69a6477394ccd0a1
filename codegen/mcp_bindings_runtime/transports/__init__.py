"""How messages travel: what a transport is. Each transport is a module, loaded by whoever uses it.

=============  =========================================================================
``memory``     two ends within one process
``streams``    a pipe, socket, file or terminal: anything that has descriptors (POSIX)
``child``      the client's side of stdio: starts the server as a process of its own
``stdio``      the server's side of stdio: the standard input and output of this process
``windows``    what stands for ``streams`` on Windows
=============  =========================================================================
"""

from __future__ import annotations

from typing import Final, Protocol

from ..errors import UsageError

CLOSED_HERE: Final = "the connection was closed on this side"
CLOSED_THERE: Final = "the other side closed the connection"

LONGEST: Final = 1_000_000.0
"""The longest single wait in seconds; poll() takes 32 bits of milliseconds. Who waits longer waits again."""


class Unanswered(Exception):
    """One request failed, which says nothing of the others: its ``id``, and ``error``, why.

    ``message`` is the message of the other side that says so, if there is one.
    """

    def __init__(self, request_id: str | int, error: Exception, message: bytes | None = None) -> None:
        super().__init__(request_id, error, message)
        self.id = request_id
        self.error = error
        self.message = message


class Transport(Protocol):
    """Moves whole messages between two sides; a class of one's own with these four methods is one.

    A message is one JSON text in UTF-8 without a newline in it; nothing here looks inside. Messages arrive in the order
    in which they were sent. Where a method waits, an exception raised by a signal's handler (KeyboardInterrupt) ends the
    wait and leaves the transport usable. One that comes in the very moment in which messages arrive may lose these.
    """

    def receive(self, timeout: float | None = None) -> bytes | None:
        """The next message; None when ``timeout`` seconds went by, or after ``interrupt``.

        None as the timeout waits without limit, 0 takes only what is there. One thread receives at a time. Raises
        ConnectionClosed, whose text says why, once nothing more will come, and MessageTooLarge for a message beyond the
        limit: it is skipped, and the next call gives the next message. A transport that sees requests fail one by one
        raises Unanswered for each; ``receive`` can be called on after it.
        """
        ...

    def interrupt(self) -> None:
        """Makes the ``receive`` that waits, or else the next one, return None; several before that count as one.

        From any thread, and from a signal's handler. Does nothing once the transport is closed.
        """
        ...

    def send(self, message: bytes, timeout: float | None = None) -> None:
        """Sends one message whole; from any thread, and messages never mix.

        Raises ConnectionClosed when it cannot arrive any more, and RequestTimeout when the other side takes nothing for
        ``timeout`` seconds (None: no limit). Nothing of the message was sent then: where a part was, the connection is
        of no use any more, so it is closed, and the exception is ConnectionClosed.
        """
        ...

    def close(self) -> None:
        """Ends the connection; from any thread, any number of times.

        A ``receive`` or ``send`` that waits in another thread raises ConnectionClosed at once, and so does each later one.
        """
        ...


def checked(timeout: float) -> float:
    """A timeout that is a number of seconds; those below 0 have gone by already."""
    if timeout != timeout:  # noqa: PLR0124 - only a NaN differs from itself
        message = "a timeout of nan seconds never goes by; give a number, or None for no limit"
        raise UsageError(message)
    return max(timeout, 0.0)
