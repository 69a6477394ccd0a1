"""Which capabilities are true or false, where the others are objects."""

from __future__ import annotations

from mcp_bindgen.emit.prerequisites import object_of
from mcp_bindgen.ir.protocol import Protocol, Scalar, Type

_DECLARED = ("ClientCapabilities", "ServerCapabilities")


def switches(protocol: Protocol) -> list[str]:
    """Dotted paths of the capabilities that methods need and that are booleans, sorted."""
    needed = {method.capability for method in protocol.methods.values() if method.capability is not None}
    return sorted(path for path in needed if any(_is_boolean(protocol, name, path) for name in _DECLARED))


def _is_boolean(protocol: Protocol, capabilities: str, path: str) -> bool:
    declared = protocol.objects.get(capabilities)
    kind: Type | None = None
    for part in path.split("."):
        members = {} if declared is None else {member.name: member.type for member in declared.fields}
        kind = members.get(part)
        declared = object_of(protocol, kind)
    return isinstance(kind, Scalar) and kind.kind == "boolean"
