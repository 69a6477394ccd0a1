"""Authorization of clients by bearer tokens, and the metadata that name the issuing servers (RFC 6750; RFC 9728).

The application validates tokens. This module reads them from requests, and refuses requests without a valid one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from ...errors import McpError, UsageError
from ...validation import require_callable, require_instance, require_list
from .responses import Rejection, Response, json_response

WELL_KNOWN: Final = "/.well-known/oauth-protected-resource"

_BEARER = re.compile(r"[Bb][Ee][Aa][Rr][Ee][Rr] +([A-Za-z0-9._~+/-]+=*)")
_MAX_SIZE = 16 * 1024
"""Limit on the characters of a header with a token."""


class MissingScope(McpError):
    """Raised by ``validate`` for a valid token that lacks the scope for a request."""

    def __init__(self, scope: str) -> None:
        super().__init__(scope)
        self.scope = scope


class Authorization:
    """Requires a bearer token on every request.

    ``validate`` returns the principal of a token, as any text, or None for an invalid one; above all it must check that
    the token was issued for this server. It raises ``MissingScope`` for a token without a required scope. ``resource`` is
    the URL of the endpoint as clients know it, ``authorization_servers`` are the URLs of the servers that issue tokens
    for it, and ``scopes`` are the supported scopes. Raises ``UsageError`` for arguments that are not valid.
    """

    def __init__(
        self,
        validate: Callable[[str], str | None],
        *,
        resource: str,
        authorization_servers: Sequence[str],
        scopes: Sequence[str] = (),
    ) -> None:
        require_callable("validate", validate, ("token",))
        require_instance("resource", resource, str, "a str")
        require_list("authorization_servers", authorization_servers, "https://auth.example.com", str)
        require_list("scopes", scopes, "files:read", str)
        parts = urlsplit(resource)
        if parts.scheme not in {"http", "https"} or not parts.netloc or parts.fragment:
            text = f"`resource` must be the URL of the endpoint, such as 'https://example.com/mcp', got {resource!r}"
            raise UsageError(text)
        if not authorization_servers:
            message = "`authorization_servers` is empty; pass the URL of at least one server that issues tokens"
            raise UsageError(message)
        self._validate = validate
        self._metadata: dict[str, Any] = {
            "resource": resource,
            "authorization_servers": list(authorization_servers),
            "bearer_methods_supported": ["header"],
        }
        if scopes:
            self._metadata["scopes_supported"] = list(scopes)
        self._scopes = " ".join(scopes)
        path = parts.path.rstrip("/")
        self.path = WELL_KNOWN + path
        """The path of the metadata on the host of the resource (RFC 9728, section 3.1)."""
        self.paths = frozenset({self.path, WELL_KNOWN})
        """The paths that clients try (Authorization: Protected Resource Metadata Discovery)."""
        self._metadata_url = f"{parts.scheme}://{parts.netloc}{self.path}"

    @property
    def metadata(self) -> Mapping[str, Any]:
        """The protected resource metadata (RFC 9728, section 2), for applications that serve it themselves."""
        return self._metadata

    def metadata_response(self) -> Response:
        """Return the response with the metadata."""
        return json_response(200, json.dumps(self._metadata).encode())

    def principal(self, environ: Mapping[str, Any]) -> str:
        """Return the principal of a request. Raise ``Rejection`` (401, 403)."""
        header: str | None = environ.get("HTTP_AUTHORIZATION")
        if header is None:
            raise self._rejection(401, "the access token is missing; send it as 'Authorization: Bearer ...'")
        found = _BEARER.fullmatch(header.strip()) if len(header) <= _MAX_SIZE else None
        if found is None:
            raise self._rejection(401, "Authorization holds no bearer token", error="invalid_token")
        try:
            principal = self._validate(found[1])
        except MissingScope as error:
            text = "the access token lacks a scope that this request requires"
            raise self._rejection(403, text, error="insufficient_scope", scope=error.scope) from None
        if principal is None:
            raise self._rejection(401, "the access token is invalid or expired", error="invalid_token")
        return principal

    def _rejection(self, status: int, reason: str, *, error: str = "", scope: str = "") -> Rejection:
        parameters = {"error": error, "scope": scope or self._scopes, "resource_metadata": self._metadata_url}
        challenge = ", ".join(f'{name}="{_quoted(value)}"' for name, value in parameters.items() if value)
        return Rejection(status, reason, headers=[("WWW-Authenticate", f"Bearer {challenge}")])


def _quoted(text: str) -> str:
    return "".join(char for char in text if " " <= char <= "~" and char not in {'"', "\\"})
