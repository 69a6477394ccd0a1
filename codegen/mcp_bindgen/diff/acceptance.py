"""Decide whether a receiver of one revision accepts every value that a type of the other revision allows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from mcp_bindgen.describe.canonical import literal, schema_type
from mcp_bindgen.diff.alternatives import Alternatives, alternatives
from mcp_bindgen.diff.type_matches import TypeMatches
from mcp_bindgen.ir.protocol import AliasOf, ObjectType, Protocol, Type

MAX_DEPTH = 100
"""Maximum nesting of objects and arrays that is compared; deeper types count as different."""


class Acceptance:
    """Answers for two revisions.

    Matched types accept each other's values: their differences are reported where they are declared.
    """

    def __init__(self, old: Protocol, new: Protocol, matches: TypeMatches) -> None:
        self._forward = _OneWay(old, new, matches.are_matched)
        self._backward = _OneWay(new, old, lambda one, other: matches.are_matched(other, one))

    def new_accepts_old(self, old: Type, new: Type) -> bool:
        """Return whether the new type accepts the values of the old one."""
        return self._forward.accepts(old, new)

    def old_accepts_new(self, old: Type, new: Type) -> bool:
        """Return whether the old type accepts the values of the new one."""
        return self._backward.accepts(new, old)

    def one_extends_other(self, old: ObjectType, new: ObjectType) -> bool:
        """Return whether one of two objects has all members of the other and requires no more of them."""
        return self._forward.preserves(old, new) or self._backward.preserves(new, old)

    def rule(self, old: Type, new: Type) -> str:
        """Return the rule for a type that was replaced as a whole."""
        return rule_for(forward=self.new_accepts_old(old, new), backward=self.old_accepts_new(old, new))


def rule_for(*, forward: bool, backward: bool) -> str:
    """Return the rule for a replaced type, by which receiver accepts all values of which sender."""
    if forward:
        return "type-equivalent" if backward else "type-widened"
    return "type-narrowed" if backward else "type-replaced"


_Pair: TypeAlias = tuple[Type, Type] | tuple[str, str]
"""Two types, or the paths of two objects."""


class _OneWay:
    """Comparison in one direction: values of one protocol sent to a receiver of the other."""

    def __init__(self, one: Protocol, other: Protocol, matches: Callable[[str, str], bool]) -> None:
        self._one, self._other = one, other
        self._matches = matches
        self._known: dict[_Pair, bool] = {}
        self._trail: list[_Pair] = []
        self._level = 0

    def accepts(self, one: Type, other: Type) -> bool:
        """Return whether ``other`` accepts all values of ``one``."""
        return self._is_compared_elsewhere(one, other) or self._once((one, other), lambda: self._types(one, other))

    def _once(self, pair: _Pair, find: Callable[[], bool]) -> bool:
        """Return the answer for a pair, computed once; while it is computed it counts as yes."""
        if pair in self._known:
            return self._known[pair]
        if self._level > MAX_DEPTH:
            return False
        mark = len(self._trail)
        self._known[pair] = True
        self._trail.append(pair)
        self._level += 1
        result = find()
        self._level -= 1
        if not result:
            # Answers that assumed this one to be yes have to be computed again.
            for each in self._trail[mark:]:
                del self._known[each]
            del self._trail[mark:]
            self._known[pair] = False
        return result

    def _types(self, one: Type, other: Type) -> bool:
        narrow, wide = alternatives(one, self._one.aliases), alternatives(other, self._other.aliases)
        return wide.json is not None or (narrow.json is None and self._all(narrow, wide))

    def _is_compared_elsewhere(self, one: Type, other: Type) -> bool:
        return isinstance(one, AliasOf) and isinstance(other, AliasOf) and self._matches(one.name, other.name)

    def _all(self, narrow: Alternatives, wide: Alternatives) -> bool:
        return (
            (not narrow.any_string or wide.any_string)
            and all(self._literal(value, wide) for value in narrow.literals.values())
            and all(self._scalar(keyword, wide) for keyword in narrow.scalars)
            and not (narrow.has_fractions and wide.has_fractions is False)
            and all(any(self.accepts(each.element, other.element) for other in wide.lists) for each in narrow.lists)
            and all(self._among(path, wide) for path in narrow.objects)
        )

    def _literal(self, value: str | float, wide: Alternatives) -> bool:
        if literal(value) in wide.literals:
            return True
        if isinstance(value, str):
            return wide.any_string
        if isinstance(value, bool):
            return "boolean" in wide.scalars
        return wide.has_fractions is not None and (wide.has_fractions or isinstance(value, int))

    def _scalar(self, keyword: str, wide: Alternatives) -> bool:
        if keyword in wide.scalars:
            return True
        if keyword == "boolean":
            return {"true", "false"} <= wide.literals.keys()
        return keyword == "object" and any(accepts_any_object(self._other, path) for path in wide.objects)

    def _among(self, path: str, wide: Alternatives) -> bool:
        if "object" in wide.scalars:
            return True
        if any(self._matches(path, other) for other in wide.objects):
            return True
        return any(self._once((path, other), partial(self._objects, path, other)) for other in wide.objects)

    def _objects(self, one: str, other: str) -> bool:
        narrow, wide = self._one.objects[one], self._other.objects[other]
        own = {each.name: each for each in narrow.fields}
        for each in wide.fields:
            mine = own.pop(each.name, None)
            if mine is None:
                if not each.optional:
                    return False
            elif (mine.optional and not each.optional) or not self.accepts(schema_type(mine), schema_type(each)):
                return False
        if wide.index is None:
            return True
        index = wide.index
        values = [schema_type(each) for each in own.values()]
        if narrow.index is not None:
            values.append(narrow.index)
        return all(self.accepts(value, index) for value in values)

    def preserves(self, one: ObjectType, other: ObjectType) -> bool:
        """Return whether ``other`` accepts the values of ``one`` and ignores no part of them."""
        theirs = {each.name: each for each in other.fields}
        mine = {each.name: each for each in one.fields}
        required = {each.name for each in other.fields if not each.optional}
        return (
            bool(required)
            and mine.keys() <= theirs.keys()
            and required == {each.name for each in one.fields if not each.optional}
            and all(self.accepts(schema_type(each), schema_type(theirs[name])) for name, each in mine.items())
        )


def accepts_any_object(protocol: Protocol, path: str) -> bool:
    """Return whether an object type declares nothing about its members."""
    declared = protocol.objects[path]
    index = declared.index
    return not declared.fields and (index is None or alternatives(index, protocol.aliases).json is not None)
