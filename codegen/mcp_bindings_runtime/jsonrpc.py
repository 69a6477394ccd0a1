"""Error codes and error responses of JSON-RPC 2.0.

Section 5.1 defines the codes. Which error answers an invalid message, and with which id, follows sections 4 to 6 and,
where they differ, the overview page of each revision.
"""

from __future__ import annotations

import json
from typing import Any, Literal, NamedTuple, TypeAlias

from .errors import ResponseError, UnsupportedRevision
from .unset import UNSET

RequestId: TypeAlias = str | int

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
HEADER_MISMATCH = -32020
"""2026-07-28: the headers of an HTTP request contradict its body."""
UNSUPPORTED_VERSION = -32022
"""2026-07-28: the server does not support the revision of the request."""
MISSING_CLIENT_CAPABILITY = -32021
"""2026-07-28: the response needs a capability that the client has not declared."""

STATELESS_ERRORS = frozenset({HEADER_MISMATCH, MISSING_CLIENT_CAPABILITY})
"""Errors that only servers of 2026-07-28 or later send (Streamable HTTP: Backward Compatibility).

``UNSUPPORTED_VERSION`` is one of them if its data names the supported revisions.
"""

_UNSUPPORTED_REVISION = frozenset({UNSUPPORTED_VERSION, HEADER_MISMATCH})
"""Errors of 2026-07-28 that report an unsupported revision if their data names the supported ones."""
_UNSUPPORTED_AT_START = _UNSUPPORTED_REVISION | {METHOD_NOT_FOUND, INVALID_PARAMS}
"""The same for the first request of a client, to which servers of the handshake era answer with the last two."""
_FIRST_REQUESTS = frozenset({"initialize", "server/discover"})


class ErrorObject(NamedTuple):
    """The ``error`` of an error response."""

    code: int
    message: str
    data: Any = None


class InvalidMessage(NamedTuple):
    """A classified message that does not match the revision."""

    kind: Literal["request", "notification", "response", "unknown"]
    """``unknown`` if JSON-RPC has no such message."""
    id: RequestId | None
    """None if there is no valid id."""
    error: ErrorObject
    """The error to answer it with, if it is to be answered."""


NO_ID = object()
"""Stands for the id of a message whose id could not be read."""


def error_line(request_id: Any, error: ErrorObject, *, null_id: bool) -> bytes:
    """Return an error response as a line; ``NO_ID`` is left out, or written as null if ``null_id``."""
    members: dict[str, Any] = {"code": error.code, "message": error.message}
    if error.data is not None:
        members["data"] = error.data
    response: dict[str, Any] = {"jsonrpc": "2.0"}
    if request_id is not NO_ID:
        response["id"] = request_id
    elif null_id:
        response["id"] = None
    response["error"] = members
    return json.dumps(response, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def invalid_request(reason: str) -> ErrorObject:
    """Return the error for a message that is malformed or arrives at the wrong time."""
    return ErrorObject(INVALID_REQUEST, "Invalid Request", {"reason": reason})


def classify_invalid(value: Any, path: tuple[str | int, ...], reason: str) -> InvalidMessage:
    """Return what kind of message an invalid JSON value was meant to be; the violation is at ``path``."""
    error = invalid_request(reason)
    if value.__class__ is not dict:
        return InvalidMessage("unknown", None, error)
    found = value.get("id")
    request_id = found if found.__class__ is int or is_unicode(found) else None
    if "method" in value and "id" in value:
        if path[:1] == ("params",) and request_id is not None:
            error = ErrorObject(INVALID_PARAMS, "Invalid params", {"reason": reason})
        return InvalidMessage("request", request_id, error)
    if value.get("method").__class__ is str:
        return InvalidMessage("notification", None, error)
    if "method" not in value and ("result" in value or "error" in value):
        return InvalidMessage("response", request_id, error)
    return InvalidMessage("unknown", request_id, error)


def is_unicode(value: Any) -> bool:
    """Return whether a value is a string that UTF-8 can encode; JSON can escape single surrogates, too."""
    if value.__class__ is not str:
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def supported_revisions(code: Any, data: Any, method: str) -> list[str] | None:
    """Return the revisions that an error for an unsupported revision names; None for other errors.

    ``method`` is that of the request: a tool may answer with -32602 and any data.
    """
    supported: Any = data.get("supported") if data.__class__ is dict else None
    is_list = supported.__class__ is list and all(each.__class__ is str for each in supported)
    codes = _UNSUPPORTED_AT_START if method in _FIRST_REQUESTS else _UNSUPPORTED_REVISION
    return supported if is_list and code in codes else None


def exception_for(error: Any, revision: str, method: str) -> ResponseError | UnsupportedRevision:
    """Return the exception for the peer's error in answer to a request with this method and of this revision."""
    supported = supported_revisions(error.code, error.data, method)
    if supported is not None:
        return UnsupportedRevision(revision, supported)
    return ResponseError(error.code, error.message, None if error.data is UNSET else error.data)
