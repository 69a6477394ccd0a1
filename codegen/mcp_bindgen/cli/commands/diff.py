"""``mcp-codegen diff``: changes from one revision to another, and their effect on clients and servers."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import click

from mcp_bindgen import catalog
from mcp_bindgen.cli import output
from mcp_bindgen.cli.completion import complete_kind, complete_method, complete_revision_or_file, complete_rule
from mcp_bindgen.cli.files import json_for, print_or_write, read_approved
from mcp_bindgen.cli.options import configured_schema, map_option, numbers_option, pairs
from mcp_bindgen.cli.output_format import REPORT_FORMAT, REPORT_FORMS, output_format, require_text_or_json

if TYPE_CHECKING:
    from mcp_bindgen.diff import Difference
    from mcp_bindgen.diff.assessment import Assessment
    from mcp_bindgen.generate import Input


class _Output(NamedTuple):
    """Format and destination of the report."""

    form: str
    file: Path | None


class _Side(NamedTuple):
    """One side of the comparison with its options."""

    which: Literal["old", "new"]
    word: str
    name: str | None
    """Label of a file, of ``--old-name`` or ``--new-name``."""
    mapped: tuple[str, ...]
    """Files of imports on both sides, of ``--map``."""
    own: tuple[str, ...]
    """Files of imports on this side, of ``--old-map`` or ``--new-map``."""


@click.command("diff", short_help="List the changes between two revisions and whom they break.")
@click.argument("old", required=False, shell_complete=complete_revision_or_file)
@click.argument("new", required=False, shell_complete=complete_revision_or_file)
@click.option("--old-name", metavar="NAME", help="Name of OLD in the report, if it is a file.")
@click.option("--new-name", metavar="NAME", help="Name of NEW in the report, if it is a file.")
@map_option
@numbers_option
@click.option(
    "--old-map", multiple=True, metavar="NAME=FILE", help="Like --map, for OLD only; overrides --map. Repeatable."
)
@click.option(
    "--new-map", multiple=True, metavar="NAME=FILE", help="Like --map, for NEW only; overrides --map. Repeatable."
)
@output_format(REPORT_FORMS, REPORT_FORMAT, by_ending=True)
@click.option(
    "-o", "--output", "file", type=click.Path(path_type=Path), metavar="FILE", help="Write the report to a file."
)
@click.option(
    "--fail-on",
    type=click.Choice(["breaking", "risky", "any", "none"]),
    default="breaking",
    show_default=True,
    help="Lowest level of a change that makes the exit status 1.",
)
@click.option(
    "--perspective",
    type=click.Choice(["client", "server", "both"]),
    default="both",
    show_default=True,
    help="Judge changes only for an old client with a new server (client) or an old server with a new client (server).",
)
@click.option(
    "--method",
    "methods",
    multiple=True,
    metavar="METHOD",
    help="Show only changes in messages of this method. Repeatable.",
    shell_complete=complete_method,
)
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    metavar="KIND",
    shell_complete=complete_kind,
    help="Show only changes of this kind, such as field_added. Repeatable.",
)
@click.option(
    "--only",
    multiple=True,
    metavar="RULE",
    shell_complete=complete_rule,
    help="Show only changes judged by this rule. Repeatable.",
)
@click.option(
    "--ignore",
    "ignored",
    multiple=True,
    metavar="RULE",
    shell_complete=complete_rule,
    help="Leave out changes judged by this rule. Repeatable.",
)
@click.option(
    "--level",
    type=click.Choice(["breaking", "risky", "compatible"]),
    default="compatible",
    help="Show only changes of this level or worse; by default all.",
)
@click.option("--docs", is_flag=True, help="Also show changes of documentation.")
@click.option("--witness", is_flag=True, help="Also show example messages that break; json and html always have them.")
@click.option(
    "--approvals",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="TOML file of approved changes, each with a reason; they do not count for --fail-on.",
)
@click.option(
    "--print-approvals",
    is_flag=True,
    help="Print a file for --approvals with the changes that count now, without reasons.",
)
@click.option(
    "--style",
    type=click.Choice(["comment", "page"]),
    default="comment",
    help="With --format markdown: a comment for a pull request, which is the default, or a page in plain Markdown, as for a "
    "blog.",
)
@click.option("--list-rules", is_flag=True, help="List the rules by which changes are judged, without comparing.")
@click.option(
    "--explain", "explained", metavar="RULE", shell_complete=complete_rule, help="Explain one of these rules."
)
@click.option("--json-schema", is_flag=True, help="Print the JSON Schema of what --format json prints.")
def command(
    old: str | None,
    new: str | None,
    form: str,
    file: Path | None,
    list_rules: bool,
    explained: str | None,
    json_schema: bool,
    **options: Any,
) -> int:
    """List the changes from OLD to NEW and whom they break.

    \b
      mcp-codegen diff 2025-06-18 2025-11-25
      mcp-codegen diff 2025-11-25 draft/schema.ts --fail-on risky
      mcp-codegen diff 2025-06-18 2025-11-25 --method tools/call --witness
      mcp-codegen diff 2025-06-18 2025-11-25 -o changes.html

    OLD and NEW are each a bundled revision or the path of a schema.ts. A
    change is breaking, risky or compatible, both for an old client with a new
    server and for a new client with an old server, if they do not negotiate.

    The exit status is 0 if no change is at or above --fail-on, 1 if one is,
    and 2 if the comparison failed.
    """
    target = _Output(form, file)
    if json_schema:
        from mcp_bindgen.diff.document import SCHEMA

        print_or_write(json_for(SCHEMA, target.file), target.file, "JSON Schema")
        return 0
    if list_rules or explained is not None:
        return _rules(explained, target)
    from mcp_bindgen.errors import BindgenError

    if old is None or new is None:
        raise BindgenError(_missing(old))
    known = catalog.revisions()
    if old in known and new in known and old > new:
        output.warning(f"OLD {old} is newer than NEW {new}; the changes are those of going back")
    if options["style"] == "page" and form != "markdown":
        message = f"--style page requires --format markdown, got {form}"
        raise BindgenError(message)
    if options["print_approvals"] and form != "text":
        message = f"--print-approvals always prints TOML; leave out --format {form}"
        raise BindgenError(message)
    mapped = options["mapped"]
    inputs = (
        _schema_of(_Side("old", old, options["old_name"], mapped, options["old_map"])),
        _schema_of(_Side("new", new, options["new_name"], mapped, options["new_map"])),
    )
    inputs = _with_one_number_rule(inputs, options["numbers"])
    if mapped and not any(map(_file_of, inputs)):
        message = "--map applies to schema files, and OLD and NEW are bundled revisions; leave it out"
        raise BindgenError(message)
    return _compare(inputs, target, options)


def _schema_of(side: _Side) -> Input:
    """Return the bundled revision or schema file of a side."""
    from mcp_bindgen.errors import BindgenError
    from mcp_bindgen.generate import Bundled, SchemaFile
    from mcp_bindgen.settings import read_settings

    which, word, name, mapped, own = side
    option, map_option = f"--{which}-name", f"--{which}-map"
    if word in (*catalog.revisions(), *catalog.extensions()):
        if name is not None:
            message = f"{option} applies to schema files, and {word} is a bundled revision; for a file, write ./{word}"
            raise BindgenError(message)
        if own:
            message = f"{map_option} applies to schema files, and {word} is a bundled revision; leave it out"
            raise BindgenError(message)
        return Bundled(word)
    configured = configured_schema(word)
    file = configured or Path(word)
    if configured is None and not _is_path(word):
        raise BindgenError(_no_revision(word))
    if name is not None and not name.strip():
        message = f"{option} must not be empty"
        raise BindgenError(message)
    alone = pairs(own, map_option)
    label = name or (word if configured else catalog.label_of(file))
    options = dict.fromkeys(alone, map_option)
    return SchemaFile(file, label, {**pairs(mapped), **alone}, options, table=read_settings(Path.cwd()).map)


def _with_one_number_rule(inputs: tuple[Input, Input], numbers: Any) -> tuple[Input, Input]:
    """Return both sides, read by one rule for numbers: by default that of the bundled schemas if one of them is bundled.

    Otherwise a type with a new name would differ in its numbers, too.
    """
    from attrs import evolve

    from mcp_bindgen.errors import BindgenError
    from mcp_bindgen.generate import Bundled

    bundled = [isinstance(each, Bundled) for each in inputs]
    if numbers is not None and any(bundled) and numbers != "integer":
        message = "--numbers float applies to schema files, and the numbers of a bundled revision are integers"
        raise BindgenError(message)
    rule: Any = numbers or ("integer" if any(bundled) else None)
    old, new = (each if isinstance(each, Bundled) else evolve(each, numbers=rule) for each in inputs)
    return old, new


def _missing(old: str | None) -> str:
    """Return the error message for a missing revision."""
    known = catalog.revisions()
    if old is None:
        return (
            f"OLD and NEW are missing; run: mcp-codegen diff OLD NEW, each a revision ({', '.join(known)}) "
            "or the path of a schema.ts"
        )
    both = [revision for revision in known if revision in old]
    if old not in known and len(both) > 1 and not _is_path(old):
        return f"{old!r} is not a revision; run: mcp-codegen diff {' '.join(sorted(both, key=old.index))}"
    if old not in known and not _is_path(old):
        return f"NEW is missing; {_no_revision(old)}"
    later = [revision for revision in known if revision > old] if old in known else []
    example = later[0] if later else known[-1] if old != known[-1] else "path/to/schema.ts"
    return f"NEW is missing; for example, run: mcp-codegen diff {old} {example}"


def _is_path(word: str) -> bool:
    separators = [separator for separator in (os.sep, os.altsep) if separator]
    return word.endswith(".ts") or any(separator in word for separator in separators) or os.path.lexists(word)


def _no_revision(word: str) -> str:
    known = catalog.revisions()
    if word == "draft":
        return f"{catalog.DRAFT_HINT} into a folder named draft, and pass the path of that file"
    if word == "latest":
        return f"'latest' is not a revision; the newest bundled revision is {known[-1]}"
    if word == "-":
        return "a schema cannot be read from standard input, because its imports are looked up beside it; pass a path"
    return str(catalog.unknown_revision(word, what="neither a bundled revision nor a file"))


def _compare(inputs: tuple[Input, Input], target: _Output, options: dict[str, Any]) -> int:
    from mcp_bindgen.diff import compare, with_witnesses
    from mcp_bindgen.diff.approvals import skeleton, stale
    from mcp_bindgen.diff.assessment import Assessment
    from mcp_bindgen.diff.selection import Selection
    from mcp_bindgen.generate import protocol_of

    selection = Selection(
        methods=options["methods"],
        kinds=options["kinds"],
        only=options["only"],
        ignored=options["ignored"],
        level=options["level"],
        perspective=options["perspective"],
    )
    old, new = map(protocol_of, inputs)
    for protocol in (old, new):
        output.warnings(protocol.revision, protocol.warnings)
    selection.check(old, new)
    whole = compare(old, new, docs=options["docs"])
    difference = selection.of(whole)
    if options["witness"] or target.form in {"json", "html"}:
        difference = with_witnesses(difference, old, new, options["perspective"])
    assessment = Assessment(
        difference=difference,
        perspective=options["perspective"],
        fail_on=options["fail_on"],
        approved=read_approved(options["approvals"], lambda approved: stale(approved, whole)),
        shown=selection.sentence,
    )
    if options["print_approvals"]:
        print_or_write(skeleton(assessment), target.file, "approvals")
        return 0
    if target.form == "html":
        from mcp_bindgen.diff import page

        rendered = page.render(
            difference,
            old,
            new,
            approved=assessment.approved,
            perspective=assessment.perspective,
            shown=assessment.shown,
        )
        print_or_write(rendered, target.file)
    elif difference.changes or not _is_quiet_text(target):
        print_or_write(_rendered(assessment, target, options["style"], _file_of(inputs[1])), target.file)
    if target.file is not None:
        output.note(_line(assessment, target.file))
    return 1 if assessment.failing else 0


def _is_quiet_text(target: _Output) -> bool:
    """Return whether a report without changes is left out: nothing but its sentence "no changes" would be printed."""
    return output.is_quiet() and target.form == "text" and target.file is None


def _file_of(item: Input) -> str | None:
    """Return the path of a schema file; None for a bundled revision."""
    from mcp_bindgen.generate import SchemaFile

    return item.path.as_posix() if isinstance(item, SchemaFile) else None


def _rendered(assessment: Assessment, target: _Output, style: str, file: str | None) -> str:
    match target.form:
        case "json":
            from mcp_bindgen.diff import to_document

            return json_for(to_document(assessment.difference, approved=assessment.approved), target.file)
        case "markdown":
            from mcp_bindgen.diff.reports import markdown, markdown_page

            if style == "page":
                return markdown_page.render(assessment, changelogs=_changelogs(assessment.difference))
            return markdown.render(assessment)
        case "github":
            from mcp_bindgen.diff.reports import github

            return github.render(assessment, file=file)
        case "junit":
            from mcp_bindgen.diff.reports import junit

            return junit.render(assessment)
        case _:
            from attrs import evolve

            from mcp_bindgen.cli.colours import verdict_style
            from mcp_bindgen.diff.reports import text

            if target.file is not None:
                return text.render(assessment, width=100)
            # The filter stands in the command above the report.
            return text.render(evolve(assessment, shown=None), width=output.width(), style=verdict_style())


def _changelogs(difference: Difference) -> dict[str, str]:
    """Return the addresses of the official changelogs from one bundled revision to another, by revision."""
    old, new, known = difference.old.revision, difference.new.revision, catalog.revisions()
    steps = [each for each in known if old < each <= new] if {old, new} <= set(known) else []
    return {each: f"https://modelcontextprotocol.io/specification/{each}/changelog" for each in steps}


def _line(assessment: Assessment, file: Path) -> str:
    from mcp_bindgen.diff.reports.wording import conclusion, counted, verdict_counts

    changes = counted(len(assessment.difference.changes), "change")
    # The status alone does not say why a script that writes a page stops.
    failing = f"; {conclusion(assessment)}" if assessment.failing else ""
    return f"{changes}, {verdict_counts(assessment.numbers())} -> {output.shown(file)}{failing}"


def _rules(word: str | None, target: _Output) -> int:
    """Show all rules, or the one with this name."""
    from mcp_bindgen.diff.reports import rule_listing

    require_text_or_json(target.form)
    shown = rule_listing.chosen(word)
    if target.form == "json":
        text = json_for(rule_listing.document(shown), target.file)
    else:
        text = rule_listing.listing(shown) if word is None else rule_listing.page(shown[0], output.width())
    print_or_write(text, target.file, f"{len(shown)} rules" if word is None else "1 rule")
    return 0
