"""``mcp-codegen check``: compare the output folder with newly generated files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mcp_bindgen.cli import output
from mcp_bindgen.cli.options import SchemaOptions, choose, out_option, schema_options, text_or_json

if TYPE_CHECKING:
    from mcp_bindgen.emit.output_folder import Drift

FORMAT = "mcp-check/1"


@click.command("check", short_help="Compare the output folder with newly generated files.")
@schema_options("Bundled revision; by default all. Repeatable.")
@out_option
@text_or_json
def command(form: str, **options: Any) -> int:
    """Compare the output folder with newly generated files, without writing.

    Differences are printed to standard output as a unified diff; the command
    that removes them is printed to standard error.

    The exit status is 0 if there are no differences, 1 if there are some, and
    2 if the comparison failed.
    """
    return check(SchemaOptions(**options), form)


def check(selected: SchemaOptions, form: str) -> int:
    """Run the check for the command and for ``--check``."""
    from mcp_bindgen.cli.generation import render
    from mcp_bindgen.cli.target import target_of
    from mcp_bindgen.emit.output_folder import check as compare
    from mcp_bindgen.settings import read_settings

    settings = read_settings(Path.cwd())
    inputs = choose(selected, settings, everything=True)
    if not (selected.versions or selected.schema or settings.versions or settings.schema):
        selected = selected._replace(versions=("all",))
    target = target_of(selected.out or settings.out, "mcp-codegen check")
    run = render(inputs, target)
    drifts = compare(run.files, target)
    repair = selected.typed()
    if form == "json":
        output.print_json(
            {
                "format": FORMAT,
                "target": str(target),
                "revisions": [package.label for package in run.packages],
                "files": [{"path": drift.path, "state": drift.state} for drift in drifts],
                "repair": repair if drifts else None,
            }
        )
    elif not drifts:
        labels = ", ".join(package.label for package in run.packages)
        output.print_line(f"{output.shown(target)} is up to date: {labels}")
    else:
        for drift in drifts:
            _print_diff(drift)
    if drifts:
        output.note(f"{_counted(drifts)} in {output.shown(target)}; to repair, run:\n    {repair}")
    return 1 if drifts else 0


def _counted(drifts: list[Drift]) -> str:
    states = [drift.state for drift in drifts]
    return ", ".join(f"{states.count(state)} {state}" for state in ("missing", "changed", "stale") if state in states)


def _print_diff(drift: Drift) -> None:
    colours = {"+": "green", "-": "red", "@": "cyan"}
    if not output.wants_colour(sys.stdout):
        # Unchanged, so that `patch` can read it.
        output.write(drift.diff)
        return
    for line in drift.diff.splitlines():
        bold = line.startswith(("+++", "---"))
        output.print_line(click.style(line, fg=None if bold else colours.get(line[:1]), bold=bold))
