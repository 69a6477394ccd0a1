"""``mcp-codegen tools lint``: find what hosts refuse or misread."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from mcp_bindgen.cli import output
from mcp_bindgen.cli.commands.tools.sources import Live, live_options
from mcp_bindgen.cli.completion import complete_lint_rule
from mcp_bindgen.cli.output_format import output_format, require_text_or_json
from mcp_bindgen.cli.server_options import AcceptsServerCommand


@click.command(
    "lint", cls=AcceptsServerCommand, short_help="Find what hosts refuse or misread in the tools of a server."
)
@click.argument("source", required=False, type=click.Path(path_type=Path), metavar="[FILE]")
@output_format(("text", "json", "github"), "Output format; github prints annotations for GitHub Actions.")
@click.option(
    "--ignore",
    "ignored",
    multiple=True,
    metavar="RULE",
    shell_complete=complete_lint_rule,
    help="Leave out a rule. Repeatable.",
)
@click.option("--list-rules", is_flag=True, help="List the rules with the hosts and the evidence.")
@live_options
@click.pass_context
def lint(
    ctx: click.Context, source: Path | None, form: str, ignored: tuple[str, ...], list_rules: bool, live: Live
) -> int:
    """Find what hosts refuse or misread in the tools of a server.

    \b
      mcp-codegen tools lint -- python server.py
      mcp-codegen tools lint tools.lock.json --ignore tool-name

    Each rule names the hosts and the date of the evidence; see --list-rules.

    The exit status is 0 if nothing was found, 1 if something was, and 2 if the
    server or FILE cannot be read.
    """
    from mcp_bindgen.lint.report import as_github, as_json, as_text, rule_lines, rules_as_json
    from mcp_bindgen.lint.tool_linter import lint_listing

    if list_rules:
        require_text_or_json(form)
        if form == "json":
            output.print_json(rules_as_json())
        else:
            _print_lines(rule_lines(output.width()))
        return 0
    findings = lint_listing(live.listing_or_file(ctx, source, "mcp-codegen tools lint"), ignored)
    if form == "json":
        output.print_json(as_json(findings))
    elif form == "github":
        _print_lines(as_github(findings))
    elif findings:
        _print_lines(as_text(findings, output.width()))
    else:
        output.confirm("no findings")
    return 1 if findings else 0


def _print_lines(lines: Iterable[str]) -> None:
    for line in lines:
        output.print_line(line)
