"""Many threads on one connection: answers reach who asked, limits hold, and the end wakes everybody."""

from __future__ import annotations

import logging
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Thread

import pytest
from checkout import REVISIONS
from mcp_bindings_runtime.connection import leader_followers
from mcp_bindings_runtime.errors import ConnectionClosed, ResponseError, UsageError
from mcp_bindings_runtime.transports.memory import pair
from mcp_bindings_runtime.transports.streams import Streams
from support.echo_server import RAISED, echo_server
from support.revisions import HANDSHAKE, STATELESS
from support.scripted_peers import (
    PATIENCE,
    eventually,
    package,
    scripted_client,
    scripted_server,
    text_of,
    threads_of,
    times_out,
)

each_revision = pytest.mark.parametrize("revision", REVISIONS)
LATEST = HANDSHAKE[-1]


@each_revision
def test_eight_threads_never_see_each_others_answers(revision):
    server, _ = echo_server(revision)
    with package(revision).Client.in_memory(server, timeout=PATIENCE) as client, ThreadPoolExecutor(8) as pool:
        numbers = range(400)
        results = pool.map(lambda n: text_of(client.call_tool("echo", {"n": n, "progress": n % 3})), numbers)
        assert list(results) == [str(n) for n in numbers]


@each_revision
def test_a_slow_handler_does_not_hold_up_others(revision):
    server, seen = echo_server(revision)
    with package(revision).Client.in_memory(server, timeout=PATIENCE) as client, ThreadPoolExecutor(1) as pool:
        slow = pool.submit(client.call_tool, "echo", {"n": "slow", "hold": True})
        eventually(lambda: seen.running)
        assert [text_of(client.call_tool("echo", {"n": n})) for n in range(5)] == ["0", "1", "2", "3", "4"]
        assert not slow.done()
        seen.go.set()
        assert text_of(slow.result(PATIENCE)) == "slow"


@each_revision
def test_at_most_so_many_requests_run_and_the_rest_are_answered_later(revision):
    server, seen = echo_server(revision, workers=3)
    with package(revision).Client.in_memory(server, timeout=PATIENCE) as client, ThreadPoolExecutor(9) as pool:
        calls = [pool.submit(client.call_tool, "echo", {"n": n, "hold": True}) for n in range(9)]
        eventually(lambda: seen.running == 3)
        eventually(lambda: len(client.connection.session._pending) == 9)
        assert seen.most == 3
        seen.go.set()
        assert [text_of(each.result(PATIENCE)) for each in calls] == [str(n) for n in range(9)]
    assert seen.most <= 3


def test_a_request_that_is_cancelled_while_it_waits_is_never_begun():
    server, seen = echo_server(LATEST, workers=1)
    spoken = scripted_client(server)
    spoken.introduce(LATEST)
    for number in (1, 2, 3):
        spoken.request("tools/call", number, {"name": "echo", "arguments": {"n": number, "hold": True}})
    spoken.notify("notifications/cancelled", {"requestId": 2})
    spoken.request("ping", "seen")
    assert spoken.hear()["id"] == "seen"
    seen.go.set()
    assert [spoken.hear()["id"] for _ in range(2)] == [1, 3]
    assert seen.begun == 2
    spoken.close()


# The end.


@each_revision
@pytest.mark.parametrize("closer", ["main", "another thread", "the server"])
def test_closing_wakes_all_who_wait(revision, closer):
    server, seen = echo_server(revision, grace=0.1)
    client = package(revision).Client.in_memory(server, timeout=PATIENCE)
    client.connect()
    with ThreadPoolExecutor(6) as pool:
        calls = [pool.submit(client.call_tool, "echo", {"hold": True}) for _ in range(6)]
        eventually(lambda: seen.running == 6)
        if closer == "another thread":
            thread = Thread(target=client.close)
            thread.start()
            thread.join(PATIENCE)
            assert not thread.is_alive()
        else:
            (server if closer == "the server" else client).close()
        for each in calls:
            with pytest.raises(ConnectionClosed):
                each.result(PATIENCE)
        # Their handlers are told as well.
        eventually(lambda: seen.ended == 6)
    client.close()
    eventually(lambda: not threads_of())


