"""One deadline for all that a call does: rounds of questions, tasks, a connection that is opened anew.

The other waits of these calls, such as the client's own ``timeout``, are ``PATIENCE`` or more: a call that ends within
half of that has kept its own deadline, which is ``SHORT`` where the other side has to begin before it has passed.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from threading import Event, Thread
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_bindings import connect
from mcp_bindings import v2025_11_25 as handshaken
from mcp_bindings import v2026_07_28 as mcp
from mcp_bindings_runtime.connection.call_scope import ACTIVE, CallScope, bounded
from mcp_bindings_runtime.connection.calls import Call
from mcp_bindings_runtime.errors import ConnectionClosed, RequestTimeout
from mcp_bindings_runtime.tasks.store import MemoryTasks
from mcp_bindings_runtime.transports.memory import pair
from support.revisions import HANDSHAKE, REVISIONS, TASK_EXTENSION
from support.scripted_peers import PATIENCE, Spoken, eventually, package, scripted_server
from support.task_server import serving

NEWEST = TASK_EXTENSION
SHORT = PATIENCE / 10
STAMP = {"createdAt": "2026-01-01T00:00:00Z", "lastUpdatedAt": "2026-01-01T00:00:00Z"}
CREATED = {"resultType": "task", "taskId": "t", "status": "working", "ttlMs": None, **STAMP}
DISCOVERED = {
    "resultType": "complete",
    "supportedVersions": [NEWEST],
    "capabilities": {"tools": {}},
    "ttlMs": 0,
    "cacheScope": "private",
}
QUESTION = {
    "method": "elicitation/create",
    "params": {"message": "?", "requestedSchema": {"type": "object", "properties": {}}},
}


@contextmanager
def soon() -> Iterator[None]:
    """The block ends long before ``PATIENCE`` is over."""
    began = time.monotonic()
    yield
    assert time.monotonic() - began < PATIENCE / 2


def decline(params: Any, context: Any) -> Any:
    return mcp.ElicitResult(action="decline")


# Tasks.


def test_a_call_that_becomes_a_task_keeps_its_deadline_and_the_task_is_cancelled() -> None:
    cancelled = Event()

    def hold(context: Any) -> str:
        if context.task.wait(PATIENCE * 2):
            cancelled.set()
        return "done"

    server = serving({"hold": hold}, MemoryTasks(tools={"hold": "required"}, poll=PATIENCE))
    with mcp.Client.in_memory(server, tasks=True, timeout=PATIENCE, limit=PATIENCE * 2) as client:
        with soon(), pytest.raises(RequestTimeout, match="tools/call: the task has no result in time"):
            client.call_tool("hold", timeout=SHORT)
        assert cancelled.wait(PATIENCE)


def test_a_server_that_says_nothing_of_a_task_does_not_keep_the_call() -> None:
    heard: list[str] = []

    def play(peer: Spoken) -> None:
        peer.answer(peer.hear(), CREATED)
        heard.extend(peer.hear()["method"] for _ in range(3))

    with scripted_server(mcp.Client, play, tasks=True, discover=False, timeout=PATIENCE) as (client, _):
        client.connect()
        with soon(), pytest.raises(RequestTimeout, match="the task has no result in time"):
            client.call_tool("x", timeout=SHORT)
        eventually(lambda: len(heard) == 3)
    assert heard == ["tasks/get", "notifications/cancelled", "tasks/cancel"]


@pytest.mark.parametrize("silent", ["tasks/get", "tasks/update"])
def test_waiting_for_the_result_of_a_task_keeps_its_deadline(silent: str) -> None:
    def play(peer: Spoken) -> None:
        peer.answer(peer.hear(), CREATED)
        if silent == "tasks/update":
            asking = {"status": "input_required", "inputRequests": {"q": QUESTION}}
            peer.answer(peer.hear(), {**CREATED, "resultType": "complete", **asking})
        assert peer.hear()["method"] == silent

    options = {"tasks": True, "discover": False, "timeout": PATIENCE, "elicitation": decline}
    with scripted_server(mcp.Client, play, **options) as (client, _):
        client.connect()
        task = client.call_tool_as_task("x")
        with soon(), pytest.raises(RequestTimeout, match="the task has no result in time"):
            task.result(SHORT)


@pytest.mark.parametrize("lasting", [False, True], ids=["no answer at all", "no result"])
def test_a_task_of_2025_keeps_the_deadline_of_its_result(lasting: bool) -> None:
    task = {"taskId": "t", "status": "working", "ttl": None, **STAMP}

    def play(peer: Spoken) -> None:
        peer.welcome("2025-11-25", {"tools": {}, "tasks": {"requests": {"tools": {"call": {}}}}})
        while True:
            asked = peer.hear()
            if asked["method"] == "tools/call":
                peer.answer(asked, {"task": task})
            elif asked["method"] == "tasks/get" and lasting:
                peer.answer(asked, task)

    with scripted_server(handshaken.Client, play, timeout=PATIENCE) as (client, _):
        client.connect()
        handle = client.call_tool_as_task("x")
        with soon(), pytest.raises(RequestTimeout, match="the task has no result in time"):
            handle.result(0.3)


# Rounds of questions.


@pytest.mark.parametrize("cache", [False, True])
def test_all_rounds_of_questions_have_one_deadline(cache: bool) -> None:
    """Each round is answered in time; all of them together are not."""
    rounds: list[int] = []

    def play(peer: Spoken) -> None:
        while True:
            asked = peer.hear()
            if asked["method"] != "resources/read":
                continue
            rounds.append(asked["id"])
            time.sleep(0.1)
            peer.answer(asked, {"resultType": "input_required", "inputRequests": {"q": QUESTION}, "requestState": "s"})

    options = {"discover": False, "timeout": PATIENCE, "elicitation": decline, "rounds": 1000, "cache": cache}
    with scripted_server(mcp.Client, play, **options) as (client, spoken):
        client.connect()
        with soon(), pytest.raises(RequestTimeout):
            client.read_resource("demo://x", timeout=0.5)
        spoken.close()
    assert len(rounds) < 20


def test_no_round_begins_after_the_deadline() -> None:
    rounds: list[int] = []
    late = Event()

    def play(peer: Spoken) -> None:
        asked = peer.hear()
        peer.answer(asked, {"resultType": "input_required", "inputRequests": {"q": QUESTION}, "requestState": "s"})
        with pytest.raises(ConnectionClosed):
            rounds.append(peer.hear()["id"])

    def answer(params: Any, context: Any) -> Any:
        # What a user does takes its time; nobody can end it.
        while ACTIVE.scope is not None and ACTIVE.scope.left:
            time.sleep(0.01)
        late.set()
        return mcp.ElicitResult(action="decline")

    with scripted_server(mcp.Client, play, discover=False, timeout=PATIENCE, elicitation=answer) as (client, _):
        client.connect()
        with soon(), pytest.raises(RequestTimeout, match=rf"tools/call: no answer in {SHORT:g} s"):
            client.call_tool("x", timeout=SHORT)
        assert late.is_set()
    assert rounds == []


# Connections.


def test_a_call_that_opens_a_connection_anew_keeps_its_deadline() -> None:
    opened: list[Spoken] = []

    def open_transport() -> Any:
        mine, theirs = pair()
        peer = Spoken(theirs)
        opened.append(peer)
        if len(opened) == 1:
            Thread(target=lambda: peer.answer(peer.hear(), DISCOVERED), daemon=True).start()
        return mine

    with mcp.Client(open_transport, restart=True, timeout=PATIENCE) as client:
        opened[0].close()
        eventually(lambda: client._connection.closed)
        with soon(), pytest.raises(RequestTimeout):
            client.call_tool("x", timeout=SHORT)
        assert len(opened) == 2

        # Another thread opens it: that is waited for as long as there is time.
        thread = Thread(target=client_that_opens, args=(client,))
        thread.start()
        eventually(lambda: len(opened) == 3)
        with soon(), pytest.raises(RequestTimeout, match="is being opened in another thread"):
            client.call_tool("x", timeout=SHORT)
        assert thread.is_alive()
        client.close()
        thread.join(PATIENCE)


def client_that_opens(client: Any) -> None:
    with pytest.raises(ConnectionClosed):
        client.call_tool("y")


def test_negotiation_has_one_deadline_and_leaves_half_of_it_to_the_second_era() -> None:
    mine, theirs = pair()
    peer = Spoken(theirs)

    def play() -> None:
        while (asked := peer.hear())["method"] != "initialize":
            pass
        known = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "x", "version": "1"}}
        peer.answer(asked, known)

    thread = Thread(target=play, daemon=True)
    thread.start()
    with soon(), connect.over(mine, timeout=2 * SHORT, probe=PATIENCE) as client:
        assert client.binding.revision == "2025-11-25"
    thread.join(PATIENCE)


def test_a_server_that_has_refused_the_handshake_has_all_the_time_for_discovery() -> None:
    """It may need longer than a probe waits, and nothing else is left to try."""
    mine, theirs = pair()
    peer = Spoken(theirs)

    def play() -> None:
        while (asked := peer.hear())["method"] != "initialize":
            pass
        peer.refuse(asked, -32601)
        while (asked := peer.hear())["method"] != "server/discover":
            pass
        Event().wait(0.3)
        peer.answer(asked, DISCOVERED)

    thread = Thread(target=play, daemon=True)
    thread.start()
    with connect.over(mine, timeout=PATIENCE, probe=0.05, revisions=[*HANDSHAKE, NEWEST]) as client:
        assert client.binding.revision == NEWEST
    thread.join(PATIENCE)


def test_connecting_has_one_deadline() -> None:
    """What is asked last ends no later than what is asked first would."""
    deadlines: list[float] = []
    clients: list[Any] = []

    def play(peer: Spoken) -> None:
        asked = peer.hear()
        assert asked["method"] == "initialize"
        deadlines.append(time.monotonic() + PATIENCE)
        who = {"name": "x", "version": "1"}
        peer.answer(asked, {"protocolVersion": "2025-11-25", "capabilities": {"logging": {}}, "serverInfo": who})
        assert peer.hear()["method"] == "notifications/initialized"
        asked = peer.hear()
        assert asked["method"] == "logging/setLevel"
        deadlines.extend(call.deadline for call in clients[0]._greeting.calls.values())
        peer.answer(asked, {})

    with scripted_server(handshaken.Client, play, timeout=PATIENCE, log_level="debug") as (client, _):
        clients.append(client)
        client.connect()
    first, last = deadlines
    assert last <= first


# The law.

seconds = st.floats(0.001, 1000)


@given(st.lists(st.tuples(seconds, seconds), min_size=1, max_size=6), st.integers(0, 5))
def test_an_inner_scope_never_ends_after_an_outer_one(limits: list[tuple[float, float]], renewed: int) -> None:
    scopes: list[CallScope] = []
    for timeout, limit in limits:
        scopes.append(CallScope(timeout, limit).__enter__())
    scopes[renewed % len(scopes)].renew()
    for outer, inner in pairwise(scopes):
        assert inner.deadline <= inner.limit <= outer.limit
        assert bounded(1e6) <= outer.limit - time.monotonic() + 1
    for scope in reversed(scopes):
        assert ACTIVE.scope is scope
        scope.__exit__()
    assert ACTIVE.scope is None


# Messages.


@pytest.mark.parametrize(
    ("at_limit", "expected"),
    [
        (False, "tools/call: no answer in 5 s"),
        (True, "tools/call: no answer in 7 s, the `limit` for a call with progress"),
    ],
)
def test_the_error_names_the_seconds_that_have_passed(at_limit: bool, expected: str) -> None:
    call = Call(mcp.methods.CALL_TOOL, 5.0, 7.0, None)
    if at_limit:
        call.deadline = call.limit
    assert str(call.overdue()) == expected


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("with_progress", [False, True])
def test_a_call_ends_at_the_limit_even_if_the_timeout_is_longer(revision: str, with_progress: bool) -> None:
    server, end = serving_nothing(revision)
    options: dict[str, Any] = {"on_progress": lambda params: None} if with_progress else {}
    with package(revision).Client.in_memory(server, timeout=PATIENCE, limit=0.1) as client:
        with soon(), pytest.raises(RequestTimeout, match=r"^tools/call: no answer in 0\.1 s"):
            client.call_tool("wait", {}, **options)
        # A call with a longer `timeout` of its own may take as long as that.
        started = client.start(client.call_tool, "wait", {}, timeout=PATIENCE)
        with pytest.raises(TimeoutError):
            started.result(0.3)
        end.set()
        assert started.result(PATIENCE).content == []


def serving_nothing(revision: str) -> tuple[Any, Event]:
    """Return a server whose tool waits, and the event that ends this."""
    found = package(revision)
    server, end = found.Server("s", "1"), Event()

    @server.handler(found.methods.CALL_TOOL)
    def call_tool(params: Any, context: Any) -> Any:
        end.wait(PATIENCE)
        return found.CallToolResult(content=[])

    return server, end
