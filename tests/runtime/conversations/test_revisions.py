"""Clients and servers of all revisions meet: it works, or fails, as the compatibility matrix of 2026-07-28 has it."""

from __future__ import annotations

import itertools
import json
import threading
from pathlib import Path
from threading import Thread

import pytest
from checkout import REVISIONS
from mcp_bindings import connect, serve
from mcp_bindings_runtime.errors import (
    ConnectionClosed,
    McpError,
    RequestTimeout,
    ResponseError,
    UnsupportedRevision,
    UsageError,
)
from mcp_bindings_runtime.transports.memory import pair
from support.echo_server import echo_server
from support.revisions import HANDSHAKE, STATELESS
from support.scripted_peers import (
    PATIENCE,
    WHO,
    Piped,
    Spoken,
    environment,
    eventually,
    package,
    program,
    scripted_server,
    text_of,
    threads_of,
)

NEW = STATELESS[-1]
LATEST = HANDSHAKE[-1]

SETS = [
    *((each,) for each in REVISIONS),
    tuple(HANDSHAKE),
    (NEW, LATEST),
    (NEW, HANDSHAKE[0]),
    tuple(REVISIONS),
]
"""Of revisions that one server speaks, or one client."""


def named(revisions):
    return "+".join(revisions)


def expected(spoken_here, spoken_there):
    """What the two agree on; None where the matrix says that it fails, or there is nothing in common."""
    stateless = [each for each in STATELESS if each in spoken_here and each in spoken_there]
    if stateless:
        return stateless[-1]
    legacy_here = sorted((each for each in spoken_here if each in HANDSHAKE), reverse=True)
    legacy_there = sorted((each for each in spoken_there if each in HANDSHAKE), reverse=True)
    if not legacy_here or not legacy_there:
        return None
    # The server takes what the client asks for, which is the best that it has, or answers with the best of its own.
    offered = legacy_here[0] if legacy_here[0] in legacy_there else legacy_there[0]
    return offered if offered in legacy_here else None


@pytest.mark.parametrize("there", SETS, ids=named)
@pytest.mark.parametrize("here", SETS, ids=named)
def test_the_matrix(here, there):
    servers = [echo_server(revision)[0] for revision in there]
    preferred = sorted(here, reverse=True)
    agreed = expected(here, there)
    # Who names revisions in an error of one era may be asked in the other.
    if agreed is None:
        with pytest.raises(McpError):
            connect.in_memory(*servers, revisions=preferred, timeout=PATIENCE)
    else:
        with connect.in_memory(*servers, revisions=preferred, timeout=PATIENCE) as client:
            assert client.binding.revision == agreed
            assert client.server_info.name == "echo"
            assert text_of(client.call_tool("echo", {"n": 3})) == "3"
    eventually(lambda: not threads_of())


@pytest.mark.parametrize(("here", "there"), list(itertools.product(REVISIONS, REVISIONS)))
def test_a_client_of_one_revision_and_a_server_of_one(here, there):
    client = package(here).Client.in_memory(echo_server(there)[0], timeout=PATIENCE, revisions=[here])
    if here == there:
        with client:
            assert text_of(client.call_tool("echo", {"n": 3})) == "3"
        return
    with pytest.raises(UnsupportedRevision) as caught:
        client.connect()
    assert caught.value.wanted == here
    if here in HANDSHAKE or there in STATELESS:
        # It learns what is spoken there, whichever era it is.
        assert caught.value.supported == (there,)


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_client_of_one_revision_and_a_server_of_all(revision):
    servers = [echo_server(each)[0] for each in REVISIONS]
    mine, theirs = pair()
    thread = Thread(target=serve.over, args=(theirs, *servers))
    thread.start()
    with package(revision).Client.over(mine, timeout=PATIENCE) as client:
        assert text_of(client.call_tool("echo", {"n": 3})) == "3"
        if revision == NEW:
            assert client.discover().supported_versions == sorted(REVISIONS, reverse=True)
    thread.join(PATIENCE)
    assert not thread.is_alive()


