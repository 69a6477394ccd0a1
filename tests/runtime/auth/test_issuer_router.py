"""Servers with several authorization servers: each token is validated by its own, and users do not mix."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("joserfc", reason="needs joserfc; run: pip install 'mcp-bindings[oauth]'")

from mcp_bindings import Authorization, IntrospectionValidator
from mcp_bindings.testing import TokenIssuer
from mcp_bindings_runtime.auth.resource_server.issuer_router import IssuerRouter
from mcp_bindings_runtime.auth.resource_server.token_validator import InvalidToken
from mcp_bindings_runtime.errors import UsageError
from mcp_bindings_runtime.session.caller import Caller
from support.raw_http_client import NEW, endpoint, modern, request
from support.scripted_peers import package

RESOURCE = "https://mcp.example/mcp"
ONE, TWO = TokenIssuer("https://one.example"), TokenIssuer("https://two.example")


class Introspecting(IntrospectionValidator):
    """Answers from a table, and keeps what it is asked."""

    def __init__(self, issuer: str = "https://three.example") -> None:
        super().__init__(issuer, "me", "a secret")
        self.asked: list[str] = []

    def validate(self, token: str, audiences: frozenset[str]) -> Caller:
        self.asked.append(token)
        if token != "opaque":  # a token of a test
            text = "the access token is invalid, expired or revoked"
            raise InvalidToken(text)
        return Caller("ada", scopes=["files:read"])


def judged(router: IssuerRouter, token: str) -> Caller:
    return router.for_resource(RESOURCE).validated(token)


def test_users_of_different_issuers_are_different_principals() -> None:
    router = IssuerRouter([ONE.validator(), TWO.validator()])
    first = judged(router, ONE.token("ada", resource=RESOURCE, scopes=["a"]))
    second = judged(router, TWO.token("ada", resource=RESOURCE))
    assert (first.principal, second.principal) == ("https://one.example ada", "https://two.example ada")
    assert (first.scopes, first.client_id, first.claims["sub"]) == ({"a"}, "tests", "ada")
    assert first.expires_at is not None


def test_a_token_counts_only_with_the_keys_of_the_issuer_that_it_names() -> None:
    router = IssuerRouter([ONE.validator(), TWO.validator()])
    forged = ONE.token("ada", resource=RESOURCE, claims={"iss": TWO.issuer})
    with pytest.raises(InvalidToken, match="signature"):
        judged(router, forged)


@pytest.mark.parametrize("issuer", ["https://evil.example", "https://one.example/", None, 1, ["https://one.example"]])
def test_a_token_of_another_issuer_is_refused(issuer: Any) -> None:
    router = IssuerRouter([ONE.validator(), TWO.validator()])
    with pytest.raises(InvalidToken, match="names none of the issuers"):
        judged(router, ONE.token("ada", resource=RESOURCE, claims={"iss": issuer}))


def test_an_opaque_token_goes_to_the_server_that_is_asked_about_tokens_and_others_do_not() -> None:
    asked = Introspecting()
    router = IssuerRouter([ONE.validator(), asked])
    assert judged(router, "opaque").principal == "https://three.example ada"
    assert judged(router, ONE.token("ada", resource=RESOURCE)).principal == "https://one.example ada"
    for token in (TWO.token("ada", resource=RESOURCE), ONE.token("ada", resource="https://other.example/mcp")):
        with pytest.raises(InvalidToken):
            judged(router, token)
    # No server learns the tokens of another.
    assert asked.asked == ["opaque"]
    with pytest.raises(InvalidToken, match="names none of the issuers"):
        judged(IssuerRouter([ONE.validator()]), "opaque")


@pytest.mark.parametrize(
    ("validators", "message"),
    [
        ([], "one validator for each issuer"),
        ([ONE.validator(), ONE.validator()], "one validator for each issuer"),
        ([Introspecting(), Introspecting("https://four.example")], "may hold one IntrospectionValidator only"),
        (["https://one.example"], "`validate`"),
        ("https://one.example", "`validate`"),
    ],
)
def test_validators_that_cannot_be_told_apart_are_refused(validators: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Authorization(validators, resource=RESOURCE)


def test_clients_learn_all_authorization_servers() -> None:
    server = package(NEW).Server("s", "1")
    server.tool(lambda context: context.principal, name="whoami")
    authorization = Authorization([ONE.validator(), TWO.validator()], resource=RESOURCE)
    assert authorization.metadata["authorization_servers"] == [ONE.issuer, TWO.issuer]
    whole, headers = modern(request("tools/call", 1, {"name": "whoami"}))
    with endpoint(server, authorization=authorization) as wire:
        for issuer in (ONE, TWO):
            token = issuer.token("ada", resource=RESOURCE)
            assert wire.post(whole, **headers, Authorization=f"Bearer {token}").text == f"{issuer.issuer} ada"
        wrong = TokenIssuer("https://three.example").token("ada", resource=RESOURCE)
        assert wire.post(whole, **headers, Authorization=f"Bearer {wrong}").status == 401
