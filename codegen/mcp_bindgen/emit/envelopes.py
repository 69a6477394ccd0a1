"""Which declared types are the JSON-RPC envelopes: the classes of messages that no method claims."""

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
        """Those that are there."""
        return [path for path in (self.request, self.notification, self.response, self.error) if path is not None]


def find_envelopes(protocol: Protocol) -> Envelopes:
    """The envelopes by the names that the revisions give them."""
    found = {
        role: next((name for name in names if name in protocol.objects), None) for role, names in _CANDIDATES.items()
    }
    return Envelopes(found["request"], found["notification"], found["response"], found["error"])


def in_wire_order(declared: ObjectType) -> list[Field]:
    """The members in the order of the source, but a message starts with its envelope, as people write and read it."""
    first = ("jsonrpc", "id") if any(member.name == "jsonrpc" for member in declared.fields) else ()
    return sorted(declared.fields, key=lambda member: first.index(member.name) if member.name in first else len(first))
