"""Types and decisions in words: shorter than canonical text, with the names that the schema uses."""

from __future__ import annotations

from collections.abc import Iterable

from mcp_bindgen.describe.canonical import literal
from mcp_bindgen.ir.decisions import ByFirst, ByKey, ByKind, ByNested, ByTag, Decision, Member, Undecidable
from mcp_bindgen.ir.protocol import AliasOf, Constraints, Enum, ListOf, ObjectOf, Protocol, Scalar, Type, Union

_SCALARS = {
    "string": "string",
    "integer": "integer",
    "float": "number",
    "boolean": "boolean",
    "null": "null",
    "json": "any JSON",
    "object": "object",
}


def type_text(protocol: Protocol, kind: Type) -> str:
    """Return a type as users write it; inline objects are ``{…}``."""
    match kind:
        case Scalar():
            return _SCALARS[kind.kind]
        case Enum():
            return " | ".join([*map(literal, kind.values), *(["string"] if kind.open else [])])
        case ListOf():
            inner = type_text(protocol, kind.element)
            return f"({inner})[]" if " | " in inner else f"{inner}[]"
        case AliasOf():
            return kind.name
        case Union():
            return " | ".join(type_text(protocol, member) for member in kind.written)
        case ObjectOf():
            declared = protocol.objects[kind.path]
            if declared.kind != "inline":
                return kind.path
            if declared.is_map:
                value = "any JSON" if declared.index is None else type_text(protocol, declared.index)
                return f"map of {value}"
            return "{…}"


def constraint_words(constraints: Constraints) -> list[str]:
    """Return the constraints of a field in words."""
    words: list[str] = []
    low, high = constraints.minimum, constraints.maximum
    if low is not None and high is not None:
        words.append(f"{low} to {high}")
    elif low is not None:
        words.append(f"at least {low}")
    elif high is not None:
        words.append(f"at most {high}")
    if constraints.max_items is not None:
        words.append(f"at most {constraints.max_items} items")
    if constraints.format is not None:
        words.append(f"format {constraints.format}")
    return words


def discriminator_lines(protocol: Protocol, union: Union) -> list[str]:
    """Return how the members of a union are distinguished, one check of the value a line."""
    return _Decisions(protocol, union).lines(union.decision, "")


class _Decisions:
    def __init__(self, protocol: Protocol, union: Union) -> None:
        self._members = [type_text(protocol, member) for member in union.members]

    def lines(self, decision: Decision, indent: str) -> list[str]:
        match decision:
            case Member():
                return [indent + self._members[decision.index]]
            case ByKind() if len(decision.branches) == 1:
                # A single kind is not a choice: "an object" is obvious.
                return self.lines(decision.branches[0][1], indent)
            case ByKind():
                return self._branches("by the kind of JSON", decision.branches, indent)
            case ByTag():
                branches = [(literal(value), inner) for value, inner in decision.branches]
                absent = [] if decision.absent is None else [("absent", decision.absent)]
                return self._branches(f"by {decision.key!r}", (*branches, *absent), indent)
            case ByKey():
                other = [] if decision.absent is None else [("absent", decision.absent)]
                return self._branches(
                    f"by {decision.key!r} being there", [("present", decision.present), *other], indent
                )
            case ByNested():
                inner = self.lines(decision.inner, indent)
                return [f"{indent}inside {decision.key!r}, {inner[0].strip()}", *inner[1:]]
            case ByFirst():
                branches = [("first element", decision.inner), ("empty", decision.empty)]
                return self._branches("by the first element", branches, indent)
            case Undecidable():
                return [f"{indent}not by the value: {decision.reason}"]

    def _branches(self, title: str, branches: Iterable[tuple[str, Decision]], indent: str) -> list[str]:
        lines = [f"{indent}{title}:"]
        for value, inner in branches:
            head, *rest = self.lines(inner, f"{indent}    ")
            lines += [f"{indent}  {value} -> {head.strip()}", *rest]
        return lines
