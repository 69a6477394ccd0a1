"""A server of any revision, byte by byte: a call brings as many progress notifications as it asks for, and its result, at once."""

from __future__ import annotations

import json
import sys
from typing import Any

REVISION = sys.argv[1]
WHO = {"name": "x", "version": "1"}
FRESH = {"ttlMs": 0, "cacheScope": "private"}
GREETINGS: dict[str, Any] = {
    "initialize": {"protocolVersion": REVISION, "capabilities": {"tools": {}}, "serverInfo": WHO},
    "server/discover": {"supportedVersions": [REVISION], "capabilities": {"tools": {}}, **FRESH},
}


def line(**members: Any) -> str:
    return json.dumps({"jsonrpc": "2.0", **members}) + "\n"


for text in sys.stdin:
    asked = json.loads(text)
    if "id" not in asked:
        continue
    lines = []
    result = {"resultType": "complete", **GREETINGS.get(asked["method"], {"content": []})}
    if asked["method"] == "tools/call":
        token = asked["params"]["_meta"]["progressToken"]
        for value in range(1, asked["params"]["arguments"]["count"] + 1):
            params = {"progressToken": token, "progress": value}
            lines.append(line(method="notifications/progress", params=params))
    sys.stdout.write("".join(lines) + line(id=asked["id"], result=result))
    sys.stdout.flush()
