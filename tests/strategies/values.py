"""JSON values made from a resolved protocol, not from the code emitted from it: valid ones, and ones with a fault.

``cases`` goes through a type one member at a time, and so is complete and small; ``values`` is the strategy that
combines at random. A fault is put in without looking at the type: whether what comes out is still valid, as something
else perhaps, is for judges to say.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any, TypeAlias

from attrs import frozen
from hypothesis import strategies as st
from mcp_bindgen.ir.decisions import ByFirst, ByKey, ByKind, ByNested, ByTag, Decision
from mcp_bindgen.ir.protocol import (
    AliasOf,
    Constraints,
    Enum,
    Field,
    ListOf,
    ObjectOf,
    ObjectType,
    Protocol,
    Scalar,
    Type,
    Union,
)
from mcp_bindgen.ir.walk import parts
from support.oracle import Oracle

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Json: TypeAlias = Any
Path: TypeAlias = tuple[str | int, ...]

UNDECLARED = ("x-unknown", "extra", "", "日本", "a b", "mime_type", "__class__", "Ω/~1", "self", "zz", "0")
"""Keys of opaque objects, and keys that no type declares; some have the names of attributes."""

TEXTS = ("text", "", "é\u0000\u2028日本😀", "null", "1", " a\n'\"\\")
URIS = ("file:///tmp/a", "https://example.com/x?y=1#z", "data:text/plain,hi")
TEMPLATES = ("file:///{path}", "", "https://example.com/{+x,y*}{?z:3}")
BASE64 = ("aGk=", "", "AAECAw==")
INTEGERS = (1, 0, -7, 2**53 + 1, 2**64, -(10**30))
FLOATS = (0.5, 1, -2.5e-10, 1.0, 1e300, 0, -(2**70))
ANYTHING: tuple[Json, ...] = (
    {"zz": [None, {"a b": 1.0, "": {}}], "x-unknown": -0.5, "0": "é"},
    None,
    True,
    0,
    1e300,
    2**70,
    "",
    [],
    {},
    [[], [None], {"self": False}],
)

FREE = Constraints()
"""No constraints."""


@frozen
class Case:
    """A valid value of a type. What is special about it, and may be wrong, is under ``focus``."""

    value: Json
    focus: Path = ()


_NOWHERE: Path = ("nowhere",)
"""The focus where whatever is there is right."""


class Values:
    """Valid values of the types of one protocol."""

    def __init__(self, protocol: Protocol) -> None:
        self._protocol = protocol
        self._oracle = Oracle(protocol)

    def type(self, name: str) -> Type:
        """The type with a declared name."""
        return ObjectOf(name) if name in self._protocol.objects else AliasOf(name)

    def cases(self, name: str) -> Iterator[Case]:
        """Small values that together show every member, alternative and literal of a declared type."""
        kind = self.type(name)
        if isinstance(kind, ObjectOf):
            yield from self._object_cases(self._protocol.objects[name])
        else:
            yield from (Case(value) for value in self._each(kind))

    def _object_cases(self, declared: ObjectType) -> Iterator[Case]:
        """The least, the most, each member in each of its forms, unknown keys, and tolerated absence."""
        least = self._least_object(declared)
        yield Case(least)
        if not declared.is_map:
            yield Case(self._full_object(declared, 2))
        for field in declared.fields:
            for value in self._each(field.type, field.constraints):
                if field.optional or value != least.get(field.name):
                    yield Case({**least, field.name: value}, (field.name,))
            if field.absence_tolerated:
                yield Case({key: least[key] for key in least if key != field.name})
        rest = dict(zip(self._unknown(declared), self._rest(declared), strict=False))
        anything = declared.index is None or declared.index == Scalar("json", "unknown")
        yield from (Case({**least, key: rest[key]}, _NOWHERE if anything else (key,)) for key in rest)
        yield Case({**rest, **least}, _NOWHERE)

    def _rest(self, declared: ObjectType) -> Iterator[Json]:
        yield from ANYTHING if declared.index is None else self._each(declared.index)

    def _unknown(self, declared: ObjectType) -> Iterator[str]:
        known = {field.name for field in declared.fields}
        yield from (key for key in UNDECLARED if key not in known)

    def _each(self, kind: Type, constraints: Constraints = FREE) -> Iterator[Json]:
        """Every form of a type, once; of a named object, which has cases of its own, three."""
        match kind:
            case Scalar():
                yield from _examples(kind, constraints)
            case Enum():
                yield from kind.values
                if kind.open:
                    yield "something-else"
            case ListOf():
                yield []
                each = list(self._each(kind.element))
                yield from ([one] for one in each)
                yield each[: constraints.max_items or len(each)]
            case AliasOf():
                yield from self._each(self._protocol.aliases[kind.name].type, constraints)
            case Union():
                for member in kind.members:
                    yield from (one for one in self._each(member, constraints) if self._oracle.accepts(kind, one))
            case ObjectOf():
                declared = self._protocol.objects[kind.path]
                if declared.kind == "inline" or declared.is_map:
                    yield from (case.value for case in self._object_cases(declared))
                else:
                    least = self._least_object(declared)
                    yield from (least, self._full_object(declared, 1), {**least, "x-unknown": None})

    def least(self, kind: Type, constraints: Constraints = FREE) -> Json:
        """The value with the fewest members."""
        match kind:
            case ListOf():
                return []
            case AliasOf():
                return self.least(self._protocol.aliases[kind.name].type, constraints)
            case Union():
                options = (self.least(member, constraints) for member in kind.members)
                return next(one for one in options if self._oracle.accepts(kind, one))
            case ObjectOf():
                return self._least_object(self._protocol.objects[kind.path])
            case _:
                return next(self._each(kind, constraints))

    def _least_object(self, declared: ObjectType) -> dict[str, Json]:
        return {field.name: self._least_member(field) for field in declared.fields if not field.optional}

    def _least_member(self, field: Field) -> Json:
        return self.least(field.type, field.constraints) if field.default is None else field.default

    def _full(self, kind: Type, constraints: Constraints, depth: int) -> Json:
        """A value with every member, as deep as that; below, the least."""
        match kind:
            case ListOf() if depth:
                return [self._full(kind.element, FREE, depth)]
            case AliasOf():
                return self._full(self._protocol.aliases[kind.name].type, constraints, depth)
            case Union():
                options = (self._full(member, constraints, depth) for member in kind.members[::-1])
                return next(one for one in options if self._oracle.accepts(kind, one))
            case ObjectOf() if depth:
                return self._full_object(self._protocol.objects[kind.path], depth - 1)
            case _:
                return self.least(kind, constraints)

    def _full_object(self, declared: ObjectType, depth: int) -> dict[str, Json]:
        value = {
            field.name: self._full(field.type, field.constraints, depth) if field.default is None else field.default
            for field in declared.fields
        }
        if declared.index is not None:
            value["x-unknown"] = self._full(declared.index, FREE, depth)
        return value

    def drawn(self, kind: Type, random: Random, depth: int = 4, constraints: Constraints = FREE) -> Json:
        """A value put together at random, at most so deep."""
        match kind:
            case Scalar(kind="json" | "object"):
                return _drawn_json(random, depth - 1, kind.kind == "object")
            case Scalar():
                if kind.kind == "string" and constraints.format is None and random.randint(0, 1):
                    return "".join(random.choice("aZ0 -_/é\u0000日😀") for _ in range(random.randint(0, 9)))
                return random.choice(list(_examples(kind, constraints)))
            case Enum():
                return random.choice([*kind.values, *(["something-else"] if kind.open else [])])
            case ListOf():
                count = random.randint(0, min(3, constraints.max_items or 3)) if depth > 0 else 0
                return [self.drawn(kind.element, random, depth - 1) for _ in range(count)]
            case AliasOf():
                return self.drawn(self._protocol.aliases[kind.name].type, random, depth, constraints)
            case Union():
                value = self.drawn(random.choice(kind.members), random, depth, constraints)
                return value if self._oracle.accepts(kind, value) else self.least(kind, constraints)
            case ObjectOf():
                return self._drawn_object(self._protocol.objects[kind.path], random, depth)

    def _drawn_object(self, declared: ObjectType, random: Random, depth: int) -> dict[str, Json]:
        value: dict[str, Json] = {}
        for field in declared.fields:
            wanted = not field.optional or (depth > 0 and random.randint(0, 1))
            if field.absence_tolerated:
                wanted = random.randint(0, 3) > 0
            if wanted:
                value[field.name] = self.drawn(field.type, random, depth - 1, field.constraints)
        unknown = list(self._unknown(declared))
        for _ in range(random.randint(0, 2) if depth > 0 else 0):
            key = random.choice(unknown)
            value[key] = self.drawn(declared.index or Scalar("json", "unknown"), random, depth - 1)
        keys = list(value)
        random.shuffle(keys)
        return {key: value[key] for key in keys}


def values(protocol: Protocol, name: str) -> st.SearchStrategy[Json]:
    """Valid values of a declared type, and of whatever size."""
    made = Values(protocol)
    return st.randoms(use_true_random=False).map(lambda random: made.drawn(made.type(name), random))


def _examples(kind: Scalar, constraints: Constraints) -> Iterator[Json]:
    """Values of a scalar that stand for all; the first is the plainest."""
    formats = {"uri": URIS, "uri-template": TEMPLATES, "byte": BASE64}
    found: Mapping[str, tuple[Json, ...]] = {
        "string": formats.get(constraints.format or "", TEXTS),
        "integer": INTEGERS,
        "float": FLOATS,
        "boolean": (True, False),
        "null": (None,),
        "json": ANYTHING,
        "object": tuple(each for each in ANYTHING if type(each) is dict),
    }
    for value in found[kind.kind]:
        too_small = constraints.minimum is not None and value < constraints.minimum
        if not too_small and not (constraints.maximum is not None and value > constraints.maximum):
            yield value


def _drawn_json(random: Random, depth: int, as_object: bool) -> Json:
    shape = "object" if as_object else random.choice(["scalar", "array", "object"])
    if shape == "scalar" or (depth <= 0 and not as_object):
        return random.choice([each for each in ANYTHING if type(each) not in {list, dict}])
    count = random.randint(0, 3) if depth > 0 else 0
    items = [_drawn_json(random, depth - 1, False) for _ in range(count)]
    return items if shape == "array" else dict(zip(random.sample(UNDECLARED, count), items, strict=True))


# --- Faults ------------------------------------------------------------------------------------------------------


@frozen
class Change:
    """One thing to do to a value at a place in it: drop it, or put something there."""

    path: Path
    drop: bool = False
    put: Json = None

    def __str__(self) -> str:
        where = "".join(f"[{key!r}]" for key in self.path) or "the whole"
        return f"without {where}" if self.drop else f"with {self.put!r} at {where}"

    def applied(self, value: Json) -> Json:
        """The changed value; the parts that stay as they are, are shared."""
        return self._applied(value, self.path)

    def _applied(self, value: Json, path: Path) -> Json:
        if not path:
            return self.put
        key, *below = path
        made = value.copy()
        if self.drop and not below:
            del made[key]
        elif type(made) is list and key == len(made):
            made.append(self.put)
        else:
            made[key] = self._applied(made[key] if key in made or type(made) is list else None, tuple(below))
        return made


OTHERS: tuple[Json, ...] = (None, True, 7, 0.5, "other", [], {})
"""One of each kind; of numbers, two."""


class Faults:
    """Changes of the values of one protocol."""

    def __init__(self, protocol: Protocol) -> None:
        objects = protocol.objects.values()
        self._names = sorted({field.name for declared in objects for field in declared.fields})
        enums = (part for declared in objects for field in declared.fields for part in parts(field.type))
        self._literals = sorted({str(value) for each in enums if isinstance(each, Enum) for value in each.values})
        self._marks = frozenset(_marks(protocol))

    def of(self, case: Case, random: Random) -> Iterator[Change]:
        """One member or element dropped, replaced, wrapped, or added, at each place under the focus of a case."""
        for path, value in _places(case.value):
            if path[: len(case.focus)] != case.focus:
                continue
            if path and isinstance(path[-1], str):
                yield Change(path, drop=True)
            yield from (Change(path, put=other) for other in OTHERS if not _alike(value, other))
            yield Change(path, put=[value])
            if type(value) is str:
                yield Change(path, put=random.choice(self._literals))
            if type(value) is int and abs(value) < 2**1000:
                yield Change(path, put=float(value))
            if type(value) is dict:
                yield from self._added(path, value, [random.choice(self._names)], random)
            if type(value) is list and value:
                yield Change((*path, len(value)), put=random.choice(OTHERS))

    def marks(self, case: Case, random: Random) -> Iterator[Change]:
        """A key that says which member of a union an object is, added to what may be another member: often a wrong one."""
        for path, value in _places(case.value):
            if path[: len(case.focus)] == case.focus and type(value) is dict:
                fitting = {key for required, keys in self._marks if required <= value.keys() for key in keys}
                yield from self._added(path, value, sorted(fitting), random)

    def _added(self, path: Path, value: dict[str, Json], names: list[str], random: Random) -> Iterator[Change]:
        for name in names:
            if name not in value:
                yield Change((*path, name), put=random.choice(OTHERS))
                yield Change((*path, name), put=random.choice(self._literals))


def _marks(protocol: Protocol) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """For each member of each union of objects, the keys that it requires, and those that the union is decided by."""
    kinds = [alias.type for alias in protocol.aliases.values()]
    kinds += [field.type for declared in protocol.objects.values() for field in declared.fields]
    waiting = [(part.members, part.decision) for kind in kinds for part in parts(kind) if isinstance(part, Union)]
    while waiting:
        members, decision = waiting.pop()
        paths = [member.path for member in members if isinstance(member, ObjectOf)]
        keys: set[str] = set()
        inner: list[Decision | None] = [decision]
        while inner:
            match inner.pop():
                case ByTag(key, branches, absent):
                    keys.add(key)
                    inner += [absent, *(branch for _, branch in branches)]
                case ByKey(key, present, absent):
                    keys.add(key)
                    inner += [present, absent]
                case ByKind(branches):
                    inner += [branch for _, branch in branches]
                case ByFirst(first, _):
                    inner.append(first)
                case ByNested(key, below):
                    keys.add(key)
                    fields = [field for path in paths for field in protocol.objects[path].fields if field.name == key]
                    waiting.append((tuple(field.type for field in fields), below))
        for path in paths:
            required = frozenset(field.name for field in protocol.objects[path].fields if not field.optional)
            yield required, frozenset(keys)


def _places(value: Json, path: Path = ()) -> Iterator[tuple[Path, Json]]:
    """A value and all values in it, with their paths."""
    yield path, value
    if type(value) is dict:
        for key, item in value.items():
            yield from _places(item, (*path, key))
    elif type(value) is list:
        for index, item in enumerate(value):
            yield from _places(item, (*path, index))


def _alike(one: Json, other: Json) -> bool:
    return type(one) is type(other) and one == other
