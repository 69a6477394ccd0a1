"""Lines out of bytes, whatever the pieces in which they come."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterable, Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_bindings_runtime.errors import MessageTooLarge, UsageError
from mcp_bindings_runtime.session.framing import Lines, check_message

LIMIT = 12
TOO_LARGE = None

contents = st.binary(max_size=LIMIT + 6).map(lambda line: line.replace(b"\n", b" "))
"""Some are empty, some too large, some have carriage returns anywhere."""
endings = st.sampled_from([b"\n", b"\r\n"])


def messages(lines: Lines) -> Iterator[bytes | None]:
    """All that is there; None stands for one that was too large."""
    while True:
        try:
            message = lines.next()
        except MessageTooLarge:
            yield TOO_LARGE
        else:
            if message is None:
                return
            yield message


def cut(stream: bytes, places: Iterable[int]) -> list[bytes]:
    """The stream in pieces, some of them empty."""
    marks = [0, *sorted(place % (len(stream) + 1) for place in places), len(stream)]
    return [stream[start:end] for start, end in pairwise(marks)]


def through(chunks: Iterable[bytes], *, limit: int = LIMIT) -> list[bytes | None]:
    """What comes out when it is taken at once."""
    lines = Lines(limit)
    found: list[bytes | None] = []
    for chunk in chunks:
        # As the reader of a stream does it.
        message = lines.only(chunk)
        if message is None:
            lines.feed(chunk)
        else:
            found.append(message)
        found.extend(messages(lines))
    lines.end()
    return [*found, *messages(lines)]


def expected(stream: bytes) -> list[bytes | None]:
    """The plain way, for a whole stream."""
    lines = [line.removesuffix(b"\r") for line in stream.split(b"\n")]
    return [line if len(line) <= LIMIT else TOO_LARGE for line in lines if line]


@given(st.lists(st.tuples(contents, endings)), contents, st.lists(st.integers(0, 500)))
def test_any_pieces_of_any_lines_give_the_lines(
    parts: list[tuple[bytes, bytes]], last: bytes, places: list[int]
) -> None:
    stream = b"".join(line + ending for line, ending in parts) + last
    assert through(cut(stream, places)) == expected(stream)


@given(st.lists(st.sampled_from([b"\n", b"\r", b"a", b"b" * LIMIT]), max_size=30), st.lists(st.integers(0, 500)))
def test_line_endings_may_stand_anywhere(parts: list[bytes], places: list[int]) -> None:
    stream = b"".join(parts)
    assert through(cut(stream, places)) == expected(stream)


def test_lf_and_crlf_end_a_line_and_empty_lines_are_skipped() -> None:
    assert through([b"\n\r\n1\n2\r\n\n3\r\r\n"]) == [b"1", b"2", b"3\r"]


def test_an_unfinished_last_line_is_a_message_when_the_stream_ends() -> None:
    lines = Lines()
    lines.feed(b"1\n2")
    assert list(messages(lines)) == [b"1"]
    lines.end()
    assert list(messages(lines)) == [b"2"]


@pytest.mark.parametrize("ending", [b"\n", b"\r\n", b""])
def test_the_line_ending_does_not_count(ending: bytes) -> None:
    assert through([b"x" * LIMIT, ending]) == [b"x" * LIMIT]
    assert through([b"x" * (LIMIT + 1), ending]) == [TOO_LARGE]


def test_a_message_that_is_too_large_is_said_before_it_ends() -> None:
    lines = Lines(LIMIT)
    lines.feed(b"x" * 10)
    assert lines.next() is None
    lines.feed(b"x" * 10)
    with pytest.raises(MessageTooLarge) as problem:
        lines.next()
    assert (problem.value.seen, problem.value.limit) == (20, LIMIT)
    assert str(problem.value) == "a message of 20 bytes or more was skipped: the limit is 12 bytes"
    lines.feed(b"x" * 100)
    lines.feed(b"x\nnext\n")
    assert list(messages(lines)) == [b"next"]


def test_what_is_kept_of_an_endless_line_is_bounded() -> None:
    lines, chunk = Lines(100_000), b"x" * 10_000
    tracemalloc.start()
    try:
        for _ in range(1000):
            lines.feed(chunk)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert list(messages(lines)) == [TOO_LARGE]
    assert peak < 300_000


def test_a_limit_that_lets_nothing_through_is_refused() -> None:
    with pytest.raises(UsageError, match="at least 1"):
        Lines(0)


def test_a_message_is_one_line() -> None:
    check_message(b"{}")
    for message, fault in ((b"{}\n", "has a newline at byte 2"), (b"", "is empty")):
        with pytest.raises(UsageError, match=fault):
            check_message(message)
