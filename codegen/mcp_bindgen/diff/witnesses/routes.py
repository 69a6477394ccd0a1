"""Routes to types in the messages of one side: the shortest ones that the other revision reads too."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from functools import cached_property
from typing import TypeAlias

from attrs import evolve, field, frozen
from mcp_bindings_runtime.codec.type_tables import Path

from mcp_bindgen.describe.canonical import schema_type
from mcp_bindgen.diff.message_kinds import message_kinds
from mcp_bindgen.diff.witnesses.message_checker import Json, MessageChecker
from mcp_bindgen.diff.witnesses.value_generator import ValueGenerator
from mcp_bindgen.ir.protocol import AliasOf, ListOf, ObjectOf, Protocol, Scalar, Side, Type, Union

Stop: TypeAlias = tuple[str | None, str | int]
"""An object and a member of it, or None and the index of an element."""

MAX_STOPS = 40
"""Maximum length of a route; deeper types are in no small message."""

KEY = "a"
"""The key of a member of a map."""


@frozen
class Start:
    """A message that a side of one revision sends and the other revision expects."""

    sent: Type
    read: Type
    below: Path = ()
    """The path in the message where the types begin: the result in a response."""
    answers: str | None = None
    """The method that a response answers."""
    id: Json = field(default=1, hash=False)
    """The id of a response."""

    def message(self, value: Json) -> Json:
        """Return the whole message around a value of the sent type."""
        if self.below:
            return {"jsonrpc": "2.0", "id": self.id, "result": value}
        return with_envelope_first(value) if value.__class__ is dict else value


@frozen
class Route:
    """A route from the start of a message to a type in it."""

    start: Start
    stops: tuple[Stop, ...]
    sent: Type
    """The sender's type."""
    read: tuple[Type, ...]
    """The types that the receiver may read it as."""

    @property
    def path(self) -> Path:
        """The keys and indexes from the start."""
        return tuple(key for _, key in self.stops)

    def names(self) -> set[str]:
        """Return the names of the type on either side."""
        return {name for each in (self.sent, *self.read) for name in _name(each)}

    def filled(self, generator: ValueGenerator, value: Json) -> Json:
        """Return the smallest start with a value at the end of the route; raise NoValueError if there is none."""
        for path, key in reversed(self.stops):
            value = [value] if path is None else {**generator.smallest(ObjectOf(path)), key: value}
        return value


def with_envelope_first(message: dict[str, Json]) -> dict[str, Json]:
    """Return a message with ``jsonrpc`` and ``id`` first."""
    first = [name for name in ("jsonrpc", "id") if name in message]
    return {name: message[name] for name in [*first, *message]}


def starts(sending: Protocol, receiving: Protocol, side: Side) -> Iterator[Start]:
    """Yield the messages that a side of one revision sends and its peer of the other revision expects."""
    generator = ValueGenerator(receiving, receiving.revision)
    for each in message_kinds(sending, receiving, side):
        if each.method is None or not each.is_result:
            yield Start(each.sent, each.read)
            continue
        request = ObjectOf(receiving.methods[each.method].interface)
        for request_value in generator.smallest_values(request):
            yield Start(each.sent, each.read, ("result",), each.method, request_value.get("id", 1))


def routes(sending: Protocol, receiving: Protocol, start: Start) -> Iterator[Route]:
    """Yield the shortest routes to all types in a message, one for each set of types as which the receiver reads it."""
    waiting = deque([Route(start, (), start.sent, _expanded(start.read, receiving))])
    seen: set[tuple[Type, tuple[Type, ...]]] = set()
    while waiting:
        here = waiting.popleft()
        if not here.read or len(here.stops) > MAX_STOPS or (here.sent, here.read) in seen:
            continue
        seen.add((here.sent, here.read))
        yield here
        match here.sent:
            case AliasOf():
                waiting.append(evolve(here, sent=sending.aliases[here.sent.name].type))
            case Union():
                waiting.extend(evolve(here, sent=part) for part in here.sent.written)
            case ListOf():
                read = tuple(
                    part
                    for each in here.read
                    if isinstance(each, ListOf)
                    for part in _expanded(each.element, receiving)
                )
                waiting.append(Route(start, (*here.stops, (None, 0)), here.sent.element, read))
            case ObjectOf():
                waiting.extend(_inside(sending, receiving, here, here.sent.path))
            case _:
                pass


def _inside(sending: Protocol, receiving: Protocol, here: Route, path: str) -> Iterator[Route]:
    declared = sending.objects[path]
    objects = [each.path for each in here.read if isinstance(each, ObjectOf)]
    candidates = [receiving.objects[each] for each in ([path] if path in objects else objects)]
    members: list[tuple[str, Type]] = [(each.name, schema_type(each)) for each in declared.fields]
    if declared.index is not None:
        members.append((KEY, declared.index))
    for key, kind in members:
        read: dict[Type, None] = {}
        for each in candidates:
            member = next((one for one in each.fields if one.name == key), None)
            there = each.index if member is None else schema_type(member)
            if there is not None:
                read.update(dict.fromkeys(_expanded(there, receiving)))
        yield Route(here.start, (*here.stops, (path, key)), kind, tuple(read))


def _expanded(kind: Type, protocol: Protocol) -> tuple[Type, ...]:
    """Return a type with its aliases and alternatives; nothing for any JSON, whose contents are not read."""
    found: dict[Type, None] = {}
    waiting = [kind]
    while waiting:
        part = waiting.pop()
        if part in found:
            continue
        if isinstance(part, AliasOf):
            waiting.append(protocol.aliases[part.name].type)
        elif isinstance(part, Union):
            waiting.extend(part.written[::-1])
            continue
        elif isinstance(part, Scalar) and part.kind in {"json", "object"}:
            continue
        found[part] = None
    return tuple(found)


def _name(kind: Type) -> Iterator[str]:
    if isinstance(kind, ObjectOf):
        yield kind.path
    elif isinstance(kind, AliasOf):
        yield kind.name


class Direction:
    """A side of one revision as the sender, and the other side of the other revision as the receiver."""

    def __init__(self, side: Side, sending: Protocol, receiving: Protocol) -> None:
        self.side: Side = side
        self.sending, self.receiving = sending, receiving
        self.sender, self.receiver = MessageChecker(sending, sending=True), MessageChecker(receiving)
        self.generator, self.receiving_generator = (
            ValueGenerator(each, sending.revision) for each in (sending, receiving)
        )

    @cached_property
    def starts(self) -> list[Start]:
        """The messages that the receiver expects of the sender."""
        return list(starts(self.sending, self.receiving, self.side))

    @cached_property
    def routes(self) -> dict[str, list[Route]]:
        """The routes to each type, by its names in both revisions."""
        found: dict[str, list[Route]] = {}
        for start in self.starts:
            for route in routes(self.sending, self.receiving, start):
                for name in route.names():
                    found.setdefault(name, []).append(route)
        return found
