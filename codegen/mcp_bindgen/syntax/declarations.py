"""The declarations of a schema file: one method for each kind of node of the syntax tree, named after the kind.

The other stages call ``read_schema``. Like the table of types, the table of statements is closed: any other statement is
a fault, and all faults of a file are reported together.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

import attrs

from mcp_bindgen.errors import SchemaError
from mcp_bindgen.ir.declarations import Alias, Constant, Declaration, Import, Interface, Module
from mcp_bindgen.ir.documentation import NO_DOC
from mcp_bindgen.ir.types import LiteralType, LookupType
from mcp_bindgen.syntax.expressions import ExpressionReader, children, described, each_child
from mcp_bindgen.syntax.jsdoc import DocComments
from mcp_bindgen.syntax.literals import string_value
from mcp_bindgen.syntax.parse import Parsed, parse
from mcp_bindgen.syntax.source import Faults

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

    from mcp_bindgen.ir.types import Position

MAX_FAULTS: Final = 1000
"""Number of faults, without syntax errors, that are reported one by one."""

STATEMENTS: Final = "an interface, a type alias, a constant, `import { name } from …`, `export { name }`"
_DECLARATIONS: Final = "an interface, a type alias or a constant"
_IMPORTS: Final = '`import { name, name as other } from "module"`'
_EXPORTS: Final = "`export` before a declaration, `export { name }`"
_CONSTANTS: Final = "`const NAME = value`"
_INSTEAD: Final = {
    "enum_declaration": 'write a union of its values, such as `type Colour = "red" | "blue"`',
}
"""Advice on a statement that schemas do not have, by its kind in the grammar of the parser."""
_BUILT_IN: Final = frozenset(
    {
        "any",
        "bigint",
        "boolean",
        "never",
        "null",
        "number",
        "object",
        "string",
        "symbol",
        "undefined",
        "unknown",
        "void",
    }
)


def read_schema(data: bytes, source: str) -> Module:
    """Read the bytes of a schema file; messages name it ``source``. Raise ``SchemaError`` with all faults."""
    parsed = parse(data, source)
    reader = SchemaReader(parsed)
    reader.program(parsed.tree.root_node)
    if faults := parsed.faults.listed() + reader.faults.listed():
        raise SchemaError(faults)
    return Module(source, hashlib.sha256(data).hexdigest(), tuple(reader.declarations.values()), tuple(reader.imports))


class SchemaReader:
    """Reader of the statements of a file, in order."""

    def __init__(self, parsed: Parsed) -> None:
        self.source = parsed.source
        self.faults = Faults(parsed.source, MAX_FAULTS, "error")
        self.declarations: dict[str, Declaration] = {}
        self.imports: list[Import] = []
        self._parsed = parsed
        self._expressions = ExpressionReader(self.source, self.faults)
        self._names: dict[str, tuple[str, Position]] = {}
        self._exports: list[tuple[str, Node]] = []
        self._doc = NO_DOC
        self._exported = False

    def program(self, node: Node) -> None:
        """Read a file."""
        docs = DocComments(self.source)
        for child in each_child(node):
            if child.type == "comment":
                docs.comment(child)
            elif self._is_meant(child):
                self._doc, self._exported = docs.documentation_of(child), False
                self.statement(child)
            else:
                docs.other(child)
        if not self._parsed.faults:
            self._export_names()

    def statement(self, node: Node) -> None:
        """Read a statement, or the declaration after ``export``."""
        read = _READERS.get(node.type)
        if read is None:
            inner = children(node)
            if inner and inner[0].type == "internal_module":
                node = inner[0]  # which the grammar takes for an expression
            self.faults.add(node, f"found {described(node)}; {_INSTEAD.get(node.type, f'expected {STATEMENTS}')}")
        else:
            read(self, node)

    # Statements

    def empty_statement(self, node: Node) -> None:
        """Skip a stray ``;``."""

    def export_statement(self, node: Node) -> None:
        """``export interface …``, ``export { … }``."""
        parts = [child for child in children(node) if child.type not in {"export", "type", ";"}]
        if node.child_by_field_name("source") is not None:
            self.faults.add(node, f"found an export from another module; expected {_EXPORTS}")
        elif len(parts) != 1:
            self.faults.add(parts[0], f"found {described(parts[0])} beside `export`; expected {_EXPORTS}")
        elif parts[0].type == "export_clause":
            self.export_clause(parts[0])
        else:
            self._exported = True
            self.statement(parts[0])

    def export_clause(self, node: Node) -> None:
        """``{ name, type name }``; the names may be declared further down."""
        for specifier in children(node):
            if specifier.type == "export_specifier":
                parts = [child for child in children(specifier) if child.type != "type"]
                if len(parts) == 1 and parts[0].type == "identifier":
                    self._exports.append((self._expressions.name(parts[0]), parts[0]))
                else:
                    self.faults.add(specifier, "found an export under another name; write `export { name }`")

    def ambient_declaration(self, node: Node) -> None:
        """``declare const …``."""
        declared = children(node)[1]
        if declared.type in {"interface_declaration", "lexical_declaration", "type_alias_declaration"}:
            self.statement(declared)
        else:
            self.faults.add(declared, f"found {described(declared)} after `declare`; expected {_DECLARATIONS}")

    def import_statement(self, node: Node) -> None:
        """``import type { name, name as other } from "module"``."""
        names: Node | None = None
        module = ""
        for child in children(node):
            if child.type == "import_clause" and [part.type for part in children(child)] == ["named_imports"]:
                names = children(child)[0]
            elif child.type == "string":
                module = string_value(child, self.source, self.faults)
            elif child.type not in {"import", "type", "from", ";"}:
                self.faults.add(child, f"found {described(child)}; expected {_IMPORTS}")
                return
        if names is None:
            self.faults.add(node, f"found an import without names; expected {_IMPORTS}")
            return
        for child in children(names):
            if child.type == "import_specifier":
                self.import_specifier(child, module)

    def import_specifier(self, node: Node, module: str) -> None:
        """``name``, ``type name``, ``name as other``."""
        parts = [child for child in children(node) if child.type not in {"type", "as"}]
        names = [self._expressions.name(part) for part in parts if part.type == "identifier"]
        if len(names) != len(parts):
            self.faults.add(node, f"found {described(parts[0])}; expected {_IMPORTS}")
        elif names[0] == "default":
            self.faults.add(node, f"found an import of the default export; expected {_IMPORTS}")
        elif self._is_new(names[-1], node, "import"):
            position = self.source.position(node.start_byte)
            self.imports.append(Import(names[0], names[-1], module, position=position))

    def interface_declaration(self, node: Node) -> None:
        """``interface name extends base, base { … }``."""
        parts = {child.type: child for child in children(node)}
        self._refuse_parameters(parts)
        bases = children(parts["extends_type_clause"]) if "extends_type_clause" in parts else []
        read = tuple(self._expressions.expression(base) for base in bases if base.type not in {"extends", ","})
        properties, index = self._expressions.body(parts["interface_body"])
        name, position = self._type_name(parts["type_identifier"])
        declaration = Interface(name, read, properties, index, self._doc, self._exported, position=position)
        first = self.declarations.get(name)
        if isinstance(first, Interface):
            self.declarations[name] = self._merged(first, declaration)
        else:
            self._declare(declaration, parts["type_identifier"])

    def _merged(self, first: Interface, other: Interface) -> Interface:
        """Return one interface for two of the same name, as TypeScript merges them."""
        properties = {each.name: each for each in first.properties}
        for each in other.properties:
            known = properties.setdefault(each.name, each)
            if (known.type, known.optional) != (each.type, each.optional):
                message = f"`{each.name}` has another type in `{first.name}` at {known.position}"
                self.faults.add(each.position, message)
        if first.index is not None and other.index is not None and first.index.value != other.index.value:
            self.faults.add(
                other.index.position, f"`{first.name}` already has an index signature, at {first.index.position}"
            )
        if first.exported != other.exported:
            self.faults.add(
                other.position, f"`{first.name}` is exported in one of its declarations only; see {first.position}"
            )
        return attrs.evolve(
            first,
            bases=tuple(dict.fromkeys([*first.bases, *other.bases])),
            properties=tuple(properties.values()),
            index=first.index or other.index,
            doc=first.doc if first.doc != NO_DOC else other.doc,
        )

    def type_alias_declaration(self, node: Node) -> None:
        """``type name = …``."""
        parts = children(node)
        self._refuse_parameters({child.type: child for child in parts})
        value = node.child_by_field_name("value")
        if value is not None:
            name, position = self._type_name(parts[1])
            type_ = self._expressions.expression(value)
            self._declare(Alias(name, type_, self._doc, self._exported, position=position), parts[1])

    def lexical_declaration(self, node: Node) -> None:
        """``const NAME = value, NAME = value``."""
        keyword, *declarators = children(node)
        if keyword.type != "const":
            self.faults.add(keyword, f"found `{keyword.type}`; expected {_CONSTANTS}")
            return
        for declarator in declarators:
            if declarator.type == "variable_declarator":
                self.variable_declarator(declarator)
                self._doc = NO_DOC

    def variable_declarator(self, node: Node) -> None:
        """``NAME = value``, ``NAME: type = value``; ``NAME: literal``, ``NAME: type["key"]`` in a declaration file."""
        parts = {child.type: child for child in children(node)}
        name, value = children(node)[0], node.child_by_field_name("value")
        annotation = parts.get("type_annotation")
        type_ = None if annotation is None else self._expressions.type_annotation(annotation)
        if name.type != "identifier" or "!" in parts:
            place = parts.get("!", name)
            self.faults.add(place, f"found {described(place)}; expected {_CONSTANTS}")
            return
        constant: str | int | float | bool | None
        if value is not None:
            constant = self._value(value)
            if isinstance(type_, LiteralType) and (type_.value, type(type_.value)) != (constant, type(constant)):
                self.faults.add(value, "the value of this constant differs from the literal in its type")
        elif isinstance(type_, LiteralType):
            constant = type_.value
        elif isinstance(type_, LookupType):
            constant = None
        else:
            self.faults.add(
                node,
                f"this constant has no value; expected {_CONSTANTS}, `const NAME: literal`, "
                '`const NAME: TYPE["key"]`',
            )
            return
        text, position = self._expressions.name(name), self.source.position(name.start_byte)
        looked_up = type_ if isinstance(type_, LookupType) else None
        self._declare(Constant(text, constant, self._doc, self._exported, type=looked_up, position=position), name)

    def as_expression(self, node: Node) -> str | int | float | bool:
        """``value as const``."""
        value, _, type_ = children(node)
        if type_.type != "const":
            self.faults.add(type_, f"found {described(type_)} after `as`; expected `as const`")
        return self._expressions.literal(value)

    # Names and values

    def _is_meant(self, node: Node) -> bool:
        """Return whether to report a statement: in a file with syntax errors only certain declarations."""
        if not self._parsed.faults:
            return True
        return self._parsed.is_sound(node) and (node.type in _READERS or node.type.endswith("_declaration"))

    def _value(self, node: Node) -> str | int | float | bool:
        return self.as_expression(node) if node.type == "as_expression" else self._expressions.literal(node)

    def _type_name(self, node: Node) -> tuple[str, Position]:
        name = self._expressions.name(node)
        if name in _BUILT_IN:
            self.faults.add(node, f"`{name}` is the name of a built-in type; use another name")
        return name, self.source.position(node.start_byte)

    def _refuse_parameters(self, parts: dict[str, Node]) -> None:
        if parameters := parts.get("type_parameters"):
            self.faults.add(parameters, "type parameters are not supported; remove them")

    def _declare(self, declaration: Declaration, name: Node) -> None:
        if self._is_new(declaration.name, name, "declaration"):
            self.declarations[declaration.name] = declaration

    def _is_new(self, name: str, node: Node, kind: str) -> bool:
        """Register the name of a declaration or an import; return whether it was free."""
        first = self._names.setdefault(name, (kind, position := self.source.position(node.start_byte)))
        if first[1] is position:
            return True
        self.faults.add(node, f"`{name}` is already declared at {first[1]}")
        return False

    def _export_names(self) -> None:
        for name, node in self._exports:
            if name in self.declarations:
                self.declarations[name] = attrs.evolve(self.declarations[name], exported=True)
            elif name not in self._names:
                self.faults.add(node, f"`{name}` is exported, but not declared in this file")
            elif self._names[name][0] == "import":
                self.faults.add(node, f"found an export of the import `{name}`; expected {_EXPORTS}")


_READERS: Final[dict[str, Callable[[SchemaReader, Node], None]]] = {
    "ambient_declaration": SchemaReader.ambient_declaration,
    "empty_statement": SchemaReader.empty_statement,
    "export_statement": SchemaReader.export_statement,
    "import_statement": SchemaReader.import_statement,
    "interface_declaration": SchemaReader.interface_declaration,
    "lexical_declaration": SchemaReader.lexical_declaration,
    "type_alias_declaration": SchemaReader.type_alias_declaration,
}
