"""Client of FastMCP: ``fastmcp_client.py MODE COMMAND…`` prints its observations of a server."""

import asyncio
import json
import sys
from typing import Any

from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from fastmcp.exceptions import ToolError

progress: list[float] = []
logged: list[Any] = []


async def elicit(message: str, response_type: Any, params: Any, context: Any) -> Any:
    return dict.fromkeys(params.requested_schema["properties"], "blue")


async def report(done: float, total: float | None, message: str | None) -> None:
    progress.append(done)


async def log(message: Any) -> None:
    logged.append(message.data)


async def main(mode: str, command: list[str]) -> dict[str, Any]:
    client = Client(
        StdioTransport(command[0], command[1:]),
        mode=mode,
        sampling_handler=lambda messages, params, context: "Paris",
        elicitation_handler=elicit,
        log_handler=log,
        progress_handler=report,
        timeout=60,
    )
    async with client:
        tools = await client.list_tools()
        names = [tool.name for tool in tools]
        try:
            await client.call_tool("test_error_handling")
            failed = None
        except ToolError as error:
            failed = str(error)
        await client.call_tool("test_tool_with_progress")
        if mode == "legacy":
            calls = [("test_elicitation", {"message": "Well?"}), ("test_sampling", {"prompt": "Where?"})]
        else:
            calls = [(f"test_input_required_result_{name}", {}) for name in ("elicitation", "sampling", "multi_round")]
        asked = [(await client.call_tool(name, arguments)).content[0].text for name, arguments in calls]
        picture = await client.call_tool("test_image_content")
        resource = await client.read_resource("test://template/7/data")
        prompt = await client.get_prompt("test_prompt_with_arguments", {"arg1": "hello", "arg2": "world"})
        return {
            "tools": names,
            "failed": failed,
            "progress": progress,
            "asked": asked,
            "image": picture.content[0].mime_type,
            "resource": json.loads(resource[0].text),
            "prompt": prompt.messages[0].content.text,
            "templates": [each.uri_template for each in await client.list_resource_templates()],
        }


print(json.dumps(asyncio.run(main(sys.argv[1], sys.argv[2:]))))
