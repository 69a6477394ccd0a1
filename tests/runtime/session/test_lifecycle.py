"""What may be said and heard when, in a table of our own: each row with the place in the specification it comes from."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import pytest
from mcp_bindings_runtime.errors import ConnectionClosed, UsageError
from mcp_bindings_runtime.session import lifecycle
from mcp_bindings_runtime.session.events import Dropped, Incoming, Notified, Outcome, Reply
from support.bindings import binding
from support.revisions import HANDSHAKE, STATELESS
from support.sessions import call, client, initialize, line, listed, only, opened, result, server, tell

FIRST = "Lifecycle, Initialization: the first interaction, and the client begins it"
ONCE = "Lifecycle, Initialization: it is a phase, gone through once"
CLIENT_WAITS = "Lifecycle, Initialization: no requests but pings before initialize is answered"
SERVER_WAITS = "Lifecycle, Initialization: no requests but pings and logging before notifications/initialized"
AFTER = "Lifecycle, Initialization: notifications/initialized follows the answer to initialize"
OPERATION = "Lifecycle, Operation"
PING = "Ping, Behavior Requirements: the receiver answers promptly"
SENDER = "Schema: only the other side sends that"
SILENT = "JSON-RPC 2.0, section 4.1: notifications are not answered"
UNASKED = "JSON-RPC 2.0, section 5: a response answers a request"
SHUTDOWN = "Lifecycle, Shutdown"
CLIENT_BEGINS = "2026-07-28, Message Patterns: every interaction begins with the client"
NO_REQUESTS = "2026-07-28, stdio, Receiving Messages: servers write no requests"
NO_RESPONSES = "2026-07-28, stdio, Sending Messages: clients write no responses"
NO_HANDSHAKE = "2026-07-28, Versioning: an error to initialize names the supported versions"
GONE = "2026-07-28, changelog: the method was removed"
TORN = "2026-07-28, Cancellation: servers send it for subscriptions only"
CHANGES = "2026-07-28, Subscriptions, Opening a Stream: nothing that was not asked for"
SCOPED = "2026-07-28, Message Patterns: notifications scoped to a request"


class Row(NamedTuple):
    side: str
    state: str
    kind: str
    outcome: object
    source: str


def rows(side: str, state: str, *cells: tuple[str, object, str]) -> list[Row]:
    return [Row(side, state, *cell) for cell in cells]


SENT = [
    *rows(
        "client",
        "new",
        ("initialize", True, FIRST),
        ("initialized", False, AFTER),
        ("ping", False, FIRST),
        ("request", False, FIRST),
        ("notification", False, FIRST),
        ("response", True, PING),
    ),
    *rows(
        "client",
        "offered",
        ("initialize", False, ONCE),
        ("initialized", False, AFTER),
        ("ping", True, CLIENT_WAITS),
        ("request", False, CLIENT_WAITS),
        ("notification", False, AFTER),
        ("response", True, PING),
    ),
    *rows(
        "client",
        "open",
        ("initialize", False, ONCE),
        ("initialized", False, ONCE),
        ("ping", True, OPERATION),
        ("log", False, SENDER),
        ("request", True, OPERATION),
        ("foreign request", False, SENDER),
        ("notification", True, OPERATION),
        ("foreign notification", False, SENDER),
        ("response", True, OPERATION),
    ),
    *rows(
        "server",
        "new",
        ("initialize", False, SENDER),
        ("ping", False, FIRST),
        ("log", False, FIRST),
        ("request", False, FIRST),
        ("notification", False, FIRST),
    ),
    *rows(
        "server",
        "agreed",
        ("initialize", False, SENDER),
        ("initialized", False, SENDER),
        ("ping", True, SERVER_WAITS),
        ("log", True, SERVER_WAITS),
        ("request", False, SERVER_WAITS),
        ("notification", False, SERVER_WAITS),
        ("response", True, SERVER_WAITS),
    ),
    *rows(
        "server",
        "open",
        ("initialize", False, SENDER),
        ("initialized", False, SENDER),
        ("ping", True, OPERATION),
        ("log", True, OPERATION),
        ("request", True, OPERATION),
        ("foreign request", False, SENDER),
        ("notification", True, OPERATION),
        ("foreign notification", False, SENDER),
        ("response", True, OPERATION),
    ),
    *[
        Row(side, "closed", kind, False, SHUTDOWN)
        for side in ("client", "server")
        for kind in ("initialize", "initialized", "ping", "log", "request", "notification", "response")
    ],
]
"""Whether it is sent, in a session with a handshake."""

REFUSED = -32600

TAKEN = [
    *rows(
        "client",
        "new",
        ("initialize", -32601, SENDER),
        ("initialized", Dropped, SENDER),
        ("ping", {}, PING),
        ("request", REFUSED, FIRST),
        ("notification", Dropped, FIRST),
        ("response", Dropped, UNASKED),
    ),
    *rows(
        "client",
        "offered",
        ("initialize", -32601, SENDER),
        ("initialized", Dropped, SENDER),
        ("ping", {}, PING),
        ("log", Notified, SERVER_WAITS),
        ("request", REFUSED, SERVER_WAITS),
        ("response", Outcome, FIRST),
    ),
    *rows(
        "client",
        "open",
        ("initialize", -32601, SENDER),
        ("initialized", Dropped, SENDER),
        ("ping", {}, PING),
        ("log", Notified, OPERATION),
        ("request", Incoming, OPERATION),
        ("foreign request", -32601, SENDER),
        ("notification", Notified, OPERATION),
        ("foreign notification", Dropped, SENDER),
        ("response", Outcome, OPERATION),
    ),
    *rows(
        "server",
        "new",
        ("initialize", "a result", FIRST),
        ("initialized", Dropped, AFTER),
        ("ping", {}, PING),
        ("log", Dropped, SENDER),
        ("request", REFUSED, CLIENT_WAITS),
        ("notification", Dropped, FIRST),
        ("response", Dropped, UNASKED),
    ),
    *rows(
        "server",
        "agreed",
        ("initialize", REFUSED, ONCE),
        ("initialized", Notified, AFTER),
        ("ping", {}, PING),
        ("log", Dropped, SENDER),
        # Its answer to initialize may have arrived: only then is the client to send anything.
        ("request", Incoming, CLIENT_WAITS),
        ("notification", Notified, CLIENT_WAITS),
        ("response", Outcome, SERVER_WAITS),
    ),
    *rows(
        "server",
        "open",
        ("initialize", REFUSED, ONCE),
        ("initialized", Dropped, ONCE),
        ("ping", {}, PING),
        ("log", Dropped, SENDER),
        ("request", Incoming, OPERATION),
        ("foreign request", -32601, SENDER),
        ("notification", Notified, OPERATION),
        ("foreign notification", Dropped, SENDER),
        ("response", Outcome, OPERATION),
    ),
    *[
        Row(side, "closed", kind, None, SHUTDOWN)
        for side in ("client", "server")
        for kind in ("initialize", "initialized", "ping", "log", "request", "notification", "response", "garbage")
    ],
]
"""What becomes of what is heard, in a session with a handshake: an event, the code of a refusal, a result, or nothing."""

STATELESS_SENT = [
    *rows(
        "client",
        "open",
        ("request", True, CLIENT_BEGINS),
        ("notification", True, CLIENT_BEGINS),
        ("log", False, SENDER),
        ("foreign request", False, NO_REQUESTS),
        ("foreign notification", False, SENDER),
    ),
    *rows(
        "server",
        "open",
        ("request", False, NO_REQUESTS),
        ("foreign request", False, NO_REQUESTS),
        ("cancelled", False, TORN),
        ("notification", False, CHANGES),
        ("log", True, SCOPED),
        ("response", True, CLIENT_BEGINS),
    ),
    *rows("client", "closed", ("request", False, SHUTDOWN), ("notification", False, SHUTDOWN)),
    *rows("server", "closed", ("log", False, SHUTDOWN), ("response", False, SHUTDOWN)),
]
"""``request`` is what clients send, ``foreign request`` what servers would like to know (it travels in results)."""

STATELESS_TAKEN = [
    *rows(
        "client",
        "open",
        ("initialize", Dropped, NO_RESPONSES),
        ("initialized", Dropped, SENDER),
        ("ping", Dropped, NO_RESPONSES),
        ("log", Notified, SCOPED),
        ("request", Dropped, NO_RESPONSES),
        ("foreign request", Dropped, NO_RESPONSES),
        ("unfit request", Dropped, NO_RESPONSES),
        ("garbage", Dropped, NO_RESPONSES),
        ("notification", Notified, SCOPED),
        ("response", Outcome, CLIENT_BEGINS),
    ),
    *rows(
        "server",
        "open",
        ("initialize", -32022, NO_HANDSHAKE),
        ("initialized", Dropped, GONE),
        ("ping", -32601, GONE),
        ("log", Dropped, SENDER),
        ("request", Incoming, CLIENT_BEGINS),
        ("foreign request", -32601, NO_REQUESTS),
        ("foreign notification", Dropped, SENDER),
        ("response", Dropped, NO_RESPONSES),
    ),
    *[
        Row(side, "closed", kind, None, SHUTDOWN)
        for side in ("client", "server")
        for kind in (
            "initialize",
            "initialized",
            "ping",
            "log",
            "request",
            "foreign request",
            "notification",
            "garbage",
        )
    ],
]

HEARD = {
    "request": {"client": "tools/list", "server": "roots/list"},
    "notification": {"client": "notifications/roots/list_changed", "server": "notifications/tools/list_changed"},
}
OTHER = {"client": "server", "server": "client"}


def at(revision: str, side: str, state: str) -> Any:
    """A session in a state that it has come to by talking; one that may be answered is asked first."""
    if state in {"open", "closed"}:
        session = opened(revision, side)
        if state == "closed":
            session.close()
        return session
    session = client(revision) if side == "client" else server(revision)
    if state == "offered":
        session.start_handshake()
    elif state == "agreed":
        session.receive(line(initialize(revision)))
    assert session.state == state
    return session


def method_of(kind: str, sender: str) -> str:
    """Which method stands for a kind of message that a side sends."""
    name = {"initialized": "notifications/initialized", "log": "notifications/message"}.get(kind, kind)
    foreign, _, plain = kind.rpartition(" ")
    return HEARD[plain][OTHER[sender] if foreign else sender] if plain in HEARD else name


def send(revision: str, session: Any, kind: str) -> bytes | None:
    """Has a session say something; raises UsageError where it may not."""
    if kind == "response":
        asked = "ping" if revision in HANDSHAKE else "tools/list"
        heard = only(session.receive(line(call(revision, asked)))) if session.state != "closed" else None
        if heard is None or heard.__class__ is Reply:
            return None if heard is None else heard.line
        answered = session.response_line(heard, session.binding.codec.decode_result(heard.key, listed(revision)))
        return session.settle(heard, answered)
    name = method_of(kind, session.side)
    keys = binding(revision)
    if kind == "cancelled" or (kind == "notification" and revision in STATELESS and session.side == "client"):
        name = "notifications/cancelled"
    if name in keys.requests:
        return session.request(keys.requests[name], hello(session) if name == "initialize" else None)[1]
    key = keys.notifications[name]
    filled = {
        "notifications/message": {"level": "info", "data": 1},
        "notifications/cancelled": {"request_id": 1},
    }.get(name)
    return session.notify(key, key.params(**filled) if filled else None)


def hello(session: Any) -> Any:
    """Params of ``initialize``."""
    key = session.binding.requests["initialize"]
    return key.params(protocol_version="x", capabilities=session.capabilities, client_info=session.info)


def tables(sent: list[Row], stateless: list[Row]) -> list[Any]:
    each = [(revision, row) for revision in HANDSHAKE for row in sent] + [
        (revision, row) for revision in STATELESS for row in stateless
    ]
    return [pytest.param(revision, *row, id=f"{revision} {row.side} {row.state} {row.kind}") for revision, row in each]


@pytest.mark.parametrize(("revision", "side", "state", "kind", "allowed", "source"), tables(SENT, STATELESS_SENT))
def test_what_is_sent(revision: str, side: str, state: str, kind: str, allowed: bool, source: str) -> None:
    session = at(revision, side, state)
    if allowed:
        assert send(revision, session, kind) is not None
        return
    before = session.state
    if kind == "response":
        assert send(revision, session, kind) is None
    else:
        # A side is told that a message is not its own, whatever else is amiss.
        why = (
            "is sent by a"
            if source == SENDER
            else "is sent by a|may not be sent now|is sent to subscribers only|is sent inside|closed"
        )
        with pytest.raises((UsageError, ConnectionClosed), match=why):
            send(revision, session, kind)
    assert session.state == before


def heard(revision: str, session: Any, kind: str) -> bytes:
    """A line of the other side."""
    sender = OTHER[session.side]
    name = method_of(kind, sender)
    if kind == "garbage":
        return b"Starting the server on port 80 ..."
    if kind == "unfit request":
        return line({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": 4})
    if kind == "response":
        return answer_to(revision, session)
    if kind == "initialize":
        # In the stateless era it comes from clients of the other, without what requests carry here.
        return line(initialize(HANDSHAKE[-1] if revision in STATELESS else revision))
    if kind in {"initialized", "log"} or kind.endswith("notification"):
        return line(tell(name, {"level": "info", "data": 1} if kind == "log" else None))
    return line(call(revision, name))


def answer_to(revision: str, session: Any) -> bytes:
    """A response: to what the session asks now, if it may ask anything."""
    requests = binding(revision).requests
    if session.state in {"new", "closed"} or (session.side == "server" and revision in STATELESS):
        return line(result(1, {}))
    if session.state == "open" and session.side == "client":
        request_id, _ = session.request(requests["tools/list"], None)
        return line(result(request_id, listed(revision)))
    request_id, _ = session.request(requests["ping"], None)
    return line(result(request_id, {}))


@pytest.mark.parametrize(("revision", "side", "state", "kind", "outcome", "source"), tables(TAKEN, STATELESS_TAKEN))
def test_what_is_taken(revision: str, side: str, state: str, kind: str, outcome: object, source: str) -> None:
    session = at(revision, side, state)
    events = session.receive(heard(revision, session, kind))
    if outcome is None:
        assert not [event for event in events if event.__class__ is not Dropped]
    elif isinstance(outcome, type):
        only(events, outcome)
    else:
        reply = json.loads(only(events, Reply).line)
        if isinstance(outcome, int):
            assert reply["error"]["code"] == outcome
        elif isinstance(outcome, dict):
            assert reply["result"] == outcome
        else:
            assert "result" in reply


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_a_refused_handshake_changes_nothing(revision: str) -> None:
    session = opened(revision, "server")
    info, declared = session.peer_info, session.peer_capabilities
    second = initialize(revision)
    second["params"].update(capabilities={}, clientInfo={"name": "someone else", "version": "0"})
    session.receive(line(second))
    assert (session.state, session.peer_info, session.peer_capabilities) == ("open", info, declared)


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_a_session_goes_through_its_states(revision: str) -> None:
    left, right = client(revision), server(revision)
    states = [(left.state, right.state)]
    _, greeting = left.start_handshake()
    states.append((left.state, right.state))
    welcome = only(right.receive(greeting), Reply)
    states.append((left.state, right.state))
    initialized = left.finish_handshake(only(left.receive(welcome.line), Outcome).result)
    states.append((left.state, right.state))
    only(right.receive(initialized), Notified)
    states.append((left.state, right.state))
    left.close()
    right.close()
    states.append((left.state, right.state))
    assert states == [
        ("new", "new"),
        ("offered", "new"),
        ("offered", "agreed"),
        ("open", "agreed"),
        ("open", "open"),
        ("closed", "closed"),
    ]


@pytest.mark.parametrize("revision", STATELESS)
@pytest.mark.parametrize("name", ["elicitation/create", "roots/list", "sampling/createMessage"])
def test_who_asks_outside_of_a_result_is_told_where_to_ask(name: str, revision: str) -> None:
    with pytest.raises(UsageError, match=f"{name} is sent inside a result in {revision}; use the context"):
        opened(revision, "server").request(binding(revision).requests[name], None)


@pytest.mark.parametrize("revision", STATELESS)
@pytest.mark.parametrize("name", ["notifications/tools/list_changed", "notifications/cancelled"])
def test_who_tells_everybody_is_told_to_tell_subscribers(name: str, revision: str) -> None:
    with pytest.raises(UsageError, match=f"{name} is sent to subscribers only; use the server's notify"):
        opened(revision, "server").notify(binding(revision).notifications[name])


def test_there_is_no_state_that_nothing_above_speaks_of() -> None:
    for era, sent, taken in (("handshake", SENT, TAKEN), ("stateless", STATELESS_SENT, STATELESS_TAKEN)):
        may_send = {(side, state) for side, states in lifecycle.MAY_SEND[era].items() for state in states}
        may_take = {(side, state) for side, states in lifecycle.MAY_RECEIVE[era].items() for state in states}
        # A client agrees and says so in one breath.
        assert may_send - {("client", "agreed")} == {(row.side, row.state) for row in sent}
        assert may_take == {(row.side, row.state) for row in taken}
