"""Protected resource metadata: where clients of an MCP server get their access tokens (RFC 9728)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from ...errors import UsageError
from .responses import Response, empty_response, json_response

WELL_KNOWN: Final = "/.well-known/oauth-protected-resource"

_ANY_ORIGIN: Final = ("Access-Control-Allow-Origin", "*")
_PREFLIGHT: Final = (
    _ANY_ORIGIN,
    ("Access-Control-Allow-Methods", "GET"),
    # Clients may send MCP-Protocol-Version.
    ("Access-Control-Allow-Headers", "*"),
    ("Access-Control-Max-Age", "7200"),
)


class ResourceMetadata:
    """The metadata of the MCP server at the URL ``resource``, and their places.

    All URLs follow from ``resource``: headers of requests, which strangers write, do not matter. With ``public``, web pages
    of any origin may read the metadata. Raises ``UsageError`` if ``resource`` is not the URL of an endpoint.
    """

    def __init__(self, resource: str, *, public: bool) -> None:
        parts = urlsplit(resource)
        if parts.scheme not in {"http", "https"} or not parts.netloc or parts.fragment:
            text = f"`resource` must be the URL of the endpoint, such as 'https://example.com/mcp', got {resource!r}"
            raise UsageError(text)
        self._public = public
        self.members: dict[str, Any] = {"resource": resource, "bearer_methods_supported": ["header"]}
        self.path = WELL_KNOWN + parts.path.rstrip("/")
        """The path of the metadata on the host of the resource (RFC 9728, section 3.1)."""
        self.paths = frozenset({self.path, WELL_KNOWN})
        """The paths that clients try (Authorization: Protected Resource Metadata Discovery)."""
        query = f"?{parts.query}" if parts.query else ""
        self.url = f"{parts.scheme}://{parts.netloc}{self.path}{query}"
        """The URL of the metadata, for challenges."""

    def complete(self, servers: Sequence[str], scopes: Sequence[str], more: Mapping[str, Any]) -> None:
        """Add the authorization servers, the scopes to ask for, and further members."""
        self.members["authorization_servers"] = list(servers)
        if scopes:
            self.members["scopes_supported"] = list(scopes)
        self.members.update(more)

    def allows_any_origin(self, environ: Mapping[str, Any], path: str) -> bool:
        """Return whether web pages of any origin may send a request."""
        return self._public and path in self.paths and environ["REQUEST_METHOD"] in {"GET", "HEAD", "OPTIONS"}

    def response(self, *, preflight: bool) -> Response:
        """Return the response with the metadata, or that to the preflight of a browser."""
        if preflight:
            return empty_response(204, _PREFLIGHT)
        return json_response(200, json.dumps(self.members).encode(), (_ANY_ORIGIN,) if self._public else ())
