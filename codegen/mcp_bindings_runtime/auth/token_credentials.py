"""Access tokens for the requests to one MCP server: used until they expire, refreshed early, replaced after a refusal.

One thread obtains a token while the others wait for it; no lock is held during a request or a stream.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from time import monotonic, time
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from ..errors import ConnectionClosed, HttpError, OAuthError, RequestTimeout
from ..http.client.credentials import ConnectionSettings, Credentials
from ..http.client.shared_renewal import SharedRenewal
from ..logs import write_log
from .authorization_context import AuthorizationContext
from .fetcher import Fetcher
from .flow import run_flow
from .proof_key import ProofKey, demands_nonce
from .rules import rules_of
from .stored_grants import save_grant, stored_grant
from .token_request import Grant, refresh
from .urls import canonical_resource, url_origin

if TYPE_CHECKING:
    from ..http.client.exchange import Exchange
    from .client_identity import ClientIdentity
    from .token_store import TokenStore

_EARLY: Final = 60.0
"""Seconds before its expiry in which a token is refreshed."""
_STEP_UPS: Final = 2
"""Limit on the logins for more scopes that one request causes."""
_REPLACEMENTS: Final = 3
"""Limit on the other tokens (from the store, a refresh or a login) that are tried after one request was refused."""
_MINUTE: Final = 60.0
_Place: TypeAlias = Literal["store", "refresh", "authorization"]


_NO_PARAMETERS: Final[Mapping[str, str]] = {}


class TokenSource(ABC):
    """Obtains access tokens by one grant type."""

    def __init__(self, store: TokenStore, *, binds_tokens: bool) -> None:
        self.store = store
        self.binds_tokens = binds_tokens
        """Whether tokens are bound to a key (DPoP)."""
        self.binding_advice = "pass `dpop=True`"
        """Advice for the user of a server that accepts bound tokens only."""

    @abstractmethod
    def obtain(self, context: AuthorizationContext) -> Grant:
        """Return a new grant. Raise ``OAuthError``, and as ``Wire.open``."""

    def forget_client(self, client: ClientIdentity, fault: OAuthError) -> bool:
        """Forget a registration that the authorization server refuses as unknown; return whether another one may help."""
        return False


class RateLimit:
    """A limit on authorizations per minute: a server could otherwise open one page after another."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._times: deque[float] = deque()

    def count(self, url: str) -> None:
        """Count an authorization. Raise ``OAuthError`` beyond the limit."""
        now = monotonic()
        while self._times and now - self._times[0] > _MINUTE:
            self._times.popleft()
        if len(self._times) >= self._limit:
            text = f"{url} caused {self._limit} authorizations within a minute; no further one is started"
            raise OAuthError(text)
        self._times.append(now)


class _Token(NamedTuple):
    """An access token, and the headers with it."""

    grant: Grant | None
    """None before the first token, or once it has expired."""
    headers: Mapping[str, str]
    """Without a proof."""

    def is_in(self, sent: Mapping[str, str]) -> bool:
        """Return whether headers contain this token, or none if there is none."""
        return self.headers.get("Authorization") == sent.get("Authorization")


_NO_TOKEN: Final = _Token(None, {})


