"""``mcp-codegen client``: write a typed client for one server."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from mcp_bindgen.cli import output
from mcp_bindgen.cli.completion import complete_revision
from mcp_bindgen.cli.options import FOLDER
from mcp_bindgen.cli.output_format import text_or_json
from mcp_bindgen.cli.server_options import AcceptsServerCommand, ServerOptions, server_options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp_bindgen.cli.client_packages import PreparedClient
    from mcp_bindgen.emit.output_folder import Written
    from mcp_bindgen.server_clients import GeneratedClient
    from mcp_bindgen.settings import ClientSettings


class ConfiguredClient(NamedTuple):
    """A package that pyproject.toml lists, ready to be written."""

    out: Path
    prepared: PreparedClient
    seconds: float
    """Duration of the generation."""


FORMAT = "mcp-client/1"
CLIENTS_FORMAT = "mcp-clients/1"
_SHOWN = 20
"""Maximum number of warnings that are printed one by one."""


@click.command("client", cls=AcceptsServerCommand, short_help="Generate a typed client for the tools of a server.")
@server_options
@click.option(
    "--from",
    "file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Lock file, or result of tools/list, instead of a running server.",
)
@click.option("--out", type=FOLDER, metavar="FOLDER", required=True, help="Folder of the package to write.")
@click.option("--vendored", is_flag=True, help="Copy the bindings into the package, which then needs attrs and cattrs.")
@click.option(
    "--version",
    "versions",
    multiple=True,
    metavar="REVISION",
    shell_complete=complete_revision,
    help="With --vendored: revision to copy; by default all. Repeatable.",
)
@click.option("--split", is_flag=True, help="Write a module with a function for each tool, too.")
@click.option("--force", is_flag=True, help="Overwrite files that mcp-codegen did not generate.")
@text_or_json
@click.pass_context
def command(
    ctx: click.Context,
    reached: ServerOptions,
    file: Path | None,
    out: Path,
    vendored: bool,
    versions: tuple[str, ...],
    split: bool,
    force: bool,
    form: str,
) -> int:
    """Generate a package with a typed client for the tools, prompts and resources of a server.

    \b
      mcp-codegen client --out src/weather -- python server.py
      mcp-codegen client --out src/weather --url http://127.0.0.1:8000/mcp
      mcp-codegen client --out src/weather --from tools.lock.json

    The package has one class with a method for each tool. To compare it with the
    lock file, without the server, list it in pyproject.toml and run mcp-codegen check:

    \b
      [[tool.mcp-codegen.clients]]
      from = "tools.lock.json"
      out = "src/weather"

    The exit status is 0 on success, 1 if the server failed, and 2 if the command
    line or the server's list is wrong; then nothing is written.
    """
    from mcp_bindgen.cli.client_packages import ClientPackage, prepare_client
    from mcp_bindgen.cli.garbage_collection import paused_collection
    from mcp_bindgen.cli.options import bundled
    from mcp_bindgen.emit.output_folder import write
    from mcp_bindgen.errors import BindgenError

    if versions and not vendored:
        message = "--version requires --vendored, which copies the bindings of that revision"
        raise BindgenError(message)
    copied = tuple(bundled(versions or ("all",))) if vendored else ()
    started = time.perf_counter()
    value, source = _offers(ctx, reached, file)
    package = ClientPackage(file or Path(), out, copied, split)
    with paused_collection():
        generated, target = prepare_client(value, source, package, force=force)
        written = write(generated.files, target, force=force)
    _warn(generated.notes)
    if form == "json":
        output.print_json(_document(generated, written, out))
    else:
        _summarise(generated, written, out, time.perf_counter() - started)
    return 0


def prepare_clients(clients: Sequence[ClientSettings], *, force: bool) -> list[ConfiguredClient]:
    """Generate the clients that pyproject.toml lists, from their files, without writing them."""
    from mcp_bindgen.cli.client_packages import ClientPackage, prepare_client, read_offers_file
    from mcp_bindgen.cli.garbage_collection import paused_collection
    from mcp_bindgen.cli.options import bundled

    found: list[ConfiguredClient] = []
    for each in clients:
        started = time.perf_counter()
        copied = tuple(bundled(each.versions or ("all",))) if each.vendored else ()
        package = ClientPackage(each.file, each.out, copied, each.split)
        with paused_collection():
            prepared = prepare_client(read_offers_file(each.file), str(each.file), package, force=force)
        found.append(ConfiguredClient(each.out, prepared, time.perf_counter() - started))
    return found


def write_clients(clients: Sequence[ConfiguredClient], form: str, *, force: bool) -> None:
    """Write the clients that pyproject.toml lists, and print what was written."""
    from mcp_bindgen.emit.output_folder import write

    documents: list[dict[str, Any]] = []
    for out, (generated, target), seconds in clients:
        started = time.perf_counter()
        written = write(generated.files, target, force=force)
        _warn(generated.notes)
        documents.append(_document(generated, written, out))
        if form != "json":
            _summarise(generated, written, out, seconds + time.perf_counter() - started)
    if form == "json":
        output.print_json({"format": CLIENTS_FORMAT, "clients": documents})


def _offers(ctx: click.Context, reached: ServerOptions, file: Path | None) -> tuple[Any, str]:
    """Return what the server or the file offers, and its name for messages."""
    from mcp_bindgen.calling import offers
    from mcp_bindgen.calling.connection import Options, open_client
    from mcp_bindgen.cli.client_packages import read_offers_file

    if file is not None and reached.names_server(ctx):
        message = "--from and a server given; pass one of them"
        raise click.UsageError(message, ctx)
    if file is not None:
        return read_offers_file(file), str(file)
    server = reached.server(ctx, "mcp-codegen client --out FOLDER")
    options = Options(
        revision=None,
        timeout=60.0,
        record=None,
        redact=(),
        log_level=None,
        notify=output.note,
        trace=None,
        quiet=output.is_quiet(),
    )
    with contextlib.closing(open_client(server, options)) as client:
        found = offers.fetch(client, ["tools", "templates", "resources", "prompts"], output.warning)
        name = getattr(client.server_info, "name", None)
    return {"tools": [], **found}, str(name or server.url or "the server")


def _warn(notes: tuple[str, ...]) -> None:
    for note in notes[:_SHOWN]:
        output.warning(note)
    if len(notes) > _SHOWN:
        output.warning(f"and {len(notes) - _SHOWN} more; --format json lists all of them")


def _counts(generated: GeneratedClient) -> dict[str, int]:
    from mcp_bindgen.generate import count_types

    offers = generated.offers
    return {
        "tools": len(offers.tools),
        "prompts": len(offers.prompts),
        "templates": len(offers.templates),
        "resources": len(offers.resources),
        "types": count_types(offers.protocol),
    }


def _summarise(generated: GeneratedClient, written: Written, out: Path, seconds: float) -> None:
    counts = ", ".join(
        f"{count} {kind[:-1] if count == 1 else kind}"
        for kind, count in _counts(generated).items()
        if count or kind == "tools"
    )
    head = f"{len(generated.files)} files" if written.touched else "unchanged"
    output.confirm(f"{generated.class_name}: {head}, {counts}, {seconds:.2f} s -> {output.shown(out)}")


def _document(generated: GeneratedClient, written: Written, out: Path) -> dict[str, Any]:
    names = ("created", "changed", "unchanged", "removed")
    return {
        "format": FORMAT,
        "target": str(out),
        "class": generated.class_name,
        **_counts(generated),
        "notes": list(generated.notes),
        **{name: list(getattr(written, name)) for name in names},
    }
