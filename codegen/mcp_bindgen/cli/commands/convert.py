"""``mcp-codegen convert``: a recording of one revision as one of another, and what the other cannot express."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mcp_bindgen import catalog
from mcp_bindgen.cli import output
from mcp_bindgen.cli.completion import complete_file, complete_revision
from mcp_bindgen.cli.files import require_writable, write_file
from mcp_bindgen.cli.output_format import require_ending, text_or_json

if TYPE_CHECKING:
    from mcp_bindgen.bridge.recording import RecordingConverter
    from mcp_bindgen.validate.entries import Entry


FORMAT = "mcp-convert/1"


@click.command("convert", short_help="Convert recorded messages to another revision.")
@click.argument("words", metavar="FILE", nargs=-1, shell_complete=complete_file)
@click.option(
    "--from",
    "source",
    metavar="REVISION",
    shell_complete=complete_revision,
    help="Revision of the recording.",
)
@click.option(
    "--to",
    "target",
    metavar="REVISION",
    shell_complete=complete_revision,
    help="Revision to convert to.",
)
@click.option(
    "-o", "--output", "file", type=click.Path(path_type=Path), metavar="FILE", help="Write the messages to a file."
)
@click.option(
    "--report", type=click.Path(path_type=Path), metavar="FILE", help="Write the ledger to a file, one entry per line."
)
@click.option("--strict", is_flag=True, help="Drop members that the target revision does not declare.")
@click.option(
    "--fail-on",
    type=click.Choice(["loss", "none"]),
    default="none",
    show_default=True,
    help="Exit with status 1 if content is dropped or refused.",
)
@text_or_json
def command(
    words: tuple[str, ...],
    source: str | None,
    target: str | None,
    file: Path | None,
    report: Path | None,
    strict: bool,
    fail_on: str,
    form: str,
) -> int:
    """Convert the messages in FILE, one per line, and print them, one per line.

    \b
      mcp-codegen convert --from 2025-11-25 --to 2025-03-26 session.jsonl
      mcp-codegen convert --from 2025-11-25 --to 2026-07-28 - --report new.jsonl
      mcp-codegen convert --from 2026-07-28 --to 2025-11-25 a.log --fail-on loss

    Lines may have an object around the message that names the sender, as for
    mcp-codegen validate. Messages that the target revision cannot express are
    left out. The report has an entry for each difference, with its reason.

    With --json the output is one document: the counts, the ledger, and the
    messages, which are left out if -o writes them to a file.

    The exit status is 0, or 1 with --fail-on loss if content is lost, or 2 if
    FILE cannot be read.
    """
    from mcp_bindgen.bridge.recording import RecordingConverter

    if source is None or target is None or len(words) != 1:
        raise click.UsageError(_to_write(source, target, words), click.get_current_context(silent=True))
    (path,) = words
    converter = RecordingConverter(source, target, strict=strict)
    require_ending("-o", file, ".jsonl", "one message per line")
    require_ending("--report", report, ".jsonl", "one entry per line")
    require_writable("-o", file, [Path(path)])
    require_writable("--report", report, [Path(path), *([] if file is None else [file])])
    lines: list[Any] = []
    ledger: list[Any] = []
    unreadable: list[str] = []
    prints_lines = file is None and form == "text"
    for entry in _entries(path, unreadable):
        converted = converter.convert(entry)
        if prints_lines:
            for line in converted.lines:
                output.print_line(output.json_line(line, sys.stdout))
        else:
            lines += converted.lines
        if report is not None or form == "json":
            ledger += converted.ledger
    for place, written in ((file, lines), (report, ledger)):
        if place is not None:
            write_file(place, "".join(f"{output.json_line(each, None)}\n" for each in written))
    if form == "json":
        counts = {"from": source, "to": target, "read": converter.read, "written": converter.written}
        document = {"format": FORMAT, **counts, "actions": dict(sorted(converter.actions.items())), "ledger": ledger}
        output.print_json({**document, "unreadable": unreadable, **({"messages": lines} if file is None else {})})
    else:
        output.note(f"{_summary(converter)}{_places(file, report)}")
    for warning in converter.warnings():
        output.warning(warning)
    for message in unreadable:
        output.error(message)
    if unreadable:
        return 2
    return 1 if fail_on == "loss" and converter.has_losses else 0


def _to_write(source: str | None, target: str | None, words: tuple[str, ...]) -> str:
    """Return the error for missing options or files, with the command to write."""
    from mcp_bindgen.describe.nearest import enumerated

    revisions = [word for word in words if word in catalog.revisions()]
    files = [word for word in words if word not in revisions]
    if len(files) > 1:
        return f"convert reads one FILE, got {len(files)}: {' '.join(files)}"
    missing = [name for name, value in (("--from", source), ("--to", target)) if value is None]
    old = source or (revisions.pop(0) if revisions else "OLD")
    new = target or (revisions.pop(0) if revisions else "NEW")
    command = shlex.join(["mcp-codegen", "convert", "--from", old, "--to", new, *(files or ["FILE"])])
    lacking = [*missing, *([] if files else ["FILE"])]
    return f"{enumerated(lacking, 'and')} missing; run: {command}"


def _entries(path: str, unreadable: list[str]) -> Iterator[Entry]:
    """Yield the messages of a recording; add the errors of lines that are not JSON to ``unreadable``."""
    from mcp_bindgen.validate.entries import Entry
    from mcp_bindgen.validate.limits import Limits
    from mcp_bindgen.validate.source_reader import read
    from mcp_bindgen.validate.sources import find

    for source in find([path]):
        for each in read(source, Limits()):
            if isinstance(each, Entry):
                yield each
            elif each.level == "error":
                unreadable.append(f"{each.place}: {each.message}")


def _places(*files: Path | None) -> str:
    """Return the end of the summary: the files that were written."""
    written = [output.shown(file) for file in files if file is not None]
    return f" -> {' and '.join(written)}" if written else ""


def _summary(converter: RecordingConverter) -> str:
    counts = [f"{count} {action}" for action, count in sorted(converter.actions.items())]
    read = f"{converter.read} message{'' if converter.read == 1 else 's'}"
    return f"{read} read, {converter.written} written; {', '.join(counts) or 'no differences'}"
