"""Twins of servers: which revisions are served, what is imported, and what the other side is told."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from typing import Any

import pytest
from bridge.wires import over_http
from checkout import REVISIONS
from mcp_bindings import NotExpressible, UnsupportedRevision, UsageError, serve
from mcp_bindings_runtime.bridge import server_twin
from mcp_bindings_runtime.errors import HttpError, ResponseError
from mcp_bindings_runtime.server.routing import Routes
from mcp_bindings_runtime.transports.memory import serve_in_thread
from support.revisions import HANDSHAKE, STATELESS, WITH_FORMS, WITH_PAGE_ERRORS
from support.scripted_peers import PATIENCE, Spoken, eventually, package, text_of

NEW = STATELESS[-1]
OLD = HANDSHAKE[-1]


def answering(revision: str, text: str, **options: Any) -> Any:
    """Return a server whose tools return a text."""
    mcp = package(revision)
    server = mcp.Server("s", "1", **options)

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params: Any, context: Any) -> Any:
        return mcp.types.CallToolResult(content=[mcp.types.TextContent(text=text)])

    return server


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_server_serves_all_revisions_or_those_of_its_option(revision: str) -> None:
    mcp = package(revision)
    assert mcp.Server("s", "1").revisions == tuple(reversed(REVISIONS))
    assert mcp.Server("s", "1", revisions=[mcp.REVISION]).revisions == (revision,)
    assert Routes([mcp.Server("s", "1", revisions=REVISIONS[:2])]).revisions == tuple(reversed(REVISIONS[:2]))


@pytest.mark.parametrize(
    ("revisions", "message"),
    [
        (["1999-01-01"], f"a server of {OLD} cannot serve '1999-01-01'; use one of {', '.join(reversed(REVISIONS))}"),
        ([], f"`revisions` must name one revision at least, such as '{OLD}'"),
        (OLD, "`revisions` must be a list"),
    ],
)
def test_revisions_that_cannot_be_served_are_refused_at_once(revisions: Any, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        package(OLD).Server("s", "1", revisions=revisions)
    assert str(caught.value).startswith(message)


def test_a_server_limited_to_its_own_revision_refuses_others() -> None:
    server = answering(NEW, "new", revisions=[NEW])
    with pytest.raises((UnsupportedRevision, ResponseError)):
        package(OLD).Client.in_memory(server, timeout=PATIENCE, revisions=[OLD]).connect()


@pytest.mark.parametrize("client", REVISIONS)
def test_a_revision_is_served_by_its_own_server_else_by_a_twin_of_the_nearest_newer_one(client: str) -> None:
    given = [REVISIONS[1], REVISIONS[3]]
    transport = serve_in_thread(lambda end: serve.over(end, *(answering(each, each) for each in given)))
    with package(client).Client.over(transport, timeout=PATIENCE) as made:
        newer = [each for each in given if each >= client]
        assert text_of(made.call_tool("x")) == (newer[0] if newer else given[-1])


@pytest.mark.parametrize("client", REVISIONS)
@pytest.mark.parametrize("server", REVISIONS)
def test_a_server_declares_only_capabilities_of_the_protocol(server: str, client: str) -> None:
    mcp = package(server)
    made = mcp.Server("s", "1", **({"tasks": mcp.MemoryTasks()} if hasattr(mcp, "MemoryTasks") else {}))
    made.tool(lambda: 1, name="one", description="One.")
    made.prompt(lambda city: city, name="ask", description="Ask.")
    made.completion(prompt="ask", argument="city")(lambda value: [])
    with package(client).Client.in_memory(made, timeout=PATIENCE) as connected:
        declared = connected.binding.codec.unstructure(connected.server_capabilities)
    # Those of a later revision may be among them; clients ignore what they do not know.
    known = {
        path.partition(".")[0] for each in REVISIONS for path in package(each).Client.binding.capabilities["server"]
    }
    assert declared.keys() <= known


def test_a_client_of_the_same_revision_costs_no_import() -> None:
    program = f"""
import sys
from mcp_bindings import v{OLD.replace("-", "_")} as mcp
server = mcp.Server("s", "1")
@server.tool
def add(a: int) -> int:
    return a
with mcp.Client.in_memory(server) as client:
    client.call_tool("add", {{"a": 1}})
