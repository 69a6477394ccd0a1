"""An endpoint without streams for listening (``streams=0``), for hosts that return a response as a whole."""

from __future__ import annotations

from typing import Any

import pytest
from mcp_bindings_runtime.errors import McpError, ResponseError, UsageError
from support.raw_http_client import NEW, endpoint
from support.revisions import STATELESS, those_with
from support.scripted_peers import PATIENCE, package, text_of

SESSIONS = those_with(lambda each: each.handshake and not each.only_sse)
"""The revisions of Streamable HTTP with sessions."""
URI = "file:///made-up/note"


def made(revision: str = NEW) -> Any:
    server = package(revision).Server("s", "1")

    @server.tool
    def add(a: int, b: int) -> int:
        return a + b

    @server.resource(URI)
    def note() -> str:
        return "noted"

    return server


def connect(revision: str, url: str, **options: Any) -> Any:
    return package(revision).Client.http(url, timeout=PATIENCE, retries=False, revisions=[revision], **options)


def declared(client: Any) -> list[Any]:
    found = client.server_capabilities
    return [found.tools.list_changed, found.resources.list_changed, found.resources.subscribe]


@pytest.mark.parametrize("revision", [*SESSIONS, *STATELESS])
def test_a_client_with_callbacks_for_changes_gets_none_and_works(revision: str) -> None:
    with endpoint(made(), streams=0) as wire:
        url = f"http://127.0.0.1:{wire.port}/mcp"
        with connect(revision, url, on_tools_changed=print, on_resource_updated=print) as client:
            assert declared(client) == [None, None, None]
            assert text_of(client.call_tool("add", {"a": 1, "b": 2})) == "3"
            with pytest.raises(McpError):
                client.subscribe(URI)


@pytest.mark.parametrize("revision", SESSIONS)
def test_a_session_has_no_stream(revision: str) -> None:
    with endpoint(made(revision), streams=0) as wire:
        assert wire.ask("GET", headers={"Accept": "text/event-stream"}).status == 405
        assert wire.ask("GET", headers={"Accept": "text/event-stream"}, path="/sse").status == 404


@pytest.mark.parametrize("revision", STATELESS)
def test_a_subscription_is_refused_with_the_reason(revision: str) -> None:
    with endpoint(made(), streams=0) as wire:
        client = connect(revision, f"http://127.0.0.1:{wire.port}/mcp", discover=False)
        with client, pytest.raises(ResponseError) as caught, client.listen(tools=True):
            pass
    assert caught.value.code == -32601
    assert caught.value.data["reason"] == "this server has no streams for listening"


def test_http_with_sse_needs_a_stream() -> None:
    with pytest.raises(UsageError, match="`sse_path` needs streams"):
        made().wsgi_app(sse_path="/sse", streams=0)
    made().wsgi_app(sse_path=None, streams=0)
