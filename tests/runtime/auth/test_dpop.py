"""Tokens that are bound to a key (DPoP, RFC 9449), judged by servers that check each proof."""

from __future__ import annotations

import base64
import json
import sys
import traceback
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

pytest.importorskip("joserfc", reason="needs joserfc; run: pip install 'mcp-bindings[oauth]'")

from mcp_bindings import Authorization, ClientCredentials, DeviceLogin, FileTokens, MemoryTokens, OAuth, OAuthError
from mcp_bindings_runtime.auth.client_identity import ClientIdentity
from mcp_bindings_runtime.auth.discovery import AuthorizationServer
from mcp_bindings_runtime.auth.flow import FlowRequest, FlowResponse, run_flow
from mcp_bindings_runtime.auth.proof_key import ProofKey
from mcp_bindings_runtime.auth.stored_grants import save_grant, stored_grant
from mcp_bindings_runtime.auth.token_authenticator import _check_proofs
from mcp_bindings_runtime.auth.token_request import Grant, TokenTarget, request_tokens
from mcp_bindings_runtime.errors import HttpError, UsageError
from mcp_bindings_runtime.http.client.credentials import ConnectionSettings
from mcp_bindings_runtime.http.client.exchange import Exchange
from support.authorization_server import Client, Judge, authorization_server, protected_server
from support.proof_judge import ProofJudge, guarded_resource
from support.revisions import REVISIONS
from support.scripted_peers import PATIENCE, package

NEW = REVISIONS[-1]
HTTP_REVISIONS = [each for each in REVISIONS if not package(each).revision.FACTS.only_sse]


def principal_server(revision: str) -> Any:
    server = package(revision).Server("s", "1")
    server.tool(lambda context: context.principal, name="whoami")
    return server


def visit(url: str) -> None:
    with urllib.request.urlopen(url, timeout=20) as response:
        response.read()


class Bound:
    def __init__(self, url: str, judge: Judge, proofs: ProofJudge, revision: str) -> None:
        self.url = url
        self.judge = judge
        self.proofs = proofs
        self.revision = revision

    def oauth(self, **options: Any) -> OAuth:
        return OAuth(**{"open_url": visit, "dpop": True, **options})

    def client(self, auth: Any) -> Any:
        return package(self.revision).Client.http(self.url, auth=auth, timeout=PATIENCE)


@pytest.fixture
def bound(request: pytest.FixtureRequest) -> Iterator[Bound]:
    revision = getattr(request, "param", NEW)
    proofs = ProofJudge()
    with authorization_server(proofs.before_tokens) as (issuer, judge):

        def guard_of(url: str) -> Authorization:
            return Authorization(judge.validate, resource=url, authorization_servers=[issuer])

        with guarded_resource(principal_server(revision), guard_of, proofs) as url:
            yield Bound(url, judge, proofs, revision)


@pytest.mark.parametrize("bound", HTTP_REVISIONS, indirect=True)
def test_each_request_has_a_proof_of_its_own(bound: Bound) -> None:
    with bound.client(bound.oauth()) as client:
        assert [client.call_tool("whoami").text for _ in range(3)] == ["ada"] * 3
    proofs = bound.proofs
    assert proofs.refusals == []
    assert len({each["jti"] for each in proofs.proofs}) == len(proofs.proofs) >= 5
    # The code is bound to the same key (section 10).
    (query,) = proofs.authorization_queries
    assert query["dpop_jkt"] == [next(iter(proofs.keys.values()))]


def test_a_nonce_is_sent_again_once_and_remembered(bound: Bound) -> None:
    bound.proofs.nonces.update(token="n-token", resource="n-1")
    with bound.client(bound.oauth()) as client:
        assert client.call_tool("whoami").text == "ada"
        assert bound.proofs.refusals == ["token: use_dpop_nonce", "resource: use_dpop_nonce"]
        # The server replaces its nonce at any time.
        bound.proofs.nonces["resource"] = "n-2"
        assert [client.call_tool("whoami").text for _ in range(3)] == ["ada"] * 3
    assert bound.proofs.refusals[2:] == ["resource: use_dpop_nonce"]
    assert {each["nonce"] for each in bound.proofs.proofs if "nonce" in each} == {"n-token", "n-1", "n-2"}


def test_a_server_that_never_accepts_a_nonce_gets_one_more_request(bound: Bound) -> None:
    with bound.client(bound.oauth()) as client:
        client.call_tool("whoami")
        before = len(bound.proofs.proofs)

        class Changing(dict[str, str]):
            def get(self, key: str, default: Any = None) -> Any:
                return f"n-{len(bound.proofs.proofs)}"

        bound.proofs.nonces = Changing()
        with pytest.raises(HttpError) as raised:
            client.call_tool("whoami")
    assert raised.value.status == 401
    assert len(bound.proofs.proofs) == before + 2


def test_the_key_is_kept_with_the_tokens_and_used_for_a_refresh(bound: Bound, tmp_path: Any) -> None:
    store = FileTokens(tmp_path / "tokens.json")
    with bound.client(bound.oauth(store=store)) as client:
        client.call_tool("whoami")
    bound.judge.tokens.clear()
    with bound.client(bound.oauth(store=store)) as client:
        assert client.call_tool("whoami").text == "ada"
    assert bound.judge.requests["refresh_token"] == 1
    assert bound.judge.requests["authorization_code"] == 1
    assert len(set(bound.proofs.keys.values())) == 1


def test_threads_share_a_bound_token(bound: Bound) -> None:
    bound.proofs.nonces.update(resource="n-1")
    with bound.client(bound.oauth()) as client, ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda _: client.call_tool("whoami").text, range(32))) == ["ada"] * 32
    assert bound.judge.requests["authorization_code"] == 1


