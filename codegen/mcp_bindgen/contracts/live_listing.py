"""Listings of servers, over a connection."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mcp_bindgen.calling import offers
from mcp_bindgen.calling.connection import Options, Server, open_client
from mcp_bindgen.contracts.contract import Listing
from mcp_bindgen.errors import BindgenError

if TYPE_CHECKING:
    from mcp_bindings_runtime.client.client import Client

_NAMES = {"tools": "tools", "resources": "resources", "templates": "resourceTemplates", "prompts": "prompts"}
"""Kinds of ``offers``, with those of contracts."""


def list_server(server: Server, options: Options, warn: Callable[[str], None]) -> Listing:
    """Connect to a server and return all pages of its lists. Raise `BindgenError` if that fails.

    ``warn`` is called with what does not match the schema of the lists.
    """
    from mcp_bindings_runtime.errors import McpError

    try:
        with contextlib.closing(open_client(server, options)) as client:
            return _listing(client, server, warn)
    except McpError as problem:
        message = f"cannot list the tools of {name_of(server)}: {problem}"
        raise BindgenError(message) from problem


def name_of(server: Server) -> str:
    """Return the command or URL of a server."""
    return server.url if server.url is not None else " ".join(server.command)


def _listing(client: Client, server: Server, warn: Callable[[str], None]) -> Listing:
    found = offers.fetch(client, _NAMES, warn)
    info: Any = client.server_info
    about = None if info is None else {"name": info.name, "version": info.version}
    lists = {_NAMES[kind]: items for kind, items in found.items()}
    return Listing(name_of(server), client.binding.revision, about, {"tools": [], **lists})
