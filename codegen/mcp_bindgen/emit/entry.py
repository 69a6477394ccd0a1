"""What a package says of its client and server, which are loaded when somebody asks for them."""

from __future__ import annotations

from mcp_bindgen.emit.plan import EntryView

_DOC = """
    mcp.Client.stdio(["a-server"])    a client: call_tool(…), list_tools() and so on
    mcp.Server("a-server", "1.0")     a server, of handlers for methods
    mcp.Context                       what handlers are given besides the params
"""

_IMPORTS = """
from typing import TYPE_CHECKING

"""

_NAMES = """

if TYPE_CHECKING:
    from .client import Client as Client
    from .server import Context as Context
    from .server import Server as Server
else:

    def __getattr__(name):
        if name == "Client":
            from . import client as module
        elif name in ("Context", "Server"):
            from . import server as module
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(module, name)

    def __dir__():
        return [*globals(), "Client", "Context", "Server"]
"""


def plan_entry(*, converses: bool) -> EntryView:
    """What is added to the package's docstring, imports and names; nothing where it has no client and no server."""
    parts = (_DOC, _IMPORTS, _NAMES) if converses else ("\n", "\n", "\n")
    return EntryView(*(tuple(part[1:].splitlines()) for part in parts))
