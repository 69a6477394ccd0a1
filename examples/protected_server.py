"""An HTTP server that requires access tokens: ``python protected_server.py [PORT]``.

It prints a token for each of two users. A real server issues no tokens: replace ``issuer.validator()`` by
``JwtValidator("https://login.example.com")``, the address of your authorization server.
"""

from __future__ import annotations

import sys

from mcp_bindings import Authorization
from mcp_bindings import v2026_07_28 as mcp
from mcp_bindings.testing import TokenIssuer

notes: dict[str, list[str]] = {}
server = mcp.Server("notes", "1.0")


@server.tool(scopes=["notes:read"])
def read_notes(context: mcp.Context) -> list[str]:
    """Return the caller's notes."""
    return notes.get(context.principal or "", [])


@server.tool(scopes=["notes:write"])
def add_note(text: str, context: mcp.Context) -> None:
    """Keep a note for the caller."""
    notes.setdefault(context.principal or "", []).append(text)


def main(port: int) -> None:
    """Serve until Ctrl-C."""
    resource = f"http://127.0.0.1:{port}/mcp"
    issuer = TokenIssuer()
    print("ada (reads and writes):", issuer.token("ada", resource=resource, scopes=["notes:read", "notes:write"]))
    print("bob (reads):", issuer.token("bob", resource=resource, scopes=["notes:read"]), flush=True)
    server.run_http(port=port, authorization=Authorization(issuer.validator(), resource=resource))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 8000)
