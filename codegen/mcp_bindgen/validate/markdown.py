"""Reader of documentation: the JSON in code blocks of Markdown and HTML, each with its line."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from attrs import evolve
from mcp_bindings_runtime.codec.error_wording import json_path

from mcp_bindgen import catalog
from mcp_bindgen.validate import fences, html_examples
from mcp_bindgen.validate.entries import Entry, Json, Path, Read
from mcp_bindgen.validate.findings import Finding, Level, Place
from mcp_bindgen.validate.json_parser import NotJson, Parser
from mcp_bindgen.validate.relaxed import relax

LANGUAGES = frozenset({"json", "jsonc", "json5", "jsonl", "ndjson", "jsonrpc", "json-rpc"})
"""Languages of the code blocks that are read."""

_WITH_COMMAS = frozenset({"jsonc", "json5"})
"""Languages that allow trailing commas."""

_BLANK = re.compile(r"[ \t\r\n]*")
_SEPARATOR = re.compile(r"[ \t\r\n,]*")
_MEMBER = re.compile(r'[ \t\r\n]*"[^"\\\n]*"[ \t\r\n]*:')
_SCANNER = json.JSONDecoder()

_SENTENCE_END = re.compile(r"(?<=[.!?])[ \n]+|\n{2,}")
_OMITS = re.compile(r"\b(?:omit|omits|omitted|omitting|leave out|leaves out|left out|leaving out)\b", re.IGNORECASE)
_EXAMPLES = re.compile(r"\bexamples?\b", re.IGNORECASE)
_CODE = re.compile(r"`([^`\s]+)`")


def read(text: str, source: str) -> Iterator[Read]:
    """Yield an ``Entry`` for each JSON value in the ``json`` blocks, and findings about the blocks.

    A block is fenced, or ``<pre><code class="json">`` of HTML. ``source`` names the document; a revision in its path
    applies to its entries, and a type in the heading above them is their ``heading``. A block may hold several JSON
    texts, an array of messages, or members of an object without its braces. Comments are ignored with a note; a block
    in which an ellipsis leaves out what may be required only yields a note. A block that is not JSON is an error, with
    the line and column of the document.
    """
    parts = list(fences.parts(text))
    lines = [part for part in parts if not isinstance(part, fences.Block)]
    blocks = [part for part in parts if isinstance(part, fences.Block)]
    omits = _omitted("\n".join(line.text for line in lines))
    yield from _read(sorted([*blocks, *html_examples.in_lines(lines)], key=lambda block: block.line), source, omits)


def read_page(text: str, source: str) -> Iterator[Read]:
    """Read the examples of an HTML page, in which a block is ``<pre><code class="json">``."""
    yield from _read(html_examples.in_page(text), source, frozenset())


def _read(blocks: Iterable[fences.Block], source: str, omits: frozenset[str]) -> Iterator[Read]:
    known = Entry(Place(source), None, revision=revision_of(source), alone=True, omits=omits)
    for block in blocks:
        if block.language in LANGUAGES:
            yield from _Reading(block, evolve(known, heading=block.type)).read()


def revision_of(source: str) -> str | None:
    """Return the bundled revision named by a folder or the file's stem, the innermost first; else None."""
    known = catalog.revisions()
    for part in reversed(re.split(r"[\\/]", source)):
        for word in (part, part.partition(".")[0]):
            if word in known:
                return word
    return None


def pair(entries: Iterable[Entry]) -> list[Entry]:
    """Return the entries of a document, with ``request`` set to the method that each response answers.

    Ids repeat in a document: a response belongs to the nearest request before it with its id.
    """
    methods: dict[str | int, str] = {}
    paired: list[Entry] = []
    for entry in entries:
        value, found = entry.value, entry
        if value.__class__ is dict and value.get("id").__class__ in {str, int}:
            key: str | int = value["id"]
            if value.get("method").__class__ is str:
                methods[key] = value["method"]
            elif ("result" in value or "error" in value) and key in methods:
                found = evolve(entry, request=methods[key])
        paired.append(found)
    return paired


def _omitted(prose: str) -> frozenset[str]:
    """Return the names of members that a document says its examples omit."""
    found: set[str] = set()
    for sentence in _SENTENCE_END.split(prose):
        if _OMITS.search(sentence) and _EXAMPLES.search(sentence):
            found.update(_CODE.findall(sentence))
    return frozenset(found)


class _Found(NamedTuple):
    offset: int
    value: Json
    repeated: list[Path]


class _Fault(Exception):
    """The text is not JSON from an offset on."""

    def __init__(self, offset: int, message: str, code: str = "json") -> None:
        super().__init__(message)
        self.offset = offset
        self.code = code


