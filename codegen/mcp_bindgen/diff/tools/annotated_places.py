"""Schemas that apply at the same place on both sides, with those to which their references lead.

For keywords that describe a value, such as ``format``, which a comparison of what schemas accept does not see.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from mcp_bindgen.subsumption.conjunction import Conjunction, Part
from mcp_bindgen.syntax.jsonschema.document import Unresolved
from mcp_bindgen.syntax.jsonschema.pointers import below, is_array, is_object
from mcp_bindgen.syntax.jsonschema.schema import Schema

_MAPS = frozenset({"properties", "patternProperties", "dependentSchemas"})
_DEFINITIONS = frozenset({"$defs", "definitions"})
"""Schemas that apply only where a reference leads to them."""


class AnnotatedPlace(NamedTuple):
    """The schemas that apply at one place, on both sides."""

    path: tuple[str, ...]
    """Keywords, names and indexes; a property has only its name."""
    old: tuple[Part, ...]
    new: tuple[Part, ...]

    def values(self, keyword: str) -> tuple[list[Any], list[Any]]:
        """Return the values of a keyword on both sides."""
        return _values(self.old, keyword), _values(self.new, keyword)


def annotated_places(old: Conjunction, new: Conjunction, without: frozenset[str]) -> Iterator[AnnotatedPlace]:
    """Yield the place of two conjunctions and those below it that both have, each pair of schemas once.

    ``without`` are keywords of the top to skip.
    """
    waiting: list[tuple[tuple[str, ...], Conjunction, Conjunction]] = [((), old, new)]
    seen = set[tuple[Schema, Schema]]()
    while waiting:
        path, one, other = waiting.pop()
        place = AnnotatedPlace(path, tuple(_followed(one)), tuple(_followed(other)))
        yield place
        skipped = frozenset[str]() if path else without
        following: list[tuple[tuple[str, ...], Conjunction, Conjunction]] = []
        for before, after in zip(place.old, place.new, strict=False):
            if (before.schema, after.schema) not in seen:
                seen.add((before.schema, after.schema))
                parts = dict(_children(after, skipped))
                following += [
                    ((*path, *name), (part,), (parts[name],))
                    for name, part in _children(before, skipped)
                    if name in parts
                ]
        waiting += reversed(following)


def _followed(conjunction: Conjunction) -> Iterator[Part]:
    """Yield the schemas, each followed by those to which its references lead."""
    for part in conjunction:
        found: Schema | Unresolved | None = part.schema
        seen = set[Schema]()
        while isinstance(found, Schema) and found not in seen:
            seen.add(found)
            yield part.inside(found)
            found = part.document.schemas.target(found)


def _children(part: Part, skipped: frozenset[str]) -> Iterator[tuple[tuple[str, ...], Part]]:
    """Yield the schemas inside a schema by their paths."""
    written = part.written()
    if not is_object(written):
        return
    for keyword, value in written.items():
        if keyword in skipped or keyword in _DEFINITIONS:
            continue
        found: list[tuple[tuple[str, ...], tuple[str, ...]]] = [((keyword,), (keyword,))]
        if keyword in _MAPS and is_object(value):
            above = () if keyword == "properties" else (keyword,)
            found = [((*above, name), (keyword, name)) for name in value]
        elif is_array(value):
            found = [((keyword, str(index)), (keyword, str(index))) for index in range(len(value))]
        for path, tokens in found:
            schema = part.document.schemas.known(below(part.schema.pointer, *tokens))
            if schema is not None:
                yield path, part.inside(schema)


def _values(parts: tuple[Part, ...], keyword: str) -> list[Any]:
    written = [part.written() for part in parts]
    return [schema[keyword] for schema in written if is_object(schema) and keyword in schema]
