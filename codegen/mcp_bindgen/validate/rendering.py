"""Findings as text: a line for a person, an object for a program, an annotation for a build on GitHub."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp_bindgen.validate.findings import Finding, Level
from mcp_bindgen.validate.report import Report

FORMAT = "mcp-validate/1"

_ANNOTATIONS: Mapping[Level, str] = {"error": "error", "rule": "warning", "note": "notice"}
_ESCAPES = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_IN_PROPERTIES = {**_ESCAPES, ":": "%3A", ",": "%2C"}


def as_line(finding: Finding) -> str:
    """``session.jsonl:14: $.params.name: found 3, expected a string  (2025-06-18)``, in characters that can be seen."""
    return visible(str(finding))


def visible(text: str) -> str:
    """The text, with escapes for what a terminal would obey."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _escaped(char) for char in text)


def _escaped(char: str) -> str:
    code = ord(char)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


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
    properties = ",".join(f"{name}={_replaced(value, _IN_PROPERTIES)}" for name, value in where.items())
    message = finding.message if finding.path == "$" else f"{finding.path}: {finding.message}"
    return visible(f"::{_ANNOTATIONS[finding.level]} {properties}::{_replaced(message, _ESCAPES)}")


def _replaced(text: str, escapes: Mapping[str, str]) -> str:
    return "".join(escapes.get(char, char) for char in text)
