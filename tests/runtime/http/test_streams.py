"""Streams of the handshake era: what a call sends before its answer, the stream that stands alone, and coming back."""

from __future__ import annotations

import random
import threading

import pytest
from mcp_bindings_runtime.errors import UsageError
from support.echo_server import echo_server
from support.raw_http_client import Wire, call, endpoint, notification
from support.revisions import HANDSHAKE, facts
from support.scripted_peers import eventually, package

LATEST = HANDSHAKE[-1]


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_what_a_handler_sends_comes_before_its_answer_on_the_same_stream(revision):
    server, _ = echo_server(revision)
    with endpoint(server) as wire:
        wire.initialize(revision)
        messages = wire.stream(call(1, {"progressToken": "t"}, n=4, progress=3)).messages()
        assert [each["params"]["progress"] for each in messages[:-1]] == [1, 2, 3]
        assert messages[-1]["result"]["content"][0]["text"] == "4"


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_a_question_is_asked_on_the_stream_of_its_call(revision):
    server, _ = echo_server(revision)
    with endpoint(server) as wire:
        wire.initialize(revision, {"roots": {}})
        standing = wire.stream()
        stream = wire.stream(call(1, ask=0))
        asked = stream.message()
        assert asked["method"] == "roots/list"
        answer = {"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": [{"uri": "file:///r", "name": "found"}]}}
        assert wire.post(answer).status == 202
        (answered,) = stream.messages()
        assert answered["result"]["content"][0]["text"] == "found"
        wire.ask("DELETE")
        assert standing.messages() == []


def test_from_2025_11_25_a_stream_begins_with_an_event_to_come_back_to():
    server, _ = echo_server(LATEST)
    with endpoint(server, retry=250) as wire:
        wire.initialize(LATEST)
        first = wire.stream(call(1, {"progressToken": "t"}, progress=1)).next()
        assert first.fields["data"] == ""
        assert first.fields["retry"] == "250"
        assert first.id


@pytest.mark.parametrize("revision", [each for each in HANDSHAKE if not facts(each).polling])
def test_before_each_event_has_a_message(revision):
    server, _ = echo_server(revision)
    with endpoint(server) as wire:
        wire.initialize(revision)
        assert (
            wire.stream(call(1, {"progressToken": "t"}, progress=1)).next().json["method"] == "notifications/progress"
        )


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_a_stream_that_was_cut_off_goes_on_where_it_was(revision):
    server, seen = echo_server(revision)
    with endpoint(server) as wire:
        wire.initialize(revision)
        stream = wire.stream(call(1, {"progressToken": "t"}, n=8, progress=3, hold=True))
        event = stream.next()
        while not event.fields.get("data"):
            event = stream.next()
        stream.close()
        # The client going away is no cancellation.
        seen.go.set()
        again = wire.stream(Last_Event_ID=event.id)
        messages = again.messages()
        assert [each.get("params", {}).get("progress") for each in messages] == [2, 3, None]
        assert messages[-1]["result"]["content"][0]["text"] == "8"
        assert seen.cancelled == []
        # Once more, as the answer to that may have been lost, too.
        assert wire.stream(Last_Event_ID=event.id).messages() == messages


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_a_stream_that_goes_on_has_no_messages_of_another(revision):
    mcp = package(revision)
    server, seen = echo_server(revision)
    with endpoint(server) as wire:
        wire.initialize(revision)
        one = wire.stream(call(1, {"progressToken": "one"}, n="one", progress=3, hold=True))
        event = one.next()
        while not event.fields.get("data"):
            event = one.next()
        one.close()
        two = wire.stream(call(2, {"progressToken": "two"}, n="two", progress=3, hold=True))
        two.message()
        server.notify(mcp.methods.TOOL_LIST_CHANGED)
        seen.go.set()
        assert [each.get("id") for each in two.messages()] == [None, None, 2]
        again = wire.stream(Last_Event_ID=event.id).messages()
        assert [each["params"]["progressToken"] for each in again[:-1]] == ["one", "one"]
        assert again[-1]["id"] == 1


def test_event_ids_are_unique_and_say_of_which_stream_they_are():
    server, _ = echo_server(LATEST)
    with endpoint(server) as wire:
        wire.initialize(LATEST)
        standing = wire.stream()
        for _ in range(2):
            server.notify(package(LATEST).methods.TOOL_LIST_CHANGED)
        ids = [standing.next().id for _ in range(2)]
        for number in range(3):
            stream = wire.stream(call(number, {"progressToken": number}, progress=2))
            while (event := stream.next()) is not None:
                ids.append(event.id)
        assert len(ids) == len(set(ids)) == 14
        assert len({each.rpartition(".")[0] for each in ids}) == 4


