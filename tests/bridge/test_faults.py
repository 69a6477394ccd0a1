"""Faults on either side of a bridge: nothing hangs, nothing crosses from one era to the other, memory stays flat."""

from __future__ import annotations

import gc
import itertools
import json
import sys
import threading
import tracemalloc
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from mcp_bindings_runtime.bridge import parked_calls
from mcp_bindings_runtime.bridge.parked_calls import ParkedCalls
from mcp_bindings_runtime.client import transport_factories
from mcp_bindings_runtime.errors import McpError, RequestTimeout, UnsupportedRevision
from mcp_bindings_runtime.http.server.http_server import make_server
from mcp_bindings_runtime.installed_revisions import facts_of
from mcp_bindings_runtime.proxy.backend_server import BackendServer
from mcp_bindings_runtime.proxy.server import Proxy
from mcp_bindings_runtime.session.stateless import VERSION
from support.raw_http_client import Wire, endpoint, modern, request
from support.revisions import HANDSHAKE, STATELESS, WITH_FORMS
from support.scripted_peers import (
    PATIENCE,
    Piped,
    Spoken,
    environment,
    eventually,
    package,
    program,
    scripted_client,
    text_of,
)

NEW = STATELESS[-1]
OLD = HANDSHAKE[-1]
FIRST = HANDSHAKE[0]
CAPABILITIES = {"sampling": {}, "roots": {}}
META = {VERSION: NEW, "io.modelcontextprotocol/clientCapabilities": CAPABILITIES}
SAMPLE = {"role": "assistant", "model": "m", "content": {"type": "text", "text": "so"}}
ASKING = """\
import os

from mcp_bindings import v2025_11_25 as mcp

server = mcp.Server("asking", "1.0", revisions=None)


@server.tool
def ask(context) -> str:
    return context.sample("How?", max_tokens=5)


@server.tool
def die() -> str:
    os._exit(3)


@server.tool
def hello() -> str:
    return "hello"


server.run_stdio()
"""


@pytest.fixture
def asking(tmp_path: Path) -> list[str]:
    """The command of a process whose tool ``ask`` asks the client, and whose tool ``die`` ends it."""
    file = tmp_path / "asking.py"
    file.write_text(ASKING, encoding="utf-8")
    return [sys.executable, str(file)]


class Caller:
    """A client of 2026-07-28, played by the test, which calls tools."""

    def __init__(self, spoken: Spoken | Piped) -> None:
        self.spoken = spoken
        self._numbers = itertools.count(1)

    def call(self, name: str, **params: Any) -> Any:
        """Return the response to a call."""
        number = next(self._numbers)
        self.spoken.say(request("tools/call", number, {"name": name, "arguments": {}, "_meta": META, **params}))
        answered = self.spoken.hear()
        assert answered["id"] == number
        return answered

    def answer(self, result: Any, **params: Any) -> Any:
        """Return the response to a call that is sent again with the answers to its questions."""
        assert result["resultType"] == "input_required"
        answers = dict.fromkeys(result["inputRequests"], SAMPLE)
        return self.call("ask", inputResponses=answers, requestState=result["requestState"], **params)


def proxy_before(open_transport: Callable[[], Any], **options: Any) -> Proxy:
    """Return a proxy before one server."""
    return Proxy([BackendServer(open_transport, timeout=PATIENCE, **options)])


def reason_of(answered: Any) -> str:
    reason: str = answered["error"]["data"]["reason"]
    return reason


# A server that ends while calls are parked.


@pytest.fixture
def proxied(asking: list[str]) -> Iterator[Caller]:
    """A client of a proxy before the process."""
    proxy = proxy_before(transport_factories.child(asking, env=environment()), revisions=[OLD])
    spoken = scripted_client(proxy.server)
    yield Caller(spoken)
    spoken.close()
    proxy.close()


