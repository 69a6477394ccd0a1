"""Cut a stream of bytes into messages, one a line (stdio transport of every revision).

A line ends with LF or CRLF; empty lines are skipped.
"""

from __future__ import annotations

from collections import deque
from typing import Final

from ..errors import MessageTooLarge, UsageError

DEFAULT_LIMIT: Final = 64 * 1024 * 1024
"""Default limit on the bytes of a message."""

_CR: Final = 13


class Lines:
    """Cuts a stream of bytes into messages, in whatever chunks it arrives.

    A message of more than ``limit`` bytes, without its line ending, is never held whole: ``next`` raises
    ``MessageTooLarge`` once as soon as the limit is exceeded, and the rest of the line is discarded. Memory is bounded
    by ``limit`` and the last chunk; the work is linear in the bytes fed.
    """

    __slots__ = ("_limit", "_rest", "_skipping", "ready")

    def __init__(self, limit: int = DEFAULT_LIMIT) -> None:
        if limit < 1:
            message = f"`limit` must be at least 1 byte, got {limit}"
            raise UsageError(message)
        self._limit = limit
        self.ready: deque[bytes | MessageTooLarge] = deque()
        """The messages, or errors, for ``next``."""
        self._rest = bytearray()
        self._skipping = False

    def only(self, chunk: bytes) -> bytes | None:
        """Return the message if ``chunk`` is exactly one line and no other data waits; else None, and nothing is fed.

        This is the fast path while each side waits for the other.
        """
        end = len(chunk) - 1
        if chunk.find(b"\n") != end or not 0 < end <= self._limit or chunk[end - 1] == _CR:
            return None
        return None if self._rest or self._skipping or self.ready else chunk[:end]

    def feed(self, chunk: bytes) -> None:
        """Add the next bytes of the stream."""
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
        """End the stream. An unfinished last line is a message, as some peers omit its newline.

        A line that was cut off does no harm, because part of a JSON object is not JSON.
        """
        rest, self._rest = self._rest, bytearray()
        self._skipping = False
        self._finish(bytes(rest))

    def next(self) -> bytes | None:
        """Return the next message without its line ending, None if more must be fed; raise ``MessageTooLarge``."""
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
        # A carriage return just beyond the limit may be the first half of the line ending.
        if size > self._limit + (self._rest[-1] == _CR):
            self.ready.append(MessageTooLarge(size, self._limit))
            self._rest = bytearray()
            self._skipping = True


def check_message(message: bytes) -> None:
    """Raise ``UsageError`` unless a message is one line; it would arrive as several messages or none."""
    if not message or b"\n" in message:
        fault = "it is empty" if not message else f"it has a newline at byte {message.index(10)}"
        text = f"a message must be one line of JSON, but {fault}; write it without newlines between its tokens"
        raise UsageError(text)
