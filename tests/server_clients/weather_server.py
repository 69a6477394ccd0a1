"""A server whose tools have hard schemas; it answers each call with the value that the tool's name stands for.

Run it with a revision: ``python weather_server.py 2025-06-18``.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

OFFERS = json.loads((Path(__file__).parent / "weather.json").read_text(encoding="utf-8"))
"""Tools, prompts, resource templates and resources."""

DAY = {"high": 21.5, "wind": None, "sunny": True, "hour-by-hour": [1, 2.5], "uv": 3}
ANSWERS: dict[str, Any] = {
    "get-forecast": {
        "days": [DAY, {"high": 1}],
        "place": {"kind": "city", "name": "Bergen"},
        "unknown": {"kept": None},
    },
    "find_place": {"tree": {"name": "Norway", "parts": [{"name": "Bergen", "parts": []}]}, "path": ["a", ["b", []]]},
}
"""Structured content by tool."""


def main(revision: str) -> None:
    """Serve on stdio."""
    mcp: Any = import_module(f"mcp_bindings.v{revision.replace('-', '_')}")
    server = mcp.Server("weather", "1.0", revisions=[revision])
    structure = mcp.converter.structure

    @server.handler(mcp.methods.LIST_TOOLS)
    def tools(params: Any, context: Any) -> Any:
        return structure(_result({"tools": OFFERS["tools"]}), mcp.types.ListToolsResult)

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params: Any, context: Any) -> Any:
        if params.name == "get_forecast":
            failed = {"content": [{"type": "text", "text": "no such station"}], "isError": True}
            return structure(_result(failed), mcp.types.CallToolResult)
        answer = ANSWERS.get(params.name, {"arguments": params.arguments})
        if params.name == "get-forecast":
            answer = {**answer, "arguments": params.arguments}
        content = [{"type": "text", "text": json.dumps(answer)}]
        return structure(_result({"content": content, "structuredContent": answer}), mcp.types.CallToolResult)

    @server.handler(mcp.methods.LIST_PROMPTS)
    def prompts(params: Any, context: Any) -> Any:
        return structure(_result({"prompts": OFFERS["prompts"]}), mcp.types.ListPromptsResult)

    @server.handler(mcp.methods.GET_PROMPT)
    def prompt(params: Any, context: Any) -> Any:
        text = json.dumps(params.arguments)
        message = {"role": "user", "content": {"type": "text", "text": text}}
        return structure(_result({"messages": [message]}), mcp.types.GetPromptResult)

    @server.handler(mcp.methods.LIST_RESOURCES)
    def resources(params: Any, context: Any) -> Any:
        return structure(_result({"resources": OFFERS["resources"]}), mcp.types.ListResourcesResult)

    @server.handler(mcp.methods.LIST_RESOURCE_TEMPLATES)
    def templates(params: Any, context: Any) -> Any:
        return structure(_result({"resourceTemplates": OFFERS["templates"]}), mcp.types.ListResourceTemplatesResult)

    @server.handler(mcp.methods.READ_RESOURCE)
    def read(params: Any, context: Any) -> Any:
        contents = [{"uri": params.uri, "text": params.uri}]
        return structure(_result({"contents": contents}), mcp.types.ReadResourceResult)

    server.run_stdio()


def _result(value: dict[str, Any]) -> dict[str, Any]:
    return {**value, "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}


if __name__ == "__main__":
    main(sys.argv[1])
