"""Server made with FastMCP that requires tokens: PORT, ISSUER, and the URL at which it checks tokens."""

import asyncio
import json
import sys
import urllib.request

from fastmcp import FastMCP
from fastmcp.server.auth import AccessToken, RemoteAuthProvider, TokenVerifier

port, issuer, checks = sys.argv[1:]
url = f"http://127.0.0.1:{port}/mcp"


def check(token):
    with urllib.request.urlopen(f"{checks}/{token}", timeout=30) as response:
        return json.load(response)


class Verifier(TokenVerifier):
    async def verify_token(self, token):
        found = await asyncio.to_thread(check, token)
        if not found["active"] or found["resource"] != url:
            return None
        return AccessToken(token=token, client_id="someone", scopes=found["scopes"], resource=found["resource"])


auth = RemoteAuthProvider(Verifier(required_scopes=["notes"]), [issuer], f"http://127.0.0.1:{port}")
server = FastMCP("protected", auth=auth)


@server.tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


server.run(transport="http", host="127.0.0.1", port=int(port), path="/mcp", show_banner=False)
