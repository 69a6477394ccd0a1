"""``HttpAddress``: an address at which a command serves over HTTP, and the names by which clients may use it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from mcp_bindings_runtime.http.server.http_server import HttpServer


class HttpAddress(NamedTuple):
    """A host and a port to listen at."""

    host: str
    port: int
    hosts: Sequence[str] = ()
    """Names by which clients may address the server, besides ``host`` and those of this machine."""
    origins: Sequence[str] = ()
    """Origins of web pages that may use the server."""
    quiet: bool = False
    """Whether the URL is not printed."""

    def serve(
        self,
        *servers: Any,
        begin: Callable[[Callable[[], object]], object] = lambda _close: None,
        **options: Any,
    ) -> None:
        """Serve until Ctrl-C, SIGTERM, or a call of the function that ``begin`` gets; print the URL first.

        ``options`` are those of ``serve.http``. Raise ``UsageError`` for invalid names, and an address that cannot be used.
        """
        from mcp_bindings import serve
        from mcp_bindings_runtime.http.server.http_server import hosts_of, print_url

        def ready(http_server: HttpServer) -> None:
            http_server.refusals.advice = {"Host": "pass --allow-host %r", "Origin": "pass --allow-origin %r"}
            begin(http_server.close)
            if not self.quiet:
                print_url(http_server)

        serve.http(
            *servers,
            host=self.host,
            port=self.port,
            allowed_hosts=[*hosts_of(self.host), *self.hosts],
            allowed_origins=self.origins,
            ready=ready,
            **options,
        )
