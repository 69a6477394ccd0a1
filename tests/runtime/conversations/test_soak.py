"""Long conversations: nothing crossed, nothing lost, nothing left.

``nox -s soak`` makes them longer (``MCP_BINDINGS_SOAK`` is how many calls each of eight threads makes), and prints figures.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from support.concurrent_calls import answers_roots, soak
from support.echo_server import echo_server
from support.revisions import HANDSHAKE, STATELESS
from support.scripted_peers import PATIENCE, environment, eventually, package, program, threads_of

LATEST, NEW = HANDSHAKE[-1], STATELESS[-1]
TIMES = int(os.environ.get("MCP_BINDINGS_SOAK") or 300)

_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


def resident() -> int:
    """Bytes of memory that this process has."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * _PAGE


@pytest.fixture(autouse=True)
def _deadline():
    """Longer than that of the folder, for the long version."""
    import faulthandler

    faulthandler.dump_traceback_later(60 + TIMES, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


@pytest.mark.parametrize("where", ["memory", "stdio"])
@pytest.mark.parametrize("revision", [LATEST, NEW])
def test_a_long_conversation(revision, where, capsys):
    mcp = package(revision)
    # As many calls as these are refused otherwise.
    server, seen = echo_server(revision, limits=False)
    if where == "memory":
        client = mcp.Client.in_memory(server, timeout=PATIENCE * 2)
    else:
        client = mcp.Client.stdio(program("echo.py", revision, "unlimited"), env=environment(), timeout=PATIENCE * 2)
    answers_roots(client, revision)
    with client:
        # What is made once is made now.
        soak(client, min(TIMES, 100), seed=1)
        memory = resident()
        figures = soak(client, TIMES)
        grown = resident() - memory
        connection = client.connection
        eventually(lambda: not connection.calls)
        assert not connection.session._pending
        assert not connection.session._progress
        assert not connection.session._task_requests
        eventually(lambda: not connection._threads.jobs and not connection._threads.busy)
        if where == "memory":
            (theirs,) = server._connections
            eventually(lambda: not theirs.session._running and not theirs._threads.busy and not seen.running)
            assert not theirs.session._pending
    with capsys.disabled():
        if TIMES > 300:
            sys.stderr.write(f"\n{revision} {where}: {figures}; {grown / 1e6:+.1f} MB\n")
    assert figures.crossed == []
    assert figures.lost == []
    assert figures.calls + figures.cancelled == 8 * TIMES
    # The figures themselves take some of it.
    assert grown < 8_000_000 + 2000 * TIMES
    eventually(lambda: not threads_of(""))
