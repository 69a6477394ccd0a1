"""Access tokens that are JWTs: each forgery is shown, and refused."""

from __future__ import annotations

import hmac
import json
import logging
import sys
from base64 import urlsafe_b64encode
from hashlib import sha256
from socket import create_server
from threading import Barrier, Thread
from time import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_bindings import Authorization, JwtValidator, UsageError
from mcp_bindings.testing import TokenIssuer
from mcp_bindings_runtime.auth import fetcher
from mcp_bindings_runtime.auth.resource_server import issuer_connection, key_set
from mcp_bindings_runtime.auth.resource_server.token_validator import InvalidToken, ValidatorUnavailable
from support.raw_http_client import NEW, call, endpoint, modern
from support.scripted_peers import package
from support.token_issuer import serving_issuer

jwk = pytest.importorskip("joserfc.jwk", reason="needs joserfc; run: pip install 'mcp-bindings[oauth]'")
jws = pytest.importorskip("joserfc.jws", reason="needs joserfc; run: pip install 'mcp-bindings[oauth]'")
jwt = pytest.importorskip("joserfc.jwt", reason="needs joserfc; run: pip install 'mcp-bindings[oauth]'")

RESOURCE = "https://mcp.example/mcp"
IN_ANOTHER_CENTURY = 4_200_000_000
ISSUER = TokenIssuer()
VALIDATOR = ISSUER.validator()


def judged(token: str, validator: Any = VALIDATOR) -> Any:
    return validator.for_resource(RESOURCE).validated(token)


def issued(**options: Any) -> str:
    return ISSUER.token("ada", **{"resource": RESOURCE, **options})


def encoded(value: Any) -> str:
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def test_a_token_of_the_issuer_for_this_server_is_accepted():
    caller = judged(issued(scopes=["b", "a"], claims={"org": "x"}))
    assert (caller.principal, caller.scopes, caller.client_id) == ("ada", {"a", "b"}, "tests")
    assert caller.claims["org"] == "x"
    assert caller.expires_at > time()


@pytest.mark.parametrize(
    ("claims", "scopes"),
    [
        ({"scope": "a  b"}, {"a", "b"}),
        ({"scope": ["a", "b", 7]}, {"a", "b"}),
        ({"scope": "a", "scp": "b"}, {"a", "b"}),
        ({"scope": None, "scp": ["b"]}, {"b"}),
        ({"scope": {}}, set()),
    ],
)
def test_scopes_are_a_text_or_a_list(claims, scopes):
    assert judged(issued(claims=claims)).scopes == scopes


@pytest.mark.parametrize(
    ("claims", "principal", "client"),
    [
        ({"azp": "app", "client_id": None}, "ada", "app"),
        ({"sub": None, "client_id": "app"}, "client:app", "app"),
        ({"sub": "", "client_id": "", "azp": "app"}, "client:app", "app"),
    ],
)
def test_a_client_without_a_user_is_no_user(claims, principal, client):
    caller = judged(issued(claims=claims))
    assert (caller.principal, caller.client_id) == (principal, client)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"resource": "https://other.example/mcp"}, "another server"),
        ({"resource": RESOURCE + "/"}, "another server"),
        ({"claims": {"aud": ["https://other.example/mcp", 7]}}, "another server"),
        ({"claims": {"aud": None}}, "another server"),
        ({"claims": {"iss": "https://issuer.example/"}}, "another issuer"),
        ({"claims": {"iss": ["https://issuer.example"]}}, "another issuer"),
        ({"expires_in": -40}, "expired"),
        ({"claims": {"exp": None}}, "no expiry"),
        ({"claims": {"exp": "9999999999"}}, "expired"),
        ({"claims": {"exp": True}}, "expired"),
        ({"claims": {"nbf": IN_ANOTHER_CENTURY}}, "not valid yet"),
        ({"claims": {"sub": 7, "client_id": None}}, "neither a subject nor a client"),
        ({"claims": {"cnf": {"jkt": "x"}}}, "bound to a key"),
        ({"header": {"typ": "logout+jwt"}}, "type"),
        ({"header": {"typ": "oauth-id-jag+jwt"}}, "type"),
        ({"header": {"typ": ""}}, "type"),
        ({"header": {"kid": "unknown"}}, "signature"),
    ],
)
def test_a_token_that_is_not_for_this_is_refused(options, reason):
    with pytest.raises(InvalidToken, match=reason):
        judged(issued(**options))


