"""Options of commands that serve over HTTP: the address, and the hosts and origins to allow."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import click

from mcp_bindgen.cli import output
from mcp_bindgen.cli.address import Address
from mcp_bindgen.cli.options import collect_options

if TYPE_CHECKING:
    from mcp_bindgen.calling.http_address import HttpAddress


class HttpOptions(NamedTuple):
    """The options, as they were typed."""

    http: tuple[str, int] | None = None
    allow_host: tuple[str, ...] = ()
    allow_origin: tuple[str, ...] = ()

    def address(self, ctx: click.Context) -> HttpAddress | None:
        """Return the address; None for stdio. Raise ``click.UsageError`` for names without one, and invalid names."""
        if self.http is None:
            if self.allow_host or self.allow_origin:
                message = "--allow-host and --allow-origin require --http"
                raise click.UsageError(message, ctx)
            return None
        from mcp_bindings_runtime.errors import UsageError
        from mcp_bindings_runtime.http.server.origin_policy import OriginPolicy

        from mcp_bindgen.calling.http_address import HttpAddress

        try:
            OriginPolicy(self.allow_host)
        except UsageError:
            message = "--allow-host must be a name such as mcp.example.com or mcp.example.com:8443, or *, got "
            raise click.UsageError(message + ", ".join(map(repr, self.allow_host)), ctx) from None
        try:
            OriginPolicy(origins=self.allow_origin)
        except UsageError:
            message = "--allow-origin must be an origin such as https://app.example.com, or *, got "
            raise click.UsageError(message + ", ".join(map(repr, self.allow_origin)), ctx) from None
        return HttpAddress(*self.http, hosts=self.allow_host, origins=self.allow_origin, quiet=output.is_quiet())


http_options = collect_options(
    "http",
    HttpOptions,
    (
        click.option("--http", type=Address(), metavar="[HOST:]PORT", help="Serve over HTTP at /mcp, not stdio."),
        click.option(
            "--allow-host",
            multiple=True,
            metavar="NAME",
            help="With --http: name by which clients address the server, such as mcp.example.com. Repeatable.",
        ),
        click.option(
            "--allow-origin",
            multiple=True,
            metavar="ORIGIN",
            help="With --http: web pages that may use the server, such as https://app.example.com. Repeatable.",
        ),
    ),
)
"""Add the options to a command, which receives them as the argument ``http``."""
