"""``mcp-codegen list``: the bundled revisions and what they hold."""

from __future__ import annotations

import click

from mcp_bindgen.cli import output
from mcp_bindgen.cli.options import text_or_json


@click.command("list", short_help="Show the bundled revisions and what they hold.")
@text_or_json
def command(form: str) -> int:
    """Show the bundled revisions, how many types and methods they have, and what they were checked against."""
    from mcp_bindgen import resources
    from mcp_bindgen.describe.listing import describe_revisions, render_revisions

    target = resources.default_target()
    if form == "json":
        output.print_json(describe_revisions(target))
    else:
        output.print_line(
            render_revisions(describe_revisions(target), None if target is None else output.shown(target))
        )
    return 0
