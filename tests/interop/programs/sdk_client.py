"""Client of the official Python SDK: ``sdk_client.py MODE COMMAND…`` prints its observations of a server."""

import asyncio
import json
import sys
from typing import Any

import mcp_types as types
from mcp import StdioServerParameters
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError

progress: list[float] = []
logged: list[Any] = []


async def sample(context: Any, params: Any) -> Any:
    content = types.TextContent(type="text", text="Paris")
    return types.CreateMessageResult(role="assistant", content=content, model="none")


async def elicit(context: Any, params: Any) -> Any:
    fields = params.requested_schema["properties"]
    content = {name: True if field["type"] == "boolean" else "blue" for name, field in fields.items()}
    return types.ElicitResult(action="accept", content=content)


async def roots(context: Any) -> Any:
    return types.ListRootsResult(roots=[types.Root(uri="file:///here")])


async def log(params: Any) -> None:
    logged.append(params.data)


async def report(done: float, total: float | None, message: str | None) -> None:
    progress.append(done)


async def main(mode: str, command: list[str]) -> dict[str, Any]:
    client = Client(
        StdioServerParameters(command=command[0], args=command[1:]),
        mode=mode,
        sampling_callback=sample,
        elicitation_callback=elicit,
        list_roots_callback=roots,
        logging_callback=log,
        log_level="info",
        read_timeout_seconds=60,
    )
    async with client:
        legacy = client.protocol_version < "2026"

        async def text(name: str, arguments: dict[str, Any] | None = None) -> str:
            result = await client.call_tool(name, arguments or {})
            return "".join(block.text for block in result.content)

        tools = await client.list_tools()
        failed = await client.call_tool("test_error_handling", {})
        await client.call_tool("test_tool_with_progress", {}, progress_callback=report)
        if legacy:
            asked = [
                await text("test_elicitation", {"message": "Well?"}),
                await text("test_sampling", {"prompt": "Where?"}),
            ]
            await text("test_tool_with_logging")
        else:
            names = ("elicitation", "sampling", "list_roots", "multi_round", "multiple_inputs")
            asked = [await text(f"test_input_required_result_{name}") for name in names]
            asked.append(await text("test_streaming_elicitation"))
            await text("test_logging_tool")
        try:
            await client.read_resource("test://nowhere")
            unknown = None
        except MCPError as error:
            unknown = error.error.code
        resource = await client.read_resource("test://template/7/data")
        prompt = await client.get_prompt("test_prompt_with_arguments", {"arg1": "hello", "arg2": "world"})
        resources = await client.list_resources()
        reference = types.PromptReference(type="ref/prompt", name="test_prompt_with_arguments")
        completed = await client.complete(reference, {"name": "arg1", "value": "h"})
        return {
            "revision": client.protocol_version,
            "server": client.server_info.name,
            "tools": [tool.name for tool in tools.tools],
            "text": await text("test_simple_text"),
            "failed": failed.is_error,
            "progress": progress,
            "asked": asked,
            "logged": logged,
            "unknown": unknown,
            "resource": json.loads(resource.contents[0].text),
            "resources": [each.uri for each in resources.resources],
            "prompt": prompt.messages[0].content.text,
            "completed": completed.completion.values,
        }


print(json.dumps(asyncio.run(main(sys.argv[1], sys.argv[2:]))))
