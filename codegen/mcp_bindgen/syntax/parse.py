"""Parse the bytes of a schema file into a syntax tree, within limits."""

from __future__ import annotations

import codecs
import re
import time
from typing import TYPE_CHECKING

import tree_sitter_typescript
from attrs import frozen
from tree_sitter import Language, Parser

from mcp_bindgen.errors import Fault, SchemaError
from mcp_bindgen.ir.types import Position
from mcp_bindgen.syntax.scan import Scan
from mcp_bindgen.syntax.source import Faults, Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node, Point, Tree

MAX_BYTES = 4 * 1024 * 1024
"""Size of the largest file that is read, in bytes."""
MAX_SYNTAX_FAULTS = 20
"""Number of syntax errors of a file that are reported one by one."""

_LANGUAGE = Language(tree_sitter_typescript.language_typescript())
_CHUNK = 1 << 12
_EXCERPT = 40

# The parser tries many readings of a text that fits none, and there are texts for which its time and memory grow with
# the square of the length. A schema is parsed at several times this rate; the seconds are for the slowest of machines.
_BASE_SECONDS = 2.0
_SECONDS_PER_BYTE = 2e-6

_MISSING = {
    "identifier": "a name",
    "type_identifier": "a type",
    "property_identifier": "a property name",
    "number": "a number",
    "string": "a string",
}


@frozen
class Parsed:
    """A source with its tree. If there are ``faults``, only nodes that ``is_sound`` accepts are reliable."""

    source: Source
    tree: Tree
    faults: Faults
    broken_from: int

    def is_sound(self, node: Node) -> bool:
        """Return whether the parser read ``node`` without error recovery."""
        return not node.has_error and node.end_byte <= self.broken_from


def parse(data: bytes, name: str) -> Parsed:
    """Return the syntax tree of ``data`` with its syntax errors; raise ``SchemaError`` if it cannot be parsed."""
    if len(data) > MAX_BYTES:
        message = f"the file has {len(data)} bytes; the limit is {MAX_BYTES}"
        raise SchemaError([Fault(Position(name, 1, 1), message)])
    source = Source(name, data.removeprefix(codecs.BOM_UTF8))
    _check_text(source)
    faults = Faults(source, MAX_SYNTAX_FAULTS, "syntax error")
    scan = Scan(source, faults)
    if not scan.safe:
        raise SchemaError(faults.listed())
    tree = _tree(source)
    if not tree.root_node.has_error:
        # Brackets that do not match without the parser minding are in something that is refused by its own name.
        return Parsed(source, tree, Faults(source, MAX_SYNTAX_FAULTS, "syntax error"), len(source.data))
    for node in _guesses(tree.root_node):
        # An error around the break tells nothing that the scan has not told better.
        if node.end_byte <= scan.broken_from:
            faults.add(node, _guess(node, source))
    return Parsed(source, tree, faults, scan.broken_from)


def _check_text(source: Source) -> None:
    """Raise ``SchemaError`` unless the file is UTF-8 text without NUL."""
    faults = Faults(source, 1, "error")
    data = source.data
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        faults.add(0, "found UTF-16 text; a schema file is UTF-8")
    elif (nul := data.find(b"\0")) >= 0:
        faults.add(nul, f"found a NUL byte (offset {nul}); a schema file is text")
    else:
        try:
            data.decode()
        except UnicodeDecodeError as error:
            found = f"byte 0x{data[error.start]:02x} (offset {error.start})"
            faults.add(error.start, f"{found} is not valid UTF-8: {error.reason}")
    if faults:
        raise SchemaError(faults.listed())


def _tree(source: Source) -> Tree:
    data = source.data
    start = time.thread_time()
    stopped_at: int | None = None

    def read(offset: int, _point: Point) -> bytes:
        # The clock is looked at here, as parsing cannot be interrupted in all releases of tree-sitter from 0.23 on.
        nonlocal stopped_at
        if stopped_at is None and time.thread_time() - start > _BASE_SECONDS + offset * _SECONDS_PER_BYTE:
            stopped_at = offset
        return b"" if stopped_at is not None else data[offset : offset + _CHUNK]

    tree = Parser(_LANGUAGE).parse(read)
    if stopped_at is not None:
        faults = Faults(source, 1, "error")
        faults.add(stopped_at, "this does not look like TypeScript: parsing took too long and was stopped")
        raise SchemaError(faults.listed())
    return tree


def _guesses(root: Node) -> Iterator[Node]:
    """Return the innermost nodes in which the parser skipped text or inserted a missing token, in order."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        inner = [child for child in node.children if child.has_error or child.is_missing]
        if not inner:
            yield node
        waiting.extend(reversed(inner))


def _guess(node: Node, source: Source) -> str:
    if node.is_missing:
        return f"syntax error: {_MISSING.get(node.type, f'`{node.type}`')} is missing here"
    start = source.data[node.start_byte : min(node.end_byte, node.start_byte + 4 * _EXCERPT)].decode(errors="ignore")
    text = re.split(r"[\r\n]", start, maxsplit=1)[0].rstrip()
    return f"syntax error at `{text if len(text) <= _EXCERPT else f'{text[:_EXCERPT]}…'}`"
