"""The meaning of HTTP error statuses, and of the JSON-RPC errors with them, for a request and its server.

RFC 9110, section 15; RFC 6585; 2026-07-28, Streamable HTTP: Backward Compatibility.
"""

from __future__ import annotations

from typing import Any, Final

from ...errors import HttpError, HttpResponseError, ResponseError, UnsupportedRevision
from ...jsonrpc import METHOD_NOT_FOUND, STATELESS_ERRORS, UNSUPPORTED_VERSION, supported_revisions

INITIALIZE: Final = "initialize"

_OTHER_REASONS: Final = frozenset({401, 402, 403, 407, 408, 413, 421, 423, 425, 429, 431, 451})
"""Refusals that are about access, about how much was sent or how often, or about the way to the server."""


def rejects_message(status: int) -> bool:
    """Return whether a status may mean that the server does not understand the message.

    Only these say anything about the revision or the transport that a server speaks.
    """
    return 400 <= status < 500 and status not in _OTHER_REASONS


def error_of(refusal: HttpError) -> dict[str, Any]:
    """Return the error object of a JSON-RPC error response; empty if the body was none."""
    error: Any = refusal.error["error"] if refusal.error is not None else {}
    return dict(error)


def answers(refusal: HttpError, request_id: str | int) -> bool:
    """Return whether the body of a refusal is the JSON-RPC error of a request."""
    answer: Any = refusal.error
    return answer is not None and answer.get("id") == request_id and answer["error"].get("message").__class__ is str


def exception_of(
    refusal: HttpError, request_id: str | int, revision: str, method: str
) -> HttpError | UnsupportedRevision:
    """Return the exception for a refused request: ``UnsupportedRevision`` if the body names other revisions."""
    error = error_of(refusal)
    supported: list[str] | None = None
    if rejects_message(refusal.status):
        supported = supported_revisions(error.get("code"), error.get("data"), method)
    found = HttpResponseError(*refusal.args) if answers(refusal, request_id) else refusal
    if supported is None:
        return found
    unsupported = UnsupportedRevision(revision, supported)
    unsupported.__cause__ = found
    return unsupported


def shows_stateless_server(error: HttpError | ResponseError) -> bool:
    """Return whether only servers of 2026-07-28 or later send an error, in a response that may be believed."""
    if isinstance(error, HttpError):
        return rejects_message(error.status) and error_of(error).get("code") in STATELESS_ERRORS
    return error.code in STATELESS_ERRORS


def refuses_handshake(refusal: HttpError) -> bool:
    """Return whether a refusal of ``initialize`` comes from a server of 2026-07-28 or later, and from no HTTP+SSE server."""
    error = error_of(refusal)
    code = error.get("code")
    return (
        code in {*STATELESS_ERRORS, METHOD_NOT_FOUND, UNSUPPORTED_VERSION}
        or supported_revisions(code, error.get("data"), INITIALIZE) is not None
    )


def shows_handshake_server(error: HttpError | ResponseError) -> bool:
    """Return whether an error, as the answer to ``server/discover``, shows a server of revisions that lack it.

    Every server of 2026-07-28 has that method. Earlier ones refuse what does not belong to a session with HTTP status
    400, as they do what is of a revision that they do not speak, or answer with a JSON-RPC error.
    """
    if shows_stateless_server(error):
        return False
    if not isinstance(error, HttpError):
        return True
    code = error_of(error).get("code")
    return error.status == 400 or (rejects_message(error.status) and code in {METHOD_NOT_FOUND, UNSUPPORTED_VERSION})
