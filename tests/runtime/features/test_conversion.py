"""JSON Schemas of Python types, and values held against them and made of them."""

from __future__ import annotations

import subprocess
import sys
from typing import Annotated, Any, NamedTuple

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from mcp_bindings_runtime.errors import UsageError
from mcp_bindings_runtime.features.keywords import Keywords
from mcp_bindings_runtime.features.mismatch import MAX_MISMATCHES, MismatchError
from mcp_bindings_runtime.features.type_parser import NoSchema, parse_type, schema_of
from support.annotated_types import IN_WORDS, KINDS, Box, Color, Item, Options, Order, Point
from support.scripted_peers import environment

WORDS = ["a", "red", "x", "y", "name", "price", "items", "parent", "inner", "deep", "limit", "tags", "secret"]
atoms = st.none() | st.booleans() | st.integers(-2, 4) | st.sampled_from([0.5, 1.0, 1.5, 2.5]) | st.sampled_from(WORDS)
json_values = st.recursive(
    atoms,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=4),
    max_leaves=10,
)


def near(schema: Any, whole: Any, depth: int = 3) -> st.SearchStrategy[Any]:
    """Values that mostly fit a schema."""
    if "$ref" in schema:
        below = whole["$defs"][schema["$ref"].rpartition("/")[2]]
        return near(below, whole, depth - 1) if depth else st.nothing()
    if "anyOf" in schema:
        return st.one_of([near(each, whole, depth) for each in schema["anyOf"]])
    if "enum" in schema:
        return st.sampled_from(schema["enum"]) | atoms
    if schema.get("type") == "array" and "prefixItems" in schema:
        return st.tuples(*(near(each, whole, depth) for each in schema["prefixItems"])).map(list)
    if schema.get("type") == "array":
        return st.lists(near(schema.get("items", {}), whole, depth), max_size=3)
    if schema.get("type") == "object" and "properties" in schema:
        members = {name: near(each, whole, depth) for name, each in schema["properties"].items()}
        required = {name: members.pop(name) for name in schema.get("required", ())}
        return st.fixed_dictionaries(required, optional=members)
    if schema.get("type") == "object":
        return st.dictionaries(
            st.sampled_from(WORDS), near(schema.get("additionalProperties", {}), whole, depth), max_size=3
        )
    return atoms


