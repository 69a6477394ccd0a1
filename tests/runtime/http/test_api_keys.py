"""API keys without an authorization server."""

from __future__ import annotations

import pytest
from mcp_bindings import ApiKeys, Caller, HttpError, MissingScope, UsageError
from mcp_bindings_runtime.http.server.http_server import make_server
from mcp_bindings_runtime.http.server.responses import Rejection
from support.raw_http_client import NEW, endpoint
from support.revisions import HANDSHAKE
from support.scripted_peers import PATIENCE, package

ERAS = [HANDSHAKE[-1], NEW]
ADA = "0123456789abcdef-of-ada"
BOB = "0123456789abcdef-of-bob"
KEYS = {ADA: "ada", BOB: Caller("bob", scopes=["files:write"])}


def server_of(revision):
    mcp = package(revision)
    server = mcp.Server("s", "1")

    @server.tool
    def whoami(context) -> str:
        return str(context.principal)

    @server.tool(scopes=["files:write"])
    def write() -> str:
        return "written"

    return server


def called(revision, authorization, headers, tool="whoami"):
    """Return the text of a tool that a client with these headers calls."""
    with make_server([server_of(revision)], authorization=authorization) as running:
        url = running.url("/mcp")
        with package(revision).Client.http(url, headers=headers, timeout=PATIENCE) as client:
            return client.call_tool(tool).text


@pytest.mark.parametrize("revision", ERAS)
@pytest.mark.parametrize(("key", "principal"), [(ADA, "ada"), (BOB, "bob")])
@pytest.mark.parametrize(
    ("header", "scheme"), [("Authorization", "Bearer "), ("authorization", "bearer "), ("X-API-Key", "")]
)
def test_the_owner_of_a_key_is_the_principal(revision, key, principal, header, scheme):
    assert called(revision, ApiKeys(KEYS, header=header), {header: scheme + key}) == principal


@pytest.mark.parametrize("revision", ERAS)
@pytest.mark.parametrize(
    "headers", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": f"Basic {ADA}"}, {"X-API-Key": ADA}]
)
def test_without_a_known_key_the_request_is_refused(revision, headers):
    with pytest.raises(HttpError, match="401"):
        called(revision, ApiKeys(KEYS), headers)


@pytest.mark.parametrize("revision", ERAS)
def test_a_key_in_authorization_is_refused_where_another_header_has_it(revision):
    with pytest.raises(HttpError, match="401"):
        called(revision, ApiKeys(KEYS, header="X-API-Key"), {"Authorization": f"Bearer {ADA}"})


@pytest.mark.parametrize("revision", ERAS)
def test_a_tool_with_scopes_needs_a_key_that_has_them(revision):
    assert called(revision, ApiKeys(KEYS), {"Authorization": f"Bearer {BOB}"}, "write") == "written"
    with pytest.raises(HttpError, match="403"):
        called(revision, ApiKeys(KEYS), {"Authorization": f"Bearer {ADA}"}, "write")


@pytest.mark.parametrize("revision", ERAS)
def test_every_request_needs_the_required_scopes(revision):
    keys = ApiKeys(
        {ADA: Caller("ada", scopes=["all"]), BOB: "bob"}, required_scopes=["use"], implied_scopes={"all": ["use"]}
    )
    assert called(revision, keys, {"Authorization": f"Bearer {ADA}"}) == "ada"
    with pytest.raises(HttpError, match="403"):
        called(revision, keys, {"Authorization": f"Bearer {BOB}"})


@pytest.mark.parametrize("revision", ERAS)
def test_a_function_finds_the_caller(revision):
    def find(key):
        if key == BOB:
            scope = "files:write"
            raise MissingScope(scope)
        return "ada" if key == ADA else None

    assert called(revision, ApiKeys(find), {"Authorization": f"Bearer {ADA}"}) == "ada"
    with pytest.raises(HttpError, match="403"):
        called(revision, ApiKeys(find), {"Authorization": f"Bearer {BOB}"})
    with pytest.raises(HttpError, match="401"):
        called(revision, ApiKeys(find), {"Authorization": "Bearer other"})


@pytest.mark.parametrize(
    ("header", "sent", "challenge"),
    [
        ("Authorization", {}, "Bearer"),
        (
            "Authorization",
            {"Authorization": "Bearer wrong"},
            'Bearer error="invalid_token", error_description="the API key is unknown"',
        ),
        ("X-API-Key", {"X_API_Key": "wrong"}, "ApiKey"),
    ],
)
def test_a_refusal_has_a_challenge_without_metadata(header, sent, challenge):
    with endpoint(server_of(NEW), authorization=ApiKeys(KEYS, header=header)) as wire:
        answer = wire.post({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, **sent)
    assert answer.status == 401
    assert answer.headers["www-authenticate"] == challenge


@pytest.mark.parametrize("path", ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"])
def test_there_is_no_metadata(path):
    with endpoint(server_of(NEW), authorization=ApiKeys(KEYS)) as wire:
        assert wire.ask("GET", path=path).status == 404


@pytest.mark.parametrize(("size", "found"), [(16 * 1024, True), (16 * 1024 + 1, False)])
def test_a_long_key_is_not_looked_for(size, found):
    keys = []
    authorization = ApiKeys(keys.append, header="X-API-Key")
    with pytest.raises(Rejection):
        authorization.caller({"HTTP_X_API_KEY": "x" * size})
    assert bool(keys) is found


MISTAKES = {
    "a short key": (
        lambda: ApiKeys({"short": "ada"}),
        "at least 16 characters, got 5; run: openssl rand -hex 32",
    ),
    "a key that is no text": (lambda: ApiKeys({b"0123456789abcdef": "ada"}), "`keys` must map each key, a str"),
    "a caller that is none": (lambda: ApiKeys({ADA: None}), "`keys` must map each key, a str"),
    "no keys": (lambda: ApiKeys(ADA), "`keys` must map each key, a str"),
    "a header": (lambda: ApiKeys(KEYS, header="X API"), "`header` must be the name of a header, such as 'X-API-Key'"),
    "scopes": (lambda: ApiKeys(KEYS, required_scopes="use"), "required_scopes"),
}


@pytest.mark.parametrize(("mistake", "reason"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_explained_without_the_key(mistake, reason):
    with pytest.raises(UsageError) as caught:
        mistake()
    assert reason in str(caught.value)
    assert ADA not in str(caught.value)
