"""The address of an HTTP client, which identifies clients without a principal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_NETWORK: Final = 64
"""Length of the IPv6 prefix that the network assigns; a host chooses the other bits (RFC 4291, section 2.5.1)."""


def client_address(environ: Mapping[str, Any]) -> str:
    """Return the peer's IPv4 address, or its IPv6 network, within which one client may use any address.

    Empty if the WSGI server states no address, as for Unix sockets. Headers such as ``X-Forwarded-For`` are ignored,
    because any client can send them.
    """
    address: str = environ.get("REMOTE_ADDR") or ""
    if ":" not in address:
        return address
    from ipaddress import IPv6Address, IPv6Network

    try:
        parsed = IPv6Address(address)
    except ValueError:
        return address
    inner = parsed.ipv4_mapped
    return str(IPv6Network((int(parsed), _NETWORK), strict=False) if inner is None else inner)
