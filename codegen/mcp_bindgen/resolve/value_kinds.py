"""The kinds of values that a type allows, as far as its text shows them without being resolved."""

from __future__ import annotations

from mcp_bindgen.ir.declarations import Alias, Interface
from mcp_bindgen.ir.types import (
    ArrayType,
    Keyword,
    LiteralType,
    ObjectLiteral,
    Reference,
    TypeExpression,
    TypeQuery,
    UnionType,
)
from mcp_bindgen.resolve.scope import Scope

_KEYWORDS = {"string": "a string", "number": "a number", "boolean": "a boolean", "null": "null", "object": "an object"}
_OBJECT = "an object"
_MAX_PARTS = 200
"""Maximum parts of a type that are looked at, since a schema may repeat a large union any number of times."""


def value_kinds(expression: TypeExpression, scope: Scope) -> frozenset[str] | None:
    """Return the kinds of the values of a type, such as "a string"; None if they are not known.

    ``undefined`` is no value. An array is an object to TypeScript, so the two are one kind.
    """
    found: set[str] = set()
    waiting = [expression]
    for _ in range(_MAX_PARTS):
        if not waiting:
            return frozenset(found)
        match waiting.pop():
            case Keyword(name="undefined" | "never"):
                pass
            case Keyword(name=name) if name in _KEYWORDS:
                found.add(_KEYWORDS[name])
            case LiteralType(value=value):
                found.add(_kind_of(value))
            case TypeQuery(name=name) if name in scope.constants and scope.constants[name].value is not None:
                found.add(_kind_of(scope.constants[name].value))
            case ObjectLiteral() | ArrayType():
                found.add(_OBJECT)
            case UnionType(members=members):
                waiting.extend(members)
            case Reference() as reference if scope.generic(reference) is not None:
                found.add(_OBJECT)
            case Reference(name=name) if isinstance(scope.types.get(name), Interface):
                found.add(_OBJECT)
            case Reference(name=name) if isinstance(declared := scope.types.get(name), Alias):
                waiting.append(declared.type)
            case _:
                return None
    return None


def _kind_of(value: object) -> str:
    return "a string" if isinstance(value, str) else "a boolean" if isinstance(value, bool) else "a number"
