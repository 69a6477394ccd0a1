"""Expected decoding of a whole message and its violations, according to the model and JSON-RPC 2.0."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from attrs import frozen
from mcp_bindgen.ir.protocol import ListOf, Method, ObjectOf, Protocol, Type, Union
from support import error_texts
from support.oracle import Json, Oracle, Path, Violation

Side = Literal["client", "server"]
Results = Mapping[str | int, str]
"""Ids of open requests, with the names of their methods."""


@frozen
class Reading:
    """The expected reading of one message."""

    path: Path
    """Path of the message in its text; empty except in a batch."""
    kind: str | None
    """Path of its object type; None if it is none of the four kinds of messages."""
    result: Type | None
    """Type of the result, for the response to a known request."""
    violations: tuple[Violation, ...]


class MessageOracle:
    """Reads whole messages of one protocol."""

    def __init__(self, protocol: Protocol) -> None:
        self.protocol = protocol
        self.oracle = Oracle(protocol)
        late = "JSONRPCResultResponse" in protocol.objects
        self.response = "JSONRPCResultResponse" if late else "JSONRPCResponse"
        self.error = "JSONRPCErrorResponse" if late else "JSONRPCError"
        message = protocol.aliases["JSONRPCMessage"].type
        assert isinstance(message, Union)
        self.batches = any(isinstance(self._spelled(member), ListOf) for member in message.members)

    def _spelled(self, kind: Type) -> Type:
        name = getattr(kind, "name", None)
        return kind if name is None else self._spelled(self.protocol.aliases[name].type)

    def violations(self, value: Json, sender: Side | None = None, results: Results | None = None) -> list[Violation]:
        """Return all violations in a text, in the order in which they are reported."""
        if type(value) is list and self.batches and not value:
            return [Violation((), "an empty array", "at least one message", ())]
        return [each for reading in self.read(value, sender, results) for each in reading.violations]

    def read(self, value: Json, sender: Side | None = None, results: Results | None = None) -> list[Reading]:
        """Return the readings of all messages in a text."""
        if type(value) is list and self.batches:
            return [self._message(each, (place,), sender, results or {}) for place, each in enumerate(value)]
        return [self._message(value, (), sender, results or {})]

    def _message(self, value: Json, path: Path, sender: Side | None, results: Results) -> Reading:
        if type(value) is not dict:
            return self._refused(path, error_texts.found(value), "an object", path)
        if "method" in value:
            return self._call(value, path, sender)
        if "result" in value and "error" in value:
            return self._refused(path, "both result and error", "one of them", path)
        if "error" in value:
            return self._object(self.error, value, path)
        if "result" in value:
            return self._response(value, path, results)
        return self._refused(path, "neither method nor result nor error", "one of them", path)

    def _refused(self, where: Path, found: str, expected: str, message: Path) -> Reading:
        return Reading(message, None, None, (Violation(where, found, expected, message),))

    def _call(self, value: dict[str, Json], path: Path, sender: Side | None) -> Reading:
        method, kind = value["method"], "request" if "id" in value else "notification"
        if type(method) is not str:
            return self._refused((*path, "method"), error_texts.found(method), "a string", path)
        known = self.method(method, sender)
        if known is None:
            return self._object("JSONRPCRequest" if kind == "request" else "JSONRPCNotification", value, path)
        if known.kind == kind:
            return self._object(known.interface, value, path)
        found, expected = ("nothing", "an id") if known.kind == "request" else (error_texts.found(value["id"]), "no id")
        return self._refused((*path, "id"), found, f"{expected}, as {method} is a {known.kind}", path)

    def method(self, name: str, sender: Side | None = None) -> Method | None:
        """Return the method of a message that this side may send; None for others."""
        found = self.protocol.methods.get(name)
        if found is None or found.embedded or (sender is not None and sender not in found.sent_by):
            return None
        return found

    def _object(self, kind: str, value: dict[str, Json], path: Path) -> Reading:
        return Reading(path, kind, None, tuple(self.oracle.violations(ObjectOf(kind), value, path)))

    def _response(self, value: dict[str, Json], path: Path, results: Results) -> Reading:
        answered = results.get(value["id"]) if type(value.get("id")) in {str, int} else None
        kind = None if answered is None else self.protocol.methods[answered].result
        return Reading(path, self.response, kind, tuple(self._wrong_in_response(value, path, kind)))

    def _wrong_in_response(self, value: dict[str, Json], path: Path, kind: Type | None) -> Iterator[Violation]:
        for each in self.oracle.violations(ObjectOf(self.response), value, path):
            # What is no result at all is no result of that kind either; it is told once.
            if kind is None or (*path, "result") != each.path[: len(path) + 1]:
                yield each
        if kind is not None:
            yield from self.oracle.violations(kind, value["result"], (*path, "result"))
