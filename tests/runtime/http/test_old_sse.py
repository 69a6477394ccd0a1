"""HTTP with SSE, the transport of 2024-11-05: one stream for all answers, messages POSTed where it says."""

from __future__ import annotations

import json
from http.client import HTTPConnection

import pytest
from support.echo_server import echo_server
from support.raw_http_client import PLAIN, Wire, call, endpoint, notification, request
from support.revisions import HANDSHAKE
from support.scripted_peers import PATIENCE, WHO, eventually, package

OLDEST = "2024-11-05"


class Older:
    """A client of the older transport."""

    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self.stream = Wire.stream(Wire(wire.port, "/sse"))
        first = self.stream.next()
        assert first.fields["event"] == "endpoint"
        self.place = first.fields["data"]

    def post(self, message, place: str | None = None):
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        return self.wire.ask("POST", body, {"Content-Type": "application/json"}, place or self.place)

    def say(self, message) -> None:
        answer = self.post(message)
        assert (answer.status, answer.body) == (202, b"")

    def initialize(self, revision: str, capabilities=None):
        params = {"protocolVersion": revision, "capabilities": capabilities or {}, "clientInfo": WHO}
        self.say(request("initialize", 0, params))
        answered = self.stream.message()
        self.say(notification("notifications/initialized"))
        return answered["result"]


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_answers_come_on_the_stream(revision):
    server, _ = echo_server(revision)
    with endpoint(server) as wire:
        client = Older(wire)
        assert client.initialize(revision)["protocolVersion"] == revision
        client.say(call("a", {"progressToken": 1}, n=3, progress=2))
        progress = [client.stream.message()["params"]["progress"] for _ in range(2)]
        answer = client.stream.message()
        assert (progress, answer["id"], answer["result"]["content"][0]["text"]) == ([1, 2], "a", "3")
        client.say(request("ping", 2))
        assert client.stream.message() == {"jsonrpc": "2.0", "id": 2, "result": {}}
        client.stream.close()


def test_initialize_chooses_among_servers_of_several_revisions():
    servers = [echo_server(each)[0] for each in HANDSHAKE]
    with endpoint(*servers) as wire:
        for revision in HANDSHAKE:
            client = Older(wire)
            assert client.initialize(revision)["protocolVersion"] == revision
            client.stream.close()


def test_a_question_is_asked_and_answered():
    server, _ = echo_server(OLDEST)
    with endpoint(server) as wire:
        client = Older(wire)
        client.initialize(OLDEST, {"roots": {}})
        client.say(call(1, ask=0))
        asked = client.stream.message()
        assert asked["method"] == "roots/list"
        found = {"roots": [{"uri": "file:///r", "name": "found"}]}
        client.say({"jsonrpc": "2.0", "id": asked["id"], "result": found})
        assert client.stream.message()["result"]["content"][0]["text"] == "found"
        client.stream.close()


def test_a_call_can_be_cancelled():
    server, seen = echo_server(OLDEST)
    with endpoint(server) as wire:
        client = Older(wire)
        client.initialize(OLDEST)
        client.say(call(1, n=4, hold=True))
        eventually(lambda: seen.begun)
        client.say(notification("notifications/cancelled", {"requestId": 1}))
        eventually(lambda: seen.cancelled == [4])
        client.say(request("ping", 2))
        assert client.stream.message()["id"] == 2
        client.stream.close()


def test_batches_are_those_of_the_one_revision_that_has_them():
    server, _ = echo_server("2025-03-26")
    with endpoint(server) as wire:
        client = Older(wire)
        client.initialize("2025-03-26")
        client.say([call(1, n=1), call(2, n=2)])
        assert sorted(each["id"] for each in client.stream.message()) == [1, 2]
        client.stream.close()


def test_changes_are_told():
    mcp = package(OLDEST)
    server, _ = echo_server(OLDEST)
    with endpoint(server) as wire:
        client = Older(wire)
        client.initialize(OLDEST)
        client.say(request("ping", 1))
        client.stream.message()
        server.notify(mcp.methods.TOOL_LIST_CHANGED)
        assert client.stream.message()["method"] == "notifications/tools/list_changed"
        client.stream.close()


