"""A server behind a proxy that ends is started again, or given up."""

from __future__ import annotations

import os
import sys
import threading
from typing import Any

import pytest
from checkout import REVISIONS
from mcp_bindings_runtime.client import transport_factories
from mcp_bindings_runtime.errors import ConnectionClosed, ResponseError
from mcp_bindings_runtime.proxy import backend_session
from mcp_bindings_runtime.proxy.backend_server import BackendServer
from mcp_bindings_runtime.proxy.server import Proxy
from support.backends import break_backend, connection_to, repair_backend, write_backend
from support.revisions import HANDSHAKE
from support.scripted_peers import PATIENCE, eventually, package, text_of, threads_of

each_revision = pytest.mark.parametrize("revision", REVISIONS)
LATEST = HANDSHAKE[-1]


@pytest.fixture
def start(monkeypatch):
    """Starts a proxy before a command with short pauses, and closes it."""
    monkeypatch.setattr(backend_session, "PAUSES", (0.0, 0.05, 0.1))
    made = []

    def make(command: list[str], **options: Any) -> Any:
        made.append(Proxy([BackendServer(connection_to(command), timeout=PATIENCE, **options)]))
        return made[-1].server

    yield make
    for each in made:
        each.close()
    eventually(lambda: not threads_of())


def reason_of(client: Any, tool: str) -> str:
    with pytest.raises(ResponseError) as caught:
        client.call_tool(tool)
    assert caught.value.code == -32603
    reason: str = caught.value.data["reason"]
    return reason


@each_revision
def test_a_server_that_dies_is_started_again_for_the_next_request(revision, start, tmp_path):
    server = start(write_backend(tmp_path, "demo", revision))
    with package(revision).Client.in_memory(server, timeout=PATIENCE) as client:
        first = text_of(client.call_tool("process"))
        reason = reason_of(client, "die")
        assert reason.startswith("the server behind has ended: ")
        assert "exited with status 3" in reason
        second = text_of(client.call_tool("process"))
    assert {first, second}.isdisjoint({str(os.getpid())})
    assert first != second


@each_revision
def test_a_subscription_outlives_the_server(revision, start, tmp_path):
    server = start(write_backend(tmp_path, "demo", revision))
    updated: list[str] = []
    mcp = package(LATEST)
    client = mcp.Client.in_memory(
        server, timeout=PATIENCE, on_resource_updated=lambda params: updated.append(params.uri)
    )
    with client:
        client.subscribe("file:///demo.txt")
        client.call_tool("touch", {"uri": "file:///demo.txt"})
        eventually(lambda: len(updated) == 1)
        reason_of(client, "die")

        def comes_again() -> bool:
            # A server without sessions is subscribed to while requests run.
            client.call_tool("touch", {"uri": "file:///demo.txt"})
            return len(updated) > 1

        eventually(comes_again)
        client.unsubscribe("file:///demo.txt")

        def nothing_comes() -> bool:
            count = len(updated)
            for _ in range(3):
                client.call_tool("touch", {"uri": "file:///demo.txt"})
                client.ping()
            return len(updated) == count

        # Updates that were sent before may still arrive.
        eventually(nothing_comes)
        assert set(updated) == {"file:///demo.txt"}


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_a_resource_that_ends_with_the_server_does_not_keep_it_from_starting(revision, start, tmp_path, caplog):
    """A server that was started again refuses the subscription."""
    server = start(write_backend(tmp_path, "demo", revision), attempts=1, on_abandoned=pytest.fail)
    with package(revision).Client.in_memory(server, timeout=PATIENCE) as client:
        client.call_tool("add_resource", {"uri": "file:///new.txt"})
        client.subscribe("file:///new.txt")
        reason_of(client, "die")

        def answers() -> bool:
            try:
                return text_of(client.call_tool("process")).isdigit()
            except ResponseError:
                return False

        eventually(answers)
        assert "does not send updates of file:///new.txt any more" in caplog.text


@each_revision
def test_a_client_with_a_session_is_told_that_a_server_was_started_again(revision, start, tmp_path):
    """The lists of the new process, and its resources, may be others."""
    server = start(write_backend(tmp_path, "demo", revision))
    told: list[str] = []
    client = package(LATEST).Client.in_memory(
        server,
        timeout=PATIENCE,
        on_tools_changed=lambda: told.append("tools"),
        on_resources_changed=lambda: told.append("resources"),
        on_resource_updated=lambda params: told.append(params.uri),
    )
    with client:
        client.subscribe("file:///demo.txt")
        assert not told
        reason_of(client, "die")
        eventually(lambda: {"tools", "resources", "file:///demo.txt"} <= {*told})


@each_revision
def test_a_server_is_tried_again_without_further_requests(revision, start, tmp_path):
    command = write_backend(tmp_path, "demo", revision)
    server = start(command, attempts=None)
    with package(revision).Client.in_memory(server, timeout=PATIENCE) as client:
        client.call_tool("process")
        break_backend(command)
        reason_of(client, "die")
        eventually(lambda: "cannot be used" in reason_of(client, "process"))
        repair_backend(command)

        def answers() -> bool:
            try:
                return text_of(client.call_tool("process")).isdigit()
            except ResponseError:
                return False

        eventually(answers)


def test_a_server_that_cannot_be_started_again_is_abandoned(start, tmp_path):
    command = write_backend(tmp_path, "demo", LATEST)
    abandoned = threading.Event()
    reasons: list[str] = []

    def note(reason: str) -> None:
        reasons.append(reason)
        abandoned.set()

    server = start(command, attempts=3, on_abandoned=note)
    with package(LATEST).Client.in_memory(server, timeout=PATIENCE) as client:
        client.call_tool("process")
        # A start for another client before the failures does not count.
        with package(LATEST).Client.in_memory(server, timeout=PATIENCE) as other:
            other.call_tool("process")
        break_backend(command)
        reason_of(client, "die")
        assert abandoned.wait(PATIENCE)
        assert len(reasons) == 1
        assert "exited with status 5" in reasons[0]


def test_a_server_that_others_reach_is_not_abandoned(start, tmp_path):
    backend = BackendServer(
        connection_to(write_backend(tmp_path, "demo", LATEST)), attempts=1, on_abandoned=pytest.fail
    )
    before = backend_session.monotonic()
    backend.note_contact()
    assert not backend.abandon(before, "exited")


def test_a_server_that_cannot_be_started_is_reported_at_once():
    with pytest.raises(ConnectionClosed):
        BackendServer(transport_factories.child([sys.executable, "-c", "import sys; sys.exit(4)"]), timeout=PATIENCE)
    eventually(lambda: not threads_of())
