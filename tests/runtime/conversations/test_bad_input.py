"""Raw bytes to a server process: whatever comes, it says what is wrong with it, and the next request is served."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from checkout import REVISIONS
from support.revisions import HANDSHAKE, STATELESS, WITH_NULL_ID
from support.scripted_peers import WHO, Piped, program

LATEST = HANDSHAKE[-1]
MANY = 70 * 1024 * 1024
"""Bytes beyond the limit of a message."""


def request(revision, number, method="tools/call", **params):
    if method == "tools/call":
        params = {"name": "echo", "arguments": {"n": number}, **params}
    if revision in STATELESS:
        params["_meta"] = {
            "io.modelcontextprotocol/protocolVersion": revision,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": WHO,
        }
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()


def errors_of(answer):
    """The code of an answer and its id; ``none`` where it has no id."""
    return answer["error"]["code"], answer.get("id", "none")


BAD = {
    "garbage": (b"hello", -32700),
    "half a message": (b'{"jsonrpc":"2.0","id":1,"method"', -32700),
    "binary": (bytes(each for each in range(256) if each != 10), -32700),
    "not utf-8": (b'{"jsonrpc":"2.0","id":1,"method":"\xff\xfe"}', -32700),
    "utf-16": ("{}".encode("utf-16"), -32700),
    "NaN": (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":NaN}}', -32700),
    "deep": (b"[" * 100_000, -32700),
    "deep and whole": (b'{"a":' * 50_000 + b"1" + b"}" * 50_000, -32700),
    "null": (b"null", -32600),
    "a number": (b"17", -32600),
    "a string": (b'"ping"', -32600),
    "nothing in it": (b"{}", -32600),
    "another jsonrpc": (b'{"jsonrpc":"1.0","id":"x","method":"ping"}', -32600),
}
NAMELESS = {name for name in BAD if name != "another jsonrpc"}


@pytest.fixture(scope="module", params=REVISIONS)
def served(request):
    """A server process, through all of what it is sent."""
    with Piped(program("echo.py", request.param)) as server:
        if request.param in HANDSHAKE:
            server.introduce(request.param)
        yield request.param, server
        # It has lived through everything.
        assert server.end() == 0


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_message_is_refused_and_the_next_request_served(served, name):
    revision, server = served
    line, code = BAD[name]
    server.write(line + b"\n" + request(revision, name) + b"\n")
    answers = [server.hear(), server.hear()]
    (refusal,) = [each for each in answers if "error" in each]
    (answer,) = [each for each in answers if "result" in each]
    nobody = None if revision in WITH_NULL_ID else "none"
    assert errors_of(refusal) == (code, nobody if name in NAMELESS else "x")
    assert answer["result"]["content"][0]["text"] == name


def test_params_that_do_not_fit_are_named(served):
    revision, server = served
    server.write(request(revision, "bad", name=3) + b"\n")
    answer = server.hear()
    assert errors_of(answer) == (-32602, "bad")
    assert "$.params.name" in answer["error"]["data"]["reason"]


def test_unknown_methods_are_refused_and_unknown_notifications_dropped(served):
    revision, server = served
    server.write(b'{"jsonrpc":"2.0","method":"no/such"}\n' + request(revision, "unknown", "no/such") + b"\n")
    assert errors_of(server.hear()) == (-32601, "unknown")


def test_empty_lines_and_carriage_returns_are_nothing(served):
    revision, server = served
    server.write(b"\n\r\n\n" + request(revision, "crlf") + b"\r\n")
    assert server.hear()["id"] == "crlf"


def test_responses_to_nothing_are_dropped(served):
    revision, server = served
    server.write(b'{"jsonrpc":"2.0","id":1,"result":{}}\n{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":"x"}}\n')
    server.write(request(revision, "after") + b"\n")
    assert server.hear()["id"] == "after"


def test_an_id_that_is_in_use_is_refused(served):
    revision, server = served
    hold = request(revision, "twice", arguments={"n": 1, "pause": 0.2})
    server.write(hold + b"\n" + hold + b"\n")
    answers = [server.hear(), server.hear()]
    assert sorted("error" in each for each in answers) == [False, True]
    assert {each["id"] for each in answers} == {"twice"}


def test_a_message_in_many_small_pieces(served):
    revision, server = served
    for byte in request(revision, "slowly") + b"\n":
        server.write(bytes([byte]))
    assert server.hear()["id"] == "slowly"


@pytest.mark.parametrize("revision", [HANDSHAKE[0], STATELESS[-1]])
def test_a_huge_line_is_skipped_and_the_next_request_served(revision):
    with Piped(program("echo.py", revision)) as server:
        if revision in HANDSHAKE:
            server.introduce(revision)
        server.write(b'{"a":"' + b"x" * MANY + b'"}\n' + request(revision, "after") + b"\n")
        refusal = server.hear()
        assert errors_of(refusal)[0] == -32600
        assert "limit" in refusal["error"]["data"]["reason"]
        assert server.hear()["id"] == "after"
        # What was skipped is not kept.
        status = Path(f"/proc/{server.process.pid}/status").read_text(encoding="ascii")
        assert int(status.partition("VmRSS:")[2].split()[0]) < MANY / 1024
