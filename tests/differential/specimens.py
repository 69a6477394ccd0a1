"""Values and messages that are put before the judges, and what the bindings say of them.

They are made from the resolved model: small ones that show every member and alternative of every type, random ones, and
both with one fault. ``MCP_DIFFERENTIAL_SCALE=10`` makes ten times as many of those that are drawn.
"""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from random import Random
from typing import Any

from attrs import frozen
from mcp_bindgen import catalog
from mcp_bindgen.ir.protocol import AliasOf, ObjectOf
from mcp_bindings_runtime.errors import DecodeError
from strategies.faults import Change, Faults
from strategies.messages import Message, Messages
from strategies.values import Case, Values
from support.message_oracle import MessageOracle, Reading
from support.official_schemas import ours
from support.oracle import type_names
from support.packages import package

Json = Any

SCALE = float(os.environ.get("MCP_DIFFERENTIAL_SCALE", "1"))
DRAWN = round(3 * SCALE)
"""Random values of each type."""
CHANGED = round(30 * SCALE)
"""Values of each type with a fault deep inside."""
COMPLETE = 2
"""How deep every fault is tried at every place once."""


@frozen
class Specimen:
    """A value that is tried as a type, and what became of it."""

    type: str
    value: Json
    change: Change | None
    """What was done to a valid value; None: it is valid."""
    made: Any
    refusal: DecodeError | None

    @property
    def accepted(self) -> bool:
        return self.refusal is None

    def __str__(self) -> str:
        verdict = "taken" if self.accepted else f"refused ({self.refusal})"
        return f"{self.type} {verdict}: {self.value!r}" + (f" ({self.change})" if self.change else "")


@frozen
class Bindings:
    """The emitted package of a revision."""

    structure: Callable[[Json, Any], Any]
    unstructure: Callable[[Any], Json]
    types: Any


def bindings(revision: str) -> Bindings:
    package = f"mcp_bindings.{catalog.package_name(revision)}"
    converter = importlib.import_module(f"{package}.converter")
    return Bindings(converter.structure, converter.unstructure, importlib.import_module(f"{package}.types"))


def _cases(revision: str, name: str, random: Random) -> Iterator[tuple[Json, Change | None]]:
    """Valid values, then what one change makes of them: near the top every one, deeper a sample; and every mark."""
    made, faults = Values(ours(revision)), Faults(ours(revision))
    cases = list(made.cases(name))
    cases += [Case(made.drawn(made.type(name), random)) for _ in range(DRAWN)]
    yield from ((case.value, None) for case in cases)
    first_at: dict[tuple[str | int, ...], Case] = {}
    deeper: list[tuple[Case, Change]] = []
    for case in cases:
        for change in faults.of(case, random):
            if len(change.path) <= COMPLETE and first_at.setdefault(change.path, case) is case:
                yield change.applied(case.value), change
            else:
                deeper.append((case, change))
    # In their order, so that what is told first is small.
    for index in sorted(random.sample(range(len(deeper)), min(CHANGED, len(deeper)))):
        case, change = deeper[index]
        yield change.applied(case.value), change
    yield from ((change.applied(case.value), change) for case in cases for change in faults.marks(case, random))


def tried(revision: str, names: Iterable[str], by: Bindings) -> Iterator[Specimen]:
    for name in names:
        kind = getattr(by.types, name)
        for value, change in _cases(revision, name, Random(f"{revision} {name}")):
            try:
                yield Specimen(name, value, change, by.structure(value, kind), None)
            except DecodeError as refusal:
                yield Specimen(name, value, change, None, refusal)


@cache
def specimens(revision: str) -> list[Specimen]:
    """What our converter says of all values of a revision."""
    return list(tried(revision, type_names(ours(revision)), bindings(revision)))


def first(found: Iterable[object], count: int = 5) -> list[str]:
    """The first few, in words."""
    return [str(each) for each, _ in zip(found, range(count), strict=False)]


# --- Whole messages ----------------------------------------------------------------------------------------------

EVERY = max(1, round(20 / SCALE))
"""Of so many changes of messages, one is tried."""


@frozen
class MessageSpecimen:
    """A message that is decoded, and what became of it."""

    message: Message
    """Before it was changed."""
    value: Json
    change: Change | None
    refusal: DecodeError | None

    @property
    def accepted(self) -> bool:
        return self.refusal is None

    def __str__(self) -> str:
        return f"message {'taken' if self.accepted else f'refused ({self.refusal})'}: {self.value!r} ({self.change})"


@cache
def message_specimens(revision: str) -> list[MessageSpecimen]:
    """What our decoder says of messages, and of messages with a fault."""
    return list(_tried_messages(revision))


def _tried_messages(revision: str) -> Iterator[MessageSpecimen]:
    made, faults, random = Messages(ours(revision)), Faults(ours(revision)), Random(f"{revision} messages")
    drawn = [made.drawn(random) for _ in range(round(100 * SCALE))]
    place = 0
    for message in (*made.cases(), *drawn):
        yield _decoded(revision, message, message.value, None)
        for change in faults.of(message.case, random):
            place += 1
            if place % EVERY == 0:
                yield _decoded(revision, message, change.applied(message.value), change)


def _decoded(revision: str, message: Message, value: Json, change: Change | None) -> MessageSpecimen:
    mcp = package(revision)
    try:
        mcp.module.decode(json.dumps(value), sender=message.sender, results=mcp.results(message.results))
    except DecodeError as refusal:
        return MessageSpecimen(message, value, change, refusal)
    return MessageSpecimen(message, value, change, None)


def as_values(revision: str) -> Iterator[Specimen]:
    """The messages as values of the types that they are read as, as far as a schema of types says what they are.

    A message of none of the four kinds has no type; and where a result may be of several, only the request says which.
    """
    oracle = MessageOracle(ours(revision))
    for each in message_specimens(revision):
        readings = oracle.read(each.value, each.message.sender, each.message.results)
        if type(each.value) is dict and len(readings) == 1:
            for name, value in _typed(oracle, readings[0], each):
                yield Specimen(name, value, each.change, None, each.refusal)


def _typed(oracle: MessageOracle, reading: Reading, each: MessageSpecimen) -> Iterator[tuple[str, Json]]:
    if reading.kind is None:
        return
    if reading.result is None:
        yield reading.kind, each.value
    elif oracle.oracle.accepts(ObjectOf(reading.kind), {**each.value, "result": {}}):
        # The envelope is right, so that it is the result that is judged.
        if isinstance(reading.result, ObjectOf):
            yield reading.result.path, each.value["result"]
        elif isinstance(reading.result, AliasOf):
            yield reading.result.name, each.value["result"]
