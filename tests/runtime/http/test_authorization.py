"""Bearer tokens: who has none is told where to get one, and a session is for who has begun it alone."""

from __future__ import annotations

import json
from contextlib import suppress
from http.client import RemoteDisconnected
from urllib.parse import urlsplit

import pytest
from mcp_bindings_runtime.errors import UsageError
from mcp_bindings_runtime.http.server.authorization import Authorization, MissingScope
from mcp_bindings_runtime.http.server.store import MemoryStore
from support.raw_http_client import NEW, Wire, call, endpoint, modern
from support.revisions import HANDSHAKE
from support.scripted_peers import package

LATEST = HANDSHAKE[-1]
RESOURCE = "https://mcp.example/mcp"
METADATA = "https://mcp.example/.well-known/oauth-protected-resource/mcp"


def validate(token: str) -> str | None:
    if token == "poor":
        scope = "mcp:call"
        raise MissingScope(scope)
    return token.removeprefix("of-") if token.startswith("of-") else None


def guarded(**more):
    return Authorization(validate, resource=RESOURCE, authorization_servers=["https://as.example"], **more)


def asking(revision: str):
    """A server whose tool says who asks."""
    mcp = package(revision)
    server = mcp.Server("s", "1")

    @server.handler(mcp.methods.CALL_TOOL)
    def who(params, context):
        return mcp.CallToolResult(content=[mcp.TextContent(text=str(context.principal))])

    return server


@pytest.mark.parametrize(
    ("header", "error"),
    [
        (None, None),
        ("Bearer bad", "invalid_token"),
        ("Bearer", "invalid_token"),
        ("Basic b2Y6eA==", "invalid_token"),
        ("Bearer of-ada, Bearer of-bob", "invalid_token"),
        ("Bearer " + "x" * 20000, "invalid_token"),
    ],
)
def test_without_a_good_token_everything_is_refused(header, error):
    with endpoint(asking(LATEST), asking(NEW), authorization=guarded(scopes=["mcp:read"])) as wire:
        headers = {} if header is None else {"Authorization": header}
        for refused in (
            wire.post(call(), **headers),
            wire.ask("GET", headers={"Accept": "text/event-stream", **headers}),
            wire.ask("DELETE", headers=headers),
            wire.ask("GET", headers={"Accept": "text/event-stream", **headers}, path="/sse"),
        ):
            assert refused.status == 401
            challenge = refused.headers["www-authenticate"]
            assert challenge.startswith("Bearer ")
            assert f'resource_metadata="{METADATA}"' in challenge
            assert 'scope="mcp:read"' in challenge
            assert (f'error="{error}"' in challenge) is (error is not None)


def test_a_token_that_is_not_enough_is_told_what_it_lacks():
    with endpoint(asking(NEW), authorization=guarded()) as wire:
        refused = wire.post(call(), Authorization="Bearer poor")
        assert refused.status == 403
        assert 'error="insufficient_scope"' in refused.headers["www-authenticate"]
        assert 'scope="mcp:call"' in refused.headers["www-authenticate"]


@pytest.mark.parametrize("raised", [SystemExit("ended"), KeyboardInterrupt(), ValueError("wrong")])
def test_whatever_a_validator_raises_ends_no_more_than_its_connection(raised, caplog):
    def check(token: str) -> str | None:
        if token == "bad":
            raise raised
        return token

    authorization = Authorization(check, resource=RESOURCE, authorization_servers=["https://as.example"])
    with endpoint(asking(NEW), authorization=authorization) as wire:
        message, headers = modern(call())
        with suppress(RemoteDisconnected):
            assert wire.post(message, Authorization="Bearer bad", **headers).status == 500
        assert wire.post(message, Authorization="Bearer ada", **headers).text == "ada"
    assert any(each.exc_text and repr(raised).split("(")[0] in each.exc_text for each in caplog.records)


@pytest.mark.parametrize(
    "place", ["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"]
)
def test_the_metadata_is_public(place):
    with endpoint(asking(NEW), authorization=guarded(scopes=["a", "b"])) as wire:
        answer = wire.ask("GET", path=place)
        assert answer.status == 200
        assert answer.json == {
            "resource": RESOURCE,
            "authorization_servers": ["https://as.example"],
            "bearer_methods_supported": ["header"],
            "scopes_supported": ["a", "b"],
        }


