"""The circumstances of an authorization: the MCP server, its challenge, and the way to send requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .flow import Flow, T, run_flow

if TYPE_CHECKING:
    from ..http.client.exchange import Exchange
    from .fetcher import Fetcher
    from .proof_key import ProofKey
    from .rules import AuthorizationRules
    from .token_request import Grant


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
    proof_key: ProofKey | None = None
    """The key to which the token is to be bound; None for a bearer token."""

    def run(self, flow: Flow[T]) -> T:
        """Return the result of a flow, whose requests are sent within the deadline of the exchange."""
        return run_flow(flow, lambda request: self.fetcher.send(request, self.exchange))

    def earlier_scope(self) -> str | None:
        """Return the scopes that a wider grant has to keep; None if there are none."""
        return self.before.scope if self.wider and self.before is not None else None
