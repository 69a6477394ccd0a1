"""A difference as the JSON document that ``mcp-codegen diff --format json`` prints."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from mcp_bindgen.diff.changes import FORMAT, Change, Difference, Revision, Witness

Json = dict[str, Any]


def to_document(difference: Difference, *, approved: Collection[str] = ()) -> Json:
    """The document; its keys are in the order of the contract. ``approved``: ids of changes that are."""
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
    """One change; what it does not have is left out, but ``old`` and ``new`` are always there."""
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
    """The witness of a change."""
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
