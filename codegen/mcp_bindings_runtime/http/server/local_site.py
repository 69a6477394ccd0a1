"""An HTTP server of the standard library for tests: it serves any WSGI application on a free port."""

from __future__ import annotations

from collections.abc import Iterable
from socketserver import ThreadingMixIn
from threading import Thread
from typing import TYPE_CHECKING, Any, Final, Self
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from ...validation import require_wsgi_application

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

_POLL: Final = 0.05
"""Seconds within which closing is noticed."""


class LocalSite:
    """Serves a WSGI application, such as a Flask program, at ``url`` until it is closed or the ``with`` block ends.

    The site listens on a free port of 127.0.0.1 and handles each request in a thread. Raises ``UsageError`` for an
    object that is not a WSGI application, for example for a function that creates one.
    """

    def __init__(self, app: WSGIApplication) -> None:
        require_wsgi_application(app)
        self._http = http = _Server(("127.0.0.1", 0), _Handler)
        http.set_app(_threaded(app))
        self.url = f"http://127.0.0.1:{http.server_port}"
        """The URL of the root, without a slash at its end."""
        # A test that fails in between must not keep the program alive.
        self._thread = Thread(target=http.serve_forever, args=(_POLL,), name="mcp-site", daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Accept no more requests. Requests in progress are not waited for."""
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()


def _threaded(app: WSGIApplication) -> WSGIApplication:
    """Return an application that is told of the threads, of which ``wsgiref`` does not know."""

    def respond(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        environ["wsgi.multithread"] = True
        return app(environ, start_response)

    return respond


class _Server(ThreadingMixIn, WSGIServer):
    """Starts a thread for each connection: a request may wait for an answer of its client, which is another request."""

    daemon_threads = True


class _Handler(WSGIRequestHandler):
    """Writes nothing to standard error."""

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the name in the base class
        """Do nothing."""
