"""How a value in a variable is read: the checks of scalars, and what is made of the value."""

from __future__ import annotations

from attrs import frozen

from mcp_bindgen.emit.docstrings import literal
from mcp_bindgen.emit.layout import Tree
from mcp_bindgen.ir.protocol import Enum, Scalar

_CLASSES = {"string": "str", "integer": "int", "boolean": "bool", "object": "dict"}


@frozen
class Conversion:
    """How a value in a variable is read: statements that check it, and the expression of what it becomes."""

    checks: tuple[str, ...]
    value: Tree

    @property
    def is_copy(self) -> bool:
        """The value stays what it is."""
        return isinstance(self.value, str) and self.value in {"v", "e"}


def refused(kind: Scalar, v: str) -> str | None:
    """The condition under which a value is not of a scalar type; None where every value is."""
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
    """The condition under which a value is of none of these types, of which none takes every value."""
    return of_no_class(scalar_classes(members), v)


def of_no_class(classes: list[str], v: str) -> str:
    """The condition under which a value is of none of these Python classes; to make a tuple of two costs more."""
    if len(classes) > 2:
        return f"{v}.__class__ not in ({', '.join(classes)})"
    return " and ".join(f"{v}.__class__ is not {name}" for name in classes)


def scalar_classes(members: list[Scalar], number: str = "int, float") -> list[str]:
    """The Python classes of these types, each once; ``number`` stands for those of a float."""
    named = {**_CLASSES, "float": number, "null": "NoneType"}
    return list(dict.fromkeys(name for member in members for name in named[member.kind].split(", ")))


def refuse(condition: str, v: str) -> Conversion:
    """Keep the value as it is, unless the condition holds."""
    return Conversion((f"if {condition}:", "    raise Invalid"), v)


def repeats_check(conversion: Conversion, known: str | None) -> bool:
    """Whether the first check of a conversion only asks what is known already."""
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
    """The condition under which a value is not the one literal."""
    (only,) = literals.values
    if isinstance(only, str):
        return f"{value} != {literal(only)}"
    if isinstance(only, bool):
        return f"{value} is not {only}"
    # Together, since type checkers would take what is an int, asked apart, for no literal.
    return f"({value}.__class__, {value}) != ({type(only).__name__}, {literal(only)})"