def test_streams_differ_though_handlers_set_the_seed_of_random_numbers():
    server, _ = echo_server(LATEST)
    before = random.getstate()
    try:
        with endpoint(server) as wire:
            wire.initialize(LATEST)
            for number in range(3):
                random.seed(0)
                messages = wire.stream(call(number, {"progressToken": number}, n=number, progress=1)).messages()
                assert [each.get("id") for each in messages] == [None, number]
    finally:
        random.setstate(before)


@pytest.mark.parametrize("last", ["", "x", "x.1", "0.x", "0.1.2", ".1", "0.-1", "9" * 400])
def test_an_event_that_never_was_cannot_be_come_back_to(last):
    server, _ = echo_server(LATEST)
    with endpoint(server) as wire:
        wire.initialize(LATEST)
        refused = wire.ask("GET", headers={"Accept": "text/event-stream", "Last-Event-ID": last})
        assert (refused.status, refused.code) == (400, -32600)


def test_a_stream_of_another_session_cannot_be_come_back_to():
    server, _ = echo_server(LATEST)
    with endpoint(server) as wire:
        wire.initialize(LATEST)
        event = wire.stream(call(1, {"progressToken": "t"}, progress=1)).next()
        other = Wire(wire.port)
        other.initialize(LATEST)
        refused = other.ask("GET", headers={"Accept": "text/event-stream", "Last-Event-ID": event.id})
        assert refused.status == 400


def test_a_cancelled_call_ends_its_stream_without_an_answer():
    server, seen = echo_server(LATEST)
    with endpoint(server) as wire:
        wire.initialize(LATEST)
        stream = wire.stream(call(5, {"progressToken": 1}, progress=1, hold=True))
        stream.message()
        assert wire.post(notification("notifications/cancelled", {"requestId": 5})).status == 202
        assert stream.messages() == []
        eventually(lambda: seen.cancelled == [0])


def test_what_belongs_to_no_call_comes_on_the_stream_that_stands_alone():
    mcp = package(LATEST)
    server, _ = echo_server(LATEST)
    with endpoint(server) as wire:
        wire.initialize(LATEST)
        # Told before the client listens, it waits.
        server.notify(mcp.methods.TOOL_LIST_CHANGED)
        standing = wire.stream()
        assert standing.message()["method"] == "notifications/tools/list_changed"
        server.notify(mcp.methods.TOOL_LIST_CHANGED)
        event = standing.next()
        assert event.json["method"] == "notifications/tools/list_changed"
        standing.close()
        server.notify(mcp.methods.TOOL_LIST_CHANGED)
        again = wire.stream(Last_Event_ID=event.id)
        assert again.message()["method"] == "notifications/tools/list_changed"


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_what_belongs_to_no_call_does_not_come_on_the_stream_of_one(revision):
    server, seen = echo_server(revision)
    with endpoint(server) as wire:
        wire.initialize(revision)
        standing = wire.stream()
        stream = wire.stream(call(1, {"progressToken": "t"}, n=1, progress=1, hold=True))
        assert stream.message()["method"] == "notifications/progress"
        server.notify(package(revision).methods.TOOL_LIST_CHANGED)
        assert standing.message()["method"] == "notifications/tools/list_changed"
        seen.go.set()
        assert [each.get("id") for each in stream.messages()] == [1]
        wire.ask("DELETE")
        assert standing.messages() == []


def test_a_message_goes_to_one_of_several_streams_only():
    mcp = package(LATEST)
    server, _ = echo_server(LATEST)
    with endpoint(server) as wire:
        wire.initialize(LATEST)
        first = wire.stream()
        second = wire.stream()
        # The later one is where the client is now.
        assert first.messages() == []
        server.notify(mcp.methods.TOOL_LIST_CHANGED)
        assert second.message()["method"] == "notifications/tools/list_changed"
        wire.ask("DELETE")
        assert second.messages() == []


def test_a_change_reaches_every_session():
    mcp = package(LATEST)
    server, _ = echo_server(LATEST)
    with endpoint(server) as wire:
        streams = []
        for _ in range(5):
            each = Wire(wire.port)
            each.initialize(LATEST)
            streams.append(each.stream())
        server.notify(mcp.methods.TOOL_LIST_CHANGED)
        assert {each.message()["method"] for each in streams} == {"notifications/tools/list_changed"}
        for stream in streams:
            stream.close()


