"""A server for use from the shell: ``desk.py REVISION …``, over stdio, with tools that answer, ask, report and fail."""

from __future__ import annotations

import base64
import os
import sys
import time
from typing import Any

from mcp_bindings import serve
from mcp_bindings_runtime.errors import ResponseError
from support.scripted_peers import package

PIXEL = base64.b64encode(b"\x89PNG\r\n").decode()
TOOLS = [
    {
        "name": "add",
        "description": "Add two numbers.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "a": {"type": "number", "description": "the first"},
                "b": {"type": "number", "default": 1, "description": "what to add"},
            },
            "required": ["a"],
        },
    },
    {"name": "echo", "description": "Say what was given.", "inputSchema": {"type": "object"}},
    {"name": "picture", "inputSchema": {"type": "object"}},
    {"name": "ask", "inputSchema": {"type": "object"}},
    {"name": "fail", "inputSchema": {"type": "object"}},
    {"name": "refuse", "inputSchema": {"type": "object"}},
    {"name": "wait", "inputSchema": {"type": "object"}},
    {"name": "die", "inputSchema": {"type": "object"}},
]
FORM = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


def desk(revision: str) -> Any:
    mcp = package(revision)
    methods, types = mcp.methods, mcp.types
    server = mcp.Server("desk", "1.0", instructions="It answers.", revisions=[revision])
    complete = {} if revision < "2026" else {"resultType": "complete"}
    cached = {} if revision < "2026" else {"ttlMs": 0, "cacheScope": "private"}

    def structure(value: Any, kind: Any) -> Any:
        # A result that was made from JSON says only what that says.
        extra = complete if kind.__name__.endswith("Result") else {}
        return mcp.converter.structure({**extra, **value}, kind)

    @server.handler(methods.LIST_TOOLS)
    def tools(params: Any, context: Any) -> Any:
        return structure({"tools": TOOLS, **cached}, types.ListToolsResult)

    @server.handler(methods.CALL_TOOL)
    def call(params: Any, context: Any) -> Any:
        content = [{"type": "text", "text": answer(params.name, params.arguments or {}, context)}]
        if params.name == "picture":
            content.append({"type": "image", "data": PIXEL, "mimeType": "image/png"})
        return structure({"content": content, "isError": params.name == "fail"}, types.CallToolResult)

    def answer(name: str, arguments: Any, context: Any) -> str:
        if name == "add":
            context.progress(1, 2, **({"message": arguments["step"]} if "step" in arguments else {}))
            context.log("info", "adding")
            return str(arguments["a"] + arguments.get("b", 1))
        if name == "echo":
            return f"{arguments!r} {os.environ.get('DESK')}"
        if name == "ask":
            schema = getattr(types, "ElicitRequestFormParamsRequestedSchema", None)
            schema = schema or types.ElicitRequestParamsRequestedSchema
            given = context.elicit("Who are you?", structure(FORM, schema))
            return f"{given.action} {given.content}"
        if name == "refuse":
            raise ResponseError(-32000, "refused", {"why": "because"})
        if name == "wait":
            time.sleep(60)
        if name == "die":
            os._exit(3)
        return "no luck" if name == "fail" else "a picture"

    @server.handler(methods.LIST_RESOURCES)
    def resources(params: Any, context: Any) -> Any:
        listed = [{"uri": "desk://note", "name": "note", "mimeType": "text/plain", "size": 12}]
        return structure({"resources": listed, **cached}, types.ListResourcesResult)

    @server.handler(methods.READ_RESOURCE)
    def read(params: Any, context: Any) -> Any:
        if params.uri == "desk://note":
            contents = {"uri": params.uri, "text": "a line\nand \x1b[31manother\n"}
        else:
            contents = {"uri": params.uri, "blob": PIXEL, "mimeType": "image/png"}
        return structure({"contents": [contents], **cached}, types.ReadResourceResult)

    @server.handler(methods.LIST_PROMPTS)
    def prompts(params: Any, context: Any) -> Any:
        arguments = [{"name": "who", "description": "whom to greet", "required": True}]
        return structure({"prompts": [{"name": "greet", "arguments": arguments}], **cached}, types.ListPromptsResult)

    @server.handler(methods.GET_PROMPT)
    def prompt(params: Any, context: Any) -> Any:
        text = f"Say hello to {params.arguments['who']}."
        messages = [{"role": "user", "content": {"type": "text", "text": text}}]
        return structure({"messages": messages}, types.GetPromptResult)

    return server


if __name__ == "__main__":
    serve.stdio(*map(desk, sys.argv[1:]))
