"""The JSON document of ``mcp-codegen diff --format json`` and its JSON Schema."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from mcp_bindgen.describe.jsonschema import DIALECT
from mcp_bindgen.diff.changes import FORMAT, PAIRINGS, VERDICTS, Change, Difference, Revision, Witness
from mcp_bindgen.diff.finding_kinds import KINDS, Kind
from mcp_bindgen.diff.rules import RULES
from mcp_bindgen.diff.sides import SIDES


def to_document(difference: Difference, *, approved: Collection[str] = ()) -> Json:
    """Return the document; its keys are in the order of the contract. ``approved``: ids of approved changes."""
    summary = difference.summary
    levels = {"breaking": summary.breaking, "risky": summary.risky, "compatible": summary.compatible}
    return {
        "format": FORMAT,
        "old": _revision(difference.old),
        "new": _revision(difference.new),
        "summary": {"changes": summary.changes, "by_level": levels},
        "changes": [_marked(to_entry(change), change.id in approved) for change in difference.changes],
    }


def to_entry(change: Change) -> Json:
    """Return the entry of one change; absent values are left out, except ``old`` and ``new``."""
    entry: Json = {"id": change.id, "kind": change.kind, "rule": change.rule, "subject": change.subject}
    optional: Json = {"member": change.member, "declared_in": change.declared_in}
    entry.update((name, value) for name, value in optional.items() if value is not None)
    if change.inherited_by:
        entry["inherited_by"] = list(change.inherited_by)
    entry["old"] = change.old
    entry["new"] = change.new
    if change.required is not None:
        entry["required"] = change.required
    if change.sent_by:
        entry["sent_by"] = list(change.sent_by)
    entry["verdicts"] = {
        "old_client_new_server": change.verdicts.old_client_new_server,
        "new_client_old_server": change.verdicts.new_client_old_server,
        "api": change.verdicts.api,
    }
    entry["level"] = change.level
    if change.methods:
        entry["methods"] = list(change.methods)
    entry["reason"] = change.reason
    if change.hint is not None:
        entry["hint"] = change.hint
    if change.witness is not None:
        entry["witness"] = to_witness(change.witness)
    return entry


def to_witness(witness: Witness) -> Json:
    """Return the entry of a witness."""
    return {
        "pairing": witness.pairing,
        "sender": witness.sender,
        "message": witness.message,
        "outcome": witness.outcome,
    }


def _marked(entry: Json, approved: bool) -> Json:
    return {**entry, "approved": True} if approved else entry


def _revision(side: Revision) -> Json:
    return {"revision": side.revision, "source": side.source}


Json = dict[str, Any]

LEVELS = list(reversed(VERDICTS))

TEXT: Json = {"type": "string", "minLength": 1}
TEXT_OR_NULL: Json = {"type": ["string", "null"]}
NAMES: Json = {"type": "array", "items": TEXT, "minItems": 1, "uniqueItems": True}
COUNT: Json = {"type": "integer", "minimum": 0}
LEVEL: Json = {"$ref": "#/$defs/level"}


def closed(description: str, required: Mapping[str, Json], optional: Mapping[str, Json] | None = None) -> Json:
    """Return the schema of an object that allows no other members."""
    return {
        "description": description,
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
        "additionalProperties": False,
    }


def described(description: str, schema: Json) -> Json:
    """Return a schema with a description."""
    return {"description": description, **schema}


def _with(kinds: list[Kind], member: str) -> Json:
    """Require a member for changes of some kinds, and forbid it for others."""
    condition = {"properties": {"kind": {"enum": kinds}}}
    return {"if": condition, "then": {"required": [member]}, "else": {"not": {"required": [member]}}}


_WITNESS = closed(
    "A message that shows the effect of the change.",
    {
        "pairing": {"enum": list(PAIRINGS)},
        "sender": {"enum": list(SIDES)},
        "message": described(
            "The JSON of the message: an object, or for a batch an array of objects.",
            {"anyOf": [{"type": "object"}, {"type": "array", "items": {"type": "object"}, "minItems": 1}]},
        ),
        "outcome": described(
            "The reaction of the receiver: it refuses the message, ignores a part of it, or does not accept requests "
            "with its method, so that there is no result.",
            {"enum": ["refused", "ignored", "unanswered"]},
        ),
    },
)

_CHANGE: Json = {
    **closed(
        "One change.",
        {
            "id": described("Unique in the document and the same in every run; used in approvals files.", TEXT),
            "kind": {"enum": list(KINDS)},
            "rule": described(
                "The rule that judged the change; later versions may add rules.",
                {"anyOf": [{"enum": list(RULES)}, TEXT]},
            ),
            "subject": described("The type, field, method or constant that changed.", TEXT),
            "old": described(
                "TypeScript text of the type or value before the change; null if there was none.", TEXT_OR_NULL
            ),
            "new": described("TypeScript text after the change; null if there is none.", TEXT_OR_NULL),
            "verdicts": closed(
                "The effect on peers that do not negotiate, and on code that uses the generated types.",
                dict.fromkeys(PAIRINGS, LEVEL) | {"api": LEVEL},
            ),
            "level": described("The worse of the verdicts for the two pairings.", LEVEL),
            "reason": described("Which side breaks, and why, in one sentence.", TEXT),
        },
        {
            "member": described("The union member, enumeration value or result type, as in TypeScript.", TEXT),
            "declared_in": described("The type that declares the field, if the subject inherits it.", TEXT),
            "inherited_by": described("Types that inherit the field and change with it.", NAMES),
            "required": described("Whether the added or removed field is or was required.", {"type": "boolean"}),
            "sent_by": described(
                "The senders of messages that contain the subject; absent if no message does.",
                {"type": "array", "items": {"enum": list(SIDES)}, "minItems": 1, "uniqueItems": True},
            ),
            "methods": described(
                "The methods and notifications whose messages contain the subject in both revisions, else in either.",
                NAMES,
            ),
            "hint": described("Advice on how to handle the change.", TEXT),
            "witness": _WITNESS,
            "approved": described("Present if an approvals file contains the id.", {"const": True}),
        },
    ),
    "allOf": [
        _with([kind for kind, each in KINDS.items() if each.has_required], "required"),
        _with([kind for kind, each in KINDS.items() if each.has_member], "member"),
    ],
}

_REVISION = closed(
    "One side of the comparison.",
    {
        "revision": described("The id of the revision.", TEXT),
        "source": described("The file from which its schema was read.", TEXT),
    },
)

DEFINITIONS: Json = {"revision": _REVISION, "level": {"enum": LEVELS}, "change": _CHANGE}

SCHEMA: Json = {
    "$schema": DIALECT,
    "title": f"The difference of two revisions, {FORMAT}",
    **closed(
        "All changes, in a stable order: the same input gives the same bytes.",
        {
            "format": {"const": FORMAT},
            "old": {"$ref": "#/$defs/revision"},
            "new": {"$ref": "#/$defs/revision"},
            "summary": closed(
                "Numbers of changes.",
                {"changes": COUNT, "by_level": closed("Numbers of changes by level.", dict.fromkeys(LEVELS, COUNT))},
            ),
            "changes": {"type": "array", "items": {"$ref": "#/$defs/change"}},
        },
    ),
    "$defs": DEFINITIONS,
}
"""JSON Schema 2020-12."""
