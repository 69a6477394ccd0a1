"""``mcp-codegen generate``: write the packages of revisions and schemas."""

from __future__ import annotations

import keyword
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mcp_bindgen.cli import output
from mcp_bindgen.cli.generation import import_path, render, warn_of_strange_modules
from mcp_bindgen.cli.options import SchemaOptions, choose, only_option, out_option, schema_options
from mcp_bindgen.cli.output_format import output_format

if TYPE_CHECKING:
    from mcp_bindgen.cli.commands.client import ConfiguredClient
    from mcp_bindgen.emit.output_folder import Written
    from mcp_bindgen.generate import Package, Run
    from mcp_bindgen.settings import Settings

FORMAT = "mcp-generate/1"


@click.command("generate", short_help="Generate the package of a revision or of your own schema.")
@schema_options("Bundled revision, or all. Repeatable. With --schema: label of that schema.")
@only_option
@out_option
@click.option("--force", is_flag=True, help="Overwrite files that mcp-codegen did not generate.")
@click.option(
    "--check", "only_check", is_flag=True, help="Show what would change without writing; same as the command check."
)
@output_format(
    ("text", "json", "github"), "Output format; github, with --check, prints annotations for GitHub Actions."
)
def command(force: bool, only_check: bool, form: str, **options: Any) -> int:
    """Generate the package of a bundled revision or of your own schema.

    \b
      mcp-codegen --version 2025-03-26
      mcp-codegen --version 2025-03-26 --version 2025-06-18 --out src/app/mcp
      mcp-codegen --version acme --schema acme.ts --out src/acme_mcp

    Options that are not given are read from [tool.mcp-codegen] of the nearest
    pyproject.toml: versions, out, only, schema, name, map, base,
    numbers. Without options, the typed clients that it lists are written, too.

    Everything is generated before the first file is written: nothing is written
    if a schema or a lock file is wrong, or if files of yours are in the way.
    """
    selected = SchemaOptions(**options)
    if only_check:
        from mcp_bindgen.cli.commands.check import check

        return check(selected, form)
    from mcp_bindgen.cli.client_packages import require_separate_folders
    from mcp_bindgen.cli.commands.client import prepare_clients, write_clients
    from mcp_bindgen.cli.target import target_of
    from mcp_bindgen.errors import BindgenError
    from mcp_bindgen.settings import read_settings

    if form == "github":
        message = "--format github requires --check: annotations show files that differ"
        raise BindgenError(message)
    settings = read_settings(Path.cwd())
    clients: list[ConfiguredClient] = []
    if settings.clients and not (selected.versions or selected.schema or selected.out):
        clients = prepare_clients(settings.clients, force=force)
        if not (settings.versions or settings.schema):
            require_separate_folders([each.prepared for each in clients], [])
            write_clients(clients, form, force=force)
            return 0
    inputs = choose(selected, settings, everything=False)
    if not inputs:
        raise BindgenError(_nothing_to_generate(settings))
    target = target_of(selected.out or settings.out, selected.typed())

    from mcp_bindgen.emit.output_folder import write

    require_separate_folders([each.prepared for each in clients], [target])
    run = render(inputs, target, selected.only or settings.only or "all")
    # First, because this may still refuse files of the user; the folders of the clients have been checked.
    written = write(run.files, target, force=force)
    for path in written.overwritten:
        output.warning(f"overwrote {output.shown(target / path)}, which mcp-codegen had not generated")
    warn_of_strange_modules(run.files, target)
    _warn_of_the_name(target)
    if form == "json":
        output.print_json(_document(run, written, target))
    else:
        _summarise(run, written, target)
    if clients:
        write_clients(clients, form, force=force)
    return 0


def _nothing_to_generate(settings: Settings) -> str:
    from mcp_bindgen.catalog import revisions

    known = revisions()
    message = f"no revision given; pass --version REVISION ({', '.join(known)} or all) or --schema FILE"
    if settings.file is None:
        return message
    return (
        f'{settings.file}: [tool.mcp-codegen] names nothing to generate; add versions = ["{known[-1]}"] or '
        'schema = "FILE", or pass --version or --schema'
    )


def _warn_of_the_name(target: Path) -> None:
    """Warn of folders that Python cannot import by their names; they may be renamed later."""
    for name in import_path(target):
        if not name.isidentifier() or keyword.iskeyword(name):
            output.warning(
                f"Python cannot import a package named {name!r}; use letters, digits and _ in the name of the folder"
            )


def _summarise(run: Run, written: Written, target: Path) -> None:
    for package in run.packages:
        part = written.below(package.name)
        methods = _counted(len(package.protocol.methods), "method")
        counts = f"{_counted(package.types, 'type')}, {methods}, {package.seconds:.2f} s"
        files = f"{len(package.files)} files"
        head = f"{files}, {counts}" if part.touched else f"unchanged, {counts}"
        place = output.shown(target / package.name)
        output.confirm(f"{package.label}: {head} -> {place}{_removed(part)}{_base_note(package)}")
    shared = written.below("runtime")
    if shared.touched:
        touched = len(shared.created) + len(shared.changed)
        output.confirm(f"runtime: {touched} files -> {output.shown(target / 'runtime')}{_removed(shared)}")


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _base_note(package: Package) -> str:
    """Return a remark on the version a package sends and its base revision, if they differ from its label."""
    version = package.protocol.version
    if package.base is None or version == package.base == package.label:
        return ""
    return f" (protocol version {version}, based on {package.base})"


def _removed(part: Written) -> str:
    return f" ({len(part.removed)} stale removed)" if part.removed else ""


def _document(run: Run, written: Written, target: Path) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "target": str(target),
        "packages": [_entry(package, written.below(package.name)) for package in run.packages],
        "shared": _files(written.below("runtime"), written.below("")),
    }


def _entry(package: Package, part: Written) -> dict[str, Any]:
    return {
        "revision": package.label,
        "package": package.name,
        "sha256": package.protocol.sha256,
        "files": len(package.files),
        "types": package.types,
        "methods": len(package.protocol.methods),
        "seconds": round(package.seconds, 3),
        "touched": part.touched,
        **_files(part),
    }


def _files(*parts: Written) -> dict[str, list[str]]:
    return {
        name: sorted(path for part in parts for path in getattr(part, name))
        for name in ("created", "changed", "unchanged", "removed")
    }
