"""Grants in a token store: one for each MCP server."""

from __future__ import annotations

from .token_request import Grant
from .token_store import TokenStore


def stored_grant(store: TokenStore, url: str) -> Grant | None:
    """Return the grant for an MCP server in a store. The entry without an issuer names the server's issuer."""
    place = store.get("", url)
    value = None if place is None else store.get(place["issuer"], url)
    if value is None:
        return None
    try:
        return Grant.from_json(value)
    except (KeyError, TypeError):
        # Of another release.
        return None


def save_grant(store: TokenStore, url: str, grant: Grant) -> None:
    """Store the grant for an MCP server."""
    store.put(grant.issuer, url, grant.to_json())
    store.put("", url, {"issuer": grant.issuer})


def forget_grant(store: TokenStore, url: str) -> Grant | None:
    """Remove the grant for an MCP server, and return it; None if there was none, or one of another release."""
    with store.lock():
        grant = stored_grant(store, url)
        place = store.get("", url)
        if place is not None:
            store.put(place["issuer"], url, None)
            store.put("", url, None)
    return grant
