"""Words of a command line as arguments: their type is the schema's, and what does not fit is said."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_bindgen.calling.arguments import for_prompt, for_tool
from mcp_bindgen.calling.schemas import in_words, read
from mcp_bindgen.errors import BindgenError

NODE = {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "integer"}]}


def taken(word: str, **properties: Any) -> Any:
    return for_tool("t", {"type": "object", "properties": properties}, [word])["x"]


def test_all_arguments_may_be_a_json_object() -> None:
    schema = {"type": "object", "properties": {"a": {}, "b": {"type": "integer"}}}
    assert for_tool("t", schema, ['{"a": "x=1", "b": 2}', "b=3"]) == {"a": "x=1", "b": 3}


@pytest.mark.parametrize(
    ("schema", "text", "value"),
    [
        ({"type": "string"}, "5", "5"),
        ({"type": "string"}, "", ""),
        ({"type": "integer"}, "5", 5),
        ({"type": "integer"}, "-12345678901234567890", -12345678901234567890),
        ({"type": "number"}, "5", 5),
        ({"type": "number"}, "5.0", 5.0),
        ({"type": "number"}, "-.5e3", -500.0),
        ({"type": "boolean"}, "true", True),
        ({"type": "boolean"}, "False", False),
        ({"type": "null"}, "null", None),
        ({"type": "object"}, '{"a": 1}', {"a": 1}),
        ({"type": "array"}, "[1, 2]", [1, 2]),
        ({"type": "array", "items": {"type": "integer"}}, "7", [7]),
        ({"type": ["integer", "null"]}, "null", None),
        ({"type": ["string", "integer"]}, "7", 7),
        ({"type": ["string", "integer"]}, "7a", "7a"),
        ({"anyOf": [{"type": "boolean"}, {"type": "string"}]}, "maybe", "maybe"),
        ({"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]}, "a", ["a"]),
        ({"enum": ["red", 3]}, "3", 3),
        ({"const": "red"}, "red", "red"),
        ({"oneOf": [{"const": "r", "title": "Red"}, {"const": "g", "title": "Green"}]}, "Green", "g"),
        ({}, "5", "5"),
        ({"$ref": "#/properties/y"}, "5", 5),
        ({"$ref": "https://example.org/schema"}, "5", "5"),
        ({"type": "string"}, "a:=b=c", "a:=b=c"),
    ],
)
def test_a_value_has_the_type_of_the_schema(schema: Any, text: str, value: Any) -> None:
    found = taken(f"x={text}", x=schema, y={"type": "integer"})
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("schema", "text", "complaint"),
    [
        ({"type": "integer"}, "5.0", "x: expected integer, got '5.0'"),
        ({"type": "integer"}, "\N{ARABIC-INDIC DIGIT FIVE}", "expected integer, got"),
        ({"type": "number"}, "1e999", "expected number, got"),
        ({"type": "number"}, "NaN", "expected number, got"),
        ({"type": "boolean"}, "yes", "x: expected boolean, got 'yes'; write true or false"),
        ({"type": "object"}, "a", """x: expected object, got 'a'; write it as JSON: {"name": …}"""),
        ({"type": "object"}, "{a}", "x: '{a}' is not valid JSON"),
        ({"enum": ["red", "green"]}, "blue", "x: expected one of red, green, got 'blue'"),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "a", "x: expected integer|null, got 'a'"),
    ],
)
def test_what_does_not_fit_is_told(schema: Any, text: str, complaint: str) -> None:
    with pytest.raises(BindgenError) as caught:
        taken(f"x={text}", x=schema)
    assert complaint in str(caught.value)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=8))
def test_json_is_sent_as_it_is(value: Any) -> None:
    found = taken(f"x:={json.dumps(value)}", x={"type": "integer"})
    assert found == value


@given(st.integers())
def test_an_integer_is_read_as_it_is_printed(number: int) -> None:
    assert read(str(number), {"type": "integer"}, {}) == number


def test_a_word_given_again_adds_to_an_array() -> None:
    schema = {"type": "object", "properties": {"x": {"type": "array", "items": {"type": "integer"}}, "y": {}}}
    assert for_tool("t", schema, ["x=1", "x=2", "x:=null"]) == {"x": [1, 2, None]}
    with pytest.raises(BindgenError, match=r"y: expected one value \(any\), got 2"):
        for_tool("t", schema, ["y=1", "y=2"])


def test_files_give_text_json_and_all_arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text").write_text("7")
    Path("all").write_text('{"x": 1, "y": 2}')
    schema = {"type": "object", "properties": {"x": {"type": "string"}, "y": {"type": "integer"}, "z": {}}}
    assert for_tool("t", schema, ["x=@text", "y=@text", "z:=@all"]) == {"x": "7", "y": 7, "z": {"x": 1, "y": 2}}
    assert for_tool("t", schema, ["y=5", "@all"]) == {"x": 1, "y": 5}
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"piped")))
    assert for_tool("t", schema, ["x=@-"]) == {"x": "piped"}


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    bytes_ = tmp_path / "bytes"
    bytes_.write_bytes(b"ab\xff")
    with pytest.raises(BindgenError, match=r"is not UTF-8 text \(byte 2\)"):
        taken(f"x=@{bytes_}", x={})
    with pytest.raises(BindgenError, match="No such file or directory; to pass a text that begins with @, write"):
        taken("x=@nowhere", x={})
    bytes_.write_text("[1]")
    with pytest.raises(BindgenError, match="the file must contain one JSON object"):
        for_tool("t", {}, [f"@{bytes_}"])


@pytest.mark.parametrize(
    ("schema", "words", "complaint"),
    [
        (
            {"properties": {"count": {}}},
            ["cuont=1"],
            "no argument 'cuont'; did you mean count?; to send it anyway",
        ),
        ({"properties": {}, "additionalProperties": False}, ["z=1"], "no argument 'z'; it has no arguments"),
        ({"required": ["n"], "properties": {"n": {"type": "integer"}}}, [], "'t' needs n (integer); write n=…"),
        ({}, ["word"], "'word' is not an argument; write key=value"),
        ({}, ["=1"], "'=1' is not an argument"),
        ({}, ['{"a": '], "is not valid JSON"),
    ],
)
def test_names_are_checked_before_the_server_is_asked(schema: Any, words: list[str], complaint: str) -> None:
    with pytest.raises(BindgenError) as caught:
        for_tool("t", schema, words)
    assert complaint in str(caught.value)


@pytest.mark.parametrize(
    "schema",
    [{}, {"properties": {"a": {}}, "additionalProperties": True}, {"properties": {"a": {}}, "anyOf": [{}]}],
)
def test_an_open_schema_takes_other_names(schema: Any) -> None:
    assert for_tool("t", schema, ["z=1"]) == {"z": "1"}


def test_arguments_of_prompts_are_text() -> None:
    declared = [{"name": "a", "required": True}, {"name": "b"}]
    assert for_prompt("p", declared, ["a=1"]) == {"a": "1"}
    for words, complaint in (
        ([], "the prompt 'p' needs a"),
        (["a=1", "c=2"], "no argument 'c'; use a, b"),
        (["a:=1"], "a: arguments of prompts must be strings; write a=…"),
        (["a=1", "a=2"], "the argument 'a' is repeated; pass it once"),
    ):
        with pytest.raises(BindgenError) as caught:
            for_prompt("p", declared, words)
        assert complaint in str(caught.value)


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "integer"}, "integer"),
        ({"type": ["integer", "null"]}, "integer|null"),
        ({"type": "array", "items": {"enum": ["a", "b"]}}, "(a|b)[]"),
        ({"type": "array"}, "[]"),
        ({"enum": ["a", 1, None]}, "a|1|null"),
        ({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}, "string|string[]"),
        ({}, "any"),
        (NODE, "integer"),
        ("nonsense", "any"),
    ],
)
def test_a_schema_in_few_words(schema: Any, words: str) -> None:
    assert in_words(schema, {"$defs": {"node": {"type": "integer"}}}) == words


def test_a_schema_that_refers_to_itself_ends() -> None:
    root = {
        "$defs": {"node": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "array", "items": {"$ref": "#/$defs/node"}}]}}
    }
    assert "any" in in_words(root["$defs"]["node"], root)
    assert read("a", {"$ref": "#/$defs/loop"}, {"$defs": {"loop": {"$ref": "#/$defs/loop"}}}) == "a"
