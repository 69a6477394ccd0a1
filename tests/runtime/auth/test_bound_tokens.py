"""Servers that accept access tokens bound to a key (DPoP): each theft and each forgery is shown, and refused."""

from __future__ import annotations

import json
import urllib.request
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import closing, contextmanager
from hashlib import sha256
from http.client import HTTPConnection
from time import time
from typing import Any

import pytest

pytest.importorskip("joserfc", reason="needs joserfc; run: pip install 'mcp-bindings[oauth]'")

from joserfc import jwt
from joserfc.jwk import ECKey, OctKey, RSAKey
from joserfc.jws import JWSRegistry
from mcp_bindings import Authorization, Caller, OAuth
from mcp_bindings.testing import TokenIssuer
from mcp_bindings_runtime.errors import UsageError
from mcp_bindings_runtime.http.server.http_server import make_server
from support.authorization_server import authorization_server
from support.ports import port_for_a_server
from support.proof_judge import ProofJudge
from support.raw_http_client import NEW, PLAIN, Answer, Wire, endpoint, modern, request
from support.revisions import REVISIONS
from support.scripted_peers import PATIENCE, package

RESOURCE = "https://mcp.example/mcp"
ISSUER = TokenIssuer()
KEY = ECKey.generate_key("P-256")


def server_of(revision: str, **options: Any) -> Any:
    server = package(revision).Server("s", "1")
    server.tool(lambda context: context.principal, name="whoami", **options)
    return server


@contextmanager
def bound_server(policy: Any = "accepted", **options: Any) -> Iterator[Wire]:
    authorization = Authorization(ISSUER.validator(), resource=RESOURCE, dpop=policy)
    with endpoint(server_of(NEW, **options), authorization=authorization) as wire:
        yield wire


def token_for(key: Any = KEY, **options: Any) -> str:
    claims = {"cnf": {"jkt": key.thumbprint()}} if key is not None else {}
    return ISSUER.token("ada", resource=RESOURCE, claims=claims, **options)


def digest(token: str) -> str:
    return urlsafe_b64encode(sha256(token.encode()).digest()).rstrip(b"=").decode()


def proof(
    token: str, key: Any = KEY, *, sign_with: Any = None, header: Any = None, age: int = 0, **changes: Any
) -> str:
    claims = {"jti": f"proof-{time()}", "htm": "POST", "htu": RESOURCE, "iat": int(time()) - age, "ath": digest(token)}
    head = {"typ": "dpop+jwt", "alg": "ES256", "jwk": key.as_dict(private=False), **(header or {})}
    present = {name: value for name, value in {**claims, **changes}.items() if value is not None}
    head = {name: value for name, value in head.items() if value is not None}
    registry = JWSRegistry(algorithms=[head["alg"]])
    registry.max_header_length = 10_000
    return jwt.encode(head, present, sign_with or key, registry=registry)


def send(wire: Wire, token: str, sent: str | None, scheme: str = "DPoP") -> Answer:
    whole, headers = modern(request("tools/call", 1, {"name": "whoami"}))
    proofs = {} if sent is None else {"DPoP": sent}
    return wire.post(whole, **headers, Authorization=f"{scheme} {token}", **proofs)


def error_of(answer: Answer) -> str | None:
    challenge = answer.headers["www-authenticate"]
    assert challenge.startswith("DPoP ")
    assert 'algs="' in challenge
    return challenge.partition('error="')[2].partition('"')[0] or None


@pytest.mark.parametrize(
    "key", [KEY, ECKey.generate_key("P-384"), RSAKey.generate_key(2048)], ids=["256", "384", "RSA"]
)
def test_a_request_with_a_proof_is_accepted(key: Any) -> None:
    token = token_for(key)
    algorithm = "RS256" if key.key_type == "RSA" else {"P-256": "ES256", "P-384": "ES384"}[key.curve_name]
    with bound_server() as wire:
        for number in range(3):
            sent = proof(token, key, header={"alg": algorithm}, jti=str(number))
            assert send(wire, token, sent).text == "ada"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"htm": "GET"}, "another method"),
        ({"htm": None}, "another method"),
        ({"htu": "https://mcp.example/other"}, "another URL"),
        ({"htu": "https://evil.example/mcp"}, "another URL"),
        ({"htu": "http://mcp.example/mcp"}, "another URL"),
        ({"htu": "https://mcp.example:8443/mcp"}, "another URL"),
        ({"htu": None}, "another URL"),
        ({"htu": 1}, "another URL"),
        ({"ath": digest("another")}, "another access token"),
        ({"ath": None}, "another access token"),
        ({"age": 301}, "check the clocks"),
        ({"age": -400}, "check the clocks"),
        ({"iat": 10**400}, "check the clocks"),
        ({"iat": -(10**400)}, "check the clocks"),
        ({"iat": None}, "check the clocks"),
        ({"iat": "1"}, "check the clocks"),
        ({"jti": None}, "no `jti`"),
        ({"jti": ""}, "no `jti`"),
        ({"header": {"typ": "JWT"}}, "type dpop+jwt"),
        ({"header": {"typ": None}}, "type dpop+jwt"),
        ({"header": {"jwk": None}}, "public key"),
        ({"header": {"jwk": {"kty": "EC"}}}, "public key"),
        ({"header": {"jwk": KEY.as_dict(private=True)}}, "public key"),
        ({"sign_with": ECKey.generate_key("P-256")}, "signature"),
    ],
)
def test_a_proof_that_is_not_for_the_request_is_refused(changes: Any, reason: str) -> None:
    token = token_for()
    with bound_server() as wire:
        answer = send(wire, token, proof(token, **changes))
        assert (answer.status, error_of(answer)) == (401, "invalid_dpop_proof")
        assert reason in answer.headers["www-authenticate"]
        assert send(wire, token, proof(token)).status == 200


