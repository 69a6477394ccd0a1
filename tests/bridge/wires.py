"""Connections between a server of one revision and a client of another, over each transport."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import Thread
from typing import Any

from bridge.server_cells import Connect
from checkout import REVISIONS
from mcp_bindings import serve
from mcp_bindings_runtime.http.server.http_server import HttpServer
from mcp_bindings_runtime.http.server.options import HttpServerOptions
from mcp_bindings_runtime.server.runnable import wsgi_app
from mcp_bindings_runtime.transports.streams import Streams
from support.raw_http_client import endpoint
from support.revisions import STATELESS, facts
from support.scripted_peers import PATIENCE, package

Wire = Callable[[Any, str], AbstractContextManager[Connect]]
"""Called with a server and the revision of the client."""

PAIRS = [(server, client) for server in REVISIONS for client in REVISIONS]
NEAR_PAIRS = [
    (server, client)
    for server, client in PAIRS
    if abs(REVISIONS.index(server) - REVISIONS.index(client)) == 1 or (server in STATELESS) != (client in STATELESS)
]
"""The pairs of neighbouring revisions and those across the eras."""


@contextmanager
def in_memory(server: Any, client: str) -> Iterator[Connect]:
    """Yield the function that connects a client over memory."""
    yield lambda **options: package(client).Client.in_memory(server, timeout=PATIENCE, **options)


@contextmanager
def over_pipes(server: Any, client: str) -> Iterator[Connect]:
    """Yield the function that connects a client over two pipes, which is what stdio is."""
    threads: list[Thread] = []

    def start() -> Streams:
        (from_client, to_server), (from_server, to_client) = os.pipe(), os.pipe()
        threads.append(Thread(target=serve.over, args=(Streams(from_client, to_client), server)))
        threads[-1].start()
        return Streams(from_server, to_server)

    yield lambda **options: package(client).Client(start, timeout=PATIENCE, **options)
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive()


@contextmanager
def over_http(server: Any, client: str) -> Iterator[Connect]:
    """Yield the function that connects a client over HTTP, with the transport of its revision."""
    application = wsgi_app([server], {"path": "/mcp", "sse_path": "/sse"})
    with HttpServer(application, HttpServerOptions()) as running:
        path = "/sse" if facts(client).only_sse else "/mcp"
        yield lambda **options: package(client).Client.http(running.url(path), timeout=PATIENCE, **options)


@contextmanager
def over_streamable_http(server: Any, client: str) -> Iterator[Connect]:
    """Yield the function that connects a client over HTTP, with the transport of the server."""
    with endpoint(server) as wire:
        url = f"http://127.0.0.1:{wire.port}/mcp"
        yield lambda **options: package(client).Client.http(url, timeout=PATIENCE, **options)
