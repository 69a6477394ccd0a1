"""Notifications that wait for their handlers: bounded in number and bytes, and nothing is lost without a line in the log."""

from __future__ import annotations

import logging
from threading import Event
from typing import Any

import pytest
from mcp_bindings_runtime.connection import notification_buffer
from mcp_bindings_runtime.connection.notification_buffer import COUNT, SIZE, NotificationBuffer
from mcp_bindings_runtime.connection.progress_queue import CAPACITY, ProgressQueue
from mcp_bindings_runtime.connection.progress_queue import SIZE as PROGRESS_SIZE
from mcp_bindings_runtime.session.events import Notified
from support.bindings import binding
from support.scripted_http_server import McpPeer, Request, event, head
from support.scripted_peers import PATIENCE, eventually, package, text_of

NEWEST = "2025-11-25"
KEYS = binding(NEWEST).notifications


def log(number: int) -> Notified:
    key = KEYS["notifications/message"]
    return Notified(key, key.params(level="info", data=number))


def updated(uri: str) -> Notified:
    key = KEYS["notifications/resources/updated"]
    return Notified(key, key.params(uri=uri))


def changed(kind: str) -> Notified:
    return Notified(KEYS[f"notifications/{kind}/list_changed"], None)


def told(buffer: NotificationBuffer) -> list[Any]:
    found = []
    while buffer:
        item = buffer.popleft()
        params = item.params
        found.append(getattr(params, "data", None) or getattr(params, "uri", None) or item.key.name)
    return found


def test_equal_changes_that_wait_are_one() -> None:
    buffer = NotificationBuffer()
    for _ in range(100_000):
        for each in (changed("tools"), changed("prompts"), updated("a"), updated("b")):
            buffer.append(each, 100)
    assert len(buffer) == 4
    assert buffer.size == 400
    first = buffer.popleft()
    assert first.key.name == "notifications/tools/list_changed"
    # A change that comes while its handler runs is another one.
    buffer.append(changed("tools"), 100)
    assert [each.key.name.split("/")[1] for each in buffer] == ["prompts", "resources", "resources", "tools"]


def test_the_oldest_log_messages_are_dropped_first(caplog: pytest.LogCaptureFixture) -> None:
    buffer = NotificationBuffer()
    for number in range(100):
        buffer.append(updated(f"demo://{number}"))
    with caplog.at_level(logging.WARNING, "mcp_bindings"):
        for number in range(1, 3 * COUNT + 1):
            buffer.append(log(number))
            assert len(buffer) <= COUNT
        found = told(buffer)
    assert found[:100] == [f"demo://{number}" for number in range(100)]
    kept = found[100:]
    assert kept == [*range(3 * COUNT + 1 - len(kept), 3 * COUNT + 1)]
    assert len(kept) >= COUNT // 2
    first, last = (each.getMessage() for each in caplog.records)
    assert "slower than these arrive" in first
    assert last == f"dropped: {3 * COUNT - len(kept)} log messages and 0 other notifications"
    assert (len(buffer), buffer.size) == (0, 0)


def test_without_log_messages_the_oldest_notifications_are_dropped(caplog: pytest.LogCaptureFixture) -> None:
    buffer = NotificationBuffer()
    with caplog.at_level(logging.WARNING, "mcp_bindings"):
        for number in range(COUNT + 1):
            buffer.append(updated(f"demo://{number}"))
        found = told(buffer)
    assert found[-1] == f"demo://{COUNT}"
    assert COUNT // 2 <= len(found) < COUNT
    assert (
        caplog.records[-1].getMessage() == f"dropped: 0 log messages and {COUNT + 1 - len(found)} other notifications"
    )
    # What was dropped may come again.
    buffer.append(updated("demo://0"))
    assert len(buffer) == 1


@pytest.mark.parametrize("size", [1000, SIZE // 3, SIZE, SIZE * 10])
def test_the_bytes_that_wait_are_bounded(size: int) -> None:
    buffer = NotificationBuffer()
    for number in range(1, 200 if size > 1000 else 20_000):
        buffer.append(log(number), size)
        assert buffer.size <= max(SIZE, size)
        assert buffer[-1].params.data == number


def test_the_bytes_of_progress_that_waits_are_bounded() -> None:
    seen: list[int] = []
    queue = ProgressQueue("tools/call", seen.append)
    for number in range(100):
        queue.put(number, PROGRESS_SIZE // 10)
    queue.deliver()
    assert seen == [*range(9), 99]
    for number in range(CAPACITY):
        queue.put(number, PROGRESS_SIZE * 2)
    queue.deliver()
    assert seen[10:] == [CAPACITY - 1]


def test_a_peer_that_floods_a_slow_handler_makes_a_client_keep_little() -> None:
    """And calls go on meanwhile."""
    go_on, last = Event(), Event()
    number, size = 2000, 20_000

    def play(request: Request) -> Any:
        return flood() if request.method == "GET" else None

    def flood() -> Any:
        yield head()
        for each in range(number):
            params = {"level": "info", "logger": str(each), "data": "x" * size}
            yield event({"jsonrpc": "2.0", "method": "notifications/message", "params": params})
        peer.over.wait(PATIENCE)

    def on_log(params: Any) -> None:
        assert go_on.wait(PATIENCE)
        if params.logger == str(number - 1):
            last.set()

    with (
        McpPeer(NEWEST, play) as peer,
        package(NEWEST).Client.http(peer.url, timeout=PATIENCE, on_log=on_log) as client,
    ):
        buffer = client.connection._notification_buffer
        eventually(lambda: buffer and buffer[-1].params.logger == str(number - 1))
        assert number * size > 4 * SIZE >= 4 * buffer.size
        assert text_of(client.call_tool("t")) == "ok"
        go_on.set()
        assert last.wait(PATIENCE)


def test_a_subscription_keeps_equal_changes_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notification_buffer, "COUNT", 100)
    mcp = package("2026-07-28")

    def play(request: Request) -> Any:
        return changes(request) if request.json.get("method") == "subscriptions/listen" else None

    def changes(request: Request) -> Any:
        meta = {"_meta": {"io.modelcontextprotocol/subscriptionId": request.json["id"]}}
        yield head()
        params = {"notifications": {"toolsListChanged": True, "resourceSubscriptions": ["demo://a"]}, **meta}
        yield event({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": params})
        for _ in range(1000):
            yield event({"jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": meta})
        for number in range(1000):
            params = {"uri": f"demo://{number}", **meta}
            yield event({"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": params})
        peer.over.wait(PATIENCE)

    with (
        McpPeer("2026-07-28", play) as peer,
        mcp.Client.http(peer.url, timeout=PATIENCE) as client,
        client.listen(tools=True, resource=["demo://a"]) as subscription,
    ):
        queue = subscription._queue
        eventually(lambda: queue and getattr(queue[-1].params, "uri", "") == "demo://999")
        assert len(queue) <= 100
