"""The keywords of JSON Schema 2020-12, a closed table: the form of each value, and the attribute of ``Schema`` it sets.

Forms that only older dialects have are in ``dialects``. Members that neither knows have no meaning, as the specification
demands (2020-12, Core: 4.3.1), and are listed by ``Schema.unknown``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType

from attrs import frozen

_UPPER = re.compile(r"[A-Z]")


class Form(Enum):
    """The form of a keyword's value, as error messages name it."""

    SCHEMA = "a schema: an object, true or false"
    SCHEMA_LIST = "a list of schemas"
    SCHEMA_MAP = "an object whose members are schemas"
    TYPES = "the name of a type, or a list of them"
    VALUES = "a list of values"
    ANY = "any value"
    TEXT = "a string"
    NAMES = "a list of strings"
    NAME_LISTS = "an object whose members are lists of strings"
    COUNT = "a whole number, 0 or more"
    NUMBER = "a number"
    POSITIVE = "a number above 0"
    FLAG = "true or false"


@frozen
class Keyword:
    """A keyword: the form of its value, and the attribute that holds it; none for identifiers and comments."""

    form: Form
    attribute: str | None = None


def _keywords(form: Form, names: str) -> dict[str, Keyword]:
    """Return keywords of one form, each with the attribute of its own name: ``min_length`` for ``minLength``."""
    return {name: Keyword(form, _UPPER.sub(lambda letter: f"_{letter[0].lower()}", name)) for name in names.split()}


KEYWORDS: Mapping[str, Keyword] = MappingProxyType(
    {
        "$ref": Keyword(Form.TEXT, "ref"),
        "$dynamicRef": Keyword(Form.TEXT, "ref"),
        "$id": Keyword(Form.TEXT),
        "$anchor": Keyword(Form.TEXT),
        "$dynamicAnchor": Keyword(Form.TEXT),
        "$schema": Keyword(Form.TEXT),
        "$comment": Keyword(Form.ANY),
        "$vocabulary": Keyword(Form.ANY),
        "$defs": Keyword(Form.SCHEMA_MAP),
        "not": Keyword(Form.SCHEMA, "negated"),
        "if": Keyword(Form.SCHEMA, "condition"),
        "then": Keyword(Form.SCHEMA, "consequence"),
        "else": Keyword(Form.SCHEMA, "alternative"),
        "type": Keyword(Form.TYPES, "types"),
        **_keywords(Form.SCHEMA_LIST, "allOf anyOf oneOf prefixItems"),
        **_keywords(Form.SCHEMA_MAP, "properties patternProperties dependentSchemas"),
        **_keywords(Form.SCHEMA, "additionalProperties unevaluatedProperties propertyNames"),
        **_keywords(Form.SCHEMA, "items unevaluatedItems contains"),
        "contentSchema": Keyword(Form.SCHEMA),
        "enum": Keyword(Form.VALUES, "values"),
        "const": Keyword(Form.ANY, "values"),
        **_keywords(Form.VALUES, "examples"),
        **_keywords(Form.ANY, "default"),
        **_keywords(Form.NAMES, "required"),
        **_keywords(Form.NAME_LISTS, "dependentRequired"),
        **_keywords(Form.COUNT, "minLength maxLength minItems maxItems minContains maxContains"),
        **_keywords(Form.COUNT, "minProperties maxProperties"),
        **_keywords(Form.NUMBER, "minimum maximum exclusiveMinimum exclusiveMaximum"),
        **_keywords(Form.POSITIVE, "multipleOf"),
        **_keywords(Form.TEXT, "pattern format title description"),
        "contentEncoding": Keyword(Form.TEXT),
        "contentMediaType": Keyword(Form.TEXT),
        **_keywords(Form.FLAG, "uniqueItems deprecated"),
        "readOnly": Keyword(Form.FLAG),
        "writeOnly": Keyword(Form.FLAG),
        # OpenAPI 3.0.
        "nullable": Keyword(Form.FLAG, "nullable"),
        "discriminator": Keyword(Form.ANY),
        "example": Keyword(Form.ANY),
        "externalDocs": Keyword(Form.ANY),
        "xml": Keyword(Form.ANY),
    }
)
"""Keywords by name."""

ANNOTATIONS = frozenset({"title", "description", "default", "deprecated", "examples", "readOnly", "writeOnly"})
"""Keywords that describe a value and refuse none."""
