"""A walk over a value by the tables of a revision: which place of it is what, and which is not as declared.

It decides as ``codec.type_tables`` does, makes nothing, and goes on after a fault; neither depth nor a wrong kind stops it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple, TypeAlias, cast

from mcp_bindings_runtime.codec.type_tables import Path, Shape, is_scalar, json_kind

from mcp_bindgen.validate.entries import Json
from mcp_bindgen.validate.tables import Tables

Kind: TypeAlias = Literal["member", "element", "further", "undeclared", "missing", "wrong"]
"""``member``: of an object, declared. ``element``: of an array or a map. A member that the object's type does not name is
no fault: ``further`` where the type says that there may be more of any kind, else ``undeclared``. ``missing`` and
``wrong`` are faults."""
Constraints: TypeAlias = tuple[tuple[str, Any], ...]


class Site(NamedTuple):
    """One place of a value."""

    path: Path
    kind: Kind
    value: Json
    """What is there; None where nothing is."""
    constraints: Constraints = ()
    """Those of the member, as ``(("minimum", 0), ("maximum", 1))``."""


def walk(value: Json, shape: Shape, tables: Tables, path: Path = ()) -> Iterator[Site]:
    """The places below ``value`` in the order of the text, and of each fault the place where it shows."""
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
    """What a value is to be read as: ``shape`` without aliases, unions decided; None where no member of a union fits."""
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
    """Whether the value itself is of a resolved shape, whatever is below it."""
    if shape == "json":
        return True
    if isinstance(shape, str):
        return is_scalar(value, shape)
    if shape[0] == "enum":
        return any(value.__class__ is literal.__class__ and value == literal for literal in shape[1:])
    return value.__class__ is (list if shape[0] == "list" else dict)


def _decide(value: Json, decision: Any) -> int | None:
    """The member of a union that a value is to be read as; None where there is none, or the value does not say."""
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
