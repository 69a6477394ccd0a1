"""A server as requests reach it: with the headers that the user gives to all, and with what lets them in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, TypeAlias

from ...errors import HttpError, UsageError
from .error_responses import http_error_of
from .exchange import Exchange
from .retry import wants_credentials
from .wire import Wire

if TYPE_CHECKING:
    from .wire import Response

Auth: TypeAlias = "Callable[[HttpError | None], Mapping[str, str] | None]"
"""Gives the headers that let a request in: ``Authorization``, most often; None for none.

It is called for each request, with None; and once more after a refusal (401, or 403 with a challenge), with that, after
which the request is sent again if it gives headers.
"""

JSON: Final = "application/json"
STREAM: Final = "text/event-stream"

_OURS: Final = frozenset(
    {
        "accept", "accept-encoding", "connection", "content-encoding", "content-length", "content-type", "host",
        "last-event-id", "mcp-method", "mcp-name", "mcp-protocol-version", "mcp-session-id", "transfer-encoding",
    }
)  # fmt: skip
"""Headers that are not the user's to give."""


class Endpoint:
    """Sends HTTP requests to a server; for any number of threads."""

    def __init__(self, wire: Wire, headers: Mapping[str, str], auth: Auth | None) -> None:
        self.wire = wire
        self.url = wire.url
        self._headers = {"User-Agent": "mcp-bindings", **_checked(headers)}
        self._auth = auth

    def post(self, exchange: Exchange, headers: Mapping[str, str], body: bytes, url: str = "") -> Response:
        """Posts a message; gives the answer, whatever its status, as ``Wire.open``."""
        return self._open("POST", exchange, {"Content-Type": JSON, "Accept": f"{JSON}, {STREAM}", **headers}, body, url)

    def get(self, exchange: Exchange, headers: Mapping[str, str], url: str = "") -> Response:
        """Asks for a stream of events."""
        return self._open("GET", exchange, {"Accept": STREAM, "Cache-Control": "no-store", **headers}, None, url)

    def delete(self, exchange: Exchange, headers: Mapping[str, str]) -> Response:
        """Asks for the end of a session."""
        return self._open("DELETE", exchange, headers)

    def _open(
        self, method: str, exchange: Exchange, headers: Mapping[str, str], body: bytes | None = None, url: str = ""
    ) -> Response:
        if self._auth is None:
            return self.wire.open(method, exchange, {**self._headers, **headers}, body, url)
        credentials = self._auth(None) or {}
        response = self.wire.open(method, exchange, {**self._headers, **_checked(credentials), **headers}, body, url)
        if not wants_credentials(response):
            return response
        refusal = http_error_of(response, exchange)
        others = self._auth(refusal)
        if not others:
            raise refusal
        return self.wire.open(method, exchange, {**self._headers, **_checked(others), **headers}, body, url)


def _checked(headers: Mapping[str, str]) -> Mapping[str, str]:
    for name, value in headers.items():
        if name.lower() in _OURS or name.lower().startswith("mcp-param-"):
            text = f"the header {name} is set by the client itself; leave it out"
            raise UsageError(text)
        if value.__class__ is not str or "\r" in value or "\n" in value:
            text = f"the header {name} is not one line of text"
            raise UsageError(text)
    return headers


def media_type_of(response: Response) -> str:
    """The media type of an answer, in lower case and without parameters."""
    return response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
