"""Options that name a server and the way to reach it: ``-- COMMAND``, ``--url`` with headers and tokens, or ``--config``."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from mcp_bindgen.cli.arguments import usage_message
from mcp_bindgen.cli.completion import complete_file
from mcp_bindgen.cli.options import collect_options

if TYPE_CHECKING:
    from mcp_bindgen.calling.connection import RegisteredClient, Server

_COMMAND = f"{__name__}.command"
"""Key of the server's command in ``Context.meta``."""

_INTERPRETERS = frozenset({"python", "python3", "py", "uv", "uvx", "node", "npx", "deno", "bun", "docker"})
"""Programs that start servers."""


class AcceptsServerCommand(click.Command):
    """A command whose arguments after ``--`` are the command of the server."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Store the server's command, and parse the rest. Raise ``click.UsageError``."""
        place = args.index("--") if "--" in args else len(args)
        ctx.meta[_COMMAND] = args[place + 1 :]
        typed = tuple(args)
        try:
            return super().parse_args(ctx, args[:place])
        except click.UsageError as error:
            meant = _with_dashes(typed) if place == len(typed) else None
            if meant is None:
                raise
            found = usage_message(error).rstrip(".")
            message = f"{found}; the command of a server follows --: {ctx.command_path} {meant}"
            raise click.UsageError(message, ctx) from None

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Return the words of the usage line."""
        return [*super().collect_usage_pieces(ctx), "[-- COMMAND…]"]


class ServerOptions(NamedTuple):
    """The options that name a server, as they were typed."""

    url: str | None = None
    headers: tuple[str, ...] = ()
    token_env: str | None = None
    config: tuple[Path, str] | None = None
    client_id: str | None = None
    client_secret_env: str | None = None
    dpop: bool = False

    def names_server(self, ctx: click.Context) -> bool:
        """Return whether the command line names a server."""
        return bool(ctx.meta[_COMMAND]) or self.url is not None or self.config is not None

    def server(self, ctx: click.Context, typed: str) -> Server:
        """Return the server. Raise ``click.UsageError`` unless the command line names one server in a valid way.

        ``typed`` is the beginning of the command, for examples in messages.
        """
        from mcp_bindgen.calling.connection import Server

        command = self.command(ctx)
        if command and "://" in command[0]:
            message = f"{command[0]!r}, which follows --, is a URL and not a command; run: {typed} --url {command[0]}"
            raise click.UsageError(message, ctx)
        if command and command[0].startswith("-"):
            message = f"{command[0]!r}, which follows --, is an option and not a command; write options before --"
            raise click.UsageError(message, ctx)
        if len(command) == 1 and _is_line(command[0]):
            message = f"{command[0]!r} is a whole command in quotes; write it without them: {typed} -- {command[0]}"
            raise click.UsageError(message, ctx)
        named = [bool(command), self.url is not None, self.config is not None].count(True)
        if named != 1:
            found = "no server given"
            if named:
                found = "two servers given"
                if command:
                    found += f": {command[0]!r}, which follows --, is the command of a server; arguments go before --"
            elif (instead := _with_server(typed)) is not None:
                message = f"{found}; run: {instead}"
                raise click.UsageError(message, ctx)
            message = (
                f"{found}; run: {typed} -- COMMAND…, for example -- python server.py, or: {typed} --url URL, or: "
                f"{typed} --config .mcp.json NAME"
            )
            raise click.UsageError(message, ctx)
        for name, value in (
            ("--header", self.headers),
            ("--token-env", self.token_env),
            ("--client-id", self.client_id),
            ("--dpop", self.dpop),
        ):
            if value and self.url is None:
                message = f"{name} requires --url; pass values to a command in its environment"
                raise click.UsageError(message, ctx)
        if self.config is not None:
            from mcp_bindgen.calling.server_config import read_server

            return with_login(read_server(*self.config, os.environ))
        client = self.client(ctx)
        if client.id is None:
            if self.dpop:
                message = "--dpop requires --client-id, or --login URL; a login keeps its key, and needs it only once"
                raise click.UsageError(message, ctx)
            return with_login(Server(command, self.url, self._headers(ctx)))
        if client.secret is None or self.token_env is not None:
            message = (
                "--client-id needs --client-secret-env, and no --token-env; to log a user in, run: call --login URL"
            )
            raise click.UsageError(message, ctx)
        from mcp_bindings_runtime.auth.client_credentials import ClientCredentials

        auth = ClientCredentials(client.id, client.secret, dpop=self.dpop)
        auth.binding_advice = "pass --dpop"
        return Server(command, self.url, self._headers(ctx), auth)

    def command(self, ctx: click.Context) -> Sequence[str]:
        """Return the command after ``--``; empty for none."""
        found: Sequence[str] = ctx.meta.get(_COMMAND, ())
        return found

    def client(self, ctx: click.Context) -> RegisteredClient:
        """Return the client that was registered by hand. Raise ``click.UsageError`` for a secret without one."""
        from mcp_bindgen.calling.connection import RegisteredClient

        if self.client_secret_env is None:
            return RegisteredClient(self.client_id)
        if self.client_id is None:
            message = "--client-secret-env requires --client-id"
            raise click.UsageError(message, ctx)
        return RegisteredClient(self.client_id, secret_in("--client-secret-env", self.client_secret_env, ctx))

    def _headers(self, ctx: click.Context) -> Mapping[str, str]:
        found: dict[str, str] = {}
        for header in self.headers:
            name, colon, value = header.partition(":")
            if not colon or not name.strip():
                message = f"--header must have the form 'NAME: VALUE', got {name + colon!r}"
                raise click.UsageError(message, ctx)
            found[name.strip()] = value.strip()
        if self.token_env is not None:
            if "authorization" in map(str.lower, found):
                message = "--token-env and --header set the header Authorization both; pass one of them"
                raise click.UsageError(message, ctx)
            found["Authorization"] = f"Bearer {secret_in('--token-env', self.token_env, ctx)}"
        return found


def with_login(server: Server) -> Server:
    """Return a server with the tokens of an earlier login, unless it has other credentials, or accepts none."""
    if server.url is None or "authorization" in map(str.lower, server.headers):
        return server
    from mcp_bindgen.cli.stored_login import import_logins, token_file

    logins = import_logins()
    if not logins.accepts_tokens(server.url):
        return server
    return server._replace(auth=logins.StoredLogin(server.url, token_file()))


_OPTIONS: Sequence[Callable[[Callable[..., Any]], Callable[..., Any]]] = (
    click.option("--url", metavar="URL", help="URL of a running HTTP server, instead of COMMAND."),
    click.option(
        "--header",
        "headers",
        multiple=True,
        metavar="NAME:VALUE",
        help="With --url: header of each HTTP request. Repeatable.",
    ),
    click.option("--token-env", metavar="NAME", help="With --url: environment variable that contains an access token."),
    click.option(
        "--client-id", metavar="ID", help="With --url: client that is registered at the authorization server."
    ),
    click.option("--client-secret-env", metavar="NAME", help="Environment variable that contains the client's secret."),
    click.option(
        "--dpop",
        is_flag=True,
        help="With --client-id, or --login of mcp-codegen call: bind the tokens to a key (RFC 9449).",
    ),
)
_CONFIG = click.option(
    "--config",
    type=(click.Path(path_type=Path), str),
    metavar="FILE NAME",
    shell_complete=complete_file,
    help="Server called NAME in a .mcp.json or another file with mcpServers, instead of COMMAND.",
)


server_options = collect_options("reached", ServerOptions, (*_OPTIONS, _CONFIG))
"""Add the options that name a server to a command, which receives them as the argument ``reached``."""
command_or_url_options = collect_options("reached", ServerOptions, _OPTIONS)
"""Add the same options without ``--config``, for a command that reads several servers from a file."""


def secret_in(option: str, name: str, ctx: click.Context) -> str:
    """Return the secret in an environment variable. Raise ``click.UsageError`` if it is not set."""
    value = os.environ.get(name, "").strip()
    if not value:
        message = f"{option} must name an environment variable with a secret; {name} is not set, or empty"
        raise click.UsageError(message, ctx)
    return value


def _is_line(word: str) -> bool:
    """Return whether a word is a command with arguments, and not a program whose name has a blank."""
    import shutil

    words = word.split()
    return len(words) > 1 and shutil.which(word) is None and shutil.which(words[0]) is not None


def _with_server(typed: str) -> str | None:
    """Return a command line without a server as it was probably meant; None if no word of it looks like a server."""
    words = typed.split(" ")
    if "read" not in words and words[-1].startswith(("http://", "https://")):
        return " ".join([*words[:-1], "--url", words[-1]])
    return _with_dashes(words)


def _with_dashes(words: Sequence[str]) -> str | None:
    """Return a command line with ``--`` before the name of an interpreter; None if it has none."""
    place = next((place for place, word in enumerate(words) if word in _INTERPRETERS), None)
    return None if place is None else " ".join([*words[:place], "--", *words[place:]])
