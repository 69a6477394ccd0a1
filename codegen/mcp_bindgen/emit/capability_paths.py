"""Capabilities that a side may declare, as dotted paths."""

from __future__ import annotations

from collections.abc import Iterator

from mcp_bindgen.emit.prerequisites import object_of
from mcp_bindgen.ir.protocol import ObjectOf, ObjectType, Protocol, Scalar, Side, Type

_DEPTH = 8
"""Limit on the levels of capabilities."""


def capability_paths(protocol: Protocol, side: Side) -> list[str]:
    """Return the sorted paths of all members of a side's capabilities: ``resources``, ``resources.subscribe``."""
    declared = object_of(protocol, ObjectOf(f"{side.capitalize()}Capabilities"))
    return [] if declared is None else sorted(_below(protocol, declared, "", _DEPTH))


def _below(protocol: Protocol, declared: ObjectType, prefix: str, depth: int) -> Iterator[str]:
    for member in declared.fields:
        yield f"{prefix}{member.name}"
        inner = object_of(protocol, member.type)
        if inner is not None and depth:
            yield from _below(protocol, inner, f"{prefix}{member.name}.", depth - 1)


def boolean_capabilities(protocol: Protocol) -> list[str]:
    """Return the sorted paths of the capabilities that methods need and that are booleans, not objects."""
    needed = {method.capability for method in protocol.methods.values() if method.capability is not None}
    return sorted(
        path
        for path in needed
        if any(_is_boolean(protocol, name, path) for name in ("ClientCapabilities", "ServerCapabilities"))
    )


def _is_boolean(protocol: Protocol, capabilities: str, path: str) -> bool:
    declared = protocol.objects.get(capabilities)
    kind: Type | None = None
    for part in path.split("."):
        members = {} if declared is None else {member.name: member.type for member in declared.fields}
        kind = members.get(part)
        declared = object_of(protocol, kind)
    return isinstance(kind, Scalar) and kind.kind == "boolean"
