"""Senders: for each type of a protocol the sides that send it and the methods whose messages contain it.

Params have the sender of their method, a result has the other side. A request embedded in a result has the sender of that
result, and its answer in the next params has the other side. The side that answers requests sends responses and errors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from mcp_bindgen.describe.usage import Usage
from mcp_bindgen.diff.alternatives import alternatives
from mcp_bindgen.ir.protocol import OTHER_SIDE, AliasOf, ObjectOf, Protocol, Side, Type
from mcp_bindgen.ir.walk import parts

_BOTH: frozenset[Side] = frozenset({"client", "server"})

_REQUESTS = frozenset({"Request", "JSONRPCRequest"})
_NOTIFICATIONS = frozenset({"Notification", "JSONRPCNotification"})
_RESPONSES = frozenset({"JSONRPCResponse", "JSONRPCResultResponse", "JSONRPCError", "JSONRPCErrorResponse"})
SUMMARY_UNIONS: Mapping[str, Side] = {
    **dict.fromkeys(["ClientRequest", "ClientNotification", "ClientResult", "InputResponse"], "client"),
    **dict.fromkeys(["ServerRequest", "ServerNotification", "ServerResult", "InputRequest"], "server"),
}
"""Unions of all messages of a side, which state its senders."""

PAYLOAD = frozenset({"params", "result"})
"""Members of an envelope whose contents depend on the method."""


class Senders:
    """Senders in one protocol. In a schema without methods either side may send anything."""

    def __init__(self, protocol: Protocol) -> None:
        self._protocol = protocol
        self._usage = Usage(protocol)
        self._sides: dict[str, frozenset[Side]] = {}
        self._methods: dict[str, tuple[str, ...]] = {}
        self.envelopes: dict[str, frozenset[Side]] = {}
        """Types that surround messages of every method, with the sides that send them."""
        self._spread_out: dict[str, set[Side]] = {}
        self._find_envelopes()
        for path, sides in self.envelopes.items():
            self._spread(path, sides)

    def sides(self, name: str) -> frozenset[Side]:
        """Return the sides that send messages with a type, by the name of an alias or the path of an object."""
        if not self._protocol.methods:
            return _BOTH
        if name in SUMMARY_UNIONS:
            return frozenset({SUMMARY_UNIONS[name]})
        if name not in self._sides:
            # An alias may refer to itself.
            self._sides[name] = frozenset()
            self._sides[name] = self._found(name)
        return self._sides[name]

    def is_summary(self, name: str) -> bool:
        """Return whether a name is that of an alias in no message, which only lists messages or parts of them."""
        return name in self._protocol.aliases and not self._inside_messages(name)

    def methods(self, name: str) -> tuple[str, ...]:
        """Return the methods whose messages contain a type, in source order."""
        found = {occurrence.method for occurrence in self._usage.messages(name)}
        return tuple(method for method in self._protocol.methods if method in found)

    def _found(self, name: str) -> frozenset[Side]:
        if not self.is_summary(name):
            return frozenset(self._inside_messages(name))
        # Its members have senders of their own.
        leaves = alternatives(AliasOf(name), self._protocol.aliases)
        inside = [*leaves.objects, *(each for one in leaves.lists for each in _named(one.element))]
        return frozenset(side for each in inside if each != name for side in self.sides(each))

    def _inside_messages(self, name: str) -> set[Side]:
        found = set(self._spread_out.get(name, ()))
        for occurrence in self._usage.messages(name):
            found.update(occurrence.sent_by)
        return found

    def _find_envelopes(self) -> None:
        protocol = self._protocol
        requests = [method for method in protocol.methods.values() if method.kind == "request" and not method.embedded]
        others = [method for method in protocol.methods.values() if method.kind == "notification"]
        requesters = frozenset[Side]().union(*(method.sent_by for method in requests))
        notifiers = frozenset[Side]().union(*(method.sent_by for method in others))
        responders: frozenset[Side] = frozenset(OTHER_SIDE[side] for side in requesters)
        for path, declared in protocol.objects.items():
            if path in _REQUESTS:
                self.envelopes[path] = requesters
            elif path in _NOTIFICATIONS:
                self.envelopes[path] = notifiers
            elif {path, *declared.bases} & _RESPONSES:
                self.envelopes[path] = responders
        for method in requests:
            response = f"{method.interface.removesuffix('Request')}ResultResponse"
            if response in protocol.objects:
                self.envelopes[response] = frozenset(OTHER_SIDE[side] for side in method.sent_by)

    def _spread(self, start: str, sides: Iterable[Side]) -> None:
        waiting = [start]
        seen: set[str] = set()
        while waiting:
            name = waiting.pop()
            if name not in seen:
                seen.add(name)
                self._spread_out.setdefault(name, set()).update(sides)
                waiting.extend(self._inside(name, payload=name != start))

    def _inside(self, name: str, *, payload: bool) -> Iterator[str]:
        declared = self._protocol.objects.get(name)
        if declared is None:
            yield from _named(self._protocol.aliases[name].type)
            return
        for member in declared.fields:
            if payload or member.name not in PAYLOAD:
                yield from _named(member.type)
        if declared.index is not None:
            yield from _named(declared.index)


def _named(kind: Type) -> Iterator[str]:
    """Yield the types that a type refers to."""
    for part in parts(kind):
        if isinstance(part, ObjectOf):
            yield part.path
        elif isinstance(part, AliasOf):
            yield part.name
