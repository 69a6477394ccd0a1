"""The log of what clients do: connections, requests, timeouts and ends, under ``mcp_bindings.client``."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Any

import pytest
from checkout import REVISIONS
from mcp_bindings import connect
from mcp_bindings_runtime.errors import McpError, NotDeclared, RequestTimeout, UsageError
from support.revisions import STATELESS
from support.scripted_peers import PATIENCE, environment, eventually, package

LOGGER = "mcp_bindings.client"


def serving(revision: str) -> Any:
    server = package(revision).Server("demo", "1.0")

    @server.tool
    def wait(context) -> str:  # type: ignore[no-untyped-def]
        eventually(lambda: context.cancelled)
        return ""

    @server.tool
    def add(a: int, b: int) -> int:
        return a + b

    return server


def use(revision: str) -> None:
    """Connect, call a tool, wait in vain for another, request what the server does not offer, and close."""
    with package(revision).Client.in_memory(serving(revision), timeout=PATIENCE) as client:
        client.call_tool("add", {"a": 1, "b": 2})
        with pytest.raises(RequestTimeout):
            client.call_tool("wait", timeout=0.05)
        with pytest.raises(NotDeclared):
            client.read_resource("file:///nosuch")


def lines(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str]]:
    found = [each for each in caplog.records if each.name == LOGGER]
    return [(each.levelname, re.sub(r"\d+ ms", "… ms", each.getMessage())) for each in found]


@pytest.mark.parametrize("wrong", ["tools/list", 5, None])
def test_a_request_without_a_key_is_refused_as_without_a_log(wrong: object, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", LOGGER)
    revision = REVISIONS[-1]
    with (
        package(revision).Client.in_memory(serving(revision)) as client,
        pytest.raises(UsageError, match="pass the key of a request"),
    ):
        client.request(wrong)
    assert lines(caplog)[1][1].startswith(f"{wrong!r} failed after … ms: pass the key of a request")


@pytest.mark.parametrize("revision", REVISIONS)
def test_each_step_of_a_client_is_logged_at_its_level(revision: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG", LOGGER)
    use(revision)
    opening, first, call, late, missing, last = lines(caplog)
    name = "demo 1.0"
    method = "server/discover" if revision in STATELESS else "initialize"
    assert opening == ("DEBUG", f"{method}: answered after … ms")
    assert first == ("INFO", f"connected to {name}, revision {revision}")
    assert call == ("DEBUG", "tools/call: answered after … ms")
    assert late == ("INFO", "tools/call failed after … ms: tools/call: no answer in 0.05 s")
    assert (missing[0], missing[1].startswith("resources/read failed after … ms: ")) == ("INFO", True)
    assert last == ("INFO", f"closing the connection to {name}")


def test_requests_that_are_answered_are_not_logged_at_info(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", LOGGER)
    use(REVISIONS[-1])
    assert [level for level, _ in lines(caplog)] == ["INFO"] * 4


def test_a_connection_does_what_it_does_without_a_log(caplog: pytest.LogCaptureFixture) -> None:
    """So requests cost nothing more than before."""
    caplog.set_level("WARNING", LOGGER)
    with package(REVISIONS[-1]).Client.in_memory(serving(REVISIONS[-1])) as client:
        assert not {"request", "close"} & vars(client.connection).keys()
    assert lines(caplog) == []


FAILING = {
    "exit": ([sys.executable, "-c", "exit(3)"], "exited with status 3"),
    "cat": (["cat"], "is not an MCP server"),
    "silence": ([sys.executable, "-c", "import sys; sys.stdin.read()"], "no answer"),
}


@pytest.mark.parametrize("revision", [*REVISIONS[-2:], None])
@pytest.mark.parametrize("how", FAILING)
def test_a_client_that_cannot_connect_is_logged(
    how: str, revision: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG", LOGGER)
    command, reason = FAILING[how]
    start: Any = connect.stdio if revision is None else package(revision).Client.stdio
    with pytest.raises(McpError) as raised, start(command, timeout=0.4 if how == "silence" else PATIENCE):
        pass
    *requests, last = lines(caplog)
    assert requests
    assert {level for level, _ in requests} == {"DEBUG"}
    assert all(re.match(r"(server/discover|initialize) failed after … ms: ", text) for _, text in requests)
    assert last == ("INFO", f"connecting failed: {raised.value}")
    assert reason in last[1]


def test_the_requests_of_a_negotiation_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG", LOGGER)
    older = REVISIONS[0]
    server = package(older).Server("demo", "1.0", revisions=[older])
    with connect.in_memory(server):
        pass
    assert [text.partition(" ")[0] for _, text in lines(caplog)] == [
        "server/discover",
        "initialize:",
        "connected",
        "closing",
    ]


def test_text_of_the_server_cannot_forge_a_line(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", LOGGER)
    server = package(REVISIONS[-1]).Server("demo\nERROR", "1\x1b[0m")
    with package(REVISIONS[-1]).Client.in_memory(server):
        pass
    assert lines(caplog)[0][1].startswith(r"connected to demo\nERROR 1\x1b[0m, ")


def test_a_program_that_does_not_log_does_not_import_logging() -> None:
    code = (
        f"import sys; from mcp_bindings import {package(REVISIONS[-1]).__name__.rpartition('.')[2]} as mcp\n"
        "with mcp.Client.in_memory(mcp.Server('a', '1')) as client: assert client.connected\n"
        "print('logging' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment(), check=False)
    assert (done.stdout, done.returncode) == ("False\n", 0), done.stderr
