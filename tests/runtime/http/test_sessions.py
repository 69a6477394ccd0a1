"""Sessions over Streamable HTTP: they begin with initialize, are named by each request, and end."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from mcp_bindings_runtime.http.server.session_store import (
    MemorySessionStore,
    SessionRecord,
    TooManySessions,
    is_session_id,
    new_session_id,
)
from mcp_bindings_runtime.http.server.store import MemoryStore
from support.echo_server import echo_server
from support.raw_http_client import NEW, Wire, call, endpoint, notification, request
from support.revisions import HANDSHAKE, WITH_BATCHES
from support.scripted_peers import WHO, eventually, package

LATEST = HANDSHAKE[-1]


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_a_call_is_answered_with_json(revision):
    server, _ = echo_server(revision)
    with endpoint(server) as wire:
        begun = wire.initialize(revision)
        assert begun.json["result"]["protocolVersion"] == revision
        assert is_session_id(begun.headers["mcp-session-id"])
        answer = wire.post(call(7, n=5))
        assert (answer.status, answer.json["id"], answer.text) == (200, 7, "5")


@pytest.mark.parametrize("hosted", HANDSHAKE)
def test_a_client_of_any_revision_is_offered_what_there_is(hosted):
    server, _ = echo_server(hosted)
    for wanted in HANDSHAKE:
        with endpoint(server) as wire:
            assert wire.initialize(wanted).json["result"]["protocolVersion"] == hosted


def test_initialize_chooses_among_servers_of_several_revisions():
    servers = [echo_server(each)[0] for each in [*HANDSHAKE, NEW]]
    with endpoint(*servers) as wire:
        for revision in HANDSHAKE:
            chosen = Wire(wire.port)
            assert chosen.initialize(revision).json["result"]["protocolVersion"] == revision
            assert chosen.post(call(n=1)).text == "1"
        assert Wire(wire.port).initialize("2020-01-01").json["result"]["protocolVersion"] == LATEST


def test_what_is_no_request_is_accepted_without_a_body():
    server, _ = echo_server(LATEST)
    with endpoint(server) as wire:
        wire.initialize(LATEST)
        for accepted in (
            notification("notifications/roots/list_changed"),
            notification("notifications/unheard_of"),
            notification("notifications/cancelled", {"requestId": 99}),
            {"jsonrpc": "2.0", "id": 99, "result": {}},
        ):
            answer = wire.post(accepted)
            assert (answer.status, answer.body) == (202, b"")


def test_a_request_without_a_session_is_refused():
    server, _ = echo_server(LATEST)
    with endpoint(server) as wire:
        for method in ("GET", "DELETE"):
            refused = wire.ask(method, headers={"Accept": "text/event-stream"})
            assert (refused.status, refused.code) == (400, -32600)
        refused = wire.post(call())
        assert refused.status == 400
        assert "id" not in refused.json
        assert "Mcp-Session-Id" in refused.json["error"]["data"]["reason"]


@pytest.mark.parametrize("session", ["unknown", "x" * 300, "\x7f"])
def test_a_session_that_is_none_is_not_found(session):
    server, _ = echo_server(LATEST)
    with endpoint(server) as wire:
        for refused in (
            wire.post(call(), Mcp_Session_Id=session),
            wire.ask("GET", headers={"Accept": "text/event-stream", "Mcp-Session-Id": session}),
            wire.ask("DELETE", headers={"Mcp-Session-Id": session}),
        ):
            assert refused.status == 404
            assert "id" not in refused.json


def test_a_deleted_session_is_gone():
    server, seen = echo_server(LATEST)
    with endpoint(server) as wire:
        wire.initialize(LATEST)
        standing = wire.stream()
        with ThreadPoolExecutor() as threads:
            held = threads.submit(wire.post, call(hold=True))
            eventually(lambda: seen.begun)
            assert wire.ask("DELETE").status == 204
            assert standing.messages() == []
            # Whoever still waits for an answer is not left waiting.
            assert held.result(20).status == 202
        eventually(lambda: seen.cancelled == [0])
        assert wire.ask("DELETE").status == 404
        assert wire.post(call()).status == 404


def test_a_session_that_nobody_uses_expires():
    now = [0.0]
    sessions = MemorySessionStore(lifetime=10, clock=lambda: now[0])
    ended: list[str] = []
    sessions.on_end(ended.append)
    for name in "abc":
        sessions.create(SessionRecord(name, LATEST))
    now[0] = 6.0
    assert sessions.load("b") is not None
    now[0] = 10.0
    assert sessions.load("a") is None
    assert ended == ["a", "c"]
    assert sessions.load("b") is not None


@pytest.mark.parametrize("interval", [0.0, 0.02], ids=["silent", "with progress"])
def test_a_session_stays_while_a_call_runs(interval):
    now, used, go = [0.0], [0.0], threading.Event()

    class Sessions(MemorySessionStore):
        def load(self, session_id):
            used.append(now[0])
            return super().load(session_id)

    store = MemoryStore()
    store.sessions = Sessions(lifetime=10, clock=lambda: now[0])
    mcp = package(LATEST)
    server = mcp.Server("slow", "1.0")

    @server.handler(mcp.methods.CALL_TOOL)
    def wait(params, context):
        step = 0
        while not go.wait(interval or None):
            context.progress(step := step + 1)
        return mcp.CallToolResult(content=[mcp.TextContent(text="done")])

    with endpoint(server, store=store, keepalive=0.1) as wire:
        wire.initialize(LATEST)
        named = {"name": "wait", "arguments": {}, "_meta": {"progressToken": 1}}
        stream = wire.stream(request("tools/call", 1, named))
        for _ in range(3):
            now[0] += 6
            eventually(lambda: used[-1] == now[0])
            Wire(wire.port).initialize(LATEST)
        go.set()
        assert stream.messages()[-1]["result"]["content"][0]["text"] == "done"


def test_there_are_only_so_many_sessions():
    sessions = MemorySessionStore(limit=2)
    sessions.add_use_check(lambda _: True)
    sessions.create(SessionRecord("a", LATEST))
    sessions.create(SessionRecord("b", LATEST))
    with pytest.raises(TooManySessions):
        sessions.create(SessionRecord("c", LATEST))
    sessions.delete("a")
    sessions.create(SessionRecord("c", LATEST))


def test_beyond_the_limit_clients_are_told_to_come_later():
    server, _ = echo_server(LATEST)
    with endpoint(server, store=MemoryStore(sessions=1)) as wire:
        wire.initialize(LATEST)
        wire.stream()
        hello = request("initialize", 0, {"protocolVersion": LATEST, "capabilities": {}, "clientInfo": WHO})
        refused = Wire(wire.port).post(hello)
        assert refused.status == 503
        assert int(refused.headers["retry-after"]) > 0
        wire.ask("DELETE")
        assert Wire(wire.port).post(hello).status == 200


def test_ids_are_long_visible_and_never_the_same():
    made = {new_session_id() for _ in range(1000)}
    assert len(made) == 1000
    assert all(len(each) >= 40 and is_session_id(each) for each in made)
    assert all("!" <= character <= "~" for each in made for character in each)
    # No part of them is the same in all, or goes through a few values.
    assert all(len(set(column)) > 10 for column in zip(*made, strict=True))


@pytest.mark.parametrize("version", [HANDSHAKE[0], NEW, "v999.0.0", ""])
def test_a_version_that_is_not_served_is_refused(version):
    server, _ = echo_server(LATEST)
    with endpoint(server) as wire:
        wire.initialize(LATEST)
        refused = wire.post(call(), MCP_Protocol_Version=version)
        assert (refused.status, refused.code) == (400, -32600)
        assert LATEST in refused.json["error"]["data"]["reason"]


@pytest.mark.parametrize("method", ["POST", "GET", "DELETE"])
@pytest.mark.parametrize("version", HANDSHAKE)
def test_another_version_that_is_served_is_taken_and_the_session_stays_in_its_own(version, method):
    servers = [echo_server(revision)[0] for revision in HANDSHAKE]
    with endpoint(*servers) as wire:
        wire.initialize(LATEST)
        wire.headers["MCP-Protocol-Version"] = version
        if method == "POST":
            # Only this revision has an event to begin with.
            first = wire.stream(call(1, {"progressToken": 1}, n=1, progress=1)).next()
            assert first.fields["data"] == ""
        elif method == "GET":
            assert wire.stream().block() == [":"]
        else:
            assert wire.ask("DELETE").status == 204


def test_without_a_version_the_one_agreed_on_holds():
    server, _ = echo_server(LATEST)
    with endpoint(server) as wire:
        wire.initialize(LATEST)
        del wire.headers["MCP-Protocol-Version"]
        assert wire.post(call(n=1)).text == "1"


def test_a_refused_initialize_begins_no_session():
    server, _ = echo_server(LATEST)
    with endpoint(server) as wire:
        refused = wire.post(request("initialize", 0, {"protocolVersion": LATEST}))
        assert refused.json["error"]["code"] == -32602
        assert "mcp-session-id" not in refused.headers


def test_a_batch_is_answered_with_a_batch():
    revision = WITH_BATCHES[-1]
    server, _ = echo_server(revision)
    with endpoint(server) as wire:
        wire.initialize(revision)
        answer = wire.post([call(1, n=1), notification("notifications/x"), call(2, n=2), request("ping", 3)])
        assert answer.status == 200
        assert sorted(each["id"] for each in answer.json) == [1, 2, 3]
        assert wire.post([notification("notifications/x")]).status == 202
        streamed = wire.stream([call(4, {"progressToken": "t"}, progress=2), call(5, n=5)]).messages()
        (batch,) = [each for each in streamed if isinstance(each, list)]
        assert sorted(each["id"] for each in batch) == [4, 5]
        assert [each["params"]["progress"] for each in streamed if isinstance(each, dict)] == [1, 2]


def test_a_batch_for_which_there_is_no_room_leaves_the_room_that_there_is():
    revision = WITH_BATCHES[-1]
    server, seen = echo_server(revision)
    with endpoint(server, handlers=2, handlers_per_source=2) as wire:
        wire.initialize(revision)
        for number in range(20):
            refused = wire.post([call(3 * number + each, hold=True) for each in range(3)])
            assert (refused.status, refused.headers["retry-after"]) == (503, "1")
            # The handlers that have begun are cancelled.
            eventually(lambda: seen.running == 0)
        while (answer := wire.post([call(101, n=1), call(102, n=2)])).status == 503:
            pass
        assert sorted(each["id"] for each in answer.json) == [101, 102]
        assert wire.post(call(103, n=3)).text == "3"


@pytest.mark.parametrize("revision", [each for each in HANDSHAKE if each not in WITH_BATCHES])
def test_where_there_are_no_batches_one_is_refused(revision):
    server, seen = echo_server(revision)
    with endpoint(server) as wire:
        wire.initialize(revision)
        refused = wire.post([call(1), call(2)])
        assert (refused.status, refused.code) == (400, -32600)
        assert "id" not in refused.json
        assert seen.begun == 0


def test_a_session_goes_on_in_another_process():
    # Two applications that share a store are to each other what two processes are.
    store = MemoryStore()
    one, _ = echo_server(LATEST)
    other, seen = echo_server(LATEST)
    with endpoint(one, store=store) as here, endpoint(other, store=store) as there:
        here.initialize(LATEST, {"roots": {}})
        there.headers = here.headers
        assert there.post(call(n=3)).text == "3"
        stream = there.stream(call(9, ask=0))
        asked = stream.message()
        assert asked["method"] == "roots/list"
        answer = {"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": [{"uri": "file:///r", "name": "found"}]}}
        assert here.post(answer).status == 202
        (answered,) = stream.messages()
        assert answered["result"]["content"][0]["text"] == "found"
        # No two of them give the same id to what they ask.
        asked_here = here.stream(call(11, ask=0))
        asked_there = there.stream(call(12, ask=0))
        assert len({asked["id"], asked_here.message()["id"], asked_there.message()["id"]}) == 3
        for number in (11, 12):
            here.post(notification("notifications/cancelled", {"requestId": number}))
        held = there.stream(call(10, {"progressToken": 1}, progress=1, hold=True))
        held.message()
        assert here.post(notification("notifications/cancelled", {"requestId": 10})).status == 202
        assert held.messages() == []
        assert here.ask("DELETE").status == 204
        assert there.post(call()).status == 404
    assert seen.begun == 4


def test_what_is_remembered_of_a_session_is_json():
    store = MemoryStore()
    mcp = package(LATEST)
    server = mcp.Server("s", "1")
    with endpoint(server, store=store) as wire:
        wire.initialize(LATEST, {"roots": {"listChanged": True}})
        assert wire.post(request("logging/setLevel", 1, {"level": "error"})).json["result"] == {}
        record = store.sessions.load(wire.headers["Mcp-Session-Id"])
        again = SessionRecord(**json.loads(json.dumps(record.values())))
        assert again.values() == {
            "id": wire.headers["Mcp-Session-Id"],
            "revision": LATEST,
            "transport": "streamable",
            "principal": None,
            "state": "open",
            "client": WHO,
            "capabilities": {"roots": {"listChanged": True}},
            "log_level": "error",
            "subscribed": [],
            "version": 2,
            "source": "127.0.0.1",
        }


def test_a_server_that_is_closed_ends_its_sessions():
    server, _ = echo_server(LATEST)
    with endpoint(server) as wire:
        wire.initialize(LATEST)
        standing = wire.stream()
        server.close()
        assert wire.post(call(n=1)).status == 404
        assert standing.messages() == []
        again = Wire(wire.port)
        again.initialize(LATEST)
        assert again.post(call(n=1)).text == "1"


def test_a_task_is_seen_by_the_session_that_began_it_alone():
    mcp = package(LATEST)
    server = mcp.Server("s", "1")
    server.tasks.declare("x", "optional")

    @server.handler(mcp.methods.CALL_TOOL)
    def tool(params, context):
        return mcp.CallToolResult(content=[mcp.TextContent(text="done")])

    with endpoint(server) as wire:
        wire.initialize(LATEST)
        begun = wire.post(request("tools/call", 1, {"name": "x", "task": {"ttl": 60000}})).json
        about = {"taskId": begun["result"]["task"]["taskId"]}
        # On a stream, if the task is still at work.
        assert b'"text":"done"' in wire.post(request("tasks/result", 2, about)).body
        assert wire.post(request("tasks/get", 3, about)).json["result"]["status"] == "completed"
        other = Wire(wire.port)
        other.initialize(LATEST)
        assert other.post(request("tasks/get", 3, about)).code == -32602
