"""Output of ``mcp-codegen tools lint``."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from attrs import asdict

from mcp_bindgen.escaping import annotation, visible
from mcp_bindgen.lint.host_rules import HOST_RULES, HostRule
from mcp_bindgen.lint.tool_linter import LintFinding

FORMAT = "mcp-tools-lint/1"
RULES_FORMAT = "mcp-tools-lint-rules/1"


def as_text(findings: Sequence[LintFinding], width: int) -> Iterator[str]:
    """Yield lines: the findings by tool, then the rules that they broke, each once, and their number."""
    for finding in findings:
        detail = f": {finding.detail}" if finding.detail else ""
        yield visible(f"{finding.tool}{finding.pointer and ' '}{finding.pointer}: {finding.rule.id}{detail}")
    rules = {finding.rule.id: finding.rule for finding in findings}
    for rule in rules.values():
        yield ""
        yield from _rule(rule, width)
    tools = len({finding.tool for finding in findings})
    yield ""
    yield f"{_counted(len(findings), 'finding')} in {_counted(tools, 'tool')}"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def as_json(findings: Iterable[LintFinding]) -> dict[str, Any]:
    """Return the findings as a JSON document."""
    return {
        "format": FORMAT,
        "findings": [
            {
                "tool": each.tool,
                "pointer": each.pointer,
                "rule": each.rule.id,
                "message": each.detail or each.rule.explanation,
                "hosts": each.rule.hosts,
                "evidence": each.rule.evidence,
                "date": each.rule.date,
                "hint": each.rule.hint,
            }
            for each in findings
        ],
    }


def as_github(findings: Iterable[LintFinding]) -> Iterator[str]:
    """Yield annotations for GitHub Actions."""
    for each in findings:
        title = f"{each.tool} {each.pointer} ({each.rule.id})"
        yield annotation("warning", {"title": title}, f"{each.detail or each.rule.explanation} {each.rule.hint}")


def rule_lines(width: int) -> Iterator[str]:
    """Yield the lines of a list of all rules."""
    for rule in HOST_RULES.values():
        yield from _rule(rule, width)


def rules_as_json() -> dict[str, Any]:
    """Return all rules as a JSON document."""
    return {"format": RULES_FORMAT, "rules": [asdict(rule) for rule in HOST_RULES.values()]}


def _rule(rule: HostRule, width: int) -> Iterator[str]:
    yield f"{rule.id}: {rule.explanation}"
    for text in (rule.hint, f"Hosts: {rule.hosts}.", f"Evidence: {rule.evidence} ({rule.date})."):
        yield from textwrap.wrap(text, max(width, 50), initial_indent="    ", subsequent_indent="    ")
