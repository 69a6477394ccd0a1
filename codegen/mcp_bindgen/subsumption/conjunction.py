"""Conjunctions of schemas: the values that satisfy all of them.

A schema never changes here. ``allOf``, references and the intersection of two schemas only make a conjunction longer, so
that every question is about a finite set of schemas, and recursive schemas need no special treatment.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from attrs import frozen

from mcp_bindgen.syntax.jsonschema.document import SchemaDocument
from mcp_bindgen.syntax.jsonschema.schema import Schema, same_json


@frozen(eq=False)
class Document:
    """A schema as JSON, and as read."""

    value: Any
    schemas: SchemaDocument

    @classmethod
    def of(cls, value: Any, source: str, *, is_checked: bool = False) -> Document:
        """Read a schema; ``source`` names it in errors. Raise ``JsonSchemaError``.

        With ``is_checked``, the value is part of one that ``check_json`` accepted.
        """
        return cls(value, SchemaDocument(value, source, is_checked=is_checked))


@frozen
class Part:
    """A schema with the document that its references point into."""

    schema: Schema
    document: Document

    def written(self) -> Any:
        """Return the schema as JSON."""
        return self.document.schemas.written(self.schema)

    def inside(self, schema: Schema) -> Part:
        """Return a schema of the same document."""
        return Part(schema, self.document)


Conjunction: TypeAlias = tuple[Part, ...]
"""Schemas that apply together; the empty one accepts every value."""


def root_of(document: Document) -> Conjunction:
    """Return the conjunction of a document's root schema alone."""
    return (Part(document.schemas.root, document),)


def joined(parts: Iterable[Part]) -> Conjunction:
    """Return parts without duplicates and without schemas that have no keywords."""
    if isinstance(parts, tuple) and len(parts) == 1:
        # By far the most frequent case.
        return parts if parts[0].schema.keywords or parts[0].schema.nothing else ()
    kept: dict[tuple[int, int], Part] = {}
    for part in parts:
        if part.schema.keywords or part.schema.nothing:
            kept.setdefault((id(part.schema), id(part.document)), part)
    return tuple(kept.values())


def are_same(one: Conjunction, other: Conjunction) -> bool:
    """Return whether two conjunctions of one schema each are equal as JSON, in documents without references.

    This is a comparison of texts, which takes a fraction of a proof: most schemas of two releases are equal.
    """
    if len(one) != 1 or len(other) != 1:
        return not one and not other
    first, second = one[0], other[0]
    if first.document.schemas.has_references or second.document.schemas.has_references:
        return False
    return same_json(first.written(), second.written())
