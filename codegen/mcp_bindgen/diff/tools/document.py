"""The JSON document of ``mcp-codegen tools diff --format json`` and its JSON Schema."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from mcp_bindgen.describe.jsonschema import DIALECT
from mcp_bindgen.diff.document import COUNT, TEXT, TEXT_OR_NULL, Json, closed, described
from mcp_bindgen.diff.tools.changes import AREAS, FORMAT, TOOL_VERDICTS, ContractName, ToolChange, ToolsDifference
from mcp_bindgen.diff.tools.rules import TOOL_RULES


def to_tools_document(difference: ToolsDifference, *, approved: Collection[str] = ()) -> Json:
    """Return the document. ``approved``: ids of approved changes."""
    return {
        "format": FORMAT,
        "old": _side(difference.old),
        "new": _side(difference.new),
        "summary": {
            "changes": len(difference.changes),
            "by_verdict": difference.numbers(),
            "wording": difference.rewordings,
        },
        "changes": [_entry(change, approved) for change in difference.changes],
    }


def _side(side: ContractName) -> Json:
    return {"title": side.title, "source": side.source, "revision": side.revision}


def _entry(change: ToolChange, approved: Collection[str]) -> Json:
    entry: Json = {
        "id": change.id,
        "rule": change.rule,
        "area": change.area,
        "subject": change.subject,
        "old": change.old,
        "new": change.new,
        "verdict": change.verdict,
        "reason": change.reason,
    }
    if change.witness is not None:
        entry["witness"] = {"sender": change.witness.sender, "message": change.witness.message}
    if change.id in approved:
        entry["approved"] = True
    return entry


_VERDICTS: list[Any] = list(reversed(TOOL_VERDICTS))

_CHANGE = closed(
    "One change, for callers that were written for the old contract.",
    {
        "id": described("Unique in the document and the same in every run; used in approvals files.", TEXT),
        "rule": described(
            "The rule that judged the change; later versions may add rules.",
            {"anyOf": [{"enum": list(TOOL_RULES)}, TEXT]},
        ),
        "area": described("What changed: the offer, arguments, results, or wording only.", {"enum": list(AREAS)}),
        "subject": described("The item, or the place in it: `forecast.arguments.days`.", TEXT),
        "old": described("JSON before; null if there was nothing.", TEXT_OR_NULL),
        "new": described("JSON after; null if there is nothing.", TEXT_OR_NULL),
        "verdict": {"enum": _VERDICTS},
        "reason": described("Who breaks, and why.", TEXT),
    },
    {
        "witness": closed(
            "A message that the sender may send and the receiver refuses, checked by a validator against both sides.",
            {
                "sender": {"enum": ["client", "server"]},
                "message": described("Params of the request, or members of the result.", {"type": "object"}),
            },
        ),
        "approved": described("Present if an approvals file contains the id.", {"const": True}),
    },
)

_SIDE = closed(
    "One side of the comparison.",
    {
        "title": described("Name and version of the server, otherwise the source.", TEXT),
        "source": described("The file, command or URL.", TEXT),
        "revision": described("The protocol revision; null if unknown.", TEXT_OR_NULL),
    },
)

TOOLS_SCHEMA: Json = {
    "$schema": DIALECT,
    "title": f"The difference of two contracts, {FORMAT}",
    **closed(
        "All changes, the worst first: the same input gives the same bytes.",
        {
            "format": {"const": FORMAT},
            "old": {"$ref": "#/$defs/side"},
            "new": {"$ref": "#/$defs/side"},
            "summary": closed(
                "Numbers of changes.",
                {
                    "changes": COUNT,
                    "by_verdict": closed("Changes of messages by verdict.", dict.fromkeys(_VERDICTS, COUNT)),
                    "wording": described("Changes of descriptions and annotations.", COUNT),
                },
            ),
            "changes": {"type": "array", "items": {"$ref": "#/$defs/change"}},
        },
    ),
    "$defs": {"side": _SIDE, "change": _CHANGE},
}
"""JSON Schema 2020-12."""
