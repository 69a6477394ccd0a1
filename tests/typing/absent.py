"""Absent is not null: ``None`` where null has no meaning, ``UNSET`` where it has one."""

from typing import assert_type

from mcp_bindings import v2025_11_25 as mcp

ping = mcp.PingRequest(id=1)
assert_type(ping.params, mcp.RequestParams | None)

reply = mcp.JSONRPCErrorResponse(error=mcp.Error(code=mcp.types.PARSE_ERROR, message="not JSON"))
if reply.id is not mcp.UNSET:
    assert_type(reply.id, str | int | None)
    raise AssertionError(reply.id)
assert b'"id"' not in mcp.encode(reply)
assert reply.error.data is mcp.UNSET
