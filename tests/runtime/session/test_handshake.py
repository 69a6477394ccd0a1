"""How a session of the handshake era begins (Lifecycle: Initialization, Version Negotiation)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from checkout import REVISIONS
from mcp_bindings_runtime.errors import ConnectionClosed, DecodeError, ResponseError, UnsupportedRevision, UsageError
from mcp_bindings_runtime.session.events import Dropped, Outcome, Reply
from support.bindings import binding
from support.revisions import HANDSHAKE
from support.sessions import DECLARED, INFO, answer, client, initialize, line, only, pair, result, server

Json = Any

each_revision = pytest.mark.parametrize("revision", HANDSHAKE)


def welcome(revision: str, **changes: Json) -> Json:
    """A server's result of ``initialize``."""
    return {"protocolVersion": revision, "capabilities": {"tools": {}}, "serverInfo": INFO["server"], **changes}


def greeted(revision: str, welcomed: Json) -> tuple[Any, Any]:
    """A client, and what has come of its ``initialize``."""
    session = client(revision)
    request_id, _ = session.start_handshake()
    return session, only(session.receive(line(result(request_id, welcomed))), Outcome)


@each_revision
def test_a_client_says_who_it_is_and_what_it_can_do(revision: str) -> None:
    request_id, sent = client(revision).start_handshake()
    params = {"protocolVersion": revision, "capabilities": DECLARED["client"], "clientInfo": INFO["client"]}
    assert json.loads(sent) == {"jsonrpc": "2.0", "id": request_id, "method": "initialize", "params": params}


@each_revision
@pytest.mark.parametrize("asked", [*REVISIONS, "1900-01-01", "", "latest"])
def test_a_server_answers_with_the_one_revision_it_speaks(revision: str, asked: str) -> None:
    session = server(revision, instructions="be nice")
    hello = initialize(revision, "first")
    hello["params"]["protocolVersion"] = asked
    assert answer(session.receive(line(hello))) == {
        "jsonrpc": "2.0",
        "id": "first",
        "result": {
            "protocolVersion": revision,
            "capabilities": DECLARED["server"],
            "serverInfo": INFO["server"],
            "instructions": "be nice",
        },
    }
    assert session.peer_info == binding(revision).types.Implementation(**INFO["client"])
    assert binding(revision).codec.unstructure(session.peer_capabilities) == DECLARED["client"]


@each_revision
def test_a_client_refuses_another_revision_and_stays_closed_to_it(revision: str) -> None:
    session, outcome = greeted(revision, welcome("1999-12-31"))
    with pytest.raises(UnsupportedRevision, match="1999-12-31") as refused:
        session.finish_handshake(outcome.result)
    assert (refused.value.wanted, refused.value.supported) == (revision, ("1999-12-31",))
    assert (session.state, session.peer_info, session.peer_capabilities) == ("offered", None, None)


@each_revision
def test_a_client_remembers_what_a_server_says_of_itself(revision: str) -> None:
    session, outcome = greeted(revision, welcome(revision, instructions="be nice"))
    assert (session.peer_info, session.peer_capabilities, session.instructions) == (None, None, None)
    assert json.loads(session.finish_handshake(outcome.result)) == {
        "jsonrpc": "2.0",
        "method": "notifications/initialized",
    }
    assert session.instructions == "be nice"
    assert session.peer_info == binding(revision).types.Implementation(**INFO["server"])
    assert binding(revision).codec.unstructure(session.peer_capabilities) == {"tools": {}}


@each_revision
def test_there_need_be_no_instructions(revision: str) -> None:
    left, right = pair(revision)
    assert left.instructions is None
    assert right.instructions is None


@each_revision
def test_initialize_may_be_refused(revision: str) -> None:
    session = client(revision)
    request_id, _ = session.start_handshake()
    error = {"code": -32602, "message": "Unsupported protocol version", "data": {"supported": ["1999-12-31"]}}
    outcome = only(session.receive(line({"jsonrpc": "2.0", "id": request_id, "error": error})), Outcome)
    assert isinstance(outcome.error, UnsupportedRevision)
    assert (outcome.error.wanted, outcome.error.supported) == (revision, ("1999-12-31",))
    assert session.state == "offered"


@each_revision
@pytest.mark.parametrize("code", [-32601, -32602])
def test_an_error_of_a_tool_says_nothing_about_revisions(revision: str, code: int) -> None:
    left, _ = pair(revision)
    key = binding(revision).requests["tools/call"]
    request_id, _ = left.request(key, key.params(name="convert"))
    error = {"code": code, "message": "no such currency", "data": {"supported": ["EUR", "USD"]}}
    outcome = only(left.receive(line({"jsonrpc": "2.0", "id": request_id, "error": error})), Outcome)
    assert outcome.error.__class__ is ResponseError
    assert (outcome.error.code, outcome.error.data) == (code, error["data"])


@each_revision
def test_a_welcome_that_does_not_fit_reaches_the_client_that_waits(revision: str) -> None:
    _, outcome = greeted(revision, {"protocolVersion": revision})
    assert isinstance(outcome.error, DecodeError)


@each_revision
def test_initialize_is_not_cancelled(revision: str) -> None:
    session = client(revision)
    request_id, _ = session.start_handshake()
    assert session.cancel(request_id) is None
    # Nobody waits for the answer any more.
    only(session.receive(line(result(request_id, welcome(revision)))), Dropped)


@each_revision
def test_an_agreement_opens_no_closed_session(revision: str) -> None:
    session, outcome = greeted(revision, welcome(revision))
    session.close()
    with pytest.raises(ConnectionClosed):
        session.finish_handshake(outcome.result)
    assert session.state == "closed"


@each_revision
def test_an_agreement_comes_once_and_after_hello(revision: str) -> None:
    session, outcome = greeted(revision, welcome(revision))
    with pytest.raises(UsageError, match="the session is new"):
        client(revision).finish_handshake(outcome.result)
    session.finish_handshake(outcome.result)
    with pytest.raises(UsageError, match="the session is open"):
        session.finish_handshake(outcome.result)


@each_revision
@pytest.mark.parametrize("side", [0, 1])
def test_both_sides_answer_pings_at_once(revision: str, side: int) -> None:
    left, right = pair(revision)
    asking, asked = (left, right) if side else (right, left)
    request_id, sent = asking.request(binding(revision).requests["ping"], None)
    reply = only(asked.receive(sent), Reply)
    assert json.loads(reply.line) == {"jsonrpc": "2.0", "id": request_id, "result": {}}
    assert only(asking.receive(reply.line), Outcome).error is None