class _Reading:
    """One block: its JSON values and their positions in the document."""

    def __init__(self, block: fences.Block, known: Entry) -> None:
        self._block = block
        self._known = known
        self._starts = [0, *(found.end() for found in re.finditer("\n", block.text))]

    def read(self) -> Iterator[Read]:
        """Yield the entries and findings of the block."""
        try:
            found = list(_values(self._block.text))
        except _Fault as strict:
            yield from self._read_relaxed(strict)
        else:
            yield from self._entries(found)

    def _read_relaxed(self, strict: _Fault) -> Iterator[Read]:
        relaxed = relax(self._block.text, commas=self._block.language in _WITH_COMMAS)
        if relaxed.gap is not None:
            yield self._elided(relaxed.gap, "not checked: members left out here may be required")
            return
        if relaxed.comment is None and relaxed.elision is None:
            yield self._no_json(strict)
            return
        try:
            found = list(_values(relaxed.text))
        except _Fault as fault:
            if relaxed.elision is None:
                yield self._no_json(fault)
            else:
                yield self._elided(relaxed.elision, "not checked: text left out here makes it invalid JSON")
            return
        if relaxed.elision is not None:
            yield self._elided(relaxed.elision, "checked without the text left out here")
        elif relaxed.comment is not None:
            extra = "comments" if self._block.text[relaxed.comment] == "/" else "trailing commas"
            message = f"checked without its {extra}, which JSON does not allow"
            yield self._finding(relaxed.comment, "note", "commented", message)
        yield from self._entries(found)

    def _entries(self, found: Iterable[_Found]) -> Iterator[Read]:
        for offset, value, repeated in found:
            place = Place(self._known.place.source, self._position(offset)[0])
            for path in repeated:
                message = f"the object has several members {json_path((path[-1],))[2:]}; the last one counts"
                yield Finding(place, "error", "duplicate-key", json_path(path), message, None)
            yield evolve(self._known, place=place, value=value)

    def _no_json(self, fault: _Fault) -> Finding:
        message = str(fault) if self._block.closed else f"{fault}, in a block without closing fence"
        # An incomplete text is reported at its end, not on the line of the closing fence.
        offset = min(fault.offset, len(self._block.text.rstrip()))
        return self._finding(offset, "error", fault.code, message)

    def _elided(self, offset: int, message: str) -> Finding:
        return self._finding(offset, "note", "elided", message)

    def _finding(self, offset: int, level: Level, code: str, message: str) -> Finding:
        line, column = self._position(offset)
        place = Place(self._known.place.source, line)
        return Finding(place, level, code, "$", f"{message} (column {column})", None)

    def _position(self, offset: int) -> tuple[int, int]:
        pieces = self._block.pieces
        if pieces:
            piece = pieces[max(bisect_right(pieces, offset, key=lambda each: each.offset) - 1, 0)]
            return piece.line, piece.column + offset - piece.offset
        line = bisect_right(self._starts, offset) - 1
        return self._block.line + line, offset - self._starts[line] + 1


def _values(text: str) -> Iterator[_Found]:
    """Yield consecutive JSON texts, and each message of an array; raise `_Fault`."""
    position = _start(text, 0)
    if position == len(text):
        message = "not JSON: empty"
        raise _Fault(0, message)
    if _MEMBER.match(text):
        yield _members(text, position)
        return
    while position < len(text):
        end = _end(text, position)
        try:
            value, repeated = Parser().parse(text[position:end])
        except NotJson as problem:
            raise _Fault(position, str(problem), problem.code) from None
        if value.__class__ is list and _are_messages(value) and not repeated:
            yield from _elements(text, position, value)
        else:
            yield _Found(position, value, repeated)
        position = _start(text, end)


def _members(text: str, position: int) -> _Found:
    """Return the object that members without braces form."""
    try:
        found = list(_values("{" + text + "}"))
    except _Fault as fault:
        # The added brace shifts every offset by one.
        offset = min(max(fault.offset - 1, 0), len(text) - 1)
        raise _Fault(offset, str(fault), fault.code) from None
    return _Found(position, found[0].value, found[0].repeated)


def _elements(text: str, position: int, value: list[Json]) -> Iterator[_Found]:
    position += 1
    for element in value:
        found = _SEPARATOR.match(text, position)
        position = found.end() if found else position
        yield _Found(position, element, [])
        position = _end(text, position)


def _are_messages(value: list[Json]) -> bool:
    return bool(value) and all(each.__class__ is dict and "jsonrpc" in each for each in value)


def _start(text: str, position: int) -> int:
    found = _BLANK.match(text, position)
    return found.end() if found else position


def _end(text: str, position: int) -> int:
    try:
        _, end = _SCANNER.raw_decode(text, position)
    except json.JSONDecodeError as error:
        message = f"not JSON: {error.msg[0].lower()}{error.msg[1:]}"
        raise _Fault(error.pos, message) from None
    except RecursionError:
        message = "JSON is nested too deeply"
        raise _Fault(position, message, "depth") from None
    except ValueError:
        # Python's own limit on the digits of an int.
        message = "not valid JSON for most parsers: an integer of thousands of digits"
        raise _Fault(position, message) from None
    return end