def test_a_session_ends_with_its_stream():
    server, seen = echo_server(OLDEST)
    with endpoint(server, keepalive=0.05) as wire:
        client = Older(wire)
        client.initialize(OLDEST)
        client.say(call(1, n=4, hold=True))
        eventually(lambda: seen.begun)
        client.stream.close()
        eventually(lambda: seen.cancelled == [4])
        eventually(lambda: client.post(request("ping", 2)).status == 404)


def test_what_cannot_be_read_is_refused_at_once():
    server, _ = echo_server(OLDEST)
    with endpoint(server) as wire:
        client = Older(wire)
        for early in (b"{", call(1)):
            assert client.post(early).status == 400
        client.initialize(OLDEST)
        for bad, code in ((b"{", -32700), ({"jsonrpc": "2.0", "id": 1.5, "method": "ping"}, -32600)):
            refused = client.post(bad)
            assert (refused.status, refused.code) == (400, code)
            assert "id" not in refused.json
        client.say(request("nope", 3))
        assert client.stream.message()["error"]["code"] == -32601
        client.stream.close()


@pytest.mark.parametrize("origin", ["null", "", "http://evil.example", "http://localhost.evil.example"])
def test_another_origin_is_refused(origin):
    server, seen = echo_server(OLDEST)
    with endpoint(server) as wire:
        client = Older(wire)
        client.initialize(OLDEST)
        assert wire.ask("GET", headers={"Accept": "text/event-stream", "Origin": origin}, path="/sse").status == 403
        client.wire.add({"Origin": origin})
        assert client.post(call(1)).status == 403
        client.stream.close()
    assert seen.begun == 0


def test_each_transport_has_its_own_sessions():
    server, _ = echo_server(OLDEST)
    with endpoint(server) as wire:
        client = Older(wire)
        client.initialize(OLDEST)
        older = client.place.rpartition("=")[2]
        assert wire.post(call(), Mcp_Session_Id=older).status == 404
        wire.initialize(OLDEST)
        newer = wire.headers["Mcp-Session-Id"]
        assert client.post(call(), client.place.replace(older, newer)).status == 404
        for unknown in ("", "?session_id=", "?session_id=x"):
            assert client.post(call(), "/messages" + unknown).status == 404
        client.stream.close()


def test_only_what_belongs_there_is_sent_there():
    server, _ = echo_server(OLDEST)
    with endpoint(server) as wire:
        assert wire.ask("POST", b"{}", PLAIN, "/sse").headers["allow"] == "GET"
        assert wire.ask("GET", None, PLAIN, "/messages").headers["allow"] == "POST"
        assert wire.ask("GET", None, {"Accept": "application/json"}, "/sse").status == 406
        assert wire.ask("POST", b"{}", {"Content-Type": "text/plain"}, "/messages").status == 415
        assert (
            wire.ask("GET", None, {"Accept": "text/event-stream", "Origin": "http://evil.example"}, "/sse").status
            == 403
        )
    with endpoint(server, sse_path=None) as wire:
        assert wire.ask("GET", None, {"Accept": "text/event-stream"}, "/sse").status == 404


def test_the_place_for_messages_is_below_the_mount():
    server, _ = echo_server(OLDEST)
    application = server.wsgi_app()
    taken = {}

    def start(status, headers):
        taken["status"] = status

    environ = {
        "REQUEST_METHOD": "GET",
        "SCRIPT_NAME": "/some where",
        "PATH_INFO": "/sse",
        "HTTP_HOST": "localhost",
        "HTTP_ACCEPT": "text/event-stream",
    }
    body = application(environ, start)
    assert next(iter(body)).startswith(b"event: endpoint\ndata: /some%20where/messages?session_id=")
    body.close()
    assert taken["status"] == "200 OK"


def test_hanging_up_gives_its_thread_back():
    server, _ = echo_server(OLDEST)
    with endpoint(server, threads=4, streams=1, keepalive=0.05) as wire:
        client = Older(wire)
        connection = HTTPConnection("127.0.0.1", wire.port, timeout=PATIENCE)
        connection.request("GET", "/sse", headers={"Accept": "text/event-stream"})
        refused = connection.getresponse()
        assert (refused.status, refused.getheader("Retry-After")) == (503, "5")
        connection.close()
        client.stream.close()
        eventually(lambda: not server._connections)

        def opens() -> bool:
            answer = wire.send("GET", None, {"Accept": "text/event-stream"}, "/sse")
            answer[1].close()
            answer[0].close()
            return answer[1].status == 200

        eventually(opens)
