"""First contact: a client of one revision finds out which revision its server uses, and uses that one."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from checkout import REVISIONS
from mcp_bindings import connect
from mcp_bindings_runtime.errors import (
    ConnectionClosed,
    HttpError,
    RequestTimeout,
    ResponseError,
    UnsupportedRevision,
    UsageError,
)
from support.echo_server import echo_server
from support.raw_http_client import endpoint
from support.revisions import HANDSHAKE, STATELESS
from support.scripted_http_server import McpPeer, Request, answer
from support.scripted_peers import PATIENCE, WHO, Spoken, environment, package, program, scripted_server, text_of

NEW = STATELESS[-1]
LATEST = HANDSHAKE[-1]
PAIRS = [(own, wire) for own in REVISIONS for wire in REVISIONS]


def check_echo(client: Any, own: str, wire: str) -> None:
    """Check a connected client of ``own`` whose server uses ``wire``."""
    assert client.peer_revision == wire
    progress: list[float] = []
    result = client.call_tool(
        "echo", {"n": 3, "progress": 2}, on_progress=lambda params: progress.append(params.progress)
    )
    assert text_of(result) == "3"
    assert isinstance(result, package(own).types.CallToolResult)
    assert progress == [1, 2]
    assert client.server_info.name == "echo"
    assert client.ledger.peer_revision == wire


@pytest.mark.parametrize(("own", "wire"), PAIRS)
def test_a_client_uses_a_server_of_any_revision_in_memory(own: str, wire: str) -> None:
    with package(own).Client.in_memory(echo_server(wire)[0], timeout=PATIENCE) as client:
        check_echo(client, own, wire)


@pytest.mark.parametrize(("own", "wire"), PAIRS)
def test_a_client_uses_a_server_of_any_revision_over_http(own: str, wire: str) -> None:
    with endpoint(echo_server(wire)[0]) as served:
        url = f"http://127.0.0.1:{served.port}/mcp"
        with package(own).Client.http(url, timeout=PATIENCE) as client:
            check_echo(client, own, wire)


@pytest.mark.parametrize("wire", REVISIONS)
def test_a_client_uses_a_process_of_any_revision(wire: str) -> None:
    for own in REVISIONS:
        command = program("echo.py", wire)
        with package(own).Client.stdio(command, env=environment(), timeout=PATIENCE) as client:
            check_echo(client, own, wire)


def test_the_same_revision_needs_no_bridge() -> None:
    code = """
import sys
from mcp_bindings import v2025_06_18 as mcp
server = mcp.Server("x", "1")
with mcp.Client.in_memory(server) as client:
    client.ping()
    assert client.peer_revision == "2025-06-18"
print([name for name in sys.modules if ".bridge" in name or ".negotiation" in name])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=PATIENCE)
    assert done.stdout.strip() == "[]"


def methods_of(own: str, play: Callable[[Spoken], object], **options: Any) -> tuple[list[Any], Any]:
    """Return what a client sent to a scripted server, and what its ``connect`` raised."""
    heard: list[Any] = []

    class Listening(Spoken):
        def __init__(self, spoken: Spoken) -> None:
            self.__dict__ = spoken.__dict__

        def hear(self, *arguments: Any) -> Any:
            message = super().hear(*arguments)
            heard.append(message)
            return message

    with scripted_server(package(own).Client, lambda spoken: play(Listening(spoken)), **options) as (client, _):
        try:
            client.connect()
        except Exception as fault:  # noqa: BLE001  # what it is, is what the test is about
            return heard, fault
        return heard, None


def agree(spoken: Spoken, revision: str) -> None:
    """Answer ``initialize`` with a revision."""
    asked = spoken.hear()
    assert asked["method"] == "initialize"
    spoken.answer(asked, {"protocolVersion": revision, "capabilities": {}, "serverInfo": WHO})
    assert spoken.hear()["method"] == "notifications/initialized"


@pytest.mark.parametrize("own", HANDSHAKE)
def test_a_client_with_a_handshake_sends_initialize_once_and_takes_what_the_server_offers(own: str) -> None:
    other = next(each for each in HANDSHAKE if each != own)
    heard, fault = methods_of(own, lambda spoken: agree(spoken, other))
    assert fault is None
    assert [each["method"] for each in heard] == ["initialize", "notifications/initialized"]
    assert heard[0]["params"]["protocolVersion"] == own


@pytest.mark.parametrize("own", HANDSHAKE)
def test_a_stateless_server_is_recognised_by_the_error_that_answers_initialize(own: str) -> None:
    def play(spoken: Spoken) -> None:
        spoken.refuse(spoken.hear(), -32022, "no", {"supported": [NEW], "requested": own})
        spoken.answer(spoken.hear(), {"resultType": "complete", "supportedVersions": [NEW], "capabilities": {}})

    heard, fault = methods_of(own, play)
    assert fault is None
    assert [each["method"] for each in heard] == ["initialize", "server/discover"]


