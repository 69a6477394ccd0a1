"""Transports move messages. Each is a module of its own, loaded when used.

=============  ==============================================================================
``memory``     two ends within one process
``streams``    a pipe, socket, file or terminal: anything that has descriptors (POSIX)
``child``      the client's side of stdio: starts the server as a process
``stdio``      the server's side of stdio: the standard input and output of this process
``windows``    the counterpart of ``streams`` on Windows
``recorder``   another transport, whose messages are written to a file
=============  ==============================================================================

To add a transport, add its module here; for clients also a factory to ``client.transport_factories`` and a function to the
templates ``connect.py.j2`` and ``client.py.j2``; for servers a function to ``server.runnable`` and to the templates
``serve.py.j2`` and ``server.py.j2``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from ..errors import UsageError
from ..jsonrpc import RequestId

if TYPE_CHECKING:
    from typing import Self

CLOSED_HERE: Final = "the connection was closed on this side"
CLOSED_THERE: Final = "the other side closed the connection"

LONGEST: Final = 1_000_000.0
"""Limit in seconds on a single wait, as poll() takes 32 bits of milliseconds; longer waits are repeated."""


class Unanswered(Exception):
    """One request, ``id``, failed with ``error``; others are not affected.

    ``message`` is the message of the other side that says so, if there is one.
    """

    def __init__(self, request_id: str | int, error: Exception, message: bytes | None = None) -> None:
        super().__init__(request_id, error, message)
        self.id = request_id
        self.error = error
        self.message = message


class RelatedMessage(bytes):
    """A message that the other side sent during one of the requests ``request_ids``, as the transport tells."""

    request_ids: frozenset[RequestId]

    def __new__(cls, message: bytes, request_ids: frozenset[RequestId]) -> Self:
        """Return the message with the ids."""
        made = super().__new__(cls, message)
        made.request_ids = request_ids
        return made


class Transport(Protocol):
    """Moves whole messages between two sides; any class with these four methods is a transport.

    A message is one JSON text in UTF-8 without a newline; transports do not parse it. Messages arrive in the order in
    which they were sent. An exception that a signal handler raises (KeyboardInterrupt) ends a wait and leaves the
    transport usable. Messages that arrive at the same moment may be lost.
    """

    def receive(self, timeout: float | None = None) -> bytes | None:
        """Return the next message; None after ``timeout`` seconds (None: no limit, 0: do not wait) or after ``interrupt``.

        Only one thread may receive at a time. Raise `ConnectionClosed`, with the reason, when no more messages will
        arrive. Raise `MessageTooLarge` for a message beyond the limit, which is skipped. A transport whose requests can
        fail one by one raises `Unanswered` for each. After the latter two, ``receive`` can be called again.
        """
        ...

    def interrupt(self) -> None:
        """Make the waiting ``receive``, or else the next one, return None; several interrupts before that count as one.

        Can be called from any thread and from a signal handler. Do nothing if the transport is closed.
        """
        ...

    def send(self, message: bytes, timeout: float | None = None) -> None:
        """Send one whole message. Thread-safe: messages are never interleaved.

        Raise `ConnectionClosed` if the message cannot arrive any more, and `RequestTimeout` if the other side accepts
        nothing for ``timeout`` seconds (None: no limit) and no part of the message was sent. If a part was sent, close
        the connection, which is unusable then, and raise `ConnectionClosed`.
        """
        ...

    def close(self) -> None:
        """End the connection. Can be called from any thread, and more than once.

        A ``receive`` or ``send`` that waits in another thread raises `ConnectionClosed` at once, as does each later call.
        """
        ...


def check_timeout(timeout: float) -> float:
    """Return a timeout of at least 0 seconds; raise `UsageError` if it is not a number."""
    if timeout != timeout:  # noqa: PLR0124 - only a NaN differs from itself
        message = "a timeout of nan seconds never goes by; give a number, or None for no limit"
        raise UsageError(message)
    return max(timeout, 0.0)
