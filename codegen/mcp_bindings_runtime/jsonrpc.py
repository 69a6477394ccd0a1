"""Errors of JSON-RPC 2.0 as lines, and what a message that cannot be read is answered with.

JSON-RPC 2.0, section 5.1, has the codes; which of them a bad message earns, and on which id, follows its sections 4 to
6 and, where they differ, the overview page of each revision.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple, TypeAlias

from .errors import ResponseError, UnsupportedRevision
from .unset import UNSET

RequestId: TypeAlias = str | int

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
HEADER_MISMATCH = -32020
"""2026-07-28: the headers of an HTTP request do not say what its body says."""
UNSUPPORTED_VERSION = -32022
"""2026-07-28: the revision that a request names is not spoken here."""
MISSING_CLIENT_CAPABILITY = -32021
"""2026-07-28: answering takes something that the client has not declared."""

STATELESS_ERRORS = frozenset({HEADER_MISMATCH, MISSING_CLIENT_CAPABILITY})
"""Errors that show a server of 2026-07-28 or later (Streamable HTTP: Backward Compatibility).

``UNSUPPORTED_VERSION`` does if it says which revisions are supported.
"""


_NAMING = frozenset({UNSUPPORTED_VERSION, HEADER_MISMATCH, METHOD_NOT_FOUND, INVALID_PARAMS})
"""Errors that say that a revision is not supported, if they name those that are.

Besides the one that is made for it: what a server of the handshake era answers ``initialize`` with, and what one of
2026-07-28 does.
"""


class ErrorObject(NamedTuple):
    """The error that a request is answered with."""

    code: int
    message: str
    data: Any = None


class InvalidMessage(NamedTuple):
    """What can be said of a message that does not fit the revision."""

    kind: str
    """``request``, ``notification``, ``response``, or ``nothing`` that JSON-RPC knows."""
    id: str | int | None
    """None where there is none to be read."""
    refusal: ErrorObject


NO_ID = object()
"""Stands for an id that could not be read."""


def error_line(request_id: Any, refusal: ErrorObject, *, null_id: bool) -> bytes:
    """An error response as a line. ``NO_ID`` is left out, or is null where the revision wants the member."""
    error: dict[str, Any] = {"code": refusal.code, "message": refusal.message}
    if refusal.data is not None:
        error["data"] = refusal.data
    answer: dict[str, Any] = {"jsonrpc": "2.0"}
    if request_id is not NO_ID:
        answer["id"] = request_id
    elif null_id:
        answer["id"] = None
    answer["error"] = error
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def invalid_request(reason: str) -> ErrorObject:
    """The error for a message that may not be what or when it is."""
    return ErrorObject(INVALID_REQUEST, "Invalid Request", {"reason": reason})


def classify_invalid(value: Any, path: tuple[str | int, ...], fault: str) -> InvalidMessage:
    """What a JSON value was meant to be that is no message of the revision; ``path`` and ``fault`` say why it is none."""
    data = {"reason": fault}
    invalid = ErrorObject(INVALID_REQUEST, "Invalid Request", data)
    if value.__class__ is not dict:
        return InvalidMessage("nothing", None, invalid)
    given = value.get("id")
    readable = given if given.__class__ is int or is_unicode(given) else None
    if "method" in value and "id" in value:
        if path[:1] == ("params",) and readable is not None:
            return InvalidMessage("request", readable, ErrorObject(INVALID_PARAMS, "Invalid params", data))
        return InvalidMessage("request", readable, invalid)
    if value.get("method").__class__ is str:
        return InvalidMessage("notification", None, invalid)
    if "method" not in value and ("result" in value or "error" in value):
        return InvalidMessage("response", readable, invalid)
    return InvalidMessage("nothing", readable, invalid)


def is_unicode(value: Any) -> bool:
    """Whether a value is a string that UTF-8 can carry: JSON can spell halves of surrogate pairs, too."""
    if value.__class__ is not str:
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def supported_revisions(code: Any, data: Any) -> list[str] | None:
    """Return the revisions that an error names because the one of the request is not spoken; None for other errors."""
    supported: Any = data.get("supported") if data.__class__ is dict else None
    named = supported.__class__ is list and all(each.__class__ is str for each in supported)
    return supported if named and code in _NAMING else None


def exception_for(error: Any, revision: str) -> ResponseError | UnsupportedRevision:
    """The exception for an error of the other side. One that names the revisions it speaks is no other's."""
    supported = supported_revisions(error.code, error.data)
    if supported is not None:
        return UnsupportedRevision(revision, supported)
    return ResponseError(error.code, error.message, None if error.data is UNSET else error.data)
