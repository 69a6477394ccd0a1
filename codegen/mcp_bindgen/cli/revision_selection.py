"""Selection of the revisions for ``history`` and ``matrix``: bundled ones, and optionally a schema file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from mcp_bindgen import catalog
from mcp_bindgen.cli import output
from mcp_bindgen.cli.completion import complete_revision
from mcp_bindgen.cli.options import map_option, pairs

if TYPE_CHECKING:
    from mcp_bindgen.generate import Input

Command = TypeVar("Command", bound=Callable[..., Any])


class RevisionSelection(NamedTuple):
    """Selected revisions, the oldest first."""

    inputs: Sequence[Input]
    typed: dict[str, str]
    """Command line words for those that are not bundled, by label."""


def revision_selection_options(command: Command) -> Command:
    """Add ``--from``, ``--to``, ``--schema``, ``--name`` and ``--map`` to a command."""
    for option in (
        map_option,
        click.option("--name", metavar="NAME", help="Name of that schema in the report."),
        click.option(
            "--schema",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="Your own schema.ts, added as the newest revision.",
        ),
        click.option(
            "--to",
            "last",
            metavar="REVISION",
            shell_complete=complete_revision,
            help="Newest bundled revision to include.",
        ),
        click.option(
            "--from",
            "first",
            metavar="REVISION",
            shell_complete=complete_revision,
            help="Oldest bundled revision to include.",
        ),
    ):
        command = option(command)
    return command


def select_revisions(
    first: str | None, last: str | None, schema: Path | None, name: str | None, mapped: tuple[str, ...]
) -> RevisionSelection:
    """Return the revisions that the options select; raise `BindgenError` for invalid combinations."""
    from mcp_bindgen.errors import BindgenError
    from mcp_bindgen.generate import Bundled, SchemaFile
    from mcp_bindgen.settings import read_settings

    known = catalog.revisions()
    for word in (first, last):
        if word is not None and word not in known:
            raise catalog.unknown_revision(word)
    start, stop = first or known[0], last or known[-1]
    if start > stop:
        message = f"--from {start} is newer than --to {stop}; swap them"
        raise BindgenError(message)
    inputs: list[Input] = [Bundled(revision) for revision in known if start <= revision <= stop]
    if schema is None:
        if name is not None or mapped:
            message = f"{'--name' if name is not None else '--map'} requires --schema FILE"
            raise BindgenError(message)
        return RevisionSelection(inputs, {})
    if name is not None and not name.strip():
        message = "--name must not be empty"
        raise BindgenError(message)
    label = name or catalog.label_of(schema)
    if label in known:
        message = (
            f"--schema: the name of {output.shown(schema)} would be {label}, which is a bundled revision; "
            "pass another one with --name"
        )
        raise BindgenError(message)
    table = read_settings(Path.cwd()).map
    own = SchemaFile(schema, label, pairs(mapped), numbers="integer", table=table)
    return RevisionSelection([*inputs, own], {label: str(schema)})
