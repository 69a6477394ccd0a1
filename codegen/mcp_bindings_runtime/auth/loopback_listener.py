"""The receiver of an authorization response: an HTTP listener on the loopback interface (RFC 8252, section 7.3)."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qs, urlsplit

from ..errors import OAuthError
from ..logs import write_log
from .authorization_code import is_response_to

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

_DONE: Final = "The authorization response has arrived. You can close this page.\n"
_SECONDS: Final = 5.0
"""Seconds for a browser to send its request."""


class LoopbackListener:
    """Receives one authorization response at ``redirect_uri``; other requests are refused. Use it in ``with``.

    ``uri`` is the redirect URI to listen at, a random port of 127.0.0.1 unless set.
    """

    def __init__(self, uri: str | None = None) -> None:
        parts = urlsplit(uri or "http://127.0.0.1:0/callback")
        self.response_url: str | None = None
        """The URL of the authorization response, once it has arrived."""
        self._state = ""
        self._arrived: Callable[[], object] = lambda: None
        self._lock = Lock()
        host = parts.hostname or "127.0.0.1"
        try:
            self._server = _Server(("127.0.0.1" if host == "localhost" else host, parts.port or 0), _Handler)
        except OSError as fault:
            text = f"no authorization response can be received at {parts.netloc}: {fault.strerror}"
            raise OAuthError(text) from fault
        self._server.listener = self
        port: int = self._server.server_address[1]
        self.host = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        self.path = parts.path or "/"
        self.redirect_uri = f"http://{self.host}{self.path}"

    def expect(self, state: str, arrived: Callable[[], object]) -> None:
        """Accept the response to the request with this ``state``, and call ``arrived`` in another thread then."""
        self._state, self._arrived = state, arrived

    def accept(self, target: str) -> bool:
        """Return whether a request is the response that is waited for; no second one is."""
        parts = urlsplit(target)
        if parts.path != self.path or not self._state:
            return False
        if not is_response_to(parse_qs(parts.query, keep_blank_values=True), self._state):
            return False
        with self._lock:
            if self.response_url is not None:
                return False
            self.response_url = f"http://{self.host}{target}"
        return True

    def finish(self) -> None:
        """Report that the response has been received and answered."""
        self._arrived()

    def __enter__(self) -> Self:
        Thread(target=self._server.serve_forever, args=(0.1,), name="mcp-oauth-callback", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingTCPServer):
    listener: LoopbackListener
    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        write_log("debug", "a connection for the authorization response failed")


class _Handler(BaseHTTPRequestHandler):
    server: Any
    timeout = _SECONDS

    def do_GET(self) -> None:
        listener: LoopbackListener = self.server.listener
        if self.headers.get("Host") != listener.host:
            # A page of another site could reach it by DNS rebinding.
            self._answer(421, "This is another host.\n")
        elif listener.accept(self.path):
            try:
                self._answer(200, _DONE)
            finally:
                # Also if the browser has closed the connection.
                listener.finish()
        else:
            self._answer(400, "This is not the expected authorization response.\n")

    def _answer(self, status: int, text: str) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # named by http.server
        # The request line holds the code.
        return


def open_browser(url: str) -> None:
    """Show a URL to the user: in the browser, and printed to stderr where there is none."""
    import os
    import sys
    import webbrowser

    headless = sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    if (headless or not webbrowser.open(url)) and sys.stderr is not None:
        sys.stderr.write(f"Open this page to authorize the program: {url}\n")
