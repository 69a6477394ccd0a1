"""Whose web pages may talk to a server, and under which names it may be addressed.

A page of any site can have its visitor's browser send requests to a server on the visitor's machine, and with a name
that it lets point there (DNS rebinding) it can read the answers, too. Browsers say in ``Origin`` where a page is from,
and in ``Host`` by which name they address the server; both are checked (Transports: Security Warning).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from ...errors import UsageError
from ...logs import note
from ...validation import check_many

REMEMBERED: Final = 100
"""How many refused names are logged."""
_SHOWN: Final = 80
"""How many characters of one are."""
LOOPBACK: Final = ("localhost", "127.0.0.1", "[::1]")
"""The names of a server for this machine alone."""

_NAME = r"(?:\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z_](?:[0-9A-Za-z_.-]*[0-9A-Za-z_])?\.?)"
_HOST = re.compile(rf"({_NAME})(?::(\d{{1,5}}))?")
_ORIGIN = re.compile(rf"([A-Za-z][A-Za-z0-9+.-]*)://({_NAME})(?::(\d{{1,5}}))?")
_PORTS = {"http": "80", "https": "443"}


class OriginPolicy:
    """What is allowed.

    ``hosts`` are names, each for any port (``example.com``) or with the one it is for (``example.com:8443``); ``"*"``
    allows any. ``origins`` are written as browsers write them (``https://app.example.com``); origins on an allowed host
    are allowed, too. Raises UsageError for what is written otherwise.
    """

    def __init__(self, hosts: Iterable[str] = LOOPBACK, origins: Iterable[str] = ()) -> None:
        for name, given, example in (("hosts", hosts, "example.com"), ("origins", origins, "https://example.com")):
            check_many(f"allowed_{name}", given, example, str)
        self._hosts = {_host(each) for each in hosts}
        self._origins = {_origin(each) for each in origins}
        self.any = ("*", "") in self._hosts
        """Whether any host is allowed."""
        # The same few values come with each request, and parsing them takes longer than looking them up.
        self.host = lru_cache(maxsize=256)(self._allows_host)
        """Whether a server may be addressed by the value of a ``Host`` header."""
        self.origin = lru_cache(maxsize=256)(self._allows_origin)
        """Whether a page of this ``Origin`` may talk to the server."""

    def _allows_host(self, value: str) -> bool:
        found = _HOST.fullmatch(value)
        return found is not None and self._has(found[1], found[2] or "")

    def _allows_origin(self, value: str) -> bool:
        found = _ORIGIN.fullmatch(value)
        if found is None:
            return ("*", "", "") in self._origins
        scheme, name, port = found[1].lower(), found[2], found[3] or ""
        port = port or _PORTS.get(scheme, "")
        own = scheme in _PORTS and not self.any and self._has(name, port)
        return own or (scheme, _lower(name), port) in self._origins or ("*", "", "") in self._origins

    def _has(self, name: str, port: str) -> bool:
        name = _lower(name)
        return self.any or (name, "") in self._hosts or (name, port) in self._hosts


class RefusalLog:
    """Logs each host and origin that is refused once, as the one who set the server up may have forgotten to allow it."""

    def __init__(self, most: int = REMEMBERED) -> None:
        self._most = most
        self._seen: set[tuple[str, str]] = set()

    def log(self, header: str, value: str, option: str) -> None:
        """Log that requests with this value are answered with 403, and which option allows it; once for each value."""
        value = value[:_SHOWN]
        if (header, value) in self._seen or len(self._seen) >= self._most:
            return
        self._seen.add((header, value))
        text = "requests with %s %r are answered with 403: if clients use this server so, pass %s=[%r]"
        note("warning", text, header, value, option, _wanted(header, value))
        if len(self._seen) == self._most:
            note("warning", "%d names have been refused; further ones are not logged", self._most)


def _wanted(header: str, value: str) -> str:
    """What allows a value: of a host the name without its port."""
    found = _HOST.fullmatch(value) if header == "Host" else None
    return value if found is None else found[1]


def _host(text: str) -> tuple[str, str]:
    if text == "*":
        return "*", ""
    found = _HOST.fullmatch(text)
    if found is None:
        message = f"the allowed host {text!r} is none; accepted are names like 'example.com', 'example.com:8443', '*'"
        raise UsageError(message)
    return _lower(found[1]), found[2] or ""


def _origin(text: str) -> tuple[str, str, str]:
    if text == "*":
        return "*", "", ""
    found = _ORIGIN.fullmatch(text)
    if found is None:
        message = f"the allowed origin {text!r} is none; accepted are those like 'https://app.example.com', and '*'"
        raise UsageError(message)
    scheme = found[1].lower()
    return scheme, _lower(found[2]), found[3] or _PORTS.get(scheme, "")


def _lower(name: str) -> str:
    # A name may end with the dot of the root, and means the same.
    return name.lower().removesuffix(".")
