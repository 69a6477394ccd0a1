"""The kinds of messages that peers of two revisions exchange: what one of them sends, and the other one expects of it.

A request that travels inside other messages in one of the two revisions is none: whoever has it as a message of its own
does not look for it there, and the reverse.
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from mcp_bindgen.diff.sides import OTHER
from mcp_bindgen.ir.protocol import Method, ObjectOf, Protocol, Side, Type


@frozen
class MessageKind:
    """A kind of message."""

    sent: Type
    """What its sender takes it for: a whole message, or the result in a response."""
    read: Type
    """What its receiver takes it for."""
    method: str | None = None
    """What it is a message of, or the result for; None for the answer to a request that failed."""
    is_result: bool = False


def message_kinds(sending: Protocol, receiving: Protocol, side: Side) -> Iterator[MessageKind]:
    """What a side that has one revision sends to a peer that has the other."""
    for name, method in sending.methods.items():
        other = receiving.methods.get(name)
        if other is None or other.kind != method.kind:
            continue
        if is_sent(method, side) and is_sent(other, side):
            yield MessageKind(ObjectOf(method.interface), ObjectOf(other.interface), name)
        answered = is_sent(method, OTHER[side]) and is_sent(other, OTHER[side])
        if answered and method.result is not None and other.result is not None:
            yield MessageKind(method.result, other.result, name, is_result=True)
    sent, read = _error(sending), _error(receiving)
    if sent is not None and read is not None and _sends_requests(receiving, OTHER[side]):
        yield MessageKind(ObjectOf(sent), ObjectOf(read))


def is_sent(method: Method | None, side: Side) -> bool:
    """Whether a side sends a message of its own for a method."""
    return method is not None and side in method.sent_by and not method.embedded


def _sends_requests(protocol: Protocol, side: Side) -> bool:
    """Whether a side sends any request; one that its peer does not know is answered too, by an error."""
    return any(method.kind == "request" and is_sent(method, side) for method in protocol.methods.values())


def _error(protocol: Protocol) -> str | None:
    """What the answer to a request that failed is called."""
    return next((name for name in ("JSONRPCErrorResponse", "JSONRPCError") if name in protocol.objects), None)
