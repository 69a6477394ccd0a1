"""SseEvent streams, against their grammar and against a reader written straight after the text of the HTML standard."""

from __future__ import annotations

import tracemalloc
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_bindings_runtime.errors import MessageTooLarge, UsageError
from mcp_bindings_runtime.http.sse import SseEvent, SseParser

ENDINGS = ["\n", "\r", "\r\n"]


def plainly(stream: bytes) -> tuple[list[tuple[str, str]], str, int | None]:
    """The events with their type and data, the last id, and the time to wait: step by step as the standard says it.

    Section 9.2.6: decode as UTF-8, strip one BOM, split at CRLF, LF or CR, and process the lines in order.
    """
    text = stream.decode("utf-8", "replace").removeprefix("\ufeff")
    lines: list[str] = []
    line = ""
    at = 0
    while at < len(text):
        if text[at] in "\r\n":
            lines.append(line)
            line = ""
            at += 2 if text[at : at + 2] == "\r\n" else 1
        else:
            line += text[at]
            at += 1
    found: list[tuple[str, str]] = []
    data, kind, buffered, last, retry = "", "", "", "", None
    for each in lines:
        if each == "":
            last = buffered
            if data != "":
                found.append((kind or "message", data.removesuffix("\n")))
            data = kind = ""
            continue
        if each.startswith(":"):
            continue
        field, colon, value = each.partition(":")
        if colon and value.startswith(" "):
            value = value[1:]
        if field == "event":
            kind = value
        elif field == "data":
            data += value + "\n"
        elif field == "id" and "\0" not in value:
            buffered = value
        elif field == "retry" and value != "" and all(digit in "0123456789" for digit in value):
            retry = int(value)
    return found, last, retry


def read(*chunks: bytes, **options: Any) -> tuple[list[SseEvent | MessageTooLarge], SseParser]:
    stream = SseParser(**options)
    return [event for chunk in chunks for event in stream.feed(chunk)], stream


def events(*chunks: bytes) -> list[tuple[str, str]]:
    found, _ = read(*chunks)
    return [(each.type, each.data.decode("utf-8", "replace")) for each in found if isinstance(each, SseEvent)]


texts = st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), max_size=8)
fields = st.one_of(
    st.builds("{}: {}".format, st.sampled_from(["data", "event", "id", "retry", "other", ""]), texts),
    st.builds("{}:{}".format, st.sampled_from(["data", "data", "event", "id"]), texts),
    st.sampled_from(
        ["data", "id", "event", "retry", "data:", "id:", "retry:30", "retry: 1500", "retry:1x", ":", "id:a\0"]
    ),
    texts,
    st.just(""),
)
streams = st.builds(
    lambda bom, lines, rest: (bom + "".join(line + end for line, end in lines) + rest).encode(),
    st.sampled_from(["", "", "\ufeff", "\ufeff\ufeff"]),
    st.lists(st.tuples(fields, st.sampled_from(ENDINGS))),
    texts,
)
"""What the grammar of event streams allows, and lines that it has no name for."""


@st.composite
def chopped(draw: st.DrawFn, of: st.SearchStrategy[bytes] = streams) -> tuple[bytes, list[bytes]]:
    """A stream, and the same in pieces, some of them empty."""
    stream = draw(of)
    cuts = sorted(draw(st.lists(st.integers(0, len(stream)), max_size=12)))
    edges = [0, *cuts, len(stream)]
    return stream, [stream[a:b] for a, b in pairwise(edges)]


@given(streams)
def test_it_reads_what_the_standard_says(stream: bytes) -> None:
    wanted, last, retry = plainly(stream)
    assert events(stream) == wanted
    _, ours = read(stream)
    assert ours.last_id == last
    assert ours.retry == (None if retry is None else retry / 1000)


@given(chopped(st.one_of(streams, st.binary(max_size=60))))
def test_the_pieces_in_which_it_comes_make_no_difference(cut: tuple[bytes, list[bytes]]) -> None:
    stream, pieces = cut
    whole, first = read(stream)
    parts, second = read(*pieces)
    assert (parts, second.last_id, second.retry) == (whole, first.last_id, first.retry)


