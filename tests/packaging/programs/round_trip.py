"""Round-trip messages through packages: ``python round_trip.py PREFIX PACKAGE …``."""

import json
import sys
from importlib import import_module

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
CALL = {"name": "add", "arguments": {"a": 1, "b": 2.0, "c": None}, "_meta": META, "acme/trace": "x"}
MESSAGES = [
    {"jsonrpc": "2.0", "id": "1", "method": "tools/call", "params": CALL},
    {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "3", "acme": None}]}},
    {"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "no such tool", "data": None}},
    {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 1, "progress": 0.5}},
]

prefix, *packages = sys.argv[1:]
for package in packages:
    mcp = import_module(f"{prefix}.{package}")
    for message in MESSAGES:
        typed = mcp.decode(json.dumps(message), results={1: mcp.methods.CALL_TOOL})
        assert type(typed).__module__ == f"{prefix}.{package}.types", typed
        again = json.loads(mcp.encode(typed))
        assert again == message, (again, message)
    converter = mcp.converter.get_converter()
    content = converter.structure({"type": "text", "text": "3"}, mcp.TextContent)
    assert content == mcp.TextContent(text="3")
    print(package)
