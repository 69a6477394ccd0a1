"""What a type says of its values beyond their kind: keywords of JSON Schema, for ``Annotated``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import UsageError


class Keywords:
    """Keywords of JSON Schema: ``Annotated[int, "percent", Keywords(minimum=0, maximum=100)]``.

    They are in the schema of the type, and values are held against them. ``more`` is for annotations by their own name,
    such as ``x-mcp-header``; ``format`` and ``examples`` are annotations, too: nothing is checked by them. Raises
    UsageError for a keyword in ``more`` that is none of ``x-…``. JSON Schema 2020-12, Validation, sections 6, 7 and 9.
    """

    __slots__ = ("schema",)

    def __init__(
        self,
        *,
        minimum: float | None = None,
        maximum: float | None = None,
        exclusive_minimum: float | None = None,
        exclusive_maximum: float | None = None,
        multiple_of: float | None = None,
        min_length: int | None = None,
        max_length: int | None = None,
        pattern: str | None = None,
        min_items: int | None = None,
        max_items: int | None = None,
        unique_items: bool | None = None,
        min_properties: int | None = None,
        max_properties: int | None = None,
        title: str | None = None,
        format: str | None = None,  # noqa: A002  # the keyword's name
        examples: Sequence[Any] | None = None,
        deprecated: bool | None = None,
        more: Mapping[str, Any] | None = None,
    ) -> None:
        given = {
            "title": title,
            "minimum": minimum,
            "maximum": maximum,
            "exclusiveMinimum": exclusive_minimum,
            "exclusiveMaximum": exclusive_maximum,
            "multipleOf": multiple_of,
            "minLength": min_length,
            "maxLength": max_length,
            "pattern": pattern,
            "minItems": min_items,
            "maxItems": max_items,
            "uniqueItems": unique_items,
            "minProperties": min_properties,
            "maxProperties": max_properties,
            "format": format,
            "examples": None if examples is None else list(examples),
            "deprecated": deprecated,
        }
        self.schema = {key: value for key, value in given.items() if value is not None}
        for key, value in (more or {}).items():
            if not key.startswith("x-"):
                text = f"Keywords(more=…) has {key!r}; accepted are names that begin with x-"
                raise UsageError(text)
            self.schema[key] = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Keywords) and self.schema == other.schema

    def __hash__(self) -> int:
        # Python joins equal types by their hashes, and what is annotated with a thing has its hash.
        return hash(repr(self.schema))

    def __repr__(self) -> str:
        return f"Keywords({self.schema})"


CONSTRAINTS: Mapping[str, str] = {
    key: kind
    for kind, keys in {
        "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
        "string": ("minLength", "maxLength", "pattern"),
        "array": ("minItems", "maxItems", "uniqueItems"),
        "object": ("minProperties", "maxProperties"),
    }.items()
    for key in keys
}
"""Keywords that restrict one kind of values, by their name."""
