"""Valid JSON values of the types of a resolved protocol, independent of emitted code.

``cases`` varies one member of a type at a time, so it is complete and small. ``drawn`` combines members at random, for
any schema, and ``values`` is its strategy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any, TypeAlias, TypeVar

from attrs import frozen
from hypothesis import reject
from hypothesis import strategies as st
from mcp_bindgen.ir.decisions import Undecidable
from mcp_bindgen.ir.protocol import (
    AliasOf,
    Constraints,
    Enum,
    Field,
    ListOf,
    Method,
    ObjectOf,
    ObjectType,
    Protocol,
    Scalar,
    Type,
    Union,
)
from strategies.random_text import EXAMPLES, drawn_text
from support.oracle import Oracle

T = TypeVar("T")
Json: TypeAlias = Any
Path: TypeAlias = tuple[str | int, ...]

UNDECLARED = ("x-unknown", "extra", "", "日本", "a b", "mime_type", "__class__", "Ω/~1", "self", "zz", "0")
"""Keys of opaque objects, and keys that no type declares; some are names of attributes."""
STRANGE = ("é", "e\u0301", "\u0000", "א\u202e", "😀", "\u2028", "\uffff", '"\\')
"""More of these keys; the first two look the same."""

URIS = ("file:///tmp/a", "https://example.com/x?y=1#z", "data:text/plain,hi")
TEMPLATES = ("file:///{path}", "", "https://example.com/{+x,y*}{?z:3}")
BASE64 = ("aGk=", "", "AAECAw==")
INTEGERS = (1, 0, -7, 2**53 + 1, 2**64, -(10**30))
FLOATS = (0.5, 1, -2.5e-10, 1.0, 1e300, 0, -(2**70), -0.0, 5e-324)
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
    {key: [place] for place, key in enumerate(STRANGE)},
)

FREE = Constraints()
"""No constraints."""

DEEPEST = -4
"""Additional depth allowed for values whose required members need it."""


TRIES = 12
"""Number of tries for each member of a union, because its random value may match another member or none."""


class NoValueError(Exception):
    """Raised if a type has no value of the requested depth: it contains itself, or its members are undecidable."""


@frozen
class Case:
    """A valid value of a type; ``focus`` is the path of its special part, which a change may make invalid."""

    value: Json
    focus: Path = ()


_NOWHERE: Path = ("nowhere",)
"""Focus of a case whose every part is valid."""


class Values:
    """Valid values of the types of one protocol."""

    def __init__(self, protocol: Protocol) -> None:
        self._protocol = protocol
        self._oracle = Oracle(protocol)

    def type(self, name: str) -> Type:
        """Return the type with a declared name."""
        return ObjectOf(name) if name in self._protocol.objects else AliasOf(name)

    # --- One member at a time: for types that do not contain themselves ------------------------------------------

    def cases(self, name: str) -> Iterator[Case]:
        """Yield small values that together contain every member, alternative and literal of a declared type."""
        kind = self.type(name)
        if isinstance(kind, ObjectOf):
            yield from self._object_cases(self._protocol.objects[name])
        else:
            yield from (Case(value) for value in self._each(kind))

    def results(self, method: Method) -> Iterator[Case]:
        """Yield such values for every possible result of a request."""
        for kind in method.results:
            assert isinstance(kind, ObjectOf | AliasOf)
            for case in self.cases(kind.path if isinstance(kind, ObjectOf) else kind.name):
                # Alone it may say that it is something else than as the result of this request.
                if method.result is not None and self._oracle.accepts(method.result, case.value):
                    yield case

    def _object_cases(self, declared: ObjectType) -> Iterator[Case]:
        """Yield the smallest and the fullest object, each member in each form, unknown keys, and tolerated absence."""
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
        yield from (key for key in (*UNDECLARED, *STRANGE) if key not in known)

    def _each(self, kind: Type, constraints: Constraints = FREE) -> Iterator[Json]:
        """Yield every form of a type once; for a named object, which has cases of its own, three."""
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
        """Return the value with the fewest members."""
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
        """Return a value with every member down to a depth, and the smallest values below."""
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

    # --- At random: for all types --------------------------------------------------------------------------------

    def drawn(self, kind: Type, random: Random, depth: int = 4, constraints: Constraints = FREE) -> Json:
        """Draw a random value of a depth, or deeper if necessary; raise NoValueError if there is none."""
        if depth < DEEPEST:
            raise NoValueError
        match kind:
            case Scalar(kind="json" | "object"):
                return drawn_json(random, depth - 1, as_object=kind.kind == "object")
            case Scalar():
                if kind.kind == "string" and constraints.format is None and random.randint(0, 1):
                    return drawn_text(random)
                return random.choice(list(_examples(kind, constraints)))
            case Enum():
                return random.choice([*kind.values, *(["something-else"] if kind.open else [])])
            case ListOf():
                return self._drawn_list(kind.element, random, depth, constraints.max_items or 3)
            case AliasOf():
                return self.drawn(self._protocol.aliases[kind.name].type, random, depth, constraints)
            case Union():
                return self._drawn_member(kind, random, depth, constraints)
            case ObjectOf():
                return self._drawn_object(self._protocol.objects[kind.path], random, depth)

    def _drawn_list(self, element: Type, random: Random, depth: int, most: int) -> list[Json]:
        count = random.randint(0, min(3, most)) if depth > 0 else 0
        try:
            return [self.drawn(element, random, depth - 1) for _ in range(count)]
        except NoValueError:
            return []

    def _drawn_member(self, kind: Union, random: Random, depth: int, constraints: Constraints) -> Json:
        if isinstance(kind.decision, Undecidable):
            raise NoValueError
        possible = random.sample(range(len(kind.members)), len(kind.members))
        for place in possible * TRIES:
            if place in possible:
                try:
                    value = self.drawn(kind.members[place], random, depth, constraints)
                except NoValueError:
                    possible.remove(place)
                    continue
                if self._oracle.member(kind, value) == place:
                    return value
        raise NoValueError

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
    """Return a strategy for valid values of a declared type, of any size."""
    made = Values(protocol)
    return at_random(lambda random: made.drawn(made.type(name), random))


def at_random(draw: Callable[[Random], T]) -> st.SearchStrategy[T]:
    """Return a strategy of values that depend on choices of hypothesis, which can shrink them."""

    def drawn(random: Random) -> T:
        try:
            return draw(random)
        except NoValueError:
            reject()

    return st.randoms(use_true_random=False).map(drawn)


def _examples(kind: Scalar, constraints: Constraints) -> Iterator[Json]:
    """Yield representative values of a scalar, the plainest first."""
    formats = {"uri": URIS, "uri-template": TEMPLATES, "byte": BASE64}
    found: Mapping[str, tuple[Json, ...]] = {
        "string": formats.get(constraints.format or "", EXAMPLES),
        "integer": INTEGERS,
        "float": FLOATS,
        "boolean": (True, False),
        "null": (None,),
        "json": ANYTHING,
        "object": tuple(each for each in ANYTHING if type(each) is dict),
    }
    if kind.kind in {"integer", "float"}:
        # Decoding does not look at bounds: where they leave no room, any number will do.
        yield from [value for value in found[kind.kind] if _is_within(constraints, value)] or found[kind.kind]
    else:
        yield from found[kind.kind]


def _is_within(constraints: Constraints, value: float) -> bool:
    too_small = constraints.minimum is not None and value < constraints.minimum
    return not too_small and (constraints.maximum is None or value <= constraints.maximum)


def drawn_json(random: Random, depth: int, *, as_object: bool = False) -> Json:
    """Draw any JSON value, or any object."""
    shape = "object" if as_object else random.choice(["scalar", "array", "object"])
    if shape == "scalar" or (depth <= 0 and not as_object):
        scalars = [each for each in ANYTHING if type(each) not in {list, dict}]
        return random.choice([*scalars, *INTEGERS, *FLOATS, drawn_text(random)])
    count = random.randint(0, 3) if depth > 0 else 0
    items = [drawn_json(random, depth - 1) for _ in range(count)]
    if shape == "array":
        return items
    keys = [*random.sample((*UNDECLARED, *STRANGE, "type", "method", "_meta", "jsonrpc", "id"), count)]
    if count and random.randint(0, 3) == 0:
        keys[0] = drawn_text(random)
    return dict(zip(keys, items, strict=True))