@pytest.fixture
def parking(monkeypatch: pytest.MonkeyPatch) -> list[ParkedCalls]:
    """The objects that keep parked calls."""
    made: list[ParkedCalls] = []
    init = ParkedCalls.__init__

    def remember(self: ParkedCalls, *arguments: Any) -> None:
        init(self, *arguments)
        made.append(self)

    monkeypatch.setattr(ParkedCalls, "__init__", remember)
    return made


def test_calls_that_are_parked_when_the_server_behind_dies_end_with_a_reason(
    parking: list[ParkedCalls], proxied: Caller
) -> None:
    parked = [proxied.call("ask")["result"] for _ in range(3)]
    assert sum(len(each._calls) for each in parking) == len(parked)
    assert "has ended" in reason_of(proxied.call("die"))
    # All calls end, one after the other; an answer before that would find its call still waiting.
    eventually(lambda: not any(each._calls for each in parking))
    for each in parked:
        refused = proxied.answer(each)["error"]
        # The error of the call itself.
        assert refused["code"] == -32603
        assert "exited with status 3" in refused["data"]["reason"]
    # Later calls reach a new process.
    eventually(lambda: "result" in proxied.call("hello"))
    again = proxied.call("ask")["result"]
    assert proxied.answer(again)["result"]["content"][0]["text"] == "so"


def test_many_calls_of_a_server_behind_are_parked_at_the_same_time(proxied: Caller) -> None:
    parked = [proxied.call("ask")["result"] for _ in range(20)]
    assert proxied.call("hello")["result"]["content"][0]["text"] == "hello"
    for each in reversed(parked):
        assert proxied.answer(each)["result"]["content"][0]["text"] == "so"


def test_a_question_that_may_be_of_either_of_two_calls_reaches_neither() -> None:
    server = package(OLD).Server("s", "1", revisions=[OLD])
    begun, go = threading.Semaphore(0), threading.Event()

    @server.tool
    def ask(context) -> str:
        begun.release()
        assert go.wait(PATIENCE)
        return str(context.sample("How?", max_tokens=5))

    proxy = proxy_before(transport_factories.memory(server))
    spoken = scripted_client(proxy.server)
    for number in (1, 2):
        spoken.say(request("tools/call", number, {"name": "ask", "arguments": {}, "_meta": META}))
        assert begun.acquire(timeout=PATIENCE)
    go.set()
    answered = [json.dumps(spoken.hear()) for _ in range(2)]
    refused = [each for each in answered if "input_required" not in each]
    # The second one is alone, if the first has ended by then.
    assert refused
    assert all("nothing says which of them asks" in each for each in refused)
    spoken.close()
    proxy.close()


def test_over_http_each_question_reaches_the_call_on_whose_stream_it_comes() -> None:
    server = package(OLD).Server("s", "1", revisions=[OLD])
    together, second = threading.Barrier(3), threading.Event()

    @server.tool
    def ask(name: str, context) -> str:
        together.wait(PATIENCE)
        answers = [str(context.sample(f"{name} 1", max_tokens=5))]
        if name == "a":
            # The others have their answers, or wait for them.
            answers.append(str(context.sample("a 2", max_tokens=5)))
            second.set()
        assert second.wait(PATIENCE)
        return " ".join(answers)

    new = package(NEW)

    def answer(params, _context):
        asked = new.types.TextContent(text=f"so {params.messages[0].content.text}")
        return new.types.CreateMessageResult(role="assistant", model="m", content=asked)

    with make_server([server]) as served:
        proxy = proxy_before(transport_factories.http(served.url("/mcp"), facts=facts_of(OLD)))
        client = new.Client.in_memory(proxy.server, timeout=PATIENCE)
        client.handles(new.methods.CREATE_MESSAGE, answer)
        with client, ThreadPoolExecutor(3) as pool:
            results = pool.map(lambda name: text_of(client.call_tool("ask", {"name": name})), "abc")
            assert list(results) == ["so a 1 so a 2", "so b 1", "so c 1"]
        proxy.close()


