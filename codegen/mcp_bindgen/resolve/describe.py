"""Types as TypeScript text, for messages."""

from __future__ import annotations

import json

from mcp_bindgen.ir.protocol import AliasOf, Enum, ListOf, ObjectOf, Scalar, Type, Union


def describe(kind: Type) -> str:
    """Return a type as text; inline objects by their path."""
    match kind:
        case Scalar():
            return kind.written
        case Enum():
            values = " | ".join(json.dumps(value, ensure_ascii=False) for value in kind.values)
            return f"{values} | string" if kind.open else values
        case ListOf():
            element = describe(kind.element)
            return f"({element})[]" if " | " in element else f"{element}[]"
        case ObjectOf():
            return kind.path
        case AliasOf():
            return kind.name
        case Union():
            return " | ".join(describe(each) for each in kind.written)
