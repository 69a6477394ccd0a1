"""Checks of tools against the rules of hosts."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from attrs import frozen

from mcp_bindgen.contracts.contract import Listing
from mcp_bindgen.describe.nearest import nearest_names
from mcp_bindgen.errors import BindgenError, JsonSchemaError
from mcp_bindgen.lint.host_rules import HOST_RULES, HostRule
from mcp_bindgen.syntax.jsonschema.document import SchemaDocument
from mcp_bindgen.syntax.jsonschema.pointers import below, is_array, is_object

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_TYPED = frozenset({"type", "$ref", "anyOf", "oneOf", "allOf"})
_MAX_FINDINGS = 20
"""Maximum number of findings by one rule in one tool."""


@frozen
class LintFinding:
    """Something that hosts refuse or misread."""

    tool: str
    pointer: str
    """Place in the tool (RFC 6901)."""
    rule: HostRule
    detail: str = ""


def lint_listing(listing: Listing, ignored: Collection[str] = ()) -> list[LintFinding]:
    """Return the findings in the tools of a listing. Raise `BindgenError` for an unknown rule."""
    for name in ignored:
        if name not in HOST_RULES:
            near = nearest_names(name, HOST_RULES, 1)
            hint = f"did you mean {near[0]}?" if near else "use --list-rules to list them"
            message = f"--ignore: unknown rule {name!r}; {hint}"
            raise BindgenError(message)
    found: list[LintFinding] = []
    names: set[str] = set()
    for place, tool in enumerate(listing.lists.get("tools", [])):
        counts: dict[str, int] = {}
        for each in _lint(tool, place, names):
            counts[each.rule.id] = counts.get(each.rule.id, 0) + 1
            if each.rule.id not in ignored and counts[each.rule.id] <= _MAX_FINDINGS:
                found.append(each)
    return found


def _lint(tool: Any, place: int, names: set[str]) -> Iterator[LintFinding]:
    if not is_object(tool) or not isinstance(tool.get("name"), str):
        yield LintFinding(f"tools[{place}]", "", HOST_RULES["malformed"], "it has no name")
        return
    name: str = tool["name"]
    if name in names:
        yield LintFinding(name, "/name", HOST_RULES["duplicate-name"])
    names.add(name)
    if not _NAME.fullmatch(name):
        yield LintFinding(name, "/name", HOST_RULES["tool-name"])
    description = tool.get("description")
    if not isinstance(description, str) or not description.strip():
        yield LintFinding(name, "/description", HOST_RULES["description"])
    for member in ("inputSchema", "outputSchema"):
        if member in tool or member == "inputSchema":
            yield from _lint_schema(name, member, tool.get(member))


def _lint_schema(name: str, member: str, schema: Any) -> Iterator[LintFinding]:
    top = f"/{member}"
    if not is_object(schema):
        yield LintFinding(name, top, HOST_RULES["malformed"], f"{member} is not an object")
        return
    try:
        SchemaDocument(schema, f"tool {name!r}: {member}")
    except JsonSchemaError as problem:
        fault = problem.faults[0]
        yield LintFinding(name, top + fault.pointer, HOST_RULES["malformed"], fault.message)
        return
    if schema.get("type") != "object":
        yield LintFinding(name, top, HOST_RULES["root-type"])
    if member == "outputSchema":
        # Hosts read it, and send it to no model.
        return
    if not schema.keys().isdisjoint({"anyOf", "oneOf", "allOf"}):
        yield LintFinding(name, top, HOST_RULES["root-combinator"])
    if "properties" not in schema:
        yield LintFinding(name, top, HOST_RULES["root-properties"])
    for pointer, each, is_branch in schemas_below(schema, top):
        yield from (LintFinding(name, pointer, HOST_RULES[rule]) for rule in _rules(each, is_branch=is_branch))


def _rules(schema: Any, *, is_branch: bool) -> Iterator[str]:
    if isinstance(schema, bool):
        yield "boolean-schema"
        return
    if "$ref" in schema or "$dynamicRef" in schema:
        yield "reference"
    kind = schema.get("type")
    if isinstance(kind, list):
        yield "type-list"
    is_array = kind == "array" or (isinstance(kind, list) and "array" in kind)
    if is_array and "items" not in schema and "prefixItems" not in schema:
        yield "array-items"
    if "const" in schema:
        yield "const"
    if _TYPED.isdisjoint(schema):
        yield "untyped-branch" if is_branch else "untyped"


def schemas_below(schema: Any, pointer: str) -> Iterator[tuple[str, Any, bool]]:
    """Yield the schemas inside a schema with their places, and whether each is a branch of a combinator."""
    waiting: list[tuple[str, Any]] = [(pointer, schema)]
    while waiting:
        here, each = waiting.pop()
        for place, inner, is_branch in _inside(each, here):
            yield place, inner, is_branch
            if is_object(inner):
                waiting.append((place, inner))


def _inside(schema: Any, pointer: str) -> Iterable[tuple[str, Any, bool]]:
    for key in ("properties", "patternProperties", "$defs", "definitions"):
        members = schema.get(key)
        for name, each in members.items() if is_object(members) else ():
            yield below(pointer, key, name), each, False
    for key in ("items", "additionalProperties"):
        each = schema.get(key)
        # `additionalProperties: false` is common, and read everywhere.
        if isinstance(each, dict) or (key == "items" and isinstance(each, bool)):
            yield below(pointer, key), each, False
    for key in ("anyOf", "oneOf", "allOf", "prefixItems", "items"):
        members = schema.get(key)
        for place, each in enumerate(members) if is_array(members) else ():
            yield below(pointer, key, place), each, key in {"anyOf", "oneOf"}
