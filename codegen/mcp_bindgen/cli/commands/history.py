"""``mcp-codegen history``: the changes of one subject, revision by revision."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mcp_bindgen import catalog
from mcp_bindgen.cli import output
from mcp_bindgen.cli.arguments import AcceptsErrorCodes
from mcp_bindgen.cli.completion import complete_subject
from mcp_bindgen.cli.files import json_for, print_or_write
from mcp_bindgen.cli.output_format import output_format
from mcp_bindgen.cli.revision_selection import revision_selection_options, select_revisions

if TYPE_CHECKING:
    from mcp_bindgen.diff.timeline.history import History
    from mcp_bindgen.generate import Input

SUBJECT_MISSING = (
    "SUBJECT is missing; pass a type, a field, a method or a constant, for example: "
    "mcp-codegen history Tool.inputSchema"
)


@click.command("history", cls=AcceptsErrorCodes, short_help="Show when something was added, changed and removed.")
@click.argument("subject", required=False, shell_complete=complete_subject)
@revision_selection_options
@output_format(("text", "json", "markdown"), by_ending=True)
@click.option(
    "-o", "--output", "file", type=click.Path(path_type=Path), metavar="FILE", help="Write the report to a file."
)
@click.option("--json-schema", is_flag=True, help="Print the JSON Schema of what --format json prints.")
def command(subject: str | None, form: str, file: Path | None, json_schema: bool, **options: Any) -> int:
    """Show how SUBJECT changed, revision by revision, and what that breaks.

    \b
      mcp-codegen history Tool                 a type
      mcp-codegen history Tool.outputSchema    a field, or a path of fields
      mcp-codegen history tools/call           a method
      mcp-codegen history CallToolResult.content:AudioContent
                                               one of several alternatives

    SUBJECT may also be a constant, an error code or a Python name. Renames are
    followed if the comparison of two revisions proves them.
    """
    if json_schema:
        from mcp_bindgen.diff.timeline.document import SCHEMA

        print_or_write(json_for(SCHEMA, file), file, "JSON Schema")
        return 0
    from mcp_bindgen.errors import BindgenError

    if subject is None:
        raise BindgenError(SUBJECT_MISSING)
    inputs, typed = select_revisions(**options)
    found = _found(inputs, subject)
    summary = f"{found.subject}, {len(found.entries)} revisions"
    match form:
        case "json":
            from mcp_bindgen.diff.timeline.document import to_document

            print_or_write(json_for(to_document(found), file), file, summary)
        case "markdown":
            from mcp_bindgen.diff.reports import history_markdown

            print_or_write(history_markdown.render(found, typed=typed), file, summary)
        case _:
            from mcp_bindgen.cli.colours import verdict_style
            from mcp_bindgen.diff.reports import history_text

            if file is not None:
                text = history_text.render(found, width=100, typed=typed)
            else:
                text = history_text.render(found, width=output.width(), style=verdict_style(), typed=typed)
            print_or_write(text, file, summary)
    return 0


def _found(inputs: Sequence[Input], subject: str) -> History:
    """Return the history of a subject in these revisions, or else in an extension of one of them."""
    from mcp_bindgen.diff import history
    from mcp_bindgen.errors import BindgenError
    from mcp_bindgen.generate import protocol_of

    protocols = [protocol_of(each) for each in inputs]
    for protocol in protocols:
        output.warnings(protocol.revision, protocol.warnings)
    try:
        return history(protocols, subject)
    except BindgenError:
        extensions = [label for each in protocols for label in catalog.extensions_of(each.revision)]
        for label in extensions:
            try:
                found = history([catalog.load(label)], subject)
            except BindgenError:
                continue
            output.note(f"{found.subject} is not part of any revision; this is the history of the extension {label}")
            return found
        raise
