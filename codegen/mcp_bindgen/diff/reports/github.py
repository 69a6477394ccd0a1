"""Changes as annotations of a build on GitHub: errors, warnings and notices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mcp_bindgen.diff.assessment import Assessment
from mcp_bindgen.diff.changes import Verdict
from mcp_bindgen.diff.reports.wording import detail, kind_words
from mcp_bindgen.escaping import Severity, annotation

_SEVERITIES: Mapping[Verdict, Severity] = {"breaking": "error", "risky": "warning", "compatible": "notice"}


def render(assessment: Assessment, *, file: str | None = None) -> str:
    """Return a line for each change, the worst first; ``file``: the path in the repository that annotations refer to."""
    return "".join(f"{line}\n" for line in _lines(assessment, file))


def _lines(assessment: Assessment, file: str | None) -> Iterator[str]:
    order: list[Verdict] = list(_SEVERITIES)
    for change in sorted(assessment.difference.changes, key=lambda change: order.index(assessment.level(change))):
        level = assessment.level(change)
        approval = assessment.approved.get(change.id)
        properties = {} if file is None else {"file": file}
        properties["title"] = f"{level}: {change.subject} ({change.rule})"
        extra = detail(change)
        parts = [f"{kind_words(change)}{'' if extra is None else f': {extra}'}.", assessment.reason(change)]
        parts += [change.hint] if change.hint and approval is None else []
        parts += [] if approval is None else [f"Approved: {approval}"]
        yield annotation("notice" if approval is not None else _SEVERITIES[level], properties, " ".join(parts))
