"""Coroutine functions, which servers do not support; the comment says with which error.

Pyright does not report those that are passed to what a decorator with arguments returns.
"""

from mcp_bindings import v2025_11_25 as mcp

server = mcp.Server("s", "1")


@server.tool  # E: deprecated # P: reportDeprecated
async def add(a: int, b: int) -> int:
    return a + b


@server.tool(name="subtract")  # E: deprecated
async def subtract(a: int, b: int) -> int:
    return a - b


@server.prompt  # E: deprecated # P: reportDeprecated
async def review(code: str) -> str:
    return code


@server.resource("demo://a")  # E: deprecated
async def resource() -> str:
    return ""


@server.resource_template("demo://{a}")  # E: deprecated
async def template(a: str) -> str:
    return a


@server.completion(prompt="review", argument="code")  # E: deprecated
async def codes(typed: str) -> list[str]:
    return [typed]
