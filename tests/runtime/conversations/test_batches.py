"""Batches, which 2025-03-26 alone has, in both directions."""

from __future__ import annotations

import json

import pytest
from checkout import REVISIONS
from mcp_bindings_runtime.errors import ConnectionClosed, EncodeError, ResponseError, UsageError
from support.echo_server import echo_server
from support.revisions import WITH_BATCHES
from support.scripted_peers import PATIENCE, eventually, package, scripted_client, scripted_server, text_of, times_out

REVISION = WITH_BATCHES[-1]
mcp = package(REVISION)


def call(number, **arguments):
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": "echo", "arguments": arguments}}


def asked(**arguments):
    return mcp.methods.CALL_TOOL, mcp.types.CallToolRequestParams(name="echo", arguments=arguments)


def test_results_come_in_the_order_of_the_requests():
    server, _ = echo_server(REVISION)
    with mcp.Client.in_memory(server, timeout=PATIENCE) as client:
        first, failed, pong, last = client.batch(
            asked(n=1, pause=0.02),
            asked(refuse=-1),
            (mcp.methods.PING, None),
            (mcp.methods.CANCELLED, mcp.types.CancelledNotificationParams(request_id="nobody's")),
            asked(n=2),
        )
        assert (text_of(first), text_of(last)) == ("1", "2")
        assert isinstance(failed, ResponseError)
        assert failed.code == -1
        assert pong == mcp.types.EmptyResult()
        assert client.batch((mcp.methods.CANCELLED, mcp.types.CancelledNotificationParams(request_id="x"))) == []


def test_a_batch_travels_as_one_message_and_its_answers_may_come_in_any_form():
    def play(spoken):
        spoken.welcome(REVISION)
        one, two, three = spoken.hear()
        result = {"content": [{"type": "text", "text": "x"}]}
        spoken.answer(two, {**result, "content": [{"type": "text", "text": "two"}]})
        spoken.say([{"jsonrpc": "2.0", "id": each["id"], "result": result} for each in (three, one)])

    with scripted_server(mcp.Client, play) as (client, _):
        client.connect()
        assert [text_of(each) for each in client.batch(*[asked(n=n) for n in range(3)])] == ["x", "two", "x"]


def test_a_batch_that_takes_too_long_is_cancelled():
    server, seen = echo_server(REVISION)
    with mcp.Client.in_memory(server, timeout=PATIENCE) as client:
        times_out(
            lambda seconds: client.batch(asked(n=1), asked(n=2, hold=True), timeout=seconds), lambda: 2 in seen.numbers
        )
        eventually(lambda: set(seen.cancelled) == {2})
        # The caller may go on before the thread that reads has forgotten the call.
        eventually(lambda: not client.connection.calls)
        assert not client.connection.session._pending
        assert text_of(client.call_tool("echo", {"n": 3})) == "3"


def test_nothing_of_a_batch_is_sent_if_a_part_of_it_cannot_be():
    heard = []

    def play(spoken):
        spoken.welcome(REVISION)
        heard.append(spoken.hear())
        spoken.answer(heard[0], {})

    with scripted_server(mcp.Client, play) as (client, _):
        client.connect()
        with pytest.raises(EncodeError):
            client.batch(asked(n=1), (mcp.methods.CALL_TOOL, mcp.types.CallToolRequestParams(name=3)))
        with pytest.raises(UsageError, match="completions"):
            client.batch(
                asked(n=1),
                (
                    mcp.methods.COMPLETE,
                    mcp.types.CompleteRequestParams(
                        ref=mcp.types.PromptReference(name="x"),
                        argument=mcp.types.CompleteRequestParamsArgument(name="a", value="b"),
                    ),
                ),
            )
        # The caller may go on before the thread that reads has forgotten the call.
        eventually(lambda: not client.connection.calls)
        assert not client.connection.session._pending
        client.ping()
    assert heard[0]["method"] == "ping"


