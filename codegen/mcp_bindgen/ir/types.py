"""Type expressions as a schema file writes them, before any name is looked up."""

from __future__ import annotations

from typing import Literal, TypeAlias, cast

from attrs import field, frozen

from mcp_bindgen.ir.documentation import NO_DOC, Doc

KeywordName: TypeAlias = Literal[
    "string", "number", "boolean", "null", "undefined", "unknown", "any", "object", "never"
]

Numbers: TypeAlias = Literal["integer", "float"]
"""Kinds of numbers: TypeScript has one type where JSON-RPC peers have two."""


@frozen
class Position:
    """A place in a schema file: the name shown to people, and the 1-based line and column (in characters)."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


def exactly(value: object) -> object:
    """Return a key for the equality of literals, alone or in tuples: to Python ``1``, ``1.0`` and ``True`` are equal."""
    if isinstance(value, tuple):
        return tuple(map(exactly, cast("tuple[object, ...]", value)))
    return value.__class__, value


@frozen
class Keyword:
    """One of the built-in types: ``string``, ``unknown`` ..."""

    name: KeywordName
    position: Position = field(eq=False)


@frozen
class LiteralType:
    """A literal used as a type: ``"text"``, ``-5``, ``true``."""

    value: str | int | float | bool = field(eq=exactly)
    position: Position = field(eq=False)


@frozen
class Reference:
    """A name with its type arguments, if any: ``Tool``, ``Omit<Tool, "name">``, ``Array<string>``."""

    name: str
    arguments: tuple[TypeExpression, ...]
    position: Position = field(eq=False)


@frozen
class ArrayType:
    """``element[]``."""

    element: TypeExpression
    position: Position = field(eq=False)


@frozen
class Property:
    """``name?: type`` of an interface or an inline object."""

    name: str
    type: TypeExpression
    optional: bool
    readonly: bool = False
    doc: Doc = NO_DOC
    position: Position = field(eq=False, kw_only=True)


@frozen
class IndexSignature:
    """``[key: string]: value``."""

    value: TypeExpression
    doc: Doc = NO_DOC
    position: Position = field(eq=False, kw_only=True)


@frozen
class ObjectLiteral:
    """``{ … }`` written in place of a name."""

    properties: tuple[Property, ...]
    index: IndexSignature | None
    position: Position = field(eq=False)


@frozen
class UnionType:
    """``a | b | c``: flattened, in the order of the source; never empty."""

    members: tuple[TypeExpression, ...]
    position: Position = field(eq=False)


@frozen
class IntersectionType:
    """``a & b & c``: flattened, in the order of the source; never empty."""

    members: tuple[TypeExpression, ...]
    position: Position = field(eq=False)
    label: str | None = field(default=None, eq=False)
    """The members of unions that one alternative of an intersection combines."""


@frozen
class TypeQuery:
    """``typeof NAME``, where NAME is a constant."""

    name: str
    position: Position = field(eq=False)


@frozen
class LookupType:
    """``target["key"]``: the type of one property of another type."""

    target: TypeExpression
    key: str
    position: Position = field(eq=False)


TypeExpression: TypeAlias = (
    Keyword
    | LiteralType
    | Reference
    | ArrayType
    | ObjectLiteral
    | UnionType
    | IntersectionType
    | TypeQuery
    | LookupType
)
