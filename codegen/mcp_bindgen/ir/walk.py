"""Traversal of types, as written and as resolved."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from attrs import evolve

from mcp_bindgen.ir.declarations import Alias, Constant, Declaration, Interface
from mcp_bindgen.ir.protocol import ListOf, Type, Union
from mcp_bindgen.ir.types import (
    ArrayType,
    IndexSignature,
    IntersectionType,
    LookupType,
    ObjectLiteral,
    Property,
    Reference,
    TypeExpression,
    TypeQuery,
    UnionType,
)


def texts(declaration: Declaration) -> Iterator[TypeExpression]:
    """Yield the type expressions of a declaration, in the order of the source."""
    match declaration:
        case Interface():
            yield from declaration.bases
            yield from (written.type for written in declaration.properties)
            if declaration.index is not None:
                yield declaration.index.value
        case Alias():
            yield declaration.type
        case Constant():
            if declaration.type is not None:
                yield declaration.type


def children(expression: TypeExpression) -> Iterator[TypeExpression]:
    """Return the expressions directly inside another, in the order of the source."""
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
    """Yield every expression of a declaration, the outer before the inner."""
    waiting = list(texts(declaration))[::-1]
    while waiting:
        expression = waiting.pop()
        yield expression
        waiting.extend(list(children(expression))[::-1])


def renamed(declaration: Declaration, names: Mapping[str, str]) -> Declaration:
    """Return the declaration with the names that it refers to replaced."""

    def change(expression: TypeExpression) -> TypeExpression:
        if isinstance(expression, (Reference, TypeQuery)):
            return evolve(expression, name=names.get(expression.name, expression.name))
        return expression

    return rewritten(declaration, change)


def rewritten(declaration: Declaration, change: Callable[[TypeExpression], TypeExpression]) -> Declaration:
    """Return the declaration with every expression replaced by the result of ``change``, the inner ones first."""
    match declaration:
        case Interface():
            return evolve(
                declaration,
                bases=tuple(_rewritten(base, change) for base in declaration.bases),
                properties=_properties(declaration.properties, change),
                index=_index(declaration.index, change),
            )
        case Alias():
            return evolve(declaration, type=_rewritten(declaration.type, change))
        case Constant():
            if declaration.type is None:
                return declaration
            kind = _rewritten(declaration.type, change)
            return evolve(declaration, type=kind) if isinstance(kind, LookupType) else declaration


def _rewritten(expression: TypeExpression, change: Callable[[TypeExpression], TypeExpression]) -> TypeExpression:
    match expression:
        case Reference() if expression.arguments:
            arguments = tuple(_rewritten(argument, change) for argument in expression.arguments)
            expression = evolve(expression, arguments=arguments)
        case ArrayType():
            expression = evolve(expression, element=_rewritten(expression.element, change))
        case UnionType() | IntersectionType():
            expression = evolve(expression, members=tuple(_rewritten(member, change) for member in expression.members))
        case LookupType():
            expression = evolve(expression, target=_rewritten(expression.target, change))
        case ObjectLiteral():
            properties = _properties(expression.properties, change)
            expression = evolve(expression, properties=properties, index=_index(expression.index, change))
        case _:
            pass
    return change(expression)


def _properties(
    written: tuple[Property, ...], change: Callable[[TypeExpression], TypeExpression]
) -> tuple[Property, ...]:
    return tuple(evolve(each, type=_rewritten(each.type, change)) for each in written)


def _index(written: IndexSignature | None, change: Callable[[TypeExpression], TypeExpression]) -> IndexSignature | None:
    return written and evolve(written, value=_rewritten(written.value, change))


def parts(kind: Type) -> Iterator[Type]:
    """Yield a resolved type and every type inside it; names are not followed."""
    waiting = [kind]
    while waiting:
        part = waiting.pop()
        yield part
        if isinstance(part, ListOf):
            waiting.append(part.element)
        elif isinstance(part, Union):
            waiting.extend([*part.members, *part.written][::-1])
