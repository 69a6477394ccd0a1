"""A server whose lists do not match the schema can be used behind a proxy, as far as its items can."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import Any

import pytest
from checkout import REVISIONS
from mcp_bindings_runtime.errors import ResponseError
from mcp_bindings_runtime.proxy.backend_server import BackendServer
from mcp_bindings_runtime.proxy.server import Proxy
from support.backends import connection_to
from support.revisions import HANDSHAKE, STATELESS
from support.scripted_peers import PATIENCE, package, text_of

LATEST = HANDSHAKE[-1]
RAW = """\
import json
import sys

PAGES = {
    None: {"tools": [
        {"name": "untyped", "inputSchema": {"properties": {"text": {}}}, "x-own": 1},
        {"name": 7, "inputSchema": {"type": "object"}},
        {"name": "none"},
    ], "nextCursor": "b"},
    "b": {"tools": [{"name": "right", "inputSchema": {"type": "object"}}]},
}
for line in sys.stdin:
    asked = json.loads(line)
    method = asked["method"]
    if method == "initialize":
        info = {"name": "raw", "version": "1"}
        capabilities = {"tools": {}, "resources": {}, "prompts": {}}
        result = {"protocolVersion": "REVISION", "capabilities": capabilities, "serverInfo": info}
    elif method == "tools/list":
        result = PAGES[asked.get("params", {}).get("cursor")]
    elif method == "tools/call":
        result = {"content": [{"type": "text", "text": asked["params"]["name"]}]}
    elif method == "resources/list":
        result = {"resources": {"no": "list"}}
    elif method == "prompts/list":
        result = {"prompts": [{"name": each} for each in range(50)]}
    else:
        result = {}
    if "id" in asked:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""


@pytest.fixture
def server(tmp_path: Path) -> Any:
    """The server of a proxy before a raw server."""
    program = tmp_path / "raw.py"
    program.write_text(RAW.replace("REVISION", LATEST), encoding="utf-8")
    proxy = Proxy([BackendServer(connection_to([sys.executable, str(program)]), timeout=PATIENCE)])
    yield proxy.server
    proxy.close()


@pytest.mark.parametrize("front", REVISIONS)
def test_usable_tools_are_listed_and_called_and_the_others_are_logged(
    front: str, server: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with (
        caplog.at_level(logging.WARNING, "mcp_bindings"),
        package(front).Client.in_memory(server, timeout=PATIENCE) as client,
    ):
        tools = list(client.list_tools())
        assert [tool.name for tool in tools] == ["untyped", "right"]
        schema = client.binding.codec.unstructure(tools[0].input_schema)
        assert schema == {"type": "object", "properties": {"text": {}}}
        assert tools[0].extra == {"x-own": 1}
        assert [text_of(client.call_tool(tool.name)) for tool in tools] == ["untyped", "right"]
    left_out = [each.message for each in caplog.records if "is left out" in each.message]
    assert ["tools[1]" in left_out[0], "tools[2]" in left_out[1]] == [True, True]


def test_a_long_list_does_not_fill_the_log(server: Any, caplog: pytest.LogCaptureFixture) -> None:
    with (
        caplog.at_level(logging.WARNING, "mcp_bindings"),
        package(LATEST).Client.in_memory(server, timeout=PATIENCE) as client,
    ):
        assert list(client.list_prompts()) == []
    left_out = [each.message for each in caplog.records if "left out" in each.message]
    assert len(left_out) == 11
    assert left_out[-1].endswith("prompts: 40 more are left out")


def test_a_result_without_a_list_is_an_error_with_the_reason(server: Any) -> None:
    with (
        package(LATEST).Client.in_memory(server, timeout=PATIENCE) as client,
        pytest.raises(ResponseError, match="sent an invalid answer"),
    ):
        client.list_resources()


DISCOVERED = """\
import json
import sys

UNION = {"anyOf": [{"type": "array"}, {"type": "string"}]}
TOOLS = [
    {"name": "any", "inputSchema": {"type": "object"}, "outputSchema": UNION},
    {"name": "untyped", "inputSchema": {}, "outputSchema": UNION},
    {"name": "wrong", "inputSchema": []},
]
for line in sys.stdin:
    asked = json.loads(line)
    if asked["method"] == "server/discover":
        result = {"supportedVersions": ["REVISION"], "capabilities": {"tools": {}}}
    else:
        result = {"tools": TOOLS}
    result.update(resultType="complete", ttlMs=0, cacheScope="public")
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""


def test_tools_that_match_beside_one_that_does_not_keep_their_schemas(tmp_path: Path) -> None:
    program = tmp_path / "raw.py"
    program.write_text(DISCOVERED.replace("REVISION", STATELESS[-1]), encoding="utf-8")
    proxy = Proxy([BackendServer(connection_to([sys.executable, str(program)]), timeout=PATIENCE)])
    with package(STATELESS[-1]).Client.in_memory(proxy.server, timeout=PATIENCE) as client:
        any_, untyped = client.list_tools()
        for tool in (any_, untyped):
            schema = client.binding.codec.unstructure(tool.output_schema)
            assert schema == {"anyOf": [{"type": "array"}, {"type": "string"}]}
        assert client.binding.codec.unstructure(untyped.input_schema) == {"type": "object"}
    proxy.close()
