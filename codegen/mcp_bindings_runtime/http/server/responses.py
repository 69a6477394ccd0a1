"""Responses of the endpoints, and ``Rejection``: a status with a JSON-RPC error that has no id."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from http import HTTPStatus
from typing import Final, NamedTuple

from ...jsonrpc import INVALID_REQUEST, NO_ID, ErrorObject, error_line
from ..media import JSON

Headers = list[tuple[str, str]]

JSON_TYPE: Final = ("Content-Type", JSON)
"""The first header of a response whose body is one JSON text."""
STATUS_LINES: Final = {status.value: f"{status.value} {status.phrase}" for status in HTTPStatus}


class Response(NamedTuple):
    """The status, headers and body of a response."""

    status: int
    headers: Headers
    body: Iterable[bytes]


class Rejection(Exception):
    """A request is refused with this status; ``reason`` says what was found and what is accepted."""

    def __init__(
        self, status: int, reason: str, *, code: int = INVALID_REQUEST, headers: Sequence[tuple[str, str]] = ()
    ) -> None:
        super().__init__(status, reason)
        self.status = status
        self.refusal = ErrorObject(code, HTTPStatus(status).phrase, {"reason": reason})
        self.headers = headers

    def response(self) -> Response:
        """Return the response; its error has no id, because that of an unread request is unknown."""
        return json_response(self.status, error_line(NO_ID, self.refusal, null_id=False), self.headers)


def json_response(status: int, line: bytes, headers: Sequence[tuple[str, str]] = ()) -> Response:
    """Return a response whose body is one JSON text."""
    return Response(status, [JSON_TYPE, ("Content-Length", str(len(line))), *headers], [line])


def empty_response(status: int, headers: Sequence[tuple[str, str]] = ()) -> Response:
    """Return a response without a body; one with status 204 states no length (RFC 9110, section 8.6)."""
    length = [] if status == HTTPStatus.NO_CONTENT else [("Content-Length", "0")]
    return Response(status, [*length, *headers], [])


def closing() -> Rejection:
    """Return the rejection for a server that is closing; the client may connect again."""
    return Rejection(503, "the server is closing; connect again", headers=[("Retry-After", "1")])


def busy(what: str, seconds: int = 1) -> Rejection:
    """Return the rejection for a limit that is reached; the client may retry after ``seconds``."""
    text = f"the limit on {what} is reached; try again"
    return Rejection(503, text, headers=[("Retry-After", str(seconds))])


REQUESTS: Final = "requests in progress"
STREAMS: Final = "open streams"
SESSIONS: Final = "sessions"
CLIENT_REQUESTS: Final = "requests to clients that wait for a response"
FORWARDS: Final = "messages about requests of other processes"
