"""How a request is refused before anything else is done with it: a status, and a JSON-RPC error without an id."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from http import HTTPStatus
from typing import Final, NamedTuple

from ...jsonrpc import INVALID_REQUEST, NO_ID, Refusal, error_line
from ..media import JSON

Headers = list[tuple[str, str]]

STATUS_LINES: Final = {status.value: f"{status.value} {status.phrase}" for status in HTTPStatus}


class Response(NamedTuple):
    """What a request is answered with."""

    status: int
    headers: Headers
    body: Iterable[bytes]


class Rejection(Exception):
    """The request is refused with this status; ``reason`` says what was found and what is accepted."""

    def __init__(
        self, status: int, reason: str, *, code: int = INVALID_REQUEST, headers: Sequence[tuple[str, str]] = ()
    ) -> None:
        super().__init__(status, reason)
        self.status = status
        self.refusal = Refusal(code, HTTPStatus(status).phrase, {"reason": reason})
        self.headers = headers

    def response(self) -> Response:
        """The answer. What id a request has that was refused unread is not known, so the error has none."""
        return json_response(self.status, error_line(NO_ID, self.refusal, null_id=False), self.headers)


def json_response(status: int, line: bytes, headers: Sequence[tuple[str, str]] = ()) -> Response:
    """An answer whose body is one JSON text."""
    return Response(status, [("Content-Type", JSON), ("Content-Length", str(len(line))), *headers], [line])


def empty_response(status: int, headers: Sequence[tuple[str, str]] = ()) -> Response:
    """An answer without a body; 204 says that by itself, and states no length (RFC 9110, section 8.6)."""
    length = [] if status == HTTPStatus.NO_CONTENT else [("Content-Length", "0")]
    return Response(status, [*length, *headers], [])


def busy(what: str, seconds: int = 1) -> Rejection:
    """Something is at its limit, and may not be in a while (RFC 9110, section 15.6.4)."""
    text = f"there are as many {what} as may be; try again"
    return Rejection(503, text, headers=[("Retry-After", str(seconds))])


REQUESTS: Final = "requests in progress"
STREAMS: Final = "open streams"
SESSIONS: Final = "sessions"