def test_a_silent_stream_carries_comments():
    server, _ = echo_server(LATEST)
    with endpoint(server, keepalive=0.05) as wire:
        wire.initialize(LATEST)
        standing = wire.stream()
        # The first goes out with the headers.
        assert standing.block() == [":"]
        assert standing.block() == [":"]
        assert standing.block() == [":"]


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_a_call_that_takes_long_becomes_a_stream(revision):
    server, seen = echo_server(revision)
    with endpoint(server, keepalive=0.05) as wire:
        wire.initialize(revision)
        stream = wire.stream(call(1, n=6, hold=True))
        if revision == LATEST:
            assert stream.block()[0].startswith("id: ")
        assert [stream.block() for _ in range(3)] == [[":"]] * 3
        seen.go.set()
        assert stream.message()["result"]["content"][0]["text"] == "6"


def test_a_handler_can_have_the_client_come_back_for_its_answer():
    mcp = package(LATEST)
    server = mcp.Server("s", "1")
    gone = threading.Event()

    @server.handler(mcp.methods.CALL_TOOL)
    def work(params, context):
        context.close_stream(retry=0.3)
        assert gone.wait(20)
        return mcp.CallToolResult(content=[mcp.TextContent(text="done")])

    with endpoint(server) as wire:
        wire.initialize(LATEST)
        stream = wire.stream(call(1))
        first, last = stream.next(), stream.next()
        assert (first.fields["data"], last.fields["data"], last.fields["retry"]) == ("", "", "300")
        assert stream.next() is None
        again = wire.stream(Last_Event_ID=last.id)
        gone.set()
        (answer,) = again.messages()
        assert answer["result"]["content"][0]["text"] == "done"
        # Who has heard the first event only is not sent away once more.
        assert wire.stream(Last_Event_ID=last.id).messages() == [answer]


def test_a_client_that_cannot_come_back_stays():
    mcp = package(LATEST)
    server = mcp.Server("s", "1")

    @server.handler(mcp.methods.CALL_TOOL)
    def work(params, context):
        context.close_stream(retry=0.3)
        return mcp.CallToolResult(content=[mcp.TextContent(text="done")])

    with endpoint(server, streams=0) as wire:
        wire.initialize(LATEST)
        assert wire.post(call(1)).text == "done"


@pytest.mark.parametrize("revision", [each for each in HANDSHAKE if not facts(each).polling])
def test_clients_of_older_revisions_do_not_come_back(revision):
    mcp = package(revision)
    server = mcp.Server("s", "1")
    said = []

    @server.handler(mcp.methods.CALL_TOOL)
    def work(params, context):
        try:
            context.close_stream()
        except UsageError as error:
            said.append(str(error))
        return mcp.CallToolResult(content=[])

    with endpoint(server) as wire:
        wire.initialize(revision)
        assert wire.post(call(1)).status == 200
    assert revision in said[0]


def test_a_stream_is_not_to_be_had_for_every_handler():
    server, seen = echo_server(LATEST)
    with endpoint(server, connections=5) as wire:
        wire.initialize(LATEST, {"roots": {}})
        streams = []
        for number in range(4):
            streams.append(wire.stream(call(number, {"progressToken": number}, progress=1, hold=True)))
            streams[-1].message()
        # One connection is left to those who answer, and what cannot be streamed is refused.
        refused = wire.post(call(9, ask=0))
        assert refused.status == 503
        assert int(refused.headers["retry-after"]) > 0
        assert wire.post(call(10, n=1)).text == "1"
        seen.go.set()
        for stream in streams:
            assert len(stream.messages()) == 1


def test_open_streams_leave_threads_to_requests():
    server, _ = echo_server(LATEST)
    with endpoint(server, threads=1, streams=6) as wire:
        clients = [Wire(wire.port) for _ in range(8)]
        opened = []
        for client in clients:
            client.initialize(LATEST)
            connection, response = client.send("GET", None, {"Accept": "text/event-stream"})
            opened.append((connection, response))
        assert [each.status for _, each in opened] == [200] * 6 + [503] * 2
        assert [client.post(call(n=1)).text for client in clients] == ["1"] * 8
        for connection, response in opened:
            response.close()
            connection.close()
