"""Aliases that contain themselves, and those among them that accept every JSON value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mcp_bindgen.ir.protocol import AliasOf, ListOf, ObjectOf, Scalar, Type
from mcp_bindgen.ir.walk import parts
from mcp_bindgen.resolve.graphs import components, cycle
from mcp_bindgen.resolve.settle import leaves
from mcp_bindgen.resolve.types import Draft, Types


def recursive_names(types: Types) -> frozenset[str]:
    """Return the aliases, of objects too, that contain themselves other than through an interface.

    An interface ends the search, since it is always referred to by name. Other aliases and inline objects may be expanded;
    these must not be.
    """

    def edges(name: str) -> Iterator[str]:
        kinds = [types.aliases[name]] if name in types.aliases else _types_in(types, types.drafts[name])
        for part in (part for kind in kinds for part in parts(kind)):
            if isinstance(part, AliasOf):
                yield part.name
            elif (
                isinstance(part, ObjectOf) and part.path in types.drafts and types.drafts[part.path].kind != "interface"
            ):
                yield part.path

    names = [*types.aliases, *(path for path, draft in types.drafts.items() if draft.kind == "alias")]
    found: set[str] = set()
    for group in components(names, edges):
        if cycle(group, edges):
            found.update(group)
    return frozenset(found.intersection(names))


def opaque_names(types: Types, recursive: frozenset[str]) -> frozenset[str]:
    """Return the recursive aliases that accept every JSON value.

    All that accept a string, any number, both booleans and null are candidates. Those whose arrays or maps hold less than a
    candidate are removed, until nothing changes.
    """
    assumed = {
        name for name in recursive if name in types.aliases and _accepts_scalars(types.aliases[name], types.aliases)
    }
    while True:
        failed = {name for name in assumed if not _accepts_containers(types, types.aliases[name], assumed)}
        if not failed:
            return frozenset(assumed)
        assumed -= failed


def _accepts_scalars(kind: Type, aliases: Mapping[str, Type]) -> bool:
    scalars = {leaf.kind for leaf in leaves(kind, aliases) if isinstance(leaf, Scalar)}
    return scalars >= {"string", "float", "boolean", "null"}


def _accepts_containers(types: Types, kind: Type, assumed: set[str]) -> bool:
    arrays = objects = False
    for leaf in leaves(kind, types.aliases):
        if isinstance(leaf, ListOf):
            arrays = arrays or _is_any(types, leaf.element, assumed)
        elif isinstance(leaf, ObjectOf) and leaf.path in types.drafts:
            shape = types.drafts[leaf.path].shape
            objects = objects or (
                not shape.slots and any(_is_any(types, types.of_index(index), assumed) for index in shape.index)
            )
        elif isinstance(leaf, Scalar):
            objects = objects or leaf.kind == "object"
    return arrays and objects


def _is_any(types: Types, kind: Type, assumed: set[str]) -> bool:
    while isinstance(kind, AliasOf) and kind.name not in assumed:
        kind = types.aliases[kind.name]
    return isinstance(kind, AliasOf) or (isinstance(kind, Scalar) and kind.kind == "json")


def _types_in(types: Types, draft: Draft) -> Iterator[Type]:
    for slot in draft.shape.slots.values():
        for written in slot.candidates:
            yield types.of(written)
    for index in draft.shape.index:
        yield types.of_index(index)
