"""Whole messages of a resolved protocol: requests, notifications, results, errors, and batches of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random

from attrs import field, frozen
from hypothesis import strategies as st
from mcp_bindgen.ir.protocol import Method, ObjectOf, Protocol
from strategies.values import Case, Json, Path, Values, at_random
from support.message_oracle import MessageOracle, Side

IDS: tuple[str | int, ...] = (7, "7", 0, "", "é😀", -1, 2**70)


@frozen
class Message:
    """The JSON of a text, with the information that its receiver has."""

    value: Json
    sender: Side | None = None
    results: dict[str | int, str] = field(factory=dict)
    """Ids of open requests, with the names of their methods."""
    focus: Path = ()
    """Path of the special part of the message, which a change may make invalid."""

    @property
    def case(self) -> Case:
        return Case(self.value, self.focus)


class Messages:
    """Valid messages of one protocol."""

    def __init__(self, protocol: Protocol) -> None:
        self._protocol = protocol
        self._oracle = MessageOracle(protocol)
        self._values = Values(protocol)
        self._generic = ("JSONRPCRequest", "JSONRPCNotification", self._oracle.response, self._oracle.error)

    def cases(self) -> Iterator[Message]:
        """Yield small messages that together contain every member, alternative and literal of every method and result."""
        for method in self._protocol.methods.values():
            if not method.embedded:
                for case in self._values.cases(method.interface):
                    yield Message(case.value, None, {}, case.focus)
                yield Message(self._values.least(ObjectOf(method.interface)), method.sent_by[0])
            yield from self._responses(method)
        for name in self._generic:
            yield from (Message(case.value, None, {}, case.focus) for case in self._values.cases(name))
        if self._oracle.batches:
            yield from self._batches()

    def _responses(self, method: Method) -> Iterator[Message]:
        for number, case in enumerate(self._values.results(method)):
            id_ = IDS[number % len(IDS)]
            # What is special about it is in the result; every seventh is looked at as a whole.
            focus = ("result", *case.focus) if number % 7 else ()
            response = {"jsonrpc": "2.0", "id": id_, "result": case.value}
            yield Message(response, None, {id_: method.name}, focus)

    def _batches(self) -> Iterator[Message]:
        least = [self._values.least(ObjectOf(method.interface)) for method in self._protocol.methods.values()]
        generic = [self._values.least(ObjectOf(name)) for name in self._generic]
        yield Message(least)
        yield Message([*generic, {"jsonrpc": "2.0", "id": "b", "result": {"tools": []}}], None, {"b": "tools/list"})
        yield from (Message([each]) for each in generic)

    def drawn(self, random: Random, depth: int = 4) -> Message:
        """Draw a random message."""
        if self._oracle.batches and random.randint(0, 5) == 0:
            several = [self._one(random, depth - 1, place) for place in range(random.randint(1, 3))]
            results = {key: name for each in several for key, name in each.results.items()}
            return Message([each.value for each in several], None, results)
        return self._one(random, depth, None)

    def _one(self, random: Random, depth: int, place: int | None) -> Message:
        method = random.choice(list(self._protocol.methods.values()))
        if method.result is not None and random.randint(0, 1):
            id_ = random.choice(IDS) if place is None else f"call {place}"
            result = self._values.drawn(method.result, random, depth)
            return Message({"id": id_, "result": result, "jsonrpc": "2.0"}, None, {id_: method.name})
        if method.embedded or random.randint(0, 3) == 0:
            return Message(self._values.drawn(ObjectOf(random.choice(self._generic)), random, depth))
        value = self._values.drawn(ObjectOf(method.interface), random, depth)
        return Message(value, random.choice([None, *method.sent_by]))


def messages(protocol: Protocol) -> st.SearchStrategy[Message]:
    """Return a strategy for valid messages of any size."""
    return at_random(Messages(protocol).drawn)


def text_of(value: Json, random: Random) -> str | bytes:
    """Draw a JSON text of a value, in one of the styles of people and programs."""
    written = json.dumps(
        value,
        ensure_ascii=random.random() < 0.5,
        indent=random.choice([None, None, 1, "\t"]),
        separators=random.choice([None, (",", ":"), (" , ", " : "), (",\r\n", ":")]),
    )
    blank = random.choice(["", "", " ", "\n", "\r\n\t"])
    text = f"{blank}{written}{blank}"
    return text.encode() if random.random() < 0.5 else text