@each_revision
def test_closing_twice_is_closing_once_and_nothing_can_be_said_after(revision):
    mcp = package(revision)
    client = mcp.Client.in_memory(echo_server(revision)[0])
    with pytest.raises(ConnectionClosed, match="not connected"):
        client.call_tool("echo", {})
    client.connect()
    client.close()
    client.close()
    with pytest.raises(ConnectionClosed, match="make another client"):
        client.connect()
    with pytest.raises(ConnectionClosed, match="closed on this side"):
        client.call_tool("echo", {})
    with pytest.raises(ConnectionClosed, match="closed on this side"):
        client.notify(mcp.methods.CANCELLED, mcp.types.CancelledNotificationParams(request_id=1))
    client.close()


@each_revision
def test_a_client_may_be_closed_while_it_connects(revision):
    mine, theirs = pair()
    client = package(revision).Client.over(mine, timeout=PATIENCE)
    with ThreadPoolExecutor(1) as pool:
        connecting = pool.submit(client.connect)
        assert theirs.receive(PATIENCE)
        client.close()
        with pytest.raises(ConnectionClosed, match="closed on this side"):
            connecting.result(PATIENCE / 2)


def test_threads_that_connect_at_once_connect_once():
    server, _ = echo_server(LATEST)
    client = package(LATEST).Client.in_memory(server, timeout=PATIENCE)
    with ThreadPoolExecutor(8) as pool:
        for each in [pool.submit(client.connect) for _ in range(8)]:
            each.result(PATIENCE)
    assert len(server._connections) == 1
    client.close()


def test_a_handler_may_close_its_own_server():
    mcp = package(LATEST)
    server = mcp.Server("s", "1")

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params, context):
        server.close()
        assert context.cancelled
        return mcp.types.CallToolResult(content=[])

    with mcp.Client.in_memory(server, timeout=PATIENCE) as client, pytest.raises(ConnectionClosed):
        client.call_tool("x", {})
    eventually(lambda: not threads_of())


def test_one_client_that_has_gone_does_not_keep_a_notification_from_the_others():
    mcp = package(LATEST)
    server, _ = echo_server(
        LATEST, capabilities=mcp.types.ServerCapabilities(tools=mcp.types.ServerCapabilitiesTools(list_changed=True))
    )
    gone = [scripted_client(server) for _ in range(2)]
    for each in gone:
        each.introduce(LATEST)
    heard = Event()
    client = mcp.Client.in_memory(server)
    client.handler(mcp.methods.TOOL_LIST_CHANGED)(lambda params, context: heard.set())
    with client:
        # Who is still shaking hands would not be told.
        eventually(lambda: all(connection.session.state == "open" for connection in list(server._connections)))
        # The server's end of them fails to send, and does not know yet.
        for connection in list(server._connections):
            if connection.session.peer_info.name == "x":
                connection._transport._there.refuse()
        server.notify(mcp.methods.TOOL_LIST_CHANGED)
        assert heard.wait(PATIENCE)
    for each in gone:
        each.close()


# What handlers raise.


@each_revision
@pytest.mark.parametrize("kind", RAISED)
def test_whatever_a_handler_raises_is_answered_without_detail_and_logged(revision, kind, caplog):
    server, _ = echo_server(revision)
    with package(revision).Client.in_memory(server, timeout=PATIENCE) as client:
        for _ in range(3):
            with pytest.raises(ResponseError) as caught:
                client.call_tool("echo", {"raise": kind})
            assert (caught.value.code, caught.value.message, caught.value.data) == (-32603, "Internal error", None)
        assert text_of(client.call_tool("echo", {"n": 1})) == "1"
    logged = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert len(logged) == 3
    assert all(record.exc_info and record.exc_info[1] is RAISED[kind] for record in logged)


