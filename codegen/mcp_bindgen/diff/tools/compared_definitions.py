"""Definitions of a schema that are being compared, so that one that refers to itself is compared once."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import TypeAlias

from mcp_bindgen.subsumption.conjunction import Conjunction, Part
from mcp_bindgen.subsumption.identity import Identity
from mcp_bindgen.subsumption.members import ObjectView
from mcp_bindgen.syntax.jsonschema.keywords import ANNOTATIONS
from mcp_bindgen.syntax.jsonschema.schema import Schema

_REFERENCE = ANNOTATIONS | {"$ref"}
"""Keywords of a schema that is only a reference."""

_Definition: TypeAlias = frozenset[Schema]
"""The schemas that describe an object together, without those that are only references."""


class ComparedDefinitions:
    """The pairs of objects on the way from the top to the members that are being compared."""

    def __init__(self) -> None:
        self._pairs: list[tuple[_Definition, _Definition]] = []
        self._identity = Identity()

    @contextmanager
    def comparing(self, before: ObjectView, after: ObjectView) -> Generator[None]:
        """Compare the members of two objects inside ``with``."""
        self._pairs.append((_definition(before.leaves), _definition(after.leaves)))
        try:
            yield
        finally:
            self._pairs.pop()

    def has(self, before: ObjectView | None, after: ObjectView | None) -> bool:
        """Return whether two objects are being compared already."""
        if before is None or after is None:
            return False
        return (_definition(before.leaves), _definition(after.leaves)) in self._pairs

    def explain(self, old: Conjunction, new: Conjunction) -> bool:
        """Return whether two schemas differ in nothing but objects that are being compared and that they refer to.

        The references may lead there through other definitions.
        """
        if len(old) != 1 or len(new) != 1:
            return False
        self._identity.begin()
        waiting, seen, is_reached = [(old[0], new[0])], set[tuple[Schema, Schema]](), False
        while waiting:
            targets = self._identity.targets(*waiting.pop())
            if targets is None:
                return False
            for one, other in targets:
                if (_definition((one,)), _definition((other,))) in self._pairs:
                    is_reached = True
                elif (one.schema, other.schema) not in seen:
                    seen.add((one.schema, other.schema))
                    waiting.append((one, other))
        return is_reached


def _definition(parts: tuple[Part, ...]) -> _Definition:
    return frozenset(part.schema for part in parts if part.schema.keywords - _REFERENCE or part.schema.nothing)
