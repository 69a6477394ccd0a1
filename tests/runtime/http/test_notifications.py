"""Notifications of handlers over HTTP: sent if there is room for them, dropped and counted if not, never an error."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from mcp_bindings_runtime.connection.context import ServerContext
from mcp_bindings_runtime.features.log_handler import LogHandler
from mcp_bindings_runtime.http.server.store import MemoryStore
from support.raw_http_client import NEW, Answer, Wire, endpoint, modern, notification, request
from support.revisions import HANDSHAKE, WITH_BATCHES
from support.scripted_peers import PATIENCE, eventually, package

LATEST = HANDSHAKE[-1]
OLDEST_WITH_BATCHES = WITH_BATCHES[0]
LEVEL = "io.modelcontextprotocol/logLevel"


def dropped_in(caplog: pytest.LogCaptureFixture) -> int:
    """How many notifications of requests the local log says were dropped."""
    found = (re.search(r"(\d+) notifications of a request were dropped", each.getMessage()) for each in caplog.records)
    return sum(int(each[1]) for each in found if each)


def reporting_server(revision: str) -> Any:
    """A server whose tools report, log and use plain ``logging``, each in its way."""
    mcp = package(revision)
    server = mcp.Server("reporting", "1.0", limits=False)
    handler = LogHandler(server)

    @server.tool()
    def progress(n: int, context: ServerContext) -> str:
        for step in range(3):
            context.progress(step)
        return str(n)

    @server.tool()
    def log(n: int, context: ServerContext) -> str:
        for _ in range(3):
            context.log("error", "same")
        return str(n)

    @server.tool()
    def plain(n: int) -> str:
        logger = logging.getLogger("reporting.plain")
        logger.addHandler(handler)
        for _ in range(3):
            logger.error("same")
        return str(n)

    @server.tool()
    def changes(n: int) -> str:
        server.tools.add(lambda: "x", name=f"more{n}")
        server.tools.remove(f"more{n}")
        return str(n)

    return server


def texts(answer: Answer) -> list[str]:
    """The text of the result in an answer, whether it is JSON or a stream."""
    assert answer.status == 200, answer
    return re.findall(r'"text": ?"(\w+)"', answer.body.decode())


@pytest.mark.parametrize("revision", [LATEST, NEW])
def test_with_twenty_listeners_and_default_options_no_call_fails_for_what_it_reports(revision):
    """Six hundred calls at once are more than there are streams; each of them is answered with its result."""
    server = reporting_server(revision)
    listened = {"notifications": {"toolsListChanged": True}}
    with endpoint(server) as wire:
        listeners = []
        for number in range(20):
            if revision == NEW:
                whole, headers = modern(request("subscriptions/listen", number, listened))
                listeners.append(wire.stream(whole, **headers))
            else:
                each = Wire(wire.port)
                each.initialize(revision)
                listeners.append(each.stream())
        if revision != NEW:
            wire.initialize(revision)

        def ask(number: int) -> list[str]:
            name = ("progress", "log", "plain", "changes")[number % 4]
            params = {"name": name, "arguments": {"n": number}, "_meta": {"progressToken": number}}
            message, headers = request("tools/call", number, params), {}
            if revision == NEW:
                message, headers = modern(message, None, **{LEVEL: "debug"})
            return texts(wire.post(message, **headers))

        with ThreadPoolExecutor(24) as clients:
            answers = list(clients.map(ask, range(600)))
        assert answers == [[str(number)] for number in range(600)]
        for listener in listeners:
            listener.close()


@contextmanager
def no_stream_left(revision: str, server: Any) -> Iterator[tuple[Wire, Callable[..., Answer], threading.Event]]:
    """An endpoint all of whose streams are taken, a way to call its tools, and what ends those streams."""
    go = threading.Event()

    @server.tool()
    def hold(context: ServerContext) -> str:
        context.progress(1)
        go.wait(PATIENCE)
        return "held"

    with endpoint(server, connections=5) as wire:
        if revision != NEW:
            wire.initialize(revision, {"roots": {}})

        def whole(number: int, name: str, arguments: Any) -> tuple[Any, dict[str, str]]:
            params = {"name": name, "arguments": arguments, "_meta": {"progressToken": number}}
            message = request("tools/call", number, params)
            return modern(message, None, **{LEVEL: "debug"}) if revision == NEW else (message, {})

        streams = []
        for number in range(4):
            message, headers = whole(number, "hold", {})
            streams.append(wire.stream(message, **headers))
            streams[-1].message()

        def ask(name: str, **arguments: Any) -> Answer:
            message, headers = whole(9, name, arguments)
            return wire.post(message, **headers)

        try:
            yield wire, ask, go
        finally:
            go.set()
            for stream in streams:
                stream.messages()


@pytest.mark.parametrize("revision", [*HANDSHAKE, NEW])
def test_what_cannot_be_streamed_is_dropped_and_the_log_says_how_much(revision, caplog):
    caplog.set_level("WARNING", "mcp_bindings")
    with no_stream_left(revision, reporting_server(revision)) as (_, ask, _):
        for name in ("progress", "log", "plain"):
            assert ask(name, n=7).text == "7"
            eventually(lambda: dropped_in(caplog) == 3)
            caplog.clear()


@pytest.mark.parametrize("revision", [*HANDSHAKE, NEW])
def test_a_tool_that_takes_too_long_is_answered_though_there_is_no_stream(revision):
    server = reporting_server(revision)
    ended = threading.Event()

    @server.tool(timeout=0.05)
    def slow(n: int) -> str:
        ended.wait(PATIENCE)
        return str(n)

    with no_stream_left(revision, server) as (_, ask, _):
        answer = ask("slow", n=1)
        ended.set()
        assert "did not finish within 0.05 s" in answer.text
        assert answer.json["result"]["isError"] is True


def test_a_tool_that_takes_too_long_in_a_batch_is_answered_with_the_others():
    server = reporting_server(OLDEST_WITH_BATCHES)
    ended = threading.Event()

    @server.tool(timeout=0.05)
    def slow(n: int) -> str:
        ended.wait(PATIENCE)
        return str(n)

    def asked(number: int, name: str) -> Any:
        return request("tools/call", number, {"name": name, "arguments": {"n": number}})

    with no_stream_left(OLDEST_WITH_BATCHES, server) as (wire, _, _):
        answer = wire.post([asked(11, "slow"), asked(12, "log"), asked(13, "slow")])
        ended.set()
        assert sorted(each["id"] for each in answer.json) == [11, 12, 13]


def test_a_question_that_cannot_be_streamed_still_raises():
    server = reporting_server(LATEST)
    raised = []

    @server.tool()
    def ask_roots(context) -> str:
        try:
            context.list_roots()
        except Exception as error:  # noqa: BLE001  # what it is is looked at below
            raised.append(error)
        context.close_stream()
        return "asked"

    with no_stream_left(LATEST, server) as (_, ask, _):
        assert ask("ask_roots").text == "asked"
    assert [each.__class__.__name__ for each in raised] == ["NoStream"]


@pytest.mark.parametrize("revision", [*HANDSHAKE, NEW])
def test_five_equal_messages_and_three_large_ones_all_arrive(revision):
    """They are sent before the stream has a reader, as the handler is quicker than the thread of the request."""
    mcp = package(revision)
    server = mcp.Server("s", "1")

    @server.tool()
    def log(context: ServerContext) -> str:
        for _ in range(5):
            context.log("error", "same")
        for name in "abc":
            context.log("error", name * 900_000)
        return "done"

    message = request("tools/call", 1, {"name": "log", "arguments": {}})
    with endpoint(server) as wire:
        if revision == NEW:
            message, headers = modern(message, None, **{LEVEL: "debug"})
        else:
            wire.initialize(revision)
            headers = {}
        for _ in range(5):
            *logged, answer = wire.stream(message, **headers).messages()
            assert [each["params"]["data"][:4] for each in logged] == ["same"] * 5 + ["aaaa", "bbbb", "cccc"]
            assert answer["result"]["content"][0]["text"] == "done"


def test_a_question_waits_on_the_standalone_stream_however_much_is_sent_after_it():
    mcp = package(LATEST)
    server = mcp.Server("s", "1", limits=False)
    found: list[Any] = []

    @server.handler(mcp.methods.ROOTS_LIST_CHANGED)
    def ask(params: Any, context: Any) -> None:
        found.extend(root.name for root in context.list_roots().roots)

    store = MemoryStore()
    with endpoint(server, store=store) as wire:
        wire.initialize(LATEST, {"roots": {"listChanged": True}})
        assert wire.post(notification("notifications/roots/list_changed")).status == 202
        eventually(lambda: store.find(wire.headers["Mcp-Session-Id"], "0"))
        for number in range(1200):
            server.log("error", f"line {number}")
        standing = wire.stream()
        message = standing.message()
        while message["method"] != "roots/list":
            message = standing.message()
        answer = {"jsonrpc": "2.0", "id": message["id"], "result": {"roots": [{"uri": "file:///r", "name": "found"}]}}
        assert wire.post(answer).status == 202
        eventually(lambda: found == ["found"])
