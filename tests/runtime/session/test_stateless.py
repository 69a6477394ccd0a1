"""Requests that stand alone: what each carries, which revision it is in, and what discovery tells (2026-07-28)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mcp_bindings_runtime.errors import EncodeError, ResponseError, UnsupportedRevision
from mcp_bindings_runtime.session.events import Incoming, Outcome, Reply
from support.bindings import binding
from support.minimal_params import least_result, params_of, raw_params
from support.revisions import HANDSHAKE, STATELESS
from support.sessions import (
    DECLARED,
    INFO,
    answer,
    call,
    capabilities,
    client,
    initialize,
    line,
    listed,
    meta,
    only,
    opened,
    pair,
    result,
    server,
)

Json = Any

NEWEST = STATELESS[-1]

BINDING = binding(NEWEST)
PREFIX = "io.modelcontextprotocol/"
SENT = [key for key in BINDING.requests.values() if not key.embedded]

each_request = pytest.mark.parametrize("key", SENT, ids=lambda key: key.name)


# What requests carry.


@each_request
def test_every_request_says_who_sends_it_in_which_revision_and_what_the_client_can_do(key: Any) -> None:
    left, _ = pair(NEWEST)
    raw = raw_params(key.name)
    params = None if raw is None else BINDING.codec.structure({**raw, "_meta": meta()}, key.params)
    sent = json.loads(left.request(key, params)[1])
    assert sent["params"]["_meta"] == meta()
    assert {name: value for name, value in sent["params"].items() if name != "_meta"} == (raw or {})


@each_request
@pytest.mark.parametrize("params", [{}, 5], ids=repr)
def test_params_of_another_type_are_refused_before_they_are_sent(key: Any, params: Any) -> None:
    left, _ = pair(NEWEST)
    with pytest.raises(EncodeError, match=r"^\$\.params: found (a dict|5), expected a "):
        left.request(key, params)


def test_a_request_without_the_params_that_its_method_requires_is_refused() -> None:
    left, _ = pair(NEWEST)
    with pytest.raises(EncodeError, match=r"^\$\.params\.name: found nothing, expected a string"):
        left.request(BINDING.requests["tools/call"], None)


def test_a_log_level_is_asked_for_with_each_request() -> None:
    left = client(NEWEST, log_level="warning")
    for _ in range(2):
        sent = json.loads(left.request(BINDING.requests["tools/list"], None)[1])
        assert sent["params"]["_meta"] == meta(**{PREFIX + "logLevel": "warning"})


def test_further_entries_are_sent_with_those_that_have_to_be_there() -> None:
    left = client(NEWEST)
    key = BINDING.requests["tools/call"]
    params = key.params(name="t", meta=left.meta({"example.com/trace": "abc"}))
    _, sent = left.request(key, params, progress=True)
    entries = json.loads(sent)["params"]["_meta"]
    assert entries == meta(**{"example.com/trace": "abc", "progressToken": 1})
    assert left.meta().extra is None


@pytest.mark.parametrize("value", [None, 5, "x", {"deep": [1.5]}])
@pytest.mark.parametrize("name", [PREFIX + "future", "mcp.dev/future", "dev.mcp/x", "tools.mcp.com/x"])
def test_reserved_entries_that_are_not_defined_are_kept_and_mean_nothing(name: str, value: Json) -> None:
    entries = {**meta(), name: value}
    incoming = only(opened(NEWEST, "server").receive(line(call(NEWEST, "tools/list", 7, {"_meta": entries}))), Incoming)
    assert BINDING.codec.unstructure(incoming.params)["_meta"] == entries
    left = client(NEWEST)
    request_id, _ = left.request(BINDING.requests["tools/list"], None)
    outcome = only(left.receive(line(result(request_id, listed(NEWEST, _meta={name: value})))), Outcome)
    assert BINDING.codec.unstructure(outcome.result)["_meta"] == {name: value}


# Which revision a request is in.

SUPPORTED = [NEWEST, HANDSHAKE[-1]]


def unsupported(message: Json, **options: Any) -> Json:
    """``data`` of the error that a message earns."""
    given = answer(server(NEWEST, versions=SUPPORTED, **options).receive(line(message)))
    assert (given["id"], given["error"]["code"]) == (message["id"], -32022)
    named = f"; this server supports {', '.join(SUPPORTED)}" if message["method"] == "initialize" else ""
    assert given["error"]["message"] == "Unsupported protocol version" + named
    return given["error"]["data"]


@pytest.mark.parametrize("version", ["1900-01-01", HANDSHAKE[-1], "2127-01-01", ""])
@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/list", {}),
        ("server/discover", {}),
        ("subscriptions/listen", {"notifications": {}}),
        # Of another shape, or no method of this revision: that may be how it is there.
        ("tools/call", {"name": 5}),
        ("tools/call", {}),
        ("ping", {}),
        ("notifications/progress", {}),
        ("later/method", {"a": 1}),
    ],
)
def test_another_revision_is_refused_with_those_that_are_spoken(version: str, method: str, params: Json) -> None:
    message = call(NEWEST, method, 7, {**params, "_meta": meta(version)})
    assert unsupported(message) == {"supported": SUPPORTED, "requested": version}


@pytest.mark.parametrize(
    ("params", "requested"),
    [
        ({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": INFO["client"]}, "2025-06-18"),
        ({"protocolVersion": 5}, ""),
        ({}, ""),
        ([], ""),
        ("x", ""),
        (None, ""),
    ],
)
def test_initialize_is_refused_with_the_revisions_that_are_spoken(params: Json, requested: str) -> None:
    message = {"jsonrpc": "2.0", "id": 7, "method": "initialize", "params": params}
    assert unsupported(message) == {"supported": SUPPORTED, "requested": requested}


def test_initialize_of_each_earlier_client_is_refused_so() -> None:
    for revision in HANDSHAKE:
        assert unsupported(initialize(revision)) == {"supported": SUPPORTED, "requested": revision}
    given = answer(server(NEWEST).receive(line({"jsonrpc": "2.0", "id": 7, "method": "initialize"})))
    assert given["error"]["data"] == {"supported": [NEWEST], "requested": ""}


def test_initialize_in_this_revision_is_a_method_that_is_not_there() -> None:
    message = call(NEWEST, "initialize", 7, initialize(HANDSHAKE[-1])["params"])
    error = answer(server(NEWEST, versions=SUPPORTED).receive(line(message)))["error"]
    assert (error["code"], error["data"]["supported"]) == (-32601, SUPPORTED)
    assert error["message"] == f"Method not found; this server supports {', '.join(SUPPORTED)}"


REQUIRED = [PREFIX + "protocolVersion", PREFIX + "clientCapabilities"]


@each_request
@pytest.mark.parametrize("missing", [*REQUIRED, "_meta", "params"])
def test_a_request_without_what_it_has_to_carry_is_refused(key: Any, missing: str) -> None:
    session = opened(NEWEST, "server")
    message = call(NEWEST, key.name, 7, raw_params(key.name))
    holder = {"params": message, "_meta": message["params"]}.get(missing, message["params"]["_meta"])
    del holder[missing]
    given = answer(session.receive(line(message)))
    assert (given["id"], given["error"]["code"]) == (7, -32602)
    assert missing in given["error"]["data"]["reason"]
    only(session.receive(line(call(NEWEST, "tools/list", 8))), Incoming)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        (PREFIX + "protocolVersion", 5),
        (PREFIX + "clientCapabilities", []),
        (PREFIX + "clientInfo", {"name": "no version"}),
        (PREFIX + "logLevel", "loud"),
    ],
)
def test_an_entry_of_another_shape_is_refused(name: str, value: Json) -> None:
    given = answer(
        opened(NEWEST, "server").receive(line(call(NEWEST, "tools/list", 7, {"_meta": meta(**{name: value})})))
    )
    assert given["error"]["code"] == -32602
    assert name in given["error"]["data"]["reason"]


@pytest.mark.parametrize("name", ["", "inspector", "an older client"])
def test_what_a_client_says_of_its_name_changes_nothing(name: str) -> None:
    ours = {**meta(), PREFIX + "clientInfo": {"name": name, "version": "0"}}
    answers = [
        answer(server(NEWEST, {"tools": {}}).receive(line(call(NEWEST, "server/discover", 7, {"_meta": entries}))))
        for entries in (meta(), ours)
    ]
    assert answers[0] == answers[1]


def test_a_client_need_not_say_who_it_is() -> None:
    entries = meta()
    del entries[PREFIX + "clientInfo"]
    only(opened(NEWEST, "server").receive(line(call(NEWEST, "tools/list", 7, {"_meta": entries}))), Incoming)


def test_requests_stand_alone() -> None:
    session = server(NEWEST)
    for number, entries in enumerate([meta(), {**meta(), PREFIX + "clientCapabilities": {}}, meta()]):
        incoming = only(session.receive(line(call(NEWEST, "tools/list", number, {"_meta": entries}))), Incoming)
        declared = BINDING.codec.unstructure(incoming.params.meta.client_capabilities)
        assert declared == entries[PREFIX + "clientCapabilities"]
    assert session.peer_capabilities is None
    assert session.peer_info is None


# What a client makes of it.


def refused(error: Json) -> Any:
    left = client(NEWEST)
    request_id, _ = left.request(BINDING.requests["tools/list"], None)
    return only(left.receive(line({"jsonrpc": "2.0", "id": request_id, "error": error})), Outcome).error


def test_a_client_hears_which_revisions_are_spoken() -> None:
    error = refused({"code": -32022, "message": "", "data": {"supported": ["2127-01-01"], "requested": NEWEST}})
    assert isinstance(error, UnsupportedRevision)
    assert (error.wanted, error.supported) == (NEWEST, ("2127-01-01",))


@pytest.mark.parametrize("data", [None, 5, {}, {"supported": "2127-01-01"}, {"supported": [5]}])
def test_an_error_that_does_not_tell_stays_an_error(data: Json) -> None:
    error = refused({"code": -32022, "message": "no", "data": data})
    assert isinstance(error, ResponseError)
    assert (error.code, error.message, error.data) == (-32022, "no", data)


@pytest.mark.parametrize("code", [*range(-32019, -31999)])
def test_a_code_without_a_meaning_is_an_error_like_any_other(code: int) -> None:
    error = refused({"code": code, "message": "no", "data": {"supported": ["2127-01-01"], "requiredCapabilities": {}}})
    assert type(error) is ResponseError
    assert error.code == code


# Discovery.


def test_discovery_tells_who_the_server_is_and_what_it_can_do() -> None:
    session = server(NEWEST, {"tools": {}}, instructions="be nice", versions=SUPPORTED)
    given = answer(session.receive(line(call(NEWEST, "server/discover", "d"))))
    assert given == {
        "jsonrpc": "2.0",
        "id": "d",
        "result": {
            "resultType": "complete",
            "supportedVersions": SUPPORTED,
            "capabilities": {"tools": {}},
            "instructions": "be nice",
            "ttlMs": 0,
            "cacheScope": "private",
            "_meta": {PREFIX + "serverInfo": INFO["server"]},
        },
    }


def test_a_client_learns_from_discovery() -> None:
    left, _ = pair(NEWEST)
    assert left.peer_info == BINDING.types.Implementation(**INFO["server"])
    assert BINDING.codec.unstructure(left.peer_capabilities) == DECLARED["server"]


def discovered(**members: Json) -> Any:
    found = {"supportedVersions": [NEWEST], "capabilities": {}, **listed(NEWEST), **members}
    return BINDING.codec.decode_result(BINDING.requests["server/discover"], found)


def test_a_server_need_not_say_who_it_is() -> None:
    left = client(NEWEST)
    left.record_discovery(discovered(instructions="be nice"))
    assert (left.peer_info, left.instructions) == (None, "be nice")
    assert left.peer_capabilities == capabilities(NEWEST, "server", {})


def test_a_client_learns_nothing_from_a_server_of_other_revisions() -> None:
    left = client(NEWEST)
    with pytest.raises(UnsupportedRevision) as told:
        left.record_discovery(discovered(supportedVersions=["2127-01-01"]))
    assert told.value.supported == ("2127-01-01",)
    assert left.peer_capabilities is None


# What results carry.

OWN = {"server/discover", "subscriptions/listen"}
"""Requests that sessions answer themselves."""
RESULTS: dict[str, Json] = {
    "completion/complete": {"completion": {"values": []}},
    "prompts/get": {"messages": []},
    "prompts/list": {**listed(NEWEST), "prompts": []},
    "resources/list": {**listed(NEWEST), "resources": []},
    "resources/read": {**listed(NEWEST), "contents": []},
    "resources/templates/list": {**listed(NEWEST), "resourceTemplates": []},
    "tools/call": {"content": []},
    "tools/list": listed(NEWEST),
}


def result_of(key: Any) -> Json:
    """A result without ``_meta``; of a method that the table does not have, the least one."""
    return RESULTS[key.name] if key.name in RESULTS else least_result(NEWEST, key.name)


def finished(key: Any, **members: Json) -> Json:
    """The result of a request as it goes out."""
    session = opened(NEWEST, "server")
    incoming = only(session.receive(line(call(NEWEST, key.name, 7, raw_params(key.name)))), Incoming)
    made = BINDING.codec.decode_result(key, {"resultType": "complete", **result_of(key), **members})
    return json.loads(session.settle(incoming, session.response_line(incoming, made)))["result"]


@pytest.mark.parametrize("key", [key for key in SENT if key.name not in OWN], ids=lambda key: key.name)
def test_every_result_says_who_answers(key: Any) -> None:
    info = {PREFIX + "serverInfo": INFO["server"]}
    assert finished(key)["_meta"] == info
    assert finished(key)["resultType"] == "complete"
    assert finished(key, _meta={"a": 1})["_meta"] == {"a": 1, **info}
    other = {PREFIX + "serverInfo": {"name": "behind a gateway", "version": "3"}}
    assert finished(key, _meta=other)["_meta"] == other


def test_a_result_that_asks_for_input_says_who_asks() -> None:
    session = opened(NEWEST, "server")
    incoming = only(session.receive(line(call(NEWEST, "tools/call", 7, {"name": "t"}))), Incoming)
    asking = BINDING.types.InputRequiredResult(result_type="input_required", request_state="s")
    sent = json.loads(session.response_line(incoming, asking))
    assert sent["result"] == {
        "resultType": "input_required",
        "requestState": "s",
        "_meta": {PREFIX + "serverInfo": INFO["server"]},
    }


def test_a_result_without_its_type_is_complete() -> None:
    left, _ = pair(NEWEST)
    request_id, _ = left.request(BINDING.requests["tools/call"], params_of(NEWEST, BINDING.requests["tools/call"]))
    outcome = only(left.receive(line(result(request_id, {"content": []}))), Outcome)
    assert isinstance(outcome.result, BINDING.types.CallToolResult)


def test_a_result_of_an_unknown_type_does_not_fit() -> None:
    left, _ = pair(NEWEST)
    request_id, _ = left.request(BINDING.requests["tools/list"], None)
    outcome = only(left.receive(line(result(request_id, listed(NEWEST, resultType="half")))), Outcome)
    assert outcome.result is None
    assert str(outcome.error).startswith(
        '$.result.resultType: found "half", expected one of "complete", "input_required"'
    )


def test_an_extension_may_add_types_of_results() -> None:
    left = client(NEWEST, {"extensions": {"example.com/halves": {}}})
    request_id, _ = left.request(BINDING.requests["tools/list"], None)
    outcome = only(left.receive(line(result(request_id, listed(NEWEST, resultType="half")))), Outcome)
    assert (outcome.error, outcome.result.result_type) == (None, "half")


# Cancellation.


def test_a_cancelled_request_has_no_answer() -> None:
    left, right = pair(NEWEST)
    request_id, sent = left.request(BINDING.requests["tools/list"], None)
    incoming = only(right.receive(sent), Incoming)
    cancelled = json.loads(left.cancel(request_id, "too late"))
    assert (cancelled["method"], cancelled["params"]) == (
        "notifications/cancelled",
        {"requestId": request_id, "reason": "too late"},
    )
    event = only(right.receive(line(cancelled)))
    assert (event.incoming, event.incoming.reason, event.line) == (incoming, "too late", None)
    assert right.settle(incoming, b"an answer") is None


def test_a_ping_finds_no_method() -> None:
    given = answer(opened(NEWEST, "server").receive(line(call(NEWEST, "ping"))))
    assert given["error"]["code"] == -32601


def test_discovery_is_answered_at_once_while_others_wait() -> None:
    session = opened(NEWEST, "server")
    only(session.receive(line(call(NEWEST, "tools/list", 1))), Incoming)
    only(session.receive(line(call(NEWEST, "server/discover", 2))), Reply)
