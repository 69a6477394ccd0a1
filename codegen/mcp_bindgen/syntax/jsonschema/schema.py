"""One schema of a document, in the vocabulary of JSON Schema 2020-12 whatever its dialect.

Keywords have the meaning of the specification; a keyword that is not written is None or empty. References stay references:
``SchemaDocument.target`` follows them, so a tree of these nodes is finite.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from attrs import field, frozen

from mcp_bindgen.syntax.jsonschema.pointers import is_array, is_object

JsonType: TypeAlias = Literal["null", "boolean", "integer", "number", "string", "array", "object"]
"""A type of JSON Schema. An ``integer`` is a ``number`` without fraction."""

JSON_TYPES: tuple[JsonType, ...] = ("null", "boolean", "integer", "number", "string", "array", "object")

Bound: TypeAlias = int | float


@frozen(eq=False, kw_only=True)
class Schema:
    """A schema object; ``true`` is one without keywords, ``false`` one with ``nothing``."""

    pointer: str
    """Place in the document."""
    resource: str = ""
    """Place of the schema to which its references are relative: the document, or an enclosing ``$id``."""
    nothing: bool = False
    """Whether no value is valid: the schema ``false``."""
    nullable: bool = False
    """Whether null is valid, too, whatever the other keywords require (OpenAPI 3.0)."""
    keywords: frozenset[str] = frozenset()
    """Names of the keywords that apply, by their 2020-12 names."""
    unknown: tuple[str, ...] = ()
    """Names of members that no dialect defines; they have no meaning."""

    ref: str | None = None
    """``$ref``, ``$dynamicRef`` or ``$recursiveRef`` as written. It applies besides the other keywords."""
    all_of: tuple[Schema, ...] = ()
    any_of: tuple[Schema, ...] = ()
    one_of: tuple[Schema, ...] = ()
    negated: Schema | None = None
    """``not``"""
    condition: Schema | None = None
    """``if``"""
    consequence: Schema | None = None
    """``then``"""
    alternative: Schema | None = None
    """``else``"""

    types: frozenset[JsonType] | None = None
    """``type``; never both ``integer`` and ``number``."""
    values: tuple[Any, ...] | None = None
    """``enum``, or the value of ``const`` alone; of both, the values that they have in common."""

    properties: Mapping[str, Schema] = field(factory=dict[str, "Schema"])
    pattern_properties: Mapping[str, Schema] = field(factory=dict[str, "Schema"])
    additional_properties: Schema | None = None
    unevaluated_properties: Schema | None = None
    property_names: Schema | None = None
    required: tuple[str, ...] = ()
    dependent_required: Mapping[str, tuple[str, ...]] = field(factory=dict[str, "tuple[str, ...]"])
    dependent_schemas: Mapping[str, Schema] = field(factory=dict[str, "Schema"])
    min_properties: int | None = None
    max_properties: int | None = None

    prefix_items: tuple[Schema, ...] = ()
    items: Schema | None = None
    """Schema of the items after ``prefix_items``."""
    unevaluated_items: Schema | None = None
    contains: Schema | None = None
    min_contains: int | None = None
    max_contains: int | None = None
    min_items: int | None = None
    max_items: int | None = None
    unique_items: bool = False

    minimum: Bound | None = None
    maximum: Bound | None = None
    exclusive_minimum: Bound | None = None
    exclusive_maximum: Bound | None = None
    multiple_of: Bound | None = None

    min_length: int | None = None
    max_length: int | None = None
    pattern: str | None = None
    """Regular expression as written; it is never run here."""
    format: str | None = None

    title: str | None = None
    description: str | None = None
    deprecated: bool = False
    default: Any = None
    """``default``, if that is one of the ``keywords``."""
    examples: tuple[Any, ...] = ()


def same_json(one: Any, other: Any) -> bool:
    """Return whether two values are equal by JSON Schema: ``1`` is ``1.0``, but not ``true``."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if is_array(one) and is_array(other):
        return len(one) == len(other) and all(map(same_json, one, other))
    if is_object(one) and is_object(other):
        return one.keys() == other.keys() and all(same_json(one[key], other[key]) for key in one)
    return bool(one == other)


def type_of(value: Any) -> JsonType:
    """Return the type of a JSON value; a float without fraction is an ``integer``."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "integer" if value.is_integer() else "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"
