"""What a package says of its client and server, which are loaded when somebody asks for them."""

from __future__ import annotations

from mcp_bindgen.emit.plan import EntryView

_DOC = """
    mcp.Client.stdio(["a-server"])    a client: call_tool(…), list_tools() and so on
    mcp.Server("a-server", "1.0")     a server, of handlers for methods
    mcp.Context                       what handlers are given besides the params
    mcp.Image, mcp.Audio              bytes that a tool returns as what they are
    mcp.Keywords(minimum=1)           more than a type says of an argument
    mcp.ToolError("no such city")     what a tool raises for its caller to read
"""

_DOC_OF_TASKS = """
    mcp.MemoryTasks(ttl=60)           keeps the tasks that tool calls become
"""

_IMPORTS = """
from typing import TYPE_CHECKING

"""

_NAMES = """

if TYPE_CHECKING:
    from ..runtime.errors import ToolError as ToolError
    from ..runtime.features.keywords import Keywords as Keywords
    from ..runtime.features.media import Audio as Audio
    from ..runtime.features.media import Image as Image
    from ..runtime.features.taskstore import MemoryTasks as MemoryTasks
    from .client import Client as Client
    from .server import Context as Context
    from .server import Server as Server
else:

    def __getattr__(name):
        if name == "Client":
            from . import client as module
        elif name in ("Context", "Server"):
            from . import server as module
        elif name in ("Audio", "Image"):
            from ..runtime.features import media as module
        elif name == "Keywords":
            from ..runtime.features import keywords as module
        elif name == "MemoryTasks":
            from ..runtime.features import taskstore as module
        elif name == "ToolError":
            from ..runtime import errors as module
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(module, name)

    def __dir__():
        names = ["Audio", "Client", "Context", "Image", "Keywords", "MemoryTasks", "Server", "ToolError"]
        return [*globals(), *names]
"""


def plan_entry(*, converses: bool, tasks: bool) -> EntryView:
    """What is added to the package's docstring, imports and names; nothing where it has no client and no server.

    ``tasks``: whether the revision has those.
    """
    if not converses:
        return EntryView((), (), ())
    doc = _DOC + _DOC_OF_TASKS[1:] if tasks else _DOC
    names = _NAMES if tasks else _without_tasks(_NAMES)
    return EntryView(*(tuple(part[1:].splitlines()) for part in (doc, _IMPORTS, names)))


def _without_tasks(names: str) -> str:
    lines = names.replace('"MemoryTasks", ', "").splitlines()
    kept = [line for line in lines if "MemoryTasks" not in line and "taskstore" not in line]
    return "\n".join(kept) + "\n"
