"""Traces a call from a client to a server by OpenTelemetry's SDK, in the newest revision of each era and across both, and prints the spans."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from mcp_bindings import ResponseError, instrument, v2025_11_25, v2026_07_28
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter


def spans_of(mcp: Any, client_mcp: Any) -> list[dict[str, Any]]:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    server = instrument(mcp.Server("traced", "1.0"), tracer_provider=provider)

    @server.tool
    def add(a: int, b: int) -> str:
        with provider.get_tracer("tool").start_as_current_span("inside"):
            return str(a + b)

    @server.prompt
    def greet() -> str:
        return "hello"

    with instrument(client_mcp.Client.in_memory(server), tracer_provider=provider) as client:
        assert client.call_tool("add", {"a": 1, "b": 2}).text == "3"
        with suppress(ResponseError):
            client.get_prompt("none")
    return [
        {
            "name": span.name,
            "kind": span.kind.name,
            "trace": span.context.trace_id,
            "id": span.context.span_id,
            "parent": span.parent and span.parent.span_id,
            "failed": span.status.status_code.name == "ERROR",
            "attributes": dict(span.attributes or {}),
        }
        for span in exporter.get_finished_spans()
    ]


pairs = {
    "handshake": (v2025_11_25, v2025_11_25),
    "stateless": (v2026_07_28, v2026_07_28),
    "older client": (v2026_07_28, v2025_11_25),
    "newer client": (v2025_11_25, v2026_07_28),
}
print(json.dumps({name: spans_of(*pair) for name, pair in pairs.items()}))
