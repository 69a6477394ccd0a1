"""Random JSON values of the types of a protocol, made from its resolved model alone; and values that are nearly so."""

from __future__ import annotations

import copy
from random import Random
from typing import Any, TypeAlias

from mcp_bindgen.ir.decisions import ByFirst, ByKey, ByKind, ByNested, ByTag, Decision, JsonKind, Member, Undecidable
from mcp_bindgen.ir.protocol import AliasOf, Enum, Field, ListOf, ObjectOf, ObjectType, Protocol, Scalar, Type, Union

Json: TypeAlias = Any

STRINGS = ["", "a", "text", "é😀", "\u2028", "1", '"', "null", "x/y~z"]
INTEGERS = [0, 1, -1, 7, 2**53 + 1, -(2**70)]
FLOATS = [0.0, 1.0, -0.5, 1e300, 5e-324]


class NoValueError(Exception):
    """A type has no value of the wanted depth: it needs itself, or nothing tells its members apart."""


class Values:
    """Makes values that a protocol's types have."""

    def __init__(self, protocol: Protocol, random: Random) -> None:
        self._protocol = protocol
        self._random = random

    def of(self, kind: Type, depth: int = 5) -> Json:
        """A value of the type; raises NoValueError."""
        if depth < 0:
            raise NoValueError
        match kind:
            case Scalar():
                return self._scalar(kind)
            case Enum():
                known = self._random.choice(kind.values)
                return self._random.choice([known, *STRINGS]) if kind.open else known
            case ListOf():
                return self._several(kind.element, depth)
            case AliasOf():
                return self.of(self._protocol.aliases[kind.name].type, depth)
            case ObjectOf():
                return self.object(self._protocol.objects[kind.path], depth)
            case Union():
                return self._one_of(kind, depth)

    def object(self, declared: ObjectType, depth: int = 5) -> dict[str, Json]:
        """An object, in which members that need not be there may be missing, and others may be."""
        made: dict[str, Json] = {}
        for member in declared.fields:
            if not self._left_out(member, depth):
                made[member.name] = self.of(member.type, depth - 1)
        rest: Type = Scalar("json", "unknown") if declared.index is None else declared.index
        for place in range(self._random.choice([0, 0, 1, 2]) if depth > 1 else 0):
            made[self._random.choice([f"x-extra/{place}", f"extra {place}"])] = self.of(rest, depth - 1)
        return self._shuffled(made) if self._random.random() < 0.2 else made

    def any(self, depth: int = 2) -> Json:
        """Any JSON value."""
        leaf = self._random.choice([None, True, False, *STRINGS, *INTEGERS, *FLOATS])
        if not depth or self._random.random() < 0.6:
            return leaf
        items = [self.any(depth - 1) for _ in range(self._random.randrange(3))]
        return items if self._random.random() < 0.5 else {self._random.choice(STRINGS): item for item in items}

    def _left_out(self, member: Field, depth: int) -> bool:
        if not member.optional and not member.absence_tolerated:
            return False
        return depth <= 1 or self._random.random() < 0.5

    def _scalar(self, kind: Scalar) -> Json:
        match kind.kind:
            case "string":
                return self._random.choice(STRINGS)
            case "integer":
                return self._random.choice(INTEGERS)
            case "float":
                return self._random.choice([*FLOATS, *INTEGERS])
            case "boolean":
                return self._random.random() < 0.5
            case "null":
                return None
            case "json":
                return self.any()
            case "object":
                return {f"k{place}": self.any() for place in range(self._random.randrange(3))}

    def _several(self, element: Type, depth: int) -> list[Json]:
        count = self._random.choice([0, 1, 1, 2, 3])
        try:
            return [self.of(element, depth - 1) for _ in range(count)]
        except NoValueError:
            return []

    def _one_of(self, kind: Union, depth: int) -> Json:
        if isinstance(kind.decision, Undecidable):
            raise NoValueError
        for place in self._random.sample(range(len(kind.members)), len(kind.members)):
            try:
                value = self.of(kind.members[place], depth)
            except NoValueError:
                continue
            # By chance it may look like another member: what a tag with literals says counts, not who has them.
            if decided(kind.decision, value) == place:
                return value
        raise NoValueError

    def _shuffled(self, made: dict[str, Json]) -> dict[str, Json]:
        return dict(self._random.sample(list(made.items()), len(made)))


def decided(decision: Decision, value: Json) -> int | None:
    """The member that a value is read as, by what ``ir.decisions`` says; None where it is refused."""
    match decision:
        case Member():
            return decision.index
        case ByKind():
            found: Decision | None = dict(decision.branches).get(_KINDS[value.__class__])
        case ByTag() if decision.key not in value:
            found = decision.absent
        case ByTag():
            tag = value[decision.key]
            same = (branch for literal, branch in decision.branches if (literal, type(literal)) == (tag, type(tag)))
            found = next(same, None)
        case ByKey():
            found = decision.present if decision.key in value else decision.absent
        case ByNested():
            return decided(decision.inner, value[decision.key]) if isinstance(value.get(decision.key), dict) else None
        case ByFirst():
            return decided(decision.inner, value[0]) if value else decided(decision.empty, value)
        case Undecidable():
            found = None
    return None if found is None else decided(found, value)


_KINDS: dict[type, JsonKind] = {
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    list: "array",
    dict: "object",
}
_KINDS[type(None)] = "null"


def mutated(value: Json, random: Random) -> Json:
    """The value with one change somewhere: a part gone, added, or replaced by something of another kind."""
    changed = copy.deepcopy(value)
    containers = [each for each in _parts(changed) if isinstance(each, (dict, list))]
    if not containers or random.random() < 0.1:
        return random.choice(_STRANGERS)
    container: Any = random.choice(containers)
    stranger = copy.deepcopy(random.choice(_STRANGERS))
    if not container:
        if isinstance(container, list):
            container.append(stranger)
        else:
            container[random.choice(STRINGS)] = stranger
        return changed
    key: Any = random.choice(list(container)) if isinstance(container, dict) else random.randrange(len(container))
    what = random.random()
    if what < 0.25:
        del container[key]
    elif what < 0.35 and isinstance(container, dict):
        container[f"{key}"], container[f"{key} too"] = stranger, container[key]
    elif what < 0.5:
        container[key] = near(container[key])
    else:
        container[key] = stranger
    return changed


_STRANGERS: list[Json] = [None, True, False, 0, 1, 1.0, 1.5, -3, 2**64, "", "strange", [], [None], ["a", 1], [{}], {}]
_STRANGERS += [{"type": "strange"}, {"a": 1}, [[]], {"": None}]


def near(value: Json) -> Json:
    """Something that a hasty comparison takes for the value."""
    match value:
        case bool():
            return int(value)
        case int():
            return float(value) if abs(value) < 2**53 else str(value)
        case float():
            return str(value)
        case str():
            return f"{value} "
        case list():
            return {str(place): item for place, item in enumerate(value)}
        case dict():
            return list(value.values())
        case _:
            return "null"


def _parts(value: Json) -> list[Json]:
    found = [value]
    for each in found:
        if isinstance(each, dict):
            found.extend(each.values())
        elif isinstance(each, list):
            found.extend(each)
    return found
