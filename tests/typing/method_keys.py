"""Method keys carry the types of their params and results through code that is written once."""

import json
from typing import Any, TypeVar, assert_type

from mcp_bindings import v2025_06_18, v2026_07_28
from mcp_bindings_runtime.methods import NotificationMethod, RequestMethod

P = TypeVar("P")
R = TypeVar("R")

CANNED: dict[str, Any] = {"tools/call": {"content": [{"type": "text", "text": "3"}]}, "ping": {}}


def call(key: RequestMethod[P, R], params: P) -> R:
    """What a client does, without one: the types come from the key alone."""
    return v2025_06_18.decode_result(key, json.loads(json.dumps(CANNED[key.name])))


def notify(key: NotificationMethod[P], params: P) -> str:
    return f"{key.name}: {params!r}"


mcp = v2025_06_18
result = call(mcp.methods.CALL_TOOL, mcp.CallToolRequestParams(name="add"))
assert_type(result, mcp.CallToolResult)
assert result.content == [mcp.TextContent(text="3")]
assert_type(call(mcp.methods.PING, mcp.RequestParams()), mcp.EmptyResult)
notify(mcp.methods.PROGRESS, mcp.ProgressNotificationParams(progress_token=1, progress=0.5))

answer = mcp.decode('{"jsonrpc": "2.0", "id": 1, "result": {"tools": []}}', results={1: mcp.methods.LIST_TOOLS})
assert isinstance(answer, mcp.JSONRPCResponse)
assert answer.result == mcp.ListToolsResult(tools=[])

# A request that two results may answer: which one it is shows in the value.
either = v2026_07_28.decode_result(v2026_07_28.methods.CALL_TOOL, {"resultType": "input_required", "requestState": "s"})
assert_type(either, v2026_07_28.CallToolResult | v2026_07_28.InputRequiredResult)
assert isinstance(either, v2026_07_28.InputRequiredResult)
assert_type(either.request_state, str | None)
