"""Values of ``auth=`` that obtain access tokens, and the options that all of them have."""

from __future__ import annotations

from inspect import Parameter, signature
from threading import Lock
from typing import Any, ClassVar, TypedDict

from ..errors import OAuthError, UsageError
from ..http.client.credentials import Authenticator, ConnectionSettings
from ..options import unknown_option_text
from ..validation import require_booleans, require_instance, require_strings
from .authorization_code import requested_scope
from .authorization_context import AuthorizationContext
from .discovery import AuthorizationServer, Discovery, ServerChoice, discover
from .fetcher import Fetcher
from .flow import Flow
from .proof_key import ALGORITHM, ProofKey
from .rules import AuthorizationRules, rules_of
from .token_credentials import RateLimit, TokenCredentials, TokenSource
from .token_store import MemoryTokens, TokenStore
from .urls import canonical_resource, is_loopback


class TokenOptions(TypedDict, total=False):
    """Options of all values of ``auth=`` that obtain access tokens."""

    scope: str | None
    """The scopes to request, separated by blanks, whatever the server says."""
    issuer: str | None
    """The authorization server: one of those that the MCP server names, or that of a server without metadata."""
    resource: str | None
    """The identifier of the MCP server, whatever its metadata say; they are not checked then."""
    store: TokenStore | None
    """The store of tokens; they are kept in memory by default."""
    allow_private: bool
    """Whether a public MCP server may name hosts with private addresses."""
    dpop: bool
    """Whether tokens are bound to a key, so that a stolen token is useless (RFC 9449); needs the extra ``oauth``."""
    without_resource_parameter: bool
    """Whether requests leave out ``resource``; a token may then be valid for other servers, too."""
    without_exact_issuer: bool
    """Whether issuers that differ by a slash at the end are taken for the same."""


class TokenAuthenticator(Authenticator, TokenSource):
    """An ``auth=`` that obtains access tokens by one grant type. It may be used for any number of clients and servers."""

    _options: ClassVar[type[Any]] = TokenOptions
    """The options that the constructor has besides its other parameters."""

    def __init__(
        self,
        *,
        authorizations: int,
        scope: str | None = None,
        issuer: str | None = None,
        resource: str | None = None,
        store: TokenStore | None = None,
        allow_private: bool = False,
        dpop: bool = False,
        without_resource_parameter: bool = False,
        without_exact_issuer: bool = False,
        **unknown: Any,
    ) -> None:
        if unknown:
            text = unknown_option_text(next(iter(unknown)), self._known_options())
            raise UsageError(text)
        require_strings(scope=scope, issuer=issuer, resource=resource)
        require_booleans(allow_private=allow_private, dpop=dpop)
        require_booleans(
            without_resource_parameter=without_resource_parameter, without_exact_issuer=without_exact_issuer
        )
        if store is not None:
            require_instance("store", store, TokenStore, "a TokenStore")
        super().__init__(MemoryTokens() if store is None else store, binds_tokens=dpop)
        self._scope = scope
        self._choice = ServerChoice(issuer, resource, without_resource_parameter, without_exact_issuer)
        self._allow_private = allow_private
        if self.binds_tokens:
            # This fails without the library, at once.
            ProofKey.generate()
        self._authorizations = authorizations
        self._lock = Lock()
        self._credentials: dict[tuple[str, AuthorizationRules], TokenCredentials] = {}
        self._limits: dict[str, RateLimit] = {}

    def credentials(self, server: ConnectionSettings) -> TokenCredentials:
        """See ``Authenticator.credentials``. Clients of the same server share them if the same rules hold for them."""
        url = canonical_resource(server.url)
        if not url.startswith("https:") and not is_loopback(url):
            text = f"access tokens are not sent over plain HTTP; use https, got {url}"
            raise UsageError(text)
        key = url, rules_of(server.facts)
        with self._lock:
            found = self._credentials.get(key)
            if found is None:
                limit = self._limits.setdefault(url, RateLimit(self._authorizations))
                found = self._credentials[key] = TokenCredentials(self, server, self._fetcher(server), limit)
        return found

    @classmethod
    def _known_options(cls) -> set[str]:
        """Return the names of all parameters of the constructor, with its options."""
        parameters = signature(cls).parameters.values()
        known = {each.name for each in parameters if each.kind is not Parameter.VAR_KEYWORD}
        return known.union(cls._options.__required_keys__, cls._options.__optional_keys__)

    def _fetcher(self, server: ConnectionSettings) -> Fetcher:
        return Fetcher(server, allow_private=self._allow_private)

    def _discover(self, context: AuthorizationContext) -> Flow[tuple[Discovery, str | None]]:
        """Return the authorization server, and the scopes to request."""
        discovery = yield from discover(
            context.server_url, context.rules, metadata_url=context.metadata_url, choice=self._choice
        )
        if self.binds_tokens:
            _check_proofs(discovery.server)
        scope = self._scope or requested_scope(context.scope, discovery, context.earlier_scope())
        return discovery, scope


def _check_proofs(server: AuthorizationServer) -> None:
    offered = server.proof_algorithms
    if offered is not None and ALGORITHM not in offered:
        text = f"{server.issuer} does not accept DPoP proofs by {ALGORITHM}, but by {', '.join(offered)[:200]}"
        raise OAuthError(text)


def checked_secret(client_id: str | None, client_secret: Any) -> str | None:
    """Return a client secret. Raise ``UsageError``, which does not show it, if it is no string, or without a client."""
    if client_secret is None:
        return None
    if client_id is None or not isinstance(client_secret, str):
        text = "`client_secret` must be a str, and needs `client_id`"
        raise UsageError(text)
    return client_secret