def test_the_same_url_may_be_written_in_several_ways() -> None:
    token = token_for()
    with bound_server() as wire:
        for url in ("HTTPS://MCP.example/mcp", "https://mcp.example:443/mcp", f"{RESOURCE}/", f"{RESOURCE}?a=1#b"):
            assert send(wire, token, proof(token, htu=url)).status == 200, url


def test_headers_of_the_request_do_not_say_what_its_url_is() -> None:
    token = token_for()
    authorization = Authorization(ISSUER.validator(), resource=RESOURCE, dpop="accepted")
    with endpoint(server_of(NEW), authorization=authorization, allowed_hosts=["*"]) as wire:
        whole, headers = modern(request("tools/call", 1, {"name": "whoami"}))
        sent = proof(token, htu="https://evil.example/mcp")
        forged = {"Host": "evil.example", "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https"}
        answer = wire.post(whole, **headers, Authorization=f"DPoP {token}", DPoP=sent, **forged)
        assert (answer.status, error_of(answer)) == (401, "invalid_dpop_proof")


@pytest.mark.parametrize("sent", [None, "", "a.b.c", "x" * 9000])
def test_what_is_no_proof_is_refused(sent: str | None) -> None:
    token = token_for()
    with bound_server() as wire:
        answer = send(wire, token, sent)
        assert (answer.status, error_of(answer)) == (401, "invalid_dpop_proof")
        two = f"{proof(token)}, {proof(token)}"
        assert error_of(send(wire, token, two)) == "invalid_dpop_proof"


def test_a_shared_secret_is_no_key() -> None:
    token = token_for()
    secret = OctKey.generate_key(256)
    sent = proof(token, header={"alg": "HS256", "jwk": secret.as_dict(private=True)}, sign_with=secret)
    with bound_server() as wire:
        assert error_of(send(wire, token, sent)) == "invalid_dpop_proof"


def test_a_proof_is_accepted_once() -> None:
    token = token_for()
    sent = proof(token)
    with bound_server() as wire:
        assert send(wire, token, sent).status == 200
        answer = send(wire, token, sent)
        assert (answer.status, error_of(answer)) == (401, "invalid_dpop_proof")
        assert "used before" in answer.headers["www-authenticate"]


def check_refusal_as_bearer(answer: Answer) -> None:
    assert answer.status == 401
    reason = 'Bearer error="invalid_token", error_description="the access token is bound'
    assert reason in answer.headers["www-authenticate"]


def test_a_stolen_token_is_useless_without_its_key() -> None:
    token, thief = token_for(), ECKey.generate_key("P-256")
    with bound_server() as wire:
        answer = send(wire, token, proof(token, thief))
        assert (answer.status, error_of(answer)) == (401, "invalid_token")
        check_refusal_as_bearer(send(wire, token, None, "Bearer"))
        # A token that was used in the right way before is no bearer token either.
        assert send(wire, token, proof(token)).status == 200
        assert send(wire, token, None, "Bearer").status == 401


def test_a_bearer_token_with_a_proof_is_not_bound() -> None:
    token = token_for(None)
    with bound_server() as wire:
        assert error_of(send(wire, token, proof(token))) == "invalid_token"
        assert send(wire, token, None, "Bearer").text == "ada"


def test_bearer_tokens_are_refused_where_bound_ones_are_required() -> None:
    token = token_for(None)
    with bound_server("required") as wire:
        answer = send(wire, token, None, "Bearer")
        assert (answer.status, error_of(answer)) == (401, None)
        assert send(wire, token_for(), proof(token_for())).status in {200, 401}
        bound = token_for()
        assert send(wire, bound, proof(bound)).text == "ada"


def test_expired_and_foreign_tokens_are_refused_with_a_proof_too() -> None:
    with bound_server() as wire:
        for token in (token_for(expires_in=-60), TokenIssuer().token("ada", resource=RESOURCE)):
            assert error_of(send(wire, token, proof(token))) == "invalid_token"


