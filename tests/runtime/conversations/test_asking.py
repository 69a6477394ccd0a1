"""A server that asks its client something while it handles a request of that client."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Lock

import pytest
from mcp_bindings_runtime.errors import ProtocolError, RequestTimeout, ResponseError, UsageError
from support.echo_server import echo_server
from support.revisions import HANDSHAKE, STATELESS
from support.scripted_peers import PATIENCE, eventually, package, scripted_client, scripted_server, text_of

each_revision = pytest.mark.parametrize("revision", [*HANDSHAKE, *STATELESS])
in_sessions = pytest.mark.parametrize("revision", HANDSHAKE)
LATEST = HANDSHAKE[-1]


def schema(mcp):
    cls = getattr(mcp, "ElicitRequestFormParamsRequestedSchema", None) or mcp.ElicitRequestParamsRequestedSchema
    return cls(properties={})


def message(mcp, text):
    return mcp.types.SamplingMessage(role="user", content=mcp.types.TextContent(text=text))


def asking_pair(revision, **options):
    """A server whose tool asks all that there is to ask, and a client that answers."""
    mcp = package(revision)
    server = mcp.Server("s", "1")
    client = mcp.Client.in_memory(server, timeout=PATIENCE, **options)

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params, context):
        n = params.arguments["n"]
        found = [context.list_roots().roots[0].name]
        found.append(context.create_message([message(mcp, f"m{n}")], 10).content.text)
        if hasattr(context, "elicit"):
            found.append(context.elicit(f"e{n}", schema(mcp.types)).content["said"])
        return mcp.types.CallToolResult(content=[mcp.types.TextContent(text=" ".join(found))])

    @client.handler(mcp.methods.LIST_ROOTS)
    def roots(params, context):
        return mcp.types.ListRootsResult(roots=[mcp.types.Root(uri="file:///r", name="root")])

    @client.handler(mcp.methods.CREATE_MESSAGE)
    def sample(params, context):
        (asked,) = params.messages
        block = asked.content
        return mcp.types.CreateMessageResult(
            role="assistant", model="m", content=mcp.types.TextContent(text="re:" + block.text)
        )

    if hasattr(mcp.methods, "ELICIT"):

        @client.handler(mcp.methods.ELICIT)
        def elicit(params, context):
            return mcp.types.ElicitResult(action="accept", content={"said": "re:" + params.message})

    return client, ["root", "re:m{}", *(["re:e{}"] if hasattr(mcp.methods, "ELICIT") else [])]


@each_revision
def test_a_tool_asks_for_roots_a_message_and_input(revision):
    client, expected = asking_pair(revision)
    with client:
        assert text_of(client.call_tool("x", {"n": 1})) == " ".join(expected).format(1, 1)


@each_revision
def test_eight_threads_have_the_server_ask_at_once(revision):
    client, expected = asking_pair(revision)
    with client, ThreadPoolExecutor(8) as pool:
        found = pool.map(lambda n: text_of(client.call_tool("x", {"n": n})), range(80))
        assert list(found) == [" ".join(expected).format(n, n) for n in range(80)]


@in_sessions
def test_questions_within_questions(revision):
    mcp = package(revision)
    server, seen = echo_server(revision)
    client = mcp.Client.in_memory(server, timeout=PATIENCE)
    depth = []

    @client.handler(mcp.methods.LIST_ROOTS)
    def roots(params, context):
        depth.append(None)
        # Below the fourth question the tool has an answer without asking.
        inner = {"ask": 0} if len(depth) < 4 else {"n": "bottom"}
        found = text_of(client.call_tool("echo", inner))
        return mcp.types.ListRootsResult(roots=[mcp.types.Root(uri="file:///r", name=found + "+")])

    with client:
        assert text_of(client.call_tool("echo", {"ask": 0})) == "bottom++++"
    assert seen.most == 5


@in_sessions
def test_a_client_that_did_not_declare_it_is_not_asked(revision):
    mcp = package(revision)
    server = mcp.Server("s", "1")
    raised = []

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params, context):
        try:
            context.list_roots()
        except UsageError as fault:
            raised.append(str(fault))
        return mcp.types.CallToolResult(content=[])

    with mcp.Client.in_memory(server, timeout=PATIENCE) as client:
        client.call_tool("x", {})
    assert raised == ["roots/list needs the capability 'roots', which the client has not declared"]


@in_sessions
def test_what_a_clients_handler_refuses_reaches_the_servers_handler(revision):
    mcp = package(revision)
    server = mcp.Server("s", "1")
    client = mcp.Client.in_memory(server, timeout=PATIENCE)

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params, context):
        try:
            context.list_roots()
        except ResponseError as error:
            return mcp.types.CallToolResult(content=[mcp.types.TextContent(text=str(error))])

    @client.handler(mcp.methods.LIST_ROOTS)
    def roots(params, context):
        raise ResponseError(-1, "the user said no")

    with client:
        assert text_of(client.call_tool("x", {})) == "the user said no (-1)"


@pytest.mark.parametrize(("timeout", "own"), [(0.3, {}), (PATIENCE, {"timeout": 0.3})], ids=["server", "request"])
def test_an_answer_that_takes_too_long_is_not_waited_for(timeout, own):
    mcp = package(LATEST)
    server = mcp.Server("s", "1", timeout=timeout)
    client = mcp.Client.in_memory(server, timeout=PATIENCE)
    asked, cancelled = [], []

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params, context):
        while not asked:
            # Its time may be over before the client handles it.
            with pytest.raises(RequestTimeout):
                context.list_roots(**own)
        return mcp.types.CallToolResult(content=[])

    @client.handler(mcp.methods.LIST_ROOTS)
    def roots(params, context):
        asked.append(True)
        eventually(lambda: context.cancelled)
        cancelled.append(True)

    with client:
        client.call_tool("x", {})
        eventually(lambda: cancelled)


# Rounds: every request stands alone (2026-07-28, Multi Round-Trip Requests).

NEW = STATELESS[-1]


def rounds_pair(tool, **options):
    mcp = package(NEW)
    server = mcp.Server("s", "1", **options.pop("server", {}))
    server.handler(mcp.methods.CALL_TOOL)(tool)
    client = mcp.Client.in_memory(server, timeout=PATIENCE, **options)
    return mcp, client


def reply(mcp, text):
    return mcp.types.CallToolResult(content=[mcp.types.TextContent(text=text)])


def test_a_handler_is_run_again_from_its_start_with_what_was_answered():
    runs = []
    mcp = package(NEW)

    def tool(params, context):
        runs.append("start")
        first = context.elicit("first", schema(mcp.types)).content["said"]
        runs.append(first)
        second = context.elicit(f"second after {first}", schema(mcp.types)).content["said"]
        return reply(mcp, second)

    _, client = rounds_pair(tool)
    asked = []

    @client.handler(mcp.methods.ELICIT)
    def elicit(params, context):
        asked.append(params.message)
        return mcp.types.ElicitResult(action="accept", content={"said": f"answer to {params.message}"})

    with client:
        assert text_of(client.call_tool("x", {})) == "answer to second after answer to first"
    assert asked == ["first", "second after answer to first"]
    assert runs == ["start", "start", "answer to first", "start", "answer to first"]


def test_a_handler_that_asks_another_question_the_next_time_fails(caplog):
    mcp = package(NEW)
    runs = []

    def tool(params, context):
        runs.append(None)
        context.elicit(f"question of run {len(runs)}", schema(mcp.types))

    _, client = rounds_pair(tool)
    client.handler(mcp.methods.ELICIT)(lambda params, context: mcp.types.ElicitResult(action="accept"))
    with client, pytest.raises(ResponseError) as caught:
        client.call_tool("x", {})
    assert caught.value.code == -32603
    assert len(runs) == 2
    assert "question 1 differs from the round before" in caplog.text


def test_a_handler_that_catches_exceptions_does_not_catch_a_question():
    mcp = package(NEW)

    def tool(params, context):
        try:
            return reply(mcp, context.list_roots().roots[0].name)
        except Exception:  # noqa: BLE001  # what this is about
            return reply(mcp, "caught")

    _, client = rounds_pair(tool)
    client.handler(mcp.methods.LIST_ROOTS)(
        lambda params, context: mcp.types.ListRootsResult(roots=[mcp.types.Root(uri="file:///r", name="root")])
    )
    with client:
        assert text_of(client.call_tool("x", {})) == "root"


def test_a_client_without_a_handler_is_not_asked_but_told_what_is_missing():
    _, client = rounds_pair(lambda params, context: context.list_roots())
    with client, pytest.raises(ResponseError) as caught:
        client.call_tool("x", {})
    assert (caught.value.code, caught.value.data["requiredCapabilities"]) == (-32021, {"roots": {}})
    assert caught.value.data["reason"] == "roots/list needs the capability 'roots', which the client has not declared"


def test_a_client_that_declared_what_it_has_no_handler_for_says_so():
    mcp = package(NEW)
    _, client = rounds_pair(
        lambda params, context: context.list_roots(),
        capabilities=(
            mcp.types.ClientCapabilities(roots=mcp.types.ClientCapabilitiesRoots())
            if hasattr(mcp.types, "ClientCapabilitiesRoots")
            else mcp.types.ClientCapabilities(roots={})
        ),
    )
    with client, pytest.raises(ProtocolError, match="requests roots/list, which this client does not handle"):
        client.call_tool("x", {})


def test_what_a_clients_handler_raises_comes_out_of_the_call():
    mcp = package(NEW)
    runs = []

    def tool(params, context):
        runs.append(None)
        context.list_roots()

    _, client = rounds_pair(tool)

    @client.handler(mcp.methods.LIST_ROOTS)
    def roots(params, context):
        raise ResponseError(-1, "the user said no")

    with client:
        with pytest.raises(ResponseError, match="the user said no"):
            client.call_tool("x", {})
        assert len(runs) == 1
        assert client.discover().supported_versions[0] == NEW


@pytest.mark.parametrize(("rounds", "answered"), [(3, True), (2, False)])
def test_a_server_may_ask_so_often(rounds, answered):
    mcp = package(NEW)

    def tool(params, context):
        for _ in range(3):
            context.list_roots()
        return reply(mcp, "done")

    _, client = rounds_pair(tool, rounds=rounds)
    client.handler(mcp.methods.LIST_ROOTS)(lambda params, context: mcp.types.ListRootsResult(roots=[]))
    with client:
        if answered:
            assert text_of(client.call_tool("x", {})) == "done"
        else:
            with pytest.raises(ProtocolError, match="more than 2 times"):
                client.call_tool("x", {})


def first_round(spoken, **more):
    params = {
        "name": "x",
        "arguments": {},
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": NEW,
            "io.modelcontextprotocol/clientCapabilities": {"roots": {}},
            "io.modelcontextprotocol/clientInfo": {"name": "c", "version": "1"},
        },
        **more,
    }
    spoken.request("tools/call", f"r{len(str(more))}", params)
    return spoken.hear()


GIVEN = {"question-1": {"roots": [{"uri": "file:///r", "name": "given"}]}}


def asking_server(**options):
    mcp = package(NEW)
    server = mcp.Server("s", "1", **options)

    @server.handler(mcp.methods.CALL_TOOL)
    def tool(params, context):
        return reply(mcp, context.list_roots().roots[0].name)

    return server


def test_the_state_of_a_round_is_good_in_another_process_with_the_same_key():
    first, second = (scripted_client(asking_server(state_key=b"k" * 32)) for _ in range(2))
    asked = first_round(first)["result"]
    assert asked["resultType"] == "input_required"
    assert asked["inputRequests"]["question-1"]["method"] == "roots/list"
    done = first_round(second, inputResponses=GIVEN, requestState=asked["requestState"])
    assert done["result"]["content"][0]["text"] == "given"
    first.close()
    second.close()


@pytest.mark.parametrize("spoil", ["changed", "another key", "another request", "expired", "no state", "nonsense"])
def test_a_state_that_is_not_good_is_refused(spoil):
    first = scripted_client(asking_server(state_key=b"k" * 32, state_lifetime=0.0 if spoil == "expired" else 60.0))
    second = scripted_client(asking_server(state_key=(b"o" if spoil == "another key" else b"k") * 32))
    state = first_round(first)["result"]["requestState"]
    more = {"inputResponses": GIVEN, "requestState": state}
    if spoil == "changed":
        more["requestState"] = ("B" if state[0] != "B" else "C") + state[1:]
    elif spoil == "another request":
        more["arguments"] = {"other": 1}
    elif spoil == "nonsense":
        more["requestState"] = "é.\u0000"
    elif spoil == "no state":
        del more["requestState"]
    answer = first_round(second, **more)
    if spoil == "no state":
        # Answers to what was never asked count for nothing.
        assert answer["result"]["resultType"] == "input_required"
    else:
        assert answer["error"]["code"] == -32602
    first.close()
    second.close()


def test_two_calls_of_one_client_are_asked_apart():
    mcp = package(NEW)
    lock = Lock()
    asked = []

    def tool(params, context):
        n = params.arguments["n"]
        return reply(mcp, str(context.elicit(f"for {n}", schema(mcp.types)).content["n"]))

    _, client = rounds_pair(tool)

    @client.handler(mcp.methods.ELICIT)
    def elicit(params, context):
        with lock:
            asked.append(params.message)
        return mcp.types.ElicitResult(action="accept", content={"n": params.message})

    with client, ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda n: text_of(client.call_tool("x", {"n": n})), range(40)))
    assert found == [f"for {n}" for n in range(40)]
    assert sorted(asked) == sorted(found)


@each_revision
def test_whoever_has_connected_takes_on_no_more_requests_by_either_way(revision):
    mcp = package(revision)
    server, _seen = echo_server(revision)
    with mcp.Client.in_memory(server, timeout=PATIENCE) as client:
        with pytest.raises(UsageError, match="register the handler before"):
            client.handler(mcp.methods.LIST_ROOTS)
        with pytest.raises(UsageError, match="register the handler before"):
            client.handles(mcp.methods.LIST_ROOTS, print)
        client.handles(mcp.methods.TOOL_LIST_CHANGED, print)


@pytest.mark.parametrize("asks", [True, False])
def test_where_a_round_has_no_state_the_next_has_none(asks):
    mcp = package(NEW)
    heard = []
    wanted = {"inputRequests": {"r": {"method": "roots/list"}}} if asks else {"requestState": "s"}

    def play(spoken):
        for result in ({"resultType": "input_required", **wanted}, {"resultType": "complete", "content": []}):
            heard.append(spoken.hear())
            spoken.answer(heard[-1], result)

    with scripted_server(mcp.Client, play, discover=False) as (client, _):
        client.handler(mcp.methods.LIST_ROOTS)(lambda params, context: mcp.types.ListRootsResult(roots=[]))
        client.connect()
        client.call_tool("x", {})
    first, second = (each["params"] for each in heard)
    assert heard[0]["id"] != heard[1]["id"]
    assert not {"requestState", "inputResponses"} & first.keys()
    assert second.get("requestState", "none") == ("none" if asks else "s")
    assert second.get("inputResponses", "none") == ({"r": {"roots": []}} if asks else "none")


def test_a_round_without_questions_and_state_is_not_repeated():
    heard = []

    def play(spoken):
        while True:
            heard.append(spoken.hear())
            spoken.answer(heard[-1], {"resultType": "input_required"})

    with scripted_server(package(NEW).Client, play, discover=False) as (client, _), client:
        with pytest.raises(ProtocolError, match="with neither `inputRequests` nor `requestState`"):
            client.call_tool("x", {})
        assert len(heard) == 1


def test_a_handler_that_asks_for_input_without_saying_which_is_an_internal_error():
    mcp, client = rounds_pair(lambda params, context: mcp.types.InputRequiredResult())
    with client, pytest.raises(ResponseError) as caught:
        client.call_tool("x", {})
    assert caught.value.code == -32603


@in_sessions
@pytest.mark.parametrize("decorated", [True, False])
def test_that_a_client_cannot_be_asked_is_logged_in_a_line(revision, decorated, caplog):
    mcp = package(revision)
    server = mcp.Server("s", "1")

    def ask(context):
        return str(context.list_roots())

    if decorated:
        ask.__annotations__ = {"context": mcp.Context, "return": str}
        server.tools.add(ask)
    else:
        server.handler(mcp.methods.CALL_TOOL)(lambda _params, context: ask(context))
    with caplog.at_level("INFO"), mcp.Client.in_memory(server, timeout=PATIENCE) as client:
        if decorated:
            lack = "roots/list needs the capability 'roots', which the client has not declared"
            assert text_of(client.call_tool("ask")) == lack
        else:
            with pytest.raises(ResponseError, match="Internal error"):
                client.call_tool("ask")
    (line,) = [each for each in caplog.records if each.levelname in {"WARNING", "ERROR"}]
    assert line.levelname == "WARNING"
    assert line.exc_info is None
    assert "the client has not declared" in line.getMessage()