def test_a_server_is_asked_what_it_is_only_once():
    methods = []

    def play(spoken):
        while True:
            methods.append((asked := spoken.hear())["method"])
            about = {"supportedVersions": [NEW], "capabilities": {"tools": {}}}
            spoken.answer(asked, {"resultType": "complete", "content": [], **about})

    with scripted_server(package(NEW).Client, play) as (client, _):
        for _ in range(3):
            client.connect()
            client.call_tool("x", {})
    assert methods == ["server/discover", *["tools/call"] * 3]


def test_a_preference_for_an_older_revision_is_kept():
    servers = [echo_server(each)[0] for each in REVISIONS]
    for revisions in (REVISIONS, [LATEST, NEW], [HANDSHAKE[0], NEW]):
        with connect.in_memory(*servers, revisions=revisions) as client:
            assert client.binding.revision == revisions[0]


def test_a_modern_server_that_was_taken_for_an_old_one_says_what_it_speaks():
    with connect.in_memory(echo_server(NEW)[0], revisions=[LATEST, NEW]) as client:
        assert client.binding.revision == NEW


# Servers that are asked something they do not know.


def start(how, *arguments, revision=LATEST, **options):
    options = {"timeout": PATIENCE, "probe": PATIENCE, "env": environment(), **options}
    return connect.stdio(program("legacy.py", how, revision, *arguments), **options)


@pytest.mark.parametrize("how", ["-32601", "-32602", "-32600", "-32000", "-32022", "0", "1", "result"])
def test_any_error_shows_an_old_server_and_so_does_an_answer_that_is_none(how, tmp_path):
    with start(how, str(tmp_path / "starts")) as client:
        assert client.binding.revision == LATEST
        assert text_of(client.call_tool("x", {})) == "served"
    assert (tmp_path / "starts").read_text() == "started\n"


@pytest.mark.parametrize("revision", [HANDSHAKE[0], LATEST])
def test_a_server_that_stays_silent_is_asked_by_a_handshake(revision):
    with start("silent", revision=revision, probe=0.1) as client:
        assert client.binding.revision == revision
        assert text_of(client.call_tool("x", {})) == "served"


def test_a_server_that_dies_of_the_question_is_started_again(tmp_path):
    with start("exit", str(tmp_path / "starts")) as client:
        assert client.binding.revision == LATEST
        assert text_of(client.call_tool("x", {})) == "served"
    assert (tmp_path / "starts").read_text() == "started\n" * 2


def test_a_server_that_ends_without_having_heard_the_question_is_not_started_again(tmp_path):
    with pytest.raises(ConnectionClosed, match="exited with status 3"):
        start("dead", str(tmp_path / "starts"))
    assert (tmp_path / "starts").read_text() == "started\n"


def test_a_late_answer_to_the_question_is_taken_for_no_other():
    with start("late", probe=0.1) as client:
        assert client.server_info.name == "old"
        assert text_of(client.call_tool("x", {})) == "served"


def test_a_late_refusal_does_not_end_the_handshake():
    with start("slow", probe=0.1) as client:
        assert client.server_info.name == "old"


def played(play, **options):
    mine, theirs = pair()
    peer = Spoken(theirs)

    def run():
        try:
            play(peer)
        except ConnectionClosed:
            return

    Thread(target=run, name="test-peer", daemon=True).start()
    return connect.over(mine, **{"timeout": PATIENCE, "probe": PATIENCE, **options})


