"""Scopes of tools, prompts and resources: an operation is refused whole, with all that it needs, before it has an effect."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mcp_bindings import Authorization, Caller, UsageError
from mcp_bindings_runtime.server.operation_scopes import operation_scopes
from support.raw_http_client import NEW, Wire, endpoint, modern, notification, request
from support.revisions import HANDSHAKE, STREAMABLE, WITH_BATCHES, those_with_methods
from support.scripted_peers import package

RESOURCE = "https://mcp.example/mcp"
METADATA = "https://mcp.example/.well-known/oauth-protected-resource/mcp"
LATEST = HANDSHAKE[-1]
ERAS = [LATEST, NEW]


def validate(token: str) -> Caller | str | None:
    """A token is ``principal`` or ``principal.scope.scope``."""
    principal, _, scopes = token.partition("-")
    if principal == "unknown":
        return principal
    return Caller(principal, scopes=[each.replace("_", ":") for each in scopes.split(".") if each], claims={"org": "x"})


def guarded(**options: Any) -> Authorization:
    return Authorization(validate, resource=RESOURCE, authorization_servers=["https://as.example"], **options)


def bearer(token: str) -> str:
    """Return the header for a token, in which colons are not allowed."""
    return f"Bearer {token.replace(':', '_')}"


def scoped(revision: str) -> tuple[Any, list[str]]:
    """Return a server whose features need scopes, and what its functions have done."""
    server = package(revision).Server("s", "1")
    done: list[str] = []

    @server.tool(scopes=["files:write"])
    def write() -> str:
        done.append("write")
        return "written"

    @server.tool(scopes={"files:write", "files:admin"})
    def erase() -> str:
        done.append("erase")
        return "erased"

    @server.tool
    def look() -> str:
        done.append("look")
        return "seen"

    @server.prompt(scopes=["prompts:use"])
    def plan(goal: str) -> str:
        return f"Plan {goal}"

    @server.resource("data://secret", scopes=["data:secret"])
    def secret() -> str:
        return "secret"

    @server.resource_template("data://of/{name}", scopes=["data:read"])
    def of(name: str) -> str:
        return name

    @server.resource_template("data://of/{number}x")
    def numbered(number: int) -> str:
        return str(number)

    @server.completion(prompt="plan", argument="goal")
    def goals(text: str) -> list[str]:
        return ["peace"]

    return server, done


def using(wire: Wire, revision: str, token: str) -> Any:
    """Return a function that sends a request with a token; in a session, if the revision has them."""
    headers = {"Authorization": bearer(token)}
    if revision != NEW:
        wire.add(headers)
        wire.initialize(revision)

    def send(method: str, **params: Any) -> Any:
        message = request(method, 7, params)
        if revision != NEW:
            return wire.post(message)
        whole, more = modern(message)
        return wire.post(whole, **headers, **more)

    return send


def challenge(answer: Any) -> str:
    found: str = answer.headers["www-authenticate"]
    return found


OPERATIONS = [
    ("tools/call", {"name": "write"}, "files:write"),
    ("tools/call", {"name": "erase"}, "files:admin files:write"),
    ("prompts/get", {"name": "plan", "arguments": {"goal": "peace"}}, "prompts:use"),
    ("resources/read", {"uri": "data://secret"}, "data:secret"),
    ("resources/read", {"uri": "data://of/ada"}, "data:read"),
    ("resources/read", {"uri": "data://of/1x"}, "data:read"),
    (
        "completion/complete",
        {"ref": {"type": "ref/prompt", "name": "plan"}, "argument": {"name": "goal", "value": ""}},
        "prompts:use",
    ),
]


@pytest.mark.parametrize("revision", ERAS)
@pytest.mark.parametrize(("method", "params", "needed"), OPERATIONS)
def test_an_operation_is_refused_with_all_scopes_that_it_needs_and_allowed_with_them(revision, method, params, needed):
    server, done = scoped(revision)
    with endpoint(server, authorization=guarded()) as wire:
        refused = using(wire, revision, "ada-files:read")(method, **params)
        assert (refused.status, done) == (403, [])
        header = challenge(refused)
        assert 'error="insufficient_scope"' in header
        assert f'scope="{needed}"' in header
        assert f'resource_metadata="{METADATA}"' in header
        assert 'error_description="' in header
        granted = using(Wire(wire.port), revision, f"ada-{needed.replace(' ', '.')}")(method, **params)
        assert granted.status == 200
        assert "result" in granted.json


@pytest.mark.parametrize("revision", ERAS)
def test_what_needs_no_scope_needs_none(revision):
    server, done = scoped(revision)
    with endpoint(server, authorization=guarded()) as wire:
        send = using(wire, revision, "ada-")
        assert send("tools/call", name="look").text == "seen"
        assert len(send("tools/list").json["result"]["tools"]) == 3
        assert send("tools/call", name="nosuch").status == 200
        assert done == ["look"]


@pytest.mark.parametrize("revision", [each for each in STREAMABLE if each in those_with_methods("resources/subscribe")])
def test_a_subscription_to_a_resource_needs_its_scopes(revision):
    server, _ = scoped(revision)
    with endpoint(server, authorization=guarded()) as wire:
        assert using(wire, revision, "ada-")("resources/subscribe", uri="data://secret").status == 403
        granted = using(Wire(wire.port), revision, "ada-data:secret")("resources/subscribe", uri="data://secret")
        assert granted.status == 200


def test_a_stream_of_updates_needs_the_scopes_of_all_its_resources():
    server, _ = scoped(NEW)
    whole, headers = modern(
        request(
            "subscriptions/listen", 1, {"notifications": {"resourceSubscriptions": ["data://secret", "data://of/a"]}}
        )
    )
    with endpoint(server, authorization=guarded()) as wire:
        refused = wire.post(whole, Authorization=bearer("ada-data:read"), **headers)
        assert refused.status == 403
        assert 'scope="data:read data:secret"' in challenge(refused)
        stream = wire.stream(whole, Authorization=bearer("ada-data:read.data:secret"), **headers)
        assert stream.message()["method"] == "notifications/subscriptions/acknowledged"


@pytest.mark.parametrize("revision", WITH_BATCHES)
def test_a_batch_is_judged_whole(revision):
    server, done = scoped(revision)

    def named(number: int, name: str) -> Any:
        return request("tools/call", number, {"name": name})

    batch = [named(1, "look"), named(2, "write"), notification("notifications/initialized"), named(3, "erase")]
    with endpoint(server, authorization=guarded()) as wire:
        wire.add({"Authorization": bearer("ada-files:read")})
        wire.initialize(revision)
        for body in (batch, b" \n" + json.dumps(batch).encode(), [batch[0], {"id": 9}, batch[3]]):
            refused = wire.post(body)
            assert (refused.status, done) == (403, [])
            assert 'scope="files:admin files:write"' in challenge(refused)
        wire.add({"Authorization": bearer("ada-files:admin.files:write")})
        assert {each["id"] for each in wire.post(batch).json} == {1, 2, 3}
        assert sorted(done) == ["erase", "look", "write"]


def test_the_last_of_two_equal_keys_counts_as_for_the_handler():
    server, done = scoped(LATEST)
    with endpoint(server, authorization=guarded()) as wire:
        wire.add({"Authorization": bearer("ada-")})
        wire.initialize(LATEST)
        twice = b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"name":"look"}'
        for method in (b"tools/call", b"tools\\u002fcall"):
            last = b',"method":"' + method + b'","params":{"name":"write"}}'
            assert wire.post(twice + last).status == 403
        assert done == []


def test_a_request_over_the_older_transport_is_refused_by_the_status_of_its_post():
    server, done = scoped(LATEST)
    token = {"Authorization": bearer("ada-")}
    with endpoint(server, authorization=guarded()) as wire:
        stream = Wire(wire.port, "/sse").stream(**token)
        place = stream.next().fields["data"]

        def post(message: Any) -> Any:
            return wire.ask("POST", json.dumps(message).encode(), {"Content-Type": "application/json", **token}, place)

        params = {"protocolVersion": LATEST, "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
        assert post(request("initialize", 0, params)).status == 202
        stream.message()
        assert post(notification("notifications/initialized")).status == 202
        refused = post(request("tools/call", 1, {"name": "write"}))
        assert (refused.status, done) == (403, [])
        assert 'scope="files:write"' in challenge(refused)
        # The id is free again.
        assert post(request("tools/call", 1, {"name": "look"})).status == 202
        assert stream.message()["result"]["content"][0]["text"] == "seen"
        stream.close()


def test_scopes_of_the_server_are_needed_for_every_request_and_asked_for_together_with_those_of_the_operation():
    servers = [scoped(each)[0] for each in ERAS]
    whole, headers = modern(request("tools/call", 1, {"name": "write"}))
    with endpoint(*servers, authorization=guarded(required_scopes=["mcp:use"], scopes=["files:read"])) as wire:
        answer = wire.ask("GET", path="/.well-known/oauth-protected-resource")
        assert answer.json["scopes_supported"] == ["files:read", "mcp:use"]
        assert 'scope="mcp:use"' in challenge(wire.post(whole, **headers))
        refused = wire.post(whole, Authorization=bearer("ada-files:write"), **headers)
        assert refused.status == 403
        assert 'scope="files:write mcp:use"' in challenge(refused)
        wire.add({"Authorization": bearer("ada-")})
        params = {"protocolVersion": LATEST, "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
        for refused in (
            wire.post(request("initialize", 0, params)),
            wire.post(notification("notifications/initialized")),
            wire.ask("GET", headers={"Accept": "text/event-stream"}),
            wire.ask("DELETE"),
            wire.ask("GET", headers={"Accept": "text/event-stream"}, path="/sse"),
            wire.ask("POST", b"{}", {"Content-Type": "application/json"}, "/messages"),
        ):
            assert (refused.status, 'scope="mcp:use"' in challenge(refused)) == (403, True)
        assert wire.post(whole, **{**headers, "Authorization": bearer("ada-files:write.mcp:use")}).text == "written"


def test_a_broad_scope_includes_the_narrow_ones():
    server, _ = scoped(NEW)
    implied = {"files:admin": ["files:write"], "root": ["files:admin"]}
    whole, headers = modern(request("tools/call", 1, {"name": "erase"}))
    with endpoint(server, authorization=guarded(implied_scopes=implied, required_scopes=["files:write"])) as wire:
        for scope, status in (("files:admin", 200), ("root", 200), ("files:write", 403)):
            assert wire.post(whole, Authorization=bearer(f"ada-{scope}"), **headers).status == status


def test_a_function_that_does_not_know_the_scopes_of_a_token_allows_nothing_that_needs_one(caplog):
    server, done = scoped(NEW)
    whole, headers = modern(request("tools/call", 1, {"name": "write"}))
    with endpoint(server, authorization=guarded()) as wire, caplog.at_level("WARNING"):
        assert wire.post(whole, Authorization=bearer("unknown"), **headers).status == 403
        look, headers = modern(request("tools/call", 1, {"name": "look"}))
        assert wire.post(look, Authorization=bearer("unknown"), **headers).text == "seen"
    assert done == ["look"]
    assert "must return a Caller with its scopes" in caplog.text


def test_an_endpoint_without_authorization_refuses_what_needs_a_scope():
    server, done = scoped(NEW)
    whole, headers = modern(request("tools/call", 1, {"name": "write"}))
    with endpoint(server) as wire:
        refused = wire.post(whole, **headers)
        assert (refused.status, done) == (403, [])
        assert "has no `authorization`" in refused.json["error"]["data"]["reason"]


@pytest.mark.parametrize("revision", ERAS)
def test_in_memory_scopes_are_ignored_which_is_logged_once(revision, caplog):
    server, done = scoped(revision)
    with caplog.at_level("INFO"):
        for _ in range(2):
            with package(revision).Client.in_memory(server) as client:
                assert client.call_tool("write").content[0].text == "written"
    assert done == ["write", "write"]
    assert caplog.text.count("scopes of tools, resources and prompts are ignored") == 1


@pytest.mark.parametrize("revision", ERAS)
def test_handlers_see_the_scopes_and_claims_of_the_token(revision):
    mcp = package(revision)
    server = mcp.Server("s", "1")

    @server.handler(mcp.methods.CALL_TOOL)
    def who(params: Any, context: Any) -> Any:
        caller = context.caller
        assert context.principal == caller.principal
        text = f"{caller.principal} {sorted(caller.scopes)} {dict(caller.claims)}"
        return mcp.CallToolResult(content=[mcp.TextContent(text=text)])

    with endpoint(server, authorization=guarded()) as wire:
        send = using(wire, revision, "ada-b.a")
        assert send("tools/call", name="who").text == "ada ['a', 'b'] {'org': 'x'}"


def test_a_later_request_of_a_session_counts_with_its_own_token():
    server, done = scoped(LATEST)
    with endpoint(server, authorization=guarded()) as wire:
        send = using(wire, LATEST, "ada-files:write")
        assert send("tools/call", name="write").text == "written"
        wire.add({"Authorization": bearer("ada-")})
        assert send("tools/call", name="write").status == 403
        assert done == ["write"]


@pytest.mark.parametrize("scopes", ["files:read", ["two words"], ['"'], [""], [7], ["offline_access"]])
def test_wrong_scopes_are_told_where_they_are_declared(scopes):
    server = package(NEW).Server("s", "1")
    with pytest.raises(UsageError, match="scope"):
        server.tools.add(lambda: "x", "x", scopes=scopes)
    with pytest.raises(UsageError, match="scope"):
        guarded(required_scopes=scopes)
    assert not server.has_scopes


def test_things_without_scopes_need_none():
    server = package(NEW).Server("s", "1")
    server.resources.add_text("data://a", "a", scopes=["data:read"])
    server.resources.add_bytes("data://b", b"b", scopes=["data:read"])
    server.resources.add_file("data://c", "c.txt", scopes=["data:read"])
    for uri in ("data://a", "data://b", "data://c"):
        assert operation_scopes(server, "resources/read", {"uri": uri}) == {"data:read"}
    for method, params in (("resources/read", {"uri": 7}), ("resources/read", None), ("tools/call", []), ("x", {})):
        assert operation_scopes(server, method, params) == frozenset()
