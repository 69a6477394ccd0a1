"""Reader of sources: yields their values with places, and findings for what is not JSON."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO, Literal

from mcp_bindgen.validate import fragments, logs, markdown
from mcp_bindgen.validate.entries import Entry, Json, Path, Read
from mcp_bindgen.validate.findings import Finding, Level, Place
from mcp_bindgen.validate.json_parser import NotJson, Parsed, Parser, decoded
from mcp_bindgen.validate.limits import Limits, in_words
from mcp_bindgen.validate.lines import Line, Readable, lines
from mcp_bindgen.validate.sources import InputError, Source, unreadable
from mcp_bindgen.validate.wording import path_in_words

Progress = Callable[[int], None]
"""Callback that receives the number of bytes read so far."""

_BOM = b"\xef\xbb\xbf"
_GZIP = b"\x1f\x8b"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_NAMED = re.compile(r'\\?"jsonrpc\\?"')
"""The member of every message, also in a message that is a string in JSON."""
_RECORDS = ("entries", "messages", "events")
"""Keys under which recorders keep all messages of a conversation."""


def read(source: Source, limits: Limits, kind: str | None = None, progress: Progress | None = None) -> Iterator[Read]:
    """Yield the entries of a source. ``kind`` is the type of every value; None means messages.

    Raise `InputError` if it cannot be read, or is too large to be read as a whole.
    """
    reader = Reader(source, limits, kind or source.type, progress or ignore_progress)
    try:
        if source.path is None:
            yield from reader.stream(sys.stdin.buffer)
        else:
            with source.path.open("rb") as stream:
                yield from reader.stream(stream)
    except OSError as problem:
        raise InputError(unreadable(source.name, problem)) from None


def ignore_progress(size: int) -> None:
    """Ignore progress."""


class Reader:
    """Reads one source."""

    def __init__(self, source: Source, limits: Limits, kind: str | None, progress: Progress) -> None:
        self._source = source
        self._limits = limits
        self._kind = kind
        self._progress = progress
        self._parser = Parser()

    def stream(self, stream: BinaryIO) -> Iterator[Read]:
        """Yield the entries of a byte stream."""
        form = self._source.form
        if form == "markdown":
            yield from self._examples(self._whole(stream), markdown.read)
        elif form == "html":
            yield from self._examples(self._whole(stream), markdown.read_page)
        elif form == "json":
            yield from self._document(self._whole(stream))
        elif form is None:
            yield from self._unknown(stream)
        else:
            yield from self._lines(stream, loose=form == "log")

    def messages(self, messages: Iterable[Json]) -> Iterator[Read]:
        """Yield the entries of messages given as texts or values; their line is their number."""
        for number, message in enumerate(messages, 1):
            data = message.encode(errors="surrogatepass") if isinstance(message, str) else message
            if isinstance(data, bytes | bytearray):
                yield from self._line(bytes(data).rstrip(b"\r\n"), number, loose=False)
            else:
                yield from self._value(Parsed(message, []), Place(self._source.name, number))

    def _whole(self, stream: BinaryIO) -> bytes:
        data = stream.read(self._limits.document + 1)
        if len(data) > self._limits.document:
            most = in_words(self._limits.document)
            message = f"{self._source.name} is larger than {most}, the limit for sources that are read as a whole"
            raise InputError(message)
        self._progress(len(data))
        self._refuse_compressed(data)
        return data

    def _unknown(self, stream: BinaryIO) -> Iterator[Read]:
        """Read as lines unless the first line begins a JSON text of several lines."""
        head = b""
        while not head.strip() and len(head) <= self._limits.line:
            line = stream.readline(self._limits.line + 2)
            if not line:
                break
            head += line
        if head.removeprefix(_BOM).lstrip()[:1] in {b"{", b"["} and self._state(head) == "begun":
            rest = stream.read(max(self._limits.document - len(head), 0) + 1)
            if len(head) + len(rest) <= self._limits.document and self._state(head + rest) != "broken":
                yield from self._document(head + rest)
                return
            head += rest
        yield from self._lines(_Rejoined(head, stream), loose=False)

    def _state(self, data: bytes) -> Literal["whole", "begun", "broken"]:
        """Return whether the data is a whole JSON text, the beginning of one, or neither."""
        try:
            self._parser.parse(decoded(data.removeprefix(_BOM)))
        except NotJson as problem:
            return "begun" if problem.unfinished else "broken"
        return "whole"

    def _lines(self, stream: Readable, *, loose: bool) -> Iterator[Read]:
        seen = 0
        for line in lines(stream, self._limits.line):
            seen += line.size
            self._progress(seen)
            if line.data is None:
                message = f"a line of {in_words(line.size)}; the limit is {in_words(self._limits.line)}"
                yield self._finding("line-length", message, line.number)
                continue
            if line.number == 1:
                self._refuse_compressed(line.data)
                if line.data.startswith(_UTF16):
                    yield self._utf16()
                    return
                yield from self._without_mark(line.data)
                line = Line(1, line.data.removeprefix(_BOM), line.size)  # noqa: PLW2901 - the same line still
            if line.data and not line.data.isspace():
                yield from self._line(line.data, line.number, loose=loose)

    def _without_mark(self, data: bytes) -> Iterator[Finding]:
        if data.startswith(_BOM):
            yield self._finding("encoding", "JSON must not begin with a byte order mark", 1)

    def _refuse_compressed(self, data: bytes) -> None:
        if data.startswith(_GZIP):
            message = f"{self._source.name} is compressed; decompress it first: gunzip -c FILE | mcp-codegen validate -"
            raise InputError(message)

    def _utf16(self) -> Finding:
        return self._finding("encoding", "the text is UTF-16; JSON must be UTF-8", 1)

    def _line(self, data: bytes, number: int, *, loose: bool) -> Iterator[Read]:
        try:
            text = decoded(data)
        except NotJson as problem:
            yield self._finding(problem.code, str(problem), number)
            return
        fault: NotJson | None = None
        if text.lstrip(" \t")[:1] in {"{", "["}:
            try:
                read = self._parser.parse(text)
            except NotJson as problem:
                fault = problem
            else:
                yield from self._value(read, Place(self._source.name, number))
                return
        yield from self._text(text, number, fault, loose=loose)

    def _text(self, text: str, number: int, fault: NotJson | None, *, loose: bool) -> Iterator[Read]:
        """Read a line that is neither an object nor an array: a message after other text, or none."""
        place = Place(self._source.name, number)
        found = None if self._kind else logs.prefixed(text, loose=loose)
        if found is None:
            if not self._kind and logs.is_event_field(text):
                return
            if fault is None:
                try:
                    yield from self._value(self._parser.parse(text), place)
                except NotJson as problem:
                    fault = problem
                else:
                    return
            if loose and not text.startswith("{"):
                yield self._no_message(number)
            else:
                yield self._finding(fault.code, str(fault), number)
            return
        try:
            read, _ = self._parser.parse_at(text, found.start)
        except NotJson as problem:
            named = _NAMED.search(text, found.start) is not None
            if logs.is_cut(text) or (named and problem.unfinished and not found.sure):
                yield self._finding("cut", "the log contains only a part of this message", number, "note")
            elif found.sure or named:
                yield self._finding(problem.code, str(problem), number)
            else:
                yield self._no_message(number)
            return
        wrapped = logs.unwrap(read.value)
        if wrapped is not None:
            yield from self._value(read, place)
        elif found.sure or fragments.is_message(read.value):
            yield from self._repetitions(read, place)
            yield Entry(place, read.value, found.sender, conversation=found.conversation)
        else:
            yield self._no_message(number)

    def _value(self, read: Parsed, place: Place, inside: Path = ()) -> Iterator[Read]:
        """Unwrap a value from the object that a recorder put around it."""
        value = read.value
        if self._kind:
            yield from self._repetitions(read, place)
            yield Entry(place, value, type=self._kind, revision=self._source.revision, alone=True, inside=inside)
            return
        wrapped = logs.unwrap(value)
        if wrapped is None:
            if logs.is_remark(value):
                yield self._no_message(place.line)
                return
            yield from self._repetitions(read, place)
            yield Entry(place, value, inside=inside)
            return
        if isinstance(wrapped.value, str):
            try:
                read = self._parser.parse(wrapped.value)
            except NotJson as problem:
                yield self._finding(problem.code, f"the wrapped message is {problem}", place.line)
                return
            wrapped = wrapped._replace(value=read.value)
        yield from self._repetitions(read, place)
        yield Entry(
            place,
            wrapped.value,
            wrapped.sender,
            word=wrapped.word,
            conversation=wrapped.conversation,
            inside=inside,
        )

    def _repetitions(self, read: Parsed, place: Place, inside: Path = ()) -> Iterator[Finding]:
        for path in read.repeated:
            message = "the object has this member several times; the last one counts"
            yield Finding(place, "error", "duplicate-key", path_in_words((*inside, *path)), message, None)

    def _document(self, data: bytes) -> Iterator[Read]:
        """Read one JSON text: a message, a batch, or an array or object with a recorded conversation."""
        if data.startswith(_UTF16):
            yield self._utf16()
            return
        yield from self._without_mark(data)
        data = data.removeprefix(_BOM)
        try:
            text = decoded(data)
            read = self._parser.parse(text)
        except NotJson as problem:
            if not self._kind and self._has_lines(data):
                yield from self._lines(io.BytesIO(data), loose=False)
            else:
                yield self._finding(problem.code, str(problem), problem.line)
            return
        place = Place(self._source.name)
        records = None if self._kind else _records(read.value)
        if records is None:
            yield from (_alone(each) for each in self._value(read, place))
            return
        yield from self._repetitions(read, place)
        inside, values = records
        for index, value in enumerate(values):
            yield from self._value(Parsed(value, []), place, (*inside, index))

    def _has_lines(self, data: bytes) -> bool:
        """Return whether data expected to be one JSON text has one on each line."""
        first, newline, rest = data.lstrip().partition(b"\n")
        return bool(newline and rest.strip()) and self._state(first) == "whole"

    def _examples(self, data: bytes, blocks: Callable[[str, str], Iterator[Read]]) -> Iterator[Read]:
        """Yield the entries of a document."""
        try:
            text = decoded(data.removeprefix(_BOM))
        except NotJson as problem:
            yield self._finding(problem.code, str(problem), problem.line)
            return
        entries: list[Entry] = []
        for each in blocks(text, self._source.name):
            if isinstance(each, Entry):
                entries.append(each)
            else:
                yield each
        yield from markdown.pair(entries)

    def _no_message(self, line: int | None) -> Finding:
        return self._finding("no-message", "a line without a message", line, "note")

    def _finding(self, code: str, message: str, line: int | None, level: Level = "error") -> Finding:
        return Finding(Place(self._source.name, line), level, code, "$", message, None)


def _alone(each: Read) -> Read:
    if isinstance(each, Entry):
        return Entry(each.place, each.value, each.sender, each.type, each.revision, alone=True, whole=True)
    return each


def _records(value: Json) -> tuple[Path, list[Json]] | None:
    """Return the messages of a conversation recorded as one JSON text; None if it is a message or batch.

    A batch never contains a request together with its response, since they have different senders.
    """
    inside: Path = ()
    if value.__class__ is dict and "jsonrpc" not in value:
        inside = next(((key,) for key in _RECORDS if value.get(key).__class__ is list), ())
        value = value[inside[0]] if inside else None
    if value.__class__ is not list or not value:
        return None
    if any(logs.unwrap(item) for item in value):
        return inside, value
    messages = [item for item in value if item.__class__ is dict and item.get("id").__class__ in {str, int}]
    requested = {(item["id"].__class__, item["id"]) for item in messages if "method" in item}
    answered = {(item["id"].__class__, item["id"]) for item in messages if "method" not in item}
    return (inside, value) if inside or requested & answered else None


class _Rejoined:
    """A stream of bytes already read, followed by the rest of the stream."""

    def __init__(self, head: bytes, stream: Readable) -> None:
        self._head = io.BytesIO(head)
        self._stream = stream

    def readline(self, size: int = -1, /) -> bytes:
        """Return the next line, at most ``size`` bytes of it."""
        line = self._head.readline(size)
        if line.endswith(b"\n") or len(line) == size:
            return line
        return line + self._stream.readline(size - len(line))
