"""Instrumented clients and servers make spans and carry the trace in ``_meta``; ``nox -s adapters`` tests with the SDK."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from checkout import REVISIONS
from mcp_bindings import instrument
from mcp_bindings_runtime.errors import ResponseError, UsageError
from support.connected_clients import serving
from support.scripted_peers import PATIENCE, environment, package

CURRENT: ContextVar[Any] = ContextVar("CURRENT", default=None)
"""The current span."""
TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

each_revision = pytest.mark.parametrize("revision", REVISIONS)


class Spans(list[Any]):
    """A stand-in for a tracer: the spans that were started, and the carriers that were extracted."""

    def __init__(self) -> None:
        super().__init__()
        self.extracted: list[dict[str, Any]] = []

    @contextmanager
    def start_as_current_span(self, name: str, *, kind: str, context: Any = None) -> Iterator[Any]:
        attributes: dict[str, Any] = {}
        span = SimpleNamespace(
            name=name, kind=kind, attributes=attributes, set_attribute=attributes.__setitem__, status=None
        )
        span.set_status = lambda *status: setattr(span, "status", status)
        span.parent = CURRENT.get()
        self.append(span)
        before = CURRENT.set(span)
        try:
            yield span
        finally:
            CURRENT.reset(before)

    def extract(self, carrier: dict[str, Any]) -> Any:
        self.extracted.append(carrier)
        return carrier


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Spans:
    made = Spans()
    trace: Any = ModuleType("opentelemetry.trace")
    trace.get_tracer = lambda name, tracer_provider: made
    trace.SpanKind = SimpleNamespace(CLIENT="client", SERVER="server")
    trace.StatusCode = SimpleNamespace(ERROR="error")
    propagate: Any = ModuleType("opentelemetry.propagate")
    propagate.inject = lambda carrier: carrier.update(traceparent=TRACE)
    propagate.extract = made.extract
    for module in (ModuleType("opentelemetry"), trace, propagate):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    return made


def server_and_client(revision: str) -> Any:
    server = instrument(serving(revision))

    @server.tool
    def add(a: int, b: int) -> str:
        return str(a + b)

    @server.prompt
    def greet() -> str:
        return "hello"

    return server, instrument(package(revision).Client.in_memory(server, timeout=PATIENCE))


@each_revision
def test_a_request_and_its_handler_have_a_span_each(revision: str, spans: Spans) -> None:
    with server_and_client(revision)[1] as client:
        assert client.call_tool("add", {"a": 1, "b": 2}).text == "3"
    found = [(each.name, each.kind) for each in spans if each.name.startswith("tools/call")]
    assert found == [("tools/call add", "client"), ("tools/call add", "server")]
    assert all(each.attributes["mcp.protocol.version"] == revision for each in spans)


@each_revision
def test_the_trace_goes_along_with_other_entries_of_meta(revision: str, spans: Spans) -> None:
    with server_and_client(revision)[1] as client:
        list(client.list_tools())
        client.get_prompt("greet", meta={"com.example/own": "kept"})
    assert spans.extracted[-2]["traceparent"] == spans.extracted[-1]["traceparent"] == TRACE
    assert spans.extracted[-1]["com.example/own"] == "kept"


@each_revision
def test_errors_are_attributes_of_both_spans(revision: str, spans: Spans) -> None:
    with server_and_client(revision)[1] as client, pytest.raises(ResponseError):
        client.get_prompt("nosuch")
    both = [each for each in spans if each.name == "prompts/get nosuch"]
    assert [each.attributes["error.type"] for each in both] == ["-32602", "-32602"]
    assert both[1].status[0] == "error"


@each_revision
def test_a_method_without_a_schema_is_traced_without_carrying_the_trace(revision: str, spans: Spans) -> None:
    server, client = server_and_client(revision)
    server.raw_handler("other/echo")(lambda params, context: {"params": params})
    with client:
        assert client.request_raw("other/echo", {"a": 1})["params"] == {"a": 1}
    assert [each.kind for each in spans if each.name == "other/echo"] == ["client", "server"]


@pytest.mark.parametrize("peer", REVISIONS)
@each_revision
def test_a_handler_sees_the_span_of_its_request(revision: str, peer: str, spans: Spans) -> None:
    """Also in another thread, as for a client of another era that can be asked for input."""
    server = instrument(serving(revision))

    @server.tool
    def current() -> str:
        return f"{CURRENT.get().kind} {CURRENT.get().name}"

    can_sample = {"sampling": lambda params, context: None}
    with package(peer).Client.in_memory(server, timeout=PATIENCE, **can_sample) as client:
        assert client.call_tool("current").text == "server tools/call current"


@each_revision
def test_a_call_in_another_thread_belongs_to_the_span_of_its_caller(revision: str, spans: Spans) -> None:
    with server_and_client(revision)[1] as client, spans.start_as_current_span("mine", kind="internal") as mine:
        assert client.start(client.call_tool, "add", {"a": 1, "b": 2}).result(PATIENCE).text == "3"
    (found,) = [each for each in spans if (each.name, each.kind) == ("tools/call add", "client")]
    assert found.parent is mine


def test_it_takes_clients_and_servers_only(spans: Spans) -> None:
    with pytest.raises(UsageError, match="takes a client or a server"):
        instrument(object())  # type: ignore[type-var]


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    monkeypatch.setitem(sys.modules, "opentelemetry.propagate", None)
    with pytest.raises(UsageError, match=r"run: pip install 'mcp-bindings\[otel\]'"):
        instrument(serving(REVISIONS[-1]))


def test_nothing_of_it_is_loaded_without_it() -> None:
    code = (
        "import sys; from mcp_bindings import v2025_11_25 as mcp; server = mcp.Server('a', '1')\n"
        "with mcp.Client.in_memory(server) as client: client.ping()\n"
        "print([name for name in sys.modules if 'telemetry' in name])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment(), check=True)
    assert done.stdout == "[]\n"
