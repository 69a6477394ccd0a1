"""``mcp-codegen validate``: check recorded messages against a revision."""

from __future__ import annotations

import json
import re
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mcp_bindgen import catalog
from mcp_bindgen.cli import output
from mcp_bindgen.cli.completion import complete_file, complete_revision_or_auto, complete_type
from mcp_bindgen.cli.options import map_option, schema_option
from mcp_bindgen.cli.output_format import output_format, require_text_or_json

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from types import ModuleType

    from mcp_bindgen.validate import Finding, Report
    from mcp_bindgen.validate.rules.rule import Rule
    from mcp_bindgen.validate.sources import Source

_FORMS = ("lines", "log", "json", "markdown", "html")


def _size(ctx: click.Context, parameter: click.Parameter, word: str) -> int:
    """Return the number of bytes of ``64K``, ``16M`` or ``1G``."""
    found = re.fullmatch(r"(\d{1,12})([KMG]?)(?:i?B)?", word, re.IGNORECASE)
    if found is None or not int(found[1]):
        message = f"must be a size such as 500K, 16M or 1G, got {word!r}"
        raise click.BadParameter(message, ctx, parameter)
    return int(found[1]) << 10 * " KMG".index(found[2].upper() or " ")


@click.command("validate", short_help="Check recorded messages in logs, files and documents.")
@click.argument("paths", nargs=-1, metavar="PATH…", shell_complete=complete_file)
@click.option(
    "--version",
    "versions",
    multiple=True,
    metavar="REVISION",
    help="Bundled revision, or label of --schema. Default auto: the revision that the messages name in the handshake or "
    "in _meta; if they name none, all revisions are tried.",
    shell_complete=complete_revision_or_auto,
)
@schema_option
@map_option
@click.option(
    "--type",
    "kind",
    metavar="NAME",
    shell_complete=complete_type,
    help="Check each JSON value as this type instead of as a message.",
)
@click.option("--rules", is_flag=True, help="Also check requirements that only the text of the specification states.")
@click.option(
    "--complete",
    is_flag=True,
    help="With --rules: each recording is a whole session, so it must start with the handshake.",
)
@click.option("--list-rules", is_flag=True, help="List the rules without checking anything.")
@click.option("--notes", is_flag=True, help="Also print what was not checked, and why.")
@click.option(
    "--as",
    "form",
    type=click.Choice(_FORMS),
    help="Format of the input, by default derived from the file name; lines means one message per line.",
)
@click.option(
    "--max-line", callback=_size, metavar="SIZE", default="16M", show_default=True, help="Size limit of a line."
)
@click.option(
    "--max-file",
    callback=_size,
    metavar="SIZE",
    default="64M",
    show_default=True,
    help="Size limit of a file that is not read by lines, such as JSON and Markdown.",
)
@output_format(
    ("text", "json", "github"), "Output format; github prints annotations for GitHub Actions.", argument="output_form"
)
def command(
    paths: tuple[str, ...],
    versions: tuple[str, ...],
    schema: Path | None,
    mapped: tuple[str, ...],
    kind: str | None,
    rules: bool,
    complete: bool,
    list_rules: bool,
    notes: bool,
    form: Any,
    max_line: int,
    max_file: int,
    output_form: str,
) -> int:
    """Check recorded messages, and print each error with its position.

    \b
      mcp-codegen validate session.jsonl                one message per line
      mcp-codegen validate --version 2025-06-18 logs/   all files in a folder
      server | tee - | mcp-codegen validate -           standard input
      mcp-codegen validate docs/specification/          the JSON in Markdown
      mcp-codegen validate --type Tool tool.json        one value of a type
      mcp-codegen validate --schema draft.ts log.jsonl  with your own schema

    Lines of a log may have text or an object around the message, which may name
    the sender: {"direction": "client->server", "message": {…}}, or
    … Message from client: {…}

    The exit status is 0 if there are no errors, 1 if there are some, and 2 if
    an input cannot be read.
    """
    if list_rules:
        return _list_rules(output_form)
    from mcp_bindgen.errors import BindgenError
    from mcp_bindgen.validate import Limits, validate

    if not paths:
        message = "no input given; pass a file, a folder, or - for standard input"
        raise BindgenError(message)
    progress = _Progress()
    with _package(schema, versions, mapped) as (package, version):
        report = validate(
            *paths,
            version=version,
            package=package,
            type=kind,
            rules=rules,
            complete=complete,
            form=form,
            limits=Limits(line=max_line, document=max_file),
            watch=progress.watch,
        )
        try:
            _PRINTERS[output_form](_wanted(report, progress, notes=notes), report)
        finally:
            progress.clear()
    for failure in report.failures:
        output.error(failure)
    if output_form != "json" and (report.messages or not report.failures):
        _summarise(report, notes=notes)
    if report.failures:
        return 2
    return 0 if report.ok else 1


