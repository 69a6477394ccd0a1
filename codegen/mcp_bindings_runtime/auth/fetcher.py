"""Sends the requests of flows by urllib3, to hosts that pass the rules against server-side request forgery.

The URLs come from metadata, which strangers write. A host is resolved once, its addresses are checked, and the connection
goes to the checked address (Security Best Practices, Server-Side Request Forgery).
"""

from __future__ import annotations

import socket
from ipaddress import IPv4Address, IPv6Address
from time import monotonic, time
from typing import Any, Final
from urllib.parse import SplitResult, urljoin, urlsplit

import urllib3
from urllib3.util import Timeout

from ..errors import ConnectionClosed, OAuthError, ProtocolError
from ..http.client.connections import Pool, SecurePool, sending, socket_options
from ..http.client.credentials import ConnectionSettings
from ..http.client.exchange import Exchange
from ..http.client.wire import FAILURES, close, error_from, read_body
from .flow import FlowRequest, FlowResponse
from .urls import address_of, check_scheme, is_loopback, url_origin

_LIMIT: Final = 64 * 1024
"""Limit on the bytes of a response of an authorization server."""
_SECONDS: Final = 30.0
"""Seconds in which an authorization server has to answer a request."""
_REDIRECTS: Final = 3
_MOVED: Final = frozenset({301, 302, 303, 307, 308})
_PORTS: Final = {"http": 80, "https": 443}


class Fetcher:
    """Sends requests on behalf of the client of one MCP server. Thread-safe.

    Hosts with addresses that are not public are refused, unless the MCP server itself has such an address, or with
    ``allow_private``. With a proxy, which resolves the names, only literal addresses are checked.
    """

    def __init__(self, server: ConnectionSettings, *, allow_private: bool = False) -> None:
        self._server = server
        self._loopback = is_loopback(server.url)
        self.connect_timeout = server.connect_timeout
        self._allow_private = allow_private

    def for_trusted(self, url: str) -> Fetcher:
        """Return a fetcher for a URL that the program has named, which may have any address; it connects in the same way."""
        return Fetcher(self._server._replace(url=url), allow_private=True)

    def send(self, request: FlowRequest, exchange: Exchange) -> FlowResponse:
        """Return the response to a request; follow redirects of GET within the origin. Raise ``OAuthError``."""
        url = request.url
        for _ in range(_REDIRECTS + 1):
            status, headers, body = self._send_once(request, url, exchange)
            location = headers.get("location")
            if request.method != "GET" or status not in _MOVED or location is None:
                return FlowResponse(status, headers, body, time())
            target = urljoin(url, location)
            if url_origin(target) != url_origin(url):
                break
            url = target
        text = f"{request.purpose}: {request.url.partition('?')[0]} redirects to another origin, or too often"
        raise OAuthError(text)

    def _send_once(self, request: FlowRequest, url: str, exchange: Exchange) -> tuple[int, dict[str, str], bytes]:
        parts = check_scheme(url, f"the URL of the {request.purpose}", loopback=self._loopback)
        deadline = exchange.deadline
        exchange.deadline = min(deadline, monotonic() + _SECONDS)
        try:
            return self._send_to(parts, request, exchange)
        except (ConnectionClosed, ProtocolError) as fault:
            if exchange.ended:
                raise
            reason = str(fault).removeprefix(f"{exchange.what}: ")
            place = "" if exchange.place in reason else f"{exchange.place}: "
            text = f"{request.purpose}: {place}{reason}"
            raise OAuthError(text) from fault
        finally:
            exchange.deadline = deadline
            exchange.forget_attempt()

    def _send_to(
        self, parts: SplitResult, request: FlowRequest, exchange: Exchange
    ) -> tuple[int, dict[str, str], bytes]:
        """Send a request to the first address of a host that can be reached."""
        headers = {
            "User-Agent": "mcp-bindings",
            "Accept-Encoding": "identity",
            **request.headers,
            "Host": parts.netloc,
        }
        addresses = self._addresses(parts)
        exchange.url = parts.geturl()
        while True:
            pool, target = self._pool(parts, addresses.pop(0))
            left = exchange.remaining()
            connect = self.connect_timeout
            try:
                with sending(exchange):
                    response = pool.urlopen(
                        request.method,
                        target,
                        body=request.body,
                        headers=headers,
                        redirect=False,
                        retries=False,
                        preload_content=False,
                        decode_content=False,
                        timeout=Timeout(connect=connect if left is None else min(connect, left), read=left),
                    )
                try:
                    body = read_body(response, exchange, _LIMIT)
                finally:
                    close(response)
            except FAILURES as fault:
                failure = error_from(fault, exchange)
                if addresses and isinstance(failure, ConnectionClosed) and failure.unread and not exchange.ended:
                    continue
                raise failure from fault
            finally:
                pool.clear() if isinstance(pool, urllib3.PoolManager) else pool.close()
            return response.status, {name.lower(): value for name, value in response.headers.items()}, body

    def _pool(self, parts: SplitResult, address: str) -> tuple[Any, str]:
        """Return a connection pool for an address of a host, and the target of the request there."""
        server = self._server
        if server.proxy is not None:
            arguments: dict[str, Any] = {} if server.tls is None else {"ssl_context": server.tls}
            manager = urllib3.ProxyManager(
                server.proxy, proxy_headers=server.proxy_headers, socket_options=socket_options(), **arguments
            )
            classes: Any = {"http": Pool, "https": SecurePool}
            manager.pool_classes_by_scheme = classes
            return manager, parts.geturl()
        target = f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
        port = parts.port or _PORTS[parts.scheme]
        if parts.scheme == "http":
            return Pool(address, port, socket_options=socket_options()), target
        secure = SecurePool(
            address,
            port,
            # The certificate must be that of the name.
            server_hostname=parts.hostname,
            assert_hostname=parts.hostname,
            ssl_context=server.tls,
            socket_options=socket_options(),
        )
        return secure, target

    def _addresses(self, parts: SplitResult) -> list[str]:
        """Return the addresses of a host. Raise ``OAuthError`` if the client must not connect to one of them."""
        host = parts.hostname or ""
        if self._server.proxy is not None and address_of(host) is None:
            return [host]
        found = resolve(host, parts.port or _PORTS[parts.scheme])
        for each in found:
            address = address_of(each)
            if address is not None and not self._is_allowed(address):
                text = (
                    f"{host} has the address {each}, which is not public, but {urlsplit(self._server.url).hostname} is; "
                    "pass `allow_private=True` if you trust it"
                )
                raise OAuthError(text)
        return found

    def _is_allowed(self, address: IPv4Address | IPv6Address) -> bool:
        if address.is_loopback:
            return self._loopback
        if address.is_link_local or address.is_multicast or address.is_unspecified:
            # Cloud metadata services have such addresses.
            return False
        return address.is_global or self._allow_private or self._loopback or self._server_is_private()

    def _server_is_private(self) -> bool:
        parts = urlsplit(self._server.url)
        if self._server.proxy is not None:
            return False
        addresses = map(address_of, resolve(parts.hostname or "", parts.port or _PORTS[parts.scheme]))
        return any(each is not None and each.is_private for each in addresses)


def resolve(host: str, port: int) -> list[str]:
    """Return the addresses of a host. Raise ``OAuthError`` if it has none."""
    try:
        rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        rows = []
    found = [*dict.fromkeys(str(row[4][0]) for row in rows)]
    if not found:
        text = f"the name {host} is not known"
        raise OAuthError(text)
    return found
