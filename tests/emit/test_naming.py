"""Python names for what a schema names."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_bindgen.emit.naming import MAX_NAME, Names, constant_name, field_name, snake
from mcp_bindgen.errors import SchemaError
from mcp_bindgen.ir.protocol import Protocol
from mcp_bindgen.resolve.protocol import resolve_protocol
from mcp_bindgen.syntax.declarations import read_schema


def protocol(text: str) -> Protocol:
    return resolve_protocol(read_schema(text.encode(), "schema.ts"), revision="2001-01-01")


def faults(text: str) -> list[str]:
    with pytest.raises(SchemaError) as caught:
        Names(protocol(text))
    return [f"{fault.position.line}:{fault.position.column} {fault.message}" for fault in caught.value.faults]


@pytest.mark.parametrize(
    ("wire", "attribute"),
    [
        ("name", "name"),
        ("mimeType", "mime_type"),
        ("websiteURL", "website_url"),
        ("URLOf", "url_of"),
        ("JSONRPCError", "jsonrpc_error"),
        ("sha256Hash", "sha256_hash"),
        ("A1B2", "a1_b2"),
        ("snake_case", "snake_case"),
        ("kebab-case", "kebab_case"),
        ("two words", "two_words"),
        ("a__b", "a_b"),
        ("__init__", "init"),
        ("_meta", "meta"),
        ("$schema", "schema_"),
        ("io.modelcontextprotocol/protocolVersion", "protocol_version"),
        ("a.b", "a_b"),
        ("list", "list_"),
        ("str", "str_"),
        ("extra", "extra_"),
        ("self", "self_"),
        ("class", "class_"),
        ("None", "none"),
        ("type", "type"),
        ("0", "n_0"),
        ("1st", "n_1_st"),
        ("éa", "é_a"),
        ("名前", "名前"),
        # One character that stands for several, with parentheses among them.
        ("⑴", "n_1"),
        ("½", "n_1_2"),
        ("ﬁ", "fi"),
        ("", ""),
        ("_", ""),
        ("$", ""),
        ("a/", ""),
        ("🙂", ""),
    ],
)
def test_an_attribute_is_the_wire_name_in_snake_case(wire: str, attribute: str) -> None:
    assert field_name(wire) == attribute


@given(st.text())
def test_an_attribute_is_an_identifier_as_python_reads_it_or_nothing(wire: str) -> None:
    name = field_name(wire)
    if name:
        assert name.isidentifier()
        assert unicodedata.normalize("NFKC", name) == name
        assert not name.startswith("_")
        assert snake(name) == name.rstrip("_")


@pytest.mark.parametrize(
    ("interface", "suffix", "key"),
    [
        ("CallToolRequest", "Request", "CALL_TOOL"),
        ("CancelledNotification", "Notification", "CANCELLED"),
        ("Request", "Request", "REQUEST"),
        ("Ping", "Request", "PING"),
    ],
)
def test_the_key_of_a_method_is_its_interface_without_the_kind(interface: str, suffix: str, key: str) -> None:
    assert constant_name(interface, suffix) == key


RESERVED = (
    "Any ClassVar Final Literal Record TypeAlias UNSET Union Unset annotations attrs_for_type_checkers list dict str int float bool "
    "None True False def lambda pass Message Client types converter decode encode extra self".split()
)


@pytest.mark.parametrize("name", RESERVED)
@pytest.mark.parametrize("declaration", ["interface @ { a: string }", "type @ = string", "const @ = 1"])
def test_a_name_that_the_emitted_code_needs_gets_an_underscore(name: str, declaration: str) -> None:
    names = Names(protocol(f"export {declaration.replace('@', name)}"))
    assert {**names.types, **names.constants} == {name: f"{name}_"}


def test_attributes_keep_clear_of_the_names_of_types() -> None:
    names = Names(protocol("export interface tool { name: string } export interface X { tool: tool; other: X }"))
    assert names.fields["X"] == {"tool": "tool_", "other": "other"}


def test_inline_objects_are_named_after_where_they_stand() -> None:
    text = 'export interface A { inputSchema: { "x-y": { z: string }[] }; map: { [key: string]: { w: string } } }'
    assert Names(protocol(text)).types == {
        "A": "A",
        "A.inputSchema": "AInputSchema",
        "A.inputSchema.x-y": "AInputSchemaXY",
        "A.map": "AMap",
    }


CLASH = "would have the same Python name, {}; rename one"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "export interface Any { a: 1 }\nexport interface Any_ { a: 1 }",
            ["2:18 'Any_' and 'Any' " + CLASH.format("'Any_'")],
        ),
        (
            "export interface HttpTool { a: 1 }\nexport interface HTTPTool { a: 1 }",
            ["2:18 'HTTPTool' and 'HttpTool' " + CLASH.format("'http_tool'")],
        ),
        (
            "export interface AB { c: 1 }\nexport interface A { b: { c: 2 } }",
            ["2:25 'A.b' and 'AB' " + CLASH.format("'AB'")],
        ),
        ("export const AB = 1;\nexport interface A { b: { c: 2 } }", ["2:25 'A.b' and 'AB' " + CLASH.format("'AB'")]),
        ("export const Any = 1; export type Any_ = string;", ["1:35 'Any_' and 'Any' " + CLASH.format("'Any_'")]),
        (
            "\nexport interface A { '': string }",
            ["2:22 property '' of 'A' cannot be converted to a Python name"],
        ),
        (
            f"export interface A {{ '{'x' * 121}': string }}",
            [f"1:22 property '{'x' * 60}…' of 'A' cannot be converted to a Python name"],
        ),
        (
            "export interface _A { a: 1 }",
            ["1:18 '_A' cannot be converted to a Python name; use letters, digits and inner underscores"],
        ),
        (
            "export interface $ { a: 1 }",
            ["1:18 '$' cannot be converted to a Python name; use letters, digits and inner underscores"],
        ),
        (
            "export interface ﬁ { a: 1 }",
            ["1:18 'ﬁ' cannot be converted to a Python name; use letters, digits and inner underscores"],
        ),
        (
            "export interface ℘ { a: 1 }",
            ["1:18 '℘' cannot be converted to a Python name; use letters, digits and inner underscores"],
        ),
        (
            f"export type {'L' * 121} = string;",
            [f"1:13 the name {'L' * 40}… has 121 characters; the limit is {MAX_NAME}"],
        ),
    ],
)
def test_names_that_clash_or_cannot_be_are_faults_at_their_place(text: str, expected: list[str]) -> None:
    assert faults(text) == expected


@pytest.mark.parametrize(
    ("properties", "attributes"),
    [
        ("fooBar: string; foo_bar: string", {"foo_bar": "foo_bar", "fooBar": "foo_bar_"}),
        ("foo_bar: string; fooBar: string", {"foo_bar": "foo_bar", "fooBar": "foo_bar_"}),
        ("fooBar: string; FooBar: string", {"fooBar": "foo_bar", "FooBar": "foo_bar_"}),
        ("list: string; list_: string", {"list": "list_", "list_": "list__"}),
        ('"$list": string; list: string', {"list": "list_", "$list": "list__"}),
        # The runtime finds `_meta` as `meta`.
        ("meta: string; _meta: {}", {"_meta": "meta", "meta": "meta_"}),
    ],
)
def test_properties_of_one_name_are_renamed_with_a_note(properties: str, attributes: dict[str, str]) -> None:
    names = Names(protocol(f"export interface A {{ {properties} }}"))
    assert names.fields["A"] == attributes
    first, second = attributes.items()
    (note,) = names.notes
    assert note.startswith(f"'A': the attribute of {second[0]!r} is {second[1]!r}, as {first[0]!r} has")


def test_a_request_and_a_notification_of_one_name_have_different_keys() -> None:
    one = 'export interface ARequest { method: "a" } export interface ANotification { method: "b" }'
    names = Names(protocol(f"{one} export interface EmptyResult {{}}"))
    assert names.methods == {"a": "A", "b": "A_NOTIFICATION"}


def test_all_faults_are_told_at_once_and_each_is_short() -> None:
    long = "-" * 10_000
    text = f'export interface A {{ "a{long}": {{ b: 1 }}; A: {{ b: 1 }}; "{long}": string }}'
    found = faults(text)
    assert len(found) == 2
    assert all(len(fault) < 250 for fault in found)