def test_the_numbers_of_requests_go_on_from_revision_to_revision():
    heard = []

    def play(peer):
        for _ in range(3):
            heard.append(peer.hear())
            if heard[-1]["method"] == "server/discover":
                peer.refuse(heard[-1], -32601)
            elif heard[-1]["method"] == "initialize":
                peer.answer(heard[-1], {"protocolVersion": HANDSHAKE[0], "capabilities": {}, "serverInfo": WHO})
                assert peer.hear()["method"] == "notifications/initialized"
            else:
                peer.answer(heard[-1], {})

    with played(play) as client:
        client.ping()
    assert [each["id"] for each in heard] == [1, 2, 3]
    assert [each["method"] for each in heard] == ["server/discover", "initialize", "ping"]
    assert heard[0]["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] == NEW


@pytest.mark.parametrize("revision", [HANDSHAKE[0], LATEST])
def test_the_late_refusal_of_a_probe_is_no_warning(revision, caplog):
    def play(peer):
        probe, initialize = peer.hear(), peer.hear()
        peer.refuse(probe, -32601)
        peer.refuse({"id": 77}, -32601)
        peer.answer(initialize, {"protocolVersion": revision, "capabilities": {}, "serverInfo": WHO})
        assert peer.hear()["method"] == "notifications/initialized"

    caplog.set_level("DEBUG", "mcp_bindings.runtime")
    with played(play, probe=0.05):
        pass
    levels = {each.levelname: each.getMessage() for each in caplog.records if "dropped" in each.msg}
    assert "server/discover" in levels["DEBUG"]
    assert "the unknown request 77" in levels["WARNING"]


def test_the_answer_to_a_handshake_that_a_late_probe_has_replaced_is_no_warning(caplog):
    def play(peer):
        probe, initialize = peer.hear(), peer.hear()
        found = {"supportedVersions": [NEW, LATEST], "capabilities": {}, "ttlMs": 0, "cacheScope": "private"}
        peer.answer(probe, {"resultType": "complete", **found})
        peer.answer(initialize, {"protocolVersion": LATEST, "capabilities": {}, "serverInfo": WHO})
        peer.answer(peer.hear(), {"resultType": "complete", **found})

    caplog.set_level("DEBUG")
    with played(play, probe=0.05) as client:
        assert client.peer_revision == NEW
    assert [each.getMessage() for each in caplog.records if each.levelname == "WARNING"] == []
    assert "dropped: a late response to request 2 (a result)" in caplog.messages
    (failed,) = [each for each in caplog.messages if each.startswith("initialize failed")]
    assert failed.endswith(f"the connection does not use {LATEST}; the peer supports {NEW}, {LATEST}")


def test_what_failed_last_is_told_where_nothing_works():
    def play(peer):
        peer.refuse(peer.hear(), -32601, "never heard of it")
        peer.refuse(peer.hear(), -32001, "the licence has expired")

    with pytest.raises(ResponseError, match="the licence has expired") as caught:
        played(play)
    # How the question before it went shows in the traceback.
    assert isinstance(caught.value.__cause__, UnsupportedRevision)


def test_a_server_that_says_nothing_at_all_is_left():
    with pytest.raises(RequestTimeout, match="initialize"):
        played(lambda peer: threading.Event().wait(0.5), probe=0.05, timeout=0.05)


def test_a_modern_server_of_a_revision_to_come_is_not_asked_by_a_handshake():
    heard = []

    def play(peer):
        heard.append(peer.hear())
        peer.refuse(heard[-1], -32022, "no", {"supported": ["2199-01-01"], "requested": NEW})
        heard.append(peer.hear())

    with pytest.raises(UnsupportedRevision) as caught:
        played(play)
    assert caught.value.supported == ("2199-01-01",)
    assert [each["method"] for each in heard] == ["server/discover"]


def test_a_server_that_discloses_other_revisions_is_asked_in_one_of_those():
    def play(peer):
        discovered = {"resultType": "complete", "supportedVersions": ["2199-01-01", HANDSHAKE[1]], "capabilities": {}}
        peer.answer(peer.hear(), {**discovered, "ttlMs": 0, "cacheScope": "private"})
        asked = peer.hear()
        peer.answer(
            asked, {"protocolVersion": asked["params"]["protocolVersion"], "capabilities": {}, "serverInfo": WHO}
        )
        peer.hear()

    with played(play) as client:
        assert client.binding.revision == HANDSHAKE[1]


def test_a_conversation_that_begins_in_several_revisions_is_recorded_in_one_file(tmp_path):
    record = tmp_path / "all.jsonl"
    with connect.in_memory(echo_server(LATEST)[0], record=record) as client:
        client.call_tool("echo", {})
    methods = [json.loads(line)["message"].get("method") for line in record.read_text().splitlines()]
    assert [each for each in methods if each] == [
        "server/discover",
        "initialize",
        "notifications/initialized",
        "tools/call",
    ]


# Handlers of clients that are not yet of any revision.


@pytest.mark.parametrize("revision", REVISIONS)
def test_handlers_are_given_by_method(revision):
    mcp = package(revision)

    def roots(params, context):
        return mcp.types.ListRootsResult(roots=[mcp.types.Root(uri="file:///r", name="mine")])

    handlers = {"roots/list": roots, "elicitation/create": roots, "notifications/message": roots}
    with connect.in_memory(echo_server(revision)[0], handlers=handlers) as client:
        assert text_of(client.call_tool("echo", {"ask": 0})) == "mine"


def test_a_method_that_no_server_sends_is_refused_before_anything_is_started(tmp_path):
    with pytest.raises(UsageError, match=r"sends 'root/list'; use one of .*roots/list"):
        start("silent", str(tmp_path / "starts"), handlers={"root/list": print})
    with pytest.raises(UsageError, match="no server of"):
        start("silent", str(tmp_path / "starts"), handlers={"elicitation/create": print}, revisions=[HANDSHAKE[0]])
    assert not Path(tmp_path / "starts").exists()


def test_a_revision_that_is_not_there_is_refused():
    with pytest.raises(UsageError, match="there are no bindings of '2023-01-01' here"):
        connect.in_memory(echo_server(LATEST)[0], revisions=["2023-01-01"])
    with pytest.raises(UsageError, match="`revisions` is empty"):
        connect.in_memory(echo_server(LATEST)[0], revisions=[])


@pytest.mark.parametrize("revision", REVISIONS)
def test_options_of_one_era_are_no_matter_in_the_other(revision):
    with connect.in_memory(echo_server(revision)[0], log_level="debug", rounds=3, ping=60.0) as client:
        assert client.binding.revision == revision


@pytest.mark.parametrize("form", [*REVISIONS, "dict"])
@pytest.mark.parametrize("revision", REVISIONS)
def test_capabilities_may_be_of_any_revision_or_a_dict(form, revision):
    experimental = {"com.acme/fast": {"level": 1}}
    declared = {"experimental": experimental} if form == "dict" else None
    declared = declared or package(form).types.ClientCapabilities(experimental=experimental)
    with connect.in_memory(echo_server(revision)[0], capabilities=declared) as client:
        assert client.capabilities.experimental == experimental


@pytest.mark.parametrize("wrong", [{"experimental": 5}, [], package(LATEST).types.ServerCapabilities()], ids=repr)
def test_other_capabilities_are_refused(wrong):
    with pytest.raises(UsageError, match=f"must be a ClientCapabilities of {LATEST}, or a dict with its members, got"):
        package(LATEST).Client.in_memory(echo_server(LATEST)[0], capabilities=wrong).__enter__()


def test_a_negotiation_that_asks_nothing_is_refused():
    with pytest.raises(UsageError, match="`discover` is for clients of one revision"):
        connect.in_memory(echo_server(LATEST)[0], discover=False)


def test_a_negotiated_client_cannot_connect_again_by_itself():
    with pytest.raises(UsageError, match="`restart` is for clients of one revision"):
        connect.in_memory(echo_server(LATEST)[0], restart=True)
    with connect.in_memory(echo_server(LATEST)[0], restart=False) as client:
        assert client.server_info is not None


def test_a_revision_as_the_version_of_the_client_is_warned_of(caplog):
    with connect.in_memory(echo_server(LATEST)[0], version="2026.1"):
        assert caplog.text == ""
    with connect.in_memory(echo_server(LATEST)[0], version=LATEST):
        assert f"`version` is that of the client itself; for a revision, pass revisions=['{LATEST}']" in caplog.text


# Servers of several revisions.


def test_initialize_ends_the_stateless_part_of_a_connection():
    servers = [echo_server(each)[0] for each in REVISIONS]
    mine, theirs = pair()
    Thread(target=serve.over, args=(theirs, *servers), daemon=True).start()
    peer = Spoken(mine)
    modern = {
        "name": "echo",
        "arguments": {"n": "modern"},
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": NEW,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": WHO,
        },
    }
    for number in range(1, 4):
        peer.request("tools/call", number, modern)
        assert peer.hear()["result"]["content"][0]["text"] == "modern"
    assert peer.introduce(HANDSHAKE[0])["result"]["protocolVersion"] == HANDSHAKE[0]
    peer.request("tools/call", 1, {"name": "echo", "arguments": {"n": "old"}})
    assert peer.hear()["result"] == {"content": [{"type": "text", "text": "old"}]}
    peer.close()
    eventually(lambda: not threads_of())