found = [name for name in sys.modules if ".bridge" in name]
found += [name for name in sys.modules if name.startswith("mcp_bindings.v") and not name.startswith(mcp.__name__)]
sys.exit(", ".join(found) or 0)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_negotiated_revision_and_each_kind_of_loss_are_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "mcp_bindings.runtime")
    mcp = package(OLD)
    server = mcp.Server("s", "1")

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params: Any, context: Any) -> Any:
        link = mcp.types.ResourceLink(uri="file:///a", name="a")
        return mcp.types.CallToolResult(content=[link, link])

    with package(HANDSHAKE[0]).Client.in_memory(server, timeout=PATIENCE) as client:
        client.call_tool("x")
        client.call_tool("x")
    found = [each for each in caplog.records if "peer" in each.message]
    assert [each.levelname for each in found] == ["INFO", "WARNING"]
    assert found[0].message == f"the peer uses {HANDSHAKE[0]}, this program {OLD}; messages are converted"
    assert found[1].message.startswith(
        f"tools/call to a peer of {HANDSHAKE[0]}: /content/0 was dropped: the target has no links"
    )


def test_a_handler_finds_the_losses_of_its_connection() -> None:
    mcp = package(OLD)
    server = mcp.Server("s", "1")
    ledgers: list[Any] = []

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params: Any, context: Any) -> Any:
        ledgers.append(context.ledger)
        assert context.peer_revision == HANDSHAKE[0]
        return mcp.types.CallToolResult(content=[mcp.types.ResourceLink(uri="file:///a", name="a")])

    with package(HANDSHAKE[0]).Client.in_memory(server, timeout=PATIENCE) as client:
        client.call_tool("x")
        (loss,) = ledgers[0].losses
        assert (loss.direction, loss.method, loss.action) == ("server->client", "tools/call", "dropped")


def test_a_handler_finds_the_differences_of_its_request_if_there_is_no_session() -> None:
    mcp, client_mcp = package(HANDSHAKE[0]), package(STATELESS[-1])
    server = mcp.Server("s", "1")
    entries: list[Any] = []

    @server.handler(mcp.methods.COMPLETE)
    def complete(params: Any, context: Any) -> Any:
        entries.append(context.ledger.entries)
        return mcp.types.CompleteResult(completion=mcp.types.CompleteResultCompletion(values=[]))

    types = client_mcp.types
    reference, argument = types.PromptReference(name="p"), types.CompleteRequestParamsArgument(name="a", value="")
    with client_mcp.Client.in_memory(server, timeout=PATIENCE) as client:
        client.complete(reference, argument, types.CompleteRequestParamsContext(arguments={"other": "x"}))
        client.complete(reference, argument)
    assert [each.pointer for each in entries[0]] == ["/params/context"]
    assert entries[1] == ()


def test_a_question_without_a_form_is_refused_before_anything_is_sent() -> None:
    mcp, client_revision = package(OLD), next(each for each in HANDSHAKE if each not in WITH_FORMS)
    server = mcp.Server("s", "1")
    errors: list[NotExpressible] = []

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params: Any, context: Any) -> Any:
        schema = mcp.types.ElicitRequestFormParamsRequestedSchema(properties={})
        try:
            context.request(mcp.methods.ELICIT, mcp.types.ElicitRequestFormParams(message="?", requested_schema=schema))
        except NotExpressible as error:
            errors.append(error)
            raise
        raise AssertionError

    with package(client_revision).Client.in_memory(server, timeout=PATIENCE) as client:
        with pytest.raises(ResponseError) as caught:
            client.call_tool("x")
        (error,) = errors
        assert (error.method, error.section) == ("elicitation/create", "client/elicitation")
        assert caught.value.code == -32603
        assert caught.value.data["reason"] == error.reason


@pytest.mark.parametrize("action", ["accept", "decline"])
def test_pages_that_a_tool_requires_are_requests_for_input(action: str) -> None:
    (own,) = WITH_PAGE_ERRORS
    mcp, types = package(own), package(NEW).types
    server = mcp.Server("s", "1")
    calls, seen = [], []

    @server.tool
    def buy() -> str:
        calls.append(1)
        if len(calls) == 1:
            pages = [
                mcp.types.ElicitRequestURLParams(message="?", url=f"https://{each}.example/", elicitation_id=each)
                for each in ("pay", "sign")
            ]
            raise mcp.URLElicitationRequired(pages)
        return "bought"

    def visit(params: Any, context: Any) -> Any:
        seen.append(params.url)
        return types.ElicitResult(action=action)

    with package(NEW).Client.in_memory(server, timeout=PATIENCE, elicitation_url=visit) as client:
        if action == "accept":
            assert text_of(client.call_tool("buy")) == "bought"
            assert seen == ["https://pay.example/", "https://sign.example/"]
            return
        with pytest.raises(ResponseError, match="needs the user to visit a page") as caught:
            client.call_tool("buy")
        # 2026-07-28 reserves the code -32042.
        assert caught.value.code == -32603
        assert seen == ["https://pay.example/"]


