"""Tools of a server for smolagents."""

from __future__ import annotations

import re
from typing import Any

from ..client.any_client import AnyClient
from .server_tools import ServerTool, import_library, server_tools

_TYPES = ("string", "boolean", "integer", "number", "array", "object", "null")


def to_smolagents_tools(client: AnyClient) -> list[Any]:
    """Return the server's tools as ``smolagents.Tool``; a call returns the text of the result.

    smolagents has one type for each argument; an argument with several types, or without a type, gets ``any``. Characters
    that are not allowed in Python names become underscores. A failed tool raises ``ToolFailed``. Raise ``UsageError``
    without ``smolagents``.
    """
    library = import_library("smolagents", "smolagents")

    def forward(self: Any, *values: Any, **named: Any) -> str:
        text, result = self.tool.call({**dict(zip(self.inputs, values, strict=False)), **named})
        result.raise_for_error()
        return str(text)

    # The arguments are those of the schema, not of `forward`.
    members = {"forward": forward, "output_type": "string", "skip_forward_signature_validation": True}

    def made(tool: ServerTool) -> Any:
        name = re.sub(r"\W", "_", tool.name)
        own = {"name": name, "description": tool.description or name, "inputs": _inputs(tool), "tool": tool}
        return type("RemoteTool", (library.Tool,), {**members, **own})()

    return [made(tool) for tool in server_tools(client)]


def _inputs(tool: ServerTool) -> dict[str, dict[str, Any]]:
    return {
        name: {
            "type": schema.get("type") if schema.get("type") in _TYPES else "any",
            "description": schema.get("description") or name,
            **({} if name in tool.required else {"nullable": True}),
        }
        for name, schema in tool.parameters.items()
    }
