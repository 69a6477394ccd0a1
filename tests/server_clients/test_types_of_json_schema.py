"""Types from JSON Schema: laws about the emitted codec, with the library `jsonschema` as the judge."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from mcp_bindgen.errors import BindgenError
from mcp_bindgen.ir.offers import ServerOffers
from mcp_bindgen.server_clients import generate_server_client
from mcp_bindgen.server_offers import understand_offers
from mcp_bindings_runtime.client.server_client import _key
from mcp_bindings_runtime.codec.codec import Codec
from mcp_bindings_runtime.errors import DecodeError
from support.server_packages import import_package, tools_list

TEXTS = st.sampled_from(["a", "b", "fooBar", "foo_bar", "", "class", "ä", "x-y", "kind"])
SCALARS: dict[str, st.SearchStrategy[Any]] = {
    "null": st.none(),
    "boolean": st.booleans(),
    "integer": st.integers(-3, 10**20),
    "number": st.floats(allow_nan=False, allow_infinity=False) | st.integers(-3, 3),
    "string": TEXTS,
}
JSON = st.recursive(
    st.one_of(*SCALARS.values()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)


def objects(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Schemas of objects with some required members."""

    def made(properties: dict[str, Any], share: int) -> dict[str, Any]:
        return {"type": "object", "properties": properties, "required": [*properties][:share]}

    return st.builds(made, st.dictionaries(TEXTS, inner, min_size=1, max_size=4), st.integers(0, 4))


SCHEMAS = st.recursive(
    st.sampled_from([{"type": name} for name in SCALARS])
    | st.lists(st.sampled_from([*SCALARS]), min_size=1, max_size=3, unique=True).map(lambda names: {"type": names})
    | st.lists(st.sampled_from(["a", "b", 1, 2, True, None]), min_size=1, max_size=3).map(lambda each: {"enum": each})
    | st.sampled_from([{"const": "kind"}, {"const": False}, {"const": None}, {"$ref": "#/$defs/Tree"}, {}]),
    lambda inner: inner.map(lambda each: {"type": "array", "items": each})
    | inner.map(lambda each: {"type": "object", "additionalProperties": each})
    | objects(inner)
    | st.lists(inner, min_size=1, max_size=2).map(lambda each: {"allOf": each})
    | inner.map(lambda each: {"anyOf": [each, {"type": "null"}]}),
    max_leaves=6,
)
"""Schemas of keywords that decide about types, so that the emitted types accept what is valid, and nothing else."""

DEFINITIONS = {"Tree": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"$ref": "#/$defs/Tree"}}]}}


