"""The body of a request: whole, within its limit and in time."""

from __future__ import annotations

from collections.abc import Mapping
from time import monotonic
from typing import Any, Final

from .responses import Rejection

BODY_LIMIT: Final = 4 * 1024 * 1024
"""How many bytes a body may have, if nothing else is said."""
BODY_TIME: Final = 30.0
"""How many seconds a body may take to come, if nothing else is said."""

_CHUNK = 64 * 1024


def read_body(environ: Mapping[str, Any], limit: int, seconds: float) -> bytes:
    """The body of a request.

    One that says it is larger than ``limit`` is refused before anything of it is read. How long a single read may take
    is up to the WSGI server; ``seconds`` is for all of them. Raises Rejection (408, 411, 413, 400). What becomes of the
    rest of a body that is refused, and of its connection, is up to the WSGI server, too (PEP 3333).
    """
    stated = environ.get("CONTENT_LENGTH") or ""
    if stated:
        # Python reads more as a number than HTTP does.
        if not (stated.isascii() and stated.isdigit()):
            text = f"Content-Length is {stated!r}; accepted is a number of bytes"
            raise Rejection(400, text)
        length = int(stated) if len(stated) < 20 else limit + 1
        if length > limit:
            text = f"the body has {stated} bytes; accepted are up to {limit}"
            raise Rejection(413, text)
        return _read(environ, length, limit, seconds, exact=True)
    if environ.get("wsgi.input_terminated"):
        return _read(environ, limit + 1, limit, seconds, exact=False)
    raise Rejection(411, "the request does not say how long its body is; send Content-Length")


def _read(environ: Mapping[str, Any], length: int, limit: int, seconds: float, *, exact: bool) -> bytes:
    stream = environ["wsgi.input"]
    deadline = monotonic() + seconds
    parts: list[bytes] = []
    left = length
    late = False
    try:
        while left and not late:
            part = stream.read(min(left, _CHUNK))
            if not part:
                break
            parts.append(part)
            left -= len(part)
            late = left > 0 and monotonic() > deadline
    except TimeoutError:
        late = True
    except Exception as fault:  # noqa: BLE001  # each server has its own for a body that is cut off or badly chunked
        text = f"the body cannot be read: {fault or fault.__class__.__name__}"
        raise Rejection(400, text) from None
    if late:
        text = f"{length - left} bytes of the body have come within {seconds:g} s; send it faster"
        raise Rejection(408, text)
    if exact and left:
        text = f"the body ends after {length - left} of {length} bytes"
        raise Rejection(400, text)
    if not exact and not left:
        text = f"the body has more than {limit} bytes"
        raise Rejection(413, text)
    return b"".join(parts)
