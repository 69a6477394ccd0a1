"""The text of one schema file: positions of bytes, texts of nodes, and faults."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from functools import cached_property
from typing import TYPE_CHECKING

from mcp_bindgen.errors import Fault
from mcp_bindgen.ir.types import Position

if TYPE_CHECKING:
    from tree_sitter import Node


class Source:
    """One schema file; converts byte offsets of the parser to lines and columns in characters."""

    def __init__(self, name: str, data: bytes) -> None:
        self.name = name
        self.data = data
        self._line_cache: tuple[int, str] = (-1, "")

    def text(self, node: Node) -> str:
        """Return the text of ``node``."""
        return self.data[node.start_byte : node.end_byte].decode()

    def position(self, byte: int) -> Position:
        """Return the line and the column of a byte offset."""
        line = bisect_right(self._line_starts, byte)
        start = self._line_starts[line - 1]
        column = byte - start
        if self._continuations:
            column -= bisect_left(self._continuations, byte) - bisect_left(self._continuations, start)
        return Position(self.name, line, column + 1)

    def line(self, number: int) -> str:
        """Return the text of a line without its line end."""
        if self._line_cache[0] != number:
            starts = self._line_starts
            end = starts[number] if number < len(starts) else len(self.data)
            text = self.data[starts[number - 1] : end].decode(errors="replace").rstrip("\r\n")
            self._line_cache = (number, text)
        return self._line_cache[1]

    # Arrays, not lists: a file of one line feed after another is legal, and a list would take fifty times its size.

    @cached_property
    def _line_starts(self) -> array[int]:
        starts = array("L", [0])
        starts.extend(match.end() for match in re.finditer(rb"\n", self.data))
        return starts

    @cached_property
    def _continuations(self) -> array[int]:
        """Offsets of the UTF-8 continuation bytes."""
        if self.data.isascii():
            return array("L")
        return array("L", (match.start() for match in re.finditer(rb"[\x80-\xbf]", self.data)))


class Faults:
    """Faults of a source: the first ``limit``, and the number of the others."""

    def __init__(self, source: Source, limit: int, noun: str) -> None:
        self._source = source
        self._limit = limit
        self._noun = noun
        self._kept: list[Fault] = []
        self._omitted = 0
        self._last = Position(source.name, 1, 1)

    def __len__(self) -> int:
        return len(self._kept) + self._omitted

    def add(self, place: Node | Position | int, message: str) -> None:
        """Record a fault of a node, a position or a byte offset."""
        if len(self._kept) >= self._limit:
            self._omitted += 1
            return
        if isinstance(place, Position):
            position = place
        else:
            position = self._source.position(place if isinstance(place, int) else place.start_byte)
        self._kept.append(Fault(position, message, self._source.line(position.line)))
        self._last = max(self._last, position, key=lambda position: (position.line, position.column))

    def listed(self) -> list[Fault]:
        """Return the faults, with a last one that counts those left out."""
        if not self._omitted:
            return self._kept
        noun = self._noun if self._omitted == 1 else f"{self._noun}s"
        return [*self._kept, Fault(self._last, f"and {self._omitted} more {noun}")]
