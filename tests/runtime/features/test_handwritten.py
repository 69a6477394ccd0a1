"""Schemas that are written by hand: dialects, what is never fetched, and how large they may be."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from socketserver import BaseRequestHandler, ThreadingTCPServer
from threading import Thread
from typing import Any

import pytest
from checkout import ROOT
from mcp_bindings_runtime.errors import UsageError
from mcp_bindings_runtime.features.user_schemas import validator_of

DIALECTS = {
    "2020-12": "https://json-schema.org/draft/2020-12/schema",
    "2019-09": "https://json-schema.org/draft/2019-09/schema",
    "draft 7": "http://json-schema.org/draft-07/schema#",
    "draft 6": "http://json-schema.org/draft-06/schema#",
    "draft 4": "http://json-schema.org/draft-04/schema#",
    "draft 3": "http://json-schema.org/draft-03/schema#",
}
PAIR = [{"type": "string"}, {"type": "integer"}]


def fits(schema: dict[str, Any], value: object) -> bool:
    return not validator_of(schema, "the schema")(value)


def test_without_a_dialect_it_is_2020_12() -> None:
    # `prefixItems` is new in 2020-12; before, it says nothing.
    assert not fits({"prefixItems": PAIR}, [1, "a"])
    assert not fits({"$schema": DIALECTS["2020-12"], "prefixItems": PAIR}, [1, "a"])
    assert fits({"$schema": DIALECTS["2019-09"], "prefixItems": PAIR}, [1, "a"])


def test_each_dialect_has_its_own_rules() -> None:
    dependent = {"dependentRequired": {"a": ["b"]}}
    excluded = {"minimum": 1, "exclusiveMinimum": True}
    for name, address in DIALECTS.items():
        early = name in ("draft 3", "draft 4")
        assert fits({"$schema": address, **dependent}, {"a": 1}) is (name.startswith("draft")), name
        if early:
            assert not fits({"$schema": address, **excluded}, 1), name
        else:
            with pytest.raises(UsageError, match="is not a valid JSON Schema"):
                validator_of({"$schema": address, **excluded}, "the schema")
        if name != "2020-12":
            assert not fits({"$schema": address, "items": PAIR}, [1, "a"]), name


def test_a_schema_is_one_by_its_own_dialect() -> None:
    with pytest.raises(UsageError, match="is not a valid JSON Schema"):
        validator_of({"items": PAIR}, "the schema")
    validator_of({"$schema": DIALECTS["draft 7"], "items": PAIR}, "the schema")


@pytest.mark.parametrize(
    "dialect", ["https://a.example/dialect", "", 7, "http://[", "http://json-schema.org/draft-99/schema#"]
)
def test_a_dialect_that_is_not_known_is_refused(dialect: Any) -> None:
    with pytest.raises(
        UsageError, match=rf"^the schema has the unknown dialect {re.escape(repr(dialect))}; use 2020-12"
    ):
        validator_of({"$schema": dialect}, "the schema")


def test_the_dialects_that_are_known_are_documented() -> None:
    page = " ".join((ROOT / "docs" / "tools.md").read_text(encoding="utf-8").split())
    assert (
        "The dialect of a schema without `$schema` is 2020-12. `$schema` may also name 2019-09 or draft 3, 4, 6 or 7; "
        "other dialects raise `UsageError`."
    ) in page
    for address in DIALECTS.values():
        assert fits({"$schema": address}, {})


@contextmanager
def listening() -> Iterator[tuple[str, list[object]]]:
    """The address of somebody on this machine who notes down who comes."""
    visits: list[object] = []

    class Visited(BaseRequestHandler):
        def handle(self) -> None:
            visits.append(self.client_address)

    with ThreadingTCPServer(("127.0.0.1", 0), Visited) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}", visits
        server.shutdown()
        thread.join()


def test_nothing_is_fetched() -> None:
    with listening() as (address, visits):
        for schema in (
            {"$ref": f"{address}/s.json"},
            {"$ref": "s.json", "$id": address},
            {"$dynamicRef": f"{address}/s.json"},
            {"properties": {"a": {"items": {"$ref": f"{address}/s.json#/$defs/a"}}}},
            {"$schema": f"{address}/dialect"},
        ):
            with pytest.raises(UsageError, match=r"use a reference into the schema itself|use 2020-12"):
                validator_of(schema, "the schema")
        # What an identifier says is a name, and no place to look at.
        check = validator_of(
            {"$id": f"{address}/own", "$defs": {"a": {"type": "string"}}, "$ref": "#/$defs/a"}, "the schema"
        )
        assert not check("text")
        assert check(1)
        assert visits == []


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    for _ in range(levels // 2):
        schema = {"properties": {"a": schema}}
    return schema


def test_a_schema_has_so_many_levels_and_values_at_most() -> None:
    assert fits(nested(64), {})
    assert fits({"enum": list(range(9_998))}, 1)
    for schema in (nested(66), nested(600), {"anyOf": [{}] * 10_000}, {"enum": list(range(9_999))}):
        with pytest.raises(UsageError, match="has more than 64 levels or 10000 values"):
            validator_of(schema, "the schema")
