"""``mcp-codegen call --login URL`` and ``--logout URL``: the tokens that commands with ``--url`` use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

import click

from mcp_bindgen.cli import output
from mcp_bindgen.cli.stored_login import import_logins, token_file

if TYPE_CHECKING:
    from mcp_bindgen.calling.connection import Options, RegisteredClient
    from mcp_bindgen.cli.server_options import ServerOptions


class LoginOptions(NamedTuple):
    """The options that log a user in or out, as they were typed."""

    login: str | None
    device: bool
    scope: str | None
    logout: str | None

    def action(
        self, ctx: click.Context, words: Sequence[str], reached: ServerOptions
    ) -> Callable[[Options], int] | None:
        """Return the action that the options name; None for none. Raise ``click.UsageError`` for other words beside it."""
        url = self.logout if self.login is None else self.login
        if url is None:
            for name, value in (("--device", self.device), ("--scope", self.scope)):
                if value:
                    message = f"{name} requires --login URL"
                    raise click.UsageError(message, ctx)
            return None
        others = reached._replace(client_id=None, client_secret_env=None, dpop=False)
        if words or reached.command(ctx) or others != type(others)() or None not in (self.login, self.logout):
            name = "--logout" if self.login is None else "--login"
            message = f"{name} is used without another server or action; run: mcp-codegen call {name} {url}"
            raise click.UsageError(message, ctx)
        if self.login is None:
            return lambda _: _log_out(url)
        client = reached.client(ctx)
        return lambda options: _log_in(url, client, options, self, dpop=reached.dpop)


def _log_in(url: str, client: RegisteredClient, options: Options, typed: LoginOptions, *, dpop: bool) -> int:
    tokens = token_file()
    found = import_logins().log_in(
        url, tokens, client, options, open_url=_open, device=typed.device, dpop=dpop, scope=typed.scope
    )
    if found == "unnecessary":
        output.note(f"{url} requires no login")
    elif found == "old":
        output.note(f"already logged in at {url}; to log in as somebody else, run: mcp-codegen call --logout {url}")
    else:
        output.note(f"logged in at {url}; the tokens are in {tokens}")
    return 0


def _log_out(url: str) -> int:
    found = import_logins().log_out(url, token_file())
    if found.issuer is None:
        output.note(f"not logged in at {url}")
    elif not found.remaining:
        output.note(f"logged out of {url}; {found.issuer} has revoked the tokens")
    else:
        why = found.failure or f"{found.issuer} offers no revocation"
        result = "the tokens are removed, but stay valid until they expire"
        if found.revoked:
            result = "the refresh token is revoked; the access token is removed, but stays valid until it expires"
        output.note(f"logged out of {url}; {result} ({why})")
    return 0


def _open(url: str) -> None:
    from mcp_bindings_runtime.auth.loopback_listener import open_browser

    output.note(f"log in at {urlsplit(url).netloc}, in the browser")
    open_browser(url)
