"""``mcp-codegen list``: the bundled revisions and what they hold."""

from __future__ import annotations

import click

from mcp_bindgen import catalog
from mcp_bindgen.cli import output
from mcp_bindgen.cli.arguments import BARE_VERSION
from mcp_bindgen.cli.output_format import text_or_json


@click.command("list", short_help="List the bundled revisions.")
@click.option(BARE_VERSION, "names_only", is_flag=True, hidden=True)
@text_or_json
def command(names_only: bool, form: str) -> int:
    """List the bundled revisions with their number of types and methods and the official schema of each."""
    if names_only and form == "text":
        # Not through the listing, which needs attrs.
        _print_names()
        return 0
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


def _print_names() -> None:
    from mcp_bindgen import __version__

    output.print_line(f"mcp-codegen {__version__}")
    output.print_line(f"revisions: {', '.join(catalog.revisions())}")
    output.print_line(f"extensions: {', '.join(catalog.extensions())}")
