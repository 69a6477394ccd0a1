"""Tools of a server for DSPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..client.any_client import AnyClient
from .server_tools import ServerTool, import_library, server_tools

_TYPES: dict[Any, Any] = {
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": float,
    "array": list,
    "object": dict,
}


def to_dspy_tools(client: AnyClient) -> list[Any]:
    """Return the server's tools as ``dspy.Tool``; a call returns the text of the result.

    A failed tool raises ``ToolFailed``. Raise ``UsageError`` without ``dspy``.
    """
    library = import_library("dspy", "dspy")

    def runner(tool: ServerTool) -> Callable[..., str]:
        def run(**arguments: Any) -> str:
            text, result = tool.call(arguments)
            result.raise_for_error()
            return text

        return run

    return [
        library.Tool(
            func=runner(tool),
            name=tool.name,
            desc=tool.description,
            args=tool.parameters,
            arg_types={name: _type_of(schema) for name, schema in tool.parameters.items()},
        )
        for tool in server_tools(client)
    ]


def _type_of(schema: dict[str, Any]) -> Any:
    kind = schema.get("type")
    return _TYPES.get(kind, Any) if isinstance(kind, str) else Any
