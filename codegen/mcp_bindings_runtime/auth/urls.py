"""URLs of authorization: the identity of a resource, the places of metadata, and the rules for URLs that others choose."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Final
from urllib.parse import SplitResult, urlsplit, urlunsplit

from ..errors import OAuthError

_PORTS: Final = {"http": 80, "https": 443}
_NAT64: Final = IPv6Network("64:ff9b::/96")
"""Addresses that contain one of version 4 (RFC 6052)."""
_PROTECTED_RESOURCE: Final = "/.well-known/oauth-protected-resource"
_AUTHORIZATION_SERVER: Final = "/.well-known/oauth-authorization-server"
_OPENID: Final = "/.well-known/openid-configuration"


def canonical_resource(url: str) -> str:
    """Return the identifier of the MCP server at a URL: scheme and host in lower case, no fragment (RFC 8707, section 2)."""
    parts = _split(url)
    return urlunsplit((parts.scheme, parts.netloc.lower(), parts.path, parts.query, ""))


def url_origin(url: str) -> str:
    """Return scheme, host and port of a URL (RFC 6454). Raise ``OAuthError`` if it is invalid."""
    parts = _split(url)
    host = parts.hostname or ""
    return f"{parts.scheme}://{f'[{host}]' if ':' in host else host}:{_port(parts)}"


def origin_url(url: str) -> str:
    """Return the URL of the root of a URL's origin, without a slash at its end."""
    parts = _split(url)
    return f"{parts.scheme}://{parts.netloc.lower()}"


def covers(resource: str, url: str) -> bool:
    """Return whether a resource is the one at ``url`` or a parent of it: the same origin, and a prefix by whole segments."""
    try:
        if url_origin(resource) != url_origin(url):
            return False
    except OAuthError:
        return False
    parent, child = _split(resource), _split(url)
    if parent.query:
        return parent.query == child.query and parent.path == child.path
    path = parent.path.rstrip("/")
    return child.path == path or child.path.startswith(f"{path}/") or child.path.rstrip("/") == path


def protected_resource_urls(url: str) -> list[str]:
    """Return the places of protected resource metadata (RFC 9728, section 3.1), the most specific first."""
    parts = _split(url)
    places = [parts.path.rstrip("/"), ""]
    found = [
        urlunsplit((parts.scheme, parts.netloc, f"{_PROTECTED_RESOURCE}{place}", parts.query if place else "", ""))
        for place in places
    ]
    return [*dict.fromkeys(found)]


def authorization_server_urls(issuer: str) -> list[str]:
    """Return the places of an issuer's metadata (RFC 8414, section 3.1; OpenID Connect Discovery 1.0, section 4.1)."""
    parts = _split(issuer)
    path = parts.path.rstrip("/")
    places = [f"{_AUTHORIZATION_SERVER}{path}", f"{_OPENID}{path}"]
    if path:
        places.append(f"{path}{_OPENID}")
    return [urlunsplit((parts.scheme, parts.netloc, place, "", "")) for place in places]


def is_loopback(url: str) -> bool:
    """Return whether a URL names the local machine."""
    return is_loopback_host(_split(url).hostname or "")


def is_loopback_host(host: str) -> bool:
    """Return whether a host name or address is that of the local machine (RFC 6761, section 6.3)."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    address = address_of(host)
    return address is not None and address.is_loopback


def address_of(host: str) -> IPv4Address | IPv6Address | None:
    """Return the address that a host is; None if it is a name. An address within another counts as the inner one."""
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return None
    if not isinstance(address, IPv6Address):
        return address
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address


def check_scheme(url: str, what: str, *, loopback: bool) -> SplitResult:
    """Return the parts of a URL that a stranger chose. Raise ``OAuthError`` if nothing may be sent there.

    It must be https; with ``loopback``, http to the local machine is allowed, too.
    """
    parts = _split(url)
    if parts.username is not None or parts.password is not None:
        text = f"{what} must not contain a name or a password"
        raise OAuthError(text)
    if parts.scheme == "https" or (loopback and parts.scheme == "http" and is_loopback_host(parts.hostname or "")):
        return parts
    text = f"{what} must be an https URL, got {url[:200]!r}"
    raise OAuthError(text)


def _port(parts: SplitResult) -> int:
    return parts.port or _PORTS.get(parts.scheme, 0)


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        parts = SplitResult("", "", "", "", "")
    if parts.scheme not in _PORTS or not parts.hostname or not url.isprintable() or " " in url or "\\" in url:
        text = f"not an http or https URL: {url[:200]!r}"
        raise OAuthError(text)
    return parts
