"""``mcp-codegen check``: compare the output folder with newly generated files."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mcp_bindgen.cli import output
from mcp_bindgen.cli.options import SchemaOptions, choose, only_option, out_option, schema_options
from mcp_bindgen.cli.output_format import output_format
from mcp_bindgen.escaping import annotation

if TYPE_CHECKING:
    from mcp_bindgen.emit.output_folder import Drift
    from mcp_bindgen.settings import ClientSettings, Settings

FORMAT = "mcp-check/1"
CLIENTS_FORMAT = "mcp-check-clients/1"


@click.command("check", short_help="Compare the output folder with newly generated files.")
@schema_options("Bundled revision; by default all. Repeatable.")
@only_option
@out_option
@output_format(("text", "json", "github"), "Output format; github prints annotations for GitHub Actions.")
def command(form: str, **options: Any) -> int:
    """Compare the output folder with newly generated files, without writing.

    \b
      mcp-codegen check                                what pyproject.toml names
      mcp-codegen check --version 2025-03-26 --out src/app/mcp

    The clients of single servers that pyproject.toml lists are compared with
    their lock files; no server is contacted.

    Differences are printed to standard output as a unified diff, and the files
    of a missing folder as a line each; the command that removes the differences
    is printed to standard error.

    The exit status is 0 if there are no differences, 1 if there are some, and
    2 if the comparison failed.
    """
    return check(SchemaOptions(**options), form)


def check(selected: SchemaOptions, form: str) -> int:
    """Run the check for the command and for ``--check``."""
    from mcp_bindgen.settings import read_settings

    settings = read_settings(Path.cwd())
    names_schemas = selected.versions or selected.schema or selected.out
    if settings.clients and not names_schemas:
        stale = _check_clients(settings.clients, form)
        if not (settings.versions or settings.schema):
            return 1 if stale else 0
        return max(_check_packages(selected, settings, form), 1 if stale else 0)
    return _check_packages(selected, settings, form)


def _check_clients(clients: Sequence[ClientSettings], form: str) -> bool:
    """Compare the clients of single servers with their lock files; return whether one differs."""
    from mcp_bindgen.cli.client_packages import ClientPackage, compare_client
    from mcp_bindgen.cli.options import bundled

    documents: list[dict[str, Any]] = []
    for each in clients:
        copied = bundled(each.versions or ("all",)) if each.vendored else ()
        drifts = compare_client(ClientPackage(each.file, each.out, copied, each.split))
        words = ["mcp-codegen", "client", "--from", output.shown(each.file), "--out", output.shown(each.out)]
        words += ["--vendored"] if each.vendored else []
        words += [word for version in each.versions for word in ("--version", version)]
        repair = shlex.join([*words, *(["--split"] if each.split else [])])
        documents.append({"target": str(each.out), **_files(drifts), "repair": repair if drifts else None})
        if form == "json":
            continue
        if form == "github":
            # The paths begin with the name of the package.
            _annotate(drifts, each.out.parent, repair, _other_version(drifts, each.out))
            continue
        if not drifts:
            output.confirm(f"{output.shown(each.out)} is up to date with {output.shown(each.file)}")
            continue
        for drift in drifts:
            _print_diff(drift)
        if (other := _other_version(drifts, each.out)) is not None:
            output.note(other)
        output.note(f"{_counted(drifts)} in {output.shown(each.out)}; to repair, run:\n    {repair}")
    if form == "json":
        output.print_json({"format": CLIENTS_FORMAT, "clients": documents})
    return any(document["repair"] for document in documents)


def _files(drifts: list[Drift]) -> dict[str, Any]:
    return {"files": [{"path": drift.path, "state": drift.state} for drift in drifts]}


def _check_packages(selected: SchemaOptions, settings: Settings, form: str) -> int:
    from mcp_bindgen.cli.generation import packages_in, render, warn_of_strange_modules
    from mcp_bindgen.cli.target import target_of
    from mcp_bindgen.emit.output_folder import check as compare

    inputs = choose(selected, settings, everything=True)
    is_configured = not (selected.versions or selected.schema) and bool(settings.versions or settings.schema)
    if not (selected.versions or selected.schema or settings.versions or settings.schema):
        selected = selected._replace(versions=("all",))
    target = target_of(selected.out or settings.out, "mcp-codegen check")
    run = render(inputs, target, selected.only or settings.only or "all")
    drifts = compare(run.files, target)
    warn_of_strange_modules(run.files, target)
    names = {package.name for package in run.packages}
    unconfigured = [name for name in packages_in(target) if name not in names] if is_configured else []
    repair = selected.typed()
    if form == "json":
        output.print_json(
            {
                "format": FORMAT,
                "target": str(target),
                "revisions": [package.label for package in run.packages],
                **_files(drifts),
                "unconfigured": unconfigured,
                "repair": repair if drifts else None,
            }
        )
    elif form == "github":
        _annotate(drifts, target, repair, _other_version(drifts, target))
    elif not (drifts or unconfigured):
        labels = ", ".join(package.label for package in run.packages)
        output.confirm(f"{output.shown(target)} is up to date: {labels}")
    else:
        for drift in drifts:
            file = target / drift.path
            if drift.state == "missing" and not file.parent.exists():
                # Never generated; diffs of a whole package would be thousands of lines.
                output.print_line(f"missing: {output.shown(file)}")
            elif drift.only_line_ends:
                output.print_line(f"line ends (CRLF): {output.shown(file)}")
            else:
                _print_diff(drift)
    if drifts and (other := _other_version(drifts, target)) is not None:
        output.note(other)
    if any(drift.only_line_ends for drift in drifts):
        output.note(_line_ends(target))
    if drifts:
        output.note(f"{_counted(drifts)} in {output.shown(target)}; to repair, run:\n    {repair}")
    for name in unconfigured:
        remark = _unconfigured(output.shown(target / name))
        output.note(remark)
        if form == "github":
            place = {
                "file": output.shown(target / name / "__init__.py"),
                "title": "generated package that is not listed",
            }
            output.print_line(annotation("error", place, remark))
    return 1 if drifts or unconfigured else 0


def _unconfigured(package: str) -> str:
    return (
        f"{package} was generated, but pyproject.toml does not list it; delete the folder, or add it to `versions` (a "
        "schema of your own: to `schema` and `name`)"
    )


def _other_version(drifts: Sequence[Drift], folder: Path) -> str | None:
    """Return a remark if another version of mcp-codegen generated the folder: then nearly all of its files differ."""
    from mcp_bindgen import __version__

    others = sorted({drift.generated_by for drift in drifts if drift.generated_by is not None} - {__version__})
    if not others:
        return None
    return (
        f"{output.shown(folder)} was generated by mcp-codegen {', '.join(others)}, and this is {__version__}; generate it "
        f'again, or install the version that generated it: pip install "mcp-bindings[codegen]=={others[-1]}"'
    )


def _line_ends(folder: Path) -> str:
    return (
        f"Git has converted line ends in {output.shown(folder)}; to keep them, add this line to .gitattributes:\n"
        f"    {output.shown(folder)}/** text eol=lf"
    )


def _annotate(drifts: Sequence[Drift], folder: Path, repair: str, other: str | None) -> None:
    """Print an annotation for each file that differs, or one for all files if another version generated them."""
    if other is not None:
        place = {"file": output.shown(folder / drifts[0].path), "title": "generated by another version"}
        output.print_line(annotation("error", place, f"{other}; to generate it, run: {repair}"))
        return
    for drift in drifts:
        place = {"file": output.shown(folder / drift.path), "title": f"{drift.state} generated file"}
        output.print_line(annotation("error", place, f"to repair, run: {repair}"))


def _counted(drifts: list[Drift]) -> str:
    states = [drift.state for drift in drifts]
    return ", ".join(f"{states.count(state)} {state}" for state in ("missing", "changed", "stale") if state in states)


def _print_diff(drift: Drift) -> None:
    colours = {"+": "green", "-": "red", "@": "cyan"}
    if not output.wants_colour(sys.stdout):
        # Unchanged, so that `patch` can read it.
        output.write(drift.diff)
        return
    for line in drift.diff.splitlines():
        bold = line.startswith(("+++", "---"))
        output.print_line(click.style(line, fg=None if bold else colours.get(line[:1]), bold=bold))