def test_beside_a_site_the_metadata_of_the_mount_is_at_the_root_and_all_else_there_is_the_sites():
    application = asking(LATEST).wsgi_app(authorization=guarded(), allowed_hosts=["mcp.example"])

    def site(environ, start_response):
        start_response("200 OK", [])
        return [b"the site"]

    whole = application.mounted("/mcp", site)

    def get(path):
        said = {}
        environ = {"REQUEST_METHOD": "GET", "HTTP_HOST": "mcp.example", "PATH_INFO": path}
        body = b"".join(whole(environ, lambda status, headers: said.update(dict(headers), status=status)))
        return said, body

    said, body = get(urlsplit(METADATA).path)
    assert said["status"] == "200 OK"
    assert json.loads(body)["resource"] == RESOURCE
    # Another resource of the site may be described there.
    assert get("/.well-known/oauth-protected-resource")[1] == b"the site"
    assert get("/.well-known/oauth-protected-resource/mcp/more")[1] == b"the site"
    said, body = get("/mcp")
    assert said["status"].startswith("401")
    assert METADATA in said["WWW-Authenticate"]


def test_a_resource_at_the_root_has_its_metadata_there():
    root = Authorization(validate, resource="https://mcp.example", authorization_servers=["https://as.example"])
    with endpoint(asking(NEW), authorization=root) as wire:
        assert wire.ask("GET", path="/.well-known/oauth-protected-resource").json["resource"] == "https://mcp.example"
        assert wire.ask("GET", path="/.well-known/oauth-protected-resource/mcp").status == 401


def test_a_token_that_expires_is_refused_from_then_on_and_the_session_goes_on_with_the_next():
    good = {"one": "ada"}
    tokens = Authorization(good.get, resource=RESOURCE, authorization_servers=["https://as.example"])
    with endpoint(asking(LATEST), authorization=tokens) as wire:
        wire.add({"Authorization": "Bearer one"})
        wire.initialize(LATEST)
        good.clear()
        refused = wire.post(call())
        assert refused.status == 401
        assert 'error="invalid_token"' in refused.headers["www-authenticate"]
        good["two"] = "ada"
        wire.add({"Authorization": "Bearer two"})
        assert wire.post(call()).text == "ada"


def test_a_judge_of_tokens_that_fails_lets_nobody_in_and_tells_nothing(caplog):
    def broken(token):
        message = "the secret of the judge"
        raise ValueError(message)

    failing = Authorization(broken, resource=RESOURCE, authorization_servers=["https://as.example"])
    with endpoint(asking(NEW), authorization=failing) as wire, caplog.at_level("ERROR"):
        refused = wire.post(call(), Authorization="Bearer one")
        assert (refused.status, refused.code) == (500, -32600)
        assert b"secret" not in refused.body
    assert "the secret of the judge" in caplog.text


def test_handlers_know_who_asks():
    with endpoint(asking(LATEST), asking(NEW), authorization=guarded()) as wire:
        whole, headers = modern(call())
        assert wire.post(whole, **headers, Authorization="bearer of-ada").text == "ada"
        wire.add({"Authorization": "Bearer of-bob"})
        wire.initialize(LATEST)
        assert wire.post(call()).text == "bob"


def test_a_session_is_for_who_has_begun_it():
    with endpoint(asking(LATEST), authorization=guarded()) as wire:
        wire.add({"Authorization": "Bearer of-ada"})
        wire.initialize(LATEST)
        thief = Wire(wire.port)
        thief.headers = {**wire.headers, "Authorization": "Bearer of-eve"}
        assert thief.post(call()).status == 404
        assert thief.ask("GET", headers={"Accept": "text/event-stream"}).status == 404
        assert thief.ask("DELETE").status == 404
        assert wire.post(call()).text == "ada"


def test_without_authorization_the_wsgi_server_may_know():
    store = MemoryStore()
    application = asking(LATEST).wsgi_app(store=store)
    seen = {}
    environ = {"REQUEST_METHOD": "DELETE", "HTTP_HOST": "localhost", "REMOTE_USER": "ada", "HTTP_MCP_SESSION_ID": "x"}
    list(application(environ, lambda status, _: seen.setdefault("status", status)))
    assert seen == {"status": "404 Not Found"}


@pytest.mark.parametrize(
    "options", [{"resource": "mcp.example"}, {"resource": RESOURCE + "#x"}, {"authorization_servers": []}]
)
def test_what_cannot_be_a_resource_is_said(options):
    with pytest.raises(UsageError):
        Authorization(validate, **{"resource": RESOURCE, "authorization_servers": ["https://as.example"], **options})