def test_a_batch_ends_with_its_connection():
    def play(spoken):
        spoken.welcome(REVISION)
        spoken.hear()
        spoken.close()

    with scripted_server(mcp.Client, play) as (client, _):
        client.connect()
        with pytest.raises(ConnectionClosed):
            client.batch(asked(n=1), asked(n=2))


@pytest.mark.parametrize("revision", [each for each in REVISIONS if each != REVISION])
def test_other_revisions_have_none(revision):
    other = package(revision)
    with other.Client.in_memory(echo_server(revision)[0]) as client, pytest.raises(UsageError, match="no batches"):
        client.batch((other.methods.CALL_TOOL, None))


def test_an_empty_batch_is_refused_here():
    with mcp.Client.in_memory(echo_server(REVISION)[0]) as client, pytest.raises(UsageError, match="at least one"):
        client.batch()


# What a server makes of them.


def opened():
    server, seen = echo_server(REVISION)
    spoken = scripted_client(server)
    spoken.introduce(REVISION)
    return spoken, seen


def test_the_answers_to_a_batch_go_back_as_one():
    spoken, _ = opened()
    note = {"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}
    spoken.say(
        [
            call(1, n=1, pause=0.02),
            note,
            call("2", n=2),
            {"jsonrpc": "2.0", "id": 3, "method": "ping"},
            {"jsonrpc": "2.0", "id": 4, "method": "no/such"},
            5,
        ]
    )
    answers = spoken.hear()
    by_id = {each["id"]: each for each in answers}
    assert set(by_id) == {1, "2", 3, 4, None}
    assert by_id["2"]["result"]["content"][0]["text"] == "2"
    assert by_id[4]["error"]["code"] == -32601
    assert by_id[None]["error"]["code"] == -32600
    assert spoken.overhear(0.05) is None
    spoken.close()


def test_a_batch_of_notifications_is_not_answered_and_an_empty_one_is_refused():
    spoken, _ = opened()
    spoken.say([{"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}] * 2)
    spoken.say([])
    assert spoken.hear()["error"]["code"] == -32600
    spoken.close()


def test_a_request_that_is_cancelled_is_left_out_of_the_answers():
    spoken, seen = opened()
    spoken.say([call(1, n=1), call(2, n=2, hold=True)])
    eventually(lambda: seen.ended == 1 and seen.running == 1)
    spoken.notify("notifications/cancelled", {"requestId": 2})
    assert [each["id"] for each in spoken.hear()] == [1]
    spoken.say([call(3, n=3, hold=True)])
    eventually(lambda: seen.running)
    spoken.notify("notifications/cancelled", {"requestId": 3})
    assert spoken.overhear(0.05) is None
    spoken.close()


def test_initialize_may_not_be_part_of_one():
    spoken = scripted_client(echo_server(REVISION)[0])
    params = {"protocolVersion": REVISION, "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    spoken.say([{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}])
    (answer,) = spoken.hear()
    assert answer["error"]["code"] == -32600
    assert spoken.introduce(REVISION)["result"]["protocolVersion"] == REVISION
    spoken.close()


def test_a_client_answers_the_batch_of_a_server():
    answers = []

    def play(spoken):
        spoken.welcome(REVISION)
        spoken.say(
            [{"jsonrpc": "2.0", "id": n, "method": "roots/list"} for n in (1, 2)]
            + [{"jsonrpc": "2.0", "id": 3, "method": "ping"}]
        )
        answers.extend(spoken.hear())

    with scripted_server(mcp.Client, play) as (client, _):
        client.handler(mcp.methods.LIST_ROOTS)(lambda params, context: mcp.types.ListRootsResult(roots=[]))
        client.connect()
        eventually(lambda: answers)
    assert sorted(json.dumps(each) for each in answers) == [
        '{"jsonrpc": "2.0", "id": 1, "result": {"roots": []}}',
        '{"jsonrpc": "2.0", "id": 2, "result": {"roots": []}}',
        '{"jsonrpc": "2.0", "id": 3, "result": {}}',
    ]