def test_a_program_and_a_device_have_bound_tokens_too(bound: Bound) -> None:
    metadata = {"grant_types": ["client_credentials"], "token_endpoint_auth_method": "client_secret_basic"}
    bound.judge.clients["robot"] = Client("robot", "secret", {**metadata, "redirect_uris": []})
    with bound.client(ClientCredentials("robot", "secret", dpop=True)) as client:
        client.list_tools()

    def enter(code: Any) -> None:
        bound.judge.entered[code.user_code] = True

    with bound.client(DeviceLogin(show_code=enter, dpop=True)) as client:
        assert client.call_tool("whoami").text == "ada"
    assert bound.proofs.refusals == []


def test_a_web_program_finishes_with_the_key_of_the_beginning(bound: Bound) -> None:
    store = MemoryTokens()
    web = bound.oauth(redirect_uri="http://127.0.0.1:1/callback", store=store)
    pending = web.begin(bound.url)
    record = json.loads(json.dumps(pending.record))

    class Stop(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_: Any) -> None:
            return None

    with pytest.raises(urllib.error.HTTPError) as redirect:
        urllib.request.build_opener(Stop).open(pending.url, timeout=20)
    redirect.value.close()
    web.finish(redirect.value.headers["Location"], record)
    with bound.client(bound.oauth(store=store, open_url=lambda url: pytest.fail("the user is bothered"))) as client:
        assert client.call_tool("whoami").text == "ada"


def test_a_client_without_a_key_says_how_to_get_one(bound: Bound) -> None:
    with pytest.raises(OAuthError, match="pass `dpop=True`"), bound.client(bound.oauth(dpop=False)):
        pass


# Attacks.


def test_a_stolen_token_is_useless_without_its_key(bound: Bound) -> None:
    store = MemoryTokens()
    with bound.client(bound.oauth(store=store)) as client:
        client.call_tool("whoami")
    grant = stored_grant(store, bound.url)
    assert grant is not None
    thief = {"Authorization": f"DPoP {grant.access_token}"}
    for headers in (thief, {**thief, "DPoP": ProofKey.generate().proof("POST", bound.url, grant.access_token)}):
        with pytest.raises(HttpError), package(NEW).Client.http(bound.url, headers=headers, timeout=PATIENCE):
            pass
    assert bound.proofs.refusals == ["resource: one proof is needed", "resource: another token or key"]


def test_a_bearer_token_is_no_substitute_for_a_bound_one() -> None:
    """An authorization server, or a store of an earlier configuration, cannot downgrade a client."""
    with authorization_server() as (issuer, judge), protected_server(principal_server(NEW), issuer, judge) as url:
        auth = OAuth(open_url=visit, dpop=True)
        with (
            pytest.raises(OAuthError, match="must have an access token of the type DPoP, got the type 'Bearer'"),
            package(NEW).Client.http(url, auth=auth, timeout=PATIENCE),
        ):
            pass
        store = MemoryTokens()
        client = ClientIdentity(issuer, "me", "none")
        save_grant(store, url, Grant(issuer, f"{issuer}/token", client, url, "stolen", "Bearer", None, None, None))
        bound = OAuth(dpop=True, store=store)
        settings = ConnectionSettings(url, None, None, None, None, 2.0)
        assert bound.credentials(settings).headers("POST", url, Exchange("test")) == {}


def test_a_server_without_our_algorithm_is_refused_before_any_authorization() -> None:
    with pytest.raises(OAuthError, match="does not accept DPoP proofs by ES256, but by RS256"):
        _check_proofs(AuthorizationServer("https://as.example", None, proof_algorithms=("RS256",)))


def test_no_repr_and_no_error_shows_the_private_key() -> None:
    key = ProofKey.generate()
    secret = key.to_json()["d"]
    grant = Grant("i", "t", ClientIdentity("i", "me", "none"), None, "token", "DPoP", None, None, None, key)
    assert secret not in repr(key) + repr(grant)
    assert Grant.from_json(json.loads(json.dumps(grant.to_json()))).proof_key is not None
    public = {name: value for name, value in key.to_json().items() if name != "d"}
    for unusable in ({**key.to_json(), "crv": "P-999"}, {**key.to_json(), "d": 5}, {"d": secret}, public):
        with pytest.raises(OAuthError, match="log in again") as raised:
            ProofKey(unusable)
        assert secret not in "".join(traceback.format_exception(raised.value))


def test_the_nonce_of_one_server_is_not_sent_to_another() -> None:
    key = ProofKey.generate()
    key.read_response("https://as.example/token", {"dpop-nonce": "n"})
    sent: list[FlowRequest] = []

    def send(request: FlowRequest) -> FlowResponse:
        sent.append(request)
        return FlowResponse(200, {}, b'{"access_token": "t", "token_type": "DPoP"}', 0.0)

    target = TokenTarget("https://b.example", "https://b.example/token", ClientIdentity("i", "me", "none"), None, key)
    run_flow(request_tokens(target, {}), send)
    assert "nonce" not in _claims(sent[0].headers["DPoP"])
    assert _claims(key.proof("POST", "https://as.example/token?x#y"))["htu"] == "https://as.example/token"


def _claims(proof: str) -> dict[str, Any]:
    claims: dict[str, Any] = json.loads(base64.urlsafe_b64decode(proof.split(".")[1] + "=="))
    return claims


def test_bound_tokens_need_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "joserfc.jwk", None)
    with pytest.raises(UsageError, match=r"pip install 'mcp-bindings\[oauth\]'"):
        OAuth(dpop=True)
