"""Messages out of a stream of bytes: one message is one line.

The stdio transport of every revision delimits messages with newlines and allows none inside. A line ends with LF or CRLF;
empty lines are skipped.
"""

from __future__ import annotations

from collections import deque
from typing import Final

from ..errors import MessageTooLarge, UsageError

DEFAULT_LIMIT: Final = 64 * 1024 * 1024
"""How many bytes a message may have, if nothing else is said."""

_CR: Final = 13


class Lines:
    """Cuts a stream of bytes into messages, whatever the pieces in which it comes.

    A message of more than ``limit`` bytes, its line ending not counted, is never held whole: ``next`` raises
    MessageTooLarge once, as soon as that much has come, and the rest of the line is thrown away as it comes. What is
    kept is bounded by ``limit`` and the chunk that was fed last, and the work is linear in what was fed.
    """

    __slots__ = ("_limit", "_rest", "_skipping", "ready")

    def __init__(self, limit: int = DEFAULT_LIMIT) -> None:
        if limit < 1:
            message = f"a limit of {limit} bytes lets no message through; give at least 1"
            raise UsageError(message)
        self._limit = limit
        self.ready: deque[bytes | MessageTooLarge] = deque()
        """What ``next`` has to give: falsy, when more has to be fed."""
        self._rest = bytearray()
        self._skipping = False

    def only(self, chunk: bytes) -> bytes | None:
        """The message, where ``chunk`` is exactly one line and nothing else is there; else None, and nothing was taken.

        That is the case whenever one side waits for the other, and spares the rest of the work.
        """
        end = len(chunk) - 1
        if chunk.find(b"\n") != end or not 0 < end <= self._limit or chunk[end - 1] == _CR:
            return None
        return None if self._rest or self._skipping or self.ready else chunk[:end]

    def feed(self, chunk: bytes) -> None:
        """Takes the next bytes of the stream."""
        lines = chunk.split(b"\n")
        rest = lines.pop()
        if lines:
            first = lines[0]
            if self._skipping:
                first = b""
                self._skipping = False
            elif self._rest:
                self._rest += first
                first = bytes(self._rest)
                self._rest = bytearray()
            lines[0] = first
            for line in lines:
                self._finish(line)
        if rest and not self._skipping:
            self._rest += rest
            self._refuse_too_large()

    def end(self) -> None:
        """Says that the stream has ended. An unfinished last line is a message too.

        Some peers omit the newline of their last message. One that was cut off in the middle does no harm: a part of a
        JSON object is not JSON.
        """
        rest, self._rest = self._rest, bytearray()
        self._skipping = False
        self._finish(bytes(rest))

    def next(self) -> bytes | None:
        """The next message without its line ending, None if more has to be fed; raises MessageTooLarge."""
        if not self.ready:
            return None
        message = self.ready.popleft()
        if isinstance(message, MessageTooLarge):
            raise message
        return message

    def _finish(self, line: bytes) -> None:
        if line.endswith(b"\r"):
            line = line[:-1]
        if len(line) > self._limit:
            self.ready.append(MessageTooLarge(len(line), self._limit))
        elif line:
            self.ready.append(line)

    def _refuse_too_large(self) -> None:
        size = len(self._rest)
        # A carriage return just beyond the limit may be the first half of the line's ending.
        if size > self._limit + (self._rest[-1] == _CR):
            self.ready.append(MessageTooLarge(size, self._limit))
            self._rest = bytearray()
            self._skipping = True


def check_message(message: bytes) -> None:
    """Raises UsageError for what is not one line, because it would arrive as several messages or none."""
    if not message or b"\n" in message:
        fault = "is empty" if not message else f"has a newline at byte {message.index(10)}"
        text = f"a message is one line of JSON, and this one {fault}; write it without newlines between its tokens"
        raise UsageError(text)
