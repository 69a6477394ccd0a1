"""Decisions between objects of different types.

Tried in this order:

1. An override that names the key and what its value means.
2. A tag: a key that every member declares, with literals, and at most one member as optional. The key that makes the
   most groups; a group of several members is decided by what follows.
3. A key that some members require and the others do not declare. First a key of the member declared first, so that
   this one is taken where an object has the keys of several. Better one that splits off the first members in the order
   of the source; better one that is no literal, since a mark such as ``type`` is soon added to the other member too.
4. One member that extends another by optional keys: it declares each property of the others with the same type and
   optionality, its own properties are optional, and both share a tag with the same literals, which marks them as two
   forms of one thing. It is chosen if one of its own keys is present, else one of the others.
5. An object under a key that every member requires: the same steps there.

Maps and ``object`` itself may hold any key, so they are decided only if no other member is left.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from attrs import frozen

from mcp_bindgen.ir.decisions import ByKey, ByNested, ByTag, Decision, Member
from mcp_bindgen.ir.protocol import Enum, Field, ObjectOf, ObjectType, Type
from mcp_bindgen.resolve import overrides
from mcp_bindgen.resolve.narrowing import Comparison
from mcp_bindgen.resolve.overrides import Applied
from mcp_bindgen.resolve.settle import leaves

MAX_SPLITS = 64
"""Maximum depth of the tree of a union; one that needs more has no tag."""

MAX_QUESTIONS = 1000
"""Maximum number of nodes of the tree of a union."""

MAX_NESTED = 3
"""Levels of nested objects by which a union is decided."""


@frozen
class Candidate:
    """A type that the value may have: a member of the union, or an object inside one."""

    index: int
    type: Type


class UndecidedError(Exception):
    """Raised for two members of a union that cannot be distinguished."""

    def __init__(self, one: Type, other: Type, *, too_many: int = 0) -> None:
        super().__init__(one, other)
        self.one = one
        self.other = other
        self.too_many = too_many
        """The limit that was reached, if more nodes could distinguish them."""

    @classmethod
    def among(cls, group: list[Candidate], *, too_many: int = 0) -> UndecidedError:
        """Return the error for the first two members of a group."""
        other = next(each.type for each in group if each.index != group[0].index)
        return cls(group[0].type, other, too_many=too_many)


Groups: TypeAlias = list[tuple[str | int | bool, list[Candidate]]]
"""The literals of a tag, each with the members that have it."""


@frozen
class _Seen:
    """The tags on the path of the tree so far, and its number of nodes."""

    tags: frozenset[str] = frozenset()
    splits: int = 0
    nested: int = 0


class ObjectUnions:
    """Decisions among the objects of one protocol."""

    def __init__(
        self,
        objects: Mapping[str, ObjectType],
        aliases: Mapping[str, Type],
        comparison: Comparison,
        applied: Applied,
    ) -> None:
        self._objects = objects
        self._aliases = aliases
        self._comparison = comparison
        self._applied = applied
        self._by_name: dict[str, dict[str, Field]] = {}
        self._questions = 0

    def decide(self, group: list[Candidate]) -> Decision:
        """Return the decision for values known to be objects; raise ``UndecidedError``."""
        self._questions = 0
        return self._decide(group, _Seen())

    def _decide(self, group: list[Candidate], seen: _Seen) -> Decision:
        if len(owners(group)) == 1:
            return Member(group[0].index)
        self._questions += 1
        for count, most in ((seen.splits, MAX_SPLITS), (self._questions, MAX_QUESTIONS)):
            if count > most:
                raise UndecidedError.among(group, too_many=most)
        for question in (self._overridden, self._tag, self._key, self._superset, self._nested):
            decision = question(group, _Seen(seen.tags, seen.splits + 1, seen.nested))
            if decision is not None:
                return decision
        raise UndecidedError.among(group)

    def _overridden(self, group: list[Candidate], seen: _Seen) -> Decision | None:
        for entry in self._applied.all(overrides.Discriminator):
            meant = [each for each in group if each.type == ObjectOf(entry.member)]
            others = [each for each in group if each not in meant]
            if meant and others and all(entry.key in self._fields(each) for each in group):
                self._applied.use(entry)
                rest = self._decide(others, seen)
                branches = ((entry.otherwise, rest), (entry.value, Member(meant[0].index)))
                return ByTag(entry.key, branches, absent=rest)
        return None

    def _tag(self, group: list[Candidate], seen: _Seen) -> Decision | None:
        best: tuple[int, str, Groups] | None = None
        for name in self._fields(group[0]):
            if name in seen.tags:
                continue
            groups = self._groups(name, group)
            count = len({tuple(members) for _, members in groups}) if groups else 0
            if groups and count > 1 and (best is None or count > best[0]):
                best = count, name, groups
        if best is None:
            return None
        _, name, groups = best
        below = _Seen(seen.tags | {name}, seen.splits, seen.nested)
        made: dict[tuple[Candidate, ...], Decision] = {}
        for _, members in groups:
            if tuple(members) not in made:
                made[tuple(members)] = self._decide(members, below)
        absent = [each for each in group if self._fields(each)[name].optional]
        branches = tuple((value, made[tuple(members)]) for value, members in groups)
        return ByTag(name, branches, Member(absent[0].index) if absent else None)

    def _groups(self, name: str, group: list[Candidate]) -> Groups | None:
        """Return the members for each literal of a tag; None if the key is not a tag of all of them."""
        # By type too, since 1 == True in Python.
        groups: dict[tuple[type, object], tuple[str | int | bool, list[Candidate]]] = {}
        optional = 0
        for each in group:
            values = self._literals(self._fields(each).get(name))
            if values is None:
                return None
            optional += self._fields(each)[name].optional
            for value in values:
                groups.setdefault((type(value), value), (value, []))[1].append(each)
        return list(groups.values()) if optional <= 1 else None

    def _key(self, group: list[Candidate], seen: _Seen) -> Decision | None:
        best: tuple[tuple[bool, bool, bool], str] | None = None
        places = self._splitting(group)
        for each in group:
            for field in self._fields(each).values():
                if field.optional or field.name not in places:
                    continue
                requiring = places[field.name]
                literal = self._literals(field) is not None
                rank = requiring[0] > 0, requiring[-1] >= len(requiring), literal
                if best is None or rank < best[0]:
                    best = rank, field.name
            if best is not None and not best[0][0] and each is group[0]:
                break
        if best is None:
            return None
        name = best[1]
        present = [each for each in group if self._requires(each, name)]
        rest = [each for each in group if not self._requires(each, name)]
        return ByKey(name, self._decide(present, seen), self._required(rest, present, seen))

    def _required(self, rest: list[Candidate], others: list[Candidate], seen: _Seen) -> Decision:
        """Return the decision for members without a key; a single one requires its own key."""
        decision = self._decide(rest, seen)
        if len(rest) > 1:
            return decision
        own = [
            field
            for field in self._fields(rest[0]).values()
            if not field.optional and not any(field.name in self._fields(each) for each in others)
        ]
        if not own:
            return decision
        guard = min(own, key=lambda field: self._literals(field) is not None)
        return ByKey(guard.name, decision, None)

    def _superset(self, group: list[Candidate], seen: _Seen) -> Decision | None:
        every = {name for each in group for name in self._fields(each)}
        for wide in group:
            if len(self._fields(wide)) < len(every):
                continue  # It lacks a property of another member.
            others = [each for each in group if each.index != wide.index]
            if not others or not all(self._widens(wide, each) for each in others):
                continue
            declared = {name for each in others for name in self._fields(each)}
            own = [name for name in self._fields(wide) if name not in declared]
            if own:
                decision = self._decide(others, seen)
                for name in own[::-1]:
                    decision = ByKey(name, Member(wide.index), decision)
                return decision
        return None

    def _widens(self, wide: Candidate, narrow: Candidate) -> bool:
        """Return whether one member extends the other by optional keys and shares a literal with it."""
        more, less = self._fields(wide), self._fields(narrow)
        marked = False
        for name, field in less.items():
            mine = more.get(name)
            if mine is None or mine.optional != field.optional or not self._comparison.same(mine.type, field.type):
                return False
            marked = marked or (not field.optional and self._literals(field) is not None)
        return marked and all(field.optional for name, field in more.items() if name not in less)

    def _nested(self, group: list[Candidate], seen: _Seen) -> Decision | None:
        if seen.nested >= MAX_NESTED:
            return None
        for name, field in self._fields(group[0]).items():
            if field.optional or not all(self._requires(each, name) for each in group):
                continue
            inner = [
                Candidate(each.index, leaf)
                for each in group
                for leaf in leaves(self._fields(each)[name].type, self._aliases)
            ]
            if all(isinstance(each.type, ObjectOf) for each in inner):
                try:
                    decision = self._decide(
                        list(dict.fromkeys(inner)), _Seen(frozenset(), seen.splits, seen.nested + 1)
                    )
                except UndecidedError:
                    if self._questions > MAX_QUESTIONS:
                        raise
                    continue
                return ByNested(name, decision)
        return None

    def _splitting(self, group: list[Candidate]) -> dict[str, list[int]]:
        """Return the keys that some members require and the others do not declare, each with the indices of the former.

        A member that may have any key must be among those that require it.
        """
        requiring: dict[str, list[int]] = {}
        optional: set[str] = set()
        maps: list[int] = []
        for place, each in enumerate(group):
            if self._is_map(each):
                maps.append(place)
            for name, field in self._fields(each).items():
                if field.optional:
                    optional.add(name)
                else:
                    requiring.setdefault(name, []).append(place)
        return {
            name: places
            for name, places in requiring.items()
            if name not in optional and len(places) < len(group) and set(maps) <= set(places)
        }

    def _requires(self, candidate: Candidate, name: str) -> bool:
        field = self._fields(candidate).get(name)
        return field is not None and not field.optional

    def _is_map(self, candidate: Candidate) -> bool:
        return not isinstance(candidate.type, ObjectOf) or self._objects[candidate.type.path].is_map

    def _fields(self, candidate: Candidate) -> Mapping[str, Field]:
        if not isinstance(candidate.type, ObjectOf):
            return {}
        path = candidate.type.path
        if path not in self._by_name:
            self._by_name[path] = {field.name: field for field in self._objects[path].fields}
        return self._by_name[path]

    def _literals(self, field: Field | None) -> tuple[str | int | bool, ...] | None:
        """Return the values of a field whose type is literals only."""
        if field is None:
            return None
        values: list[str | int | bool] = []
        for leaf in leaves(field.type, self._aliases):
            if not isinstance(leaf, Enum) or leaf.open or any(isinstance(value, float) for value in leaf.values):
                return None
            values.extend(value for value in leaf.values if not isinstance(value, float))
        return tuple({(type(value), value): value for value in values}.values())


def owners(group: Iterable[Candidate]) -> set[int]:
    """Return the members of the union that a group belongs to."""
    return {each.index for each in group}
