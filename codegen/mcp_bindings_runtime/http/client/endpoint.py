"""The HTTP endpoint of a server: requests with the user's headers and credentials."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from ...errors import UsageError
from .error_responses import http_error_of
from .exchange import Exchange
from .wire import Wire

if TYPE_CHECKING:
    from ...errors import HttpError
    from .credentials import Credentials
    from .wire import Response

JSON: Final = "application/json"
STREAM: Final = "text/event-stream"

_OURS: Final = frozenset(
    {
        "accept", "accept-encoding", "connection", "content-encoding", "content-length", "content-type", "host",
        "last-event-id", "mcp-method", "mcp-name", "mcp-protocol-version", "mcp-session-id", "transfer-encoding",
    }
)  # fmt: skip
"""Headers that the client sets itself."""


class Endpoint:
    """Sends HTTP requests to a server. Thread-safe."""

    def __init__(self, wire: Wire, headers: Mapping[str, str], credentials: Credentials | None) -> None:
        self.wire = wire
        self.url = wire.url
        self._headers = {"User-Agent": "mcp-bindings", **_checked(headers)}
        self._credentials = credentials

    def post(self, exchange: Exchange, headers: Mapping[str, str], body: bytes, url: str = "") -> Response:
        """Post a message; return the response, whatever its status. Raise as ``Wire.open``."""
        return self._open("POST", exchange, {"Content-Type": JSON, "Accept": f"{JSON}, {STREAM}", **headers}, body, url)

    def get(self, exchange: Exchange, headers: Mapping[str, str], url: str = "") -> Response:
        """Request a stream of events."""
        return self._open("GET", exchange, {"Accept": STREAM, "Cache-Control": "no-store", **headers}, None, url)

    def delete(self, exchange: Exchange, headers: Mapping[str, str]) -> Response:
        """Request the end of a session."""
        return self._open("DELETE", exchange, headers)

    def _open(
        self, method: str, exchange: Exchange, headers: Mapping[str, str], body: bytes | None = None, url: str = ""
    ) -> Response:
        credentials = self._credentials
        if credentials is None:
            return self.wire.open(method, exchange, {**self._headers, **headers}, body, url)
        at = url or self.url
        sent = credentials.headers(method, at, exchange)
        refusals: list[HttpError] = []
        while True:
            authorized = {**self._headers, **_checked(sent), **headers}
            response = self.wire.open(method, exchange, authorized, body, url)
            if credentials.reads_responses:
                credentials.read_response(at, {name.lower(): value for name, value in response.headers.items()})
            if not _wants_credentials(response):
                return response
            refusals.append(http_error_of(response, exchange))
            renewed = credentials.renewed(method, at, exchange, sent, refusals)
            if not renewed:
                raise refusals[-1]
            sent = renewed
            exchange.forget_attempt()


def _checked(headers: Mapping[str, str]) -> Mapping[str, str]:
    for name, value in headers.items():
        if name.lower() in _OURS or name.lower().startswith("mcp-param-"):
            text = f"the header {name} is set by the client itself; leave it out"
            raise UsageError(text)
        if value.__class__ is not str or "\r" in value or "\n" in value:
            text = f"the header {name} is not one line of text"
            raise UsageError(text)
    return headers


def _wants_credentials(response: Response) -> bool:
    """Return whether a response refuses a request that other credentials may let in."""
    return response.status == 401 or (response.status == 403 and "WWW-Authenticate" in response.headers)


def media_type_of(response: Response) -> str:
    """Return the media type of a response, in lower case and without parameters."""
    return response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