def test_log_messages_of_a_server_behind_come_at_the_level_of_the_request() -> None:
    server = package(OLD).Server("s", "1", revisions=[OLD])

    @server.tool
    def work(context) -> str:
        for level in ("debug", "warning"):
            context.log(level, level)
        return "done"

    proxy = proxy_before(transport_factories.memory(server))
    spoken = scripted_client(proxy.server)
    for number, level, wanted in ((1, "debug", ["debug", "warning"]), (2, None, []), (3, "warning", ["warning"])):
        meta = META if level is None else {**META, "io.modelcontextprotocol/logLevel": level}
        spoken.say(request("tools/call", number, {"name": "work", "arguments": {}, "_meta": meta}))
        logged = []
        while "result" not in (message := spoken.hear()):
            logged.append(message["params"]["data"])
        assert logged == wanted
    spoken.close()
    proxy.close()


def test_log_messages_of_a_server_behind_come_into_a_request_that_wants_them() -> None:
    server = package(OLD).Server("s", "1", revisions=[OLD])
    go = {name: threading.Event() for name in ("logging", "silent")}
    begun: list[str] = []

    @server.tool
    def work(context, name: str) -> str:
        begun.append(name)
        go[name].wait(PATIENCE)
        context.log("info", name)
        return name

    proxy = proxy_before(transport_factories.memory(server))
    spoken = scripted_client(proxy.server)
    for number, name in enumerate(go):
        meta = {**META, "io.modelcontextprotocol/logLevel": "info"} if name == "logging" else META
        spoken.say(request("tools/call", number, {"name": "work", "arguments": {"name": name}, "_meta": meta}))
        eventually(lambda name=name: name in begun)
    go["logging"].set()
    assert spoken.hear()["params"]["data"] == "logging"
    assert spoken.hear()["id"] == 0
    go["silent"].set()
    assert spoken.hear()["id"] == 1
    spoken.close()
    proxy.close()


def test_a_call_that_was_parked_in_a_process_is_unknown_to_the_next_one(asking: list[str]) -> None:
    with Piped(asking) as first:
        parked = Caller(first).call("ask")["result"]
    with Piped(asking) as second:
        refused = Caller(second).answer(parked)["error"]
        assert refused["code"] == -32602
        assert "of a process with another key" in refused["data"]["reason"]
        assert Caller(second).call("hello")["result"]["content"][0]["text"] == "hello"


# Clients that never answer.


@pytest.mark.parametrize("wire", HANDSHAKE)
def test_a_question_that_a_client_with_a_session_never_answers_ends_at_its_deadline(wire: str) -> None:
    mcp = package(NEW)
    server = mcp.Server("s", "1", state_lifetime=0.1)
    ends: list[BaseException] = []

    @server.tool
    def ask(context) -> str:
        try:
            return str(context.sample("How?", max_tokens=5))
        except McpError as error:
            ends.append(error)
            raise

    spoken = scripted_client(server)
    spoken.introduce(wire, {"sampling": {}})
    spoken.request("tools/call", 1, {"name": "ask", "arguments": {}})
    question = spoken.hear()
    assert question["method"] == "sampling/createMessage"
    answered = spoken.hear()
    if answered.get("method") == "notifications/cancelled":
        answered = spoken.hear()
    assert answered["id"] == 1
    assert answered["result"]["isError"] is True
    assert isinstance(ends[0], RequestTimeout)
    # A late answer is of no use, and does no harm.
    spoken.answer(question, SAMPLE)
    spoken.request("ping", 2)
    assert spoken.hear()["result"] == {}
    spoken.close()


