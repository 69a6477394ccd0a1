"""Where an HTTP request comes from, as far as those are told apart who have not said who they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_NETWORK: Final = 64
"""Bits of an IPv6 address that its owner does not choose (RFC 4291, section 2.5.1)."""


def client_address(environ: Mapping[str, Any]) -> str:
    """The address of the other end of the connection; of IPv6 the network, in which one client has any address it likes.

    Empty where the WSGI server does not say, as for Unix sockets. Headers that a proxy may have added are not looked at:
    anybody can write them.
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
