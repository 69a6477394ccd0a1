"""The JSON-RPC envelopes among the declared types: classes of messages with an unknown method."""

from __future__ import annotations

from attrs import frozen

from mcp_bindgen.ir.protocol import Field, ObjectType, Protocol

_CANDIDATES = {
    "request": ("JSONRPCRequest",),
    "notification": ("JSONRPCNotification",),
    # Before 2025-11-25 JSONRPCResponse is the successful response, from then on the union of both.
    "response": ("JSONRPCResultResponse", "JSONRPCResponse"),
    "error": ("JSONRPCErrorResponse", "JSONRPCError"),
}


@frozen
class Envelopes:
    """Paths of the envelope types; None where the schema does not declare one."""

    request: str | None
    notification: str | None
    response: str | None
    error: str | None

    def paths(self) -> list[str]:
        """Return the paths of the declared envelopes."""
        return [path for path in (self.request, self.notification, self.response, self.error) if path is not None]


def find_envelopes(protocol: Protocol) -> Envelopes:
    """Return the envelopes, found by the names that the revisions use."""
    found = {
        role: next((name for name in names if name in protocol.objects), None) for role, names in _CANDIDATES.items()
    }
    return Envelopes(found["request"], found["notification"], found["response"], found["error"])


def in_wire_order(declared: ObjectType) -> list[Field]:
    """Return the members in the order of the source, but ``jsonrpc`` and ``id`` of a message first."""
    first = ("jsonrpc", "id") if any(member.name == "jsonrpc" for member in declared.fields) else ()
    return sorted(declared.fields, key=lambda member: first.index(member.name) if member.name in first else len(first))
