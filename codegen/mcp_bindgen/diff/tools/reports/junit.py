"""Changes of tools as JUnit XML: failing changes fail, approved ones are skipped."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from mcp_bindgen.diff.tools.assessment import ToolsAssessment
from mcp_bindgen.diff.tools.changes import ToolChange
from mcp_bindgen.diff.tools.reports.wording import rule_words, texts, tool_witness_message, tool_witness_sentence
from mcp_bindgen.escaping import visible


def render(assessment: ToolsAssessment) -> str:
    """Return the document; without changes it has one test, because build servers reject an empty suite."""
    difference = assessment.difference
    name = visible(f"{difference.old.title} to {difference.new.title}")
    counts = {
        "tests": str(len(difference.changes) or 1),
        "failures": str(len(assessment.failing)),
        "errors": "0",
        "skipped": str(sum(change.id in assessment.approved for change in difference.changes)),
    }
    root = ET.Element("testsuites", {"name": "mcp-codegen tools diff", **counts})
    suite = ET.SubElement(root, "testsuite", {"name": name, **counts})
    for change in difference.changes:
        _add(suite, assessment, change)
    if not difference.changes:
        ET.SubElement(suite, "testcase", {"classname": name, "name": "no changes"})
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _add(suite: ET.Element, assessment: ToolsAssessment, change: ToolChange) -> None:
    owner = visible(change.subject.partition(".")[0])
    case = ET.SubElement(suite, "testcase", {"classname": owner, "name": visible(change.id)})
    lines = [f"{change.verdict}: {rule_words(change)} {texts(change)}".rstrip(), change.reason]
    if change.witness is not None:
        lines += [tool_witness_sentence(change.witness), tool_witness_message(change.witness)]
    text = "\n".join(map(visible, lines))
    if assessment.fails(change):
        failure = ET.SubElement(case, "failure", {"type": change.rule, "message": visible(change.reason)})
        failure.text = text
        return
    if change.id in assessment.approved:
        ET.SubElement(case, "skipped", {"message": visible(f"approved: {assessment.approved[change.id]}")})
    ET.SubElement(case, "system-out").text = text