def test_a_token_without_a_type_is_refused():
    key = jwk.ECKey.generate_key("P-256", {"kid": "k"})
    claims = json.dumps({"iss": ISSUER.issuer, "sub": "ada", "aud": RESOURCE, "exp": int(time()) + 60})
    validator = ISSUER.validator(jwks={"keys": [{**key.as_dict(private=False), "kid": "k"}]})
    for kind, accepted in (({}, False), ({"typ": "application/AT+JWT"}, True)):
        token = jws.serialize_compact({"alg": "ES256", "kid": "k", **kind}, claims, key)
        if accepted:
            assert judged(token, validator).principal == "ada"
        else:
            with pytest.raises(InvalidToken, match="type"):
                judged(token, validator)


def test_clocks_may_differ_by_the_leeway():
    assert judged(issued(expires_in=-10)).principal == "ada"
    assert judged(issued(claims={"nbf": time() + 10})).principal == "ada"
    strict = ISSUER.validator(leeway=0)
    with pytest.raises(InvalidToken, match="expired"):
        judged(issued(expires_in=-10), strict)


def test_any_of_several_audiences_does():
    assert judged(issued(claims={"aud": ["x", RESOURCE]})).principal == "ada"
    entra = ISSUER.validator(audience=["api://app", "app"])
    assert judged(issued(resource="app"), entra).principal == "ada"
    with pytest.raises(InvalidToken, match="another server"):
        judged(issued(), entra)
    assert judged(issued(claims={"aud": None}), ISSUER.validator(any_audience=True)).principal == "ada"


def test_an_unsigned_token_is_refused():
    _, claims, _ = issued().split(".")
    for algorithm in ("none", "None", "NONE", "", None, 7, ["ES256"]):
        for signature in ("", "AAAA"):
            with pytest.raises(InvalidToken, match="algorithm"):
                judged(f"{encoded({'alg': algorithm, 'typ': 'at+jwt', 'kid': 'tests'})}.{claims}.{signature}")


def test_the_public_key_is_no_shared_secret():
    key = jwk.RSAKey.generate_key(2048, {"kid": "k"})
    validator = ISSUER.validator(jwks={"keys": [key.as_dict(private=False)]})
    for public in (key.as_pem(private=False), json.dumps(key.as_dict(private=False)).encode()):
        head = encoded({"alg": "HS256", "typ": "at+jwt", "kid": "k"})
        claims = issued().split(".")[1]
        mac = encoded(hmac.digest(public, f"{head}.{claims}".encode(), sha256))
        with pytest.raises(InvalidToken, match="algorithm"):
            judged(f"{head}.{claims}.{mac}", validator)
    with pytest.raises(UsageError, match="which have a public key"):
        ISSUER.validator(algorithms=["HS256"])
    with pytest.raises(UsageError, match="which have a public key"):
        ISSUER.validator(algorithms=["none"])


def test_a_key_in_the_token_itself_counts_for_nothing():
    own = jwk.ECKey.generate_key("P-256", {"kid": "tests"})
    public = own.as_dict(private=False)
    claims = {"iss": ISSUER.issuer, "sub": "eve", "aud": RESOURCE, "exp": int(time()) + 60}
    for more in ({"jwk": public}, {"jku": "https://eve.example/keys"}, {"x5u": "https://eve.example/x"}, {}):
        forged = jwt.encode({"alg": "ES256", "typ": "at+jwt", "kid": "tests", **more}, claims, own)
        with pytest.raises(InvalidToken, match="signature"):
            judged(forged)


