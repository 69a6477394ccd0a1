"""What type expressions mean."""

from __future__ import annotations

import pytest
from mcp_bindgen.ir.protocol import AliasOf, AliasType, Enum, ListOf, ObjectOf, Scalar, Union
from mcp_bindgen.resolve.overrides import Overrides
from resolve.resolving import NONE, faults, field, kind_of, resolve, tree

STRING = Scalar("string", "string")
INTEGER = Scalar("integer", "number")
FLOAT = Scalar("float", "number")
NULL = Scalar("null", "null")

MORE = """
export interface Thing { x: 'x' }
export type Same = Thing
export type Id = string | number
export type Size = 'big' | 'small'
export type Open = 'known' | string
export type Text = string
/** @TJS-type number */ export type Score = number
export const ZERO = 0
export const NAME = "name"
"""

ROWS = {
    "string": STRING,
    "number": INTEGER,
    "boolean": Scalar("boolean", "boolean"),
    "null": NULL,
    "unknown": Scalar("json", "unknown"),
    "any": Scalar("json", "any"),
    "object": Scalar("object", "object"),
    "'a'": Enum(("a",)),
    "-5": Enum((-5,)),
    "true": Enum((True,)),
    "typeof ZERO": Enum((0,)),
    "typeof NAME | 'other'": Enum(("name", "other")),
    "string[]": ListOf(STRING),
    "Array<string[]>": ListOf(ListOf(STRING)),
    "Thing": ObjectOf("Thing"),
    "Same": AliasOf("Same"),
    "Size": AliasOf("Size"),
    "Size[]": ListOf(AliasOf("Size")),
    "'b' | 'a' | 'b'": Enum(("b", "a")),
    "'a' | string": Enum(("a",), open=True),
    "string | 'a' | 'b'": Enum(("a", "b"), open=True),
    "'a' | (string & {})": Enum(("a",), open=True),
    "Size | 'other'": Enum(("big", "small", "other")),
    "Size | Text": Enum(("big", "small"), open=True),
    "Open | 'more'": Enum(("known", "more"), open=True),
    "1 | 2 | 1": Enum((1, 2)),
    "1 | number": INTEGER,
    "true | false": Enum((True, False)),
    "true | boolean": Scalar("boolean", "boolean"),
    "string | string": STRING,
    "Text | string": STRING,
    "string | undefined": STRING,
    "number | Score": FLOAT,
    "Thing | Same": ObjectOf("Thing"),
    "string | unknown": Scalar("json", "unknown"),
    "any | null | Thing": Scalar("json", "any"),
    "Thing['x']": Enum(("x",)),
}


@pytest.mark.parametrize("text", ROWS)
def test_type_expressions(text):
    assert kind_of(text, MORE) == ROWS[text]


def test_a_union_keeps_what_is_written_and_lists_what_it_means():
    kind = kind_of("Id | Size | null | 'x' | Thing[]", MORE)
    assert isinstance(kind, Union)
    assert kind.written == (AliasOf("Id"), AliasOf("Size"), NULL, Enum(("x",)), ListOf(ObjectOf("Thing")))
    assert kind.members == (
        Enum(("big", "small", "x"), open=True),
        INTEGER,
        NULL,
        ListOf(ObjectOf("Thing")),
    )
    assert kind.position is not None
    assert (kind.position.line, kind.position.column) == (1, 30)


def test_a_float_takes_integers_so_one_of_both_is_a_float():
    kind = kind_of("number | null | Score", MORE)
    assert isinstance(kind, Union)
    assert kind.members == (FLOAT, NULL)


NUMBERS = {
    "number": ("/** @TJS-type number */ it: number", "float"),
    "array": ("/** @TJS-type number */ it: number[]", "float"),
    "alternative": ("/** @TJS-type number */ it: number[] | null", "float"),
    "explicit integer": ("/** @TJS-type integer */ it: number", "integer"),
    "no tag": ("it: number[] | string", "integer"),
    "an alias keeps its own": ("/** @TJS-type number */ it: Count", "integer"),
    "an alias that says so": ("it: Score | null", "float"),
    "an alias of a union": ("it: Id", "integer"),
    "no number": ("it: string[]", None),
    "literals are no number": ("it: 1 | 2", None),
    "numbers of a map are the map's": ("/** @TJS-type number */ it: { [key: string]: number }", None),
    "numbers of a recursive alias are the alias's": ("it: Tree", None),
}


