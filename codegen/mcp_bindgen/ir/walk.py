"""Visits the parts of types, as written and as resolved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attrs import evolve

from mcp_bindgen.ir.declarations import Alias, Constant, Declaration, Interface
from mcp_bindgen.ir.protocol import ListOf, Type, Union
from mcp_bindgen.ir.types import (
    ArrayType,
    IntersectionType,
    LookupType,
    ObjectLiteral,
    Reference,
    TypeExpression,
    TypeQuery,
    UnionType,
)


def texts(declaration: Declaration) -> Iterator[TypeExpression]:
    """The type expressions that a declaration consists of, in the order of the source."""
    match declaration:
        case Interface():
            yield from declaration.bases
            yield from (written.type for written in declaration.properties)
            if declaration.index is not None:
                yield declaration.index.value
        case Alias():
            yield declaration.type
        case Constant():
            pass


def children(expression: TypeExpression) -> Iterator[TypeExpression]:
    """The expressions directly inside another, in the order of the source."""
    match expression:
        case Reference():
            yield from expression.arguments
        case ArrayType():
            yield expression.element
        case UnionType() | IntersectionType():
            yield from expression.members
        case LookupType():
            yield expression.target
        case ObjectLiteral():
            yield from (written.type for written in expression.properties)
            if expression.index is not None:
                yield expression.index.value
        case _:
            pass


def expressions(declaration: Declaration) -> Iterator[TypeExpression]:
    """Every expression of a declaration, the outer before the inner."""
    waiting = list(texts(declaration))[::-1]
    while waiting:
        expression = waiting.pop()
        yield expression
        waiting.extend(list(children(expression))[::-1])


def renamed(declaration: Declaration, names: Mapping[str, str]) -> Declaration:
    """The same declaration with other names for what it refers to."""
    match declaration:
        case Interface():
            return evolve(
                declaration,
                bases=tuple(_renamed(base, names) for base in declaration.bases),
                properties=tuple(evolve(each, type=_renamed(each.type, names)) for each in declaration.properties),
                index=declaration.index and evolve(declaration.index, value=_renamed(declaration.index.value, names)),
            )
        case Alias():
            return evolve(declaration, type=_renamed(declaration.type, names))
        case Constant():
            return declaration


def _renamed(expression: TypeExpression, names: Mapping[str, str]) -> TypeExpression:
    match expression:
        case Reference():
            arguments = tuple(_renamed(argument, names) for argument in expression.arguments)
            return evolve(expression, name=names.get(expression.name, expression.name), arguments=arguments)
        case TypeQuery():
            return evolve(expression, name=names.get(expression.name, expression.name))
        case ArrayType():
            return evolve(expression, element=_renamed(expression.element, names))
        case UnionType() | IntersectionType():
            return evolve(expression, members=tuple(_renamed(member, names) for member in expression.members))
        case LookupType():
            return evolve(expression, target=_renamed(expression.target, names))
        case ObjectLiteral():
            index = expression.index
            return evolve(
                expression,
                properties=tuple(evolve(each, type=_renamed(each.type, names)) for each in expression.properties),
                index=index and evolve(index, value=_renamed(index.value, names)),
            )
        case _:
            return expression


def parts(kind: Type) -> Iterator[Type]:
    """A resolved type and every type inside it; what a name stands for is not inside it."""
    waiting = [kind]
    while waiting:
        part = waiting.pop()
        yield part
        if isinstance(part, ListOf):
            waiting.append(part.element)
        elif isinstance(part, Union):
            waiting.extend([*part.members, *part.written][::-1])
