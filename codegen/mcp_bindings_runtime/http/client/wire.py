"""HTTP by urllib3: pooled connections to one server, deadlines that hold, redirects within its origin only."""

from __future__ import annotations

import http.client
import re
import ssl
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final, TypeAlias
from urllib.parse import urljoin

import urllib3
from urllib3.exceptions import (
    HTTPError,
    LocationParseError,
    NameResolutionError,
    NewConnectionError,
    ProxyError,
    ReadTimeoutError,
    SSLError,
)
from urllib3.util import Timeout, Url, parse_url

from ...errors import ConnectionClosed, HttpError, MessageTooLarge, ProtocolError, UsageError
from .connections import Pool, SecurePool, sending, socket_options
from .exchange import Exchange
from .fast_path import FastPath, PlainResponse
from .options import HttpClientOptions

Response: TypeAlias = urllib3.BaseHTTPResponse | PlainResponse
"""An answer whose headers are there; its body has yet to be read."""

NEEDS_PROXY_HEADERS: Final = (
    "the proxy requires valid credentials; pass them as `proxy_headers={'Proxy-Authorization': 'Basic …'}`"
)
REDIRECTS: Final = 5
"""Limit on redirects in a row."""
_KEPT: Final = frozenset({307, 308})
"""Redirects that keep the method and the body (RFC 9110, section 15.4)."""
_MOVED: Final = frozenset({301, 302, 303, *_KEPT})
_PORTS: Final = {"http": 80, "https": 443}
_BUFFER: Final = 64 * 1024
FAILURES: Final = (HTTPError, OSError, http.client.HTTPException)
_LENGTH_DIGITS: Final = 20
"""Limit on the digits of a response's ``Content-Length``."""
_UNKNOWN_ISSUER: Final = frozenset({18, 19, 20, 21})
"""Codes of OpenSSL (``X509_V_ERR_…``) for certificates whose issuer is not trusted."""
_TUNNEL: Final = re.compile(r"Tunnel connection failed: (\d{3})")
"""The only trace of the proxy's status that ``http.client`` leaves."""
_PLAIN: Final = ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE")
"""Reasons of OpenSSL for a peer that answers TLS with something else, most often plain HTTP."""
_PROXY_CREDENTIALS: Final = "as `proxy_headers={'Proxy-Authorization': 'Basic …'}`, which the server never gets"
_CODING_NAME: Final = re.compile(r"[^\s,]+")
_DISCARDED: Final = 64 * 1024
"""Limit on the bytes of an ignored response body that are read so that its connection can be used again."""


