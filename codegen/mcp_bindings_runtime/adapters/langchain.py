"""Tools of a server for LangChain."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..client.any_client import AnyClient
from .server_tools import ServerTool, import_library, server_tools


def to_langchain_tools(client: AnyClient) -> list[Any]:
    """Return the server's tools as ``StructuredTool``.

    A call returns the text of the result, and the whole result as artifact.
    If the tool fails, LangChain sends the text of the error to the model. Raise ``UsageError`` without ``langchain-core``.
    """
    tools = import_library("langchain_core.tools", "langchain-core")

    def runner(tool: ServerTool) -> Callable[..., tuple[str, Any]]:
        def run(**arguments: Any) -> tuple[str, Any]:
            text, result = tool.call(arguments)
            if result.is_error:
                raise tools.ToolException(text)
            return text, result

        return run

    return [
        tools.StructuredTool(
            name=tool.name,
            description=tool.description or tool.name,
            args_schema=tool.schema,
            func=runner(tool),
            response_format="content_and_artifact",
            handle_tool_error=True,
        )
        for tool in server_tools(client)
    ]
