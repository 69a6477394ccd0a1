"""Clients over HTTPS: whom they trust, and that their calls can be ended."""

from __future__ import annotations

import logging
import shutil
import socket
import ssl
import subprocess
import sys
import threading
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Self

import pytest
from checkout import REVISIONS
from mcp_bindings_runtime.errors import ConnectionClosed, HttpError, UsageError
from support.revisions import HANDSHAKE
from support.scripted_http_server import Cut, McpPeer, Request, answer
from support.scripted_peers import PATIENCE, package, text_of

NEWEST = HANDSHAKE[-1]


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


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_server_that_is_not_trusted_is_not(
    identity: tuple[Path, Path], revision: str, caplog: pytest.LogCaptureFixture
) -> None:
    with secured(identity) as peer, caplog.at_level(logging.INFO, "mcp_bindings"):
        with pytest.raises(ConnectionClosed, match=rf"no secure connection to {peer.url}: .*; to trust .* pass `tls="):
            package(revision).Client.http(peer.url, timeout=PATIENCE).connect()
        assert not peer.requests
    assert "trying again" not in caplog.text


def test_a_server_without_tls_gets_the_hint_to_write_http() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer_in_plain_text() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        thread = threading.Thread(target=answer_in_plain_text)
        thread.start()
        url = f"https://127.0.0.1:{listening.getsockname()[1]}/mcp"
        with pytest.raises(ConnectionClosed, match=r"if the server has no TLS, write http:// in its URL$"):
            package(NEWEST).Client.http(url, timeout=PATIENCE, retries=False).connect()
        thread.join(PATIENCE)


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


class ConnectProxy:
    """A proxy that opens tunnels for those who know the password."""

    def __init__(self, password: str) -> None:
        self._password = password.encode()
        self.heads: list[bytes] = []
        self._sockets: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, name="test-tunnel", daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for each in (self._listener, *self._sockets):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                self._sockets.append(near)
                head = b""
                while not head.endswith(b"\r\n\r\n"):
                    head += near.recv(1)
                self.heads.append(head)
                if self._password not in head:
                    near.sendall(b"HTTP/1.1 407 No\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n")
                    near.shutdown(socket.SHUT_RDWR)
                    continue
                host, port = head.split()[1].split(b":")
                far = socket.create_connection((host.decode(), int(port)), PATIENCE)
                self._sockets.append(far)
                near.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=_pass, args=(one, other), name="test-tunnel", daemon=True).start()


def _pass(one: socket.socket, other: socket.socket) -> None:
    with suppress(OSError):
        while data := one.recv(65536):
            other.sendall(data)
        other.shutdown(socket.SHUT_WR)


SECRET = {"Proxy-Authorization": "Basic c2VjcmV0"}


def test_a_tunnel_gets_the_headers_of_the_proxy_and_the_server_does_not(identity: tuple[Path, Path]) -> None:
    trusting = ssl.create_default_context(cafile=str(identity[0]))
    with secured(identity) as peer, ConnectProxy("c2VjcmV0") as proxy:
        options: Any = {"proxy": proxy.url, "tls": trusting, "timeout": PATIENCE}
        with package(NEWEST).Client.http(peer.url, proxy_headers=SECRET, **options) as client:
            assert text_of(client.call_tool("t")) == "ok"
        assert all(b"Proxy-Authorization: Basic c2VjcmV0\r\n" in each for each in proxy.heads)
        assert not any("proxy-authorization" in each.headers for each in peer.requests)
        peer.requests.clear()
        proxy.heads.clear()
        with pytest.raises(HttpError, match=r"407 .*proxy_headers=") as caught:
            package(NEWEST).Client.http(peer.url, **options).connect()
        assert caught.value.status == 407
        assert "`headers=`" not in str(caught.value)
        # The same request would be refused again.
        assert (len(proxy.heads), peer.requests) == (1, [])


def test_a_proxy_for_plain_http_that_refuses_names_the_option() -> None:
    def play(request: Request) -> Any:
        known = request.headers.get("proxy-authorization") == SECRET["Proxy-Authorization"]
        return None if known else answer(status=407, Proxy_Authenticate="Basic")

    with McpPeer(NEWEST, play) as proxy:
        reach: Any = partial(package(NEWEST).Client.http, "http://mcp.example/x", proxy=proxy.origin, timeout=PATIENCE)
        with pytest.raises(HttpError, match=r"407 .*proxy_headers="):
            reach().connect()
        with reach(proxy_headers=SECRET) as client:
            assert text_of(client.call_tool("t")) == "ok"


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_proxy_that_cannot_be_reached_is_named_as_the_cause(scheme: str) -> None:
    with socket.socket() as bound:
        # Nobody listens, and nobody else can have the port.
        bound.bind(("127.0.0.1", 0))
        proxy = f"http://127.0.0.1:{bound.getsockname()[1]}"
        client = package(NEWEST).Client.http(f"{scheme}://mcp.example/", proxy=proxy, retries=False, timeout=PATIENCE)
        with pytest.raises(ConnectionClosed, match="the proxy cannot be reached: "):
            client.connect()


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"proxy": "http://me:secret@127.0.0.1:1"}, "`proxy_headers="),
        ({"proxy_headers": SECRET}, "pass its URL as `proxy`"),
        ({"proxy": "http://127.0.0.1:1", "proxy_headers": "Basic"}, "`proxy_headers` must be"),
    ],
)
def test_credentials_for_a_proxy_that_would_not_reach_it_are_refused(options: Any, text: str) -> None:
    with pytest.raises(UsageError, match=text) as caught:
        package(NEWEST).Client.http("https://mcp.example/", **options).connect()
    assert "`headers=`" not in str(caught.value)
    assert "secret" not in str(caught.value)
