"""Wording that the reports share."""

from __future__ import annotations

import json

from mcp_bindgen.diff.reports.wording import counted
from mcp_bindgen.diff.tools.assessment import ToolsAssessment
from mcp_bindgen.diff.tools.changes import ToolChange, ToolWitness

_LONGEST = 70


def tools_headline(assessment: ToolsAssessment) -> str:
    """Return the number of changes: ``3 changes, 1 breaking, 0 undecided, 1 risky, 1 compatible; 2 of wording``."""
    difference = assessment.difference
    if not difference.changes:
        return "no changes"
    numbers = ", ".join(f"{number} {verdict}" for verdict, number in difference.numbers().items())
    rewordings = difference.rewordings
    more = f"; {rewordings} of wording" if rewordings else ""
    return f"{counted(len(difference.changes), 'change')}: {numbers}{more}"


def tools_conclusion(assessment: ToolsAssessment) -> str:
    """Return whether the comparison fails."""
    options = f"--fail-on {assessment.fail_on}{' --wording' if assessment.wording else ''}"
    count = len(assessment.failing)
    if not count:
        return f"passes with {options}"
    return f"{counted(count, 'change')} {'fails' if count == 1 else 'fail'} with {options}"


def rule_words(change: ToolChange) -> str:
    """Return the rule in words: ``argument added required``."""
    return change.rule.replace("-", " ")


def texts(change: ToolChange) -> str:
    """Return the text before and after, each cut if it is long; empty if there is neither."""
    found = ["none" if text is None else _short(text) for text in (change.old, change.new)]
    return "" if change.old is None and change.new is None else " -> ".join(found)


def tool_witness_sentence(witness: ToolWitness) -> str:
    """Return who sends the message of a witness."""
    if witness.sender == "client":
        return "A caller may send this, which the new server refuses:"
    return "The new server may return this, which the old schema refuses:"


def tool_witness_message(witness: ToolWitness) -> str:
    """Return the message of a witness as a line of JSON."""
    return json.dumps(witness.message, ensure_ascii=False)


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 2]} …"
