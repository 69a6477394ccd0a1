"""Conversions of the value in a variable: statements that check it, and the expression of the converted value."""

from __future__ import annotations

from attrs import frozen

from mcp_bindgen.emit.docstrings import literal
from mcp_bindgen.emit.layout import Tree
from mcp_bindgen.ir.protocol import Enum, Scalar

_CLASSES = {"string": "str", "integer": "int", "boolean": "bool", "object": "dict"}


@frozen
class Conversion:
    """Statements that check the value in a variable, and the expression of the converted value."""

    checks: tuple[str, ...]
    value: Tree

    @property
    def is_copy(self) -> bool:
        """Whether the converted value is the value itself."""
        return isinstance(self.value, str) and self.value in {"v", "e"}


def refused(kind: Scalar, v: str) -> str | None:
    """Return the condition that is true for a value not of a scalar type; None if every value is of the type."""
    match kind.kind:
        case "json":
            return None
        case "null":
            return f"{v} is not None"
        case "float":
            return f"{v}.__class__ is not int and {v}.__class__ is not float"
        case _:
            return f"{v}.__class__ is not {_CLASSES[kind.kind]}"


def refused_by_all(members: list[Scalar], v: str) -> str:
    """Return the condition that is true for a value of none of these types, none of which accepts every value."""
    return of_no_class(scalar_classes(members), v)


def of_no_class(classes: list[str], v: str) -> str:
    """Return the condition that is true for a value of none of these Python classes; two tests are faster than a tuple."""
    if len(classes) > 2:
        return f"{v}.__class__ not in ({', '.join(classes)})"
    return " and ".join(f"{v}.__class__ is not {name}" for name in classes)


def scalar_classes(members: list[Scalar], number: str = "int, float") -> list[str]:
    """Return the Python classes of these types, each once; ``number`` names those of a float."""
    named = {**_CLASSES, "float": number, "null": "NoneType"}
    return list(dict.fromkeys(name for member in members for name in named[member.kind].split(", ")))


def refuse(condition: str, v: str) -> Conversion:
    """Return the conversion that raises if the condition is true, and else keeps the value."""
    return Conversion((f"if {condition}:", "    raise Invalid"), v)


def repeats_check(conversion: Conversion, known: str | None) -> bool:
    """Return whether the first check of a conversion repeats what ``known`` states."""
    repeated = {
        "string": "if v.__class__ is not str:",
        "number": "if v.__class__ is not int and v.__class__ is not float:",
        "boolean": "if v.__class__ is not bool:",
        "null": "if v is not None:",
        "array": "if v.__class__ is not list:",
        "object": "if v.__class__ is not dict:",
    }
    return known is not None and conversion.checks[:1] == (repeated[known],)


def differs(value: str, literals: Enum) -> str:
    """Return the condition that is true for a value other than the one literal."""
    (only,) = literals.values
    if isinstance(only, str):
        return f"{value} != {literal(only)}"
    if isinstance(only, bool):
        return f"{value} is not {only}"
    # In one comparison: with two, type checkers would not narrow an int to the literal.
    return f"({value}.__class__, {value}) != ({type(only).__name__}, {literal(only)})"