@pytest.mark.parametrize("hosted", [HANDSHAKE, HANDSHAKE[::-1], [HANDSHAKE[1], HANDSHAKE[0]]], ids=named)
@pytest.mark.parametrize("wanted", ["2020-01-01", "2199-01-01"])
def test_a_revision_that_is_not_served_is_answered_with_the_latest(hosted, wanted):
    servers = [echo_server(each)[0] for each in hosted]
    mine, theirs = pair()
    Thread(target=serve.over, args=(theirs, *servers), daemon=True).start()
    peer = Spoken(mine)
    assert peer.introduce(wanted)["result"]["protocolVersion"] == max(hosted)
    peer.close()


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_a_client_that_does_not_speak_what_the_server_answers_disconnects(revision):
    left = threading.Event()

    def play(spoken):
        asked = spoken.hear()
        spoken.answer(asked, {"protocolVersion": "1999-12-31", "capabilities": {}, "serverInfo": WHO})
        try:
            spoken.hear()
        except ConnectionClosed:
            left.set()

    with scripted_server(package(revision).Client, play) as (client, _):
        with pytest.raises(UnsupportedRevision):
            client.connect()
        assert left.wait(PATIENCE)


def test_what_comes_before_anybody_is_introduced_is_answered():
    servers = [echo_server(each)[0] for each in REVISIONS]
    mine, theirs = pair()
    Thread(target=serve.over, args=(theirs, *servers), daemon=True).start()
    peer = Spoken(mine)
    peer.request("ping", "p")
    assert peer.hear() == {"jsonrpc": "2.0", "id": "p", "result": {}}
    peer.request("tools/list", "l")
    assert peer.hear()["error"]["code"] == -32600
    mine.send(b"garbage")
    assert peer.hear()["error"]["code"] == -32700
    mine.send(
        b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"1999-01-01"}}}'
    )
    refused = peer.hear()["error"]
    assert refused["code"] == -32022
    assert refused["data"]["supported"] == sorted(REVISIONS, reverse=True)
    assert peer.introduce(LATEST)["result"]["protocolVersion"] == LATEST
    peer.close()


