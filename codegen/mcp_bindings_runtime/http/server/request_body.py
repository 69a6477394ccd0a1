"""Read the body of a request within limits of size and time."""

from __future__ import annotations

from collections.abc import Mapping
from time import monotonic
from typing import Any, Final

from .body_watch import BODY_WATCH
from .request_reader import ReceivedBody
from .responses import Rejection

_READ_SIZE: Final = 64 * 1024
_READ_BEFORE: Final = " (was it read before, for example by before_request?)"
"""Hint for a body of which nothing can be read: a program around the endpoint may have done so."""


def read_body(environ: Mapping[str, Any], limit: int, seconds: float) -> bytes:
    """Return the body of a request. Raise ``Rejection`` (400, 408, 411, 413).

    A body whose ``Content-Length`` exceeds ``limit`` is refused unread. ``seconds`` is for all reads together. A read that
    waits is ended if the WSGI server exposes the client's socket; otherwise its timeout, and the rest of a refused body,
    are up to that server (PEP 3333).
    """
    stream = environ["wsgi.input"]
    if stream.__class__ is ReceivedBody and stream.remaining <= limit:
        body: bytes = stream.read()
        return body
    stated = environ.get("CONTENT_LENGTH") or ""
    if stated:
        # int() accepts more than HTTP does, such as "+1" and "1_000".
        if not (stated.isascii() and stated.isdigit()):
            text = f"Content-Length must be a decimal number of bytes, got {stated!r}"
            raise Rejection(400, text)
        length = int(stated) if len(stated) < 20 else limit + 1
        if length > limit:
            text = f"the body has {stated} bytes; the limit is {limit}"
            raise Rejection(413, text)
        return _read(environ, length, limit, seconds, exact=True)
    if environ.get("wsgi.input_terminated"):
        return _read(environ, limit + 1, limit, seconds, exact=False)
    raise Rejection(411, "the length of the body is not stated; send Content-Length")


def _read(environ: Mapping[str, Any], length: int, limit: int, seconds: float, *, exact: bool) -> bytes:
    stream = environ["wsgi.input"]
    deadline = monotonic() + seconds
    parts: list[bytes] = []
    left = length
    late = False
    try:
        with BODY_WATCH.watched(environ, seconds):
            while left and not late:
                part = stream.read(min(left, _READ_SIZE))
                parts.append(part)
                left -= len(part)
                late = left > 0 and monotonic() > deadline
                if not part:
                    break
    except TimeoutError:
        late = True
    except Exception as error:  # noqa: BLE001  # each WSGI server has its own for a truncated or badly chunked body
        if monotonic() <= deadline:
            text = f"the body cannot be read: {error or error.__class__.__name__}"
            raise Rejection(400, text) from None
        late = True
    hint = "" if left < length else _READ_BEFORE
    if late:
        text = f"only {length - left} bytes of the body arrived within {seconds:g} s; send it faster{hint}"
        raise Rejection(408, text)
    if exact and left:
        text = f"the body ends after {length - left} of {length} bytes{hint}"
        raise Rejection(400, text)
    if not exact and not left:
        text = f"the body has more than {limit} bytes"
        raise Rejection(413, text)
    return b"".join(parts)
