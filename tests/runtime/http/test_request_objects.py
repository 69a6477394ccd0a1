"""The objects of an HTTP request: they are freed at its end, without the garbage collector."""

from __future__ import annotations

import gc
import http.client
import json
from collections import Counter
from contextlib import closing
from typing import Any

from mcp_bindings_runtime.http.server.cheroot_fast_path import FastGateway, FastRequest
from mcp_bindings_runtime.http.server.pending_response import PendingResponse
from mcp_bindings_runtime.http.server.post_channel import PostChannel
from mcp_bindings_runtime.session.events import Incoming
from support.echo_server import echo_server
from support.raw_http_client import PLAIN, call, endpoint, modern
from support.revisions import HANDSHAKE, STATELESS
from support.scripted_peers import PATIENCE

OF_A_REQUEST = (FastGateway, FastRequest, Incoming, PendingResponse, PostChannel)
REQUESTS = 20


def uncollected(port: int, message: Any, headers: dict[str, str]) -> list[str]:
    """Return the classes of which every request leaves an object that only the garbage collector would free.

    Servers of earlier tests may leave single ones, whenever their threads end.
    """
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)) as connection:

        def post() -> None:
            connection.request("POST", "/mcp", json.dumps(message).encode(), {**PLAIN, **headers})
            answer = connection.getresponse()
            assert answer.status == 200
            answer.read()

        post()
        gc.collect()
        gc.disable()
        try:
            for _ in range(REQUESTS):
                post()
            gc.set_debug(gc.DEBUG_SAVEALL)
            gc.collect()
            found = Counter(each.__class__.__name__ for each in gc.garbage if isinstance(each, OF_A_REQUEST))
            return [name for name, count in found.items() if count >= REQUESTS]
        finally:
            gc.set_debug(0)
            gc.garbage.clear()
            gc.enable()


def test_stateless_requests_leave_nothing_to_the_garbage_collector() -> None:
    server, _ = echo_server(STATELESS[-1])
    message, headers = modern(call(1, n=1))
    with endpoint(server) as wire:
        assert uncollected(wire.port, message, headers) == []


def test_requests_of_a_session_leave_nothing_to_the_garbage_collector() -> None:
    server, _ = echo_server(HANDSHAKE[-1])
    with endpoint(server) as wire:
        wire.initialize(HANDSHAKE[-1])
        assert uncollected(wire.port, call(1, n=1), wire.headers) == []
