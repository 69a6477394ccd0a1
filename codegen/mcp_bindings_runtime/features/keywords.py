"""Keywords of JSON Schema, for ``Annotated``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import UsageError
from ..foreign_names import ARGUMENTS_OF_KEYWORDS, explain_calls


class Keywords:
    """Keywords of JSON Schema: ``Annotated[int, "percent", Keywords(minimum=0, maximum=100)]``.

    They are part of the schema of the type, and values are checked against them. ``more`` is for keywords of other
    vocabularies, such as ``x-mcp-header``. ``more``, ``format`` and ``examples`` restrict nothing. Raises UsageError for a
    name in ``more`` without the prefix ``x-``. JSON Schema 2020-12, Validation, sections 6, 7 and 9.
    """

    __slots__ = ("schema",)

    @explain_calls(ARGUMENTS_OF_KEYWORDS)
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
        keywords = {
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
        self.schema = {key: value for key, value in keywords.items() if value is not None}
        for key, value in (more or {}).items():
            if not key.startswith("x-"):
                text = f"names in Keywords(more=…) must begin with x-, got {key!r}"
                raise UsageError(text)
            self.schema[key] = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Keywords) and self.schema == other.schema

    def __hash__(self) -> int:
        # `typing` caches annotations by the hashes of their parts.
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


def python_name(keyword: str) -> str:
    """Return the parameter of ``Keywords`` for a keyword: ``min_length`` for ``minLength``."""
    return "".join(f"_{char.lower()}" if char.isupper() else char for char in keyword)