@each_revision
@pytest.mark.parametrize("wrong", ["none", "text", "number", "other"])
def test_a_result_of_the_wrong_type_is_answered_without_detail_and_logged(revision, wrong, caplog):
    server, _ = echo_server(revision)
    with package(revision).Client.in_memory(server, timeout=PATIENCE) as client, pytest.raises(ResponseError) as caught:
        client.call_tool("echo", {"wrong": wrong})
    assert (caught.value.code, caught.value.data) == (-32603, None)
    assert "tools/call" in caplog.text


@each_revision
def test_an_error_of_the_handlers_own_arrives_as_it_is(revision):
    server, _ = echo_server(revision)
    with package(revision).Client.in_memory(server, timeout=PATIENCE) as client, pytest.raises(ResponseError) as caught:
        client.call_tool("echo", {"refuse": -32002})
    assert (caught.value.code, caught.value.message, caught.value.data) == (-32002, "refused", {"why": "asked for"})


@each_revision
def test_a_handler_is_warned_of_codes_that_are_kept(revision, caplog):
    server, _ = echo_server(revision)
    codes = (-32002, -32042, -32050, -32001, -32022, -31999, -32100, -32602, 7)
    with package(revision).Client.in_memory(server, timeout=PATIENCE) as client:
        for code in codes:
            with pytest.raises(ResponseError):
                client.call_tool("echo", {"refuse": code})
    warned = [record.args[1] for record in caplog.records if "which the protocol reserves" in record.getMessage()]
    assert warned == ([-32002, -32042, -32050, -32001] if revision in STATELESS else [])


def test_data_of_an_error_that_is_no_json_is_not_sent(caplog):
    mcp = package(LATEST)
    server = mcp.Server("s", "1")

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params, context):
        raise ResponseError(1, "x", object())

    with mcp.Client.in_memory(server, timeout=PATIENCE) as client, pytest.raises(ResponseError) as caught:
        client.call_tool("x", {})
    assert caught.value.code == -32603
    assert "not JSON" in caplog.text


@pytest.mark.parametrize("kind", RAISED)
def test_what_a_clients_handler_raises_is_answered_too(kind, caplog):
    mcp = package(LATEST)
    answers = []

    def play(spoken):
        spoken.welcome(LATEST)
        for number in (1, 2):
            spoken.request("roots/list", number)
            answers.append(spoken.hear())

    with scripted_server(mcp.Client, play) as (client, _):

        @client.handler(mcp.methods.LIST_ROOTS)
        def roots(params, context):
            raise RAISED[kind]

        client.connect()
        eventually(lambda: len(answers) == 2)
    assert [each["error"] for each in answers] == [{"code": -32603, "message": "Internal error"}] * 2


@pytest.mark.parametrize("kind", RAISED)
def test_a_listener_that_raises_hears_the_next_notification(kind, caplog):
    mcp = package(LATEST)
    heard = []

    def play(spoken):
        spoken.welcome(LATEST, {"logging": {}})
        for number in range(3):
            spoken.notify("notifications/message", {"level": "info", "data": number})
        eventually(lambda: len(heard) == 3)

    with scripted_server(mcp.Client, play) as (client, _):

        @client.handler(mcp.methods.LOGGING_MESSAGE)
        def log(params, context):
            heard.append(params.data)
            raise RAISED[kind]

        client.connect()
        eventually(lambda: len(heard) == 3)
    assert heard == [0, 1, 2]


# Notifications.


