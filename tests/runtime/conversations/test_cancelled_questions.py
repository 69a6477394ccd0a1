"""A handler that asks the other side while its own request is cancelled: both end at once, and nothing stays open."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from threading import Event

import pytest
from mcp_bindings import v2025_11_25
from mcp_bindings_runtime.errors import CallCancelled, RequestTimeout
from mcp_bindings_runtime.transports.memory import pair
from support.raw_http_client import endpoint, notification, request
from support.revisions import HANDSHAKE, STATELESS
from support.scripted_peers import PATIENCE, Spoken, eventually, package, scripted_client, scripted_server, text_of

LATEST = HANDSHAKE[-1]
NEW = STATELESS[-1]
FOREVER = 600.0
"""Seconds that no test waits for."""


class Asking:
    """A server whose tool asks the client, and a client that answers once it is allowed to, or its own call is cancelled."""

    def __init__(self, revision, kind):
        mcp = self.mcp = package(revision)
        self.kind = kind
        self.asked = Event()
        self.go = Event()
        self.released = Event()
        self.left_by = None
        self.withdrawn = Event()
        self.links = []
        self.server = mcp.Server("s", "1", timeout=FOREVER)
        self.server.handler(mcp.methods.CALL_TOOL)(self._call)

    def prepare(self, client):
        methods = self.mcp.methods
        keys = {"sample": methods.CREATE_MESSAGE, "roots": methods.LIST_ROOTS}
        if self.kind == "elicit":
            keys["elicit"] = methods.ELICIT
        client.handler(keys[self.kind])(self._answer)
        return client

    def _call(self, params, context):
        self.links.append(context.connection)
        types = self.mcp.types
        try:
            if not (params.arguments or {}).get("plain"):
                self._ask(context)
        except BaseException as fault:
            self.left_by = fault
            raise
        finally:
            self.released.set()
        return types.CallToolResult(content=[types.TextContent(text="done")])

    def _ask(self, context):
        types = self.mcp.types
        if self.kind == "roots":
            context.list_roots()
        elif self.kind == "sample":
            said = types.SamplingMessage(role="user", content=types.TextContent(text="?"))
            context.create_message([said], 10)
        else:
            schema = getattr(types, "ElicitRequestFormParamsRequestedSchema", None)
            context.elicit("?", (schema or types.ElicitRequestParamsRequestedSchema)(properties={}))

    def _answer(self, params, context):
        self.asked.set()
        while not context.cancelled:
            assert not self.go.wait(0.002), "the question was not cancelled"
        self.withdrawn.set()

    def check_nothing_is_open(self, client):
        """On neither side, as far as it waits for anything or is waited for."""
        link, *_ = self.links
        connection = client.connection
        eventually(lambda: not (connection.calls or connection.session._pending or connection.session._running))
        eventually(lambda: not (link.session._pending or link.session._running))
        eventually(lambda: not getattr(link, "calls", None) and not getattr(link, "_calls", None))


def cancel_once(happened, client):
    """Calls the tool, and cancels the call when something has happened."""
    left = []

    def call():
        try:
            client.call_tool("ask", {})
        except CallCancelled as fault:
            left.append(fault)

    thread = threading.Thread(target=call)
    thread.start()
    assert happened.wait(PATIENCE)
    (running,) = client.connection.calls.values()
    running.stop(CallCancelled("enough"))
    client.connection._transport.interrupt()
    thread.join(PATIENCE)
    assert [each.reason for each in left] == ["enough"]


def kinds(revision):
    return ["roots", "sample", *(["elicit"] if hasattr(package(revision).methods, "ELICIT") else [])]


CASES = [(revision, kind) for revision in HANDSHAKE for kind in kinds(revision)]
each_question = pytest.mark.parametrize(("revision", "kind"), CASES)


@contextmanager
def in_memory(asking):
    with asking.prepare(asking.mcp.Client.in_memory(asking.server, timeout=PATIENCE)) as client:
        yield client


@contextmanager
def over_http(asking):
    # Where closing the response cancels, it is noticed when something is sent.
    with endpoint(asking.server, keepalive=0.05) as wire:
        path = "sse" if asking.mcp is package(HANDSHAKE[0]) else "mcp"
        url = f"http://127.0.0.1:{wire.port}/{path}"
        with asking.prepare(asking.mcp.Client.http(url, timeout=PATIENCE)) as client:
            yield client


each_way = pytest.mark.parametrize("way", [in_memory, over_http])


@each_way
@each_question
def test_a_handler_that_asks_is_released_when_its_request_is_cancelled(way, revision, kind):
    asking = Asking(revision, kind)
    with way(asking) as client:
        cancel_once(asking.asked, client)
        assert asking.released.wait(PATIENCE), "the handler waits for the answer"
        assert type(asking.left_by).__name__ == "Abandoned"
        assert asking.withdrawn.wait(PATIENCE), "the client still answers"
        asking.check_nothing_is_open(client)
        assert text_of(client.call_tool("ask", {"plain": True})) == "done"


def introduced(asking, revision):
    peer = scripted_client(asking.server)
    peer.introduce(revision, {"roots": {}, "sampling": {}, "elicitation": {}})
    return peer


@each_question
def test_the_question_is_cancelled_with_the_reason_and_the_request_is_not_answered(revision, kind):
    asking = Asking(revision, kind)
    peer = introduced(asking, revision)
    peer.request("tools/call", 7, {"name": "ask"})
    question = peer.hear()
    peer.notify("notifications/cancelled", {"requestId": 7, "reason": "enough"})
    cancelled = peer.hear()
    assert cancelled["method"] == "notifications/cancelled"
    assert cancelled["params"] == {"requestId": question["id"], "reason": "tools/call was cancelled: enough"}
    # A late answer is nobody's.
    peer.refuse(question, -1)
    peer.request("ping", 8)
    assert peer.hear() == {"jsonrpc": "2.0", "id": 8, "result": {}}
    assert asking.released.wait(PATIENCE)
    peer.close()


@pytest.mark.parametrize("revision", HANDSHAKE[1:])
def test_over_http_the_question_is_cancelled_on_the_stream_that_it_came_on(revision):
    asking = Asking(revision, "roots")
    with endpoint(asking.server) as wire:
        wire.initialize(revision, {"roots": {}})
        stream = wire.stream(request("tools/call", 7, {"name": "ask"}))
        question = stream.message()
        assert wire.post(notification("notifications/cancelled", {"requestId": 7})).status == 202
        (cancelled,) = stream.messages()
        assert cancelled["params"]["requestId"] == question["id"]
        assert asking.released.wait(PATIENCE)


def test_all_questions_of_a_handler_are_cancelled():
    asking = Asking(LATEST, "roots")
    left = []

    @asking.server.handler(asking.mcp.methods.COMPLETE)
    def ask(params, context):
        def one():
            try:
                context.list_roots()
            except BaseException as fault:  # noqa: BLE001 - looked at below
                left.append(fault)

        threads = [threading.Thread(target=one) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
        asking.released.set()

    peer = introduced(asking, LATEST)
    peer.request("completion/complete", 1, {"ref": {"type": "ref/prompt", "name": "x"}, "argument": WANTED})
    asked = {peer.hear()["id"] for _ in range(3)}
    peer.notify("notifications/cancelled", {"requestId": 1})
    heard = [peer.hear() for _ in range(3)]
    assert {each["params"]["requestId"] for each in heard} == asked
    assert {each["params"]["reason"] for each in heard} == {"completion/complete was cancelled"}
    assert asking.released.wait(PATIENCE)
    assert [type(each).__name__ for each in left] == ["Abandoned"] * 3
    peer.close()


WANTED = {"name": "a", "value": ""}


@each_question
def test_a_handler_that_asks_after_its_request_was_cancelled_asks_nothing(revision, kind):
    asking = Asking(revision, kind)
    cancelled = Event()
    plain = asking._ask

    def late(context):
        eventually(lambda: context.cancelled)
        cancelled.set()
        plain(context)

    asking._ask = late
    peer = introduced(asking, revision)
    peer.request("tools/call", 7, {"name": "ask"})
    peer.notify("notifications/cancelled", {"requestId": 7})
    assert asking.released.wait(PATIENCE)
    assert cancelled.is_set()
    assert type(asking.left_by).__name__ == "Abandoned"
    peer.request("ping", 8)
    assert peer.hear()["id"] == 8
    peer.close()


def test_a_question_that_waits_for_a_tool_beyond_its_time_is_cancelled():
    server = v2025_11_25.Server("s", "1", timeout=FOREVER)
    left = Event()

    @server.tool(timeout=1.5)
    def ask(context: v2025_11_25.Context) -> str:
        try:
            context.list_roots()
        finally:
            left.set()
        return "never"

    peer = scripted_client(server)
    peer.introduce(LATEST, {"roots": {}})
    peer.request("tools/call", 7, {"name": "ask", "arguments": {}})
    question = peer.hear()
    heard = [peer.hear(), peer.hear()]
    (answer,) = [each for each in heard if "id" in each]
    (cancelled,) = [each for each in heard if "id" not in each]
    assert (answer["id"], answer["result"]["isError"]) == (7, True)
    assert cancelled["params"]["requestId"] == question["id"]
    assert left.wait(PATIENCE)
    peer.close()


# A client's handler that calls the server while the question that it answers is cancelled.


class CallsBack(Asking):
    """A client that calls a slow tool of the server in order to answer; the handler of 2026-07-28 runs within the call."""

    def __init__(self, revision, kind):
        super().__init__(revision, kind)
        self.slow_tool_left = Event()
        self.answer_left_by = None

    def _call(self, params, context):
        if (params.arguments or {}).get("slow"):
            self.asked.set()
            eventually(lambda: context.cancelled)
            self.slow_tool_left.set()
        return super()._call(params, context)

    def _answer(self, params, context):
        try:
            context.peer.call_tool("slow", {"slow": True, "plain": True}, timeout=FOREVER)
        except BaseException as fault:
            self.answer_left_by = fault
            raise
        finally:
            self.withdrawn.set()


@each_way
@pytest.mark.parametrize(("revision", "kind"), [*CASES, *((NEW, kind) for kind in kinds(NEW))])
def test_a_client_handler_that_calls_is_released_when_its_question_is_cancelled(way, revision, kind):
    asking = CallsBack(revision, kind)
    with way(asking) as client:
        running = client.start(client.call_tool, "ask", {}, timeout=FOREVER)
        assert asking.asked.wait(PATIENCE)
        running.cancel("enough")
        assert asking.withdrawn.wait(PATIENCE), "the client's handler waits for its call"
        assert type(asking.answer_left_by).__name__ == "CallCancelled"
        assert "enough" in asking.answer_left_by.reason
        assert asking.slow_tool_left.wait(PATIENCE), "the server still works on the call"
        asking.check_nothing_is_open(client)
        assert text_of(client.call_tool("ask", {"plain": True})) == "done"


TASK = {"task": {"ttl": 60_000}}
SAMPLING = {"messages": [{"role": "user", "content": {"type": "text", "text": "?"}}], "maxTokens": 1}


@contextmanager
def sampling_client(answer, play, **options):
    """A client with this handler for sampling, and a server that ``play`` plays; waits until that has ended."""
    ended = Event()

    def run(server):
        server.welcome(LATEST, {"tools": {}})
        play(server)
        ended.set()

    with scripted_server(v2025_11_25.Client, run, **options) as (client, _):
        client.handler(v2025_11_25.methods.CREATE_MESSAGE)(answer)
        with client:
            yield client
            assert ended.wait(PATIENCE)


def play_cancelled_question(server):
    server.request("sampling/createMessage", 5, SAMPLING)
    call = server.hear()
    server.notify("notifications/cancelled", {"requestId": 5, "reason": "enough"})
    cancelled = server.hear()
    assert cancelled["params"] == {
        "requestId": call["id"],
        "reason": "sampling/createMessage was cancelled: enough",
    }
    server.request("ping", 6)
    assert server.hear() == {"jsonrpc": "2.0", "id": 6, "result": {}}


def test_the_call_of_a_client_handler_is_cancelled_with_the_reason_and_nothing_is_answered(caplog):
    def answer(params, context):
        context.peer.call_tool("slow", {})

    caplog.set_level("WARNING")
    with sampling_client(answer, play_cancelled_question):
        pass
    assert [each for each in caplog.records if "sampling" in each.getMessage()] == []


def test_a_call_in_another_thread_of_a_client_handler_is_cancelled():
    left = []

    def answer(params, context):
        def call():
            try:
                context.request(v2025_11_25.methods.LIST_TOOLS)
            except BaseException as fault:  # noqa: BLE001 - looked at below
                left.append(type(fault).__name__)

        thread = threading.Thread(target=call)
        thread.start()
        thread.join(PATIENCE)

    with sampling_client(answer, play_cancelled_question):
        pass
    assert left == ["Abandoned"]


def test_a_client_handler_that_calls_after_its_question_was_cancelled_calls_nothing():
    left = []

    def answer(params, context):
        try:
            eventually(lambda: context.cancelled)
            context.peer.list_tools()
        except CallCancelled as fault:
            left.append(fault.reason)

    def play(server):
        server.request("sampling/createMessage", 5, SAMPLING)
        server.notify("notifications/cancelled", {"requestId": 5, "reason": "enough"})
        eventually(lambda: left)
        server.request("ping", 6)
        assert server.hear() == {"jsonrpc": "2.0", "id": 6, "result": {}}

    with sampling_client(answer, play):
        pass
    assert left == ["sampling/createMessage was cancelled: enough"]


def test_the_call_of_a_client_handler_is_cancelled_with_the_task_that_the_question_became():
    left = []

    def answer(params, context):
        try:
            context.peer.call_tool("slow", {})
        except CallCancelled as fault:
            left.append(fault)
            raise

    def play(server):
        server.request("sampling/createMessage", 5, SAMPLING | TASK)
        told = [server.hear(), server.hear()]
        (created,) = [each for each in told if each.get("id") == 5 and "result" in each]
        (call,) = [each for each in told if each.get("method") == "tools/call"]
        server.request("tasks/cancel", 6, {"taskId": created["result"]["task"]["taskId"]})
        told = [server.hear(), server.hear()]
        (cancelled,) = [each for each in told if each.get("method") == "notifications/cancelled"]
        assert cancelled["params"]["requestId"] == call["id"]
        eventually(lambda: left)

    with sampling_client(answer, play, tasks=v2025_11_25.MemoryTasks(notify=False)):
        pass


# 2026-07-28, where a handler that asks does not wait.


def rounds_server():
    """A server of 2026-07-28 whose tool asks once its call was cancelled."""
    asking = Asking(NEW, "elicit")
    plain = asking._ask

    def late(context):
        asking.asked.set()
        eventually(lambda: context.cancelled)
        plain(context)

    asking._ask = late
    return asking


@each_way
def test_nobody_is_asked_in_a_round_of_a_request_that_was_cancelled(way):
    asking = rounds_server()
    with way(asking) as client:
        while not asking.asked.is_set():
            # Sooner, it may be cancelled before the tool has begun.
            with pytest.raises(RequestTimeout):
                client.call_tool("ask", {}, timeout=0.5)
        assert asking.released.wait(PATIENCE)
        assert type(asking.left_by).__name__ == "Abandoned"
        asking.check_nothing_is_open(client)
        assert not asking.withdrawn.is_set()
        assert text_of(client.call_tool("ask", {"plain": True})) == "done"


def test_a_server_that_does_all_in_one_thread_reads_the_cancellation_while_it_asks():
    asking = Asking(LATEST, "roots")
    mine, theirs = pair()
    connection = asking.server.connect(theirs)

    def pump():
        while not connection.closed:
            connection.pump(PATIENCE)

    thread = threading.Thread(target=pump)
    thread.start()
    peer = Spoken(mine)
    peer.introduce(LATEST, {"roots": {}})
    peer.request("tools/call", 7, {"name": "ask"})
    question = peer.hear()
    peer.notify("notifications/cancelled", {"requestId": 7})
    assert peer.hear()["params"]["requestId"] == question["id"]
    assert asking.released.wait(PATIENCE)
    peer.close()
    thread.join(PATIENCE)
    assert not thread.is_alive()
