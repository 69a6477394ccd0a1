"""Types as text, in the syntax of TypeScript."""

from __future__ import annotations

import json

from mcp_bindgen.ir.protocol import AliasOf, Enum, ListOf, ObjectOf, Scalar, Type, Union


class TypeText:
    """Writer of types as text: names stay names. Derived classes write scalars and objects in other ways."""

    def type(self, kind: Type) -> str:
        """Return a type as text."""
        match kind:
            case Scalar():
                return self.scalar(kind)
            case Enum():
                values = [json.dumps(value, ensure_ascii=False) for value in kind.values]
                return " | ".join([*values, *(["string"] if kind.open else [])])
            case ListOf():
                return self.list_of(kind.element)
            case AliasOf():
                return kind.name
            case Union():
                return " | ".join(dict.fromkeys(self.type(member) for member in kind.written))
            case ObjectOf():
                return self.object(kind.path)

    def list_of(self, element: Type) -> str:
        """Return an array as text, with parentheses if they are needed."""
        inner = self.type(element)
        several = isinstance(element, Union) or (isinstance(element, Enum) and " | " in inner)
        return f"({inner})[]" if several else f"{inner}[]"

    def scalar(self, kind: Scalar) -> str:
        """Return a scalar as text, by default as it is in the source."""
        return kind.written

    def object(self, path: str) -> str:
        """Return an object as text, by default its path."""
        return path


def type_text(kind: Type) -> str:
    """Return a type as its source writes it; inline objects by their path."""
    return TypeText().type(kind)
