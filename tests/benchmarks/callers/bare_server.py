"""WSGI application that reads and returns JSON, on cheroot with the settings of these bindings."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

from mcp_bindings_runtime.http.server.http_server import HttpServer
from mcp_bindings_runtime.http.server.wsgi import Application


class Echo:
    """Echoes the text without other checks."""

    def __call__(self, environ: Mapping[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        message = json.loads(environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"])))
        result = {"content": [{"type": "text", "text": message["params"]["arguments"]["text"]}]}
        body = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode()
        start_response("200 OK", [("Content-Type", "application/json"), ("Content-Length", str(len(body)))])
        return [body]

    def close(self, grace: float = 2.0) -> None:
        """Do nothing."""


if __name__ == "__main__":
    HttpServer(cast("Application", Echo()), port=int(sys.argv[1])).serve()
