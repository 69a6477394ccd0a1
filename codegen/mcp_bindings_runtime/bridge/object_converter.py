"""Conversion of the objects of one revision into those of another, attribute by attribute, without JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, NamedTuple, TypeAlias

from ..codec.checks import FAULTS, opaque
from ..errors import EncodeError

Convert: TypeAlias = Callable[[Any], Any]
"""Returns a value in the target, or raises one of ``UNCONVERTED``."""


class NeedsSteps(Exception):
    """The value differs between the revisions or is not valid: only the steps convert it, or say why they cannot."""


UNCONVERTED = (NeedsSteps, EncodeError, *FAULTS)
"""The exceptions for values that the steps have to convert."""


class ObjectPlan(NamedTuple):
    """The conversion of the objects of a class whose attributes have values of certain classes."""

    conversions: Sequence[tuple[int, Convert]]
    """The places of the values that are not passed on as they are, and what to do with them."""
    constants: Mapping[str, Any]
    """Values of the attributes that only the target has."""


class ObjectConverter:
    """Converts the objects of one class.

    The classes of an object's values decide what has to be done, so that is planned once for each combination of them.
    ``names`` are attributes of the target and ``read`` those of the source in the same order, then those that only the
    source has. ``plan`` returns the plan for such values, or raises `NeedsSteps`.
    """

    __slots__ = ("_names", "_plan", "_plans", "_read", "_target")

    def __init__(
        self, target: Any, names: Sequence[str], read: Sequence[str], plan: Callable[[tuple[Any, ...]], ObjectPlan]
    ) -> None:
        self._target = target
        self._names = names
        # With a single name it would not return a tuple.
        self._read = attrgetter(*read, "__class__")
        self._plan = plan
        self._plans: dict[tuple[type, ...], ObjectPlan] = {}

    def __call__(self, value: Any) -> Any:
        """Return the object of the target."""
        values: Any = self._read(value)
        classes = tuple(map(type, values))
        plan = self._plans.get(classes)
        if plan is None:
            plan = self._plans[classes] = self._planned(values)
        conversions, constants = plan
        if conversions:
            values = [*values]
            for place, convert in conversions:
                values[place] = convert(values[place])
        return self._target(**dict(zip(self._names, values, strict=False)), **constants)

    def _planned(self, values: tuple[Any, ...]) -> ObjectPlan:
        try:
            return self._plan(values)
        except NeedsSteps:
            return ObjectPlan(((0, refuse),), {})


class TagSwitch:
    """Converts the objects of a class by the value of an attribute, which tells the members of a union apart."""

    __slots__ = ("_attribute", "_by_tag")

    def __init__(self, attribute: str, by_tag: Mapping[Any, Convert]) -> None:
        self._attribute = attribute
        self._by_tag = by_tag

    def __call__(self, value: Any) -> Any:
        """Return the value in the target."""
        return self._by_tag[getattr(value, self._attribute)](value)


class ByValueClass(dict[type, Convert]):
    """Functions by the class of their argument, made on first use; ``make`` returns None for values that stay."""

    def __init__(self, make: Callable[[type], Convert | None]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, cls: type) -> Convert:
        try:
            made = self._make(cls) or unchanged
        except NeedsSteps:
            made = refuse
        self[cls] = made
        return made


def refuse(value: Any) -> Any:
    """Leave a value to the steps."""
    raise NeedsSteps


def unchanged(value: Any) -> Any:
    """Return the value."""
    return value


def always(value: Any) -> Convert:
    """Return a function that returns a value."""
    return lambda _: value


def absent_without(attributes: Sequence[str]) -> Convert:
    """Return the function for an object that is absent in the target if it has none of these attributes."""

    def convert(value: Any) -> None:
        if value is not None and any(getattr(value, name) is not None for name in attributes):
            raise NeedsSteps

    return convert


def json_value(value: Any) -> Any:
    """Return a JSON value; raise ``Invalid`` if it is not one."""
    opaque(value)
    return value


def one_of(literals: Iterable[Any]) -> Convert:
    """Return a function that returns its argument if that is one of the literals."""
    allowed = frozenset(literals)

    def check(value: Any) -> Any:
        if value not in allowed:
            raise NeedsSteps
        return value

    return check


def replacing(pairs: Sequence[tuple[str, str]]) -> Convert:
    """Return a function that replaces the first of each pair by the second, one pair after the other."""

    def convert(value: Any) -> Any:
        for old, new in pairs:
            if value == old:
                value = new
        return value

    return convert


def elements(by_class: ByValueClass) -> Convert:
    """Return the function for lists whose elements are converted by their classes."""
    return lambda values: [by_class[value.__class__](value) for value in values]


def entries(by_class: ByValueClass) -> Convert:
    """Return the function for dicts whose values are converted by their classes."""

    def convert(values: Any) -> Any:
        if not all(key.__class__ is str for key in values):
            raise NeedsSteps
        return {key: by_class[value.__class__](value) for key, value in values.items()}

    return convert


def undeclared_members(declared: frozenset[str]) -> Convert:
    """Return the function for members that neither revision declares; ``declared`` are those that either knows."""

    def convert(extra: Any) -> Any:
        if not extra:
            return None
        if not declared.isdisjoint(extra):
            raise NeedsSteps
        opaque(extra)
        return dict(extra)

    return convert
