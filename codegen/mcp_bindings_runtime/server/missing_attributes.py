"""Attributes and options that servers of other libraries have: what to write for them."""

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
    "custom_route": "write endpoint = server.wsgi_app() and serve endpoint.mounted('/mcp', your_wsgi_program)",
    "get_prompt": "decorate each prompt with @server.prompt; to get it, write mcp.Client.in_memory(server)",
}


_INSTEAD_OF_OPTION: Final = {
    "lifespan": "open what the tools need in a `with` block around server.run_stdio() or server.run_http()",
    "auth": "pass authorization= to server.run_http() or server.wsgi_app()",
    "token_verifier": "pass authorization=Authorization(validate, resource=url) to server.run_http() or server.wsgi_app()",
    "host": "pass it to server.run_http()",
    "port": "pass it to server.run_http()",
    "stateless_http": "leave it out; clients of 2026-07-28 have no sessions",
    "json_response": "leave it out; a response is JSON unless the handler sends something before it",
    "log_level": "write logging.basicConfig(level=...)",
    "middleware": "wrap server.wsgi_app() in WSGI middleware, or decorate the functions",
    "dependencies": "leave it out; the environment that runs the server has its packages",
}


def instead(name: str) -> str | None:
    """Return what to write instead of an attribute that servers of other libraries have; None for other names."""
    return _INSTEAD.get(name)


def instead_of_option(name: str) -> str | None:
    """Return what to write instead of an option that servers of other libraries have; None for other names."""
    return _INSTEAD_OF_OPTION.get(name)
