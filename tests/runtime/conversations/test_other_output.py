"""Programs that write to standard output what is not a message, before their first answer or in place of one."""

from __future__ import annotations

import sys
import threading

import pytest
from mcp_bindings import connect
from mcp_bindings_runtime.connection import opening_noise
from mcp_bindings_runtime.connection.opening_noise import MAX_LINES
from mcp_bindings_runtime.errors import ConnectionClosed, ProtocolError, RequestTimeout
from support.revisions import HANDSHAKE, STATELESS
from support.scripted_peers import PATIENCE, environment, eventually, package


def command(code: str) -> list[str]:
    """A program that runs the code, and then reads its standard input until that is closed."""
    return [sys.executable, "-c", f"import sys\n{code}\nsys.stdout.flush()\nsys.stdin.read()"]


SERVER = """
{code}
from mcp_bindings import v2026_07_28 as mcp
server = mcp.Server("demo", "1.0")
server.run_stdio()
"""
"""A server that runs the code first."""


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clients warn at once."""
    monkeypatch.setattr(opening_noise, "_WARNING_DELAY", 0.01)


def connect_to(revision: str | None, program: list[str], timeout: float = PATIENCE) -> None:
    """Connect a client of the revision, or negotiate one."""
    if revision is None:
        connect.stdio(program, timeout=timeout)
    else:
        package(revision).Client.stdio(program, timeout=timeout, revisions=[revision]).connect()


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [each.getMessage() for each in caplog.records if each.levelname == "WARNING"]


@pytest.mark.parametrize("revision", [HANDSHAKE[-1], STATELESS[-1], None])
def test_a_flood_of_lines_is_not_taken_for_a_server(revision: str | None, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("WARNING")
    flood = command(f"print('yes\\n' * {2 * MAX_LINES})")
    text = rf"no answer in the first {MAX_LINES:,} lines, .*the server wrote \"yes\".* is not an MCP server"
    with pytest.raises(ProtocolError, match=text):
        connect_to(revision, flood)
    # What more lines would say is known.
    assert len(warnings(caplog)) <= 11


def test_a_long_log_before_the_first_answer_is_passed_over() -> None:
    lines = MAX_LINES // 2
    program = [sys.executable, "-c", SERVER.format(code=f"print('loading\\n' * {lines}, flush=True)")]
    with connect.stdio(program, env=environment(), timeout=PATIENCE) as client:
        assert client.server_info.name == "demo"


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("revision", [HANDSHAKE[-1], STATELESS[-1], None])
def test_other_output_without_an_answer_is_warned_of_long_before_the_timeout(
    revision: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(RequestTimeout, match=r"which is not a message; the server .* or is no MCP server"):
        connect_to(revision, command("print('Listening on port 3000')"), timeout=4.0)
    text = (
        'still waiting for the first answer; what came instead was dropped: the server wrote "Listening on port 3000"'
    )
    assert [each.partition(", which")[0] for each in warnings(caplog) if "still" in each] == [text]


def timers() -> list[threading.Timer]:
    return [each for each in threading.enumerate() if isinstance(each, threading.Timer)]


@pytest.mark.parametrize("answers", [True, False])
def test_the_warning_is_cancelled_when_the_server_answers_or_ends(
    answers: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening_noise, "_WARNING_DELAY", 3600)
    before = timers()
    if answers:
        program = [sys.executable, "-c", SERVER.format(code="print('Listening', flush=True)")]
        connect.stdio(program, env=environment(), timeout=PATIENCE).close()
    else:
        with pytest.raises(ConnectionClosed):
            connect.stdio([sys.executable, "-c", "print('usage: x')"], timeout=PATIENCE)
    eventually(lambda: timers() == before)