class Wire:
    """The connections to the server at a URL. Thread-safe."""

    def __init__(self, url: str, options: HttpClientOptions) -> None:
        self.url = check_url(url)
        self._connect_timeout = options.connect_timeout
        arguments: dict[str, Any] = {
            "num_pools": 2,
            "maxsize": options.pool,
            "block": False,
            "retries": False,
            "socket_options": socket_options(),
        }
        if options.tls is not None:
            arguments["ssl_context"] = options.tls
        manager = (
            urllib3.PoolManager(**arguments)
            if options.proxy is None
            else urllib3.ProxyManager(
                check_url(options.proxy, _PROXY_CREDENTIALS), proxy_headers=options.proxy_headers, **arguments
            )
        )
        classes: Any = {"http": Pool, "https": SecurePool}
        manager.pool_classes_by_scheme = classes
        self._manager = manager
        self._pool = manager if options.proxy is not None else manager.connection_from_url(self.url)
        self._target = self.url if options.proxy is not None else parse_url(self.url).request_uri
        self._fast_path = FastPath(self._pool, self._target, _host(self.url))

    def open(
        self, method: str, exchange: Exchange, headers: Mapping[str, str], body: bytes | None = None, url: str = ""
    ) -> Response:
        """Send a request, and return the response once its headers have arrived; follow redirects.

        ``url`` is by default that of the server. Raise ``ConnectionClosed``, ``RequestTimeout``, and ``ProtocolError`` for
        a response that is not HTTP, has an invalid ``Content-Length``, or redirects to another origin.
        """
        at = url or self.url
        for _ in range(REDIRECTS + 1):
            exchange.url = at
            response = self._once(method, at, exchange, headers, body)
            if not isinstance(response, PlainResponse):
                _check_length(response, exchange)
            location = response.headers.get("Location")
            if response.status not in _MOVED or location is None:
                return response
            close(response)
            target = resolve_url(at, location)
            if origin(target) != origin(self.url):
                text = f"{at} redirects to another origin, {origin(target)}; use that URL if you trust it"
                raise ProtocolError(text)
            if method != "GET" and response.status not in _KEPT:
                text = f"{at} redirects with status {response.status}, which turns {method} into GET; use {target}"
                raise ProtocolError(text)
            at = target
            exchange.forget_attempt()
        text = f"{self.url} redirects more than {REDIRECTS} times"
        raise ProtocolError(text)

    def _once(
        self, method: str, url: str, exchange: Exchange, headers: Mapping[str, str], body: bytes | None
    ) -> Response:
        left = exchange.remaining()
        connect = self._connect_timeout if left is None else min(self._connect_timeout, left)
        try:
            if url is self.url and body is not None:
                response: Response | None = self._fast_path.send(method, exchange, headers, body)
                if response is not None:
                    return response
            # Finding the pool of a URL takes long; a proxy for plain HTTP needs the whole URL.
            pool, target = (self._pool, self._target) if url is self.url else (self._manager, url)
            with sending(exchange):
                opened = pool.urlopen(
                    method,
                    target,
                    body=body,
                    headers=headers,
                    redirect=False,
                    preload_content=False,
                    decode_content=False,
                    timeout=Timeout(connect=connect, read=left),
                )
        except FAILURES as fault:
            raise error_from(fault, exchange) from fault
        except ValueError as fault:
            text = f"{exchange.what}: this cannot be sent: {fault}"
            raise UsageError(text) from fault
        self._fast_path.accept(headers)
        return opened

    def close(self) -> None:
        """Close the idle connections; those in use are closed when they are given back."""
        # PoolManager.clear leaves that to the garbage collector.
        pools = self._manager.pools
        for each in [pools.get(key) for key in pools.keys()]:  # noqa: SIM118  # it cannot be iterated over
            if each is not None:
                each.close()
        self._manager.clear()


def read_body(response: Response, exchange: Exchange, limit: int) -> bytes:
    """Return the body of a response; close the response if that fails, so that no socket is left open.

    Raises MessageTooLarge beyond ``limit`` bytes, ProtocolError for a body with a content coding, and as ``Wire.open``.
    """
    try:
        return _read_body(response, exchange, limit)
    except BaseException:
        close(response)
        raise


def _read_body(response: Response, exchange: Exchange, limit: int) -> bytes:
    _refuse_coding(response, exchange)
    length = response.left if isinstance(response, PlainResponse) else _stated_length(response, exchange)
    try:
        if length is not None:
            exchange.remaining()
            if length > limit:
                raise MessageTooLarge(length, limit)
            return response.read()
        parts: list[bytes] = []
        size = 0
        while part := _part(response, exchange):
            parts.append(part)
            size += len(part)
            if size > limit:
                raise MessageTooLarge(size, limit)
        return b"".join(parts)
    except FAILURES as fault:
        raise error_from(fault, exchange) from fault


def _check_length(response: Response, exchange: Exchange) -> None:
    """Close a response with an invalid ``Content-Length`` and raise ``ProtocolError``: nobody knows where it ends."""
    try:
        _stated_length(response, exchange)
    except ProtocolError:
        close(response)
        raise


