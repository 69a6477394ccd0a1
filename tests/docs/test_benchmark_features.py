"""Features that are measured: what is compared does the same."""

from __future__ import annotations

from benchmarks import features
from mcp_bindings import OAuth
from mcp_bindings import v2025_11_25 as mcp
from mcp_bindings_runtime.http.client.credentials import ConnectionSettings
from mcp_bindings_runtime.http.client.exchange import Exchange


def test_the_decorated_tool_and_the_handler_give_the_same_result() -> None:
    results = []
    for server in features.servers():
        with mcp.Client.in_memory(server) as client:
            results.append(client.call_tool("echo", {"text": "hello"}))
    assert results[0] == results[1]
    assert results[0].content == [mcp.TextContent(text="hello")]


def test_each_figure_is_a_ratio_of_what_was_measured() -> None:
    table = features.measure(features.Effort(rounds=1, calls=1, lists=1))
    assert [row.value > 0 and bool(row.goal) for row in table.rows] == [True] * 4


def test_the_token_of_the_benchmark_is_sent() -> None:
    url = "http://127.0.0.1:1/mcp"
    settings = ConnectionSettings(url, None, None, None, None, 1.0)
    headers = OAuth(store=features.valid_token(url)).credentials(settings).headers("POST", url, Exchange("test"))
    assert headers == {"Authorization": f"Bearer {'t' * 800}"}
