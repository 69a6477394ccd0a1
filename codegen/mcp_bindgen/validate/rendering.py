"""Renderings of findings: a line of text, a JSON object, a GitHub annotation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp_bindgen.escaping import Severity, annotation, visible
from mcp_bindgen.validate.findings import Finding, Level
from mcp_bindgen.validate.report import Report

FORMAT = "mcp-validate/1"

_ANNOTATIONS: Mapping[Level, Severity] = {"error": "error", "rule": "warning", "note": "notice"}


def as_line(finding: Finding) -> str:
    """Return ``session.jsonl:14: $.params.name: found 3, expected a string  (2025-06-18)``, visibly escaped."""
    return visible(str(finding))


def as_json(finding: Finding) -> dict[str, Any]:
    """Return a finding as a JSON object; members without a value are null."""
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
    """Return the summary of a report as a JSON object."""
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
    """Return a workflow command of GitHub Actions, which shows the finding at its line in a pull request."""
    where = {"file": finding.place.source}
    if finding.place.line is not None:
        where["line"] = str(finding.place.line)
    where["title"] = f"{finding.code} ({finding.revision})" if finding.revision else finding.code
    message = finding.message if finding.path == "$" else f"{finding.path}: {finding.message}"
    return annotation(_ANNOTATIONS[finding.level], where, message)
