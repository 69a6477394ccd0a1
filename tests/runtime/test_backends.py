"""JSON text is read and written alike, or refused in the same words, whichever library does the work."""

from __future__ import annotations

import enum
import json
import math
import re
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from mcp_bindings_runtime.codec.json_text import Backend, NotJson, parse
from mcp_bindings_runtime.codec.json_text import write as write_standard
from support.json_backends import backend

Json = Any


@pytest.fixture(name="fast")
def _fast() -> Backend:
    return backend("orjson")


def read(by: Backend, data: bytes | str) -> object:
    """What a text is read as, as text of Python in which 1, 1.0 and True differ; or why it is not."""
    try:
        return repr(by.parse(data))
    except NotJson as fault:
        return fault.args


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=-(2**70), max_value=2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)
fragments = st.sampled_from(
    [
        *(
            '{"a":',
            "[",
            "]",
            "}",
            ",",
            ":",
            '"',
            "\\",
            "\\u",
            "d800",
            "dc00",
            "DBFF",
            "0",
            "-",
            "1e",
            "400",
            ".",
            "5",
            "E+",
        ),
        *(
            "NaN",
            "Infinity",
            "null",
            "true",
            "9" * 18,
            "9" * 19,
            "12345678901234567890",
            " ",
            "\n",
            "\x0b",
            "\x00",
            "é",
            "😀",
        ),
        *(
            "\ufeff",
            '"k"',
            '{"k":1,"k":2}',
            "[]",
            "{}",
            "0x1",
            "//",
            "'",
            "\x7f",
            "\u2028",
            "1.0",
            "-0",
            "1e308",
            "1e309",
        ),
    ]
)


@settings(max_examples=settings.default.max_examples * 3)
@given(json_values, st.booleans(), st.sampled_from([None, 1]))
@example(2**63, True, None)
@example(-(2**63) - 1, True, None)
@example(2**64 - 1, True, None)
@example([10**18, -(10**18), 123456789012345678], True, None)
@example("9" * 19, True, None)
@example(-0.0, True, None)
def test_values_are_read_alike(value: Json, ascii_only: bool, indent: int | None) -> None:
    fast = backend("orjson")
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    assert read(fast, text) == repr(value)
    assert read(fast, text.encode()) == repr(value) == repr(parse(text.encode())) == repr(parse(text))


@settings(max_examples=settings.default.max_examples * 5)
@given(st.lists(fragments, max_size=12).map("".join))
@example('"\\ud800"')
@example('"\\ud83d\\ude00"')
@example(" 1 ")
@example('\n"\\ud800" ')
@example("1e400")
@example('{"a":NaN}')
@example("\ufeff{}")
@example("9" * 5000)
@example("-" + "9" * 5000)
@example("")
@example("1 2")
def test_any_text_is_read_or_refused_alike(text: str) -> None:
    fast = backend("orjson")
    assert read(fast, text) == read(Backend("json", parse, None), text)
    assert read(fast, text.encode()) == read(Backend("json", parse, None), text.encode()) == read(fast, text)


@given(st.binary(max_size=40), st.binary(max_size=10))
@example(b'"\xed\xa0\x80"', b"")
@example(b'"\xc0\x80"', b"")
@example(b"\xff\xfe[\x00]\x00", b"")
def test_any_bytes_are_read_or_refused_alike(start: bytes, inside: bytes) -> None:
    fast = backend("orjson")
    for data in (start, b'["' + inside + b'"]', b'{"k":' + start + b"}"):
        assert read(fast, data) == read(Backend("json", parse, None), data)


@pytest.mark.parametrize("size", [100, 2_000, 100_000, 1_000_000])
@pytest.mark.parametrize("digits", ["9" * 18, "1" * 19, "-" + "9" * 19, "18446744073709551616", "9" * 40])
def test_a_long_integer_is_found_in_a_text_of_any_size_at_any_place(fast: Backend, size: int, digits: str) -> None:
    for place in range(9):
        filler = "x" * (size + place)
        for text in (f'{{"a":"{filler}","b":{digits}}}', f'{{"b":{digits},"a":"{filler}"}}'):
            assert fast.parse(text.encode())["b"] == int(digits)
    items = ",".join(f'"{number}":{number}' for number in range(size // 10))
    value = fast.parse(f'{{{items},"last":[{digits}]}}'.encode())
    assert value["last"] == [int(digits)]
    assert type(value["last"][0]) is int


def test_several_kinds_of_buffer_are_read(fast: Backend) -> None:
    for data in (bytearray(b"[12345678901234567890123]"), memoryview(b"[12345678901234567890123]")):
        assert fast.parse(data) == parse(data) == [12345678901234567890123]


def test_of_two_equal_keys_the_last_one_counts(fast: Backend) -> None:
    for by in (fast.parse, parse):
        assert by(b'{"a":1,"b":2,"a":3}') == {"a": 3, "b": 2}


def depth(levels: int) -> bytes:
    return b"[" * levels + b"]" * levels


def test_nesting_that_nobody_needs_is_refused_and_what_somebody_may_need_is_not(fast: Backend) -> None:
    for by in (fast.parse, parse):
        value = by(depth(500))
        for _ in range(499):
            (value,) = value
        assert value == []
        with pytest.raises(NotJson, match="nested too deeply"):
            by(depth(100_000))
        with pytest.raises(NotJson, match="nested too deeply"):
            by(b'{"a":' * 100_000)


class Word(enum.StrEnum):
    A = "a"


class Number(enum.IntEnum):
    ONE = 1


class Share(float):
    __slots__ = ()

    def __repr__(self) -> str:
        return "no JSON at all"


@given(json_values)
@example([Word.A, Number.ONE, Share(0.5), {Word.A: (1, "a")}])
@example([2**64, -(2**63) - 1, 10**30])
@example('\x7f\u2028\x00"\\/é😀')
@example(None)
def test_values_are_written_alike(value: Json) -> None:
    write = backend("orjson").write
    assert write is not None
    written = [json.loads(by(value)) for by in (write, write_standard)]
    assert repr(written[0]) == repr(written[1])
    assert b"\n" not in write(value)
    assert not re.search(rb"[,:] ", re.sub(rb'"(?:[^"\\]|\\.)*"', b'""', write(value)))


def test_deep_values_are_written_as_far_as_the_standard_library_goes(fast: Backend) -> None:
    assert fast.write is not None
    assert fast.write(parse(depth(400))) == depth(400)


@pytest.mark.parametrize("wrong", ["\ud800", {"\udfff": 1}, object(), {1, 2}, b"bytes", math.inf.as_integer_ratio])
def test_what_has_no_json_form_is_refused_by_both(fast: Backend, wrong: object) -> None:
    assert fast.write is not None
    for by in (fast.write, write_standard):
        with pytest.raises((TypeError, ValueError)):
            by([wrong])