def test_an_algorithm_counts_only_with_its_kind_of_key():
    rsa = jwk.RSAKey.generate_key(2048, {"kid": "k", "alg": "RS256"})
    validator = ISSUER.validator(jwks={"keys": [rsa.as_dict(private=False)]})
    claims = {"iss": ISSUER.issuer, "sub": "ada", "aud": RESOURCE, "exp": int(time()) + 60}

    def token(algorithm: str) -> str:
        bare = jwk.RSAKey.import_key({name: each for name, each in rsa.as_dict(private=True).items() if name != "alg"})
        return jwt.encode({"alg": algorithm, "typ": "JWT", "kid": "k"}, claims, bare, algorithms=[algorithm])

    assert judged(token("RS256"), validator).principal == "ada"
    with pytest.raises(InvalidToken, match="signature"):
        judged(token("PS256"), validator)
    with pytest.raises(InvalidToken, match="algorithm"):
        judged(token("RS256"), ISSUER.validator(algorithms=["ES256"]))


@pytest.mark.filterwarnings("ignore:Key size")
def test_weak_secret_and_foreign_keys_are_not_used():
    weak = jwk.RSAKey.generate_key(1024, {"kid": "weak"}).as_dict(private=False)
    oct_key = {"kty": "oct", "k": "c2VjcmV0", "kid": "oct"}
    strange: list[Any] = [7, {}, {"kty": "RSA"}, {"kty": "EC", "crv": "P-256", "x": "!", "y": 7}, {"kty": "XX"}]
    cipher = {**ISSUER.jwks["keys"][0], "use": "enc"}
    signing = {**ISSUER.jwks["keys"][0], "key_ops": ["sign"]}
    with pytest.raises(UsageError, match="no public key"):
        ISSUER.validator(jwks={"keys": [weak, oct_key, cipher, signing, *strange]})
    with pytest.raises(UsageError, match="no public key"):
        ISSUER.validator(jwks={"keys": "x"})
    mixed = ISSUER.validator(jwks={"keys": [weak, *strange, *ISSUER.jwks["keys"]]})
    assert judged(issued(), mixed).principal == "ada"


def test_a_token_without_a_key_id_is_tried_with_few_keys():
    others = [jwk.ECKey.generate_key("P-256").as_dict(private=False) for _ in range(3)]
    nameless = issued(header={"kid": None})
    assert judged(nameless, ISSUER.validator(jwks={"keys": [*others, *ISSUER.jwks["keys"]]})).principal == "ada"
    with pytest.raises(InvalidToken, match="signature"):
        judged(nameless, ISSUER.validator(jwks={"keys": [*others, others[0], *ISSUER.jwks["keys"]]}))


@given(st.one_of(st.text(), st.lists(st.text("ey.AZaz09-_="), max_size=5).map(".".join)))
def test_whatever_is_no_token_is_refused(text):
    with pytest.raises(InvalidToken):
        judged(text)


@given(st.data())
def test_no_part_of_a_token_can_be_changed(data):
    token = issued()
    place = data.draw(st.integers(0, len(token) - 1))
    other = data.draw(st.sampled_from("AZaz09-_.="))
    changed = token[:place] + other + token[place + 1 :]
    if other == token[place] or decoded(changed) == decoded(token):
        return
    with pytest.raises(InvalidToken):
        judged(changed)


def decoded(token: str) -> Any:
    """Return the bytes that a token stands for; the last bits of a text in base64 stand for nothing."""
    from base64 import urlsafe_b64decode

    try:
        head, claims, signature = token.split(".")
        return head, claims, urlsafe_b64decode(signature + "=" * (-len(signature) % 4))
    except ValueError:
        return None


# Keys of an issuer over HTTP.