def values_of(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values that are valid, often."""
    match schema:
        case {"enum": values}:
            return st.sampled_from(values)
        case {"const": value}:
            return st.just(value)
        case {"$ref": _}:
            return st.recursive(TEXTS, lambda inner: st.lists(inner, max_size=2), max_leaves=4)
        case {"anyOf": [first, *_]}:
            return values_of(first) | st.none()
        case {"allOf": [first, *_]}:
            return values_of(first)
        case {"type": "array", "items": items}:
            return st.lists(values_of(items), max_size=3)
        case {"type": "object", "additionalProperties": values}:
            return st.dictionaries(TEXTS, values_of(values), max_size=2)
        case {"type": "object", "properties": properties}:
            members = {name: values_of(each) for name, each in properties.items()}
            required = {name: members.pop(name) for name in schema["required"]}
            known = st.fixed_dictionaries(required, optional=members)
            unknown = st.dictionaries(st.sampled_from(["unknown", "also"]), JSON, max_size=1)
            return st.builds(lambda one, other: {**other, **one}, known, unknown)
        case {"type": str(name)}:
            return SCALARS[name]
        case {"type": names}:
            return st.one_of(*(SCALARS[name] for name in names))
        case _:
            return JSON


def has_whole_float(value: Any) -> bool:
    """Whether there is a float without fraction, which JSON Schema takes for an integer, and the codec does not."""
    match value:
        case float():
            return value.is_integer()
        case list():
            return any(map(has_whole_float, value))
        case dict():
            return any(map(has_whole_float, value.values()))
        case _:
            return False


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("packages")


@settings(
    max_examples=settings.default.max_examples * 2 // 5,
    deadline=None,
    # Each step of shrinking would write and import a package.
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(st.data())
def test_a_value_is_decoded_if_and_only_if_it_is_valid(folder: Path, data: st.DataObject) -> None:
    schemas = data.draw(st.lists(SCHEMAS, min_size=1, max_size=5))
    whole = {f"t{number}": {**each, "$defs": DEFINITIONS} for number, each in enumerate(schemas)}
    package = import_package(tools_list(whole), folder)
    codec: Codec[Any] = package.converter.CODEC
    # A schema that no value matches is typed as any JSON value, with a note.
    empty = {each.partition(".")[0] for each in types_of(whole).notes if "names no type" not in each}
    for name, schema in whole.items():
        judge: Any = Draft202012Validator(schema)
        for value in data.draw(st.lists(values_of(schemas[int(name[1:])]) | JSON, min_size=3, max_size=6)):
            note(f"{schema} {value!r}")
            if has_whole_float(value):
                continue
            if judge.is_valid(value):
                assert codec.unstructure(codec.decode_result(_key(name), value)) == value
            elif name not in empty:
                with pytest.raises(DecodeError):
                    codec.decode_result(_key(name), value)


NUMBERS_OR_STRINGS = {"type": "object", "additionalProperties": {"type": ["number", "string"]}}


@pytest.mark.parametrize(
    ("other", "valid", "wrong"),
    [
        ({"additionalProperties": {"type": ["null", "string"]}}, [{"a": "x"}, {}], [{"a": 2}, {"a": None}]),
        ({"properties": {"a": {"type": ["null", "string"]}}}, [{"a": "x", "b": 2}], [{"a": None}, {"b": None}]),
        (
            {"properties": {"a": {}}, "additionalProperties": {"type": ["null", "string"]}},
            [{"a": 2, "b": "x"}],
            [{"a": None}, {"b": 2}],
        ),
    ],
)
def test_a_member_matches_every_schema_that_applies_to_it(
    other: dict[str, Any], valid: list[Any], wrong: list[Any], folder: Path
) -> None:
    schema = {"type": "array", "items": {"allOf": [NUMBERS_OR_STRINGS, {"type": "object", **other}]}}
    codec: Codec[Any] = import_package(tools_list({"t0": schema}), folder).converter.CODEC
    for value in valid:
        assert codec.unstructure(codec.decode_result(_key("t0"), [value])) == [value]
    for value in wrong:
        assert not Draft202012Validator(schema).is_valid([value])
        with pytest.raises(DecodeError):
            codec.decode_result(_key("t0"), [value])


def types_of(schemas: dict[str, Any]) -> ServerOffers:
    return understand_offers(tools_list(schemas), "test")


HOSTILE = {
    "exponential allOf": {
        "$defs": {f"D{n}": {"allOf": [{"$ref": f"#/$defs/D{n + 1}"}] * 2} for n in range(60)}
        | {"D60": {"type": "string"}},
        "$ref": "#/$defs/D0",
    },
    "exponential anyOf": {
        "type": "object",
        "allOf": [{"anyOf": [{"properties": {f"{n}a": {}}}, {"properties": {f"{n}b": {}}}]} for n in range(60)],
    },
    "cycle of references": {"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}},
    "cycle of alternatives": {"anyOf": [{"$ref": "#"}, {"allOf": [{"$ref": "#"}]}]},
    "megabytes of enum": {"enum": [f"value number {n}" for n in range(200_000)]},
    "catastrophic pattern": {"type": "string", "pattern": "^(a+)+$"},
    "long chain of references": {
        "$defs": {
            f"D{n}": {"type": "object", "properties": {"next": {"$ref": f"#/$defs/D{n + 1}"}}} for n in range(500)
        }
        | {"D500": {"type": "string"}},
        "$ref": "#/$defs/D0",
    },
    "long chain of arrays": {
        "$defs": {f"D{n}": {"type": "array", "items": {"$ref": f"#/$defs/D{n + 1}"}} for n in range(500)}
        | {"D500": {"type": "string"}},
        "$ref": "#/$defs/D0",
    },
    "growing conjunctions": {
        "$defs": {
            f"D{n}": {
                "type": "object",
                "properties": {
                    "a": {"allOf": [{"$ref": f"#/$defs/D{(n + 1) % 12}"}, {"$ref": f"#/$defs/D{(n + 5) % 12}"}]},
                    "b": {"$ref": f"#/$defs/D{(n * 7 + 3) % 12}"},
                },
            }
            for n in range(12)
        },
        "allOf": [{"$ref": "#/$defs/D0"}, {"$ref": "#/$defs/D1"}],
    },
    "a reference to elsewhere": {"$ref": "https://example.com/schema.json"},
    "names that are code": {
        "type": "object",
        "title": '"""\nimport os\n',
        "description": '\\"""; raise SystemExit("no")\n"""',
        "properties": {
            'x = 1\n"""': {"enum": ['"""', "\\", "\n", "'", "{{ 1 }}", "\u202e"]},
            "__class__": {"const": "\0"},
        },
        "required": ["__class__"],
    },
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_schema_gets_a_package_that_imports(case: str, folder: Path) -> None:
    """Bounded work is all that is promised, so there is no timing here: a run without limits would not end."""
    package = import_package(tools_list({"t": HOSTILE[case]}), folder)
    assert package.converter.CODEC is not None


TEXT = st.text(max_size=12) | st.sampled_from(
    ['"""', "\\", "'\n", "{{ x }}", "{% x %}", "\r", "\u2028", "#", "\x00", "import os"]
)


