"""Contracts that a command line names: a file, or a server."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from mcp_bindgen.cli import output
from mcp_bindgen.cli.completion import complete_revision
from mcp_bindgen.cli.server_options import ServerOptions, server_options

if TYPE_CHECKING:
    from mcp_bindgen.contracts.contract import Contract, Listing


class Live(NamedTuple):
    """The options of a connection."""

    reached: ServerOptions
    revision: str | None
    timeout: float

    def listing(self, ctx: click.Context, typed: str) -> Listing:
        """Return what the server of the command line lists."""
        from mcp_bindgen.calling.connection import Options
        from mcp_bindgen.contracts.live_listing import list_server

        server = self.reached.server(ctx, typed)
        options = Options(
            revision=self.revision,
            timeout=self.timeout,
            record=None,
            redact=(),
            log_level=None,
            notify=_ignore,
            trace=None,
            quiet=output.is_quiet(),
        )
        return list_server(server, options, output.warning)

    def listing_or_file(self, ctx: click.Context, file: Path | None, typed: str) -> Listing:
        """Return what a file or the server of the command line lists."""
        if file is None:
            return self.listing(ctx, typed)
        if self.reached.names_server(ctx):
            message = f"both the file {file} and a server are given; pass one of them"
            raise click.UsageError(message, ctx)
        from mcp_bindgen.contracts.listing_file import read_listing

        return read_listing(file)


def _ignore(_text: str) -> None:
    """Ignore log messages of the server."""


def live_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a connection to a command, which receives them as the argument ``live``."""

    @wraps(function)
    def collected(*args: Any, reached: ServerOptions, revision: str | None, timeout: float, **options: Any) -> Any:
        return function(*args, live=Live(reached, revision, timeout), **options)

    version = click.option(
        "--version",
        "revision",
        metavar="REVISION",
        shell_complete=complete_revision,
        help="Revision to use; by default negotiated with the server.",
    )
    timeout = click.option(
        "--timeout",
        type=click.FloatRange(min=0, min_open=True, max=86400),
        metavar="SECONDS",
        default=60.0,
        show_default=True,
        help="Time to wait for each response of the server.",
    )
    return version(server_options(timeout(collected)))


def read_contract(file: Path) -> Contract:
    """Return the contract in a file; warn about digests that do not match."""
    from mcp_bindgen.contracts.contract import contract_of
    from mcp_bindgen.contracts.listing_file import read_listing

    contract = contract_of(read_listing(file))
    if not contract.tools:
        output.warning(f"{output.shown(file)}: the list of tools is empty")
    return contract