@pytest.mark.parametrize("row", NUMBERS)
def test_numbers_are_integers_unless_a_tag_says_otherwise(row):
    text, expected = NUMBERS[row]
    protocol = resolve(
        f"export interface X {{ {text} }}\nexport type Count = number\nexport type Tree = number | Tree[]\n{MORE}"
    )
    assert field(protocol, "X.it").constraints.number == expected


def test_the_tag_reaches_all_of_the_property_s_own_text():
    protocol = resolve(
        "export interface X {\n/** @TJS-type number */\nm: { [key: string]: number | Count }\n/** @TJS-type number */\no: { p: number[] }\nq: number }\n"
        "export type Count = number | null"
    )
    index = protocol.objects["X.m"].index
    assert isinstance(index, Union)
    assert index.members == (FLOAT, NULL)
    assert index.written == (FLOAT, AliasOf("Count"))
    assert field(protocol, "X.o.p").type == ListOf(FLOAT)
    assert field(protocol, "X.q").type == INTEGER


def test_constraints_are_read_from_tags():
    protocol = resolve(
        "export interface X {\n/** @minimum 0\n@maximum 1.5 */ a: number\n/** @maxItems 100\n@minimum -3e2 */ b: string[]\n/** @format uri */ c: string }\n"
        "export interface Y extends X { d: X['a'] }"
    )
    found = {name: field(protocol, f"X.{name}").constraints for name in "abc"}
    assert (found["a"].minimum, found["a"].maximum, found["a"].number) == (0, 1.5, "integer")
    assert isinstance(found["a"].minimum, int)
    assert (found["b"].max_items, found["b"].minimum) == (100, -300.0)
    assert found["c"].format == "uri"
    assert field(protocol, "Y.a").constraints == found["a"]
    assert field(protocol, "Y.d").constraints.maximum is None


def test_malformed_tags_are_located_faults():
    text = (
        "export interface X {\n/** @minimum ten */ a: number\n/** @TJS-type string */ b: number\n/** @maxItems -1 */ c: string[]\n"
        "/** @format */ d: string\n/** @maximum 1e999 */ e: number\n/** @maxItems 1.5 */ f: string[]\n/** @format uri or so */ g: string }"
    )
    assert faults(text) == [
        "acme.ts:2:21: @minimum must be a number, got 'ten'",
        "acme.ts:3:25: @TJS-type must be number or integer, got 'string'",
        "acme.ts:4:21: @maxItems must be an integer >= 0, got '-1'",
        "acme.ts:5:16: @format must be the name of a format, got ''",
        "acme.ts:6:23: @maximum must be a number, got '1e999'",
        "acme.ts:7:22: @maxItems must be an integer >= 0, got '1.5'",
        "acme.ts:8:26: @format must be the name of a format, got 'uri or so'",
    ]


def test_undefined_is_only_understood_where_a_question_mark_could_stand():
    assert faults(
        "export interface X { a: undefined; b: undefined[]; c: { [key: string]: string | undefined } }\nexport type Y = string | undefined"
    ) == [
        "acme.ts:1:25: undefined can only be an alternative in the type of a property",
        "acme.ts:1:39: undefined can only be an alternative in the type of a property",
        "acme.ts:1:81: undefined can only be an alternative in the type of a property",
        "acme.ts:2:26: undefined can only be an alternative in the type of a property",
    ]


JSON = "export type JSONValue = string | number | boolean | null | JSONObject | JSONArray\nexport type JSONObject = { [key: string]: JSONValue }\nexport type JSONArray = JSONValue[]\n"
JSON_FLOAT = Overrides.parse("[[float]]\nsite = 'JSONValue'\nreason = 'r'\nsource = 's'\nsince = '2026-07-28'")

