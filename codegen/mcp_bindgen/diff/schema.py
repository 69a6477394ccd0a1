"""The JSON Schema of the document that ``document`` makes: what ``mcp-codegen diff --format json`` prints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from mcp_bindgen.describe.jsonschema import DIALECT
from mcp_bindgen.diff.changes import FORMAT, VERDICTS, Kind
from mcp_bindgen.diff.peers import SIDES
from mcp_bindgen.diff.rules import RULES

Json = dict[str, Any]

_LEVELS = list(reversed(VERDICTS))
_PAIRINGS = ("old_client_new_server", "new_client_old_server")

_TEXT: Json = {"type": "string", "minLength": 1}
_TEXT_OR_NULL: Json = {"type": ["string", "null"]}
_NAMES: Json = {"type": "array", "items": _TEXT, "minItems": 1, "uniqueItems": True}
_COUNT: Json = {"type": "integer", "minimum": 0}
_LEVEL: Json = {"$ref": "#/$defs/level"}


def _object(description: str, required: Mapping[str, Json], optional: Mapping[str, Json] | None = None) -> Json:
    """An object with nothing but these members."""
    return {
        "description": description,
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
        "additionalProperties": False,
    }


def _told(description: str, schema: Json) -> Json:
    return {"description": description, **schema}


def _with(kinds: list[str], member: str) -> Json:
    """Changes of these kinds have the member, and others may not have it."""
    condition = {"properties": {"kind": {"enum": kinds}}}
    return {"if": condition, "then": {"required": [member]}, "else": {"not": {"required": [member]}}}


_WITNESS = _object(
    "A message that shows what the change means.",
    {
        "pairing": {"enum": list(_PAIRINGS)},
        "sender": {"enum": list(SIDES)},
        "message": _told("The JSON that is sent; there is no witness of a batch.", {"type": "object"}),
        "outcome": {"enum": ["refused", "ignored", "unanswered"]},
    },
)

_CHANGE: Json = {
    **_object(
        "One thing that differs.",
        {
            "id": _told("Unique in the document and the same in every run; approvals name it.", _TEXT),
            "kind": {"enum": list(get_args(Kind))},
            "rule": _told("By what it was judged; more rules may come.", {"anyOf": [{"enum": list(RULES)}, _TEXT]}),
            "subject": _told("What changed: a type, a field, a method, a constant.", _TEXT),
            "old": _told("TypeScript text of the type or value before; null where there was none.", _TEXT_OR_NULL),
            "new": _told("The same after.", _TEXT_OR_NULL),
            "verdicts": _object(
                "What it means for peers that do not negotiate, and for code over generated types.",
                dict.fromkeys(_PAIRINGS, _LEVEL) | {"api": _LEVEL},
            ),
            "level": _told("The worse of the verdicts for the two pairings.", _LEVEL),
            "reason": _told("Who breaks, and why, in one sentence.", _TEXT),
        },
        {
            "member": _told("The union member, enumeration value or result type, as in TypeScript.", _TEXT),
            "declared_in": _told("The type that declares the field, where the subject inherits it.", _TEXT),
            "inherited_by": _told("The types that change with the subject, which declares the field.", _NAMES),
            "required": _told("Whether a field that came or went is (was) required.", {"type": "boolean"}),
            "sent_by": _told(
                "Who sends messages that contain the subject; absent where nobody does.",
                {"type": "array", "items": {"enum": list(SIDES)}, "minItems": 1, "uniqueItems": True},
            ),
            "methods": _told("The methods and notifications whose messages contain the subject.", _NAMES),
            "hint": _told("What to do about it.", _TEXT),
            "witness": _WITNESS,
            "approved": _told("Present where an approvals file has the id.", {"const": True}),
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

_REVISION = _object(
    "One side of the comparison.",
    {"revision": _told("The id that was asked for.", _TEXT), "source": _told("Where its schema was read.", _TEXT)},
)

SCHEMA: Json = {
    "$schema": DIALECT,
    "title": f"The difference of two revisions, {FORMAT}",
    **_object(
        "All that differs, in a stable order: the same input gives the same bytes.",
        {
            "format": {"const": FORMAT},
            "old": {"$ref": "#/$defs/revision"},
            "new": {"$ref": "#/$defs/revision"},
            "summary": _object(
                "How many changes there are.",
                {"changes": _COUNT, "by_level": _object("By their level.", dict.fromkeys(_LEVELS, _COUNT))},
            ),
            "changes": {"type": "array", "items": {"$ref": "#/$defs/change"}},
        },
    ),
    "$defs": {"revision": _REVISION, "level": {"enum": _LEVELS}, "change": _CHANGE},
}
"""JSON Schema 2020-12."""
