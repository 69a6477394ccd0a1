"""``mcp-codegen tools``: contracts of servers."""

from __future__ import annotations

import click

from mcp_bindgen.cli import output
from mcp_bindgen.cli.arguments import CommandFirst
from mcp_bindgen.cli.commands.tools.check import check
from mcp_bindgen.cli.commands.tools.diff import diff
from mcp_bindgen.cli.commands.tools.lint import lint
from mcp_bindgen.cli.commands.tools.snapshot import snapshot


@click.group(
    "tools",
    cls=CommandFirst,
    short_help="Lock, compare and check the tools of a server.",
    invoke_without_command=True,
    no_args_is_help=False,
)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Lock, compare and check the tools of a server.

    \b
      mcp-codegen tools snapshot -- python server.py     write tools.lock.json
      mcp-codegen tools check -- python server.py        compare with the lock
      mcp-codegen tools diff old.lock.json new.lock.json
      mcp-codegen tools lint -- python server.py         find what hosts refuse

    A server is a COMMAND after --, --url URL, or --config .mcp.json NAME. In its
    place, snapshot and lint accept a file, and diff two: a lock, the result of
    tools/list, or a recording that contains it.
    """
    if ctx.invoked_subcommand is None:
        output.print_line(ctx.get_help())


for each in (snapshot, diff, check, lint):
    command.add_command(each)
