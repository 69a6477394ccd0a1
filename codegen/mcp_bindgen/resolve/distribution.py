"""Distribution of intersections over unions: ``A & (B | C)`` becomes ``A & B | A & C``.

It is done before objects are flattened, so that the later stages see intersections of objects only. A part may also be
the name of a union, or of an intersection that is itself rewritten.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from typing import TypeAlias

from attrs import evolve

from mcp_bindgen.ir.declarations import Alias, Declaration
from mcp_bindgen.ir.types import IntersectionType, Reference, TypeExpression, UnionType
from mcp_bindgen.ir.walk import expressions, rewritten
from mcp_bindgen.resolve.faults import Faults

MAX_ALTERNATIVES = 100
"""Maximum number of alternatives of one intersection; seven unions of two members exceed it."""

Parts: TypeAlias = tuple[TypeExpression, ...]


def distributed(declarations: Mapping[str, Declaration], faults: Faults) -> dict[str, Declaration]:
    """Return the declarations without unions in intersections; too many alternatives are a fault."""
    distributor = _Distributor(declarations, faults)
    found = {name: distributor.declaration(each) for name, each in declarations.items()}
    if distributor.exceeded:
        faults.check()  # The unions that are left would be refused a second time.
    return found


class _Distributor:
    def __init__(self, declarations: Mapping[str, Declaration], faults: Faults) -> None:
        self._declarations = declarations
        self._faults = faults
        self._of_alias: dict[str, Parts] = {}
        self.exceeded = False

    def declaration(self, declaration: Declaration) -> Declaration:
        if any(isinstance(each, IntersectionType) for each in expressions(declaration)):
            return rewritten(declaration, self._changed)
        return declaration

    def _changed(self, expression: TypeExpression) -> TypeExpression:
        if not isinstance(expression, IntersectionType):
            return expression
        found = self._intersection(expression)
        return found[0] if len(found) == 1 else UnionType(found, expression.position)

    def _alternatives(self, part: TypeExpression) -> Parts:
        """Return the alternatives of a part: the members if it names or is a union, else the part itself."""
        match part:
            case UnionType():
                return tuple(dict.fromkeys(each for member in part.members for each in self._alternatives(member)))
            case IntersectionType():
                return self._intersection(part)
            case Reference(arguments=()) if isinstance(alias := self._declarations.get(part.name), Alias):
                found = self._behind(alias)
                return found if len(found) > 1 else (part,)
            case _:
                return (part,)

    def _behind(self, alias: Alias) -> Parts:
        if alias.name not in self._of_alias:
            # One that is made of itself is refused later; its name stands for itself meanwhile.
            self._of_alias[alias.name] = ()
            self._of_alias[alias.name] = self._alternatives(alias.type)
        return self._of_alias[alias.name]

    def _intersection(self, expression: IntersectionType) -> Parts:
        parts = {part: self._alternatives(part) for part in expression.members}
        if all(len(found) == 1 for found in parts.values()):
            return (expression,)
        count = math.prod(len(found) for found in parts.values())
        if count > MAX_ALTERNATIVES:
            self.exceeded = True
            self._faults.add(
                expression.position,
                f"the unions in this intersection combine to {count} alternatives; the limit is {MAX_ALTERNATIVES}",
            )
            return (expression,)
        found: dict[frozenset[TypeExpression], TypeExpression] = {}
        for choice in itertools.product(*parts.values()):
            members = tuple(dict.fromkeys(_operands(choice)))
            found.setdefault(frozenset(members), _combined(expression, members, _label(parts, choice)))
        return tuple(found.values())


def _operands(choice: Parts) -> list[TypeExpression]:
    """Return the parts, with those of nested intersections."""
    return [operand for part in choice for operand in (part.members if isinstance(part, IntersectionType) else (part,))]


def _combined(whole: IntersectionType, members: Parts, label: str | None) -> TypeExpression:
    return members[0] if len(members) == 1 else evolve(whole, members=members, label=label)


def _label(parts: Mapping[TypeExpression, Parts], choice: Parts) -> str | None:
    """Return the names of the chosen members, of those that have names."""
    chosen = [each for each, found in zip(choice, parts.values(), strict=True) if len(found) > 1]
    names = [_name(each) for each in chosen]
    return "".join(filter(None, names)) if all(names) else None


def _name(expression: TypeExpression) -> str | None:
    match expression:
        case Reference(arguments=()):
            return expression.name
        case IntersectionType():
            return expression.label
        case _:
            return None
