"""Checks of the head of a request: its media types, and whether it is a preflight."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .. import media
from .responses import Rejection

ACCEPTED_BY: Final = "mcp_bindings.accepted_by"
"""The key, in the environments that ``run_http`` makes, of a set that all requests with the same head share.

It holds the applications that have accepted the head for a POST to their endpoint. The same head need not be checked again:
what an application accepts does not change. Who sends the request is checked each time, as tokens expire.
"""


def check_accepts_response(environ: Mapping[str, Any]) -> None:
    """Raise ``Rejection`` (406) unless the client accepts both JSON and a stream."""
    accept = environ.get("HTTP_ACCEPT", "")
    if not (media.accepts(accept, media.JSON) and media.accepts(accept, media.SSE)):
        raise Rejection(406, "Accept must list application/json and text/event-stream")


def check_accepts_stream(environ: Mapping[str, Any]) -> None:
    """Raise ``Rejection`` (406) unless the client accepts a stream."""
    if not media.accepts(environ.get("HTTP_ACCEPT", ""), media.SSE):
        raise Rejection(406, "Accept must list text/event-stream for GET")


def check_is_json(environ: Mapping[str, Any]) -> None:
    """Raise ``Rejection`` (415) unless the body is JSON without a content coding."""
    content_type = environ.get("CONTENT_TYPE", "")
    if not media.is_json(content_type):
        text = f"Content-Type must be application/json in UTF-8, got {content_type[:80]!r}"
        raise Rejection(415, text)
    coding = environ.get("HTTP_CONTENT_ENCODING", "identity")
    if coding.lower() != "identity":
        text = f"Content-Encoding must be absent or identity, got {coding[:80]!r}"
        raise Rejection(415, text, headers=[("Accept-Encoding", "identity")])


def is_preflight(environ: Mapping[str, Any]) -> bool:
    """Return whether a browser asks which requests a page may send (Fetch standard: CORS-preflight request)."""
    return (
        environ["REQUEST_METHOD"] == "OPTIONS"
        and "HTTP_ORIGIN" in environ
        and "HTTP_ACCESS_CONTROL_REQUEST_METHOD" in environ
    )
