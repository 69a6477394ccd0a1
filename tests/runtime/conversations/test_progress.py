"""Bursts of progress from servers that do not pace themselves: what reaches ``on_progress``, over each transport."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread, get_ident
from typing import Any

import pytest
from checkout import REVISIONS
from mcp_bindings_runtime.connection.progress_queue import CAPACITY
from mcp_bindings_runtime.errors import RequestTimeout
from support.revisions import HANDSHAKE, STREAMABLE
from support.scripted_http_server import END, McpPeer, Request, called, event, head, result
from support.scripted_peers import PATIENCE, environment, package, program, scripted_server

LATEST = HANDSHAKE[-1]
each_revision = pytest.mark.parametrize("revision", REVISIONS)
each_http_revision = pytest.mark.parametrize("revision", STREAMABLE)
each_burst = pytest.mark.parametrize("count", [20, 1000, 5000])


def progress(token: Any, value: float) -> Any:
    return {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": token, "progress": value}}


@contextmanager
def http_client(revision: str) -> Iterator[Any]:
    """A client of a server that answers a call with all its progress and the result in one write."""

    def play(request: Request) -> Any:
        if request.method != "POST" or request.json.get("method") != "tools/call":
            return None
        params = request.json["params"]
        token = params["_meta"]["progressToken"]
        told = [event(progress(token, value)) for value in range(1, params["arguments"]["count"] + 1)]
        return head() + b"".join([*told, event(result(request, called("done")))]) + END

    with McpPeer(revision, play) as peer, package(revision).Client.http(peer.url, timeout=PATIENCE) as client:
        yield client


def stdio_client(revision: str) -> Any:
    return package(revision).Client.stdio(program("bursting.py", revision), env=environment(), timeout=PATIENCE)


def check_burst(client: Any, count: int) -> None:
    """All of a burst arrives, in order and in the calling thread, but for what more than ``CAPACITY`` wait."""
    # A first call has all loaded that a call takes, so that the second is as quick as calls are.
    client.call_tool("x", {"count": 1}, on_progress=lambda params: None)
    seen: list[float] = []
    threads: set[int] = set()

    def note(params: Any) -> None:
        seen.append(params.progress)
        threads.add(get_ident())

    client.call_tool("x", {"count": count}, on_progress=note)
    assert threads == {get_ident()}
    assert seen == sorted(set(seen))
    assert seen[-1] == count
    if count <= CAPACITY:
        assert seen == list(range(1, count + 1))
    else:
        assert seen[: CAPACITY - 1] == list(range(1, CAPACITY))


@each_revision
@each_burst
def test_a_burst_over_stdio_arrives_whole_before_the_result(revision: str, count: int) -> None:
    with stdio_client(revision) as client:
        check_burst(client, count)


@each_http_revision
@each_burst
def test_a_burst_over_http_arrives_whole_before_the_result(revision: str, count: int) -> None:
    with http_client(revision) as client:
        check_burst(client, count)


def overflow(client: Any, finished: Event) -> list[float]:
    """What reaches a callback that is busy with the first notification until all have arrived."""
    seen: list[float] = []

    def note(params: Any) -> None:
        seen.append(params.progress)
        if len(seen) == 1:
            assert finished.wait(PATIENCE)

    client.call_tool("x", {}, on_progress=note)
    return seen


def test_beyond_the_capacity_the_newest_replaces_the_last_and_the_count_is_logged(caplog: Any) -> None:
    finished = Event()
    count = 5000

    def play(spoken: Any) -> None:
        spoken.welcome(LATEST)
        asked = spoken.hear()
        for value in range(1, count + 1):
            spoken.say(progress(asked["params"]["_meta"]["progressToken"], value))
        # The answer to it shows that all before it was read.
        spoken.request("ping", 1)
        assert spoken.hear()["id"] == 1
        finished.set()
        spoken.answer(asked, {"content": []})

    with scripted_server(package(LATEST).Client, play, timeout=PATIENCE) as (client, _):
        client.connect()
        seen = overflow(client, finished)
    assert seen == [*range(1, CAPACITY + 1), count]
    assert (
        f"tools/call: on_progress is slower than progress arrives; {count - 1 - CAPACITY} notifications" in caplog.text
    )


# One revision of each era: progress comes the same way in all revisions of an era, and this test has to wait.
@pytest.mark.parametrize("revision", [LATEST, REVISIONS[-1]])
def test_a_slow_callback_does_not_keep_a_call_beyond_its_deadline(revision: str, caplog: Any) -> None:
    """The result is there in time, so the call returns it; progress that would take until after the deadline is dropped."""
    with stdio_client(revision) as client:
        client.call_tool("x", {"count": 1}, on_progress=lambda params: None)
        seen: list[float] = []

        def note(params: Any) -> None:
            seen.append(params.progress)
            time.sleep(0.2)

        # All of it would take two minutes.
        began = time.monotonic()
        client.call_tool("x", {"count": 600}, on_progress=note, timeout=2)
        assert time.monotonic() - began < PATIENCE
    assert seen == list(range(1, len(seen) + 1))
    (dropped,) = re.findall(r"before on_progress was called with (\d+) more", caplog.text)
    assert len(seen) + int(dropped) == 600


def test_a_slow_callback_does_not_keep_a_call_without_an_answer_beyond_its_deadline() -> None:
    def play(spoken: Any) -> None:
        spoken.welcome(LATEST)
        token = spoken.hear()["params"]["_meta"]["progressToken"]
        for value in range(600):
            spoken.say(progress(token, value))
        assert spoken.hear()["method"] == "notifications/cancelled"

    with scripted_server(package(LATEST).Client, play, timeout=PATIENCE) as (client, _):
        client.connect()
        began = time.monotonic()
        with pytest.raises(RequestTimeout):
            client.call_tool("x", {}, on_progress=lambda params: time.sleep(0.2), timeout=1)
        assert time.monotonic() - began < PATIENCE


@each_http_revision
def test_progress_of_several_calls_at_once_reaches_the_call_it_belongs_to(revision: str) -> None:
    seen: dict[int, list[float]] = {count: [] for count in (5, 50, 500)}
    with http_client(revision) as client:

        def call(count: int) -> None:
            for _ in range(5):
                seen[count].clear()
                client.call_tool("x", {"count": count}, on_progress=lambda params: seen[count].append(params.progress))

        threads = [Thread(target=call, args=(count,)) for count in seen]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
    assert seen == {count: list(range(1, count + 1)) for count in seen}