def test_a_stateless_client_asks_by_initialize_after_an_error() -> None:
    def play(spoken: Spoken) -> None:
        spoken.refuse(spoken.hear(), -32601, "no")
        agree(spoken, HANDSHAKE[0])

    heard, fault = methods_of(NEW, play)
    assert fault is None
    assert [each["method"] for each in heard] == ["server/discover", "initialize", "notifications/initialized"]
    assert heard[1]["params"]["protocolVersion"] == LATEST


def test_supported_versions_decide_not_that_discover_is_answered() -> None:
    def play(spoken: Spoken) -> None:
        spoken.answer(spoken.hear(), {"resultType": "complete", "supportedVersions": [LATEST], "capabilities": {}})
        agree(spoken, LATEST)

    heard, fault = methods_of(NEW, play)
    assert fault is None
    assert [each["method"] for each in heard][:2] == ["server/discover", "initialize"]


@pytest.mark.parametrize("own", REVISIONS)
def test_only_the_revisions_of_the_option_are_used(own: str) -> None:
    for wire in REVISIONS:
        for allowed in ([own], [own, wire]):
            client = package(own).Client.in_memory(echo_server(wire)[0], timeout=PATIENCE, revisions=allowed)
            if wire in allowed:
                with client:
                    assert client.peer_revision == wire
            else:
                with pytest.raises(UnsupportedRevision):
                    client.connect()


def test_the_own_revision_is_one_of_the_option() -> None:
    with pytest.raises(UsageError, match=f"must include the client's own, '{LATEST}'"):
        package(LATEST).Client.in_memory(echo_server(LATEST)[0], revisions=[NEW])


def test_a_server_that_lies_about_its_revision_is_refused() -> None:
    def play(spoken: Spoken) -> None:
        spoken.refuse(spoken.hear(), -32022, "no", {"supported": [NEW], "requested": LATEST})
        spoken.answer(
            spoken.hear(), {"resultType": "complete", "supportedVersions": ["1999-01-01"], "capabilities": {}}
        )

    heard, fault = methods_of(LATEST, play)
    assert isinstance(fault, UnsupportedRevision)
    assert [each["method"] for each in heard] == ["initialize", "server/discover"]


def test_an_error_that_is_not_about_the_revision_is_raised_as_it_is() -> None:
    heard, fault = methods_of(LATEST, lambda spoken: spoken.refuse(spoken.hear(), -32001, "the licence has expired"))
    assert isinstance(fault, ResponseError)
    assert fault.code == -32001
    assert [each["method"] for each in heard] == ["initialize"]


# Processes.


def test_a_process_that_dies_of_the_probe_is_started_once_more_and_asked_by_initialize(tmp_path: Path) -> None:
    notes = tmp_path / "starts"
    command = program("legacy.py", "exit", LATEST, str(notes))
    with package(NEW).Client.stdio(command, env=environment(), timeout=PATIENCE) as client:
        assert client.peer_revision == LATEST
        assert text_of(client.call_tool("x", {})) == "served"
    assert notes.read_text() == "started\n" * 2


def test_a_process_that_ends_without_reading_is_not_started_again(tmp_path: Path) -> None:
    notes = tmp_path / "starts"
    command = program("legacy.py", "dead", LATEST, str(notes))
    with pytest.raises(ConnectionClosed, match="exited with status 3"):
        package(NEW).Client.stdio(command, env=environment(), timeout=PATIENCE).connect()
    assert notes.read_text() == "started\n"


@pytest.mark.parametrize("how", ["-32601", "-32602", "-32000", "-32022", "result"])
def test_any_other_answer_to_the_probe_shows_a_server_with_a_handshake(how: str) -> None:
    command = program("legacy.py", how, LATEST)
    with package(NEW).Client.stdio(command, env=environment(), timeout=PATIENCE) as client:
        assert client.peer_revision == LATEST


def test_a_server_that_never_answers_the_probe_is_asked_by_initialize() -> None:
    command = program("legacy.py", "silent", LATEST)
    with package(NEW).Client.stdio(command, env=environment(), timeout=PATIENCE, probe=0.1) as client:
        assert client.peer_revision == LATEST


def test_a_server_that_never_answers_at_all_is_left_in_time() -> None:
    over = Event()
    _, fault = methods_of(NEW, lambda spoken: over.wait(0.5), timeout=0.2, probe=0.1)
    over.set()
    assert isinstance(fault, RequestTimeout)


# Slow starts: the client's probe is answered after it has sent `initialize`.

SHORT = 0.05
"""Seconds to wait for the probe; none of these servers reads it before `initialize` follows."""
MODERN = {"modern": 1, "dual": 1, "pinned": 2, "unordered": 1}
"""Kind of server with a face without handshake, and how often it is started."""


def slow(how: str, notes: Path, stateless: str = NEW) -> list[str]:
    return program("slow_start.py", how, LATEST, stateless, str(notes))


@pytest.mark.parametrize("stateless", STATELESS)
@pytest.mark.parametrize("how", MODERN)
def test_a_late_result_of_the_probe_decides_for_the_era_without_handshake(
    how: str, stateless: str, tmp_path: Path
) -> None:
    notes = tmp_path / "starts"
    command = slow(how, notes, stateless)
    with package(NEW).Client.stdio(command, env=environment(), timeout=PATIENCE, probe=SHORT) as client:
        assert client.peer_revision == stateless
        assert client.server_info.name == how
        assert text_of(client.call_tool("x", {})) == "served"
    assert notes.read_text() == "started\n" * MODERN[how]


