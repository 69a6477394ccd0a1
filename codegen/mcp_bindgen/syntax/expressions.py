"""Type expressions: one method for each kind of node of the syntax tree, named after the kind.

The table at the end is closed: a kind that is not in it is a fault and never skipped, and so is a token that the
grammar allows and schemas do not. After a fault a placeholder replaces the type, so that reading continues and finds the
other faults; a module with faults is never returned.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from mcp_bindgen.ir.types import (
    ArrayType,
    IndexSignature,
    IntersectionType,
    Keyword,
    KeywordName,
    LiteralType,
    LookupType,
    ObjectLiteral,
    Property,
    Reference,
    TypeExpression,
    TypeQuery,
    UnionType,
)
from mcp_bindgen.syntax.jsdoc import DocComments
from mcp_bindgen.syntax.literals import number_name, number_value, string_value
from mcp_bindgen.syntax.scan import MAX_DEPTH

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tree_sitter import Node

    from mcp_bindgen.ir.documentation import Doc
    from mcp_bindgen.ir.types import Position
    from mcp_bindgen.syntax.source import Faults, Source

TYPES: Final = 'a built-in type, a name, a literal, an array, `{ … }`, `… | …`, `… & …`, `typeof NAME`, `NAME["key"]`'
VALUES: Final = "a string, a number, `true` or `false`"
MEMBERS: Final = "a property `name: type` or an index signature `[key: string]: type`"
_OPERATORS: Final = {"union_type": "|", "intersection_type": "&"}
_KEYWORDS: Final = frozenset({"string", "number", "boolean", "unknown", "any", "object", "never"})

_PHRASES: Final = {
    "computed_property_name": "a computed name",
    "existential_type": "a `*` type",
    "flow_maybe_type": "a `?` type",
    "hash_bang_line": "a `#!` line",
    "import_clause": "an import of something other than names",
    "import_require_clause": "`import … = require(…)`",
    "index_type_query": "a `keyof` type",
    "infer_type": "an `infer` type",
    "internal_module": "a namespace",
    "lexical_declaration": "a variable",
    "mapped_type_clause": "a mapped type",
    "member_expression": "a dotted name",
    "module": "a module declaration",
    "nested_type_identifier": "a dotted name",
    "null": "`null`",
    "predefined_type": "a built-in type",
    "private_property_identifier": "a private name",
    "this_type": "`this`",
    "type_identifier": "a name",
    "type_parameters": "type parameters",
    "undefined": "`undefined`",
}


def described(node: Node) -> str:
    """Return the name of a node for messages: its kind in the grammar of the parser."""
    kind = node.type
    if not node.is_named:
        return f"`{kind}`"
    return _PHRASES.get(kind) or f"{'an' if kind[0] in 'aeio' else 'a'} {kind.replace('_', ' ')}"


def children(node: Node) -> list[Node]:
    """Return the children of a node, tokens included, without comments."""
    return [child for child in node.children if child.type != "comment"]


def each_child(node: Node) -> Iterator[Node]:
    """Yield the children of a node that may have very many, comments included."""
    cursor = node.walk()
    more = cursor.goto_first_child()
    while more:
        child = cursor.node
        if child is not None:
            yield child
        more = cursor.goto_next_sibling()


class ExpressionReader:
    """Reader of types and of object bodies."""

    def __init__(self, source: Source, faults: Faults) -> None:
        self.source = source
        self.faults = faults
        self._depth = 0

    def expression(self, node: Node) -> TypeExpression:
        """Read any type."""
        read = _READERS.get(node.type)
        if read is None:
            return self._refused(node, f"found {described(node)}; expected {TYPES}")
        if self._depth > MAX_DEPTH:
            return self._refused(node, f"nested too deeply: the limit is {MAX_DEPTH} levels")
        self._depth += 1
        try:
            return read(self, node)
        finally:
            self._depth -= 1

    def name(self, node: Node) -> str:
        """Read the name of a type, constant or property."""
        name = self.source.text(node)
        if "\\" in name:
            self.faults.add(node, "found an escape sequence in a name; write the character itself")
        return name

    # Types

    def predefined_type(self, node: Node) -> TypeExpression:
        """Read ``string``, ``unknown`` and so on."""
        keyword = self.source.text(node)
        if keyword not in _KEYWORDS:
            return self._refused(node, f"found `{keyword}`, which is not the type of any JSON value; expected {TYPES}")
        return Keyword(cast("KeywordName", keyword), self._position(node))

    def literal_type(self, node: Node) -> TypeExpression:
        """``"text"``, ``-5``, ``true``, ``null``."""
        (literal,) = children(node)
        if literal.type in {"null", "undefined"}:
            return Keyword(cast("KeywordName", literal.type), self._position(node))
        return LiteralType(self.literal(literal), self._position(node))

    def type_identifier(self, node: Node) -> TypeExpression:
        """``Tool``."""
        name = self.name(node)
        if name == "bigint":
            return self._refused(node, f"found `bigint`, which is not the type of any JSON value; expected {TYPES}")
        return Reference(name, (), self._position(node))

    def generic_type(self, node: Node) -> TypeExpression:
        """``Omit<Tool, "name">``."""
        name, arguments = children(node)
        if name.type != "type_identifier":
            return self._refused(name, f"found {described(name)}; expected a plain name")
        read = tuple(self.expression(child) for child in children(arguments) if child.type not in {"<", ",", ">"})
        return Reference(self.name(name), read, self._position(node))

    def array_type(self, node: Node) -> TypeExpression:
        """``element[]``."""
        return ArrayType(self.expression(children(node)[0]), self._position(node))

    def readonly_type(self, node: Node) -> TypeExpression:
        """``readonly element[]``; ``readonly`` has no meaning for messages."""
        return self.expression(self._writable(node))

    def parenthesized_type(self, node: Node) -> TypeExpression:
        """``( … )``."""
        return self.expression(children(node)[1])

    def union_type(self, node: Node) -> TypeExpression:
        """Read ``a | b | c``."""
        members = self._operands(node)
        return members[0] if len(members) == 1 else UnionType(members, self._position(node))

    def intersection_type(self, node: Node) -> TypeExpression:
        """Read ``a & b & c``."""
        members = self._operands(node)
        return members[0] if len(members) == 1 else IntersectionType(members, self._position(node))

    def object_type(self, node: Node) -> TypeExpression:
        """``{ … }``."""
        properties, index = self.body(node)
        return ObjectLiteral(properties, index, self._position(node))

    def type_query(self, node: Node) -> TypeExpression:
        """``typeof NAME``."""
        name = children(node)[1]
        if name.type != "identifier":
            return self._refused(name, f"found {described(name)} after `typeof`; expected the name of a constant")
        return TypeQuery(self.name(name), self._position(node))

    def lookup_type(self, node: Node) -> TypeExpression:
        """``target["key"]``."""
        target, _, key, _ = children(node)
        literal = children(key)[0] if key.type == "literal_type" else key
        if literal.type != "string":
            return self._refused(key, f'found {described(literal)} in `[ ]`; expected one name in quotes, `["key"]`')
        return LookupType(
            self.expression(target), string_value(literal, self.source, self.faults), self._position(node)
        )

    def _operands(self, node: Node) -> tuple[TypeExpression, ...]:
        """Return the members of a union or intersection in order, nested ones included.

        The tree is ``((a | b) | c) | d``, as deep as there are members, so this must not recurse.
        """
        kind, operator = node.type, _OPERATORS[node.type]
        members: list[TypeExpression] = []
        waiting = [node]
        while waiting:
            inner = waiting.pop()
            while inner.type in {"parenthesized_type", "readonly_type"}:
                inner = children(inner)[1] if inner.type == "parenthesized_type" else self._writable(inner)
            if inner.type == kind:
                parts = [child for child in children(inner) if child.type != operator]
                self._check_operators(kind, parts)
                waiting.extend(reversed(parts))
            else:
                members.append(self.expression(inner))
        return tuple(members)

    def _check_operators(self, kind: str, parts: list[Node]) -> None:
        """Refuse what the grammar accepts and TypeScript does not: ``a | | b``, ``a & | b``."""
        for index, part in enumerate(parts):
            bare = children(part)[1] if part.type == "readonly_type" else part
            if kind == "intersection_type" and bare.type == "union_type":
                self.faults.add(part, "found a union in an intersection; put it in parentheses: `( … )`")
            elif part.type == kind and (index or len(parts) == 1):
                self.faults.add(part, f"found `{_OPERATORS[kind]}` with no type before it; expected {TYPES}")

    def _writable(self, node: Node) -> Node:
        """Read the operand of ``readonly``, which must be an array.

        In ``readonly a[] | b`` the grammar takes the whole union, TypeScript only ``a[]``; the types are equal.
        """
        operand = first = children(node)[1]
        while first.type in _OPERATORS:
            first = children(first)[0]
        if first.type != "array_type":
            self.faults.add(
                first, f"found {described(first)} after `readonly`; expected an array, `readonly element[]`"
            )
        return operand

    # Bodies of objects

    def body(self, node: Node) -> tuple[tuple[Property, ...], IndexSignature | None]:
        """Read the properties and the index signature between the braces of an interface or an inline object."""
        properties: dict[str, Property] = {}
        index: IndexSignature | None = None
        docs = DocComments(self.source)
        for child in each_child(node):
            if child.type == "comment":
                docs.comment(child)
            elif child.type == "property_signature":
                read = self.property_signature(child, docs.documentation_of(child))
                if read is not None and properties.setdefault(read.name, read) is not read:
                    first = properties[read.name].position
                    self.faults.add(child, f"`{read.name}` is already declared in this body, at {first}")
            elif child.type == "index_signature":
                signature = self.index_signature(child, docs.documentation_of(child))
                if index is not None and signature is not None:
                    self.faults.add(child, f"this body already has an index signature, at {index.position}")
                index = index or signature
            elif child.type in {";", ",", "}"}:
                docs.other(child)
            elif child.type != "{":
                self.faults.add(child, f"found {described(child)}; expected {MEMBERS}")
                docs.other(child)
        return tuple(properties.values()), index

    def property_signature(self, node: Node, doc: Doc) -> Property | None:
        """``readonly name?: type``; return None without a name or a type."""
        name: Node | None = None
        type_: TypeExpression | None = None
        tokens: set[str] = set()
        for child in children(node):
            if child.type in {"property_identifier", "string", "number"}:
                name = child
            elif child.type == "type_annotation":
                type_ = self.type_annotation(child)
            elif child.type in {"?", "readonly"}:
                tokens.add(child.type)
            else:
                self.faults.add(child, f"found {described(child)}; expected {MEMBERS}")
        if type_ is None:
            self.faults.add(node, f"this property has no type; expected {MEMBERS}")
        if type_ is None or name is None:
            return None
        faults = len(self.faults)
        text = self.property_name(name)
        if len(self.faults) > faults:
            return None
        return Property(
            text,
            type_,
            optional="?" in tokens,
            readonly="readonly" in tokens,
            doc=doc,
            position=self._position(name),
        )

    def index_signature(self, node: Node, doc: Doc) -> IndexSignature | None:
        """``[key: string]: type``; return None for other members in brackets."""
        value: TypeExpression | None = None
        for child in children(node):
            if child.type == "type_annotation":
                value = self.type_annotation(child)
            elif child.type not in {"readonly", "[", "identifier", ":", "predefined_type", "]"}:
                self.faults.add(child, f"found {described(child)}; expected {MEMBERS}")
                return None
            elif child.type == "predefined_type" and self.source.text(child) != "string":
                self.faults.add(child, f"found `{self.source.text(child)}`; expected {MEMBERS}")
        return None if value is None else IndexSignature(value, doc, position=self._position(node))

    def type_annotation(self, node: Node) -> TypeExpression:
        """``: type``."""
        return self.expression(children(node)[1])

    def property_name(self, node: Node) -> str:
        """``name``, ``"name"`` or a number."""
        if node.type == "string":
            return string_value(node, self.source, self.faults)
        if node.type == "number":
            return number_name(node, self.source, self.faults)
        return self.name(node)

    # Values

    def literal(self, node: Node) -> str | int | float | bool:
        """Read a literal of a type or of a constant."""
        if node.type == "string":
            return string_value(node, self.source, self.faults)
        if node.type == "number":
            return number_value(node, self.source, self.faults)
        if node.type in {"true", "false"}:
            return node.type == "true"
        if node.type == "unary_expression":
            return self.unary_expression(node)
        self.faults.add(node, f"found {described(node)}; expected {VALUES}")
        return ""

    def unary_expression(self, node: Node) -> int | float:
        """``-1`` or ``+1``."""
        sign, operand = children(node)
        if sign.type not in {"-", "+"} or operand.type != "number":
            self.faults.add(node, f"found {described(node)}; expected {VALUES}")
            return 0
        value = number_value(operand, self.source, self.faults)
        return -value if sign.type == "-" else value

    def _refused(self, node: Node, message: str) -> TypeExpression:
        self.faults.add(node, message)
        return Keyword("unknown", self._position(node))

    def _position(self, node: Node) -> Position:
        return self.source.position(node.start_byte)


_READERS: Final[dict[str, Callable[[ExpressionReader, Node], TypeExpression]]] = {
    "array_type": ExpressionReader.array_type,
    "generic_type": ExpressionReader.generic_type,
    "intersection_type": ExpressionReader.intersection_type,
    "literal_type": ExpressionReader.literal_type,
    "lookup_type": ExpressionReader.lookup_type,
    "object_type": ExpressionReader.object_type,
    "parenthesized_type": ExpressionReader.parenthesized_type,
    "predefined_type": ExpressionReader.predefined_type,
    "readonly_type": ExpressionReader.readonly_type,
    "type_identifier": ExpressionReader.type_identifier,
    "type_query": ExpressionReader.type_query,
    "union_type": ExpressionReader.union_type,
}