class TokenCredentials(Credentials):
    """The token of one MCP server."""

    def __init__(self, source: TokenSource, server: ConnectionSettings, fetcher: Fetcher, limit: RateLimit) -> None:
        self._source = source
        self._store = source.store
        self._endpoint = server.url
        self._url = canonical_resource(server.url)
        self._origin = url_origin(server.url)
        self._rules = rules_of(server.facts)
        self._fetcher = fetcher
        self._limit = limit
        self._lock = Lock()
        self._token = _NO_TOKEN
        self._grant: Grant | None = None
        """The last grant, which may have expired."""
        self._refresh_at = 0.0
        """Unix time from which the token is refreshed."""
        self._obtained_from: _Place = "store"
        self._loaded = False
        """Whether the store has been read."""
        self._renewal = SharedRenewal(OAuthError)

    def headers(self, method: str, url: str, exchange: Exchange) -> Mapping[str, str]:
        """See ``Credentials.headers``."""
        if time() >= self._refresh_at:
            self._prepare(exchange)
        if url != self._endpoint and url_origin(url) != self._origin:
            return {}
        return self._headers(method, url)

    def _headers(self, method: str, url: str) -> Mapping[str, str]:
        grant, headers = self._token
        if grant is None or grant.proof_key is None:
            return headers
        return {**headers, "DPoP": grant.proof_key.proof(method, url, grant.access_token)}

    def read_response(self, url: str, headers: Mapping[str, str]) -> None:
        """See ``Credentials.read_response``: keep the nonce of the server."""
        grant = self._token.grant
        if grant is not None and grant.proof_key is not None and url_origin(url) == self._origin:
            grant.proof_key.read_response(url, headers)

    def renewed(
        self, method: str, url: str, exchange: Exchange, sent: Mapping[str, str], refusals: Sequence[HttpError]
    ) -> Mapping[str, str] | None:
        """See ``Credentials.renewed``: refresh or authorize after 401, authorize for more scopes after 403."""
        if url_origin(url) != self._origin:
            return None
        nonces = [_demands_nonce(each) for each in refusals]
        if nonces[-1] and "DPoP" in sent:
            # A second one in a row is final.
            return None if nonces[-2:] == [True, True] else self._headers(method, url)
        others = [each for each, nonce in zip(refusals, nonces, strict=True) if not nonce]
        if not self._replaces(method, exchange, sent, others or refusals):
            return None
        return self._headers(method, url)

    def _replaces(
        self, method: str, exchange: Exchange, sent: Mapping[str, str], refusals: Sequence[HttpError]
    ) -> bool:
        """Replace a refused token; return False if the last refusal is final."""
        refusal = refusals[-1]
        # Nobody logs in for the end of a session.
        logs_in = method != "DELETE"
        challenge = self._challenge_of(refusal)
        same = sum(each.status == refusal.status for each in refusals)
        if refusal.status == 403:
            if challenge.get("error") != "insufficient_scope" or same > _STEP_UPS or not logs_in:
                return False
            self._renew(exchange, sent, lambda: self._authorize(exchange, challenge, wider=True))
            return True
        authorized = self._obtained_from == "authorization"
        if same > _REPLACEMENTS or (same > 1 and authorized and self._token.is_in(sent)):
            return False
        refreshes = same == 1 or self._obtained_from == "store"
        if not logs_in and not (refreshes and self._grant is not None and self._grant.refresh_token):
            return False
        self._renew(
            exchange, sent, lambda: self._replace(exchange, challenge, sent, refreshes=refreshes, logs_in=logs_in)
        )
        return True

    def _challenge_of(self, refusal: HttpError) -> Mapping[str, str]:
        """Return the parameters of the challenge for our kind of token; empty if there is none."""
        found = {each.scheme.lower(): each.parameters for each in reversed(refusal.challenges)}
        if "dpop" in found and "bearer" not in found and not self._source.binds_tokens:
            text = f"{self._url} accepts only tokens that are bound to a key (DPoP); {self._source.binding_advice}"
            raise OAuthError(text)
        kinds = ("dpop", "bearer") if self._source.binds_tokens else ("bearer", "dpop")
        return next((found[kind] for kind in kinds if kind in found), _NO_PARAMETERS)

    # The token.

    def _prepare(self, exchange: Exchange) -> None:
        """Load the token from the store, or refresh it; without one the request is sent as it is, to get a challenge."""
        if not self._loaded:
            with self._lock:
                if not self._loaded:
                    self._load()
        now = time()
        grant = self._grant
        if grant is None or now < self._refresh_at:
            return
        if grant.refresh_token is None:
            if not _is_valid(grant, now):
                self._token = _NO_TOKEN
            return
        if self._renewal.is_running and _is_valid(grant, now):
            # Another thread refreshes it, and it is good for some seconds more.
            return
        self._renew(exchange, self._token.headers, lambda: self._refresh_early(exchange, grant))

    def _refresh_early(self, exchange: Exchange, grant: Grant) -> None:
        try:
            self._refresh(exchange, grant)
        except (OAuthError, ConnectionClosed, RequestTimeout) as fault:
            # The server is unavailable, or the user has withdrawn the grant: then the response is a challenge.
            write_log("info", "the access token could not be refreshed: %s", fault)
            if not _is_valid(grant, time()):
                self._token = _NO_TOKEN
            self._refresh_at = time() + _EARLY / 2

    def _replace(
        self,
        exchange: Exchange,
        challenge: Mapping[str, str],
        sent: Mapping[str, str],
        *,
        refreshes: bool,
        logs_in: bool,
    ) -> None:
        """Obtain another token after a refusal: from the store, by the refresh token, or by another authorization."""
        stored = self._stored()
        if stored is not None and not _token_of(stored).is_in(sent) and _is_valid(stored, time()):
            # Another process has obtained it.
            self._use(stored, "store")
            return
        grant = self._grant
        if refreshes and grant is not None and grant.refresh_token is not None:
            try:
                self._refresh(exchange, grant)
            except OAuthError as fault:
                if fault.error is None or not logs_in:
                    # The authorization server has not decided.
                    raise
                write_log("info", "the refresh token is not accepted: %s", fault)
                self._source.forget_client(grant.client, fault)
            else:
                return
        self._authorize(exchange, challenge, wider=False)

    def _refresh(self, exchange: Exchange, grant: Grant) -> None:
        with self._store.lock():
            stored = self._stored()
            if stored is not None and stored.access_token != grant.access_token:
                # Another process has refreshed it. Its refresh token has replaced ours.
                grant = stored
                if _is_valid(stored, time() + _EARLY):
                    self._use(stored, "refresh")
                    return
            refreshed = run_flow(refresh(grant), lambda request: self._fetcher.send(request, exchange))
            self._save(refreshed)
        self._use(refreshed, "refresh")

    def _authorize(self, exchange: Exchange, challenge: Mapping[str, str], *, wider: bool) -> None:
        self._limit.count(self._url)
        key = None
        if self._source.binds_tokens:
            key = (self._grant.proof_key if self._grant is not None else None) or ProofKey.generate()
        context = AuthorizationContext(
            self._url,
            self._rules,
            challenge.get("resource_metadata"),
            challenge.get("scope"),
            self._grant,
            wider,
            exchange,
            self._fetcher,
            key,
        )
        grant = self._source.obtain(context)
        self._save(grant)
        self._use(grant, "authorization")

    def _use(self, grant: Grant, origin: _Place) -> None:
        self._grant = grant
        self._obtained_from = origin
        self._token = _token_of(grant)
        self.reads_responses = grant.proof_key is not None
        self._refresh_at = float("inf") if grant.expires_at is None else _refresh_time(grant.expires_at, time())

    # The store.

    def _load(self) -> None:
        grant = self._stored()
        if grant is None:
            # The first challenge leads on.
            self._refresh_at = float("inf")
        else:
            self._use(grant, "store")
        self._loaded = True

    def _stored(self) -> Grant | None:
        grant = stored_grant(self._store, self._url)
        if grant is not None and grant.proof_key is None and self._source.binds_tokens:
            # It would be a downgrade.
            return None
        return grant

    def _save(self, grant: Grant) -> None:
        save_grant(self._store, self._url, grant)

    def _renew(self, exchange: Exchange, sent: Mapping[str, str], work: Callable[[], None]) -> None:
        """Call ``work`` unless the headers are others than those ``sent``; wait if another thread is doing so."""
        self._renewal.run(exchange, lambda: self._token.is_in(sent), work)


def _token_of(grant: Grant) -> _Token:
    scheme = "Bearer" if grant.proof_key is None else "DPoP"
    return _Token(grant, {"Authorization": f"{scheme} {grant.access_token}"})


def _is_valid(grant: Grant, at: float) -> bool:
    return grant.expires_at is None or at < grant.expires_at


def _refresh_time(expires_at: float, now: float) -> float:
    # Short-lived tokens are used for some time, too.
    return expires_at - min(_EARLY, max(0.0, expires_at - now) / 4)


def _demands_nonce(refusal: HttpError) -> bool:
    return refusal.status == 401 and any(
        each.scheme.lower() == "dpop" and demands_nonce(each.parameters.get("error")) for each in refusal.challenges
    )
