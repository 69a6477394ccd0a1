"""Texts made to do harm are refused with a DecodeError, or read, within bounds, whichever library reads them."""

from __future__ import annotations

import importlib
import sys
import tracemalloc
from typing import Any

import pytest
from checkout import PACKAGES
from mcp_bindings import v2025_06_18
from mcp_bindings_runtime.errors import DecodeError, EncodeError

pytestmark = pytest.mark.usefixtures("both_backends")

ALL: list[Any] = [importlib.import_module(f"mcp_bindings.{name}") for name in PACKAGES]
each = pytest.mark.parametrize("mcp", ALL, ids=lambda module: module.__name__.rpartition(".")[2])


def note(data: bytes) -> bytes:
    """A message that every revision takes, with this JSON in it."""
    return b'{"jsonrpc":"2.0","method":"acme/note","params":{"a":' + data + b"}}"


REFUSED = {
    "nothing": (b"", "text that is not JSON"),
    "blanks": (b" \n", "text that is not JSON"),
    "no JSON": (b"{'a': 1}", "text that is not JSON"),
    "half a message": (note(b"1")[:-1], "text that is not JSON"),
    "more than a message": (note(b"1") + b"{}", "text that is not JSON"),
    "a comment": (note(b"1 /* one */"), "text that is not JSON"),
    "a byte order mark": (b"\xef\xbb\xbf" + note(b"1"), "a byte order mark"),
    "UTF-16": (note(b"1").decode().encode("utf-16"), "bytes that are not UTF-8 (at byte 0)"),
    "a byte that is no UTF-8": (note(b'"\xff"'), "bytes that are not UTF-8 (at byte 53)"),
    "an overlong zero": (note(b'"\xc0\x80"'), "bytes that are not UTF-8"),
    "a surrogate as bytes": (note(b'"\xed\xa0\x80"'), "bytes that are not UTF-8"),
    "a control character": (note(b'"\x01"'), "text that is not JSON"),
    "half a surrogate pair": (note(b'"\\ud83d"'), "half a surrogate pair"),
    "half a surrogate pair in a key": (note(b'{"\\uDE00":1}'), "half a surrogate pair"),
    "NaN": (note(b"NaN"), "NaN, which is not JSON"),
    "Infinity": (note(b"[Infinity]"), "Infinity, which is not JSON"),
    "-Infinity": (note(b"-Infinity"), "-Infinity, which is not JSON"),
    "a number that overflows": (note(b"1e400"), "a number too large to be finite"),
    "digits without end": (note(b"9" * 5_000), "an integer of too many digits"),
    "negative digits without end": (note(b"-" + b"9" * 1_000_000), "an integer of too many digits"),
    "100,000 arrays": (note(b"[" * 100_000 + b"]" * 100_000), "nested too deeply"),
    "100,000 objects": (note(b'{"a":' * 100_000 + b"1" + b"}" * 100_000), "nested too deeply"),
    "10,000,000 brackets": (b"[" * 10_000_000, "nested too deeply"),
}


@each
@pytest.mark.parametrize("case", REFUSED)
def test_what_parsers_do_not_agree_on_is_refused(mcp: Any, case: str) -> None:
    data, found = REFUSED[case]
    with pytest.raises(DecodeError) as caught:
        mcp.decode(data)
    assert found in caught.value.found
    assert len(str(caught.value)) < 300
    assert (caught.value.path, caught.value.pointer, caught.value.revision) == ("$", "", mcp.revision.REVISION)
    lenient = mcp.decode(data, mode="lenient")
    assert [str(violation) for violation in lenient.violations] == [str(caught.value)]
    assert lenient.value == data


@each
def test_text_is_refused_like_bytes(mcp: Any) -> None:
    for data, found in REFUSED.values():
        try:
            text = data.decode()
        except UnicodeDecodeError:
            continue
        with pytest.raises(DecodeError, match=found.split(" (")[0]):
            mcp.decode(text)
    with pytest.raises(DecodeError, match="half a surrogate pair"):
        mcp.decode(note(b'"?"').decode().replace("?", "\ud83d"))


TAKEN = {
    "a surrogate pair": (b'"\\ud83d\\ude00"', "\U0001f600"),
    "noncharacters": ('"\ufffe\uffff\U0010ffff"'.encode(), "\ufffe\uffff\U0010ffff"),
    "zeros": (b'{"\\u0000":"\\u0000"}', {"\0": "\0"}),
    "line separators": ('"\u2028\u2029"'.encode(), "\u2028\u2029"),
    "a number of 64 bits": (b"-9223372036854775809", -(2**63) - 1),
    "a number of thousands of digits": (b"9" * 4_300, int("9" * 4_300)),
    "a number near the largest": (b"1.7976931348623157e308", sys.float_info.max),
    "a number near zero": (b"[5e-324, 1e-400, -0.0]", [5e-324, 0.0, -0.0]),
    "equal keys": (b'{"b":1,"a":2,"b":3}', {"b": 3, "a": 2}),
    "300 levels": (b"[" * 300 + b"]" * 300, None),
}


@each
@pytest.mark.parametrize("case", TAKEN)
def test_what_is_odd_and_right_is_taken_as_it_is_and_written_back(mcp: Any, case: str) -> None:
    data, value = TAKEN[case]
    made = mcp.decode(note(data))
    found = (made.params.extra if hasattr(made.params, "extra") else made.params)["a"]
    if value is not None:
        assert repr(found) == repr(value)
    again = mcp.decode(mcp.encode(made))
    assert repr(again) == repr(made)


def test_the_last_of_equal_keys_counts_in_the_envelope_too() -> None:
    made = v2025_06_18.decode('{"jsonrpc":"2.0","id":1,"id":"b","method":"tools/list","method":"ping"}')
    assert made == v2025_06_18.PingRequest(id="b")


@each
def test_long_strings_take_memory_in_proportion(mcp: Any) -> None:
    size = 64 << 20
    text = b'"' + b"a" * size + b'"'
    data = note(text)
    del text
    tracemalloc.start()
    try:
        made = mcp.decode(data)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len((made.params.extra if hasattr(made.params, "extra") else made.params)["a"]) == size
    # orjson reserves twelve times the text for what may be in it, most of which is never touched.
    assert peak < 14 * size


@each
def test_what_cannot_be_written_is_refused_however_deep_or_large(mcp: Any) -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    endless: dict[str, Any] = {}
    endless["self"] = endless
    wrong = [deep, endless, "\ud800", float("nan"), float("-inf"), b"bytes", {1: 2}, {1, 2}, object()]
    for value in wrong:
        made = mcp.decode(note(b"1"))
        holder = made.params.extra if hasattr(made.params, "extra") else made.params
        holder["a"] = value
        with pytest.raises(EncodeError) as caught:
            mcp.encode(made)
        assert len(str(caught.value)) < 300
    while deep:
        # Freeing a hundred thousand levels at once would be the interpreter's own recursion.
        deep = deep[0]
