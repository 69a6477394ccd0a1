"""The JSON Schema of the document that ``document`` makes: what ``mcp-codegen diff --format json`` prints."""

from __future__ import annotations

from typing import get_args

from mcp_bindgen.describe.jsonschema import DIALECT
from mcp_bindgen.diff.changes import FORMAT, Kind
from mcp_bindgen.diff.sides import SIDES
from mcp_bindgen.diff.rules import RULES
from mcp_bindgen.diff.schema_terms import (
    COUNT,
    LEVEL,
    LEVELS,
    NAMES,
    PAIRINGS,
    TEXT,
    TEXT_OR_NULL,
    Json,
    closed,
    told,
)


def _with(kinds: list[str], member: str) -> Json:
    """Changes of these kinds have the member, and others may not have it."""
    condition = {"properties": {"kind": {"enum": kinds}}}
    return {"if": condition, "then": {"required": [member]}, "else": {"not": {"required": [member]}}}


_WITNESS = closed(
    "A message that shows what the change means.",
    {
        "pairing": {"enum": list(PAIRINGS)},
        "sender": {"enum": list(SIDES)},
        "message": told(
            "The JSON that is sent: an object, or for a batch an array of them.",
            {"anyOf": [{"type": "object"}, {"type": "array", "items": {"type": "object"}, "minItems": 1}]},
        ),
        "outcome": told(
            "What the receiver does: it refuses the message, ignores a part of it, or has no such method and so "
            "gives no result but the error -32601.",
            {"enum": ["refused", "ignored", "unanswered"]},
        ),
    },
)

_CHANGE: Json = {
    **closed(
        "One thing that differs.",
        {
            "id": told("Unique in the document and the same in every run; approvals name it.", TEXT),
            "kind": {"enum": list(get_args(Kind))},
            "rule": told("By what it was judged; more rules may come.", {"anyOf": [{"enum": list(RULES)}, TEXT]}),
            "subject": told("What changed: a type, a field, a method, a constant.", TEXT),
            "old": told("TypeScript text of the type or value before; null where there was none.", TEXT_OR_NULL),
            "new": told("The same after.", TEXT_OR_NULL),
            "verdicts": closed(
                "What it means for peers that do not negotiate, and for code over generated types.",
                dict.fromkeys(PAIRINGS, LEVEL) | {"api": LEVEL},
            ),
            "level": told("The worse of the verdicts for the two pairings.", LEVEL),
            "reason": told("Who breaks, and why, in one sentence.", TEXT),
        },
        {
            "member": told("The union member, enumeration value or result type, as in TypeScript.", TEXT),
            "declared_in": told("The type that declares the field, where the subject inherits it.", TEXT),
            "inherited_by": told("The types that change with the subject, which declares the field.", NAMES),
            "required": told("Whether a field that came or went is (was) required.", {"type": "boolean"}),
            "sent_by": told(
                "Who sends messages that contain the subject; absent where nobody does.",
                {"type": "array", "items": {"enum": list(SIDES)}, "minItems": 1, "uniqueItems": True},
            ),
            "methods": told(
                "The methods and notifications whose messages contain the subject: in both revisions, or else in either.",
                NAMES,
            ),
            "hint": told("What to do about it.", TEXT),
            "witness": _WITNESS,
            "approved": told("Present where an approvals file has the id.", {"const": True}),
        },
    ),
    "allOf": [
        _with(["field_added", "field_removed"], "required"),
        _with(
            [
                "union_member_added",
                "union_member_removed",
                "enum_value_added",
                "enum_value_removed",
                "method_result_changed",
            ],
            "member",
        ),
    ],
}

_REVISION = closed(
    "One side of the comparison.",
    {"revision": told("The id that was asked for.", TEXT), "source": told("Where its schema was read.", TEXT)},
)

DEFINITIONS: Json = {"revision": _REVISION, "level": {"enum": LEVELS}, "change": _CHANGE}

SCHEMA: Json = {
    "$schema": DIALECT,
    "title": f"The difference of two revisions, {FORMAT}",
    **closed(
        "All that differs, in a stable order: the same input gives the same bytes.",
        {
            "format": {"const": FORMAT},
            "old": {"$ref": "#/$defs/revision"},
            "new": {"$ref": "#/$defs/revision"},
            "summary": closed(
                "How many changes there are.",
                {"changes": COUNT, "by_level": closed("By their level.", dict.fromkeys(LEVELS, COUNT))},
            ),
            "changes": {"type": "array", "items": {"$ref": "#/$defs/change"}},
        },
    ),
    "$defs": DEFINITIONS,
}
"""JSON Schema 2020-12."""
