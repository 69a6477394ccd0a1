"""Mismatches: the places where a value differs from its type or schema, in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

from ..codec.error_wording import any_of, describe, json_path

Converter: TypeAlias = Callable[[Any], Any]
Keys: TypeAlias = tuple[str | int, ...]

MAX_MISMATCHES = 20
"""Limit on the mismatches that an error reports for one value."""


class Mismatch(NamedTuple):
    """A place where a value differs from its type, and how."""

    keys: Keys
    text: str
    expected: str = ""
    """The accepted values in words; empty if the value is of the right type, but not accepted."""

    def __str__(self) -> str:
        return f"{json_path(self.keys)}: {self.text}"


class MismatchError(Exception):
    """A value does not match its type; ``mismatches`` are the first ``MAX_MISMATCHES`` places."""

    def __init__(self, mismatches: Sequence[Mismatch]) -> None:
        super().__init__(mismatches)
        self.mismatches = tuple(mismatches[:MAX_MISMATCHES])

    @classmethod
    def of(cls, found: str, expected: str) -> MismatchError:
        """Return the error for a value that differs as a whole."""
        return cls([Mismatch((), f"found {found}, expected {expected}", expected)])

    @classmethod
    def of_json(cls, value: Any, expected: str) -> MismatchError:
        """Return the error for a JSON value that differs as a whole."""
        return cls.of(describe(value), expected)

    def below(self, key: str | int) -> list[Mismatch]:
        """Return the mismatches with paths that begin with ``key``."""
        return [each._replace(keys=(key, *each.keys)) for each in self.mismatches]

    def __str__(self) -> str:
        return "; ".join(map(str, self.mismatches))


def collect(items: Iterable[tuple[str | int, Any, Converter]]) -> list[Mismatch]:
    """Return the mismatches of items, each with its key and converter, up to the limit."""
    found: list[Mismatch] = []
    for key, value, convert in items:
        try:
            convert(value)
        except MismatchError as error:
            found += error.below(key)
        if len(found) >= MAX_MISMATCHES:
            break
    return found


def closest(value: Any, errors: Sequence[MismatchError]) -> MismatchError:
    """Return the error for a value that matches no member of a union: that of the one member of its form, if one is."""
    inside = {each.mismatches: each for each in errors if any(one.keys or not one.expected for one in each.mismatches)}
    if len(inside) == 1:
        return inside.popitem()[1]
    expected = [one.expected for each in errors for one in each.mismatches if not one.keys and one.expected]
    return MismatchError.of_json(
        value, any_of([*expected, *(["an object or array of another form"] if inside else [])])
    )
