"""Faults: random changes of a JSON value, whatever its type.

The changed value may still be valid, perhaps as another type; the oracles decide.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from attrs import frozen
from mcp_bindgen.ir.decisions import ByFirst, ByKey, ByKind, ByNested, ByTag, Decision
from mcp_bindgen.ir.protocol import Enum, ObjectOf, Protocol, Union
from mcp_bindgen.ir.walk import parts
from strategies.values import Case, Json, Path


@frozen
class Change:
    """A change of a value at a place in it: remove it, or put another value there."""

    path: Path
    drop: bool = False
    put: Json = None

    def __str__(self) -> str:
        where = "".join(f"[{key!r}]" for key in self.path) or "the whole"
        return f"without {where}" if self.drop else f"with {self.put!r} at {where}"

    def applied(self, value: Json) -> Json:
        """Return the changed value, which shares its unchanged parts with the original."""
        return self._applied(value, self.path)

    def _applied(self, value: Json, path: Path) -> Json:
        if not path:
            return self.put
        key, *below = path
        made, is_list = value.copy(), type(value) is list
        if self.drop and not below:
            del made[key]
        elif is_list and key == len(made):
            made.append(self.put)
        else:
            made[key] = self._applied(made[key] if is_list or key in made else None, tuple(below))
        return made


OTHERS: tuple[Json, ...] = (None, True, 7, 0.5, "other", [], {})
"""A value of each kind; two of numbers."""


class Faults:
    """Changes of the values of one protocol."""

    def __init__(self, protocol: Protocol) -> None:
        objects = protocol.objects.values()
        self._names = sorted({field.name for declared in objects for field in declared.fields} | {"x"})
        enums = (part for declared in objects for field in declared.fields for part in parts(field.type))
        found = {str(value) for each in enums if isinstance(each, Enum) for value in each.values}
        self._literals = sorted(found | {"other"})
        self._marks = frozenset(_marks(protocol))

    def of(self, case: Case, random: Random) -> Iterator[Change]:
        """Yield changes at each place under a case's focus: a member or element removed, replaced, wrapped or added."""
        for path, value in places(case.value):
            if path[: len(case.focus)] == case.focus:
                yield from self._at(path, value, random)

    def one(self, value: Json, random: Random) -> Change:
        """Draw any one of them."""
        path, part = random.choice(list(places(value)))
        return random.choice(list(self._at(path, part, random)))

    def _at(self, path: Path, value: Json, random: Random) -> Iterator[Change]:
        if path and isinstance(path[-1], str):
            yield Change(path, drop=True)
        yield from (Change(path, put=other) for other in OTHERS if not _alike(value, other))
        yield Change(path, put=[value])
        yield from (Change(path, put=other) for other in near(value))
        if type(value) is str:
            yield Change(path, put=random.choice(self._literals))
        if type(value) is dict:
            yield from self._added(path, value, [random.choice(self._names)], random)
        if type(value) is list and value:
            yield Change((*path, len(value)), put=random.choice(OTHERS))

    def marks(self, case: Case, random: Random) -> Iterator[Change]:
        """Yield changes that add the key of another union member to an object, which often makes it invalid."""
        for path, value in places(case.value):
            if path[: len(case.focus)] == case.focus and type(value) is dict:
                fitting = {key for required, keys in self._marks if required <= value.keys() for key in keys}
                yield from self._added(path, value, sorted(fitting), random)

    def _added(self, path: Path, value: dict[str, Json], names: list[str], random: Random) -> Iterator[Change]:
        for name in names:
            if name not in value:
                yield Change((*path, name), put=random.choice(OTHERS))
                yield Change((*path, name), put=random.choice(self._literals))


def near(value: Json) -> Iterator[Json]:
    """Yield values that a careless comparison or decoder confuses with the value."""
    match value:
        case bool():
            yield int(value)
        case int() if abs(value) < 2**1000:
            yield float(value)
        case float():
            yield str(value)
        case str():
            yield f"{value} "
        case list() if value:
            yield {str(place): item for place, item in enumerate(value)}
        case dict() if value:
            yield list(value.values())
        case _:
            pass


def _marks(protocol: Protocol) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """Yield, for each member of each union of objects, its required keys and the keys that decide the union."""
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
                case _:
                    pass
        for path in paths:
            required = frozenset(field.name for field in protocol.objects[path].fields if not field.optional)
            yield required, frozenset(keys)


def places(value: Json, path: Path = ()) -> Iterator[tuple[Path, Json]]:
    """Yield a value and all values in it, with their paths."""
    yield path, value
    if type(value) is dict:
        for key, item in value.items():
            yield from places(item, (*path, key))
    elif type(value) is list:
        for index, item in enumerate(value):
            yield from places(item, (*path, index))


def _alike(one: Json, other: Json) -> bool:
    return type(one) is type(other) and one == other
