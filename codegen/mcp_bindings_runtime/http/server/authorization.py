"""Who sends a request: bearer tokens, and where clients get them (Authorization; RFC 6750; RFC 9728).

Tokens are judged by a function of the application's own. What is here reads them from requests, and answers requests
without a good one so that clients find out where to get one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from ...errors import McpError, UsageError
from ...validation import check_function, check_kind, check_many
from .responses import Rejection, Response, json_response

WELL_KNOWN: Final = "/.well-known/oauth-protected-resource"

_BEARER = re.compile(r"[Bb][Ee][Aa][Rr][Ee][Rr] +([A-Za-z0-9._~+/-]+=*)")
_LONGEST = 16 * 1024
"""How many characters a header with a token may have."""


class MissingScope(McpError):
    """What ``validate`` raises for a good token that is not good for this; ``scope`` is what it lacks."""

    def __init__(self, scope: str) -> None:
        super().__init__(scope)
        self.scope = scope


class Authorization:
    """Lets in who has a token.

    ``validate`` is given a token, and gives back whose it is (any text that names the principal), or None for one that
    is not good: not issued for this server above all. It raises MissingScope where the token is not enough.
    ``resource`` is the URL of the endpoint as clients know it, ``authorization_servers`` are the URLs of those who issue
    tokens for it, and ``scopes`` those that there are. Raises UsageError for a ``resource`` that is no such URL.
    """

    def __init__(
        self,
        validate: Callable[[str], str | None],
        *,
        resource: str,
        authorization_servers: Sequence[str],
        scopes: Sequence[str] = (),
    ) -> None:
        check_function("validate", validate, ("token",))
        check_kind("resource", resource, str, "texts")
        check_many("authorization_servers", authorization_servers, "https://auth.example.com", str)
        check_many("scopes", scopes, "files:read", str)
        parts = urlsplit(resource)
        if parts.scheme not in {"http", "https"} or not parts.netloc or parts.fragment:
            text = f"resource is {resource!r}; accepted is the URL of the endpoint, such as 'https://example.com/mcp'"
            raise UsageError(text)
        if not authorization_servers:
            message = "authorization_servers is empty; give the URL of at least one that issues tokens"
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
        """Where the metadata has to be found on the host of the resource (RFC 9728, section 3.1)."""
        self.paths = frozenset({self.path, WELL_KNOWN})
        """Where clients look for it, one after the other (Authorization: Protected Resource Metadata Discovery)."""
        self._metadata_url = f"{parts.scheme}://{parts.netloc}{self.path}"

    @property
    def metadata(self) -> Mapping[str, Any]:
        """The protected resource metadata (RFC 9728, section 2), for applications that serve it by themselves."""
        return self._metadata

    def metadata_response(self) -> Response:
        """The metadata as an answer."""
        return json_response(200, json.dumps(self._metadata).encode())

    def principal(self, environ: Mapping[str, Any]) -> str:
        """Who sends a request. Raises Rejection (401, 403)."""
        given: str | None = environ.get("HTTP_AUTHORIZATION")
        if given is None:
            raise self._refused(401, "there is no access token; send it as 'Authorization: Bearer ...'")
        found = _BEARER.fullmatch(given.strip()) if len(given) <= _LONGEST else None
        if found is None:
            raise self._refused(401, "Authorization holds no bearer token", error="invalid_token")
        try:
            principal = self._validate(found[1])
        except MissingScope as lack:
            text = "the access token does not allow this"
            raise self._refused(403, text, error="insufficient_scope", scope=lack.scope) from None
        if principal is None:
            raise self._refused(401, "the access token is not good, or not any more", error="invalid_token")
        return principal

    def _refused(self, status: int, reason: str, *, error: str = "", scope: str = "") -> Rejection:
        told = {"error": error, "scope": scope or self._scopes, "resource_metadata": self._metadata_url}
        challenge = ", ".join(f'{name}="{_quoted(value)}"' for name, value in told.items() if value)
        return Rejection(status, reason, headers=[("WWW-Authenticate", f"Bearer {challenge}")])


def _quoted(text: str) -> str:
    return "".join(char for char in text if " " <= char <= "~" and char not in {'"', "\\"})