def test_threads_that_ask_when_their_call_has_ended_are_refused() -> None:
    server = package(OLD).Server("s", "1")
    ends: list[BaseException] = []

    def ask_twice(context: Any) -> None:
        for _ in range(2):
            try:
                context.sample("Is anybody there?", max_tokens=5)
            except BaseException as error:  # noqa: BLE001  # not all that ends a handler is an error
                ends.append(error)

    @server.tool
    def ask(context) -> str:
        threading.Thread(target=ask_twice, args=(context,), daemon=True).start()
        return str(context.sample("How?", max_tokens=5))

    spoken = scripted_client(server)
    caller = Caller(spoken)
    result = caller.call("ask")["result"]
    while result["resultType"] == "input_required":
        # Only the question of the handler is answered.
        own = [name for name, each in result["inputRequests"].items() if "How?" in json.dumps(each)]
        retry = {"inputResponses": dict.fromkeys(own, SAMPLE), "requestState": result["requestState"]}
        result = caller.call("ask", **retry)["result"]
    assert result["content"][0]["text"] == "so"
    eventually(lambda: len(ends) == 2)
    spoken.close()


# Questions outside of calls.


def test_a_question_outside_of_calls_is_answered_by_a_client_of_the_other_era() -> None:
    mcp = package(NEW)
    client = mcp.Client.stdio(program("liar.py", OLD, "asks first"), env=environment(), timeout=PATIENCE)
    root = mcp.types.Root(uri="file:///r")
    client.handles(mcp.methods.LIST_ROOTS, lambda *_: mcp.types.ListRootsResult(roots=[root]))
    with client:
        assert "file:///r" in text_of(client.call_tool("x"))


def test_a_question_outside_of_calls_to_a_client_without_sessions_is_answered_by_an_error_or_goes_into_a_call() -> None:
    command = program("liar.py", OLD, "asks first")
    proxy = proxy_before(transport_factories.child(command, env=environment()))
    spoken = scripted_client(proxy.server)
    # The server asks as soon as it is contacted, which the first call does: the question may still come into that call.
    result = Caller(spoken).call("x")["result"]
    assert result["resultType"] == "input_required" or "-32603" in result["content"][0]["text"]
    spoken.close()
    proxy.close()


# Many attempts to park.


def test_ten_thousand_calls_park_up_to_the_limit_and_memory_stays_flat(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parked_calls, "WINDOW", 0.0005)
    mcp = package(OLD)
    server = mcp.Server("s", "1", limits=False)

    @server.tool
    def ask(context) -> str:
        return str(context.sample("How?", max_tokens=5))

    spoken = scripted_client(server)
    caller = Caller(spoken)
    parked = [caller.call("ask")["result"] for _ in range(parked_calls.MAX_PARKED)]
    threads = threading.active_count()

    def attempt(times: int) -> None:
        for _ in range(times):
            assert "try again later" in json.dumps(caller.call("ask"))

    def taken() -> int:
        # Errors and their tracebacks are cycles, which last until the collector runs.
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    attempt(200)
    before = taken()
    attempt(1_000)
    grown = taken() - before
    tracemalloc.stop()
    assert grown < 200_000
    attempt(10_000 - 1_200 - parked_calls.MAX_PARKED)
    assert threading.active_count() <= threads + 1
    for each in parked:
        assert caller.answer(each)["result"]["content"][0]["text"] == "so"
    spoken.close()


# Two eras in one message, and on one connection.


@pytest.fixture(params=[OLD, NEW])
def served(request: pytest.FixtureRequest) -> Any:
    """A server of either era for clients of every revision; its tool returns the revision of the client."""
    server = package(request.param).Server("s", "1")

    @server.tool
    def revision(context) -> str:
        return str(context.peer_revision)

    return server


def called(number: int, **meta: Any) -> Any:
    return request("tools/call", number, {"name": "revision", "arguments": {}, **({"_meta": meta} if meta else {})})


