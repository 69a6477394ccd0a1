"""Changes as JUnit XML, which build servers show as tests: failing changes fail, approved ones are skipped."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from mcp_bindgen.diff.assessment import Assessment
from mcp_bindgen.diff.changes import Change
from mcp_bindgen.diff.reports.wording import detail, kind_words, owner, witness_message, witness_sentence
from mcp_bindgen.escaping import visible


def render(assessment: Assessment) -> str:
    """Return the document; without changes it has one test, because build servers reject an empty suite."""
    difference = assessment.difference
    changes = difference.changes
    name = visible(f"{difference.old.revision} to {difference.new.revision}")
    counts = {
        "tests": str(len(changes) or 1),
        "failures": str(len(assessment.failing)),
        "errors": "0",
        "skipped": str(sum(change.id in assessment.approved for change in changes)),
    }
    root = ET.Element("testsuites", {"name": "mcp-codegen diff", **counts})
    suite = ET.SubElement(root, "testsuite", {"name": name, **counts})
    for change in changes:
        _add(suite, assessment, change)
    if not changes:
        ET.SubElement(suite, "testcase", {"classname": name, "name": "no changes"})
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _add(suite: ET.Element, assessment: Assessment, change: Change) -> None:
    case = ET.SubElement(suite, "testcase", {"classname": visible(owner(change)), "name": visible(change.id)})
    extra = detail(change)
    level = assessment.level(change)
    lines = [
        f"{level}: {kind_words(change)}{'' if extra is None else f': {extra}'}",
        assessment.reason(change),
        *([change.hint] if change.hint else []),
        *([f"in {', '.join(change.methods)}"] if change.methods else []),
    ]
    witness = assessment.witness(change)
    if witness is not None:
        lines += [witness_sentence(witness), witness_message(witness)]
    text = "\n".join(visible(line) for line in lines)
    if assessment.fails(change):
        failure = ET.SubElement(case, "failure", {"type": change.rule, "message": visible(assessment.reason(change))})
        failure.text = text
        return
    if change.id in assessment.approved:
        ET.SubElement(case, "skipped", {"message": visible(f"approved: {assessment.approved[change.id]}")})
    ET.SubElement(case, "system-out").text = text
