"""Check ``Host`` and ``Origin`` against DNS rebinding (Transports: Security Warning), and let allowed pages read responses.

A page of any site can make its visitor's browser send requests to a server on the visitor's machine, and through a DNS
name that points there it can read the responses. Browsers state the name in ``Host`` and the site in ``Origin``. A page of
another origin than the server's can read a response only if the response allows it (Fetch standard: CORS protocol).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final

from ...errors import UsageError
from ...logs import write_log
from ...validation import require_list

MAX_LOGGED: Final = 100
"""Limit on the refused hosts and origins that the log names."""
_OPAQUE: Final = "null"
"""The origin of files and of sandboxed pages (RFC 6454, section 7). It has no name, so only ``*`` allows it."""
_LOGGED_SIZE: Final = 80
"""Limit on the characters of a refused host or origin in the log."""
LOOPBACK: Final = ("localhost", "127.0.0.1", "[::1]")
"""The names of a server that only this machine can reach."""

_VARY: Final = ("Vary", "Origin")
"""Keeps caches from sending the response for one origin to another."""
_EXPOSED: Final = ("Access-Control-Expose-Headers", "Mcp-Session-Id, Retry-After, WWW-Authenticate")
_PREFLIGHT: Final = (
    ("Access-Control-Allow-Methods", "DELETE, GET, POST"),
    # The wildcard allows every other field, such as the open-ended Mcp-Param-*, in requests without cookies.
    ("Access-Control-Allow-Headers", "*, Authorization"),
    # Seconds; browsers keep the response for two hours at most.
    ("Access-Control-Max-Age", "7200"),
)
"""Fields of the response to a preflight (Fetch standard: CORS-preflight fetch)."""

_NAME = r"(?:\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z_](?:[0-9A-Za-z_.-]*[0-9A-Za-z_])?\.?)"
_HOST = re.compile(rf"({_NAME})(?::(\d{{1,5}}))?")
_ORIGIN = re.compile(rf"([A-Za-z][A-Za-z0-9+.-]*)://({_NAME})(?::(\d{{1,5}}))?")
_PORTS = {"http": "80", "https": "443"}


class OriginPolicy:
    """The allowed hosts and origins.

    ``hosts`` are names for any port (``example.com``) or for one (``example.com:8443``); ``"*"`` allows every host.
    ``origins`` are written as browsers write them (``https://app.example.com``); ``"*"`` allows every origin, and origins
    on an allowed host are always allowed. Raises ``UsageError`` for anything else.
    """

    def __init__(self, hosts: Iterable[str] = LOOPBACK, origins: Iterable[str] = ()) -> None:
        for name, values, example in (("hosts", hosts, "example.com"), ("origins", origins, "https://example.com")):
            require_list(f"allowed_{name}", values, example, str)
        self._hosts = {_parse_host(each) for each in hosts}
        self._origins = {_parse_origin(each) for each in origins}
        self._any_host = ("*", "") in self._hosts
        self._any_origin = ("*", "", "") in self._origins
        # The same few values come with every request, and a look-up is faster than parsing.
        self.allows_host = lru_cache(maxsize=256)(self._allows_host)
        """Return whether clients may address the server by the value of this ``Host`` header."""
        self.allows_origin = lru_cache(maxsize=256)(self._allows_origin)
        """Return whether pages of this ``Origin`` may use the server."""

    def response_headers(self, host: str, origin: str | None, *, preflight: bool = False) -> Sequence[tuple[str, str]]:
        """Return the fields by which a page of ``origin`` can read the response; only ``Vary`` if it is not allowed to.

        Cookies and other credentials of the browser are never allowed: ``Access-Control-Allow-Credentials`` is absent.
        """
        if origin is None or not self.allows_host(host) or not self.allows_origin(origin):
            return (_VARY,)
        allowed = ("Access-Control-Allow-Origin", "*" if self._any_origin else origin)
        return (_VARY, allowed, *_PREFLIGHT) if preflight else (_VARY, allowed, _EXPOSED)

    def _allows_host(self, value: str) -> bool:
        found = _HOST.fullmatch(value)
        return found is not None and self._has_host(found[1], found[2] or "")

    def _allows_origin(self, value: str) -> bool:
        found = _ORIGIN.fullmatch(value)
        if found is None:
            return self._any_origin
        scheme, name, port = found[1].lower(), found[2], found[3] or ""
        port = port or _PORTS.get(scheme, "")
        same_host = scheme in _PORTS and not self._any_host and self._has_host(name, port)
        return same_host or (scheme, _normal(name), port) in self._origins or self._any_origin

    def _has_host(self, name: str, port: str) -> bool:
        name = _normal(name)
        return self._any_host or (name, "") in self._hosts or (name, port) in self._hosts


class RefusalLog:
    """Logs each refused host and origin once, because the operator may have forgotten to allow it."""

    def __init__(self, limit: int = MAX_LOGGED) -> None:
        self._limit = limit
        self._logged: set[tuple[str, str]] = set()
        self.advice: Mapping[str, str] = {"Host": "add %r to allowed_hosts", "Origin": "add %r to allowed_origins"}
        """The advice that allows a value, by header: an argument by default, an option in programs with a command line."""

    def log(self, header: str, value: str) -> None:
        """Log that requests with this value are answered with 403, and how to allow it."""
        value = value[:_LOGGED_SIZE]
        if (header, value) in self._logged or len(self._logged) >= self._limit:
            return
        self._logged.add((header, value))
        allowed = _allowed_value(header, value)
        how = "" if allowed is None else f"; to allow them, {self.advice[header] % allowed}"
        write_log("warning", "requests with %s %r are answered with 403%s", header, value, how)
        if len(self._logged) == self._limit:
            write_log("warning", "%d names have been refused; further ones are not logged", self._limit)


def _allowed_value(header: str, value: str) -> str | None:
    """Return the value to allow for a header: that of ``Host`` without its port. None if it cannot be allowed."""
    if header == "Host":
        found = _HOST.fullmatch(value)
        return None if found is None else found[1]
    if value == _OPAQUE:
        return "*"
    return value if _ORIGIN.fullmatch(value) else None


def _parse_host(text: str) -> tuple[str, str]:
    if text == "*":
        return "*", ""
    found = _HOST.fullmatch(text)
    if found is None:
        message = f"`allowed_hosts` must hold names such as 'example.com', 'example.com:8443' or '*', got {text!r}"
        raise UsageError(message)
    return _normal(found[1]), found[2] or ""


def _parse_origin(text: str) -> tuple[str, str, str]:
    if text == "*":
        return "*", "", ""
    found = _ORIGIN.fullmatch(text)
    if found is None:
        message = f"`allowed_origins` must hold origins such as 'https://app.example.com' or '*', got {text!r}"
        raise UsageError(message)
    scheme = found[1].lower()
    return scheme, _normal(found[2]), found[3] or _PORTS.get(scheme, "")


def _normal(name: str) -> str:
    # A trailing dot, the DNS root, does not change the name.
    return name.lower().removesuffix(".")
