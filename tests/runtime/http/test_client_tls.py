"""Clients over HTTPS: whom they trust, and that their calls can be ended."""

from __future__ import annotations

import shutil
import ssl
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from mcp_bindings_runtime.errors import ConnectionClosed, UsageError
from support.scripted_http_server import Cut, McpPeer, Request
from support.scripted_peers import PATIENCE, package, text_of

NEWEST = "2025-11-25"


@pytest.fixture(scope="module")
def identity(tmp_path_factory: Any) -> tuple[Path, Path]:
    """A certificate of 127.0.0.1, signed by itself, and its key."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("certificates are made by the command openssl, which is not installed")
    folder = tmp_path_factory.mktemp("tls")
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    command = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=127.0.0.1"
    files = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run([openssl, *command.split(), *files], check=True, capture_output=True, timeout=PATIENCE)
    return certificate, key


def secured(identity: tuple[Path, Path], play: Any = None) -> McpPeer:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*identity)
    return McpPeer(NEWEST, play, tls=context)


def test_a_server_that_is_trusted_is_spoken_to(identity: tuple[Path, Path]) -> None:
    trusting = ssl.create_default_context(cafile=str(identity[0]))
    with secured(identity) as peer, package(NEWEST).Client.http(peer.url, tls=trusting, timeout=PATIENCE) as client:
        assert text_of(client.call_tool("t")) == "ok"
        assert text_of(client.call_tool("t")) == "ok"


def test_a_server_that_is_not_trusted_is_not(identity: tuple[Path, Path]) -> None:
    with secured(identity) as peer:
        with pytest.raises(ConnectionClosed, match="no secure connection"):
            package(NEWEST).Client.http(peer.url, timeout=PATIENCE).connect()
        assert not peer.requests


def test_closing_ends_a_call_over_tls(identity: tuple[Path, Path]) -> None:
    waiting = threading.Event()

    def play(request: Request) -> Any:
        if request.method == "POST" and request.json.get("method") == "tools/call":
            waiting.set()
            peer.over.wait(PATIENCE)
            raise Cut
        return None

    trusting = ssl.create_default_context(cafile=str(identity[0]))
    raised: list[BaseException] = []

    def call() -> None:
        try:
            client.call_tool("t")
        except ConnectionClosed as fault:
            raised.append(fault)

    with (
        secured(identity, play) as peer,
        package(NEWEST).Client.http(peer.url, tls=trusting, timeout=PATIENCE) as client,
    ):
        thread = threading.Thread(target=call)
        thread.start()
        assert waiting.wait(PATIENCE)
        client.close()
        thread.join(PATIENCE)
        assert len(raised) == 1


def test_without_the_extra_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [each for each in sys.modules if each.startswith("mcp_bindings_runtime.http.client")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "urllib3", None)
    with pytest.raises(UsageError, match=r"pip install 'mcp-bindings\[http\]'"):
        package(NEWEST).Client.http("http://127.0.0.1:1/").connect()
