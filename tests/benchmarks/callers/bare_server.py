"""A WSGI application that reads JSON and gives JSON back, on cheroot as these bindings set it up."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

from mcp_bindings_runtime.http.server.http_server import HttpServer
from mcp_bindings_runtime.http.server.wsgi import Application


class Echo:
    """Looks at nothing but the text."""

    def __call__(self, environ: Mapping[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        message = json.loads(environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"])))
        result = {"content": [{"type": "text", "text": message["params"]["arguments"]["text"]}]}
        body = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode()
        start_response("200 OK", [("Content-Type", "application/json"), ("Content-Length", str(len(body)))])
        return [body]

    def close(self, grace: float = 2.0) -> None:
        """There is nothing to close."""


if __name__ == "__main__":
    HttpServer(cast("Application", Echo()), port=int(sys.argv[1])).serve()
