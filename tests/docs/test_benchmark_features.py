"""Features that are measured: what is compared does the same."""

from __future__ import annotations

from benchmarks import features
from mcp_bindings import v2025_11_25 as mcp


def test_the_decorated_tool_and_the_handler_give_the_same_result() -> None:
    results = []
    for server in features.servers():
        with mcp.Client.in_memory(server) as client:
            results.append(client.call_tool("echo", {"text": "hello"}))
    assert results[0] == results[1]
    assert results[0].content == [mcp.TextContent(text="hello")]


def test_each_figure_is_a_ratio_of_what_was_measured() -> None:
    table = features.measure(features.Effort(rounds=1, calls=1, lists=1))
    assert [row.value > 0 and bool(row.goal) for row in table.rows] == [True] * 3
