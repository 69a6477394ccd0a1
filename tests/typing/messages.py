"""Sending and receiving whole messages."""

from typing import assert_type

from mcp_bindings import v2025_06_18 as mcp
from mcp_bindings_runtime.codec.codec import Lenient
from mcp_bindings_runtime.errors import DecodeError

request = mcp.CallToolRequest(id=7, params=mcp.CallToolRequestParams(name="add", arguments={"a": 1, "b": 2}))
line = mcp.encode(request)
assert_type(line, bytes)

message = mcp.decode(line, sender="client")
assert_type(message, mcp.Message)
match message:
    case mcp.CallToolRequest(id=number, params=params):
        assert_type(number, str | int)
        assert_type(params, mcp.CallToolRequestParams)
        assert params == request.params
    case mcp.JSONRPCError(error=error):
        assert_type(error.code, int)
        raise AssertionError(error.message)
    case _:
        raise AssertionError(message)

lenient = mcp.decode('{"jsonrpc": "2.0", "id": true, "method": "ping"}', mode="lenient")
assert_type(lenient, Lenient)
for violation in lenient.violations:
    assert_type(violation, DecodeError)
    assert_type(violation.path, str)
    assert_type(violation.pointer, str)
assert [violation.pointer for violation in lenient.violations] == ["/id"]

tool = mcp.converter.structure({"name": "add", "inputSchema": {"type": "object"}}, mcp.Tool)
assert_type(tool, mcp.Tool)
tools = mcp.converter.get_converter().structure([mcp.converter.unstructure(tool)], list[mcp.Tool])
assert_type(tools, list[mcp.Tool])
assert tools == [tool]
