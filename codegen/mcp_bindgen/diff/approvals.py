"""Approvals: a TOML file that accepts single changes by id, each with a reason.

[approved]
"method_removed:ping" = "We send none."
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from typing import Any, cast

from mcp_bindgen.describe.nearest import nearest_names
from mcp_bindgen.diff.assessment import Assessment
from mcp_bindgen.diff.changes import Difference
from mcp_bindgen.errors import BindgenError, parser_message
from mcp_bindgen.escaping import visible

_TABLE = "approved"
_EXAMPLE = f'[{_TABLE}] and lines of the form "ID" = "REASON"'


def read_approvals(data: bytes, name: str) -> dict[str, str]:
    """Return the reasons by id; raise BindgenError for an invalid file and for an entry without a reason."""
    try:
        document = tomllib.loads(data.decode())
    except UnicodeDecodeError as problem:
        message = f"{name}: byte {problem.start} is not UTF-8; an approvals file is TOML"
        raise BindgenError(message) from problem
    except (tomllib.TOMLDecodeError, RecursionError) as problem:
        message = f"{name}: {parser_message(problem)}; write {_EXAMPLE}"
        raise BindgenError(message) from problem
    other = [key for key in document if key != _TABLE]
    table: Any = document.get(_TABLE, {})
    if other or not isinstance(table, dict):
        found = repr(other[0]) if other else f"{_TABLE!r}, which is not a table"
        message = f"{name}: unexpected {found}; write {_EXAMPLE}"
        raise BindgenError(message)
    entries = cast("dict[str, Any]", table)
    return {identity: _reason(identity, found, name) for identity, found in entries.items()}


def _reason(identity: str, found: Any, name: str) -> str:
    if isinstance(found, dict):
        message = f"{name}: {identity!r} is a table; write the whole id of the change in quotes"
        raise BindgenError(message)
    if not isinstance(found, str):
        message = f"{name}: the reason of {identity!r} must be a string"
        raise BindgenError(message)
    if not found.strip():
        message = f"{name}: {identity!r} has no reason; write why the change is acceptable, or remove the entry"
        raise BindgenError(message)
    return " ".join(found.split())


def stale(approved: Mapping[str, str], difference: Difference) -> list[str]:
    """Return a message for each entry whose id is not in the whole difference."""
    known = {change.id for change in difference.changes}
    title = f"{difference.old.revision} to {difference.new.revision}"
    lines: list[str] = []
    for identity in approved:
        if identity not in known:
            near = nearest_names(identity, known - set(approved), 1)
            hint = f"; did you mean {near[0]!r}?" if near else "; remove it"
            lines.append(f"{identity!r} is not a change from {title}{hint}")
    return lines


def skeleton(assessment: Assessment) -> str:
    """Return an approvals file with the approved changes and, without a reason yet, those that fail."""
    difference = assessment.difference
    lines = [
        f"# {visible(difference.old.revision)} to {visible(difference.new.revision)}",
        "# Write a reason for each acceptable change, and remove the others.",
        "",
        f"[{_TABLE}]",
    ]
    for change in difference.changes:
        if change.id in assessment.approved:
            lines.append(f"{_quoted(change.id)} = {_quoted(assessment.approved[change.id])}")
        elif assessment.fails(change):
            lines += [f"# {assessment.level(change)}: {visible(change.reason)}", f'{_quoted(change.id)} = ""']
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """Return a basic string of TOML, whose escapes are those of JSON except for a bare DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
