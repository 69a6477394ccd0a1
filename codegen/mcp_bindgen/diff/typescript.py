"""TypeScript texts of resolved types: names stay names, inline objects are written out."""

from __future__ import annotations

from mcp_bindgen.describe.canonical import key, literal, schema_type
from mcp_bindgen.ir.protocol import (
    Constraints,
    Field,
    ObjectType,
    Protocol,
    Scalar,
    Type,
)
from mcp_bindgen.ir.type_text import TypeText

_KEYWORDS = {"string": "string", "integer": "number", "float": "number", "boolean": "boolean", "null": "null"}


class TypeScript(TypeText):
    """TypeScript texts for the types of one protocol."""

    def __init__(self, protocol: Protocol) -> None:
        self._protocol = protocol

    def scalar(self, kind: Scalar) -> str:
        """Return the keyword of a scalar."""
        return _KEYWORDS.get(kind.kind, kind.written)

    def object(self, path: str) -> str:
        """Return the text of an object type where it is used."""
        declared = self._protocol.objects[path]
        return self.braces(declared) if declared.kind == "inline" else path

    def braces(self, declared: ObjectType) -> str:
        """Return an object type written out, inherited fields included."""
        parts = [
            f"{key(member.name)}{'?' if member.optional else ''}: {self.field(member)}"
            for member in declared.fields
            if not member.envelope
        ]
        if declared.index is not None:
            parts.append(self.index(declared.index))
        return f"{{ {'; '.join(parts)} }}" if parts else "{}"

    def index(self, value: Type) -> str:
        """Return an index signature."""
        return f"[key: string]: {self.type(value)}"

    def field(self, member: Field) -> str:
        """Return the type of a field, as the schema declares it."""
        return self.type(schema_type(member))

    def definition(self, name: str) -> str:
        """Return the definition of a declared name."""
        declared = self._protocol.objects.get(name)
        if declared is not None:
            return self.braces(declared)
        alias = self._protocol.aliases[name]
        return self.type(alias.written or alias.type)


def below(owner: str, field: str) -> str:
    """Return the path of a field: ``Widget.size``, ``Widget._meta["example.com/key"]``."""
    return f"{owner}.{field}" if key(field) == field else f"{owner}[{literal(field)}]"


def tags(constraints: Constraints) -> str | None:
    """Return the tags that limit a field's values, as in its documentation comment; None if there are none.

    ``@TJS-type`` is not among them, because it changes the type.
    """
    found = [
        f"@{name} {value}"
        for name, value in (
            ("minimum", constraints.minimum),
            ("maximum", constraints.maximum),
            ("maxItems", constraints.max_items),
            ("format", constraints.format),
        )
        if value is not None
    ]
    return " ".join(found) or None
