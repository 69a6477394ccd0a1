"""Tags of the schemas hold for values: each is known to the tables, none is found in a valid value, all in a wrong one."""

from __future__ import annotations

import re
from typing import Any

import pytest
from checkout import REVISIONS
from mcp_bindgen import catalog
from mcp_bindgen.ir.protocol import Field
from mcp_bindgen.validate import constraints, tables
from mcp_bindgen.validate.constraints import Violation, check
from mcp_bindgen.validate.tables import Tables
from strategies.values import Values
from support.declared_types import declared
from support.official_schemas import ours

Json = Any


def named(field: Field) -> dict[str, object]:
    """The constraints of a field of the model that decoding does not check."""
    each = field.constraints
    pairs = {"minimum": each.minimum, "maximum": each.maximum, "maxItems": each.max_items, "format": each.format}
    return {name: value for name, value in pairs.items() if value is not None}


def in_the_tables(known: Tables) -> dict[tuple[str, str], dict[str, object]]:
    rows = ((owner, member) for owner, (members, _) in known.objects.items() for member in members)
    return {(owner, member[0]): dict(member[5]) for owner, member in rows if len(member) > 5}


@pytest.mark.parametrize("revision", REVISIONS)
def test_the_tables_have_every_constraint_of_the_schema(revision: str) -> None:
    objects = ours(revision).objects
    # The class of an inline object has the words of its path in its name.
    model = {
        (re.sub(r"\W", "", path).lower(), field.name): named(field)
        for path, declared in objects.items()
        for field in declared.fields
        if named(field)
    }
    assert {(owner.lower(), name): each for (owner, name), each in in_the_tables(tables.own(revision)).items()} == model
    written = {
        (field.declared_in, field.name, name)
        for each in objects.values()
        for field in each.fields
        for name in named(field)
    }
    tags = re.findall(
        r"@(?:format|minimum|maximum|maxItems)\b", catalog.schema_file(revision).read_text(encoding="utf-8")
    )
    assert len(written) == len(tags) >= 19


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_valid_value_breaks_none(revision: str) -> None:
    protocol, known = ours(revision), tables.own(revision)
    values, looked_at = Values(protocol), 0
    for name, shape in declared(known, protocol):
        for case in values.cases(name):
            assert list(check(case.value, shape, known)) == [], (name, case.value)
            looked_at += 1
    assert looked_at > 500


WRONG: dict[str, tuple[Json, str]] = {
    "uri": ("no uri", "format"),
    "uri-template": ("{", "format"),
    "byte": ("!", "format"),
    "minimum": (-1, "minimum"),
    "maximum": (1.5, "maximum"),
    "maxItems": ([""] * 101, "max-items"),
}


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_value_that_breaks_one_is_found(revision: str) -> None:
    known = tables.own(revision)
    for (owner, member), each in in_the_tables(known).items():
        for name, bound in each.items():
            value, code = WRONG[str(bound) if name == "format" else name]
            (found,) = check({member: value}, ("class", owner), known)
            assert found[:2] == ((member,), code)


KNOWN = tables.own("2026-07-28")


def test_it_says_where_what_and_what_instead() -> None:
    content = [{"type": "text", "text": "x"}, {"type": "image", "data": "a b", "mimeType": "image/png"}]
    (found,) = check({"content": content}, KNOWN.results["tools/call"], KNOWN, ("result",))
    assert found == Violation(
        ("result", "content", 1, "data"),
        "format",
        '"a b"',
        "base64 padded with =, without blanks and line breaks (RFC 4648, section 4)",
    )


@pytest.mark.parametrize(
    ("value", "shape", "expected"),
    [
        ({"priority": 1.01}, "Annotations", ("maximum", "1.01", "at most 1")),
        ({"priority": -0.5}, "Annotations", ("minimum", "-0.5", "at least 0")),
        ({"completion": {"values": ["a"] * 101}}, "CompleteResult", ("max-items", "101 items", "at most 100")),
    ],
)
def test_bounds(value: Json, shape: str, expected: tuple[str, ...]) -> None:
    (found,) = check(value, ("class", shape), KNOWN)
    assert found[1:] == expected


