"""``mcp-codegen bridge``: any servers for clients of any revision, over stdio or HTTP."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mcp_bindgen.cli import output
from mcp_bindgen.cli.address import DEFAULT_HOST
from mcp_bindgen.cli.completion import complete_revision
from mcp_bindgen.cli.http_options import HttpOptions, http_options
from mcp_bindgen.cli.server_options import (
    AcceptsServerCommand,
    ServerOptions,
    command_or_url_options,
    secret_in,
    with_login,
)

if TYPE_CHECKING:
    from mcp_bindgen.bridge.loss_report import LossReport
    from mcp_bindgen.calling.bridge_store import RedisAddress
    from mcp_bindgen.calling.connection import Server
    from mcp_bindgen.calling.http_address import HttpAddress

_HOLDER = "holder of the shared token"
"""Principal of all clients that send the token."""
_HOSTS = frozenset({DEFAULT_HOST, "localhost", "::1"})


@click.command("bridge", cls=AcceptsServerCommand, short_help="Serve any server to clients of any revision.")
@click.argument("names", nargs=-1, metavar="[NAME…]")
@click.option(
    "--config",
    "file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="File with mcpServers, such as .mcp.json: use its servers called NAME, or all without NAME, instead of COMMAND.",
)
@http_options
@click.option(
    "--revision",
    metavar="REVISION",
    shell_complete=complete_revision,
    help="Revision to use with the server; by default negotiated.",
)
@click.option(
    "--require-token-env",
    metavar="NAME",
    help="With --http: environment variable with the token that clients must send.",
)
@click.option(
    "--redis",
    metavar="URL",
    help="With --http: Redis through which several processes share sessions, such as redis://127.0.0.1:6379/0.",
)
@click.option(
    "--redis-password-env", metavar="NAME", help="With --redis: environment variable with the password of Redis."
)
@click.option("--no-auth", is_flag=True, help="With --http at another host than this machine: serve everybody.")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True, max=86400),
    default=600.0,
    show_default=True,
    metavar="SECONDS",
    help="Time to wait for a response of the server or its next progress.",
)
@click.option(
    "--report",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Append each difference between revisions as JSON.",
)
@click.option(
    "--fail-on",
    type=click.Choice(["loss", "none"]),
    default="none",
    show_default=True,
    help="Exit with status 1 if content was dropped or refused.",
)
@command_or_url_options
@click.pass_context
def command(
    ctx: click.Context,
    names: tuple[str, ...],
    file: Path | None,
    revision: str | None,
    require_token_env: str | None,
    redis: str | None,
    redis_password_env: str | None,
    no_auth: bool,
    timeout: float,
    report: Path | None,
    fail_on: str,
    http: HttpOptions,
    reached: ServerOptions,
) -> int:
    """Pass requests on to a server, whatever its revision and transport.

    \b
      mcp-codegen bridge -- python server.py               over stdio
      mcp-codegen bridge --http 8000 -- python server.py   at 127.0.0.1:8000/mcp
      mcp-codegen bridge --url https://example.com/mcp     a remote server
      mcp-codegen bridge --config .mcp.json weather maps   two servers as one

    Clients of every revision are served. Each gets a session of its own with
    the server, which is started once for each. What the other revision cannot
    express is reported. The tools and prompts of several servers are called
    NAME__tool.

    The exit status is 0, or 1 if a server cannot be used, cannot be started
    again after it has ended, or with --fail-on loss if content was lost, or 2
    if the command line is wrong.
    """
    from mcp_bindgen import catalog
    from mcp_bindgen.calling.bridge_process import BridgeProcess

    servers = _servers(ctx, names, file, reached)
    if revision is not None and revision not in catalog.revisions():
        raise catalog.unknown_revision(revision, "--revision")
    address = http.address(ctx)
    authorization = _authorization(ctx, address, require_token_env, no_auth=no_auth)
    shared = _redis_address(ctx, address, redis, redis_password_env)
    with _losses(report) as losses:
        process = BridgeProcess(servers, revision=revision, timeout=timeout, report_error=output.error, redis=shared)
        try:
            process.run(address, authorization)
        finally:
            # Also after Ctrl-C, which ends a bridge over stdio.
            for line in losses.summary():
                output.note(line)
    return 1 if process.failed or (fail_on == "loss" and losses.has_losses) else 0


def _servers(
    ctx: click.Context, names: tuple[str, ...], file: Path | None, reached: ServerOptions
) -> dict[str, Server]:
    """Return the servers that the command line names, by name; the name of the only one is empty."""
    if file is None:
        if names:
            message = (
                f"unexpected argument {names[0]!r}; write -- before the command of a server, or --config FILE before the "
                "names of servers"
            )
            raise click.UsageError(message, ctx)
        return {"": reached.server(ctx, "mcp-codegen bridge")}
    if reached != ServerOptions() or reached.command(ctx):
        message = "--config names the servers; leave out -- COMMAND, --url and the options that belong to it"
        raise click.UsageError(message, ctx)
    from mcp_bindgen.calling.server_config import read_servers

    servers = read_servers(file, names, os.environ)
    if len(servers) == 1:
        # There is nothing to distinguish.
        return {"": with_login(*servers.values())}
    return {name: with_login(each) for name, each in servers.items()}


def _authorization(ctx: click.Context, address: HttpAddress | None, token_env: str | None, *, no_auth: bool) -> Any:
    """Return the check of tokens; None for no check. Raise ``click.UsageError`` for an address open to everybody."""
    if address is None:
        if token_env is not None or no_auth:
            message = "--require-token-env and --no-auth require --http"
            raise click.UsageError(message, ctx)
        return None
    if token_env is None:
        if address.host not in _HOSTS and not no_auth:
            message = (
                f"everybody who reaches {address.host} could use the server; pass --require-token-env NAME, or --no-auth "
                "to allow that"
            )
            raise click.UsageError(message, ctx)
        return None
    from mcp_bindings_runtime.errors import UsageError
    from mcp_bindings_runtime.http.server.api_keys import ApiKeys

    try:
        return ApiKeys({secret_in("--require-token-env", token_env, ctx): _HOLDER})
    except UsageError as problem:
        message = f"{token_env}: {problem}"
        raise click.UsageError(message, ctx) from problem


def _redis_address(
    ctx: click.Context, address: HttpAddress | None, url: str | None, password_env: str | None
) -> RedisAddress | None:
    """Return the address of Redis; None if there is only one process. Raise ``click.UsageError``."""
    if url is None:
        if password_env is not None:
            message = "--redis-password-env requires --redis"
            raise click.UsageError(message, ctx)
        return None
    if address is None:
        message = "--redis requires --http; over stdio there is one client, and its process"
        raise click.UsageError(message, ctx)
    from mcp_bindgen.calling.bridge_store import RedisAddress

    return RedisAddress(url, None if password_env is None else secret_in("--redis-password-env", password_env, ctx))


def _losses(report: Path | None) -> LossReport:
    from mcp_bindgen.bridge.loss_report import LossReport

    return LossReport(report)
