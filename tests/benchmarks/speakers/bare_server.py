"""Server of the bare exchange: one line in, one line out."""

from __future__ import annotations

import json
import os
from typing import Any

RESULTS: dict[str, dict[str, Any]] = {
    "initialize": {
        "protocolVersion": "2025-11-25",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "echo", "version": "1.0"},
    },
    "tools/list": {"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]},
}


def main() -> None:
    while data := os.read(0, 65536):
        # Whoever notifies waits for nothing, so the next request may have come with it.
        for line in data.splitlines():
            message = json.loads(line)
            if "id" not in message:
                continue
            result = RESULTS.get(message["method"])
            if result is None:
                result = {"content": [{"type": "text", "text": message["params"]["arguments"]["text"]}]}
            os.write(1, json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode() + b"\n")


if __name__ == "__main__":
    main()