def test_keys_are_found_by_the_metadata_and_fetched_again_for_an_unknown_key(monkeypatch):
    monkeypatch.setattr(key_set, "INTERVAL", 0.0)
    with serving_issuer() as issuer:
        cache = JwtValidator(issuer.url).for_resource(RESOURCE)
        assert cache.validated(issuer.token("ada", RESOURCE)).principal == "ada"
        issuer.rotate()
        assert cache.validated(issuer.token("bob", RESOURCE)).principal == "bob"
        assert issuer.requests == {"/.well-known/oauth-authorization-server": 1, "/jwks": 2}


def test_invented_keys_cause_one_request_in_a_while():
    with serving_issuer() as issuer:
        cache = JwtValidator(issuer.url).for_resource(RESOURCE)
        cache.validated(issuer.token("ada", RESOURCE))
        go = Barrier(20)

        def flood(number: int) -> None:
            go.wait(30)
            for each in range(5):
                with pytest.raises(InvalidToken):
                    cache.validated(issuer.token("eve", RESOURCE, kid=f"{number}-{each}"))

        threads = [Thread(target=flood, args=(number,)) for number in range(20)]
        for each in threads:
            each.start()
        for each in threads:
            each.join(60)
        assert issuer.requests["/jwks"] == 1
        # Tokens with a known key are not held up.
        assert cache.validated(issuer.token("bob", RESOURCE)).principal == "bob"


def test_old_keys_stay_in_use_while_the_issuer_is_down(monkeypatch, caplog):
    monkeypatch.setattr(key_set, "INTERVAL", 0.0)
    monkeypatch.setattr(key_set, "LIFETIME", 0.0)
    with serving_issuer() as issuer:
        cache = JwtValidator(issuer.url).for_resource(RESOURCE)
        cache.validated(issuer.token("ada", RESOURCE))
        for answer in ((503, b""), (200, b"no JSON"), (200, b'{"keys": []}'), (200, b" " * 70000)):
            issuer.answer = answer
            assert (
                cache.validated(issuer.token("bob", RESOURCE, jti=str(answer[0]) + str(len(answer[1])))).principal
                == "bob"
            )
    assert cache.validated(issuer.token("carl", RESOURCE)).principal == "carl"


def test_keys_are_fetched_again_after_their_lifetime(monkeypatch):
    monkeypatch.setattr(key_set, "INTERVAL", 0.0)
    with serving_issuer() as issuer:
        cache = JwtValidator(issuer.url).for_resource(RESOURCE)
        stolen = issuer.token("eve", RESOURCE)
        cache.validated(issuer.token("ada", RESOURCE))
        issuer.rotate()
        monkeypatch.setattr(key_set, "LIFETIME", 0.0)
        with pytest.raises(InvalidToken, match="signature"):
            cache.validated(stolen)


def test_without_keys_nothing_is_decided():
    with serving_issuer() as issuer:
        issuer.answer = (500, b"")
        cache = JwtValidator(issuer.url).for_resource(RESOURCE)
        for _ in range(3):
            with pytest.raises(ValidatorUnavailable):
                cache.validated(issuer.token("ada", RESOURCE))
        assert issuer.requests["/jwks"] == 1


def test_an_issuer_has_some_seconds_to_answer(monkeypatch):
    monkeypatch.setattr(issuer_connection, "_SECONDS", 0.2)
    with create_server(("127.0.0.1", 0)) as silent:
        validator = JwtValidator(f"http://127.0.0.1:{silent.getsockname()[1]}")
        with pytest.raises(ValidatorUnavailable):
            judged(issued(), validator)


