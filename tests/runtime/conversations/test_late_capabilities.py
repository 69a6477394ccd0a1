"""What a server has only since a client is connected: where it was promised nothing, it counts for later sessions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from mcp_bindings_runtime.errors import UsageError
from support.revisions import HANDSHAKE, STATELESS
from support.scripted_peers import PATIENCE, Spoken, package, scripted_client, text_of


def late(n: int) -> int:
    return n + 1


@contextmanager
def introduced(server: Any) -> Iterator[tuple[Spoken, Any]]:
    """A client that has finished its handshake, and what the server declared to it."""
    client = scripted_client(server)
    try:
        yield client, client.introduce(server.binding.revision)["result"]["capabilities"]
    finally:
        client.close()


def asked(client: Spoken, method: str, number: int) -> Any:
    """The answer, which is the next thing that comes."""
    client.request(method, number, {} if method == "tools/list" else None)
    answered = client.hear()
    assert answered.get("id") == number, answered
    return answered


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_a_session_goes_on_without_what_was_not_promised_and_later_ones_have_it(revision: str) -> None:
    server = package(revision).Server("empty", "1.0")
    with introduced(server) as (early, declared):
        assert "tools" not in declared
        assert asked(early, "ping", 1)["result"] == {}
        server.tool(late)
        # No notification comes first: nobody who was promised none is told that the list has changed.
        refused = asked(early, "tools/list", 2)["error"]
        assert refused["code"] == -32601
        assert refused["data"]["method"] == "tools/list"
        assert "has not declared 'tools'" in refused["data"]["reason"]
        with introduced(server) as (later, promised):
            assert promised["tools"] == {"listChanged": True}
            assert [tool["name"] for tool in asked(later, "tools/list", 1)["result"]["tools"]] == ["late"]
            server.tools.remove("late")
            assert later.hear()["method"] == "notifications/tools/list_changed"
        assert asked(early, "tools/list", 3)["error"]["code"] == -32601
        assert asked(early, "ping", 4)["result"] == {}


@pytest.mark.parametrize("revision", STATELESS)
def test_it_counts_at_once_where_every_request_stands_alone(revision: str) -> None:
    mcp = package(revision)
    server = mcp.Server("empty", "1.0")
    with mcp.Client.in_memory(server, discover=False, timeout=PATIENCE) as client:
        with pytest.raises(UsageError, match=re.escape("write client.discover().capabilities")):
            _ = client.server_capabilities
        assert client.discover().capabilities.tools is None
        server.tool(late)
        assert client.discover().capabilities.tools.list_changed
        assert text_of(client.call_tool("late", {"n": 1})) == "2"
        with client.listen(tools=True, timeout=PATIENCE) as changes:
            server.tools.remove("late")
            assert changes.get(PATIENCE).key is mcp.methods.TOOL_LIST_CHANGED