@given(st.binary(max_size=80))
def test_any_bytes_are_read_as_the_standard_says(stream: bytes) -> None:
    assert events(*(stream[at : at + 1] for at in range(len(stream)))) == plainly(stream)[0]


@given(st.lists(st.tuples(texts, st.sampled_from(ENDINGS)), min_size=1), st.sampled_from(ENDINGS))
def test_what_is_written_as_data_comes_back(lines: list[tuple[str, str]], end: str) -> None:
    stream = "".join(f"data: {line}{ending}" for line, ending in lines).encode() + end.encode()
    if lines[-1][1] == "\r" and end == "\n":
        stream += b"\n"
    assert events(stream) == [("message", "\n".join(line for line, _ in lines))]


def test_an_id_belongs_to_the_event_that_gives_it_and_lasts_beyond_it() -> None:
    found, stream = read(b"id: 1\ndata: a\n\ndata: b\n\nid: 2\n\nid: 3\ndata: never ended\n")
    assert found == [SseEvent("message", b"a", "1"), SseEvent("message", b"b", None)]
    assert stream.last_id == "2"


def test_an_empty_id_takes_the_last_one_back() -> None:
    _, stream = read(b"id: 1\n\nid\n\n")
    assert stream.last_id == ""


def test_an_event_without_data_primes() -> None:
    found, stream = read(b"id: 7\nretry: 500\ndata: \n\n")
    assert found == [SseEvent("message", b"", "7")]
    assert (stream.last_id, stream.retry) == ("7", 0.5)


def test_a_time_to_wait_of_many_digits_is_no_trouble() -> None:
    _, stream = read(b"retry: " + b"9" * 5000 + b"\n")
    assert stream.retry == 1_000_000


@pytest.mark.parametrize("pieces", [1, 7, 1000])
def test_an_event_beyond_the_limit_is_skipped_and_the_next_one_read(pieces: int) -> None:
    stream = b"id: 1\ndata: " + b"x" * 300 + b"\n\ndata: small\nid: 2\n\n"
    found, ours = read(*(stream[at : at + pieces] for at in range(0, len(stream), pieces)), limit=100)
    assert isinstance(found[0], MessageTooLarge)
    assert found[1:] == [SseEvent("message", b"small", "2")]
    assert ours.last_id == "2"


def test_many_small_lines_count_as_one_event() -> None:
    found, _ = read(b"data: 0123456789\n" * 20 + b"\n" + b"data: 0123456789\n" * 9 + b"\n", limit=100)
    assert isinstance(found[0], MessageTooLarge)
    assert isinstance(found[1], SseEvent)


def test_what_is_never_ended_is_not_kept() -> None:
    stream = SseParser(limit=1000)
    for _ in range(1000):
        assert not stream.feed(b": comment without end" * 50)
        assert len(stream._rest) < 3000


def test_a_limit_lets_something_through() -> None:
    with pytest.raises(UsageError, match=">= 1"):
        SseParser(limit=0)


def test_an_event_of_many_lines_takes_the_memory_of_its_data() -> None:
    parser = SseParser()
    tracemalloc.start()
    try:
        for _ in range(200):
            assert parser.feed(b"data: x\n" * 2000) == []
        assert tracemalloc.get_traced_memory()[1] < 5 * 1024 * 1024
    finally:
        tracemalloc.stop()
    (found,) = parser.feed(b"\n")
    assert isinstance(found, SseEvent)
    assert found.data == b"\n".join([b"x"] * 400_000)


@pytest.mark.parametrize("size", [4096, 4097, 1_000_000])
def test_an_id_that_is_too_long_for_a_header_counts_as_none(size: int) -> None:
    parser = SseParser()
    parser.feed(b"id: 1\ndata: a\n\n")
    parser.feed(b"id: " + b"x" * size + b"\ndata: a\n\n")
    assert parser.last_id == ("x" * size if size == 4096 else "")