@pytest.mark.parametrize(
    "place",
    [
        "http://keys.example/jwks",
        "https://10.0.0.1/jwks",
        "https://169.254.169.254/latest",
        "https://127.0.0.1/jwks",
        "file:///etc/passwd",
    ],
)
def test_a_public_issuer_cannot_make_the_server_ask_its_own_network(place, monkeypatch):
    """The metadata are in the hands of the issuer; a key set elsewhere than on a public host is not fetched."""
    monkeypatch.setattr(
        fetcher,
        "resolve",
        lambda host, port: [
            (
                "10.0.0.1"
                if host[0].isdigit() and host.startswith("10")
                else host if host[0].isdigit() else "93.184.215.14"
            )
        ],
    )
    validator = JwtValidator("https://issuer.example", jwks_url=place)
    with pytest.raises(ValidatorUnavailable):
        judged(issued(), validator)


def test_metadata_of_another_issuer_are_not_used():
    with serving_issuer() as issuer:
        issuer.named = "https://other.example"
        with pytest.raises(ValidatorUnavailable):
            judged(issuer.token("ada", RESOURCE), JwtValidator(issuer.url))
        assert "/jwks" not in issuer.requests


@pytest.mark.parametrize(
    "options",
    [
        {"issuer": "issuer.example"},
        {"issuer": "http://issuer.example"},
        {"issuer": "https://user:secret@issuer.example"},
        {"audience": []},
        {"audience": 7},
        {"audience": "x", "any_audience": True},
        {"leeway": -1},
        {"algorithms": []},
        {"jwks": {"keys": []}},
        {"jwks": [1]},
        {"jwks": {"keys": []}, "jwks_url": "https://x.example"},
        {"types": "JWT"},
    ],
)
def test_what_cannot_be_is_told_at_once(options):
    with pytest.raises(UsageError) as caught:
        JwtValidator(**{"issuer": "https://issuer.example", **options})
    assert "secret" not in str(caught.value)


def test_without_joserfc_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "joserfc", None)
    with pytest.raises(UsageError, match=r"pip install 'mcp-bindings\[oauth\]'"):
        JwtValidator("https://issuer.example")


def test_no_part_of_a_token_is_in_responses_logs_and_representations(caplog):
    server = package(NEW).Server("s", "1")

    @server.tool
    def echo() -> str:
        return "done"

    authorization = Authorization(ISSUER.validator(), resource=RESOURCE, scopes=["a"])
    whole, headers = modern(call())
    tokens = [issued(), issued(expires_in=-100), issued(resource="https://x"), issued()[:-3] + "AAA", "opaque-secret"]
    with caplog.at_level(logging.DEBUG), endpoint(server, authorization=authorization) as wire:
        for token, status in zip(tokens, (200, 401, 401, 401, 401), strict=True):
            answer = wire.post(whole, **headers, Authorization=f"Bearer {token}")
            assert answer.status == status
            assert not any(part in str(answer) for part in token.split(".") if part)
    shown = caplog.text + repr(authorization) + repr(vars(authorization)) + repr(judged(tokens[0])) + repr(ISSUER)
    assert not [part for token in tokens for part in token.split(".")[1:] or [token] if part in shown]


def test_an_answer_of_401_says_why_and_one_of_503_when_to_come_back():
    server = package(NEW).Server("s", "1")
    whole, headers = modern(call())
    with (
        serving_issuer() as issuer,
        endpoint(server, authorization=Authorization(JwtValidator(issuer.url), resource=RESOURCE)) as wire,
    ):
        metadata = wire.ask("GET", path="/.well-known/oauth-protected-resource").json
        assert metadata["authorization_servers"] == [issuer.url]
        issuer.answer = (500, b"the secret of the issuer")
        refused = wire.post(whole, **headers, Authorization=f"Bearer {issuer.token('ada', RESOURCE)}")
        assert (refused.status, refused.headers["retry-after"]) == (503, "5")
        assert b"secret" not in refused.body
        assert "www-authenticate" not in refused.headers
    with endpoint(server, authorization=Authorization(ISSUER.validator(), resource=RESOURCE)) as wire:
        refused = wire.post(whole, **headers, Authorization=f"Bearer {issued(expires_in=-100)}")
        assert 'error_description="the access token has expired"' in refused.headers["www-authenticate"]
