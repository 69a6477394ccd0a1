"""Attributes that servers of other libraries have: what to write for them."""

from __future__ import annotations

from typing import Final

_BLOCKING: Final = "over stdio, write server.run_stdio(); over HTTP, server.run_http(port=8000)"
_WSGI: Final = "write server.wsgi_app(), which is a WSGI application"

_INSTEAD: Final = {
    "run": _BLOCKING,
    "run_async": _BLOCKING,
    "run_stdio_async": "write server.run_stdio(), which blocks",
    "run_http_async": "write server.run_http(port=8000), which blocks",
    "run_sse_async": "write server.run_http(port=8000), which blocks",
    "run_streamable_http_async": "write server.run_http(port=8000), which blocks",
    "http_app": _WSGI,
    "sse_app": _WSGI,
    "streamable_http_app": _WSGI,
    "add_tool": "write server.tools.add(function)",
    "remove_tool": "write server.tools.remove(name)",
    "add_resource": "write server.resources.add(function, uri)",
    "add_prompt": "write server.prompts.add(function)",
    "list_tools": "decorate each tool with @server.tool; the server lists them",
    "call_tool": "decorate each tool with @server.tool; to call it, write mcp.Client.in_memory(server)",
    "list_resources": "decorate each resource with @server.resource(uri); the server lists them",
    "read_resource": "decorate each resource with @server.resource(uri); to read it, write mcp.Client.in_memory(server)",
    "list_prompts": "decorate each prompt with @server.prompt; the server lists them",
    "get_prompt": "decorate each prompt with @server.prompt; to get it, write mcp.Client.in_memory(server)",
}


def instead(name: str) -> str | None:
    """Return what to write instead of an attribute that servers of other libraries have; None for other names."""
    return _INSTEAD.get(name)