@each_revision
def test_notifications_are_passed_on_one_at_a_time_and_in_order(revision):
    mcp = package(revision)
    server = mcp.Server("s", "1")
    heard = []
    inside = []

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params, context):
        for number in range(100):
            context.log("info", number)
        return mcp.types.CallToolResult(content=[])

    options = {"log_level": "debug"} if revision in STATELESS else {}
    client = mcp.Client.in_memory(server, timeout=PATIENCE, **options)

    @client.handler(mcp.methods.LOGGING_MESSAGE)
    def log(params, context):
        inside.append(threading.get_ident())
        if params.data % 20 == 0:
            time.sleep(0.006)
        assert inside == [threading.get_ident()]
        heard.append(params.data)
        inside.clear()

    with client:
        client.call_tool("x", {})
        eventually(lambda: len(heard) == 100)
    assert heard == list(range(100))


def test_a_listener_may_ask_the_server():
    mcp = package(LATEST)
    server, _ = echo_server(LATEST)
    answered = []
    client = mcp.Client.in_memory(server, timeout=PATIENCE, workers=1)

    @client.handler(mcp.methods.TOOL_LIST_CHANGED)
    def changed(params, context):
        answered.append(text_of(client.call_tool("echo", {"n": "listener"})))

    with client:
        # By then the server knows that it may send.
        client.ping()
        server.notify(mcp.methods.TOOL_LIST_CHANGED)
        eventually(lambda: answered)
    assert answered == ["listener"]


def nesting(revision, **options):
    """A server whose tool and a client whose roots ask each other, ``n`` times; with one worker on either side."""
    mcp = package(revision)
    server = mcp.Server("s", "1", workers=1)

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params, context):
        if params.arguments["n"]:
            context.list_roots(meta={"n": params.arguments["n"] - 1})
        return mcp.types.CallToolResult(content=[])

    client = mcp.Client.in_memory(server, timeout=PATIENCE, workers=1, **options)

    @client.handler(mcp.methods.LIST_ROOTS)
    def roots(params, context):
        meta = context.meta if isinstance(context.meta, dict) else context.meta.extra
        client.call_tool("x", {"n": meta["n"]})
        return mcp.types.ListRootsResult(roots=[])

    return client


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_who_waits_for_an_answer_takes_no_worker_from_those_it_depends_on(revision):
    with nesting(revision) as client:
        client.call_tool("x", {"n": 20})
        eventually(lambda: not client.connection._threads.busy and not client.connection._threads._waiting)


def test_requests_that_nest_without_end_are_told_of_and_end(caplog, monkeypatch):
    monkeypatch.setattr(leader_followers, "WAITING", 3)
    with nesting(LATEST) as client:
        said = "3 requests that are being handled wait for answers; further ones have to wait"
        times_out(lambda seconds: client.call_tool("x", {"n": 20}, timeout=seconds), lambda: said in caplog.text)
    eventually(lambda: not threads_of())


# One thread for all.


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_a_host_may_serve_in_its_own_thread(revision):
    server, seen = echo_server(revision)
    mcp = package(revision)
    mine, theirs = pair()
    connection = server.connect(theirs)
    client = mcp.Client.over(mine, timeout=PATIENCE)
    client.handler(mcp.methods.LIST_ROOTS)(
        lambda params, context: mcp.types.ListRootsResult(roots=[mcp.types.Root(uri="file:///a", name="asked")])
    )
    results: list[str] = []

    def use():
        with client:
            results.append(text_of(client.call_tool("echo", {"n": 1})))
            results.append(text_of(client.call_tool("echo", {"ask": 0})))

    user = Thread(target=use)
    user.start()
    before = threads_of("mcp-server")
    limit = time.monotonic() + PATIENCE
    while not connection.closed and time.monotonic() < limit:
        connection.pump(0.05)
    user.join(PATIENCE)
    assert results == ["1", "asked"]
    assert seen.begun == 2
    assert before == threads_of("mcp-server") == []


