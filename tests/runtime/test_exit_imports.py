"""No thread imports a module once the main thread has ended: one that is killed meanwhile can make the exit hang."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest
from support.scripted_peers import PATIENCE, environment

WATCH = """
import os, sys, threading

def watch(event, found):
    if event == "import" and not threading.main_thread().is_alive():
        if threading.current_thread() is not threading.main_thread():
            os.write(1, f"{found[0]} in {threading.current_thread().name}\\n".encode())

sys.addaudithook(watch)

def call_it(client):
    try:
        client.call_tool("fail")
    except Exception:
        pass
"""

SERVER = """
from mcp_bindings import v2025_11_25 as mcp

server = mcp.Server("made-up", "1.0")

@server.tool()
def add(a: int, b: int) -> int:
    return a + b

server.run_stdio()
"""

PROGRAMS = {
    "a client that is never closed, and the end of its server": """
        from mcp_bindings import v2025_11_25 as mcp
        client = mcp.Client.stdio([sys.executable, "-c", SERVER])
        client.connect()
        client.call_tool("add", {"a": 1, "b": 2})
    """,
    "a client that has negotiated": """
        from mcp_bindings import connect
        client = connect.stdio([sys.executable, "-c", SERVER])
        client.__enter__()
        client.list_tools()
    """,
    "a tool that fails after the end": """
        from mcp_bindings import v2025_11_25 as mcp
        server = mcp.Server("made-up", "1.0")
        begun = threading.Event()

        @server.tool()
        def fail() -> str:
            begun.set()
            threading.main_thread().join()
            raise ValueError("too late")

        client = mcp.Client.in_memory(server)
        client.connect()
        # Threads of the library are daemons: this one keeps the program alive until they are done.
        threading.Thread(target=call_it, args=(client,)).start()
        begun.wait()
    """,
    "a handler that fails after the end": """
        from mcp_bindings import v2026_07_28 as mcp
        server = mcp.Server("made-up", "1.0")
        begun = threading.Event()

        @server.handler(mcp.methods.CALL_TOOL)
        def call(params, context):
            begun.set()
            threading.main_thread().join()
            raise ValueError("too late")

        client = mcp.Client.in_memory(server)
        client.connect()
        threading.Thread(target=call_it, args=(client,)).start()
        begun.wait()
    """,
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_no_thread_imports_at_exit(program):
    code = f"{WATCH}\nSERVER = {SERVER!r}\n{textwrap.dedent(program)}"
    command = [sys.executable, "-X", "dev", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, env=environment(), timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    if "too late" in program:
        assert "failed: too late\n" in done.stderr
