"""Retries of calls that wait in another process of the endpoint reach that process, which continues the call once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import Event, Lock
from typing import Any

import pytest
from mcp_bindings_runtime.http.redis import call_queue, call_scripts
from mcp_bindings_runtime.http.redis import store as redis_store
from mcp_bindings_runtime.http.server import retry_router
from mcp_bindings_runtime.http.server.http_server import make_server
from mcp_bindings_runtime.http.server.store import CallsBusy, ProcessState, StoreUnavailable
from support.raw_http_client import Answer, Wire, modern, request
from support.redis_server import RedisServer
from support.revisions import HANDSHAKE
from support.scripted_peers import PATIENCE, eventually, package

LATEST = HANDSHAKE[-1]
mcp = package(LATEST)
CAPABILITIES = {"sampling": {}}
SAMPLE = {"role": "assistant", "model": "m", "content": {"type": "text", "text": "so"}}


class Asking:
    """A server with sessions whose tool asks as often as its argument says; it counts its runs."""

    def __init__(self, **options: Any) -> None:
        self.server = mcp.Server("asking", "1.0", limits=False, **options)
        self.runs = 0
        self.answered = Event()
        self.cancelled = Event()
        self.go = Event()
        self._lock = Lock()
        self.server.handler(mcp.methods.CALL_TOOL)(self._call)

    def _call(self, params: Any, context: Any) -> Any:
        with self._lock:
            self.runs += 1
        arguments = params.arguments
        found = [context.sample("How?", max_tokens=5) for _ in range(arguments["times"])]
        self.answered.set()
        for step in range(arguments.get("progress", 0)):
            context.progress(step + 1)
        if arguments.get("hold"):
            eventually(lambda: context.cancelled or self.go.is_set())
            if context.cancelled:
                self.cancelled.set()
        if arguments.get("fail"):
            raise mcp.ResponseError(-32001, "failed", {"why": "asked for"})
        text = " ".join(map(str, found)) + "x" * arguments.get("size", 0)
        return mcp.types.CallToolResult(content=[mcp.types.TextContent(text=text)])


class Process:
    """An endpoint with a store of its own, as in another process."""

    def __init__(self, store: Any, asking: Asking, **options: Any) -> None:
        self.store = store
        self.asking = asking
        self._served = make_server([asking.server], **{"grace": 5.0, **options}, store=store)
        self.wire = Wire(self._served.port)
        self._served.__enter__()
        self._open = True

    def stop(self) -> None:
        """End as a process does that gets SIGTERM."""
        if self._open:
            self._open = False
            self.wire.close()
            self._served.__exit__(None, None, None)
            self.store.close()

    def post(self, number: int = 1, meta: Any = None, **params: Any) -> Answer:
        message, headers = retry(number, meta, **params)
        return self.wire.post(message, **headers)


def retry(number: int = 1, meta: Any = None, **params: Any) -> tuple[Any, dict[str, str]]:
    """Return a call, or its retry, and the headers."""
    named = {"name": "ask", "arguments": {"times": 1}, **params}
    return modern(request("tools/call", number, {**named, **({} if meta is None else {"_meta": meta})}), CAPABILITIES)


def answers_to(result: Any) -> dict[str, Any]:
    """Return the members of a retry that answers all questions of a result."""
    assert result["resultType"] == "input_required"
    return {"inputResponses": dict.fromkeys(result["inputRequests"], SAMPLE), "requestState": result["requestState"]}


@pytest.fixture
def processes(stores: Any) -> Iterator[Callable[..., list[Process]]]:
    """Makes processes of one endpoint."""
    with ExitStack() as made:

        def make(count: int = 2, **options: Any) -> list[Process]:
            found = [Process(stores(), Asking(), **options) for _ in range(count)]
            for each in found:
                made.callback(each.stop)
            return found

        yield make


def test_a_retry_in_another_process_continues_the_call_once(processes):
    here, there, third = processes(3)
    first = here.post(arguments={"times": 2}).json["result"]
    second = there.post(2, arguments={"times": 2}, **answers_to(first)).json["result"]
    # The next question comes from the process that holds the call, too.
    assert third.post(3, arguments={"times": 2}, **answers_to(second)).text == "so so"
    assert [each.asking.runs for each in (here, there, third)] == [1, 0, 0]


def test_a_retry_in_the_same_process_needs_no_other(processes):
    here, _ = processes()
    assert here.post(2, **answers_to(here.post().json["result"])).text == "so"


def test_only_one_of_many_retries_continues_the_call(processes):
    here, there = processes()
    first = here.post().json["result"]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda n: [here, there][n % 2].post(n, **answers_to(first)), range(8)))
    texts = [each.text for each in found if "result" in each.json]
    reasons = [each.json["error"]["data"]["reason"] for each in found if "error" in each.json]
    assert texts == ["so"]
    assert len(reasons) == 7
    assert all("was used before" in each or "has ended" in each for each in reasons)
    assert here.asking.runs + there.asking.runs == 1


def test_progress_and_large_results_come_back(processes):
    here, there = processes()
    arguments = {"times": 1, "progress": 3, "size": 3_000_000}
    first = here.post(arguments=arguments, meta={"progressToken": "t"}).json["result"]
    message, headers = retry(2, {"progressToken": "t"}, arguments=arguments, **answers_to(first))
    *progress, answer = there.wire.stream(message, **headers).messages()
    assert [each["params"]["progress"] for each in progress] == [1, 2, 3]
    assert {each["params"]["progressToken"] for each in progress} == {"t"}
    assert (answer["id"], len(answer["result"]["content"][0]["text"])) == (2, 3_000_002)


def test_the_error_of_a_handler_comes_back(processes):
    here, there = processes()
    arguments = {"times": 1, "fail": True}
    error = there.post(2, arguments=arguments, **answers_to(here.post(arguments=arguments).json["result"])).json[
        "error"
    ]
    assert (error["message"], error["data"]["why"]) == ("failed", "asked for")


CHANGES: dict[str, Any] = {
    "another request": ({"arguments": {"times": 1, "other": 1}}, "requestState belongs to another request"),
    "a changed state": (
        lambda state: f"{state[:-4]}AAAA",
        "requestState was changed, or is of a process with another key; send the request again without it",
    ),
    "a wrong answer": ({"inputResponses": {"question-1": {"action": "accept"}}}, "inputResponses, question-1"),
}


@pytest.mark.parametrize(("change", "reason"), CHANGES.values(), ids=CHANGES)
def test_the_holder_checks_a_retry_and_the_call_stays_parked(processes, change, reason):
    here, there = processes()
    first = here.post().json["result"]
    params = answers_to(first)
    changed = {"requestState": change(params["requestState"])} if callable(change) else change
    error = there.post(2, **{**params, **changed}).json["error"]
    assert error["code"] == -32602
    assert reason in error["data"]["reason"]
    assert there.post(3, **params).text == "so"


def test_a_state_cannot_be_moved_to_another_process(processes):
    here, there = processes()
    state = here.post().json["result"]["requestState"]
    moved = f"{there.store.calls.process}:{state.partition(':')[2]}"
    for each in (here, there):
        error = each.post(2, requestState=moved, inputResponses={}).json["error"]
        assert (error["code"], error["data"]["reason"]) == (
            -32602,
            "requestState was changed, or is of a process with another key; send the request again without it",
        )


def test_another_user_cannot_continue_the_call(processes):
    from mcp_bindings_runtime.http.server.api_keys import ApiKeys

    keys = {f"the-secret-of-{name}": name for name in ("ann", "bea")}
    here, there = processes(authorization=ApiKeys(keys))

    def post(process: Process, name: str, **params: Any) -> Any:
        process.wire.add({"Authorization": f"Bearer the-secret-of-{name}"})
        return process.post(**params).json

    first = post(here, "ann")["result"]
    refused = post(there, "bea", **answers_to(first))["error"]
    assert (refused["code"], refused["data"]["reason"]) == (-32602, "requestState belongs to another user")
    assert post(there, "ann", **answers_to(first))["result"]["content"][0]["text"] == "so"


def test_a_process_that_has_closed_is_known_to_have_ended_at_once(processes, monkeypatch):
    # Nothing has to expire.
    monkeypatch.setattr(redis_store, "ALIVE", 3600.0)
    here, there = processes()
    there.store.client.execute("SET", f"{there.store.client.prefix}began", "0")
    first = here.post().json["result"]
    here.stop()
    refused(there.post(2, **answers_to(first)))


def refused(answer: Answer) -> None:
    error = answer.json["error"]
    assert error["code"] == -32602
    assert error["data"]["reason"] == (
        "the process that held the call has ended, and the call with it; send the request again without requestState"
    )


def test_a_process_that_dies_with_the_retry_has_ended(processes):
    here, there = processes()
    arguments = {"times": 1, "hold": True}
    first = here.post(arguments=arguments).json["result"]
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(there.post, 2, arguments=arguments, **answers_to(first))
        assert here.asking.answered.wait(PATIENCE)
        # Its threads live in this process, but send no heartbeat any more.
        process = here.store.calls.process
        here.store.close()
        assert not there.store.client.execute("EXISTS", f"{there.store.client.prefix}alive:{process}")
        refused(answer.result(PATIENCE))
    here.asking.go.set()


def test_a_client_that_leaves_cancels_the_retry_at_the_holder(processes):
    here, there = processes()
    arguments = {"times": 1, "progress": 1, "hold": True}
    first = here.post(arguments=arguments, meta={"progressToken": 1}).json["result"]
    message, headers = retry(2, {"progressToken": 1}, arguments=arguments, **answers_to(first))
    stream = there.wire.stream(message, **headers)
    stream.message()
    stream.close()
    assert here.asking.cancelled.wait(PATIENCE)


def test_a_holder_without_a_free_thread_refuses_the_retry_and_keeps_the_call(processes, monkeypatch):
    here, there = processes()
    first = here.post().json["result"]
    with monkeypatch.context() as patch:
        patch.setattr(retry_router.HandlerPool, "start", lambda *_: False)
        error = there.post(2, **answers_to(first)).json["error"]
    assert (error["message"], error["code"]) == ("Too busy", -32603)
    assert there.post(3, **answers_to(first)).text == "so"


def test_a_retry_whose_way_to_its_process_breaks_off_arrives(processes, monkeypatch):
    """Redis has given the retry away, but the process has not received it."""
    here, there = processes()
    first = here.post().json["result"]
    client, lost = here.store.client, []
    run = client.run

    def break_off(script: str, *arguments: Any) -> Any:
        found = run(script, *arguments)
        if script is call_scripts.RECEIVE and found and not lost:
            lost.append(found)
            raise StoreUnavailable
        return found

    monkeypatch.setattr(client, "run", break_off)
    assert there.post(2, **answers_to(first)).text == "so"
    assert lost
    assert here.asking.runs == 1


def test_a_retry_that_cannot_be_handled_is_answered(processes, monkeypatch):
    here, there = processes()
    first = here.post().json["result"]

    def fail(_retry: Any) -> None:
        raise ValueError

    monkeypatch.setattr(retry_router.HandledRetry, "run", fail)
    error = there.post(2, **answers_to(first)).json["error"]
    assert (error["code"], "was lost" in error["data"]["reason"]) == (-32603, True)


def test_only_so_many_retries_wait_for_a_process(stores):
    sender, sleeper = stores(), stores()
    # The other process lives, and reads nothing.
    sleeper._send_heartbeat()
    calls = sender.calls
    for number in range(call_queue.MAX_QUEUED):
        calls.send(sleeper.calls.process, f"c{number}", "s", b"{}")
    with pytest.raises(CallsBusy):
        calls.send(sleeper.calls.process, "one more", "s", b"{}")


def test_a_process_is_dead_only_if_it_had_the_time_to_say_that_it_lives(stores):
    """After Redis has lost its data, each process has the time of a heartbeat."""
    sender = stores()
    calls, began = sender.calls, f"{sender.client.prefix}began"
    nobody = "0" * 16
    assert calls.send(nobody, "c", "s", b"{}") is ProcessState.UNKNOWN
    sender._send_heartbeat()
    assert calls.send(nobody, "c", "s", b"{}") is ProcessState.UNKNOWN
    sender.client.execute("SET", began, int((time.time() - redis_store.ALIVE) * 1000))
    assert calls.send(nobody, "c", "s", b"{}") is ProcessState.DEAD
    assert not sender.client.execute("EXISTS", f"{sender.client.prefix}calls:{nobody}")


def test_the_requests_between_processes_expire(stores):
    sender, sleeper = stores(), stores()
    sleeper._send_heartbeat()
    sender.calls.send(sleeper.calls.process, "c", "s", b"{}")
    sender.calls.answer("c").append(b"{}")
    client = sender.client
    lifetimes = {each: client.execute("PTTL", each) for each in client.execute("KEYS", f"{client.prefix}*")}
    assert len(lifetimes) >= 5
    assert min(lifetimes.values()) > 0
    assert lifetimes[f"{client.prefix}log:call:c".encode()] <= call_queue.ANSWER_TIME * 1000
    assert lifetimes[f"{client.prefix}began".encode()] <= redis_store.HEARTBEATS_KEPT * 1000


def until_reachable(process: Process, number: int, **params: Any) -> Answer:
    """Return the answer to a retry, once the process reaches its store again."""
    found: list[Answer] = []

    def reached() -> bool:
        found.append(process.post(number, **params))
        return "the store does not answer" not in str(found[-1].json)

    eventually(reached)
    return found[-1]


def test_calls_survive_a_redis_that_is_gone_and_back(tmp_path):
    from mcp_bindings_runtime.http.redis.store import RedisStore

    redis = RedisServer(tmp_path)
    with ExitStack() as opened:
        made = [Process(RedisStore(redis.url, timeout=2.0), Asking()) for _ in range(2)]
        for each in made:
            opened.callback(each.stop)
        opened.callback(redis.stop)
        here, there = made
        waiting = [here.post().json["result"] for _ in range(2)]
        redis.stop()
        error = there.post(2, **answers_to(waiting[0])).json["error"]
        assert error["code"] == -32603
        assert "the store does not answer; send the request again" in error["data"]["reason"]
        # The holder itself needs no Redis.
        assert here.post(3, **answers_to(waiting[1])).text == "so"
        redis.start()
        # It has lost its data. The holder is not taken for dead before it has had the time to say that it lives.
        assert until_reachable(there, 4, **answers_to(waiting[0])).text == "so"
        assert here.asking.runs == 2
        lost = here.post(5, arguments={"times": 1, "hold": True}).json["result"]
        here.asking.answered.clear()
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(there.post, 6, arguments={"times": 1, "hold": True}, **answers_to(lost))
            assert here.asking.answered.wait(PATIENCE)
            redis.stop()
            redis.start()
            assert answer.result(2 * PATIENCE).json["error"]["code"] == -32603
            here.asking.go.set()
        assert here.post(7, **answers_to(here.post(8).json["result"])).text == "so"
        assert here.asking.runs == 4
