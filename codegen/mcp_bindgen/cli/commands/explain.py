"""``mcp-codegen explain``: documentation of a type, member, method or constant."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from mcp_bindgen.cli import output
from mcp_bindgen.cli.arguments import AcceptsErrorCodes
from mcp_bindgen.cli.completion import complete_subject
from mcp_bindgen.cli.options import SchemaOptions, bundled, choose_one, schema_options, with_configured_schema
from mcp_bindgen.cli.output_format import text_or_json

if TYPE_CHECKING:
    from mcp_bindgen.describe.explanation_text import Style
    from mcp_bindgen.describe.lookup import Lookup, Subject
    from mcp_bindgen.describe.revision_span import Span


@click.command("explain", cls=AcceptsErrorCodes, short_help="Show a type, field, method or constant.")
@click.argument("name", required=False, shell_complete=complete_subject)
@schema_options("Bundled revision; by default the newest one that has NAME.")
@text_or_json
def command(name: str | None, form: str, **options: Any) -> int:
    """Show what NAME means in the protocol.

    \b
      mcp-codegen explain Tool                      a type
      mcp-codegen explain Tool.inputSchema          a field, or a path of fields
      mcp-codegen explain tools/call                a method
      mcp-codegen explain CALL_TOOL                 a name in Python
      mcp-codegen explain -32602                    an error code
    """
    from mcp_bindgen.describe.explain import explain
    from mcp_bindgen.describe.explanation_text import render_page

    if name is None:
        message = "NAME is missing; for example, run: mcp-codegen explain tools/call"
        raise click.UsageError(message, click.get_current_context(silent=True))
    selected = with_configured_schema(SchemaOptions(**options))
    own = selected.schema is not None or bool(selected.mapped)
    subject, lookup = _own(name, selected) if own else _bundled(name, selected.versions)
    document = explain(subject, lookup, bundled=not own, span=None if own else _span(subject, lookup))
    if form == "json":
        output.print_json(document)
    else:
        output.print_line(render_page(document, width=output.width(), style=_style()))
    return 0


def _bundled(name: str, versions: tuple[str, ...]) -> tuple[Subject, Lookup]:
    from mcp_bindgen.describe import revision_span
    from mcp_bindgen.describe.suggest import unknown_anywhere, unknown_in
    from mcp_bindgen.errors import BindgenError

    if not versions:
        newest = revision_span.newest_with(name)
        if newest is None:
            raise unknown_anywhere(name)
        return newest[1], revision_span.lookup(newest[0])
    chosen = bundled(versions, has_schema_option=True)
    if len(chosen) > 1:
        message = "this command shows one revision; pass --version once"
        raise BindgenError(message)
    lookup = revision_span.lookup(chosen[0])
    subject = lookup.find(name)
    if subject is None:
        raise unknown_in(name, lookup, revision_span.revisions_with(name))
    return subject, lookup


def _own(name: str, selected: SchemaOptions) -> tuple[Subject, Lookup]:
    from mcp_bindgen.describe.lookup import Lookup
    from mcp_bindgen.describe.suggest import unknown_in
    from mcp_bindgen.generate import understood

    lookup = Lookup(understood(choose_one(selected)))
    subject = lookup.find(name)
    if subject is None:
        raise unknown_in(name, lookup, [])
    return subject, lookup


def _span(subject: Subject, lookup: Lookup) -> Span | None:
    """Return the revisions that have a subject, renames included; None if all have it by its name."""
    from mcp_bindgen import catalog
    from mcp_bindgen.describe import revision_span
    from mcp_bindgen.diff import Timeline

    revision, known = lookup.protocol.revision, catalog.revisions()
    if revision not in known or revision_span.span_of(subject).having == known:
        return None
    timeline = Timeline([revision_span.lookup(each).protocol for each in known])
    return timeline.history(subject.name, revision=revision).span_from(revision)


def _style() -> Style:
    from mcp_bindgen.describe.explanation_text import Style

    paint = partial(output.paint, sys.stdout)
    return Style(partial(paint, bold=True), partial(paint, dim=True), partial(paint, fg="yellow"))