def _stated_length(response: Response, exchange: Exchange) -> int | None:
    """Return the length of a body that is not chunked (RFC 9112, section 6.3); None if the header has none."""
    value = response.headers.get("Content-Length")
    if value is None or "Transfer-Encoding" in response.headers:
        return None
    # A length that is repeated is valid.
    length, *others = {each.strip() for each in value.split(",")}
    if others or len(length) > _LENGTH_DIGITS or not (length.isascii() and length.isdecimal()):
        text = f"{exchange.what}: Content-Length must be a number of bytes, got {value[:_LENGTH_DIGITS]!r}"
        raise ProtocolError(text)
    return int(length)


def next_part(response: Response, exchange: Exchange) -> bytes:
    """Return what has arrived of a body, at least one byte; empty at its end. Raises as ``whole``, whatever its size."""
    _refuse_coding(response, exchange)
    try:
        return _part(response, exchange)
    except FAILURES as fault:
        raise error_from(fault, exchange) from fault


def discard(response: Response, exchange: Exchange) -> None:
    """Finish a response whose body does not matter: read a short one, so that its connection can be used again."""
    try:
        if not _coding(response):
            size = 0
            while size < _DISCARDED and (part := next_part(response, exchange)):
                size += len(part)
    finally:
        close(response)


def _part(response: Response, exchange: Exchange) -> bytes:
    # Buffered bytes are read without the socket, whose reads check the deadline otherwise.
    exchange.remaining()
    return response.read1(_BUFFER)


def _coding(response: Response) -> str:
    """Return the first content coding of a body (RFC 9110, section 8.4) that is not ``identity``; empty for none."""
    # A server can name ten thousand, so they are not split into a list.
    names = (each[0] for each in _CODING_NAME.finditer(response.headers.get("Content-Encoding", "")))
    return next((each for each in names if each.lower() != "identity"), "")


def _refuse_coding(response: Response, exchange: Exchange) -> None:
    # A few kilobytes can take hours to decompress, and urllib3 prepares its decoders at the first read.
    if "Content-Encoding" in response.headers and (coding := _coding(response)):
        close(response)
        text = (
            f"{exchange.what}: the body has the content coding {coding[:100]!r}, though the request asked for none "
            "(Accept-Encoding: identity); configure the server or its proxy to leave responses as they are"
        )
        raise ProtocolError(text)


def error_from(fault: Exception, exchange: Exchange) -> Exception:
    """Return the exception for a failure of urllib3 or of a socket; ``unread`` if nothing of the request was sent."""
    error = _error_from(fault, exchange)
    if isinstance(error, ConnectionClosed):
        error.unread = exchange.sent is None
    return error


def _error_from(fault: Exception, exchange: Exchange) -> Exception:
    if exchange.ended:
        return exchange.closed()
    if isinstance(fault, ReadTimeoutError | TimeoutError) and not isinstance(fault, NewConnectionError):
        with suppress(Exception):
            exchange.remaining()
            # The deadline has not passed, so the connection could not be opened in time.
            return ConnectionClosed(f"{exchange.what}: {exchange.place} cannot be reached in time")
        return exchange.timed_out()
    tunnel = _TUNNEL.search(str(fault)) if isinstance(fault, ProxyError) else None
    if tunnel is not None and int(tunnel[1]) == 407:
        return HttpError(407, "Proxy Authentication Required", NEEDS_PROXY_HEADERS)
    if isinstance(fault, ProxyError) and isinstance(fault.original_error, NewConnectionError):
        return ConnectionClosed(f"{exchange.what}: the proxy cannot be reached: {_reason(fault.original_error)}")
    if isinstance(fault, NameResolutionError):
        reason = f"no address is known for {_host(exchange.url)!r}"
        return ConnectionClosed(f"{exchange.what}: {exchange.place} cannot be reached: {reason}")
    if isinstance(fault, NewConnectionError):
        return ConnectionClosed(f"{exchange.what}: {exchange.place} cannot be reached: {_reason(fault)}")
    if isinstance(fault, SSLError | ssl.SSLError):
        refused = next((each for each in (fault, *fault.args) if isinstance(each, ssl.SSLCertVerificationError)), None)
        # A certificate stays as it is.
        exchange.exhausted = refused is not None
        hint = ""
        if refused is not None and refused.verify_code in _UNKNOWN_ISSUER:
            hint = "; to trust an authority of your own, pass `tls=ssl.create_default_context(cafile='ca.pem')`"
        elif any(each in str(fault) for each in _PLAIN):
            hint = "; if the server has no TLS, write http:// in its URL"
        return ConnectionClosed(f"{exchange.what}: no secure connection to {exchange.place}: {fault}{hint}")
    how = "after a part of the answer" if exchange.response_began else "before the server answered"
    return ConnectionClosed(f"{exchange.what}: the connection to {exchange.place} ended {how} ({_innermost(fault)})")