def test_two_servers_of_one_revision_are_refused():
    with pytest.raises(UsageError, match=f"two servers of {LATEST}"):
        serve.over(pair()[0], echo_server(LATEST)[0], echo_server(LATEST)[0])
    with pytest.raises(UsageError, match="there is no server"):
        serve.over(pair()[0])


@pytest.mark.parametrize("host", [lambda given: serve.over(pair()[0], given), serve.wsgi_app])
def test_servers_are_given_one_by_one(host):
    with pytest.raises(
        UsageError, match=r"each argument must be a server object, got \[.*; pass the servers one by one"
    ):
        host([echo_server(LATEST)[0]])


@pytest.mark.parametrize("revision", [HANDSHAKE[0], NEW])
def test_servers_of_all_revisions_in_a_process(revision):
    with connect.stdio(program("every.py"), revisions=[revision], env=environment(), timeout=PATIENCE) as client:
        assert text_of(client.call_tool("echo", {"n": 3})) == "3"


def test_a_pipe_into_servers_of_all_revisions_gets_all_its_answers():
    with Piped(program("every.py")) as server:
        server.introduce(LATEST)
        for number in range(1, 11):
            params = {"name": "echo", "arguments": {"n": number, "pause": 0.02}}
            server.say({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})
        server.process.stdin.close()
        assert sorted(server.hear()["id"] for _ in range(10)) == list(range(1, 11))
        assert server.line() == b""
        assert server.process.wait(PATIENCE) == 0
