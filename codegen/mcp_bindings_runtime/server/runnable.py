"""Functions and methods that run servers over stdio and over HTTP."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import UsageError
from ..foreign_names import OF_SERVERS, explain_attributes
from .multi_revision import MultiRevisionServer, Reception
from .server import Server

if TYPE_CHECKING:
    from ..http.server.wsgi import Application
    from ..session.caller import Caller
    from ..transports import Transport


@explain_attributes(OF_SERVERS)
class RunnableServer(Server):
    """A server with the methods that run it over stdio."""

    _pumped: Reception | None = None
    """The client that ``pump`` serves."""

    def serve(self, transport: Transport, *, caller: Caller | str | None = None) -> None:
        """Serve the client at the other end of a transport until it leaves or ``close`` is called.

        ``caller`` is the user at the other end of the transport: a `Caller`, or the principal of one. Handlers find it
        in their context. Scopes are not checked.
        """
        MultiRevisionServer([self], caller=caller).serve(transport)

    def run_stdio(self) -> None:
        """Serve, over stdin and stdout, the program that started this one, until that program closes them.

        Other output to stdout goes to stderr meanwhile. Ctrl-C ends the program without a traceback.
        """
        from ..transports.stdio import run

        run(self.serve)

    def pump(self, timeout: float | None = 0.0) -> bool:
        """Serve over stdin and stdout from a loop of your own: handle the next message in the calling thread.

        Wait for it at most ``timeout`` seconds (None: no limit). Further messages may be buffered, so call it again
        even if nothing can be read from stdin. Return False once the client has left. Raise `UsageError` if the option
        ``ping`` is set. If the server's revision has sessions, and a client of a revision without sessions declares
        capabilities, handlers for this client run in other threads.
        """
        if self._options.ping is not None:
            message = "pump() uses one thread, and `ping` needs another; create the server without `ping`"
            raise UsageError(message)
        if self._pumped is None:
            from ..transports.stdio import Stdio

            self._pumped = MultiRevisionServer([self]).connect(Stdio())
        connection = self._pumped.connection
        connection.pump(timeout)
        if connection.closed:
            self._pumped.server.close_connection(connection)
        return not connection.closed


def wsgi_app(servers: Sequence[Server], options: Mapping[str, Any]) -> Application:
    """Return a WSGI application with one endpoint for all servers. ``options`` are those of ``EndpointOptions``."""
    from ..http.server.options import EndpointOptions
    from ..http.server.wsgi import Application

    return Application(servers, EndpointOptions(**options))


def run_http(servers: Sequence[Server], host: str, port: int, options: Mapping[str, Any]) -> None:
    """Serve over HTTP until Ctrl-C. ``options`` are those of ``HttpServerOptions``."""
    from ..http.server.http_server import run_http

    run_http(servers, host, port, **options)