def _reason(fault: NewConnectionError) -> str:
    """Return why a connection could not be opened, in the words of the system."""
    cause = fault.__cause__ or fault.__context__
    return getattr(cause, "strerror", None) or str(fault).rpartition(": ")[2]


def _innermost(fault: BaseException) -> str:
    inner: BaseException = fault
    while inner.args and isinstance(inner.args[-1], BaseException):
        inner = inner.args[-1]
    return str(inner) or inner.__class__.__name__


def close(response: Response) -> None:
    """Close a response. Its connection can be used again if the body was read, and is closed otherwise."""
    with suppress(HTTPError, OSError, http.client.HTTPException, ValueError):
        response.close()
        response.release_conn()


def check_url(url: str, credentials: str = "as a header (`headers=`) or by `auth=`") -> str:
    """Return the normalized URL of a server or proxy. Raise ``UsageError`` if it is invalid.

    ``credentials`` is how to pass a password, which the URL must not contain.
    """
    try:
        parts = parse_url(url)
    except LocationParseError as fault:
        text = f"{url!r} is not the URL of a server: {fault}"
        raise UsageError(text) from None
    if parts.scheme not in _PORTS or not parts.host:
        named = parts.scheme in _PORTS or "://" in url
        wanted = "write one such as https://example.com/mcp" if named else f"write {f'http://{url}'!r}, or with https"
        text = f"{url!r} is not the URL of a server; {wanted}"
        raise UsageError(text)
    if parts.auth is not None:
        text = f"the URL contains a name or a password; pass them {credentials}"
        raise UsageError(text)
    return parts._replace(fragment=None).url


def _host(url: str) -> str:
    """Return the field Host (RFC 9112, section 3.2) as ``http.client`` writes it."""
    parts: Url = parse_url(url)
    host = (parts.host or "").rstrip(".").partition("%")[0]
    if host.startswith("["):
        host = host.rstrip("]") + "]"
    return host if parts.port in {None, _PORTS.get(parts.scheme or "")} else f"{host}:{parts.port}"


def resolve_url(url: str, reference: str) -> str:
    """Return the URL of a reference that a server has sent. Raise ``ProtocolError`` if it is invalid."""
    try:
        return check_url(urljoin(url, reference))
    except (UsageError, ValueError) as fault:
        text = f"{url} refers to {reference[:200]!r}, which is not the URL of a server: {fault}"
        raise ProtocolError(text) from None


def sibling_urls(url: str, name: str) -> list[str]:
    """Return the URLs of a name next to a URL and below it, with the same query."""
    parts: Url = parse_url(url)
    path = (parts.path or "/").rstrip("/")
    places = [f"{path.rpartition('/')[0]}/{name}", f"{path}/{name}"]
    return [parts._replace(path=each).url for each in dict.fromkeys(places) if each != parts.path]


def origin(url: str) -> str:
    """Return scheme, host and port of a URL (RFC 6454)."""
    parts: Url = parse_url(url)
    return f"{parts.scheme}://{parts.host}:{parts.port or _PORTS.get(parts.scheme or '', 0)}"
