"""Server made with the official Python SDK that requires tokens: PORT, ISSUER, and the URL at which it checks tokens."""

import asyncio
import json
import sys
import urllib.request

from mcp.server import MCPServer
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings

port, issuer, checks = sys.argv[1:]
url = f"http://127.0.0.1:{port}/mcp"


def check(token):
    with urllib.request.urlopen(f"{checks}/{token}", timeout=30) as response:
        return json.load(response)


class Verifier:
    async def verify_token(self, token):
        found = await asyncio.to_thread(check, token)
        if not found["active"]:
            return None
        return AccessToken(token=token, client_id="someone", scopes=found["scopes"], resource=found["resource"])


server = MCPServer(
    "protected",
    token_verifier=Verifier(),
    auth=AuthSettings(
        issuer_url=issuer, resource_server_url=url, required_scopes=["notes"], validate_token_resource=True
    ),
)


@server.tool()
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


server.run("streamable-http", host="127.0.0.1", port=int(port))