def test_a_late_result_that_names_other_revisions_changes_nothing(tmp_path: Path) -> None:
    command = slow("shim", tmp_path / "starts")
    with package(NEW).Client.stdio(command, env=environment(), timeout=PATIENCE, probe=SHORT) as client:
        assert client.peer_revision == LATEST
        assert text_of(client.call_tool("x", {})) == "served"


def test_a_late_error_of_the_probe_changes_nothing() -> None:
    command = program("legacy.py", "slow", LATEST)
    with package(NEW).Client.stdio(command, env=environment(), timeout=PATIENCE, probe=SHORT) as client:
        assert client.peer_revision == LATEST


@pytest.mark.parametrize("own", STATELESS)
@pytest.mark.parametrize("served", ["its own revision", "every revision"])
def test_a_slow_start_of_our_server_does_not_change_the_revision(own: str, served: str) -> None:
    echo = program("echo.py", own, *(["every"] if served == "every revision" else []))
    command = program("slow_start.py", "served", *echo)
    with package(own).Client.stdio(command, env=environment(), timeout=PATIENCE, probe=SHORT) as client:
        check_echo(client, own, own)


@pytest.mark.parametrize("own", REVISIONS)
def test_connect_finds_the_same_revision_however_slowly_our_server_starts(own: str) -> None:
    command = program("slow_start.py", "served", *program("echo.py", own, "every"))
    with connect.stdio(command, env=environment(), timeout=PATIENCE, probe=SHORT) as client:
        assert client.binding.revision == NEW
        assert text_of(client.call_tool("echo", {"n": 3})) == "3"


@pytest.mark.parametrize("own", HANDSHAKE)
def test_a_slow_start_of_a_server_with_a_handshake_changes_nothing(own: str) -> None:
    command = program("slow_start.py", "served", *program("echo.py", own))
    with connect.stdio(command, env=environment(), timeout=PATIENCE, probe=SHORT) as client:
        assert client.binding.revision == own
        assert text_of(client.call_tool("echo", {"n": 3})) == "3"


# HTTP.


@pytest.mark.parametrize("status", [401, 403, 429, 500, 503])
@pytest.mark.parametrize("own", REVISIONS)
def test_a_status_that_says_nothing_about_the_revision_is_raised_as_it_is(own: str, status: int) -> None:
    with McpPeer(LATEST, lambda request: answer(status=status)) as peer:
        with pytest.raises(HttpError) as caught:
            package(own).Client.http(peer.url, timeout=PATIENCE, retries=False).connect()
        assert caught.value.status == status
        assert len(peer.requests) == 1


def test_a_server_that_cannot_be_reached_is_not_asked_in_another_revision(unused_port: int) -> None:
    for own in (LATEST, NEW):
        with pytest.raises(ConnectionClosed):
            package(own).Client.http(f"http://127.0.0.1:{unused_port}/mcp", timeout=PATIENCE, retries=False).connect()


@pytest.fixture
def unused_port() -> int:
    import socket

    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


@pytest.mark.parametrize("status", [400, 404, 405])
def test_a_server_that_refuses_the_probe_is_asked_by_initialize(status: int) -> None:
    def play(request: Request) -> Any:
        refused = request.method == "POST" and request.json.get("method") == "server/discover"
        return answer(status=status) if refused else None

    with McpPeer(LATEST, play) as peer:
        with package(NEW).Client.http(peer.url, timeout=PATIENCE) as client:
            assert client.peer_revision == LATEST
        posted = [each.json.get("method") for each in peer.requests if each.method == "POST"]
        assert posted[:2] == ["server/discover", "initialize"]


def test_the_record_shows_what_was_on_the_wire(tmp_path: Path) -> None:
    record = tmp_path / "wire.jsonl"
    with package(NEW).Client.in_memory(echo_server(LATEST)[0], record=record, timeout=PATIENCE) as client:
        client.call_tool("echo", {"n": 1})
    methods = [json.loads(line)["message"].get("method") for line in record.read_text().splitlines()]
    assert [each for each in methods if each] == [
        "server/discover",
        "initialize",
        "notifications/initialized",
        "tools/call",
    ]


def test_a_client_that_is_closed_while_it_negotiates_ends() -> None:
    asked = Event()

    def play(spoken: Spoken) -> None:
        spoken.refuse(spoken.hear(), -32601, "no")
        spoken.hear()
        asked.set()
        spoken.hear()

    with scripted_server(package(NEW).Client, play, timeout=PATIENCE) as (client, _):
        import threading

        faults: list[BaseException] = []

        def connect() -> None:
            try:
                client.connect()
            except ConnectionClosed as fault:
                faults.append(fault)

        thread = threading.Thread(target=connect)
        thread.start()
        assert asked.wait(PATIENCE)
        client.close()
        thread.join(PATIENCE)
        assert not thread.is_alive()
        assert faults
