"""``mcp-codegen list``: the bundled revisions and what they hold."""

from __future__ import annotations

import click

from mcp_bindgen.cli import output
from mcp_bindgen.cli.output_format import text_or_json


@click.command("list", short_help="List the bundled revisions.")
@text_or_json
def command(form: str) -> int:
    """List the bundled revisions with their number of types and methods and the official schema of each."""
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
