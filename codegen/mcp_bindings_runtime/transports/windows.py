"""The counterpart of ``streams`` on Windows, where one cannot wait for a pipe and for something else at once.

Two threads read and write, with queues between them and the caller. **Not tested on Windows**; its logic is, on other
systems. A server uses ``ThreadStreams(0, 1)``; a client starts its server with ``subprocess.Popen``, passes ``os.dup``
of the pipes' descriptors, and ends the process after ``close``.
"""

from __future__ import annotations

import os
import sys
from threading import Thread

from ..errors import ConnectionClosed, MessageTooLarge
from ..session.framing import DEFAULT_LIMIT, Lines, check_message
from . import CLOSED_THERE
from .memory import CAPACITY, MessageQueue

_CHUNK = 64 * 1024


class ThreadStreams:
    """A transport that reads one descriptor and writes another. It owns both.

    Unlike ``streams.Streams``, ``send`` returns when the message is in a queue (of 1 MiB), and after ``close`` the queue
    is still written. Each thread closes its descriptor; the one that reads may not do so before the other side sends
    something or ends.
    """

    def __init__(self, reader: int, writer: int, *, limit: int = DEFAULT_LIMIT) -> None:
        # Only the limit of the other side applies to messages that are sent.
        self._inbox, self._outbox = MessageQueue(CAPACITY, limit), MessageQueue(CAPACITY, sys.maxsize)
        lines = Lines(limit)
        if sys.platform == "win32":
            import msvcrt

            # Otherwise line endings are changed, and Ctrl-Z ends the input.
            for fd in (reader, writer):
                msvcrt.setmode(fd, os.O_BINARY)
        Thread(target=_read, args=(reader, lines, self._inbox), name="mcp: reading", daemon=True).start()
        Thread(target=_write, args=(writer, self._outbox), name="mcp: writing", daemon=True).start()

    def receive(self, timeout: float | None = None) -> bytes | None:
        """See ``Transport.receive``."""
        return self._inbox.get(timeout)

    def interrupt(self) -> None:
        """See ``Transport.interrupt``."""
        self._inbox.interrupt()

    def send(self, message: bytes, timeout: float | None = None) -> None:
        """See ``Transport.send``."""
        check_message(message)
        self._outbox.put(message, timeout)

    def close(self) -> None:
        """See ``Transport.close``."""
        self._outbox.end()
        self._inbox.refuse()

    def __del__(self) -> None:
        # The threads refer to the queues only, so the transport can be garbage collected.
        self.close()


def _read(fd: int, lines: Lines, inbox: MessageQueue) -> None:
    try:
        while chunk := os.read(fd, _CHUNK):
            lines.feed(chunk)
            _hand_on(lines, inbox)
        lines.end()
        _hand_on(lines, inbox)
        inbox.end(CLOSED_THERE)
    except OSError as problem:
        # ConnectionClosed is an OSError, too: nobody receives any more.
        inbox.end(f"the connection broke: {problem.strerror}")
    finally:
        os.close(fd)


def _hand_on(lines: Lines, inbox: MessageQueue) -> None:
    while True:
        message: bytes | MessageTooLarge | None
        try:
            message = lines.next()
        except MessageTooLarge as problem:
            message = problem
        if message is None:
            return
        inbox.put(message, None)


def _write(fd: int, outbox: MessageQueue) -> None:
    try:
        while (message := outbox.get(None)) is not None:
            rest = memoryview(message + b"\n")
            while rest:
                rest = rest[os.write(fd, rest) :]
    except ConnectionClosed:
        return
    except OSError:
        outbox.refuse(CLOSED_THERE)
    finally:
        os.close(fd)
