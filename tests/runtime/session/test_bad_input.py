"""What a session does with lines that are no good: the exact answer to each, once, and then it goes on."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from checkout import REVISIONS
from mcp_bindings_runtime.errors import DecodeError, MessageTooLarge
from mcp_bindings_runtime.jsonrpc import ErrorObject
from mcp_bindings_runtime.session.events import Dropped, Incoming, Outcome, Reply
from support.bindings import binding
from support.minimal_params import params_of
from support.revisions import HANDSHAKE, STATELESS, WITH_BATCHES, WITH_NULL_ID
from support.sessions import answer, call, line, listed, only, opened, result, server, tell, vars_of

Json = Any

MESSAGES = {
    -32700: "Parse error",
    -32600: "Invalid Request",
    -32601: "Method not found",
    -32602: "Invalid params",
}
"""JSON-RPC 2.0, section 5.1."""

UNKNOWN = object()
"""The id of an answer to what has none that could be read."""


class Bad(NamedTuple):
    name: str
    line: Callable[[str], bytes]
    code: int | None
    """None where nothing is answered."""
    id: object = 7
    where: str = ""
    """What the reason in ``data`` has to name."""


def of(**changes: Json) -> Callable[[str], bytes]:
    """A good request with other members; ``...`` for one that is left out."""

    def make(revision: str) -> bytes:
        message = {**call(revision, "tools/call", 7, {"name": "t"}), **changes}
        return line({key: value for key, value in message.items() if value is not ...})

    return make


def param(**changes: Json) -> Callable[[str], bytes]:
    def make(revision: str) -> bytes:
        message = call(revision, "tools/call", 7, {"name": "t", **changes})
        message["params"] = {key: value for key, value in message["params"].items() if value is not ...}
        return line(message)

    return make


def same(value: Json) -> Callable[[str], bytes]:
    text = value if isinstance(value, bytes) else line(value)
    return lambda _revision: text


def spliced(text: bytes) -> Callable[[str], bytes]:
    """A good request with this in the place of an argument."""
    return lambda revision: param(arguments={"a": "HERE"})(revision).replace(b'"HERE"', text)


def method(name: Json, **changes: Json) -> Callable[[str], bytes]:
    return lambda revision: line(
        {key: value for key, value in {**call(revision, name), **changes}.items() if value is not ...}
    )


DIGITS = b"7" * 5000
DEEP = b"[" * 100_000 + b"]" * 100_000

BAD = [
    Bad("text", same(b"Listening on port 80"), -32700, UNKNOWN, "not JSON"),
    Bad("nothing", same(b" "), -32700, UNKNOWN, "not JSON"),
    Bad("half a message", same(b'{"jsonrpc": "2.0", "id": 7, "meth'), -32700, UNKNOWN, "not JSON"),
    Bad("two messages", same(line(tell("x")) + line(tell("y"))), -32700, UNKNOWN, "not JSON"),
    Bad("no UTF-8", same(b'{"jsonrpc": "2.0", "id": 7, "method": "\xff"}'), -32700, UNKNOWN, "not UTF-8"),
    Bad("UTF-16", lambda revision: of()(revision).decode().encode("utf-16"), -32700, UNKNOWN, "not UTF-8"),
    Bad("byte order mark", lambda revision: b"\xef\xbb\xbf" + of()(revision), -32700, UNKNOWN, "byte order mark"),
    Bad("NaN", spliced(b"NaN"), -32700, UNKNOWN, "JSON"),
    Bad("Infinity", spliced(b"-Infinity"), -32700, UNKNOWN, "JSON"),
    Bad("5,000 digits", spliced(DIGITS), -32700, UNKNOWN, "digits"),
    Bad("id of 5,000 digits", same(b'{"jsonrpc": "2.0", "method": "ping", "id": %s}' % DIGITS), -32700, UNKNOWN),
    Bad("deep nesting", spliced(DEEP), -32700, UNKNOWN, "deep"),
    # JSON that no two parsers agree on: the id can be read, so somebody waits for an answer to it.
    Bad("a number without end", spliced(b"1e999"), -32600, 7, "too large"),
    Bad("half a surrogate pair", spliced(rb'"\ud800"'), -32600, 7, "surrogate"),
    Bad("an id that cannot be sent back", of(id="\ud800"), -32600, UNKNOWN, "surrogate"),
    Bad("null", same(None), -32600, UNKNOWN, "an object"),
    Bad("true", same(True), -32600, UNKNOWN, "an object"),
    Bad("a number", same(7), -32600, UNKNOWN, "an object"),
    Bad("a string", same("method"), -32600, UNKNOWN, "an object"),
    Bad("an empty object", same({}), -32600, UNKNOWN, "method"),
    Bad("an empty array", same([]), -32600, UNKNOWN),
    Bad("an id and no more", same({"jsonrpc": "2.0", "id": 7}), -32600, 7, "method"),
    Bad("no jsonrpc", of(jsonrpc=...), -32600, 7, "$.jsonrpc"),
    Bad("jsonrpc 1.0", of(jsonrpc="1.0"), -32600, 7, "$.jsonrpc"),
    Bad("jsonrpc as a number", of(jsonrpc=2.0), -32600, 7, "$.jsonrpc"),
    Bad("id null", of(id=None), -32600, UNKNOWN, "$.id"),
    Bad("id 7.5", of(id=7.5), -32600, UNKNOWN, "$.id"),
    Bad("id 7.0", of(id=7.0), -32600, UNKNOWN, "$.id"),
    Bad("id true", of(id=True), -32600, UNKNOWN, "$.id"),
    Bad("id []", of(id=[]), -32600, UNKNOWN, "$.id"),
    Bad("id {}", of(id={}), -32600, UNKNOWN, "$.id"),
    Bad("id of a request in progress", of(id=1), -32600, 1, "in progress"),
    Bad("a request method without id", of(id=...), None),
    Bad("a request method without id or params", of(id=..., params=...), None),
    Bad("method as a number", of(method=7), -32600, 7, "$.method"),
    Bad("method null", of(method=None), -32600, 7, "$.method"),
    Bad("method as an array", of(method=["ping"]), -32600, 7, "$.method"),
    Bad("method as a number, without id", of(method=7, id=...), -32600, UNKNOWN, "$.method"),
    Bad("an unknown request", method("no/such"), -32601, 7, "no/such"),
    Bad("an unknown request of our own", method("roots/list"), -32601, 7, "roots/list"),
    Bad("an unknown notification", method("no/such", id=...), None),
    Bad("a notification method with id", method("notifications/cancelled"), -32600, 7, "$.id"),
    Bad("params as an array", of(params=["t"]), -32602, 7, "$.params"),
    Bad("params as a string", of(params="t"), -32602, 7, "$.params"),
    Bad("params null", of(params=None), -32602, 7, "$.params"),
    Bad("no params", of(params=...), -32602, 7, "$.params"),
    Bad("no name", param(name=...), -32602, 7, "$.params.name"),
    Bad("name as a number", param(name=7), -32602, 7, "$.params.name"),
    Bad("arguments as an array", param(arguments=[7]), -32602, 7, "$.params.arguments"),
    Bad("progressToken as a fraction", same(tell("notifications/progress", {"progressToken": 1.5})), None),
    Bad("params of a notification as an array", same({**tell("notifications/cancelled"), "params": []}), None),
    Bad("a notification without jsonrpc", same({"method": "notifications/cancelled"}), None),
    Bad("a response to nothing", same(result(7, {})), None),
    Bad("an error to nothing", same({"jsonrpc": "2.0", "id": 7, "error": {"code": 1, "message": ""}}), None),
    Bad(
        "an error on nobody knows what", same({"jsonrpc": "2.0", "id": None, "error": {"code": 1, "message": ""}}), None
    ),
    Bad("a response without id", same({"jsonrpc": "2.0", "result": {}}), None),
    Bad("an error without a code", same({"jsonrpc": "2.0", "id": 7, "error": {}}), None),
    Bad("a result that is none", same(result(7, 7)), None),
    Bad("result and error", same({**result(7, {}), "error": {"code": 1, "message": ""}}), None),
    Bad("a response without jsonrpc", same({"id": 7, "result": {}}), None),
]

each_revision = pytest.mark.parametrize("revision", REVISIONS)
each_bad = pytest.mark.parametrize("bad", BAD, ids=lambda bad: bad.name)


def busy(revision: str) -> Any:
    """A server that works on request 1."""
    session = opened(revision, "server")
    only(session.receive(line(call(revision, "tools/list", 1))), Incoming)
    return session


def refusal(revision: str, bad: Bad) -> Json:
    """The answer without its ``data``."""
    assert bad.code is not None
    error = {"code": bad.code, "message": MESSAGES[bad.code]}
    if bad.id is not UNKNOWN:
        return {"jsonrpc": "2.0", "id": bad.id, "error": error}
    return {"jsonrpc": "2.0", "error": error, **({"id": None} if revision in WITH_NULL_ID else {})}


def check_goes_on(revision: str, session: Any, request_id: Json = 99) -> None:
    """The next request is answered."""
    incoming = only(session.receive(line(call(revision, "tools/list", request_id))), Incoming)
    typed = binding(revision).codec.decode_result(incoming.key, listed(revision))
    sent = json.loads(session.settle(incoming, session.response_line(incoming, typed)))
    assert (sent["id"], sent["result"]["tools"]) == (request_id, [])


@each_revision
@each_bad
def test_a_server_answers_what_has_to_be_answered(revision: str, bad: Bad) -> None:
    session = busy(revision)
    events = session.receive(bad.line(revision))
    if bad.code is None:
        only(events, Dropped)
    else:
        given = answer(events)
        data = given["error"].pop("data")
        assert given == refusal(revision, bad)
        assert bad.where in data["reason"]
    check_goes_on(revision, session)


@each_revision
@pytest.mark.parametrize("bad", [bad for bad in BAD if "of our own" not in bad.name], ids=lambda bad: bad.name)
def test_a_client_answers_bad_requests_and_no_other_garbage(revision: str, bad: Bad) -> None:
    session = opened(revision, "client")
    # Requests of a server: what stands for a method of clients above is none of a server's.
    text = bad.line(revision).replace(b"tools/call", b"sampling/createMessage")
    event = only(session.receive(text))
    if event.__class__ is Dropped:
        return
    given = json.loads(event.line)
    assert revision in HANDSHAKE, "clients of 2026-07-28 send no responses"
    assert "method" in json.loads(text, strict=False), "it was no request"
    assert given["id"] == bad.id
    assert bad.code is not None


@each_revision
@pytest.mark.parametrize("side", ["client", "server"])
def test_what_was_too_large_is_answered_by_servers(revision: str, side: str) -> None:
    session = opened(revision, side)
    events = session.receive_too_large(MessageTooLarge(70, 64))
    if side == "client":
        only(events, Dropped)
        return
    given = answer(events)
    assert "64 bytes" in given["error"].pop("data")["reason"]
    assert given == refusal(revision, Bad("", same(b""), -32600, UNKNOWN))
    check_goes_on(revision, session)


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_requests_before_the_handshake_are_refused_and_the_handshake_works(revision: str) -> None:
    session = server(revision)
    refused = answer(session.receive(line(call(revision, "tools/list", 3))))
    assert (refused["id"], refused["error"]["code"]) == (3, -32600)
    assert "the session is new" in refused["error"]["data"]["reason"]
    assert session.state == "new"


# Answers that do not fit what was asked.

MISFITS: list[tuple[str, Callable[[int], Json], str]] = [
    ("a result of another shape", lambda n: result(n, {**listed(STATELESS[-1]), "tools": 7}), "$.result.tools"),
    ("a result without members", lambda n: result(n, {}), "$.result"),
    ("a result that is no object", lambda n: result(n, [1]), "$.result"),
    ("no result", lambda n: {"jsonrpc": "2.0", "id": n}, "$"),
    ("result and error", lambda n: {**result(n, {}), "error": {"code": 1, "message": ""}}, "$"),
    ("no jsonrpc", lambda n: {"id": n, "error": {"code": 1, "message": ""}}, "$.jsonrpc"),
    ("an error without code", lambda n: {"jsonrpc": "2.0", "id": n, "error": {"message": ""}}, "$.error.code"),
    ("an error with a fraction", lambda n: {"jsonrpc": "2.0", "id": n, "error": {"code": 1.5, "message": ""}}, "code"),
]


@each_revision
@pytest.mark.parametrize(("make", "where"), [row[1:] for row in MISFITS], ids=[row[0] for row in MISFITS])
def test_who_waits_for_an_answer_that_does_not_fit_hears_of_it(
    revision: str, make: Callable[[int], Json], where: str
) -> None:
    session = opened(revision, "client")
    request_id, _ = session.request(binding(revision).requests["tools/list"], None)
    outcome = only(session.receive(line(make(request_id))), Outcome)
    assert (outcome.id, outcome.result) == (request_id, None)
    assert isinstance(outcome.error, DecodeError)
    assert where in outcome.error.path
    # It is over: what comes later is late.
    only(session.receive(line(result(request_id, listed(revision)))), Dropped)


@each_revision
@pytest.mark.parametrize(
    ("content", "where"),
    [
        ([{"type": "text"}], "content"),
        ([{"type": "image", "data": "AA=="}], "content"),
        ([{"text": "t"}], "content"),
        ("t", "$.result.content"),
    ],
    ids=str,
)
def test_the_result_of_a_tool_is_validated(revision: str, content: Json, where: str) -> None:
    session = opened(revision, "client")
    key = binding(revision).requests["tools/call"]
    request_id, _ = session.request(key, params_of(revision, key))
    outcome = only(session.receive(line(result(request_id, {"resultType": "complete", "content": content}))), Outcome)
    assert outcome.result is None
    assert isinstance(outcome.error, DecodeError)
    assert where in outcome.error.path


@each_revision
@pytest.mark.parametrize("made_of", [float, str, lambda number: [number], lambda number: number > 0])
def test_an_answer_to_another_id_is_no_answer(revision: str, made_of: Callable[[int], Json]) -> None:
    session = opened(revision, "client")
    # True equals 1, and "1" does not: none of them is the id.
    session._ids = iter([1])
    request_id, _ = session.request(binding(revision).requests["tools/list"], None)
    only(session.receive(line(result(made_of(request_id), listed(revision)))), Dropped)
    assert only(session.receive(line(result(request_id, listed(revision)))), Outcome).error is None


# Batches.


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('{"level": "info"}', '{"level": "info"}'),
        ("[]", "[]"),
        ('"' + "x" * 99 + '"', '"' + "x" * 59 + "…"),
        ("Listening", '"Listening"'),
    ],
)
def test_what_is_not_a_message_of_json_rpc_is_shown(revision: str, text: str, shown: str) -> None:
    event = only(opened(revision, "client").receive(text.encode()), Dropped)
    assert event.reason == f"the server wrote {shown}, which is not a message"


def batch(*messages: Json) -> bytes:
    return line(list(messages))


@pytest.mark.parametrize("revision", [revision for revision in REVISIONS if revision not in WITH_BATCHES])
def test_an_array_is_one_bad_message_where_there_are_no_batches(revision: str) -> None:
    session = opened(revision, "server")
    given = answer(session.receive(batch(call(revision, "tools/list"), call(revision, "tools/list", 8))))
    given["error"].pop("data")
    assert given == refusal(revision, Bad("", same(b""), -32600, UNKNOWN))
    check_goes_on(revision, session)


BATCHES = WITH_BATCHES[-1]
LISTED = listed(BATCHES)


def settled(session: Any, incoming: Incoming) -> Json:
    """What is sent when a request has its answer."""
    typed = binding(BATCHES).codec.decode_result(incoming.key, LISTED)
    sent = session.settle(incoming, session.response_line(incoming, typed))
    return None if sent is None else json.loads(sent)


def codes(answers: Json) -> list[tuple[Json, Json]]:
    return [(each["id"], each["error"]["code"] if "error" in each else "a result") for each in answers]


ASK = call(BATCHES, "tools/list", 1)
PING = call(BATCHES, "ping", 2)
CANCEL = tell("notifications/cancelled", {"requestId": 1})
NEWS = tell("notifications/roots/list_changed")


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([PING], [(2, "a result")]),
        ([1], [(None, -32600)]),
        ([1, 2, 3], [(None, -32600)] * 3),
        ([[]], [(None, -32600)]),
        ([[PING]], [(None, -32600)]),
        ([PING, [PING]], [(2, "a result"), (None, -32600)]),
        ([PING, {**PING, "id": None}], [(2, "a result"), (None, -32600)]),
        ([PING, {**PING, "method": "no/such"}], [(2, "a result"), (2, -32601)]),
        ([call(BATCHES, "tools/call", 3), PING], [(3, -32602), (2, "a result")]),
        ([{**PING, "params": 5}, NEWS], [(2, -32602)]),
        ([call(BATCHES, "initialize", 3, {}), PING], [(3, -32602), (2, "a result")]),
        ([{"id": "\ud800", "method": "ping"}, PING], [(None, -32600), (2, "a result")]),
    ],
)
def test_a_batch_is_answered_as_a_batch(messages: list[Json], expected: Json) -> None:
    session = opened(BATCHES, "server")
    events = session.receive(line(messages))
    replies = [event for event in events if event.__class__ is Reply]
    assert codes(json.loads(only(replies).line)) == expected
    check_goes_on(BATCHES, session)


@pytest.mark.parametrize(
    "messages", [[NEWS], [NEWS, CANCEL], [result(5, {})], [result(5, 5)], [{**NEWS, "params": 5}], [tell("ping")]]
)
def test_a_batch_in_which_nothing_is_asked_is_not_answered(messages: list[Json]) -> None:
    session = opened(BATCHES, "server")
    assert not [event for event in session.receive(line(messages)) if event.__class__ is Reply]
    check_goes_on(BATCHES, session)


@pytest.mark.parametrize("beside", [[], [NEWS], [{**NEWS, "params": 5}]])
def test_initialize_is_no_part_of_a_batch(beside: list[Json]) -> None:
    session = server(BATCHES)
    hello = call(
        BATCHES,
        "initialize",
        1,
        {"protocolVersion": BATCHES, "capabilities": {}, "clientInfo": {"name": "", "version": ""}},
    )
    replies = [event for event in session.receive(batch(hello, *beside)) if event.__class__ is Reply]
    assert codes(json.loads(only(replies).line)) == [(1, -32600)]
    assert session.state == "new"
    assert "result" in answer(session.receive(line(hello)))


def test_the_answers_of_a_batch_go_back_together_when_the_last_is_there() -> None:
    session = opened(BATCHES, "server")
    first, second = session.receive(batch(ASK, PING, call(BATCHES, "prompts/list", 3), NEWS, 4))[:2]
    assert [first.id, second.id] == [1, 3]
    assert session.settle(second, session.error_response_line(second, ErrorObject(-32000, "no"))) is None
    assert codes(settled(session, first)) == [(2, "a result"), (None, -32600), (3, -32000), (1, "a result")]


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([ASK, CANCEL], None),
        ([ASK, CANCEL, PING], [(2, "a result")]),
        ([PING, ASK, CANCEL], [(2, "a result")]),
        ([PING, ASK, CANCEL, {**PING, "id": 3}], [(2, "a result"), (3, "a result")]),
        ([PING, ASK, CANCEL, 5, NEWS], [(2, "a result"), (None, -32600)]),
    ],
)
def test_what_a_batch_cancels_itself_is_left_out_and_the_rest_is_answered_once(
    messages: list[Json], expected: Json
) -> None:
    session = opened(BATCHES, "server")
    events = session.receive(line(messages))
    lines = [event.line for event in events if getattr(event, "line", None) is not None]
    incoming = next(event for event in events if event.__class__ is Incoming)
    assert settled(session, incoming) is None
    assert [codes(json.loads(each)) for each in lines] == ([] if expected is None else [expected])


@pytest.mark.parametrize("others", [[], [PING]])
def test_a_batch_whose_last_request_is_cancelled_goes_back_without_it(others: list[Json]) -> None:
    session = opened(BATCHES, "server")
    incoming = session.receive(batch(ASK, *others))[0]
    sent = only(session.receive(line(CANCEL))).line
    assert (codes(json.loads(sent)) if sent else []) == [(2, "a result") for _ in others]
    assert incoming.cancelled
    assert settled(session, incoming) is None
    check_goes_on(BATCHES, session)


def test_one_id_twice_in_a_batch_is_answered_twice_and_run_once() -> None:
    session = opened(BATCHES, "server")
    events = session.receive(batch(ASK, ASK))
    incoming = only(events, Incoming)
    assert codes(settled(session, incoming)) == [(1, -32600), (1, "a result")]


def test_answers_to_a_client_may_come_as_a_batch() -> None:
    session = opened(BATCHES, "client")
    requests = binding(BATCHES).requests
    ids = [session.request(requests[name], None)[0] for name in ("tools/list", "ping", "prompts/list")]
    answers = [result(ids[2], {"prompts": 5}), result(ids[0], LISTED), 5, result(ids[1], {})]
    events = session.receive(line(answers))
    assert [(event.id, event.error is None) for event in events if event.__class__ is Outcome] == [
        (ids[2], False),
        (ids[0], True),
        (ids[1], True),
    ]
    assert not [vars_of(event) for event in events if event.__class__ is Reply]


@pytest.mark.parametrize("revision", STATELESS)
def test_the_stateless_revision_has_no_batches(revision: str) -> None:
    session = opened(revision, "client")
    only(session.receive(batch(tell("notifications/message", {"level": "info", "data": 1}))), Dropped)


@each_revision
@pytest.mark.parametrize("beside", [b"", b", 5"])
def test_wherever_nesting_becomes_too_deep_there_is_an_answer(revision: str, beside: bytes) -> None:
    session = opened(revision, "server")
    ping = b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"deep": %s}}'
    for depth in range(950, 1050):
        text = b"[%s%s]" % (ping % (b"[" * depth + b"]" * depth), beside)
        assert only(session.receive(text), Reply)
    check_goes_on(revision, session)
