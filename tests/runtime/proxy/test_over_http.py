"""A proxy over HTTP."""

from __future__ import annotations

from contextlib import closing

import pytest
from checkout import REVISIONS
from mcp_bindings_runtime.proxy.backend_server import BackendServer
from mcp_bindings_runtime.proxy.server import Proxy
from support.backends import connection_to
from support.echo_server import echo_server
from support.raw_http_client import call, endpoint, modern
from support.scripted_peers import PATIENCE, eventually


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_client_without_session_cancels_behind_by_leaving(revision):
    server, seen = echo_server(revision)
    # A request that takes too long is cancelled, too, but later.
    backend = BackendServer(connection_to(server), revisions=[revision], timeout=10 * PATIENCE)
    with closing(Proxy([backend])) as proxy, endpoint(proxy.server, keepalive=0.1) as wire:
        message, headers = modern(call(1, n=7, hold=True))
        stream = wire.stream(message, **headers)
        eventually(lambda: seen.numbers == [7])
        stream.close()
        eventually(lambda: seen.cancelled == [7])
