"""Calls that a type checker refuses; the comment says with which error."""

from typing import TypeVar

from mcp_bindings import v2024_11_05, v2025_06_18
from mcp_bindings import v2025_06_18 as mcp
from mcp_bindings_runtime.methods import RequestMethod

P = TypeVar("P")
R = TypeVar("R")


def call(key: RequestMethod[P, R], params: P, kind: type[R]) -> R:
    return kind()


mcp.Tool("add")  # E: call-arg # P: reportCallIssue
mcp.Tool(name="add")  # E: call-arg # P: reportCallIssue
mcp.Tool(name="add", inputSchema={})  # E: call-arg # P: reportCallIssue
mcp.Tool(name=1, input_schema=mcp.ToolInputSchema())  # E: arg-type # P: reportArgumentType
mcp.TextContent(text="a", type="image")  # E: call-arg # P: reportCallIssue
mcp.LoggingMessageNotificationParams(level="fatal", data=1)  # E: arg-type # P: reportArgumentType
mcp.encode({"jsonrpc": "2.0"})  # E: arg-type # P: reportArgumentType
mcp.encode(v2024_11_05.PingRequest(id=1))  # E: arg-type # P: reportArgumentType
mcp.decode(b"{}", mode="loose")  # E: call-overload # P: reportCallIssue reportArgumentType
mcp.decode(b"{}", sender="proxy")  # E: call-overload # P: reportArgumentType
mcp.decode_result(mcp.methods.PROGRESS, {})  # E: arg-type # P: reportArgumentType
v2024_11_05.AudioContent  # E: attr-defined # P: reportAttributeAccessIssue
seen = {v2025_06_18.TextContent(text="a")}  # P: reportUnhashable
