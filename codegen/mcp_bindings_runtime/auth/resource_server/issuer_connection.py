"""``IssuerConnection``: sends the requests of a resource server to its authorization server."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Any, Final, TypeVar

from ...distribution import install_command
from ...errors import McpError
from ..discovery import issuer_metadata
from ..flow import Flow, run_flow, text_of
from .token_validator import ValidatorUnavailable

if TYPE_CHECKING:
    from ..fetcher import Fetcher

T = TypeVar("T")

_SECONDS: Final = 10.0
"""Seconds in which an authorization server has to answer all requests that validate one token."""
_CONNECT_SECONDS: Final = 5.0


class IssuerConnection:
    """Sends requests to an authorization server, by the rules of ``Fetcher`` against server-side request forgery.

    Its metadata may name hosts with private addresses only if it has one itself, or with ``allow_private``. Needs urllib3,
    which is imported with the first request.
    """

    def __init__(self, issuer: str, *, allow_private: bool) -> None:
        self.issuer = issuer
        self._allow_private = allow_private
        self._metadata: dict[str, Any] | None = None
        self._fetcher: Fetcher | None = None

    def run(self, flow: Flow[T]) -> T:
        """Return the result of a flow. Raise ``ValidatorUnavailable`` if it fails."""
        fetcher = self._fetcher or self._new_fetcher()
        from ...http.client.exchange import Exchange

        exchange = Exchange("the check of an access token", monotonic() + _SECONDS)
        try:
            return run_flow(flow, lambda request: fetcher.send(request, exchange))
        except ValidatorUnavailable:
            raise
        except McpError as fault:
            raise ValidatorUnavailable(str(fault)) from fault

    def endpoint(self, member: str) -> Flow[str]:
        """Return a URL in the metadata of the authorization server, such as ``jwks_uri``. Raise ``OAuthError``."""
        if self._metadata is None:
            members = yield from issuer_metadata(self.issuer)
            if members.get("issuer") != self.issuer:
                # Character by character (RFC 8414, section 3.3).
                text = f"the metadata of {self.issuer} must name it as issuer, got {str(members.get('issuer'))[:200]!r}"
                raise ValidatorUnavailable(text)
            self._metadata = members
        url = text_of(self._metadata, member)
        if url is None:
            text = f"the metadata of the authorization server {self.issuer} have no {member!r}; pass the URL yourself"
            raise ValidatorUnavailable(text)
        return url

    def _new_fetcher(self) -> Fetcher:
        try:
            from ...http.client.credentials import ConnectionSettings
            from ..fetcher import Fetcher
        except ModuleNotFoundError as missing:
            if (missing.name or "").partition(".")[0] != "urllib3":
                raise
            message = f"the check of access tokens needs urllib3: {install_command('http')}"
            raise ValidatorUnavailable(message) from missing
        settings = ConnectionSettings(
            self.issuer, facts=None, tls=None, proxy=None, proxy_headers=None, connect_timeout=_CONNECT_SECONDS
        )
        self._fetcher = Fetcher(settings, allow_private=self._allow_private)
        return self._fetcher
