"""Authorization of clients by access tokens (RFC 6750, RFC 9449), and the challenges for requests without a valid one.

A function of the application, or a ``TokenValidator``, validates the tokens.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from ...auth.resource_server.issuer_router import IssuerRouter
from ...auth.resource_server.token_cache import TokenCache
from ...auth.resource_server.token_validator import (
    InvalidProof,
    InvalidToken,
    TokenValidator,
    ValidatorUnavailable,
    check_bearer,
    is_bound,
)
from ...auth.scopes import NO_SCOPES, ScopeImplications, scope_set
from ...errors import McpError, UsageError
from ...logs import RareWarning, write_log
from ...session.caller import Caller
from ...validation import require_booleans, require_callable, require_instance, require_list
from .resource_metadata import ResourceMetadata
from .responses import Rejection
from .token_binding import DpopPolicy, TokenBinding

Validate: TypeAlias = Callable[[str], Caller | str | None]
"""Returns the caller with a token, or its principal; None for an invalid token."""

_CREDENTIALS = re.compile(r"[A-Za-z]+ +([A-Za-z0-9._~+/-]+=*)")
_MAX_SIZE = 16 * 1024
"""Limit on the characters of a header that contains an access token."""
_RETRY_AFTER: Final = 5
"""Value of ``Retry-After``, in seconds, if the authorization server does not answer."""


class MissingScope(McpError):
    """A function that validates tokens or API keys raises this to refuse a valid one that lacks a necessary scope."""

    def __init__(self, scope: str) -> None:
        super().__init__(scope)
        self.scope = scope


class Authorization:
    """Requires an access token with every request.

    ``validate`` is a ``JwtValidator``, an ``IntrospectionValidator``, or a list of them for several issuers. It may
    also be a function that receives a token. The function returns the ``Caller`` to whom the token belongs, or only the
    caller's principal as a ``str``, or None for an invalid token. Such a function has to check that the token was
    issued for this server. It may raise ``MissingScope`` for a token that lacks a scope.

    ``resource`` is the URL of the endpoint, as clients use it. ``authorization_servers`` are the URLs of the
    authorization servers that issue tokens for it; by default the issuers of the validators. Every request needs the
    ``required_scopes``. ``scopes`` are further scopes that clients should request. ``implied_scopes`` maps a scope to
    the scopes that it includes. With ``public_metadata`` web pages of any origin may read the metadata. ``dpop`` is
    "accepted" to allow tokens that are bound to a key, or "required" to allow no others (RFC 9449; needs the extra
    ``oauth``). Raises ``UsageError`` for arguments that are not valid.
    """

    def __init__(
        self,
        validate: Validate | TokenValidator | list[TokenValidator] | tuple[TokenValidator, ...],
        *,
        resource: str,
        authorization_servers: Sequence[str] = (),
        scopes: Sequence[str] = (),
        required_scopes: Iterable[str] = (),
        implied_scopes: Mapping[str, Iterable[str]] | None = None,
        public_metadata: bool = False,
        dpop: DpopPolicy | None = None,
    ) -> None:
        require_instance("resource", resource, str, "a str")
        require_list("authorization_servers", authorization_servers, "https://auth.example.com", str)
        require_list("scopes", scopes, "files:read", str)
        scope_set("scopes", scopes)
        require_booleans(public_metadata=public_metadata)
        self.required_scopes = scope_set("required_scopes", required_scopes)
        """The scopes that every request needs."""
        self._implications = ScopeImplications(implied_scopes)
        self.metadata_document = ResourceMetadata(resource, public=public_metadata)
        self._binding = None if dpop is None else TokenBinding(dpop, resource)
        self._schemes = ("Bearer",) if self._binding is None else self._binding.schemes
        self._cache: TokenCache | None = None
        if not isinstance(validate, TokenValidator) and not hasattr(validate, "__len__"):
            # Neither a validator nor a list of them.
            require_callable("validate", validate, ("token",))
        if callable(validate):
            self._validate: Mapping[str, Validate] = dict.fromkeys(self._schemes, validate)
        else:
            router = validate if isinstance(validate, TokenValidator) else IssuerRouter(validate)
            authorization_servers = authorization_servers or router.issuers
            caches = {each: router.for_resource(resource, bound=each == "DPoP") for each in self._schemes}
            self._cache = caches.get("Bearer")
            self._validate = {scheme: cache.validated for scheme, cache in caches.items()}
        if not authorization_servers:
            message = "`authorization_servers` is empty; pass the URL of at least one, or use ApiKeys if there is none"
            raise UsageError(message)
        supported = [*dict.fromkeys([*scopes, *sorted(self.required_scopes)])]
        self._challenged = " ".join(sorted(self.required_scopes) or scopes)
        more: Mapping[str, Any] = {} if self._binding is None else self._binding.metadata
        self.metadata_document.complete(authorization_servers, supported, more)
        self._unavailable = RareWarning("access tokens cannot be validated: %s")
        self._unknown = RareWarning("the scopes of %s are not known: `validate` must return a Caller with its scopes")

    @property
    def metadata(self) -> Mapping[str, Any]:
        """The metadata of the server (RFC 9728, section 2), for an application that serves them itself."""
        return self.metadata_document.members

    @property
    def path(self) -> str:
        """The path of the metadata on the host of the resource (RFC 9728, section 3.1)."""
        return self.metadata_document.path

    def caller(self, environ: Mapping[str, Any]) -> Caller:
        """Return the sender of a request. Raise ``Rejection`` (400, 401, 403, 503)."""
        header: str | None = environ.get("HTTP_AUTHORIZATION")
        if header is not None and self._cache is not None and header.startswith("Bearer "):
            # A token that was valid a moment ago is well-formed.
            caller = self._cache.find(header[7:])
            if caller is not None:
                return caller
        credentials = header or ""
        scheme = self._scheme(credentials)
        return self._validated(environ, scheme, self._token(credentials, scheme))

    def _scheme(self, header: str) -> str:
        """Return the scheme of a header with a token. Raise ``Rejection``."""
        used = header.strip().partition(" ")[0].lower()
        found = next((each for each in self._schemes if each.lower() == used), None)
        if found is not None:
            return found
        # There is no error if no token came, or none of this scheme (RFC 6750, section 3.1).
        way = " or ".join(f"'Authorization: {each} ...'" for each in self._schemes)
        raise self._rejection(401, f"the access token is missing; send it as {way}", self._schemes)

    def _token(self, header: str, scheme: str) -> str:
        """Return the token in a header (RFC 6750, section 2.1). Raise ``Rejection``."""
        found = _CREDENTIALS.fullmatch(header.strip()) if len(header) <= _MAX_SIZE else None
        if found is None:
            text = f"Authorization must be {scheme!r} and one token of at most {_MAX_SIZE} characters"
            raise self._rejection(400, text, (scheme,), error="invalid_request")
        return found[1]

    def _validated(self, environ: Mapping[str, Any], scheme: str, token: str) -> Caller:
        """Return the caller with a token, whose proof is checked. Raise ``Rejection``."""
        try:
            caller = _caller(self._validate[scheme](token))
            if self._binding is None:
                check_bearer(caller)
            else:
                self._binding.check(environ, scheme, token, caller)
        except MissingScope as error:
            text = "the access token lacks a scope that this request requires"
            raise self._rejection(403, text, (scheme,), error="insufficient_scope", scope=error.scope) from None
        except (InvalidToken, InvalidProof) as error:
            write_log("info", "a request is answered with 401: %s", error)
            code = "invalid_token" if isinstance(error, InvalidToken) else "invalid_dpop_proof"
            raise self._rejection(401, str(error), (scheme,), error=code) from None
        except ValidatorUnavailable as error:
            self._unavailable.log(error)
            text = "access tokens cannot be validated now; try again"
            raise Rejection(503, text, headers=[("Retry-After", str(_RETRY_AFTER))]) from None
        return caller

    def require(self, caller: Caller | None, needed: frozenset[str] = NO_SCOPES) -> None:
        """Raise ``Rejection`` (403) for a caller without these scopes, and those of every request, with all in one go."""
        granted = None if caller is None else caller.scopes
        if granted is not None and needed <= granted and self.required_scopes <= granted:
            return
        needed = self.required_scopes | needed
        if not needed:
            return
        if granted is None:
            self._unknown.log(caller)
        elif self._implications.cover(granted, needed):
            return
        scopes = " ".join(sorted(needed))
        text = f"this request needs an access token with the scope {scopes}"
        bound = self._binding is not None and caller is not None and is_bound(caller)
        raise self._rejection(
            403, text, ("DPoP" if bound else self._schemes[0],), error="insufficient_scope", scope=scopes
        )

    def _rejection(
        self, status: int, reason: str, schemes: Sequence[str], *, error: str = "", scope: str = ""
    ) -> Rejection:
        parameters = {
            "error": error,
            "error_description": reason if error else "",
            "scope": "" if error == "invalid_request" else scope or self._challenged,
            "resource_metadata": self.metadata_document.url,
        }
        challenges: list[tuple[str, str]] = []
        for scheme in schemes:
            if scheme == "DPoP" and self._binding is not None:
                parameters["algs"] = self._binding.algorithms
            text = ", ".join(f'{name}="{_quoted(value)}"' for name, value in parameters.items() if value)
            challenges.append(("WWW-Authenticate", f"{scheme} {text}"))
        return Rejection(status, reason, headers=challenges)


def _caller(found: Caller | str | None) -> Caller:
    """Return the caller that a validator has found. Raise ``InvalidToken`` if there is none."""
    if found is None:
        text = "the access token is invalid or expired"
        raise InvalidToken(text)
    return Caller(found) if isinstance(found, str) else found


def _quoted(text: str) -> str:
    return "".join(char for char in text if " " <= char <= "~" and char not in {'"', "\\"})
