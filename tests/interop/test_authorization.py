"""Servers of other projects that require tokens, with our clients and an authorization server by Authlib."""

from __future__ import annotations

import json
import socket
import subprocess
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from mcp_bindings import ClientCredentials, DeviceLogin, FileTokens, MemoryTokens, OAuth, connect
from support.authorization_server import Client, Judge, authorization_server
from support.ports import port_for_a_server
from support.scripted_peers import eventually

PROGRAMS = Path(__file__).parent / "programs"
LONG = 120.0
REVISIONS = ["2025-06-18", "2025-11-25", "2026-07-28"]


@contextmanager
def checks(judge: Judge) -> Iterator[str]:
    """Serve the state of tokens to servers that check them."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            token = self.path.removeprefix("/")
            found = judge.tokens.get(token, {})
            active = judge.validate(token) is not None
            state = {"active": active, "scopes": (found.get("scope") or "").split(), "resource": found.get("resource")}
            body = json.dumps(state).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Write nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


Protect = Callable[[Path, str], tuple[str, Judge]]


@pytest.fixture
def protect() -> Iterator[Protect]:
    """Start a server of another project; return its URL, and the state of the authorization server."""
    started: list[subprocess.Popen[bytes]] = []
    with authorization_server() as (issuer, judge), checks(judge) as place:

        def start(interpreter: Path, program: str) -> tuple[str, Judge]:
            port = port_for_a_server()
            words = [str(interpreter), str(PROGRAMS / program), str(port), issuer, place]
            started.append(subprocess.Popen(words))
            eventually(lambda: listens(port))
            return f"http://127.0.0.1:{port}/mcp", judge

        yield start
        for each in started:
            each.terminate()
            each.wait(LONG)


def listens(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


def visit(url: str) -> None:
    with urllib.request.urlopen(url, timeout=30) as response:
        response.read()


def use(url: str, auth: Any, revision: str | None = None) -> int:
    with connect.http(url, auth=auth, revisions=None if revision is None else [revision], timeout=LONG) as client:
        return int(client.call_tool("add", {"a": 1, "b": 2}).text)


def log_in(url: str, judge: Judge, folder: Path) -> None:
    store = FileTokens(folder / "tokens.json")
    for count, revision in enumerate(REVISIONS, 1):
        assert use(url, OAuth(open_url=visit, store=MemoryTokens()), revision) == 3
        assert judge.requests["authorization_code"] == count
    assert {form.get("resource") for form in judge.forms} == {url}
    assert use(url, OAuth(open_url=visit, store=store)) == 3
    # A withdrawn token is refreshed, without the user.
    judge.tokens.clear()
    assert use(url, OAuth(open_url=lambda page: pytest.fail("the user is bothered"), store=store)) == 3
    assert judge.requests["refresh_token"] == 1


def without_a_user(url: str, judge: Judge) -> None:
    metadata = {"grant_types": ["client_credentials"], "token_endpoint_auth_method": "client_secret_basic"}
    judge.clients["robot"] = Client("robot", "secret", {**metadata, "redirect_uris": []})
    assert use(url, ClientCredentials("robot", "secret")) == 3

    def enter(code: Any) -> None:
        judge.entered[code.user_code] = True

    assert use(url, DeviceLogin(show_code=enter)) == 3


def test_the_official_python_sdk(protect: Protect, sdk_python: Path, tmp_path: Path) -> None:
    url, judge = protect(sdk_python, "sdk_protected_server.py")
    log_in(url, judge, tmp_path)
    without_a_user(url, judge)


def test_fastmcp(protect: Protect, fastmcp_python: Path, tmp_path: Path) -> None:
    url, judge = protect(fastmcp_python, "fastmcp_protected_server.py")
    log_in(url, judge, tmp_path)
    without_a_user(url, judge)