def test_a_handshake_that_names_a_stateless_revision_begins_no_session(served: Any) -> None:
    spoken = scripted_client(served)
    params = {"protocolVersion": OLD, "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}, "_meta": META}
    spoken.request("initialize", 1, params)
    assert spoken.hear()["error"]["code"] == -32601
    spoken.say(called(2, **META))
    assert spoken.hear()["result"]["content"][0]["text"] == NEW
    spoken.close()


def test_a_session_stays_in_its_era_on_a_connection(served: Any) -> None:
    spoken = scripted_client(served)
    assert spoken.introduce(OLD)["result"]["protocolVersion"] == OLD
    spoken.say(called(1, **META))
    answered = spoken.hear()
    assert "error" in answered or answered["result"]["content"][0]["text"] == OLD
    assert "resultType" not in answered.get("result", {})
    spoken.say(called(2))
    assert spoken.hear()["result"]["content"][0]["text"] == OLD
    spoken.close()


def test_requests_of_both_eras_at_one_endpoint_do_not_mix(served: Any) -> None:
    with endpoint(served) as wire:
        old = Wire(wire.port)
        old.initialize(OLD)
        message, headers = modern(called(1))

        def new_revision() -> str:
            return wire.post(message, **headers).text

        numbers = itertools.count(2)

        def old_revision() -> str:
            return old.post(called(next(numbers))).text

        with ThreadPoolExecutor(4) as pool:
            running = [pool.submit(each) for each in (new_revision, old_revision) * 20]
            assert [each.result() for each in running] == [NEW, OLD] * 20
        # The session belongs to neither request of the other era.
        crossed = wire.post(message, **headers, Mcp_Session_Id=old.headers["Mcp-Session-Id"])
        assert crossed.status == 400 or crossed.text == NEW
        crossed = wire.post(called(3), **{**old.headers, "MCP-Protocol-Version": NEW})
        assert crossed.status == 400
        crossed = old.post(message)
        assert crossed.status == 400 or crossed.text == OLD
        assert old_revision() == OLD


# Servers that lie about their revision.


@pytest.mark.parametrize("own", [FIRST, OLD, NEW])
@pytest.mark.parametrize("claimed", ["1999-01-01", "yesterday", NEW])
def test_a_handshake_that_names_no_revision_with_a_handshake_is_refused(own: str, claimed: str) -> None:
    command = program("liar.py", claimed, "wants input")
    with pytest.raises(UnsupportedRevision, match="does not support"):
        package(own).Client.stdio(command, env=environment(), timeout=PATIENCE).connect()


@pytest.mark.parametrize("own", [FIRST, OLD, NEW])
@pytest.mark.parametrize("how", ["wants input", "answers as nobody"])
def test_a_result_that_the_named_revision_does_not_have_is_an_error(own: str, how: str) -> None:
    command = program("liar.py", OLD, how)
    with package(own).Client.stdio(command, env=environment(), timeout=PATIENCE) as client:
        for _ in range(2):
            with pytest.raises(McpError):
                client.call_tool("x")
        assert client.peer_revision == OLD


@pytest.mark.parametrize("own", [FIRST, OLD, NEW])
def test_a_server_that_denies_the_revision_that_it_has_named_is_not_asked_again(own: str) -> None:
    command = program("liar.py", NEW, "denies itself")
    with (
        pytest.raises(McpError) as caught,
        package(own).Client.stdio(command, env=environment(), timeout=PATIENCE) as client,
    ):
        client.call_tool("x")
    assert not isinstance(caught.value, RequestTimeout)


@pytest.mark.parametrize("own", [OLD, NEW])
def test_a_question_that_the_named_revision_does_not_have_is_refused(own: str) -> None:
    assert FIRST not in WITH_FORMS
    mcp = package(own)
    client = mcp.Client.stdio(program("liar.py", FIRST, "asks a form"), env=environment(), timeout=PATIENCE)
    client.handles(mcp.methods.ELICIT, lambda *_: mcp.types.ElicitResult(action="decline"))
    with client:
        assert "-32601" in text_of(client.call_tool("x"))


def test_a_proxy_before_a_liar_answers_with_errors() -> None:
    for how in ("wants input", "answers as nobody"):
        command = program("liar.py", OLD, how)
        proxy = proxy_before(transport_factories.child(command, env=environment()))
        spoken = scripted_client(proxy.server)
        assert Caller(spoken).call("x")["error"]["code"] == -32603
        spoken.close()
        proxy.close()
