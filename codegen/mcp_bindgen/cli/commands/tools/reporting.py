"""Options and output of comparisons of contracts."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from mcp_bindgen.cli import output
from mcp_bindgen.cli.files import json_for, print_or_write, read_approved
from mcp_bindgen.cli.options import collect_options
from mcp_bindgen.cli.output_format import REPORT_FORMAT, REPORT_FORMS, output_format

if TYPE_CHECKING:
    from mcp_bindgen.contracts.contract import Contract
    from mcp_bindgen.diff.tools.assessment import ToolsAssessment
    from mcp_bindgen.diff.tools.reports.text import ToolsStyle


class Reporting(NamedTuple):
    """The options of a report."""

    form: str
    file: Path | None
    fail_on: Any
    wording: bool
    approvals: Path | None
    print_approvals: bool


_OPTIONS: tuple[Callable[[Callable[..., Any]], Callable[..., Any]], ...] = (
    output_format(REPORT_FORMS, REPORT_FORMAT, by_ending=True),
    click.option(
        "-o", "--output", "file", type=click.Path(path_type=Path), metavar="FILE", help="Write the report to a file."
    ),
    click.option(
        "--fail-on",
        type=click.Choice(["breaking", "undecided", "risky", "any", "none"]),
        default="breaking",
        show_default=True,
        help="Lowest verdict of a change that makes the exit status 1.",
    ),
    click.option(
        "--wording", is_flag=True, help="Changes of descriptions and annotations make the exit status 1, too."
    ),
    click.option(
        "--approvals",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="TOML file of approved changes, each with a reason; they do not count for --fail-on.",
    ),
    click.option(
        "--print-approvals",
        is_flag=True,
        help="Print a file for --approvals with the changes that count now, without reasons.",
    ),
)


reporting_options = collect_options("reporting", Reporting, _OPTIONS)
"""Add the options of a report to a command, which receives them as the argument ``reporting``."""


def report(old: Contract, new: Contract, reporting: Reporting) -> int:
    """Compare two contracts, print the report, and return the exit status."""
    from mcp_bindgen.cli.garbage_collection import paused_collection
    from mcp_bindgen.diff.tools.assessment import ToolsAssessment, approvals_skeleton, stale_approvals
    from mcp_bindgen.diff.tools.comparison import compare_contracts
    from mcp_bindgen.diff.tools.reports.wording import tools_headline
    from mcp_bindgen.errors import BindgenError

    if reporting.print_approvals and reporting.form != "text":
        message = f"--print-approvals always prints TOML; leave out --format {reporting.form}"
        raise BindgenError(message)
    with paused_collection():
        difference = compare_contracts(old, new)
    assessment = ToolsAssessment(
        difference=difference,
        fail_on=reporting.fail_on,
        wording=reporting.wording,
        approved=read_approved(reporting.approvals, lambda approved: stale_approvals(approved, difference)),
    )
    if reporting.print_approvals:
        print_or_write(approvals_skeleton(assessment), reporting.file, "approvals")
        return 0
    if difference.changes or not (output.is_quiet() and reporting.form == "text" and reporting.file is None):
        print_or_write(_rendered(assessment, reporting), reporting.file)
    if reporting.file is not None:
        output.note(f"{tools_headline(assessment)} -> {output.shown(reporting.file)}")
    return 1 if assessment.failing else 0


def _rendered(assessment: ToolsAssessment, reporting: Reporting) -> str:
    from mcp_bindgen.diff.tools.document import to_tools_document
    from mcp_bindgen.diff.tools.reports import github, html, junit, markdown, text

    match reporting.form:
        case "json":
            document = to_tools_document(assessment.difference, approved=assessment.approved)
            return json_for(document, reporting.file)
        case "html":
            return html.render(assessment)
        case "markdown":
            return markdown.render(assessment)
        case "github":
            return github.render(assessment)
        case "junit":
            return junit.render(assessment)
        case _ if reporting.file is not None:
            return text.render(assessment, width=100)
        case _:
            return text.render(assessment, width=output.width(), style=_style())


def _style() -> ToolsStyle:
    from mcp_bindgen.diff.tools.reports.text import ToolsStyle

    hues = {"breaking": "red", "undecided": "magenta", "risky": "yellow", "compatible": "green"}
    paint = partial(output.paint, sys.stdout)
    return ToolsStyle(bold=partial(paint, bold=True), level=lambda verdict, each: paint(each, fg=hues[verdict]))
