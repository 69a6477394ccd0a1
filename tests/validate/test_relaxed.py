"""What documentation adds to JSON is blanked out without moving anything, and what was there is told."""

from __future__ import annotations

import json

import pytest
from mcp_bindgen.validate.relaxed import relax


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1} // one', {"a": 1}),
        ('{"a": /* one */ 1}', {"a": 1}),
        ('{ // "b": 2,\n "a": 1 /* and\n more */ }', {"a": 1}),
        ('{"a": "// no comment, /* nor this */ …"} // one', {"a": "// no comment, /* nor this */ …"}),
        ('["\\"//", 1] // one', ['"//', 1]),
        ("[...]", []),
        ("[ … ]", []),
        ("[1, ...]", [1]),
        ("[..., 1]", [1]),
        ("[1, ..., 2]", [1, 2]),
        ("[1, 2 ...]", [1, 2]),
        ("[..., 1, ...]", [1]),
        ('{"a": [1, // and others ...\n 2]}', {"a": [1, 2]}),
        ("[<first>, 2]", [2]),
        ('[{"a": 1}, ...]', [{"a": 1}]),
    ],
)
def test_what_is_left_is_json(text: str, value: object) -> None:
    relaxed = relax(text)
    assert json.loads(relaxed.text) == value
    assert len(relaxed.text) == len(text)
    assert relaxed.text.count("\n") == text.count("\n")
    assert relaxed.gap is None


@pytest.mark.parametrize(
    ("text", "gap"),
    [
        ('{"a": 1, ...}', "..."),
        ('{"a": ...}', "..."),
        ('{"a": [1], ...}', "..."),
        ('{"a": <id>}', "<id>"),
        ("[{…}]", "…"),
        ('{"a": 1 // other members...\n}', "//"),
        ('{ /* … */ "a": 1}', "/*"),
    ],
)
def test_what_is_left_out_of_an_object_is_a_gap(text: str, gap: str) -> None:
    assert relax(text).gap == relax(text).elision == text.index(gap)


def test_the_first_of_each_is_told() -> None:
    relaxed = relax('[1, // one\n 2, // two\n ..., ..., {"a": ..., "b": ...}]')
    assert (relaxed.comment, relaxed.elision, relaxed.gap) == (4, 23, 39)


def test_nothing_is_told_of_json() -> None:
    text = '{"a": [1.5, -2e3, true, null, "…", "..."], "b": {}}'
    assert relax(text) == (text, None, None, None)


def test_trailing_commas_go_where_they_are_allowed_only() -> None:
    text = '{"a": [1, 2,], "b": {"c": 3,},}'
    assert json.loads(relax(text, commas=True).text) == {"a": [1, 2], "b": {"c": 3}}
    assert relax(text, commas=True).comment == text.index(",]")
    assert relax(text) == (text, None, None, None)


@pytest.mark.parametrize("text", ["[1,, ...]", "[,1]", '{"a" 1}', "[1 2]"])
def test_other_mistakes_stay(text: str) -> None:
    with pytest.raises(json.JSONDecodeError):
        json.loads(relax(text, commas=True).text)


@pytest.mark.parametrize("unit", ['"', '"\\', "/*", "//", "[", "{...", "<a", "…", "...,", "\\", "/", '"\n'])
def test_a_long_text_of_anything_is_read_once(unit: str) -> None:
    text = unit * (200_000 // len(unit))
    assert len(relax(text, commas=True).text) == len(text)
