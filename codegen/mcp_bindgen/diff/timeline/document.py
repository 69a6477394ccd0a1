"""The JSON document of ``mcp-codegen history --format json`` and its JSON Schema."""

from __future__ import annotations

from typing import get_args

from mcp_bindgen.describe.jsonschema import DIALECT
from mcp_bindgen.diff.document import DEFINITIONS, TEXT, Json, closed, described, to_entry
from mcp_bindgen.diff.timeline.history import History, HistoryEntry, State
from mcp_bindgen.diff.timeline.targets import TargetKind

FORMAT = "mcp-history/1"


def to_document(history: History) -> Json:
    """Return the document."""
    return {
        "format": FORMAT,
        "subject": history.subject,
        "kind": history.kind,
        "revisions": [_entry(entry) for entry in history.entries],
    }


def _entry(entry: HistoryEntry) -> Json:
    """Return the entry of one revision; absent values are left out, except ``changes``."""
    optional: Json = {
        "name": entry.name,
        "renamed_from": entry.renamed_from,
        "text": entry.text,
        "deprecated": entry.deprecated,
        "further_changes": entry.further or None,
    }
    return {
        "revision": entry.revision.revision,
        "source": entry.revision.source,
        "state": entry.state,
        **{name: value for name, value in optional.items() if value is not None},
        "changes": [to_entry(change) for change in entry.changes],
    }


_ENTRY = closed(
    "The state of the subject in one revision.",
    {
        "revision": described("Its id.", TEXT),
        "source": described("The file from which its schema was read.", TEXT),
        "state": described(
            "first: the oldest revision has the subject already; returned: an earlier revision had it, but not the one "
            "before; renamed: only its name changed; absent: neither this revision nor the one before has it.",
            {"enum": list(get_args(State))},
        ),
        "changes": described(
            "The changes of the subject since the revision before, as in mcp-diff/1.",
            {"type": "array", "items": {"$ref": "#/$defs/change"}},
        ),
    },
    {
        "name": described("The name of the subject in this revision; absent if it does not exist there.", TEXT),
        "renamed_from": described("Its name in the revision before, if that was different.", TEXT),
        "text": described("Its TypeScript text; for a method its senders and its result.", TEXT),
        "deprecated": described("The text of the deprecation, possibly empty.", {"type": "string"}),
        "further_changes": described(
            "For a method: the number of further changes in types that its messages contain.",
            {"type": "integer", "minimum": 1},
        ),
    },
)

SCHEMA: Json = {
    "$schema": DIALECT,
    "title": f"The history of one subject, revision by revision, {FORMAT}",
    **closed(
        "One entry for each revision, the oldest first.",
        {
            "format": {"const": FORMAT},
            "subject": described("Its name in the newest revision that has it.", TEXT),
            "kind": {"enum": list(get_args(TargetKind))},
            "revisions": {"type": "array", "items": _ENTRY, "minItems": 1},
        },
    ),
    "$defs": {name: DEFINITIONS[name] for name in ("level", "change")},
}
"""JSON Schema 2020-12."""
