"""``mcp-codegen tools check``: compare a server with its lock."""

from __future__ import annotations

from pathlib import Path

import click

from mcp_bindgen.cli import output
from mcp_bindgen.cli.commands.tools.reporting import Reporting, report, reporting_options
from mcp_bindgen.cli.commands.tools.sources import Live, live_options, read_contract
from mcp_bindgen.cli.files import require_writable
from mcp_bindgen.cli.server_options import AcceptsServerCommand


@click.command("check", cls=AcceptsServerCommand, short_help="Compare a server with tools.lock.json.")
@click.argument("lock", type=click.Path(path_type=Path), default=Path("tools.lock.json"), metavar="[LOCK]")
@reporting_options
@live_options
@click.pass_context
def check(ctx: click.Context, lock: Path, reporting: Reporting, live: Live) -> int:
    """Compare a server with tools.lock.json, or another LOCK.

    \b
      mcp-codegen tools check -- python server.py
      mcp-codegen tools check main.lock.json --url http://127.0.0.1:8000/mcp
      mcp-codegen tools check --fail-on any -o report.xml -- python server.py

    The exit status is 0 if no change is at or above --fail-on, 1 if one is,
    and 2 if the comparison failed. To accept all changes, run
    mcp-codegen tools snapshot.
    """
    from mcp_bindgen.contracts.contract import contract_of
    from mcp_bindgen.errors import BindgenError

    if not lock.exists():
        message = (
            f"there is no {output.shown(lock)}; to write it, run: mcp-codegen tools snapshot "
            "-o LOCK with the same server"
        )
        raise BindgenError(message)
    require_writable("-o", reporting.file, [lock])
    old = read_contract(lock)
    return report(old, contract_of(live.listing(ctx, "mcp-codegen tools check")), reporting)
