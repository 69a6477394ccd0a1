"""Servers that a program runs: over stdio and over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import UsageError
from .server import Server

if TYPE_CHECKING:
    from ..connection.connection import Connection
    from ..http.server.wsgi import Application


class RunnableServer(Server):
    """A server with the methods that run it over a transport."""

    _pumped: Connection | None = None
    """The connection that ``pump`` serves."""

    def run_stdio(self) -> None:
        """Serves the program that started this one, over stdin and stdout, until it closes them.

        What else is printed meanwhile goes to stderr. Ctrl-C ends it, and the program without a traceback.
        """
        from ..transports.stdio import run

        run(self.serve)

    def wsgi_app(self, **options: Any) -> Application:
        """A WSGI application that serves this server over HTTP, mounted under any path of any WSGI server.

        ``options`` are those of ``runtime.http.server.options.EndpointOptions``.
        """
        from ..http.server.options import options_of
        from ..http.server.wsgi import Application

        return Application([self], options_of(options))

    def run_http(self, host: str = "127.0.0.1", port: int = 8000, **options: Any) -> None:
        """Serves over HTTP at ``/mcp`` of this host and port (0: any that is free), until Ctrl-C. Takes the extra ``http``.

        ``options`` are those of ``wsgi_app`` with ``path``, and ``ready``; see ``runtime.http.server.http_server.run_http``.
        """
        from ..http.server.http_server import run_http

        run_http([self], host, port, **options)

    def pump(self, timeout: float | None = 0.0) -> bool:
        """Serves over stdin and stdout from a loop of one's own: in this thread, what comes within ``timeout`` seconds.

        False once the client has left. The alternative to ``run_stdio`` where everything has to happen in one thread.
        """
        if self._ping is not None:
            message = (
                "pump() does all in one thread, and `ping` takes another; ping from your loop instead: context.ping()"
            )
            raise UsageError(message)
        if self._pumped is None:
            from ..transports.stdio import Stdio

            self._pumped = self.connect(Stdio())
        connection = self._pumped
        connection.pump(timeout)
        if connection.closed:
            self._drop(connection)
        return not connection.closed
