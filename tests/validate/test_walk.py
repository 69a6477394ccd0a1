"""The walk finds fault with what the model refuses, goes on after a fault, and says of each place what it is."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from checkout import REVISIONS
from mcp_bindgen.validate import tables
from mcp_bindgen.validate.tables import Tables, walk
from strategies.faults import Faults
from strategies.values import Values
from support.declared_types import declared
from support.official_schemas import ours
from support.oracle import Oracle

TREE = Tables(
    objects={
        "Leaf": (
            (("kind", None, "required", ("enum", "leaf"), None), ("size", "size", "optional", "integer", None)),
            None,
        ),
        "Node": (
            (
                ("kind", None, "required", ("enum", "node"), None),
                ("parts", "parts", "required", ("list", ("alias", "Part")), None, (("maxItems", 2),)),
                ("more", "more", "optional", ("map", ("class", "Leaf")), None),
            ),
            "json",
        ),
        "Open": ((("name", "name", "tolerated", "string", None),), ("alias", "Part")),
    },
    aliases={
        "Part": ("union", ("tag", "kind", (("leaf", 0), ("node", 1)), None), (("class", "Leaf"), ("class", "Node"))),
    },
    results={},
)


def seen(value: object, shape: object) -> list[tuple[object, ...]]:
    return [(site.kind, *site.path) for site in walk(value, shape, TREE)]


def test_each_place_is_told_in_the_order_of_the_text() -> None:
    value = {
        "more": {"a": {"kind": "leaf"}},
        "parts": [{"size": 1, "kind": "leaf"}, {"kind": "node", "parts": []}],
        "kind": "node",
    }
    assert seen(value, ("alias", "Part")) == [
        ("member", "more"),
        ("element", "more", "a"),
        ("member", "more", "a", "kind"),
        ("member", "parts"),
        ("element", "parts", 0),
        ("member", "parts", 0, "size"),
        ("member", "parts", 0, "kind"),
        ("element", "parts", 1),
        ("member", "parts", 1, "kind"),
        ("member", "parts", 1, "parts"),
        ("member", "kind"),
    ]


def test_a_site_has_its_value_and_the_constraints_of_its_member() -> None:
    _, parts = walk({"kind": "node", "parts": []}, ("class", "Node"), TREE)
    assert (parts.value, parts.constraints) == ([], (("maxItems", 2),))


def test_members_without_a_declaration_are_no_faults() -> None:
    assert seen({"kind": "leaf", "other": {"kind": 1}}, ("class", "Leaf")) == [
        ("undeclared", "other"),
        ("member", "kind"),
    ]
    assert ("further", "other") in seen({"kind": "node", "parts": [], "other": 1}, ("class", "Node"))
    assert seen({"other": {"kind": "leaf"}}, ("class", "Open"))[0] == ("element", "other")


def test_what_is_tolerated_is_not_missing() -> None:
    assert seen({}, ("class", "Open")) == []
    assert seen({}, ("class", "Leaf")) == [("missing", "kind")]


@pytest.mark.parametrize(
    ("value", "faults"),
    [
        (1, [("wrong",)]),
        ({"kind": "tree"}, [("wrong",)]),
        ({}, [("wrong",)]),
        ({"kind": "node", "parts": 1, "more": 2}, [("wrong", "parts"), ("wrong", "more")]),
        (
            {"kind": "node", "parts": [{}, {"kind": "leaf", "size": 1.5}]},
            [("wrong", "parts", 0), ("wrong", "parts", 1, "size")],
        ),
        (
            {"kind": "node", "more": {"a": {"kind": "leaf", "size": True}}},
            [("missing", "parts"), ("wrong", "more", "a", "size")],
        ),
    ],
)
def test_faults_do_not_stop_the_walk(value: object, faults: list[object]) -> None:
    assert [each for each in seen(value, ("alias", "Part")) if each[0] in {"missing", "wrong"}] == faults


def test_depth_does_not_stop_it() -> None:
    deep: dict[str, Any] = {"kind": "leaf"}
    for _ in range(3_000):
        deep = {"kind": "node", "parts": [deep]}
    assert sum(1 for _ in walk(deep, ("alias", "Part"), TREE)) == 3 * 3_000 + 1
    # Python itself would take a deep value apart by recursion.
    while deep["kind"] == "node":
        deep = deep["parts"].pop()


@pytest.mark.parametrize("revision", REVISIONS)
def test_it_finds_fault_with_what_the_model_refuses(revision: str) -> None:
    protocol, known, random = ours(revision), tables.load(revision), Random(1)
    values, oracle, faults = Values(protocol), Oracle(protocol), Faults(protocol)
    judged = {True: 0, False: 0}
    for name, shape in declared(known, protocol):
        for case in values.cases(name):
            changes = list(faults.of(case, random))
            for value in (
                case.value,
                *(each.applied(case.value) for each in random.sample(changes, min(6, len(changes)))),
            ):
                right = oracle.accepts(values.type(name), value)
                found = [site for site in walk(value, shape, known) if site.kind in {"missing", "wrong"}]
                assert (not found) is right, (name, value, found)
                judged[right] += 1
    assert min(judged.values()) > 500


def test_there_are_tables_of_bundled_revisions_only() -> None:
    from mcp_bindgen.errors import BindgenError

    with pytest.raises(BindgenError, match="2025-06-18"):
        tables.load("2025-06-17")
