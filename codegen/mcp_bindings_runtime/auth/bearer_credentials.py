"""Bearer tokens for the requests to one MCP server: used until they expire, refreshed early, replaced after a refusal.

One thread obtains a token while the others wait for it; no lock is held during a request or a stream.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from time import monotonic, time
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from ..connection.auto_reset_event import AutoResetEvent
from ..errors import ConnectionClosed, HttpError, OAuthError, RequestTimeout, UsageError
from ..http.client.credentials import Authenticator, ConnectionSettings, Credentials
from ..logs import write_log
from .fetcher import Fetcher
from .flow import Flow, T, run_flow
from .rules import rules_of
from .token_request import Grant, refresh
from .urls import canonical_resource, is_loopback, url_origin

if TYPE_CHECKING:
    from ..http.client.exchange import Exchange
    from .client_identity import ClientIdentity
    from .rules import AuthorizationRules
    from .token_store import TokenStore

_EARLY: Final = 60.0
"""Seconds before its expiry in which a token is refreshed."""
_STEP_UPS: Final = 2
"""Limit on the authorizations for more scopes that one request causes."""
_REPLACEMENTS: Final = 3
"""Limit on the tokens that one request causes to be replaced: one of the store, a refreshed one, a new one."""
_MINUTE: Final = 60.0
_Source: TypeAlias = Literal["store", "refresh", "authorization"]


class AuthorizationContext(NamedTuple):
    """The circumstances in which a token is requested."""

    server_url: str
    rules: AuthorizationRules
    metadata_url: str | None
    """``resource_metadata`` of the challenge."""
    scope: str | None
    """``scope`` of the challenge."""
    before: Grant | None
    """The grant that was refused or has expired."""
    wider: bool
    """Whether the scopes of that grant did not suffice."""
    exchange: Exchange
    fetcher: Fetcher

    def run(self, flow: Flow[T]) -> T:
        """Return the result of a flow, whose requests are sent within the deadline of the exchange."""
        return run_flow(flow, lambda request: self.fetcher.send(request, self.exchange))


class TokenAuthenticator(Authenticator, ABC):
    """An ``auth=`` that obtains access tokens by one grant type. It may be used for any number of clients and servers."""

    def __init__(self, store: TokenStore, *, allow_private: bool, authorizations: int) -> None:
        self.store = store
        self._allow_private = allow_private
        self._authorizations = authorizations
        self._lock = Lock()
        self._credentials: dict[str, BearerCredentials] = {}

    @abstractmethod
    def obtain(self, context: AuthorizationContext) -> Grant:
        """Return a new grant. Raise ``OAuthError``, and as ``Wire.open``."""

    def forget_client(self, client: ClientIdentity, fault: OAuthError) -> bool:
        """Forget a registration that the authorization server refuses as unknown; return whether another one may help."""
        return False

    def credentials(self, server: ConnectionSettings) -> BearerCredentials:
        """See ``Authenticator.credentials``. Clients of the same server share them."""
        url = canonical_resource(server.url)
        if not url.startswith("https:") and not is_loopback(url):
            text = f"access tokens are not sent over plain HTTP; use https, got {url}"
            raise UsageError(text)
        with self._lock:
            found = self._credentials.get(url)
            if found is None:
                fetcher = Fetcher(server, allow_private=self._allow_private)
                found = BearerCredentials(self, server, fetcher, RateLimit(self._authorizations))
                self._credentials[url] = found
        return found

    def _fetcher(self, server: ConnectionSettings) -> Fetcher:
        return Fetcher(server, allow_private=self._allow_private)


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


class BearerCredentials(Credentials):
    """The token of one MCP server."""

    def __init__(
        self, authenticator: TokenAuthenticator, server: ConnectionSettings, fetcher: Fetcher, limit: RateLimit
    ) -> None:
        self._authenticator = authenticator
        self._store = authenticator.store
        self._endpoint = server.url
        self._url = canonical_resource(server.url)
        self._origin = url_origin(server.url)
        self._rules = rules_of(server.facts)
        self._fetcher = fetcher
        self._limit = limit
        self._lock = Lock()
        self._grant: Grant | None = None
        self._headers: Mapping[str, str] = {}
        self._refresh_at = 0.0
        """Unix time from which the token is refreshed."""
        self._source: _Source = "store"
        """The origin of the current token."""
        self._loaded = False
        """Whether the store has been read."""
        self._renewal: _Renewal | None = None

    def headers(self, method: str, url: str, exchange: Exchange) -> Mapping[str, str]:
        """See ``Credentials.headers``."""
        if time() >= self._refresh_at:
            self._prepare(exchange)
        return self._headers if url == self._endpoint or url_origin(url) == self._origin else {}

    def renewed(
        self, method: str, url: str, exchange: Exchange, sent: Mapping[str, str], refusals: Sequence[HttpError]
    ) -> Mapping[str, str] | None:
        """See ``Credentials.renewed``: refresh or authorize after 401, authorize for more scopes after 403."""
        if url_origin(url) != self._origin:
            return None
        refusal = refusals[-1]
        # Nobody logs in for the end of a session.
        logs_in = method != "DELETE"
        challenge = _challenge_of(refusal)
        same = sum(each.status == refusal.status for each in refusals)
        if refusal.status == 403:
            if challenge.get("error") != "insufficient_scope" or same > _STEP_UPS or not logs_in:
                return None
            self._renew(exchange, sent, lambda: self._authorize(exchange, challenge, wider=True))
        else:
            if same > _REPLACEMENTS or (same > 1 and self._source == "authorization" and self._headers == sent):
                return None
            refreshes = same == 1 or self._source == "store"
            if not logs_in and not (refreshes and self._grant is not None and self._grant.refresh_token):
                return None
            self._renew(
                exchange, sent, lambda: self._replace(exchange, challenge, sent, refreshes=refreshes, logs_in=logs_in)
            )
        return self._headers

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
                self._headers = {}
            return
        if self._renewal is not None and _is_valid(grant, now):
            # Another thread refreshes it, and it is good for some seconds more.
            return
        self._renew(exchange, self._headers, lambda: self._refresh_early(exchange, grant))

    def _refresh_early(self, exchange: Exchange, grant: Grant) -> None:
        try:
            self._refresh(exchange, grant)
        except (OAuthError, ConnectionClosed, RequestTimeout) as fault:
            # The server is unavailable, or the user has withdrawn the grant: then the response is a challenge.
            write_log("info", "the access token could not be refreshed: %s", fault)
            if not _is_valid(grant, time()):
                self._headers = {}
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
        if stored is not None and _headers_of(stored) != sent and _is_valid(stored, time()):
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
                self._authenticator.forget_client(grant.client, fault)
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
        context = AuthorizationContext(
            self._url,
            self._rules,
            challenge.get("resource_metadata"),
            challenge.get("scope"),
            self._grant,
            wider,
            exchange,
            self._fetcher,
        )
        grant = self._authenticator.obtain(context)
        self._save(grant)
        self._use(grant, "authorization")

    def _use(self, grant: Grant, source: _Source) -> None:
        self._grant = grant
        self._source = source
        self._headers = _headers_of(grant)
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
        return stored_grant(self._store, self._url)

    def _save(self, grant: Grant) -> None:
        save_grant(self._store, self._url, grant)

    # One thread at a time.

    def _renew(self, exchange: Exchange, sent: Mapping[str, str], work: Callable[[], None]) -> None:
        """Call ``work`` unless the headers are others than those ``sent``; wait if another thread is doing so."""
        while True:
            with self._lock:
                if self._headers != sent:
                    return
                renewal = self._renewal
                mine = renewal is None
                if renewal is None:
                    renewal = self._renewal = _Renewal()
            if mine:
                self._run(renewal, work)
                return
            if self._wait(renewal, exchange):
                return

    def _run(self, renewal: _Renewal, work: Callable[[], None]) -> None:
        try:
            work()
            renewal.finished = True
        except OAuthError as fault:
            renewal.failure = fault
            raise
        finally:
            with self._lock:
                self._renewal = None
            for each in renewal.waiting:
                each.set()

    def _wait(self, renewal: _Renewal, exchange: Exchange) -> bool:
        """Wait for another thread; return False if its call has ended before the renewal."""
        event = exchange.new_event()
        if event is None:
            raise exchange.closed()
        with self._lock:
            if self._renewal is not renewal:
                return False
            renewal.waiting.append(event)
        left = exchange.remaining()
        woken = event.wait(-1 if left is None else left)
        if exchange.ended:
            raise exchange.closed()
        if not woken:
            raise exchange.timed_out()
        if renewal.failure is not None:
            # Each thread gets a traceback of its own.
            failure = renewal.failure
            raise OAuthError(*failure.args) from failure
        return renewal.finished


class _Renewal:
    """A token that one thread obtains and others wait for."""

    __slots__ = ("failure", "finished", "waiting")

    def __init__(self) -> None:
        self.waiting: list[AutoResetEvent] = []
        self.failure: OAuthError | None = None
        self.finished = False


def stored_grant(store: TokenStore, url: str) -> Grant | None:
    """Return the grant for an MCP server in a store. The entry without an issuer names the server's issuer."""
    place = store.get("", url)
    value = None if place is None else store.get(place["issuer"], url)
    if value is None:
        return None
    try:
        return Grant.from_json(value)
    except (KeyError, TypeError):
        # Of another release.
        return None


def save_grant(store: TokenStore, url: str, grant: Grant) -> None:
    """Store the grant for an MCP server."""
    store.put(grant.issuer, url, grant.to_json())
    store.put("", url, {"issuer": grant.issuer})


def _headers_of(grant: Grant) -> Mapping[str, str]:
    return {"Authorization": f"Bearer {grant.access_token}"}


def _is_valid(grant: Grant, at: float) -> bool:
    return grant.expires_at is None or at < grant.expires_at


def _refresh_time(expires_at: float, now: float) -> float:
    # Short-lived tokens are used for some time, too.
    return expires_at - min(_EARLY, max(0.0, expires_at - now) / 4)


def _challenge_of(refusal: HttpError) -> Mapping[str, str]:
    """Return the parameters of the bearer challenge; empty if there is none."""
    for challenge in refusal.challenges:
        if challenge.scheme.lower() in {"bearer", "dpop"}:
            return challenge.parameters
    return {}
