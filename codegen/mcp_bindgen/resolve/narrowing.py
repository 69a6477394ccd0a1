"""Comparison of types: whether every value of one is a value of another."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mcp_bindgen.ir.protocol import Enum, ListOf, ObjectOf, ObjectType, Scalar, Type
from mcp_bindgen.resolve.settle import kind_of, leaves

MAX_NESTED = 40
"""Levels of nested objects that are compared; objects nested deeper count as different."""


class Comparison:
    """Comparisons among the types of one scope. ``look_up`` returns an object, or None while it is not known yet.

    Each pair is compared once. A pair may match on the assumption that an outer pair, still being compared, matches; if the
    outer pair turns out not to match, all matches found since then are discarded.
    """

    def __init__(self, aliases: Mapping[str, Type], look_up: Callable[[str], ObjectType | None]) -> None:
        self._aliases = aliases
        self._look_up = look_up
        self._matching: dict[tuple[Type, Type], None] = {}
        self._different: set[tuple[Type, Type]] = set()
        self._nested = 0
        self._provisional = False
        self.too_deep = False
        """Whether the last comparison reached objects that are nested too deep."""

    def within(self, one: Type, other: Type) -> bool:
        """Return whether each value of ``one`` is a value of ``other``."""
        if one == other or (one, other) in self._matching:
            return True  # Or nothing so far speaks against it, and the rest is being compared.
        if (one, other) in self._different:
            return False
        if self._nested == 0:
            self.too_deep = False
        elif self._nested == MAX_NESTED:
            self._provisional = self.too_deep = True
            return False
        assumed = len(self._matching)
        self._matching[one, other] = None
        self._nested += 1
        wide = list(leaves(other, self._aliases))
        result = all(any(self._fits(leaf, each) for each in wide) for leaf in leaves(one, self._aliases))
        self._nested -= 1
        if not result:
            while len(self._matching) > assumed:
                self._matching.popitem()
            self._different.add((one, other))
        if self._nested == 0 and self._provisional:
            # A difference may be that of an object which was not known yet.
            self._provisional = False
            self._different.clear()
        return result

    def same(self, one: Type, other: Type) -> bool:
        """Return whether two types have the same values."""
        return self.within(one, other) and self.within(other, one)

    def _fits(self, one: Type, other: Type) -> bool:
        if one == other or _is_json(other):
            return True
        if _is_json(one) or kind_of(one) != kind_of(other):
            return False
        match one, other:
            case _, Scalar():
                fits = other.kind != "integer" or not _has_fractions(one)
            case Enum(), Enum():
                fits = other.open or (not one.open and all(_among(value, other.values) for value in one.values))
            case ListOf(), ListOf():
                fits = self.within(one.element, other.element)
            case ObjectOf(), ObjectOf():
                fits = self._object(one.path, other.path)
            case Scalar(), Enum():
                fits = other.open
            case _:
                fits = False
        return fits

    def _object(self, one: str, other: str) -> bool:
        narrow, wide = self._look_up(one), self._look_up(other)
        if narrow is None or wide is None:
            self._provisional = True
            return False
        return self._fields(narrow, wide)

    def _fields(self, narrow: ObjectType, wide: ObjectType) -> bool:
        own = {each.name: each for each in narrow.fields}
        for each in wide.fields:
            mine = own.pop(each.name, None)
            if mine is None:
                if not each.optional:
                    return False
            elif (mine.optional and not each.optional) or not self.within(mine.type, each.type):
                return False
        if wide.index is None:
            return True
        index = wide.index
        values = [each.type for each in own.values()]
        if narrow.index is not None:
            values.append(narrow.index)
        return all(self.within(value, index) for value in values)


def _is_json(kind: Type) -> bool:
    return isinstance(kind, Scalar) and kind.kind == "json"


def _has_fractions(kind: Type) -> bool:
    if isinstance(kind, Enum):
        return any(isinstance(value, float) for value in kind.values)
    return isinstance(kind, Scalar) and kind.kind == "float"


def _among(value: str | float, values: tuple[str | float, ...]) -> bool:
    return any(value == each and isinstance(value, bool) == isinstance(each, bool) for each in values)
