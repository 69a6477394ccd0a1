"""A server whose tools have input schemas without ``type``, as some releases of public servers do; two pages."""

from __future__ import annotations

import json
import sys
from typing import Any

DIALECT = {"$schema": "http://json-schema.org/draft-07/schema#"}
PAGES: dict[Any, dict[str, Any]] = {
    None: {
        "tools": [{"name": "note", "inputSchema": {**DIALECT, "properties": {"text": {"type": "string"}}}}],
        "nextCursor": "second",
    },
    "second": {"tools": [{"name": "write", "inputSchema": DIALECT}]},
}


def answer(method: str, params: dict[str, Any]) -> dict[str, Any]:
    """Return the result of a request."""
    if method == "initialize":
        info = {"name": "untyped", "version": "1.0"}
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "tools/list":
        return PAGES[params.get("cursor")]
    return {"content": [{"type": "text", "text": json.dumps(params.get("arguments"))}]}


for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    response: dict[str, Any] = {"jsonrpc": "2.0", "id": message["id"]}
    if message["method"] == "server/discover":
        response["error"] = {"code": -32601, "message": "Method not found"}
    else:
        response["result"] = answer(message["method"], message.get("params", {}))
    print(json.dumps(response), flush=True)