def test_pages_that_a_tool_requires_need_the_capability() -> None:
    (own,) = WITH_PAGE_ERRORS
    mcp = package(own)
    server = mcp.Server("s", "1")

    @server.tool
    def buy() -> str:
        page = mcp.types.ElicitRequestURLParams(message="?", url="https://pay.example/", elicitation_id="1")
        raise mcp.URLElicitationRequired([page])

    with package(NEW).Client.in_memory(server, timeout=PATIENCE) as client:
        with pytest.raises(ResponseError, match=r"needs the capability 'elicitation") as caught:
            client.call_tool("buy")
        assert caught.value.code == -32021


@pytest.mark.parametrize("client_revision", HANDSHAKE)
@pytest.mark.parametrize("given", [{}, {"reason": "a terminal is needed"}])
def test_a_tool_that_needs_an_undeclared_capability_says_so_to_models(client_revision: str, given: Any) -> None:
    mcp = package(NEW)
    server = mcp.Server("s", "1")

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params: Any, context: Any) -> Any:
        raise ResponseError(-32021, "Missing required client capability", json.loads(params.name))

    @server.handler(mcp.methods.GET_PROMPT)
    def prompt(params: Any, context: Any) -> Any:
        raise ResponseError(-32021, "Missing required client capability", json.loads(params.name))

    lacking = json.dumps({"requiredCapabilities": {"sampling": {}}, **given})
    extension = json.dumps({"requiredCapabilities": {"extensions": {"x": {}}}})
    with package(client_revision).Client.in_memory(server, timeout=PATIENCE) as client:
        result = client.call_tool(lacking)
        assert result.is_error
        assert text_of(result) == given.get("reason", "this needs 'sampling', which the client has not declared")
        for fail in (lambda: client.call_tool(extension), lambda: client.get_prompt(lacking)):
            with pytest.raises(ResponseError) as caught:
                fail()
            assert caught.value.code == -32603


def test_a_result_may_ask_for_input_so_often() -> None:
    mcp = package(NEW)
    server = mcp.Server("s", "1")
    runs: list[Any] = []

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params: Any, context: Any) -> Any:
        runs.append(params.input_responses)
        return mcp.types.InputRequiredResult(result_type="input_required", request_state=str(len(runs)))

    with package(OLD).Client.in_memory(server, timeout=PATIENCE) as client:
        with pytest.raises(ResponseError) as caught:
            client.call_tool("x")
        assert caught.value.data["reason"] == f"the handler requested input {server_twin._MAX_ROUNDS} times"
    assert len(runs) == server_twin._MAX_ROUNDS


def test_a_result_that_asks_becomes_requests_to_an_older_client() -> None:
    mcp, old = package(NEW), package(OLD)
    server = mcp.Server("s", "1")

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params: Any, context: Any) -> Any:
        if params.request_state is None:
            return mcp.types.InputRequiredResult(
                result_type="input_required",
                input_requests={"where": mcp.types.ListRootsRequest()},
                request_state="kept",
            )
        assert params.request_state == "kept"
        (root,) = params.input_responses["where"].roots
        return mcp.types.CallToolResult(content=[mcp.types.TextContent(text=root.uri)])

    with old.Client.in_memory(server, timeout=PATIENCE, roots=["/tmp"]) as client:
        assert text_of(client.call_tool("x")) == "file:///tmp"


def test_both_eras_in_one_message_are_refused_and_the_connection_goes_on() -> None:
    spoken = Spoken(serve_in_thread(answering(NEW, "new").serve))
    meta = {"io.modelcontextprotocol/protocolVersion": NEW, "io.modelcontextprotocol/clientCapabilities": {}}
    offer = {"protocolVersion": OLD, "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
    spoken.request("initialize", 1, {**offer, "_meta": meta})
    assert spoken.hear()["error"]["code"] == -32601
    spoken.request("server/discover", 2, {"_meta": meta})
    assert spoken.hear()["result"]["supportedVersions"] == [*reversed(REVISIONS)]
    spoken.request("initialize", 3, offer)
    assert spoken.hear()["result"]["protocolVersion"] == OLD
    spoken.notify("notifications/initialized")
    spoken.request("tools/call", 4, {"name": "x"})
    assert spoken.hear()["result"]["content"][0]["text"] == "new"
    spoken.transport.close()


def test_closing_a_server_closes_the_connections_of_its_twins() -> None:
    server = answering(NEW, "new")
    with package(OLD).Client.in_memory(server, timeout=PATIENCE) as client:
        assert text_of(client.call_tool("x")) == "new"
        server.close()
        eventually(lambda: client.connection.closed)


@pytest.mark.parametrize("client", REVISIONS[1:])
@pytest.mark.parametrize("server", [OLD, NEW])
def test_a_tool_needs_its_scopes_on_any_wire(server: str, client: str) -> None:
    made = package(server).Server("s", "1")

    @made.tool(scopes=["x"])
    def secret() -> str:
        return "secret"

    with over_http(made, client) as connect, connect() as found:
        with pytest.raises(HttpError) as caught:
            found.call_tool("secret")
        assert caught.value.status == 403