@settings(
    max_examples=settings.default.max_examples // 4,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
@given(st.lists(TEXT.filter(bool), min_size=1, max_size=3, unique=True), TEXT, TEXT, st.lists(TEXT, max_size=3))
def test_text_of_a_server_becomes_names_and_strings_and_never_code(
    tools: list[str], doc: str, member: str, values: list[str]
) -> None:
    """The modules import and call the same as those for a harmless server, and run."""

    def offers(names: list[str], text: str, key: str, literals: list[str]) -> dict[str, Any]:
        schema = {
            "type": "object",
            "description": text,
            "properties": {key: {"enum": [*literals, "a"], "description": text, "default": "a", "pattern": text}},
        }
        return {"tools": [{"name": name, "description": text, "inputSchema": schema} for name in names]}

    def used(value: dict[str, Any]) -> set[str]:
        found: set[str] = set()
        for text in generate_server_client(value, "x", "package").files.values():
            compile(text, "package", "exec")
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.ImportFrom):
                    found.add(f"from {node.module}")
                elif isinstance(node, ast.Import):
                    found.add(ast.unparse(node))
                elif isinstance(node, ast.Call):
                    name = ast.unparse(node.func)
                    found.add(re.sub(r"^(structure|unstructure|types)(_|\.)\w+$", "ours", name))
        return found

    harmless = [f"t{number}" for number in range(len(tools))]
    plain = [f"v{number}" for number in range(len({*values} - {"a"}))]
    assert used(offers(tools, doc, member, values)) == used(offers(harmless, "text", "m", plain))


def test_an_optional_definition_is_one_class() -> None:
    point = {"type": "object", "properties": {"x": {"type": "number"}}}
    optional = {"anyOf": [{"$ref": "#/$defs/Point"}, {"type": "null"}], "default": None}
    described = {"description": "Again.", "allOf": [{"$ref": "#/$defs/Point"}]}
    members = {"a": {"$ref": "#/$defs/Point"}, "b": optional, "c": described, "d": {"items": optional}}
    schema = {"type": "object", "properties": members, "$defs": {"Point": point}}
    assert [*types_of({"t": schema}).protocol.objects] == ["TResult", "TPoint"]


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ({}, "the schema names no type"),
        (True, "the schema names no type"),
        (False, "no value is valid"),
        ({"$ref": "https://example.com/s"}, "`https://example.com/s` is not resolved: it is outside of the document"),
        ({"$ref": "#/$defs/A"}, "`#/$defs/A` is not resolved: the document has nothing at that place"),
        ({"anyOf": [{"$ref": "https://example.com/s"}, {"type": "null"}]}, "`https://example.com/s` is not resolved"),
        (
            {"items": {"oneOf": [{"$ref": "https://example.com/s"}, {"type": "null"}]}},
            "`https://example.com/s` is not resolved",
        ),
        (HOSTILE["exponential anyOf"], "there are more than 64 cases"),
        (HOSTILE["megabytes of enum"], "an enumeration of 200000 values is typed by their kind"),
        (HOSTILE["long chain of arrays"], "arrays and alternatives are nested more than 12 levels deep"),
        ({"enum": [[1], {"a": 1}]}, "an enumerated array or object is typed by its kind"),
        ({"type": "array", "prefixItems": [{"type": "string"}]}, "items after `prefixItems` have no type"),
        (
            {
                "anyOf": [
                    {"type": "object", "properties": {"a": {"type": "string"}}},
                    {"type": "object", "properties": {"b": {"type": "string"}}},
                ]
            },
            "cannot be distinguished in JSON",
        ),
        ({"type": "strng"}, "'strng' is not a type"),
    ],
)
def test_what_cannot_be_typed_is_noted_with_the_reason(schema: Any, reason: str) -> None:
    value = {"tools": [{"name": "t", "outputSchema": schema}]}
    assert any(reason in each for each in understand_offers(value, "test").notes)


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ({"tools": [{"inputSchema": {}}]}, "x#/tools/0: has no name"),
        ({"tools": [{"name": ""}]}, "x#/tools/0: has no name"),
        ({"tools": [5]}, "x#/tools/0: has no name"),
        ({"tools": [{"name": "a"}, {"name": "a"}]}, "x#/tools/1: has the name 'a', as /tools/0 has"),
        ({"tools": 5}, "x#/tools: must be a list"),
        ([], "x#: must be the result of tools/list"),
        ({"result": {"tools": [{}]}}, "x#/result/tools/0: has no name"),
        ({"tools": [], "prompts": [{"name": "p", "arguments": [{}]}]}, "x#/prompts/0/arguments/0: must be an object"),
        ({"templates": [{"name": "t"}]}, "x#/templates/0/uriTemplate: must be a string"),
    ],
)
def test_a_list_of_another_form_is_refused_with_its_place(value: Any, fault: str) -> None:
    with pytest.raises(BindgenError) as caught:
        generate_server_client(value, "x", "package")
    assert str(caught.value).startswith(fault)
