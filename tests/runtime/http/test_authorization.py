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
    ("header", "status", "error"),
    [
        (None, 401, None),
        ("", 401, None),
        ("Basic b2Y6eA==", 401, None),
        ("DPoP of-ada", 401, None),
        ("Bearer bad", 401, "invalid_token"),
        ("Bearer", 400, "invalid_request"),
        ("Bearer of-ada, Bearer of-bob", 400, "invalid_request"),
        ("Bearer of ada", 400, "invalid_request"),
        ("Bearer " + "x" * 20000, 400, "invalid_request"),
    ],
)
def test_without_a_good_token_everything_is_refused(header, status, error):
    with endpoint(asking(LATEST), asking(NEW), authorization=guarded(scopes=["mcp:read"])) as wire:
        headers = {} if header is None else {"Authorization": header}
        for refused in (
            wire.post(call(), **headers),
            wire.ask("GET", headers={"Accept": "text/event-stream", **headers}),
            wire.ask("DELETE", headers=headers),
            wire.ask("GET", headers={"Accept": "text/event-stream", **headers}, path="/sse"),
        ):
            assert refused.status == status
            challenge = refused.headers["www-authenticate"]
            assert challenge.startswith("Bearer ")
            assert f'resource_metadata="{METADATA}"' in challenge
            assert ('scope="mcp:read"' in challenge) is (status == 401)
            if error is None:
                # A client that has sent no token learns nothing more (RFC 6750, section 3.1).
                assert "error" not in challenge
            else:
                assert f'error="{error}", error_description="' in challenge


def test_a_token_that_is_not_enough_is_told_what_it_lacks():
    with endpoint(asking(NEW), authorization=guarded()) as wire:
        refused = wire.post(call(), Authorization="Bearer poor")
        assert refused.status == 403
        assert 'error="insufficient_scope", error_description="' in refused.headers["www-authenticate"]
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


@pytest.mark.parametrize("place", ["", "/mcp"])
def test_a_page_of_any_origin_may_read_public_metadata_and_nothing_else(place):
    page = {"Origin": "https://page.example"}
    asks = {**page, "Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "mcp-protocol-version"}
    path = f"/.well-known/oauth-protected-resource{place}"
    with endpoint(asking(NEW), authorization=guarded(public_metadata=True)) as wire:
        answer = wire.ask("GET", headers=page, path=path)
        assert answer.json["resource"] == RESOURCE
        assert answer.headers["access-control-allow-origin"] == "*"
        assert "access-control-allow-credentials" not in answer.headers
        preflight = wire.ask("OPTIONS", headers=asks, path=path)
        assert (preflight.status, preflight.headers["access-control-allow-headers"]) == (204, "*")
        assert preflight.headers["access-control-allow-methods"] == "GET"
        assert wire.ask("POST", b"{}", {**page, "Content-Type": "application/json"}, path).status == 403
        assert wire.post(call(), **page).status == 403
    with endpoint(asking(NEW), authorization=guarded()) as wire:
        assert wire.ask("GET", headers=page, path=path).status == 403


def test_an_allowed_page_gets_one_answer_about_its_origin():
    page = "https://page.example"
    with endpoint(asking(NEW), authorization=guarded(public_metadata=True), allowed_origins=[page]) as wire:
        connection, response = wire.send("GET", headers={"Origin": page}, path="/.well-known/oauth-protected-resource")
        assert response.headers.get_all("Access-Control-Allow-Origin") == ["*"]
        connection.close()


@pytest.mark.parametrize("header", ["Host", "X-Forwarded-Host", "X-Forwarded-Proto", "Forwarded"])
def test_no_header_of_a_request_changes_what_the_metadata_say(header):
    evil = {header: "evil.example" if header != "X-Forwarded-Proto" else "gopher"}
    with endpoint(asking(NEW), authorization=guarded(), allowed_hosts=["*"]) as wire:
        answer = wire.ask("GET", headers=evil, path="/.well-known/oauth-protected-resource")
        assert (answer.status, answer.json["resource"]) == (200, RESOURCE)
        refused = wire.post(call(), **evil)
        assert f'resource_metadata="{METADATA}"' in refused.headers["www-authenticate"]


def test_the_query_of_a_resource_is_part_of_the_place_of_its_metadata():
    tenant = Authorization(validate, resource=f"{RESOURCE}?tenant=a", authorization_servers=["https://as.example"])
    with endpoint(asking(NEW), authorization=tenant) as wire:
        assert f'resource_metadata="{METADATA}?tenant=a"' in wire.post(call()).headers["www-authenticate"]
        place = urlsplit(METADATA).path
        assert wire.ask("GET", path=f"{place}?tenant=a").json["resource"] == f"{RESOURCE}?tenant=a"


def test_a_token_in_the_query_does_not_count():
    with endpoint(asking(NEW), authorization=guarded()) as wire:
        message, headers = modern(call())
        body = json.dumps(message).encode()
        kinds = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        assert wire.ask("POST", body, {**kinds, **headers}, "/mcp?access_token=of-ada").status == 401


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
