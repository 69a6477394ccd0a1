"""Application that reads and returns JSON, on the HTTP server of these bindings."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any, cast

from mcp_bindings_runtime.connection.account import Account
from mcp_bindings_runtime.http.server.http_server import HttpServer
from mcp_bindings_runtime.http.server.options import EndpointOptions
from mcp_bindings_runtime.http.server.responses import Response, json_response
from mcp_bindings_runtime.http.server.wsgi import Application


class Echo:
    """Echoes the text without other checks."""

    options = EndpointOptions()
    memory = Account("bytes", options.memory)

    def respond(self, environ: Mapping[str, Any]) -> Response:
        message = json.loads(environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"])))
        result = {"content": [{"type": "text", "text": message["params"]["arguments"]["text"]}]}
        body = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode()
        return json_response(200, body)

    def close(self, grace: float = 2.0) -> None:
        """Do nothing."""


if __name__ == "__main__":
    HttpServer(cast("Application", Echo()), port=int(sys.argv[1])).serve()
