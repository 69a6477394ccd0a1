"""What is sent to servers, alone or several behind one transport: each message is answered once or not at all, as it says.

And whatever it is, the server ends when its input does.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from threading import Thread

import pytest
from checkout import REVISIONS
from fuzz.mutating import mutated
from hypothesis import example, given, settings
from hypothesis import strategies as st
from mcp_bindgen import catalog
from mcp_bindings import connect, serve
from mcp_bindings_runtime.errors import UnsupportedRevision
from mcp_bindings_runtime.transports.memory import pair
from mcp_bindings_runtime.transports.streams import Streams
from strategies.messages import Messages
from strategies.values import Values, at_random, drawn_json
from support.echo_server import echo_server
from support.revisions import HANDSHAKE, STATELESS, WITH_BATCHES
from support.scripted_peers import PATIENCE, WHO, Piped, Spoken, package, program, scripted_client

NEW = STATELESS[-1]
LATEST = HANDSHAKE[-1]
VERSION = "io.modelcontextprotocol/protocolVersion"
META = {VERSION: NEW, "io.modelcontextprotocol/clientCapabilities": {}, "io.modelcontextprotocol/clientInfo": WHO}
OFFER = {"protocolVersion": LATEST, "capabilities": {}, "clientInfo": WHO}
BOTH_ERAS = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {**OFFER, "_meta": META}}
"""A client of the handshake era sends no ``_meta`` like this, and one of 2026-07-28 no ``initialize``."""

SETS = [*((each,) for each in REVISIONS), (NEW, LATEST), tuple(REVISIONS)]
"""Of revisions that are served together."""


def named(revisions):
    return "+".join(revisions)


def hosted(*revisions):
    """A client that the test plays, of servers of these revisions behind one transport."""
    mine, theirs = pair()
    servers = [echo_server(each)[0] for each in revisions]
    thread = Thread(target=serve.over, args=(theirs, *servers), name="test-server", daemon=True)
    thread.start()
    return Spoken(mine), thread


# Messages of both eras in one.


@pytest.mark.parametrize("legacy", [LATEST, HANDSHAKE[0]])
@pytest.mark.parametrize("before", [[], ["server/discover"]], ids=["first", "later"])
def test_initialize_that_names_a_revision_without_it_is_refused_as_there(legacy, before):
    peer, thread = hosted(NEW, legacy)
    for number, method in enumerate(before, 100):
        peer.request(method, number, {"_meta": META})
        assert "result" in peer.hear()
    peer.say(BOTH_ERAS)
    refused = peer.hear()
    assert (refused["id"], refused["error"]["code"]) == (1, -32601)
    assert refused["error"]["data"]["supported"] == [NEW, legacy]
    assert f"{NEW}, {legacy}" in refused["error"]["message"]
    # It has chosen nothing: both eras are served still.
    peer.request("server/discover", 2, {"_meta": META})
    assert peer.hear()["result"]["supportedVersions"] == [NEW, legacy]
    assert peer.introduce(legacy)["result"]["protocolVersion"] == legacy
    peer.close()
    thread.join(PATIENCE)
    assert not thread.is_alive()


def test_a_process_that_was_sent_both_eras_in_one_message_goes_on_and_ends():
    with Piped(program("every.py")) as server:
        server.say(BOTH_ERAS)
        assert server.hear()["error"]["code"] == -32601
        server.introduce(LATEST)
        assert server.end() == 0


@pytest.mark.parametrize("version", [5, True, [], {}, ""])
def test_a_revision_that_is_no_text_is_for_the_stateless_server_to_refuse(version):
    peer, _ = hosted(NEW, LATEST)
    peer.request("initialize", 1, {**OFFER, "_meta": {**META, VERSION: version}})
    refused = peer.hear()
    assert refused["error"]["data"]["supported"] == [NEW, LATEST]
    peer.request("tools/list", 2, {"_meta": {**META, VERSION: version}})
    assert peer.hear()["error"]["code"] in {-32602, -32022}
    peer.close()


@pytest.mark.parametrize("text", ['"\\u0069nitialize"', '"initialize"'])
def test_initialize_begins_a_session_however_it_is_spelled(text):
    peer, _ = hosted(NEW, LATEST)
    peer.request("server/discover", 1, {"_meta": META})
    peer.hear()
    offer = json.dumps({"jsonrpc": "2.0", "id": 2, "method": "initialize", "params": OFFER})
    peer.transport.send(offer.replace('"initialize"', text).encode())
    assert peer.hear()["result"]["protocolVersion"] == LATEST
    peer.close()


def test_a_notification_does_not_begin_a_session():
    peer, _ = hosted(NEW, LATEST)
    peer.notify("initialize", OFFER)
    peer.request("server/discover", 1, {"_meta": META})
    assert peer.hear()["result"]["supportedVersions"] == [NEW, LATEST]
    peer.close()


# What is named to clients of the other era.


@pytest.mark.parametrize("params", [OFFER, {**OFFER, "_meta": META}, {"protocolVersion": 5}, [], None])
def test_a_server_without_handshake_names_its_revisions_to_whoever_begins_one(params):
    peer = scripted_client(echo_server(NEW)[0])
    peer.request("initialize", 1, params)
    error = peer.hear()["error"]
    assert error["data"]["supported"] == [NEW]
    assert NEW in error["message"]
    peer.close()


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_a_server_that_was_hosted_names_its_own_revision_again(revision):
    server, other = echo_server(NEW)[0], echo_server(revision)[0]
    with connect.in_memory(server, other) as client:
        assert client.discover().supported_versions == [NEW, revision]
    serve.wsgi_app(server, other)
    with package(NEW).Client.in_memory(server) as client:
        assert client.discover().supported_versions == [NEW]
    with pytest.raises(UnsupportedRevision) as caught:
        package(revision).Client.in_memory(server, timeout=PATIENCE, revisions=[revision]).connect()
    assert caught.value.supported == (NEW,)


# Anything at all.


def plain_server(revision):
    server = package(revision).Server("s", "1", revisions=[revision])

    @server.tool
    def echo(text: str) -> str:
        return text

    return server


def talked(lines, *revisions):
    """What is answered to lines of which the last is followed by the end of the input; fails if that has no end."""
    (reading, sending), (hearing, writing) = os.pipe(), os.pipe()
    servers = [plain_server(each) for each in revisions]
    transport = Streams(reading, writing)
    serving = servers[0].serve if len(servers) == 1 else lambda given: serve.over(given, *servers)
    thread = Thread(target=serving, args=(transport,), name="test-server", daemon=True)
    heard = []

    def hear():
        with os.fdopen(hearing, "rb") as pipe:
            heard.extend(pipe)

    listener = Thread(target=hear, name="test-listener", daemon=True)
    thread.start()
    listener.start()
    with os.fdopen(sending, "wb") as pipe:
        pipe.writelines(line + b"\n" for line in lines)
    for each in (thread, listener):
        each.join(PATIENCE)
        assert not each.is_alive(), "the server goes on after the end of its input"
    return [json.loads(line) for line in heard]


NOBODY = "no id"


def due(value, batches):
    """Ids of the answers that a JSON value is due, as JSON; more than one for a batch where there are some."""
    if value.__class__ is list and value and batches:
        return [each for item in value for each in due(item, batches=False)]
    if value.__class__ is not dict:
        return [NOBODY]
    wanted = value.get("id")
    known = wanted.__class__ is int or (wanted.__class__ is str and not any("\ud800" <= c <= "\udfff" for c in wanted))
    name = json.dumps(wanted) if known else NOBODY
    if "method" in value and "id" in value:
        return [name]
    if value.get("method").__class__ is str or ("method" not in value and ("result" in value or "error" in value)):
        return []
    return [name]


def parsed(line):
    def refuse(text):
        raise ValueError(text)

    try:
        return json.loads(line.decode(), parse_constant=refuse)
    except (ValueError, RecursionError):
        return None


def each_of(value):
    """The messages in a line."""
    return [each for each in (value if value.__class__ is list else [value]) if each.__class__ is dict]


def counted(answers):
    found = Counter()
    for answer in answers:
        for each in each_of(answer):
            if "method" not in each:
                found[NOBODY if each.get("id") is None else json.dumps(each["id"])] += 1
    return found


def check(lines, answers, revisions):
    """Each message has the answers that it is due. A batch has one or several, by the revision that was agreed on."""
    values = [parsed(line) for line in lines if line]
    least, most = Counter(), Counter()
    optional = set()
    for value in values:
        ways = [Counter(due(value, batches=batches)) for batches in {each in WITH_BATCHES for each in revisions}]
        least += ways[0] & ways[-1]
        most += ways[0] | ways[-1]
        for each in each_of(value):
            params = each.get("params")
            if each.get("method") == "notifications/cancelled" and params.__class__ is dict:
                optional.add(json.dumps(params.get("requestId")))
            elif each.get("method") == "subscriptions/listen":
                # It is answered when the server ends it, not when the client has left.
                optional.add(json.dumps(each.get("id")))
    found = counted(answers)
    assert found <= most, (found, most)
    assert Counter({each: n for each, n in least.items() if each not in optional}) <= found, (found, least)


PROTOCOLS = {revision: catalog.load(revision) for revision in REVISIONS}
MADE = {revision: Messages(protocol) for revision, protocol in PROTOCOLS.items()}
VALUES = {revision: Values(protocol) for revision, protocol in PROTOCOLS.items()}


def of_client(random):
    """A message that a client of any revision sends."""
    revision = random.choice(REVISIONS)
    protocol, made = PROTOCOLS[revision], VALUES[revision]
    method = random.choice([each for each in protocol.methods.values() if "client" in each.sent_by])
    return made.drawn(made.type(method.interface), random, 3)


def mixed(message, random):
    """The message with something of others: a member changed, taken out, or put in that belongs to another era."""
    message = dict(message) if message.__class__ is dict else {"params": message}
    params = message.get("params")
    params = dict(params) if params.__class__ is dict else {}
    kind = random.randrange(8)
    if kind == 0:
        message["method"] = random.choice(["initialize", "notifications/initialized", "server/discover", "ping"])
    elif kind == 1:
        message.pop(random.choice(["id", "jsonrpc", "method", "params"]), None)
    elif kind == 2:
        message["id"] = random.choice([1, 1, "1", 0, -1, 2**70, "", None, True, 1.5, [], "é"])
    elif kind == 3:
        message[random.choice(["id", "params", "method", "result", "_meta"])] = drawn_json(random, 2)
    elif kind == 4:
        params["_meta"] = {**META, VERSION: random.choice([*REVISIONS, "1999-01-01", 5, None, {}])}
        message["params"] = params
    elif kind == 5:
        params.pop("_meta", None)
        message["params"] = params
    elif kind == 6:
        message["params"] = {**OFFER, **params, "protocolVersion": random.choice([*REVISIONS, "x", 5])}
    else:
        message["params"] = {**params, **dict.fromkeys(of_client(random).get("params") or {}, None)}
    return message


def line_of(random):
    """Anything that might come on a line: messages, nearly messages, any JSON, batches, bytes."""
    kind = random.random()
    if kind < 0.1:
        value = drawn_json(random, 3)
    elif kind < 0.2:
        value = MADE[random.choice(REVISIONS)].drawn(random, 3).value
    elif kind < 0.3:
        value = [of_client(random) for _ in range(random.randrange(4))]
    else:
        value = of_client(random)
        for _ in range(random.choice([0, 1, 1, 2, 3])):
            value = mixed(value, random)
    line = json.dumps(value, ensure_ascii=random.random() < 0.5).encode("utf-8", "surrogatepass")
    if random.random() < 0.15:
        line = mutated(line, json.dumps(of_client(random)).encode(), random)
    if random.random() < 0.1:
        line = line.replace(b"initialize", b"\\u0069nitialize")
    return line.replace(b"\n", b" ").replace(b"\r", b" ")


SESSION = [
    json.dumps({"jsonrpc": "2.0", "id": "first", "method": "initialize", "params": OFFER}).encode(),
    json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}).encode(),
]
lines = st.lists(at_random(line_of), max_size=6)


@pytest.mark.parametrize("revisions", SETS, ids=named)
@settings(max_examples=settings.default.max_examples // 4)
@given(begun=st.booleans(), said=lines)
@example(begun=False, said=[json.dumps(BOTH_ERAS).encode()])
@example(begun=True, said=[json.dumps(BOTH_ERAS).encode()])
def test_every_line_has_the_answers_that_it_is_due_and_the_server_ends(revisions, begun, said):
    said = [*(SESSION if begun else []), *said]
    check(said, talked(said, *revisions), revisions)
