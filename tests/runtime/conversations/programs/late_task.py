"""A server over stdio that answers a call with a task when the next call arrives, and that call when a task is cancelled."""

from __future__ import annotations

import json
import sys
from typing import Any

REVISION = sys.argv[1]
CORE = REVISION == "2025-11-25"
MOMENT = "2025-11-25T10:30:00Z"
TASK = {"taskId": "k", "status": "working", "createdAt": MOMENT, "lastUpdatedAt": MOMENT}


def answer(request: Any, result: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Serves until its input ends."""
    calls: list[Any] = []
    capabilities = {"tools": {}, "tasks": {"cancel": {}, "requests": {"tools": {"call": {}}}}}
    known = {"protocolVersion": REVISION, "capabilities": capabilities, "serverInfo": {"name": "x", "version": "1"}}
    found = {"supportedVersions": [REVISION], "capabilities": {"tools": {}}, "ttlMs": 0, "cacheScope": "private"}
    for line in sys.stdin:
        message = json.loads(line)
        if message["method"] == "initialize":
            answer(message, known)
        elif message["method"] == "server/discover":
            answer(message, {"resultType": "complete", **found})
        elif message["method"] == "tools/call":
            calls.append(message)
            if len(calls) == 2:
                answer(
                    calls[0], {"task": {**TASK, "ttl": None}} if CORE else {"resultType": "task", **TASK, "ttlMs": None}
                )
        elif message["method"] == "tasks/cancel":
            answer(calls[1], {"resultType": "complete", "content": [{"type": "text", "text": message["method"]}]})


main()