def test_a_scope_that_is_missing_is_named_in_the_scheme_of_the_caller() -> None:
    token = token_for()
    with bound_server(scopes=["files:write"]) as wire:
        answer = send(wire, token, proof(token))
        assert (answer.status, error_of(answer)) == (403, "insufficient_scope")
        assert 'scope="files:write"' in answer.headers["www-authenticate"]
        wider = token_for(scopes=["files:write"])
        assert send(wire, wider, proof(wider)).text == "ada"


@pytest.mark.parametrize("policy", ["accepted", "required"])
def test_clients_learn_what_is_possible(policy: str) -> None:
    with bound_server(policy) as wire:
        document = wire.ask("GET", path="/.well-known/oauth-protected-resource").json
        assert "ES256" in document["dpop_signing_alg_values_supported"]
        assert document.get("dpop_bound_access_tokens_required", False) is (policy == "required")
        whole, headers = modern(request("tools/call", 1, {"name": "whoami"}))
        connection = HTTPConnection("127.0.0.1", wire.port, timeout=PATIENCE)
        with closing(connection):
            connection.request("POST", "/mcp", json.dumps(whole), {**PLAIN, **headers})
            challenges = connection.getresponse().headers.get_all("WWW-Authenticate")
        assert challenges is not None
        schemes = [each.partition(" ")[0] for each in challenges]
        assert schemes == (["DPoP"] if policy == "required" else ["Bearer", "DPoP"])
        assert not any("error" in each for each in challenges)


def whose(token: str) -> Caller | None:
    """Return the caller with a token that is bound to a key."""
    return Caller("ada", claims={"cnf": {"jkt": KEY.thumbprint()}}) if token == "opaque" else None


def guard_with_a_function(policy: Any) -> Authorization:
    return Authorization(whose, resource=RESOURCE, authorization_servers=["https://as.example"], dpop=policy)


def test_a_function_may_say_to_which_key_a_token_is_bound() -> None:
    with endpoint(server_of(NEW), authorization=guard_with_a_function("accepted")) as wire:
        assert send(wire, "opaque", proof("opaque")).text == "ada"
        assert send(wire, "opaque", None, "Bearer").status == 401
        assert error_of(send(wire, "other", proof("other"))) == "invalid_token"


def test_without_the_option_a_bound_token_of_a_function_is_refused() -> None:
    with endpoint(server_of(NEW), authorization=guard_with_a_function(None)) as wire:
        check_refusal_as_bearer(send(wire, "opaque", None, "Bearer"))


@pytest.mark.parametrize("policy", ["yes", True, ""])
def test_another_policy_is_refused(policy: Any) -> None:
    with pytest.raises(UsageError, match="`dpop` must be 'accepted', 'required' or None"):
        Authorization(ISSUER.validator(), resource=RESOURCE, dpop=policy)


def test_a_resource_that_is_no_url_is_reported_with_the_option_too() -> None:
    with pytest.raises(UsageError, match="`resource` must be the URL of the endpoint"):
        Authorization(ISSUER.validator(), resource="nonsense", dpop="accepted")


def test_without_the_option_a_bound_token_is_refused() -> None:
    token = token_for()
    with bound_server(None) as wire:
        answer = send(wire, token, proof(token))
        assert answer.status == 401
        assert answer.headers["www-authenticate"].startswith("Bearer ")
        assert send(wire, token, None, "Bearer").status == 401


def visit(url: str) -> None:
    with urllib.request.urlopen(url, timeout=20) as response:
        response.read()


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("policy", ["accepted", "required"])
def test_our_client_uses_our_server(revision: str, policy: Any) -> None:
    """The authorization server of the tests binds the tokens; over HTTP+SSE, proofs are for two URLs."""
    proofs = ProofJudge()
    with authorization_server(proofs.before_tokens) as (issuer, judge):

        def whose(token: str) -> Caller | None:
            user = judge.validate(token)
            return user and Caller(user, claims={"cnf": {"jkt": proofs.keys[token]}})

        port = port_for_a_server()
        legacy = package(revision).revision.FACTS.only_sse
        url = f"http://127.0.0.1:{port}/{'sse' if legacy else 'mcp'}"
        guard = Authorization(whose, resource=url, authorization_servers=[issuer], dpop=policy)
        options: Any = {"port": port, "path": "/mcp", "authorization": guard, "grace": 1.0}
        with make_server([server_of(revision)], **options):
            auth = OAuth(dpop=True, open_url=visit)
            with package(revision).Client.http(url, auth=auth, timeout=PATIENCE) as client:
                assert [client.call_tool("whoami").text for _ in range(3)] == ["ada"] * 3
                judge.tokens.clear()
                assert client.call_tool("whoami").text == "ada"
        assert judge.requests["/authorize"] == 1
        assert proofs.refusals == []