@contextmanager
def _package(
    schema: Path | None, versions: tuple[str, ...], mapped: tuple[str, ...]
) -> Generator[tuple[ModuleType | None, str]]:
    """Yield the package of ``--schema`` or None, and the version to check against or the package's label."""
    from mcp_bindgen.cli.options import SchemaOptions, choose_one, with_configured_schema
    from mcp_bindgen.errors import BindgenError

    selected = with_configured_schema(SchemaOptions(versions if versions != ("auto",) else (), schema, mapped))
    if selected.schema is None:
        if mapped:
            message = "--map requires --schema FILE"
            raise BindgenError(message)
        yield None, _version(versions)
        return
    from mcp_bindgen.cli.own_package import imported

    item = choose_one(selected)
    with imported(item) as package:
        yield package, item.label


def _version(versions: tuple[str, ...]) -> str:
    from mcp_bindgen.cli.options import bundled
    from mcp_bindgen.errors import BindgenError

    if len(versions) > 1 or "all" in versions:
        message = "messages are checked against one revision; pass --version once, or --version auto to try all"
        raise BindgenError(message)
    if not versions or versions[0] == "auto":
        return "auto"
    return bundled(versions, has_schema_option=True)[0]


def _wanted(report: Report, progress: _Progress, *, notes: bool) -> Iterator[Finding]:
    for finding in report:
        if notes or finding.level != "note":
            progress.clear()
            yield finding


def _print_lines(findings: Iterator[Finding], report: Report) -> None:
    from mcp_bindgen.escaping import visible

    colour = output.wants_colour(sys.stdout)
    for finding in findings:
        by = [finding.revision] if finding.revision else []
        by += [] if finding.level == "error" else [f"{finding.level} {finding.code}"]
        where = str(finding.place) if finding.path == "$" else f"{finding.place}: {finding.path}"
        parts = visible(where), visible(finding.message), f"  ({', '.join(by)})" if by else ""
        if colour:
            hue = {"error": "red", "rule": "yellow", "note": None}[finding.level]
            parts = click.style(parts[0], bold=True), click.style(parts[1], fg=hue), click.style(parts[2], dim=True)
        output.print_line(f"{parts[0]}: {parts[1]}{parts[2]}")


def _print_json(findings: Iterator[Finding], report: Report) -> None:
    from mcp_bindgen.validate.rendering import FORMAT, as_json, outcome_as_json

    # Written piece by piece, so that findings are printed as they are made.
    output.write(f'{{\n  "format": {json.dumps(FORMAT)},\n  "findings": [')
    separator = "\n"
    for finding in findings:
        output.write(f"{separator}    {output.json_line(as_json(finding), sys.stdout)}")
        separator = ",\n"
    output.write("\n  ]" if separator != "\n" else "]")
    for name, value in outcome_as_json(report).items():
        output.write(f",\n  {json.dumps(name)}: {output.json_line(value, sys.stdout)}")
    output.write("\n}\n")


def _print_annotations(findings: Iterator[Finding], report: Report) -> None:
    from mcp_bindgen.validate.rendering import as_annotation

    for finding in findings:
        output.print_line(as_annotation(finding))


_PRINTERS = {"text": _print_lines, "json": _print_json, "github": _print_annotations}


def _summarise(report: Report, *, notes: bool) -> None:
    output.note(report.summary())
    unnamed = report.unnamed()
    if unnamed:
        output.note(unnamed)
    if report.notes and not notes:
        output.note(
            f"add --notes to see the notes: {', '.join(f'{count} {code}' for code, count in report.remarks.items())}"
        )


def _list_rules(output_form: str) -> int:
    from mcp_bindgen.validate.rules import listing

    require_text_or_json(output_form)
    rules = listing()
    if output_form == "json":
        output.print_json({"format": "mcp-validate-rules/1", "rules": [_rule_document(rule) for rule in rules]})
        return 0
    widest = max(len(rule.id) for rule in rules)
    for rule in rules:
        output.print_line(f"{rule.id:{widest}}  {rule.summary}\n{'':{widest}}  {rule.revisions}; {rule.section}")
    return 0


def _rule_document(rule: Rule) -> dict[str, Any]:
    revisions = [revision for revision in catalog.revisions() if revision in rule.revisions]
    sections = {revision: rule.section_in(revision) for revision in revisions}
    return {
        "id": rule.id,
        "summary": rule.summary,
        "section": rule.section,
        "revisions": revisions,
        "strength": rule.strength,
        "milder": [revision for revision in revisions if rule.strength_in(revision) != rule.strength],
        "elsewhere": {revision: section for revision, section in sections.items() if section != rule.section},
    }


class _Progress:
    """A progress bar, on terminals after a second."""

    def __init__(self) -> None:
        self._visible = sys.stderr.isatty()
        self._next = time.monotonic() + 1
        self._shown = False

    def watch(self, source: Source, size: int) -> None:
        """Show the progress of reading a source."""
        if not self._visible or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + 0.1
        done = f"{size / 1e6:.0f} MB"
        if source.size:
            filled = min(20 * size // source.size, 20)
            done = f"[{'#' * filled}{'.' * (20 - filled)}] {100 * size // source.size}%"
        name = "".join(char for char in source.name[-40:] if char.isprintable())
        sys.stderr.write(f"\r\x1b[K{name} {done}")
        sys.stderr.flush()
        self._shown = True

    def clear(self) -> None:
        """Erase the bar."""
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._shown = False