ALMOST = {
    "integers only": (JSON, NONE),
    "no null": (JSON.replace("null | ", ""), JSON_FLOAT),
    "no arrays": (JSON.replace(" | JSONArray", ""), JSON_FLOAT),
    "arrays of less": (JSON.replace("JSONValue[]", "string[]"), JSON_FLOAT),
    "maps of less": (JSON.replace(": JSONValue }", ": JSONArray }"), JSON_FLOAT),
    "objects with a required key": (JSON.replace("{ [key", "{ a: JSONValue; [key"), JSON_FLOAT),
}


class TestAliases:
    def test_a_second_name_is_an_alias_and_what_makes_an_object_is_an_object(self):
        protocol = resolve(
            "export type EmptyResult = Result\nexport type ClientResult = EmptyResult\nexport interface Result { p: { q: string } }\n"
            "export type Params = Result['p']\nexport type More = Result & { r: string }\nexport type Bag = Record<string, unknown>"
        )
        assert {name: alias.type for name, alias in protocol.aliases.items()} == {
            "EmptyResult": ObjectOf("Result"),
            "ClientResult": AliasOf("EmptyResult"),
            "Params": ObjectOf("Result.p"),
        }
        assert {path for path, made in protocol.objects.items() if made.kind == "alias"} == {"More", "Bag"}

    def test_recursion_is_found_through_anything_but_an_interface(self):
        protocol = resolve(
            "export type Nested = string | Nested[]\nexport type Tree = { kids: Branch[] }\nexport type Branch = Tree | null\n"
            "export type Block = { content: Holder }\nexport interface Holder { blocks: Block[] }\nexport type Plain = Nested | null"
        )
        named = {**protocol.aliases, **{path: made for path, made in protocol.objects.items() if made.kind == "alias"}}
        assert {name for name, each in named.items() if each.recursive} == {"Nested", "Tree", "Branch"}

    def test_aliases_that_take_every_json_value_are_opaque(self):
        protocol = resolve(JSON + "export interface X { a: JSONValue; b: JSONValue | null }", overrides=JSON_FLOAT)
        value = protocol.aliases["JSONValue"]
        assert value.type == Scalar("json", "unknown")
        assert value.recursive
        assert tree(value.written) == (
            "{string: string, number: number, boolean: boolean, null: null, object: JSONObject, array: JSONValue[]}"
        )
        assert protocol.aliases["JSONArray"] == AliasType("JSONArray", ListOf(AliasOf("JSONValue")), recursive=True)
        assert protocol.objects["JSONObject"].index == AliasOf("JSONValue")
        assert protocol.objects["JSONObject"].recursive
        assert field(protocol, "X.a").type == AliasOf("JSONValue")
        assert field(protocol, "X.b").type == AliasOf("JSONValue")

    @pytest.mark.parametrize("case", ALMOST)
    def test_those_that_take_less_are_not(self, case):
        text, overrides = ALMOST[case]
        alias = resolve(text, overrides=overrides).aliases["JSONValue"]
        assert isinstance(alias.type, Union)
        assert alias.written is None


def test_documentation_is_kept_and_takes_no_part_in_equality():
    text = "/** A thing.\n@since 2025-01-01\n@internal */\nexport interface X {\n/** Old.\n@deprecated use\nsomething */ a: string\n/** @deprecated */ b: string }\n/** A size. */ export type Size = 'a'\n/** A code. */ export const CODE = 1"
    protocol = resolve(text)
    made = protocol.objects["X"]
    assert (made.about.doc, made.about.since, made.about.internal, made.about.deprecated) == (
        "A thing.",
        "2025-01-01",
        True,
        None,
    )
    assert made.fields[0].about.deprecated == "use\nsomething"
    assert made.fields[1].about.deprecated == ""
    assert made.fields[1].about.doc is None
    assert protocol.aliases["Size"].about.doc == "A size."
    assert protocol.constants["CODE"].about.doc == "A code."
    assert protocol == resolve(
        "export const CODE = 1\n\nexport type Size = 'a'\nexport interface X { a: string; b: string }"
    )
