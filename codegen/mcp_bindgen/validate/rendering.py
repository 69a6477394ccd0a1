"""Findings as text: a line for a person, an object for a program, an annotation for a build on GitHub."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp_bindgen.escaping import Severity, annotation, visible
from mcp_bindgen.validate.findings import Finding, Level
from mcp_bindgen.validate.report import Report

FORMAT = "mcp-validate/1"

_ANNOTATIONS: Mapping[Level, Severity] = {"error": "error", "rule": "warning", "note": "notice"}


def as_line(finding: Finding) -> str:
    """``session.jsonl:14: $.params.name: found 3, expected a string  (2025-06-18)``, in characters that can be seen."""
    return visible(str(finding))


def as_json(finding: Finding) -> dict[str, Any]:
    """The members of a finding; those that it does not have are null."""
    return {
        "source": finding.place.source,
        "line": finding.place.line,
        "level": finding.level,
        "code": finding.code,
        "path": finding.path,
        "message": finding.message,
        "found": finding.found,
        "expected": finding.expected,
        "revision": finding.revision,
    }


def outcome_as_json(report: Report) -> dict[str, Any]:
    """What the findings come to."""
    return {
        "ok": report.ok,
        "messages": report.messages,
        "kinds": report.kinds,
        "errors": report.errors,
        "rules": report.rules,
        "notes": report.notes,
        "revisions": list(report.revisions),
        "accepted": None if report.accepted is None else list(report.accepted),
        "failures": list(report.failures),
    }


def as_annotation(finding: Finding) -> str:
    """A workflow command of GitHub Actions, which shows the finding at its line in a change."""
    where = {"file": finding.place.source}
    if finding.place.line is not None:
        where["line"] = str(finding.place.line)
    where["title"] = f"{finding.code} ({finding.revision})" if finding.revision else finding.code
    message = finding.message if finding.path == "$" else f"{finding.path}: {finding.message}"
    return annotation(_ANNOTATIONS[finding.level], where, message)
