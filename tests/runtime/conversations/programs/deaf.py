"""A server that reads nothing any more once a client is connected."""

from __future__ import annotations

import json
import sys
from signal import pause

asked = json.loads(sys.stdin.readline())
result = {"protocolVersion": sys.argv[1], "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}}
sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}) + "\n")
sys.stdout.flush()
pause()
