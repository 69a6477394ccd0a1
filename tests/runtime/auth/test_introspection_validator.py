"""Access tokens about which the authorization server is asked (RFC 7662)."""

from __future__ import annotations

import json
import logging
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from time import time
from typing import Any
from urllib.parse import parse_qs
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest
from mcp_bindings import Authorization, IntrospectionValidator, UsageError
from mcp_bindings_runtime.auth.resource_server import token_cache
from mcp_bindings_runtime.auth.resource_server.token_validator import InvalidToken, ValidatorUnavailable
from support.raw_http_client import NEW, call, endpoint, modern
from support.scripted_peers import package

RESOURCE = "https://mcp.example/mcp"


class Judge:
    """An introspection endpoint, which answers with what is known of a token."""

    def __init__(self) -> None:
        self.url = ""
        self.tokens: dict[str, Any] = {}
        self.asked: list[tuple[str, dict[str, list[str]], str]] = []
        self.answer: tuple[int, bytes] | None = None

    def __call__(self, environ: Any, start_response: Any) -> list[bytes]:
        status, path = 200, environ["PATH_INFO"]
        if path == "/introspect":
            form = parse_qs(environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"])).decode())
            self.asked.append((environ["REQUEST_METHOD"], form, environ.get("HTTP_AUTHORIZATION", "")))
            known = self.tokens.get(form["token"][0], {"active": False})
            status, body = self.answer or (200, json.dumps(known).encode())
        else:
            body = json.dumps({"issuer": self.url, "introspection_endpoint": f"{self.url}/introspect"}).encode()
        start_response(f"{status} X", [("Content-Type", "application/json"), ("Content-Length", str(len(body)))])
        return [body]


class _Quiet(WSGIRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Write nothing."""


@contextmanager
def judging() -> Iterator[Judge]:
    judge = Judge()
    served = make_server("127.0.0.1", 0, judge, handler_class=_Quiet)
    judge.url = f"http://127.0.0.1:{served.server_port}"
    thread = Thread(target=served.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield judge
    finally:
        served.shutdown()
        served.server_close()
        thread.join()


def active(**members: Any) -> dict[str, Any]:
    return {"active": True, "sub": "ada", "aud": RESOURCE, "scope": "a b", "client_id": "app", **members}


@pytest.mark.parametrize("method", ["client_secret_basic", "client_secret_post"])
def test_an_active_token_is_accepted_and_the_server_authenticates_itself(method):
    with judging() as judge:
        judge.tokens["opaque"] = active(exp=time() + 60, org="x")
        validator = IntrospectionValidator(judge.url, "mcp:1", "s/e cret", auth_method=method)
        caller = validator.for_resource(RESOURCE).validated("opaque")
        assert (caller.principal, caller.scopes, caller.client_id) == ("ada", {"a", "b"}, "app")
        assert caller.claims["org"] == "x"
        [(verb, form, header)] = judge.asked
        assert (verb, form["token"], form["token_type_hint"]) == ("POST", ["opaque"], ["access_token"])
        if method == "client_secret_basic":
            assert b64decode(header.removeprefix("Basic ")) == b"mcp%3A1:s%2Fe%20cret"
            assert "client_secret" not in form
        else:
            assert (header, form["client_id"], form["client_secret"]) == ("", ["mcp:1"], ["s/e cret"])


@pytest.mark.parametrize(
    ("members", "reason"),
    [
        ({"active": False}, "invalid, expired or revoked"),
        ({"active": "true"}, "invalid, expired or revoked"),
        ({"active": 1}, "invalid, expired or revoked"),
        ({"aud": "https://other.example"}, "another server"),
        ({"aud": None}, "another server"),
        ({"iss": "https://other.example"}, "another issuer"),
        ({"exp": 1000}, "expired"),
        ({"sub": None, "client_id": None}, "neither a subject nor a client"),
        ({"cnf": {"jkt": "x"}}, "bound to a key"),
    ],
)
def test_everything_else_is_refused(members, reason):
    with judging() as judge:
        judge.tokens["t"] = active(**members)
        with pytest.raises(InvalidToken, match=reason):
            IntrospectionValidator(judge.url, "me", "secret").for_resource(RESOURCE).validated("t")


def test_an_answer_is_remembered_for_a_while_and_a_revoked_token_no_longer(monkeypatch):
    now = [time()]
    monkeypatch.setattr(token_cache, "time", lambda: now[0])
    with judging() as judge:
        judge.tokens["t"] = active(exp=now[0] + 1000)
        cache = IntrospectionValidator(judge.url, "me", "secret", lifetime=30).for_resource(RESOURCE)
        for _ in range(3):
            assert (cache.find("t") or cache.validated("t")).principal == "ada"
        assert len(judge.asked) == 1
        judge.tokens.clear()
        now[0] += 29
        assert cache.find("t") is not None
        now[0] += 2
        assert cache.find("t") is None
        with pytest.raises(InvalidToken):
            cache.validated("t")
        assert len(judge.asked) == 2


@pytest.mark.parametrize("answer", [(401, b"{}"), (500, b""), (200, b"[]"), (200, b"x" * 70000), (302, b"")])
def test_an_authorization_server_that_fails_lets_nobody_in_and_tells_nothing(answer, caplog):
    server = package(NEW).Server("s", "1")

    @server.tool
    def echo() -> str:
        return "done"

    with judging() as judge:
        judge.tokens["the-token"] = active()
        validator = IntrospectionValidator(judge.url, "me", "the-secret")
        authorization = Authorization(validator, resource=RESOURCE)
        whole, headers = modern(call())
        with endpoint(server, authorization=authorization) as wire, caplog.at_level(logging.DEBUG):
            headers["Authorization"] = "Bearer the-token"
            judge.answer = answer
            refused = wire.post(whole, **headers)
            assert (refused.status, refused.headers["retry-after"]) == (503, "5")
            judge.answer = None
            assert wire.post(whole, **headers).text == "done"
    shown = caplog.text + repr(validator) + repr(vars(validator)) + str(refused)
    assert "the-token" not in shown
    assert "the-secret" not in caplog.text + repr(validator) + repr(validator._identity)


def test_without_an_endpoint_the_missing_option_is_named():
    with judging() as judge:
        validator = IntrospectionValidator(judge.url, "me", "secret")
        judge.url += "/other"
        with pytest.raises(ValidatorUnavailable, match="must name it as issuer"):
            validator.for_resource(RESOURCE).validated("t")


@pytest.mark.parametrize(
    "options", [{"client_secret": 7}, {"auth_method": "none"}, {"lifetime": -1}, {"client_id": None}]
)
def test_what_cannot_be_is_told_at_once(options):
    with pytest.raises(UsageError):
        IntrospectionValidator("https://as.example", **{"client_id": "me", "client_secret": "secret", **options})
