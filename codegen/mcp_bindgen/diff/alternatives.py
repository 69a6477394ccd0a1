"""The alternatives of a type: aliases and unions expanded, literals collected, one entry for each way to write a value."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TypeAlias

from attrs import define, field

from mcp_bindgen.describe.canonical import literal
from mcp_bindgen.ir.protocol import AliasOf, AliasType, Enum, ListOf, ObjectOf, Scalar, Type, Union

Literal: TypeAlias = str | int | float | bool


@define
class Alternatives:
    """The alternatives of one type."""

    literals: dict[str, Literal] = field(factory=dict[str, Literal])
    """By their text, since 1, 1.0 and true would be one key."""
    any_string: bool = False
    scalars: dict[str, Scalar] = field(factory=dict[str, Scalar])
    """``number``, ``boolean``, ``null`` and ``object``, by keyword."""
    json: str | None = None
    """The alternative that accepts any JSON value: the name of an alias, or empty for a keyword."""
    objects: dict[str, None] = field(factory=dict[str, None])
    """Paths, in source order."""
    lists: dict[ListOf, str | None] = field(factory=dict[ListOf, str | None])
    """Arrays, each with the alias that stands for it."""
    kept: dict[str, None] = field(factory=dict[str, None])
    """Aliases that were not to be expanded."""

    @property
    def size(self) -> int:
        """The number of alternatives; ``string`` counts once, together with the literals that it includes."""
        strings = 0 if self.any_string else sum(isinstance(value, str) for value in self.literals.values())
        others = sum(not isinstance(value, str) for value in self.literals.values())
        parts = len(self.scalars) + len(self.objects) + len(self.lists) + len(self.kept)
        return strings + others + parts + self.any_string + (self.json is not None)

    @property
    def has_fractions(self) -> bool | None:
        """Whether numbers may have fractions; None if the only numbers are literals."""
        number = self.scalars.get("number")
        return None if number is None else number.kind == "float"

    @property
    def is_enumeration(self) -> bool:
        """Whether all alternatives are literals, or literals and ``string``."""
        return bool(self.literals or self.any_string) and not (
            self.scalars or self.objects or self.lists or self.kept or self.json is not None
        )


def alternatives(kind: Type, aliases: Mapping[str, AliasType], keep: Collection[str] = ()) -> Alternatives:
    """Return the alternatives of a type; aliases in ``keep`` are not expanded."""
    found = Alternatives()
    for part, name in _leaves(kind, aliases, keep):
        match part:
            case Enum():
                found.literals.update((literal(value), value) for value in part.values)
                found.any_string = found.any_string or part.open
            case Scalar(kind="string"):
                found.any_string = True
            case Scalar(kind="json"):
                found.json = name or ""
            case Scalar(kind="float"):
                # Floats include integers, so they win over an integer alternative.
                found.scalars["number"] = part
            case Scalar():
                found.scalars.setdefault("number" if part.kind == "integer" else part.kind, part)
            case ListOf():
                found.lists.setdefault(part, name)
            case ObjectOf():
                found.objects[part.path] = None
            case AliasOf():
                found.kept[part.name] = None
            case Union():
                pass
    return found


def alias_names(kind: Type, aliases: Mapping[str, AliasType]) -> list[str]:
    """Return the aliases that a type is, or has among its alternatives, on all levels."""
    found: dict[str, None] = {}
    waiting = [kind]
    while waiting:
        part = waiting.pop()
        if isinstance(part, AliasOf) and part.name not in found:
            found[part.name] = None
            waiting.append(aliases[part.name].type)
        elif isinstance(part, Union):
            waiting.extend(part.written[::-1])
    return list(found)


def _leaves(kind: Type, aliases: Mapping[str, AliasType], keep: Collection[str]) -> Iterator[tuple[Type, str | None]]:
    """Yield the parts that are not unions, each with the alias that stands for it alone."""
    waiting: list[tuple[Type, str | None]] = [(kind, None)]
    while waiting:
        part, name = waiting.pop()
        if isinstance(part, Union):
            waiting.extend((each, None) for each in part.written[::-1])
        elif isinstance(part, AliasOf) and part.name not in keep:
            waiting.append((aliases[part.name].type, part.name))
        else:
            yield part, name
