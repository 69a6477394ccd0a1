"""Paths for object types that have no name: ``Owner.property``, ``Owner.property.inner``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from mcp_bindgen.ir.types import ArrayType, LookupType, Reference, TypeExpression, UnionType

if TYPE_CHECKING:
    from mcp_bindgen.resolve.inherit import Flattener


_ENDS_NAME = re.compile("[.#]")


class Paths:
    """Unique paths: the second object at the same place is ``#2``, the third ``#3``, and so on.

    Declared names are used from the start, so an object inside an alias of another type begins with ``#2``.
    """

    def __init__(self, declared: Iterable[str]) -> None:
        self._used = set(declared)
        self._last: dict[str, int] = {}

    def claim(self, path: str) -> str:
        """Return the path itself, or the first free one with a number."""
        if path not in self._used:
            self._used.add(path)
            return path
        number = self._last.get(path, 1) + 1
        while f"{path}#{number}" in self._used:
            number += 1
        self._last[path] = number
        self._used.add(f"{path}#{number}")
        return f"{path}#{number}"

    def release(self, path: str) -> None:
        """Release the path that was claimed last."""
        self._used.discard(path)
        plain, _, number = path.rpartition("#")
        if number.isdecimal() and self._last.get(plain) == int(number):
            self._last[plain] -= 1


def owner_of(path: str) -> str:
    """Return the declared type whose text contains an inline object."""
    return _ENDS_NAME.split(path, maxsplit=1)[0]


def makes_inline(expression: TypeExpression, flattener: Flattener) -> bool:
    """Return whether a type builds an object without a name: itself, in an array or among alternatives."""
    match expression:
        case ArrayType():
            return makes_inline(expression.element, flattener)
        case UnionType():
            return any(makes_inline(member, flattener) for member in expression.members)
        case Reference(name="Array", arguments=(element,)):
            return makes_inline(element, flattener)
        case LookupType():
            return False
        case _:
            return flattener.builds_object(expression)
