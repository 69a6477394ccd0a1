"""A transport over two descriptors: pipes, sockets, files, terminals (POSIX)."""

from __future__ import annotations

import os

from ..errors import ConnectionClosed
from ..session.framing import DEFAULT_LIMIT
from .descriptor_reader import DescriptorReader
from .descriptor_writer import DescriptorWriter


class Streams:
    """A transport that reads one descriptor and writes another, which may be the same (a socket).

    It owns both: they are closed by ``close``, or when the transport is garbage collected. Pass a duplicate (``os.dup``)
    of a descriptor that is used elsewhere, and ``detach()`` a socket object. ``end`` is a descriptor, owned as well,
    that becomes readable when nothing more will come. ``limit`` is the size limit of a received message in bytes.

    ``send`` counts its ``timeout`` from when the other side last accepted something; a file or terminal is written
    without one. When the other side ends its sending half, one can still send to it. The rest of a message that a
    signal's exception has interrupted is sent before the next one.
    """

    __slots__ = ("__weakref__", "_reader", "_writer")

    def __init__(self, reader: int, writer: int, *, limit: int = DEFAULT_LIMIT, end: int = -1) -> None:
        # Each half closes a descriptor of its own.
        own = os.dup(reader) if reader == writer else writer
        try:
            # Fails for an invalid descriptor while nothing is owned; later steps cannot fail for that.
            os.fstat(own)
            self._reader = DescriptorReader(reader, limit=limit, end=end)
        except BaseException:
            if own != writer:
                os.close(own)
            raise
        self._writer = DescriptorWriter(own)

    def receive(self, timeout: float | None = None) -> bytes | None:
        """See ``Transport.receive``."""
        return self._reader.receive(timeout)

    def interrupt(self) -> None:
        """See ``Transport.interrupt``."""
        self._reader.interrupt()

    def send(self, message: bytes, timeout: float | None = None) -> None:
        """See ``Transport.send``."""
        try:
            self._writer.send(message, timeout)
        except ConnectionClosed:
            if self._writer.broken:
                self.close()
            raise

    def close(self) -> None:
        """See ``Transport.close``."""
        # A `send` that this ends in another thread reads `closed` of the reader to say which side has closed.
        self._reader.close()
        self._writer.close()
