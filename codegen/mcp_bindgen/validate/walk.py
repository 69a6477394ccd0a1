"""Walk over a value by the type tables of a revision: the kind of each place in it, and the violations.

It decides as ``codec.type_tables`` does, creates no objects, and continues after an error, at any depth.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple, TypeAlias, cast

from mcp_bindings_runtime.codec.type_tables import Path, Shape, is_scalar, json_kind

from mcp_bindgen.validate.entries import Json
from mcp_bindgen.validate.tables import Tables

Kind: TypeAlias = Literal["member", "element", "further", "undeclared", "missing", "wrong"]
"""``member``: a declared member of an object. ``element``: an item of an array or a value of a map. ``further``: an
undeclared member of a type that allows any. ``undeclared``: another undeclared member, not an error. ``missing`` and
``wrong`` are errors."""
Constraints: TypeAlias = tuple[tuple[str, Any], ...]


class Site(NamedTuple):
    """A place in a value."""

    path: Path
    kind: Kind
    value: Json
    """Value at the place; None if it is missing."""
    constraints: Constraints = ()
    """Constraints of the member, as ``(("minimum", 0), ("maximum", 1))``."""


def walk(value: Json, shape: Shape, tables: Tables, path: Path = ()) -> Iterator[Site]:
    """Yield the places below ``value`` in document order, and for each violation its place."""
    waiting: list[tuple[Site, Shape]] = []
    here: tuple[Site, Shape] | None = (Site(path, "element", value), shape)
    while here is not None:
        site, kind = here
        resolved = resolve(site.value, kind, tables)
        if resolved is None or not _is(site.value, resolved):
            yield site._replace(kind="wrong")
        else:
            if len(site.path) > len(path):
                yield site
            below = list(_below(site, resolved, tables))
            for each, _ in below:
                if each.kind in {"missing", "further", "undeclared"}:
                    yield each
            waiting += [each for each in reversed(below) if each[0].kind in {"member", "element"}]
        here = waiting.pop() if waiting else None


def resolve(value: Json, shape: Shape, tables: Tables) -> Shape | None:
    """Return ``shape`` with aliases and unions resolved for a value; None if no member of a union fits."""
    while not isinstance(shape, str):
        if shape[0] == "alias":
            shape = tables.aliases[shape[1]]
        elif shape[0] == "raw":
            shape = shape[1]
        elif shape[0] == "union":
            place = _decide(value, shape[1])
            if place is None:
                return None
            shape = shape[2][place]
        else:
            break
    return shape


def _below(site: Site, shape: Shape, tables: Tables) -> Iterator[tuple[Site, Shape]]:
    if isinstance(shape, str) or shape[0] == "enum":
        return
    path, value = site.path, site.value
    if shape[0] == "list":
        for place, item in enumerate(value):
            yield Site((*path, place), "element", item), shape[1]
    elif shape[0] == "map":
        for key, item in value.items():
            yield Site((*path, key), "element", item), shape[1]
    else:
        members, index = tables.objects[shape[1]]
        declared = {member[0]: member for member in members}
        for key, item in value.items():
            if key in declared:
                _, _, _, kind, _, *more = declared[key]
                yield Site((*path, key), "member", item, more[0] if more else ()), kind
            elif index is None or index == "json":
                yield Site((*path, key), "undeclared" if index is None else "further", item), "json"
            else:
                yield Site((*path, key), "element", item), index
        for wire, _, presence, *_ in members:
            if presence == "required" and wire not in value:
                yield Site((*path, wire), "missing", None), "json"


def _is(value: Json, shape: Shape) -> bool:
    """Return whether the value itself, without its parts, is of a resolved shape."""
    if shape == "json":
        return True
    if isinstance(shape, str):
        return is_scalar(value, shape)
    if shape[0] == "enum":
        return any(value.__class__ is literal.__class__ and value == literal for literal in shape[1:])
    return value.__class__ is (list if shape[0] == "list" else dict)


def _decide(value: Json, decision: Any) -> int | None:
    """Return the index of the union's member that a value belongs to; None if it cannot be decided."""
    while decision.__class__ is tuple:
        kind, *parts = decision
        if kind == "undecidable":
            return None
        if kind == "kind":
            found = json_kind(value)
            decision = next((branch for each, branch in parts[0] if each == found), None)
        elif kind == "first":
            decision, value = (parts[0], value[0]) if value else (parts[1], value)
        elif value.__class__ is not dict:
            return None
        elif kind == "nested":
            if parts[0] not in value:
                return None
            decision, value = parts[1], value[parts[0]]
        elif kind == "key":
            decision = parts[1] if parts[0] in value else parts[2]
        elif parts[0] not in value:
            decision = parts[2]
        else:
            tag = value[parts[0]]
            branches = (branch for each, branch in parts[1] if _is(tag, ("enum", each)))
            decision = next(branches, None)
    return cast("int | None", decision)
