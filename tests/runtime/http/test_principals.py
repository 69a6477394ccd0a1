"""What a server keeps belongs to the principal of an access token: another one with a valid token gets nothing of it."""

from __future__ import annotations

from typing import Any

import pytest
from mcp_bindings import Authorization
from mcp_bindings.testing import LocalSite, TokenIssuer
from mcp_bindings_runtime.errors import UsageError
from support.raw_http_client import NEW, Wire, endpoint, modern, request
from support.revisions import HANDSHAKE
from support.scripted_peers import package

RESOURCE = "https://mcp.example/mcp"
LATEST = HANDSHAKE[-1]
ISSUER = TokenIssuer()


def bearer(principal: str, *scopes: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {ISSUER.token(principal, resource=RESOURCE, scopes=scopes)}"}


def authorization() -> Authorization:
    return Authorization(ISSUER.validator(), resource=RESOURCE)


def test_a_request_that_waits_for_input_is_continued_by_its_sender_alone():
    mcp = package(NEW)
    server = mcp.Server("s", "1")

    @server.handler(mcp.methods.CALL_TOOL)
    def ask(params: Any, context: Any) -> Any:
        roots = context.request(mcp.methods.LIST_ROOTS).roots
        text = f"{context.principal} has {len(roots)} roots"
        return mcp.CallToolResult(content=[mcp.TextContent(text=text)])

    def call(wire: Wire, principal: str, **more: Any) -> Any:
        params = {"name": "ask", "arguments": {}, **more}
        message, headers = modern(request("tools/call", 1, params), {"roots": {}})
        return wire.post(message, **headers, **bearer(principal))

    with endpoint(server, authorization=authorization()) as wire:
        asked = call(wire, "ada").json["result"]
        answers = {name: {"roots": []} for name in asked["inputRequests"]}
        more = {"requestState": asked["requestState"], "inputResponses": answers}
        assert call(wire, "eve", **more).json["error"]["code"] == -32602
        # Another token of the same principal will do.
        assert call(wire, "ada", **more).text == "ada has 0 roots"


def test_a_session_is_for_its_principal_with_any_of_its_tokens():
    mcp = package(LATEST)
    server = mcp.Server("s", "1")
    server.tools.add(lambda: "done", "echo")
    with endpoint(server, authorization=authorization()) as wire:
        wire.add(bearer("ada", "a"))
        wire.initialize(LATEST)
        message = request("tools/call", 1, {"name": "echo"})
        for principal, status in (("eve", 404), ("ada", 200), ("client:ada", 404)):
            stolen = Wire(wire.port)
            stolen.headers = {**wire.headers, **bearer(principal)}
            assert stolen.post(message).status == status
            if status != 200:
                assert stolen.ask("GET", headers={"Accept": "text/event-stream"}).status == 404
                assert stolen.ask("DELETE").status == 404


@pytest.mark.parametrize("revision", [LATEST, NEW])
def test_an_endpoint_that_requires_a_user_refuses_requests_without_one(revision: str):
    mcp = package(revision)
    server = mcp.Server("s", "1")
    server.tools.add(lambda context: context.principal, "whoami")
    app = server.wsgi_app(require_user=True)

    def site(environ: dict[str, Any], start_response: Any) -> Any:
        user = {"ada": "ada", "nobody": None, "empty": ""}.get(environ.get("HTTP_X_USER", ""))
        with_user = {**environ, "REMOTE_USER": user} if "HTTP_X_USER" in environ else environ
        return app(with_user, start_response)

    with LocalSite(site) as served:
        for headers in ({}, {"X-User": "nobody"}, {"X-User": "empty"}):
            with pytest.raises(mcp.HttpError, match="the request has no user") as caught:
                mcp.Client.http(served.url, headers=headers).connect()
            assert caught.value.status == 401
        with mcp.Client.http(served.url, headers={"X-User": "ada"}) as client:
            assert client.call_tool("whoami").text == "ada"


def test_a_required_user_needs_a_program_that_sets_it():
    server = package(NEW).Server("s", "1")
    with pytest.raises(UsageError, match="`require_user` is for endpoints without `authorization`"):
        server.wsgi_app(require_user=True, authorization=authorization())
    with pytest.raises(UsageError, match="nothing sets REMOTE_USER here; pass `authorization`"):
        server.run_http(require_user=True)


@pytest.mark.parametrize("claims", [{"sub": None, "client_id": "ada"}, {"sub": None, "azp": "ada", "client_id": None}])
def test_a_client_does_not_become_the_user_of_the_same_name(claims: dict[str, Any]):
    server = package(LATEST).Server("s", "1")
    server.tools.add(lambda: "done", "echo")
    with endpoint(server, authorization=authorization()) as wire:
        wire.add(bearer("ada"))
        wire.initialize(LATEST)
        token = ISSUER.token("", resource=RESOURCE, claims=claims)
        wire.add({"Authorization": f"Bearer {token}"})
        assert wire.post(request("tools/call", 1, {"name": "echo"})).status == 404


def test_the_headers_of_a_tool_are_those_that_the_caller_sees():
    """A handler may list other tools for other callers; what was listed for one is not used for another."""
    mcp = package(NEW)
    server = mcp.Server("s", "1")

    def schema(header: str) -> Any:
        return {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": header}}}

    @server.handler(mcp.methods.LIST_TOOLS)
    def tools(params: Any, context: Any) -> Any:
        header = "Admin-Region" if "admin" in context.caller.scopes else "Region"
        listed = {"tools": [{"name": "t", "inputSchema": schema(header)}], "ttlMs": 0, "cacheScope": "private"}
        return server.binding.codec.structure({**listed, "resultType": "complete"}, mcp.ListToolsResult)

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params: Any, context: Any) -> Any:
        return mcp.CallToolResult(content=[mcp.TextContent(text="done")])

    message, headers = modern(request("tools/call", 1, {"name": "t", "arguments": {"region": "eu"}}))
    with endpoint(server, authorization=authorization()) as wire:
        for _ in range(2):
            for scopes, name in (((), "Region"), (("admin",), "Admin-Region")):
                other = {"Region": "Admin-Region", "Admin-Region": "Region"}[name]
                sent = {**headers, **bearer("ada", *scopes)}
                assert wire.post(message, **sent, **{f"Mcp-Param-{name}": "eu"}).status == 200
                assert wire.post(message, **sent, **{f"Mcp-Param-{other}": "eu"}).status == 400