def test_a_pumping_host_answers_what_the_client_needs_in_order_to_answer():
    mcp = package(LATEST)
    server, _ = echo_server(LATEST)
    mine, theirs = pair()
    connection = server.connect(theirs)
    client = mcp.Client.over(mine, timeout=PATIENCE)

    @client.handler(mcp.methods.LIST_ROOTS)
    def roots(params, context):
        client.ping()
        inner = text_of(client.call_tool("echo", {"n": "inner"}))
        return mcp.types.ListRootsResult(roots=[mcp.types.Root(uri="file:///a", name=inner)])

    results: list[str] = []

    def use():
        with client:
            results.append(text_of(client.call_tool("echo", {"ask": 0})))

    user = Thread(target=use)
    user.start()
    limit = time.monotonic() + PATIENCE
    while not connection.closed and time.monotonic() < limit:
        connection.pump(0.05)
    user.join(PATIENCE)
    assert results == ["inner"]


def test_pumping_is_refused_where_another_thread_reads():
    server, _ = echo_server(LATEST)
    with package(LATEST).Client.in_memory(server) as client:
        eventually(lambda: client.connection._threads.has_leader)
        with pytest.raises(UsageError, match="another thread reads"):
            client.connection.pump(0)


# Messages that fill what may wait between the two sides.


@pytest.mark.parametrize("how", ["memory", "pipes"])
def test_both_sides_may_send_more_at_once_than_waits_in_between(how):
    server, _ = echo_server(LATEST)
    if how == "memory":
        mine, theirs = pair(capacity=10_000)
    else:
        (in_, there), (back, out) = os.pipe(), os.pipe()
        mine, theirs = Streams(back, there), Streams(in_, out)
    Thread(target=server.serve, args=(theirs,), daemon=True).start()
    text = "x" * 1_000_000
    with package(LATEST).Client.over(mine, timeout=PATIENCE) as client, ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda n: text_of(client.call_tool("echo", {"n": f"{n}{text}"})), range(12)))
    assert [each.removesuffix(text) for each in found] == [str(n) for n in range(12)]


# Log messages.


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_log_messages_below_the_level_that_a_client_has_set_are_not_sent(revision):
    mcp = package(revision)
    server = mcp.Server("s", "1")
    heard = []

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params, context):
        for level in ("debug", "warning", "emergency"):
            context.log(level, level, logger="here")
        with pytest.raises(UsageError, match="must be one of debug, info"):
            context.log("loud", 1)
        return mcp.types.CallToolResult(content=[])

    client = mcp.Client.in_memory(server, timeout=PATIENCE)
    client.handler(mcp.methods.LOGGING_MESSAGE)(lambda params, context: heard.append(params.data))
    with client:
        client.call_tool("x", {})
        eventually(lambda: heard == ["debug", "warning", "emergency"])
        client.set_level("warning")
        client.call_tool("x", {})
        eventually(lambda: heard[3:] == ["warning", "emergency"])


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_a_server_that_declares_no_logging_cannot_log(revision):
    mcp = package(revision)
    server = mcp.Server("s", "1", logging=False)
    raised = []

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params, context):
        with pytest.raises(UsageError, match="needs the capability 'logging'"):
            context.log("error", 1)
        raised.append(True)
        return mcp.types.CallToolResult(content=[])

    with mcp.Client.in_memory(server, timeout=PATIENCE) as client:
        client.call_tool("x", {})
        with pytest.raises(UsageError, match="'logging'"):
            client.set_level("error")
    assert raised


def test_clients_without_a_handshake_hear_the_log_that_they_ask_for():
    mcp = package(REVISIONS[-1])
    server = mcp.Server("s", "1")
    heard = []

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params, context):
        context.log("info", params.name)
        context.log("error", params.name)
        return mcp.types.CallToolResult(content=[])

    for level, expected in ((None, []), ("warning", ["x"]), ("debug", ["x", "x"])):
        heard.clear()
        client = mcp.Client.in_memory(server, timeout=PATIENCE, log_level=level)
        client.handler(mcp.methods.LOGGING_MESSAGE)(lambda params, context: heard.append(params.data))
        with client:
            client.call_tool("x", {})
            client.discover()
            eventually(lambda expected=expected: heard == expected)
