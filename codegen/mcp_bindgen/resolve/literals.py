"""The literals that types list, as written: for values of constants, and to compare two texts of a property."""

from __future__ import annotations

from typing import TypeAlias

from mcp_bindgen.ir.declarations import Alias
from mcp_bindgen.ir.types import LiteralType, Reference, TypeExpression, TypeQuery, UnionType, exactly
from mcp_bindgen.resolve.scope import Scope
from mcp_bindgen.resolve.shapes import Slot

Literals: TypeAlias = dict[object, str | int | float | bool]
"""Values by their key of equality."""


def literals_of(slot: Slot, scope: Scope) -> Literals | None:
    """Return the values that all texts of a property list; None if none of them lists literals."""
    first, *others = [_literals(each.property.type, scope) for each in slot.candidates]
    for other in others:
        if first is None or other is None:
            first = first if other is None else other
        else:
            first = {key: value for key, value in first.items() if key in other}
    return first


def _literals(expression: TypeExpression, scope: Scope) -> Literals | None:
    """Return the values of a type that lists literals; None for any other type."""
    found: Literals = {}
    waiting = [expression]
    seen: set[str] = set()
    while waiting:
        match waiting.pop():
            case LiteralType() as part:
                found[exactly(part.value)] = part.value
            case UnionType() as part:
                waiting.extend(part.members[::-1])
            case TypeQuery(name=name) if (value := scope.constants[name].value) is not None:
                found[exactly(value)] = value
            case Reference(name=name) if isinstance(declared := scope.types.get(name), Alias):
                if name not in seen:
                    seen.add(name)
                    waiting.append(declared.type)
            case _:
                return None
    return found
