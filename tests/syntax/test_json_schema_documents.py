"""Documents of JSON Schema: reading, dialects, references, and the limits on untrusted input."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft4Validator, Draft202012Validator
from mcp_bindgen.errors import BindgenError, JsonSchemaError
from mcp_bindgen.syntax.jsonschema.document import SchemaDocument, Unresolved
from mcp_bindgen.syntax.jsonschema.json_text import MAX_DEPTH, read_json
from mcp_bindgen.syntax.jsonschema.keywords import KEYWORDS, Form
from mcp_bindgen.syntax.jsonschema.pointers import below, tokens_of, value_at
from mcp_bindgen.syntax.jsonschema.schema import Schema, same_json

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


def document(value: Any) -> SchemaDocument:
    return SchemaDocument(value, "schema.json")


def faults(value: Any) -> list[str]:
    with pytest.raises(JsonSchemaError) as caught:
        document(value)
    return [str(fault) for fault in caught.value.faults]


@given(JSON)
def test_what_json_writes_is_read_back(value: Any) -> None:
    assert read_json(json.dumps(value), "x") == value
    assert read_json(json.dumps(value, ensure_ascii=False).encode(), "x") == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1, "b": {"c": 1, "c": 2}}', "x#/b: the member 'c' occurs twice"),
        ("[NaN]", "x: not JSON: NaN is not a JSON number"),
        ("[-Infinity]", "x: not JSON: -Infinity is not a JSON number"),
        ("[1e999]", "x: the number 1e999 is too large"),
        ("1" * 5000, "x: an integer has thousands of digits"),
        ('{"a":\n1,}', "x:2:3: not JSON: Illegal trailing comma before end of object"),
        (b'"\xff"', "x:1: byte 0xff is not UTF-8"),
        (r'{"a~/": "\ud800"}', "x#/a~0~1: a string has an unpaired surrogate, which is no character"),
        ("[" * 100_000, f"x: the JSON is nested too deeply; the limit is {MAX_DEPTH} levels"),
    ],
)
def test_a_text_that_is_no_json_is_refused_with_its_place(text: str | bytes, message: str) -> None:
    with pytest.raises(BindgenError) as caught:
        read_json(text, "x")
    expected = {message, message.replace("3: not JSON: Illegal trailing comma before end of object", "3: not JSON: ")}
    assert any(str(caught.value).startswith(each) for each in expected)


def test_too_many_levels_are_refused_with_their_place() -> None:
    (fault,) = faults(json.loads('{"not":' * (MAX_DEPTH + 1) + "{}" + "}" * (MAX_DEPTH + 1)))
    assert fault.endswith(f"nested too deeply; the limit is {MAX_DEPTH} levels")


@given(st.lists(st.text() | st.integers(0, 99)))
def test_a_pointer_leads_to_its_tokens(tokens: list[str | int]) -> None:
    assert tokens_of(below("", *tokens)) == tuple(map(str, tokens))


def test_pointers_lead_to_items_and_members() -> None:
    assert value_at({"a": [{"b/c": 5}]}, tokens_of("/a/0/b~1c")) == 5
    for wrong in ("/a/1", "/a/00", "/a/-", "/b", "/a/0/b", "/a/" + "9" * 5000):
        with pytest.raises(KeyError):
            value_at({"a": [{"b/c": 5}]}, tokens_of(wrong))


@pytest.mark.parametrize(
    ("schema", "fault"),
    [
        ({"type": "strng"}, "schema.json#/type: 'strng' is not a type; use null, boolean"),
        ({"type": ["string", 5]}, "schema.json#/type: 5 is not a type"),
        ({"properties": []}, "schema.json#/properties: must be an object whose members are schemas, got a list"),
        ({"items": 5}, "schema.json#/items: must be a schema: an object, true or false, got 5"),
        ({"properties": {"a/b": {"minLength": -1}}}, "schema.json#/properties/a~1b/minLength: must be a whole number"),
        ({"required": "a"}, "schema.json#/required: must be a list of strings, got 'a'"),
        ({"definitions": {"A": {"enum": {}}}}, "schema.json#/definitions/A/enum: must be a list of values"),
        ({"items": [{"type": 1}]}, "schema.json#/items/0/type: 1 is not a type"),
        ({"dependencies": {"a": 5}}, "schema.json#/dependencies/a: must be a schema"),
        ([], "schema.json#: must be a schema: an object, true or false, got a list"),
    ],
)
def test_a_keyword_of_another_form_is_a_located_fault(schema: Any, fault: str) -> None:
    (found,) = faults(schema)
    assert found.startswith(fault)


def test_all_faults_are_reported_at_once() -> None:
    assert len(faults({"type": "x", "properties": {"a": {"type": "y"}, "b": 5}})) == 3


@pytest.mark.parametrize("name", KEYWORDS)
def test_every_keyword_of_the_table_has_an_attribute_that_exists_or_no_effect(name: str) -> None:
    attribute = KEYWORDS[name].attribute
    assert attribute is None or attribute in Schema.__annotations__


def test_the_table_knows_the_keywords_of_2020_12() -> None:
    vocabularies = Draft202012Validator.VALIDATORS.keys() - {"$ref", "$dynamicRef"}
    assert vocabularies <= KEYWORDS.keys()


def test_members_that_no_dialect_defines_are_listed() -> None:
    assert document({"x-order": 1, "type": "string", "propertiez": {}}).root.unknown == ("x-order", "propertiez")


def test_older_forms_are_rewritten() -> None:
    root = document(
        {
            "properties": {"a": {"required": True, "type": "any"}, "b": {"divisibleBy": 2}},
            "required": ["b"],
            "minimum": 1,
            "exclusiveMinimum": True,
            "exclusiveMaximum": False,
            "maximum": 9,
            "dependencies": {"a": ["b"], "b": "c", "c": {"minProperties": 2}},
        }
    ).root
    assert root.required == ("b", "a")
    assert (root.minimum, root.exclusive_minimum, root.maximum, root.exclusive_maximum) == (None, 1, 9, None)
    assert root.properties["a"].types is None
    assert root.properties["b"].multiple_of == 2
    assert root.dependent_required == {"a": ("b",), "b": ("c",)}
    assert root.dependent_schemas["c"].pointer == "/dependencies/c"


def test_keywords_of_draft_03_alone_need_its_declaration() -> None:
    schema = {"disallow": ["null"], "extends": {"maxLength": 3}, "allOf": [{"minLength": 1}]}
    assert document(schema).root.unknown == ("disallow", "extends")
    root = document({"$schema": "http://json-schema.org/draft-03/schema#", **schema}).root
    disallowed, extended, required = root.all_of
    assert disallowed.negated is not None
    assert disallowed.negated.types == frozenset({"null"})
    assert (extended.max_length, required.min_length, root.unknown) == (3, 1, ())


def test_schemas_in_a_list_of_types_are_alternatives() -> None:
    (part,) = document({"type": ["null", {"type": "string", "maxLength": 3}]}).root.all_of
    assert [(each.types, each.max_length) for each in part.any_of] == [
        (frozenset({"null"}), None),
        (frozenset({"string"}), 3),
    ]


def test_a_list_of_items_is_a_prefix() -> None:
    root = document({"items": [{"type": "string"}, True], "additionalItems": False}).root
    assert [each.pointer for each in root.prefix_items] == ["/items/0", "/items/1"]
    assert root.items is not None
    assert root.items.nothing
    assert root.items.pointer == "/additionalItems"
    assert document({"items": {}, "additionalItems": False}).root.items is not None


def test_enum_and_const_are_intersected() -> None:
    assert document({"enum": [1, "a", True], "const": 1.0}).root.values == (1,)
    assert document({"const": None}).root.values == (None,)


@given(JSON, JSON)
def test_equality_is_that_of_validators(one: Any, other: Any) -> None:
    judge: Any = Draft202012Validator({"const": one})
    assert same_json(one, other) == judge.is_valid(other)


@pytest.mark.parametrize(
    ("reference", "pointer"),
    [
        ("#", ""),
        ("#/$defs/A", "/$defs/A"),
        ("#/definitions/B", "/definitions/B"),
        ("#/properties/a~1b", "/properties/a~1b"),
        ("#/properties/%C3%A4", "/properties/ä"),
        ("#named", "/$defs/A"),
        ("https://example.com/s.json#/$defs/A", "/$defs/A"),
        ("s.json", ""),
        ("inner.json", "/$defs/C"),
        ("#/anywhere/0", "/anywhere/0"),
    ],
)
def test_references_within_the_document_are_followed(reference: str, pointer: str) -> None:
    found = document(
        {
            "$id": "https://example.com/s.json",
            "$defs": {"A": {"$anchor": "named"}, "C": {"$id": "inner.json"}},
            "definitions": {"B": True},
            "properties": {"a/b": {}, "ä": {}},
            "anywhere": [{"type": "null"}],
            "not": {"$ref": reference},
        }
    )
    assert found.root.negated is not None
    target = found.target(found.root.negated)
    assert isinstance(target, Schema)
    assert target.pointer == pointer


@pytest.mark.parametrize(
    ("reference", "reason"),
    [
        ("https://evil.example/schema.json", "outside of the document, and nothing is fetched"),
        ("file:///etc/passwd", "outside of the document, and nothing is fetched"),
        ("http://[", "outside of the document, and nothing is fetched"),
        ("#/$defs/Missing", "nothing at that place"),
        ("#missing", "no schema has that anchor"),
        ("#/required/0", "no schema at that place"),
        ("#/broken", "schema.json#/broken/type: 5 is not a type"),
    ],
)
def test_other_references_are_unresolved_with_the_reason(reference: str, reason: str) -> None:
    found = document({"$ref": reference, "required": ["a"], "broken": {"type": 5}})
    target = found.target(found.root)
    assert isinstance(target, Unresolved)
    assert reason in target.reason


def test_references_are_relative_to_the_nearest_id() -> None:
    found = document({"$defs": {"A": {"$id": "urn:a", "$defs": {"B": {}}, "items": {"$ref": "#/$defs/B"}}, "B": {}}})
    target = found.target(found.at("/$defs/A/items"))
    assert isinstance(target, Schema)
    assert target.pointer == "/$defs/A/$defs/B"


def test_keywords_beside_a_reference_apply_since_2019_09() -> None:
    beside = {"$ref": "#/definitions/A", "type": "string", "description": "kept"}
    assert document(beside).root.types == {"string"}
    older = document({"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": beside}})
    assert older.root.properties["a"].types is None
    assert older.root.properties["a"].description == "kept"


def test_a_cycle_of_references_is_followed_step_by_step() -> None:
    found = document({"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}})
    schema = found.root
    for pointer in ("/$defs/A", "/$defs/B", "/$defs/A"):
        target = found.target(schema)
        assert isinstance(target, Schema)
        schema = target
        assert schema.pointer == pointer


@given(st.integers(-3, 3), st.booleans(), st.integers(-4, 4))
def test_exclusive_bounds_of_draft_04_keep_their_meaning(bound: int, exclusive: bool, value: int) -> None:
    written = {"minimum": bound, "exclusiveMinimum": exclusive}
    root = document(written).root
    valid = (root.minimum is None or value >= root.minimum) and (
        root.exclusive_minimum is None or value > root.exclusive_minimum
    )
    judge: Any = Draft4Validator(written)
    assert valid == judge.is_valid(value)


def test_megabytes_are_read_in_one_pass() -> None:
    values = [f"value-{number}" for number in range(300_000)]
    assert document({"enum": values}).root.values == tuple(values)


def test_every_form_has_its_words() -> None:
    assert len({form.value for form in Form}) == len(Form)
