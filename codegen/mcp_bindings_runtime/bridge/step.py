"""One step of a conversion: apply the tables of two neighbouring revisions to JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ..codec.type_tables import Path, Shape, TypeTables, Violation, is_one_of, json_kind
from .ledger import Action, LedgerEntry, json_pointer
from .step_tables import Node, StepTables, Treatment


class Envelope(NamedTuple):
    """The properties of a message that all its entries in the ledger share."""

    direction: str | None
    method: str | None
    id: Any


class Inexpressible(Exception):
    """Raised for a value that the target revision cannot express."""

    def __init__(self, path: Path, reason: int, action: Action = "refused") -> None:
        super().__init__(path, reason, action)
        self.path = path
        self.reason = reason
        self.action: Action = action


class Step:
    """Conversion of one message or value, which adds to a ledger.

    ``replacements`` are the functions that the tables name, ``placeholders`` the values.
    """

    def __init__(
        self,
        tables: StepTables,
        replacements: Mapping[str, Callable[..., Any]],
        placeholders: Mapping[str, Any],
        envelope: Envelope,
        ledger: list[LedgerEntry],
        *,
        strict: bool,
    ) -> None:
        self.tables = tables
        self._replacements = replacements
        self._placeholders = placeholders
        self.envelope = envelope
        self._ledger = ledger
        self._strict = strict
        self._shapes = TypeTables(tables.shapes, tables.aliases)

    def note(self, path: Path, action: Action, reason: int) -> None:
        """Add an entry to the ledger."""
        why, section = self.tables.reasons[reason]
        step = f"{self.tables.source} -> {self.tables.target}"
        self._ledger.append(LedgerEntry(*self.envelope, json_pointer(path), action, why, section, step))

    def convert(self, value: Any, node: Node, path: Path) -> Any:
        """Return a value as the target expresses it; the original is not changed.

        Raise ``Inexpressible`` if the target cannot express it.
        """
        if node is None:
            return value
        verb, *rest = node
        match verb:
            case "object":
                return self._object(value, self.tables.objects[rest[0]], path) if value.__class__ is dict else value
            case "list":
                if value.__class__ is not list:
                    return value
                return [self.convert(item, rest[0], (*path, place)) for place, item in enumerate(value)]
            case "map":
                if value.__class__ is not dict:
                    return value
                return {key: self.convert(item, rest[0], (*path, key)) for key, item in value.items()}
            case "union":
                chosen = choose(value, rest[0])
                return value if chosen is None else self.convert(value, rest[1][chosen], path)
            case "fit":
                if not self._fits(value, rest[0]):
                    raise Inexpressible(path, rest[1])
                return value
            case "apply":
                return self._replaced(value, path, *rest)
            case _:
                raise Inexpressible(path, rest[0], "dropped" if verb == "omit" else "refused")

    def _object(self, value: dict[str, Any], treatments: tuple[Treatment, ...], path: Path) -> dict[str, Any]:
        made = dict(value)
        for verb, name, *rest in treatments:
            here = (*path, name)
            if verb == "apply":
                made = self._replaced(made, path, name, *rest)
            elif verb == "add":
                added = self._added(rest[0])
                if name not in made and added is not None:
                    made[name] = added
                    self.note(here, "synthesised", rest[1])
            elif verb == "require":
                if name not in made:
                    raise Inexpressible(here, rest[0])
            elif name not in made:
                continue
            elif verb == "fit":
                if not self._fits(made[name], rest[0]):
                    del made[name]
                    self.note(here, "dropped", rest[1])
            elif verb == "convert":
                made[name] = self.convert(made[name], rest[0], here)
            elif verb == "attempt":
                self._attempt(made, name, rest[0], here)
            elif verb == "refuse":
                raise Inexpressible(here, rest[0])
            elif verb == "keep" and not self._strict:
                self.note(here, "kept", rest[0])
            else:
                del made[name]
                self.note(here, "dropped", rest[0])
        return made

    def _attempt(self, made: dict[str, Any], name: str, node: Node, path: Path) -> None:
        """Convert a member, or remove it if the target cannot express it."""
        mark = len(self._ledger)
        try:
            made[name] = self.convert(made[name], node, path)
        except Inexpressible as problem:
            del self._ledger[mark:]
            self.note(path, "dropped", problem.reason)
            del made[name]

    def _replaced(self, value: Any, path: Path, name: str, reason: int, *arguments: Any) -> Any:
        try:
            return self._replacements[name](self, value, path, reason, *arguments)
        except (KeyError, TypeError):
            # The source revision does not allow such a value.
            raise Inexpressible(path, reason) from None

    def _added(self, value: Any) -> Any:
        found = self._placeholders.get(value, value) if value.__class__ is str else value
        return dict(found) if found.__class__ is dict else found

    def _fits(self, value: Any, shape: Shape) -> bool:
        resolved = self._shapes.resolve(value, shape, ())
        if isinstance(resolved, Violation):
            return False
        parts = self._shapes.parts(value, resolved, ())
        return all(
            part.kind in {"undeclared", "further"} or (part.kind != "missing" and self._fits(part.value, part.shape))
            for part in parts
        )


def choose(value: Any, decision: Any) -> int | None:
    """Return the index of the alternative that a decision of ``codec.type_tables`` leads to; None if there is none."""
    rest: Any
    while decision is not None and decision.__class__ is not int:
        verb, *rest = decision
        if verb == "kind":
            found = json_kind(value)
            decision = dict(rest[0]).get(found)
        elif verb == "first":
            decision = rest[0] if value else rest[1]
            value = value[0] if value else None
        elif verb == "undecidable" or value.__class__ is not dict:
            return None
        elif verb == "nested":
            decision, value = rest[1], value.get(rest[0])
        elif verb == "key":
            decision = rest[1] if rest[0] in value else rest[2]
        elif rest[0] in value:
            tag = value[rest[0]]
            decision = next((branch for literal, branch in rest[1] if is_one_of(tag, (literal,))), None)
        else:
            decision = rest[2]
    chosen: int | None = decision
    return chosen
