"""``mcp-codegen matrix``: number of breaking changes for each pair of client and server."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mcp_bindgen.cli import output
from mcp_bindgen.cli.completion import complete_method
from mcp_bindgen.cli.files import json_for, print_or_write
from mcp_bindgen.cli.output_format import output_format
from mcp_bindgen.cli.revision_selection import revision_selection_options, select_revisions

if TYPE_CHECKING:
    from mcp_bindgen.diff import Matrix


@click.command("matrix", short_help="Count what breaks for each client with each server.")
@revision_selection_options
@click.option(
    "--method",
    "methods",
    multiple=True,
    metavar="METHOD",
    help="Count only changes in messages of this method. Repeatable.",
    shell_complete=complete_method,
)
@output_format(("text", "json", "html", "markdown"), "Output format; html is a web page.", by_ending=True)
@click.option(
    "--link",
    metavar="PATTERN",
    help="With --format html: path or URL of the pages of mcp-codegen diff, with {old} and {new} as placeholders.",
)
@click.option(
    "-o", "--output", "file", type=click.Path(path_type=Path), metavar="FILE", help="Write the report to a file."
)
@click.option("--json-schema", is_flag=True, help="Print the JSON Schema of what --format json prints.")
def command(
    methods: tuple[str, ...], form: str, link: str | None, file: Path | None, json_schema: bool, **options: Any
) -> int:
    """Count what breaks for each client with each server if they do not negotiate.

    \b
      mcp-codegen matrix
      mcp-codegen matrix --method tools/call --method tools/list
      mcp-codegen matrix --from 2025-06-18 --schema draft/schema.ts

    A client is old if its revision is older than that of the server, and new if
    it is newer.
    """
    if json_schema:
        from mcp_bindgen.diff.revision_matrix import SCHEMA

        print_or_write(json_for(SCHEMA, file), file, "JSON Schema")
        return 0
    from mcp_bindgen.diff import matrix
    from mcp_bindgen.errors import BindgenError
    from mcp_bindgen.generate import protocol_of

    if link is not None and form != "html":
        message = f"--link requires --format html, got {form}"
        raise BindgenError(message)
    inputs, typed = select_revisions(**options)
    if len(inputs) == 1:
        message = (
            f"a matrix needs two revisions, got only {inputs[0].label}; change --from or --to, or add --schema FILE"
        )
        raise BindgenError(message)
    protocols = [protocol_of(each) for each in inputs]
    for protocol in protocols:
        output.warnings(protocol.revision, protocol.warnings)
    found = matrix(protocols, methods=methods)
    summary = f"{len(found.revisions)} revisions, {len(found.cells)} pairings"
    print_or_write(_rendered(found, form, typed, link, file), file, summary)
    return 0


def _rendered(matrix: Matrix, form: str, typed: dict[str, str], link: str | None, file: Path | None) -> str:
    match form:
        case "json":
            from mcp_bindgen.diff.revision_matrix import to_document

            return json_for(to_document(matrix, typed), file)
        case "html":
            from mcp_bindgen.diff.page import revision_matrix_page

            return revision_matrix_page.render(matrix, typed=typed, link=link)
        case "markdown":
            from mcp_bindgen.diff.reports import matrix_markdown

            return matrix_markdown.render(matrix, typed=typed)
        case _:
            from mcp_bindgen.diff.reports import matrix_text

            if file is not None:
                return matrix_text.render(matrix, width=100, typed=typed)
            from mcp_bindgen.cli.colours import verdict_style

            return matrix_text.render(matrix, width=output.width(), style=verdict_style(), typed=typed)
