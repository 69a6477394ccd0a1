"""The kinds of messages that peers of two revisions exchange, with the types that sender and receiver use for them.

A request that travels inside other messages in one of the two revisions is not exchanged: the receiver expects it
elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from mcp_bindgen.ir.protocol import OTHER_SIDE, Method, ObjectOf, Protocol, Side, Type


@frozen
class MessageKind:
    """A kind of message."""

    sent: Type
    """The sender's type: of the whole message, or of the result in a response."""
    read: Type
    """The receiver's type."""
    method: str | None = None
    """The method of the message or result; None for an error response."""
    is_result: bool = False


def message_kinds(sending: Protocol, receiving: Protocol, side: Side) -> Iterator[MessageKind]:
    """Yield the messages that a side of one revision sends to a peer of the other."""
    for name, method in sending.methods.items():
        other = receiving.methods.get(name)
        if other is None or other.kind != method.kind:
            continue
        if is_sent(method, side) and is_sent(other, side):
            yield MessageKind(ObjectOf(method.interface), ObjectOf(other.interface), name)
        answered = is_sent(method, OTHER_SIDE[side]) and is_sent(other, OTHER_SIDE[side])
        if answered and method.result is not None and other.result is not None:
            yield MessageKind(method.result, other.result, name, is_result=True)
    sent, read = _error(sending), _error(receiving)
    if sent is not None and read is not None and _sends_requests(receiving, OTHER_SIDE[side]):
        yield MessageKind(ObjectOf(sent), ObjectOf(read))


def is_sent(method: Method | None, side: Side) -> bool:
    """Return whether a side sends messages of their own for a method."""
    return method is not None and side in method.sent_by and not method.embedded


def _sends_requests(protocol: Protocol, side: Side) -> bool:
    """Return whether a side sends any request: even an unknown one is answered, by an error."""
    return any(method.kind == "request" and is_sent(method, side) for method in protocol.methods.values())


def _error(protocol: Protocol) -> str | None:
    """Return the name of the type of error responses."""
    return next((name for name in ("JSONRPCErrorResponse", "JSONRPCError") if name in protocol.objects), None)