@pytest.mark.parametrize("mode", ["input", "output"])
@pytest.mark.parametrize("kind", KINDS, ids=str)
@settings(max_examples=settings.default.max_examples // 4)
@given(data=st.data())
def test_a_value_fits_exactly_where_an_independent_validator_says_so(kind: Any, mode: Any, data: st.DataObject) -> None:
    schema = schema_of(kind, mode)
    Draft202012Validator.check_schema(schema)
    value = data.draw(json_values | near(schema, schema))
    node = parse_type(kind)
    convert = node.read if mode == "input" else node.check
    try:
        convert(value)
        fits = True
    except MismatchError:
        fits = False
    assert fits == Draft202012Validator(schema).is_valid(value)


@pytest.mark.parametrize("kind", KINDS, ids=str)
@settings(max_examples=settings.default.max_examples // 4)
@given(data=st.data())
def test_what_is_read_is_written_and_read_again_as_the_same(kind: Any, data: st.DataObject) -> None:
    node = parse_type(kind)
    try:
        value = node.read(data.draw(near(schema_of(kind), schema_of(kind))))
    except MismatchError:
        return
    written = node.write(value)
    assert Draft202012Validator(schema_of(kind, "output")).is_valid(written)
    assert node.read(written) == value


@pytest.mark.parametrize(("kind", "value", "written"), IN_WORDS, ids=str)
def test_values_that_are_texts_or_numbers_in_json(kind: Any, value: Any, written: Any) -> None:
    assert parse_type(kind).write(value) == written
    assert parse_type(kind).read(written) == value
    schema = schema_of(kind)
    assert Draft202012Validator(schema).is_valid(written)


def test_a_class_comes_as_its_own_with_its_defaults() -> None:
    read = parse_type(Order).read
    made = read({"items": [{"name": "n", "price": 1, "secret": 5}], "parent": {"items": []}})
    assert made == Order([Item("n", 1.0, frozenset(), 5)], Color.RED, Order([]))
    assert made.items[0].price.__class__ is float
    assert parse_type(Box[Point]).read({"inner": {"x": 1}}) == Box(Point(1))


@pytest.mark.parametrize(
    ("kind", "value", "fault"),
    [
        (int, "5", '$: found "5", expected an integer'),
        (int, True, "$: found true, expected an integer"),
        (float, True, "$: found true, expected a number"),
        (bool, 1, "$: found 1, expected true or false"),
        (str, 5, "$: found 5, expected a string"),
        (str | None, 5, "$: found 5, expected a string or null"),
        (float, 10**400, "$: found a huge integer, expected a number that a float can hold"),
        (list[int], [1, "x", None], '$[1]: found "x", expected an integer; $[2]: found null, expected an integer'),
        (Color, "green", '$: found "green", expected one of "red", "blue"'),
        (
            Options,
            {"limit": 1, "x": 1},
            "$.deep: is missing, expected true or false; $.x: is unknown, expected only deep, limit",
        ),
        (
            Order,
            {"items": [{"name": "n", "price": -1}, {"price": "p"}], "color": "green"},
            "$.items[0].price: found -1, expected a number, at least 0; $.items[1].name: is missing, expected a string; "
            '$.items[1].price: found "p", expected a number, at least 0; $.color: found "green", expected one of "red", "blue"',
        ),
        (dict[str, bytes], {"a": "?"}, '$.a: found "?", expected base64'),
        (set[int], [1, 1], "$: found an item twice, expected each once"),
        (tuple[int, str], [1], "$: found 1 item, expected an array of 2 items"),
        (list[Item | Point], [{"x": "1"}], "$[0]: found an object, expected an object or array of another form"),
    ],
    ids=str,
)
def test_a_fault_says_where_and_what_and_what_would_do(kind: Any, value: Any, fault: str) -> None:
    with pytest.raises(MismatchError) as caught:
        parse_type(kind).read(value)
    assert str(caught.value) == fault


def test_whole_numbers_are_integers_however_they_are_written() -> None:
    assert repr(parse_type(list[int]).read([5.0, 5])) == "[5, 5]"
    assert repr(parse_type(list[float]).read([5.0, 5])) == "[5.0, 5.0]"
    assert repr(parse_type(list[int | float]).read([5.0, 5])) == "[5.0, 5]"


def test_what_a_class_itself_refuses_is_a_fault_with_its_place() -> None:
    @attrs.define
    class Even:
        number: int = attrs.field()

        @number.validator
        def check(self, _: Any, value: int) -> None:
            if value % 2:
                text = "has to be even"
                raise ValueError(text)

    class Pair(NamedTuple):
        left: Even
        right: Even

    globals()["Even"] = Even
    try:
        with pytest.raises(MismatchError) as caught:
            parse_type(list[Pair]).read([{"left": {"number": 2}, "right": {"number": 3}}])
    finally:
        del globals()["Even"]
    assert str(caught.value) == "$[0].right: has to be even"


def test_faults_are_told_up_to_a_number() -> None:
    with pytest.raises(MismatchError) as caught:
        parse_type(list[int]).read(["x"] * 1000)
    assert len(caught.value.mismatches) == MAX_MISMATCHES


def test_a_value_of_another_type_than_promised_is_not_written() -> None:
    for kind, value, fault in [
        (int, "5", '$: found "5", expected an integer'),
        (float, float("nan"), "$: found nan, expected a finite number"),
        (Order, {"items": []}, "$: found dict, expected Order"),
        (Order, None, "$: found None, expected Order"),
        (Order, Order([Item("n", "p")]), '$.items[0].price: found "p", expected a number, at least 0'),  # type: ignore[arg-type]
    ]:
        with pytest.raises(MismatchError) as caught:
            parse_type(kind).write(value)
        assert str(caught.value) == fault


# Schemas.


def test_the_schema_of_a_class() -> None:
    assert schema_of(Item) == {
        "type": "object",
        "description": "One thing.",
        "properties": {
            "name": {"type": "string"},
            "price": {"type": "number", "description": "in euros", "minimum": 0},
            "tags": {
                "type": "array",
                "items": {"type": "string"},
                "uniqueItems": True,
                "description": "free words",
            },
            "secret": {"type": "integer", "default": 3},
        },
        "required": ["name", "price"],
        "additionalProperties": False,
    }
    assert schema_of(Item, "output")["required"] == ["name", "price", "tags", "secret"]
    assert "additionalProperties" not in schema_of(Item, "output")
    assert schema_of(Options, "output")["required"] == ["deep"]


def test_only_what_is_needed_more_than_once_gets_a_name() -> None:
    assert "$defs" not in schema_of(list[Item])
    twice = schema_of(dict[str, Box[Item] | list[Item]])
    assert list(twice["$defs"]) == ["Item"]
    recursive = schema_of(Order)
    assert recursive["type"] == "object"
    assert recursive["$defs"]["Order"]["properties"]["parent"]["anyOf"][0] == {"$ref": "#/$defs/Order"}


def test_a_description_and_keywords_of_ones_own() -> None:
    kind = Annotated[str, "the region", Keywords(max_length=9, more={"x-mcp-header": "Region"})]
    assert schema_of(kind) == {
        "type": "string",
        "description": "the region",
        "maxLength": 9,
        "x-mcp-header": "Region",
    }
    assert schema_of(kind | None)["anyOf"][0]["maxLength"] == 9


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (complex, "complex has no JSON Schema"),
        (dict[int, str], "keys of JSON objects are str"),
        (list[list[complex]], "complex"),
        ("Later", "Later has no JSON Schema"),
        (type, "type has no JSON Schema"),
    ],
    ids=str,
)
def test_a_type_without_a_schema_is_refused_with_what_would_do(kind: Any, said: str) -> None:
    with pytest.raises(NoSchema, match="use one of str, int, float") as caught:
        schema_of(kind)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (Annotated[int, Keywords(max_length=3)], "max_length does not apply to int; use minimum, maximum, "),
        (Annotated[str, Keywords(minimum=1)], "minimum does not apply to str; use min_length, max_length or pattern"),
        (Annotated[Color, Keywords(pattern="x")], "pattern does not apply to Color"),
        (
            Annotated[int | None, Keywords(minimum=1)],
            "minimum does not apply to int | None; annotate the member of the union that it is for",
        ),
    ],
    ids=str,
)
def test_a_keyword_that_does_not_apply_to_a_type_is_refused_with_those_that_do(kind: Any, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        schema_of(kind)
    assert str(caught.value).startswith(said)


def test_plain_types_do_without_cattrs() -> None:
    program = """
import sys
from typing import Any, Literal, TypedDict
from mcp_bindings_runtime.features.type_parser import parse_type
class Options(TypedDict):
    a: int
for kind in (int, list[str], dict[str, float | None], Literal["a"], Options, Any):
    assert parse_type(kind).plain
parse_type(list[Options]).read([{"a": 1}])
heavy = {"cattrs", "attrs", "attr", "inspect", "dataclasses", "decimal", "uuid"} & set(sys.modules)
assert not heavy, heavy
"""
    subprocess.run([sys.executable, "-S", "-c", program], check=True, env=environment())