@pytest.mark.parametrize("value", [0, 1, 0.5, 0.0, 1.0])
def test_bounds_are_within(value: float) -> None:
    assert list(check({"priority": value}, ("class", "Annotations"), KNOWN)) == []


def test_as_many_items_as_allowed_are_allowed() -> None:
    assert list(check({"completion": {"values": ["a"] * 100}}, ("class", "CompleteResult"), KNOWN)) == []


def test_true_is_no_number() -> None:
    size = ("size", "size", "optional", "json", None, (("minimum", 2), ("maximum", 3)))
    made = Tables(objects={"Sized": ((size,), None)}, aliases={}, results={})
    found = [list(check({"size": value}, ("class", "Sized"), made)) for value in (True, False, 1, 2, 3, 4)]
    assert [len(each) for each in found] == [0, 0, 1, 0, 0, 1]


def test_they_hold_in_every_request_of_a_map_of_them() -> None:
    params = {"messages": [], "maxTokens": 1, "modelPreferences": {"costPriority": 2}}
    value = {"any": {"method": "sampling/createMessage", "params": params}}
    (found,) = check(value, ("alias", "InputRequests"), KNOWN)
    assert found.path == ("any", "params", "modelPreferences", "costPriority")


@pytest.mark.parametrize(
    "value",
    [
        None,
        1,
        [],
        {"content": 1},
        {"content": [None, {"type": 1}, {"type": "image", "data": 5}, {"type": "image", "data": None}]},
        {"content": [{"type": "video", "data": "!"}]},
        {
            "content": [
                {"type": "text", "annotations": {"priority": "2"}},
                {"type": "text", "annotations": {"priority": True}},
            ]
        },
        {"content": [{"type": "resource", "resource": {"uri": "!"}}]},
    ],
)
def test_what_is_wrong_by_type_is_not_judged(value: Json) -> None:
    assert list(check(value, KNOWN.results["tools/call"], KNOWN)) == []


def test_what_is_faulty_elsewhere_is_judged_all_the_same() -> None:
    value = {"content": [{"type": "image", "data": "!"}, 1], "isError": "no"}
    assert [found.path for found in check(value, KNOWN.results["tools/call"], KNOWN)] == [("content", 0, "data")]


def test_opaque_values_are_not_looked_into() -> None:
    value = {"name": "x", "arguments": {"uri": "!", "blob": "!"}, "_meta": {"uri": "!"}, "uri": "!"}
    assert list(check(value, ("class", "CallToolRequestParams"), KNOWN)) == []


def test_placeholders_of_examples_are_told_apart() -> None:
    def codes(data: str, *, examples: bool) -> list[str]:
        value = {"type": "image", "data": data, "mimeType": "image/png"}
        return [found.code for found in check(value, ("class", "ImageContent"), KNOWN, examples=examples)]

    assert codes("base64-encoded-data", examples=True) == ["placeholder"]
    assert codes("base64-encoded-data", examples=False) == ["format"]
    assert codes("Zg=", examples=True) == ["format"]
    assert codes("Zg==", examples=True) == []


def test_an_index_signature_may_lead_to_a_constraint() -> None:
    made = Tables(
        objects={
            "Site": ((("url", "url", "optional", "string", None, (("format", "uri"),)),), None),
            "Sites": ((("name", "name", "required", "string", None),), ("class", "Site")),
            "Plain": ((("sites", "sites", "required", ("alias", "Listed"), None),), None),
        },
        aliases={"Listed": ("list", ("class", "Sites"))},
        results={},
    )
    value = {"sites": [{"name": "one", "first": {"url": "no uri"}}]}
    assert [found.path for found in check(value, ("class", "Plain"), made)] == [("sites", 0, "first", "url")]
    assert constraints.check({"name": {"url": "no uri"}}, ("class", "Sites"), made)
    assert list(check({"name": {"url": "no uri"}}, ("class", "Sites"), made)) == []
