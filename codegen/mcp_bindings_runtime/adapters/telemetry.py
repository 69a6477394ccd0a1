"""Traces by OpenTelemetry: a span for each request of a client and each handler of a server.

The trace goes with the request, in ``traceparent`` and the other keys of the propagator in ``_meta`` (W3C Trace Context;
SEP-414). Nothing of this is loaded, or costs anything, for clients and servers that are not instrumented.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar, cast

from ..client.client import Client
from ..distribution import install_command
from ..errors import ResponseError, UsageError
from ..meta import with_entries
from ..methods import RequestMethod
from ..server.server import Server
from ..session.events import Incoming

if TYPE_CHECKING:
    from ..connection.channel import Channel

Side = TypeVar("Side", bound=Client | Server)

_TARGETS = ("name", "uri")
"""Params that say what a request is about."""


def instrument(side: Side, *, tracer_provider: Any = None) -> Side:
    """Trace the requests of a client or the handlers of a server, and return the client or server.

    Call this function before the server runs. A server is traced for clients of all revisions that it serves.
    ``tracer_provider`` is by default the global one. The name of a span is the method and the name of the tool or prompt, or
    the URI of the resource, as in ``tools/call add``. Spans have the attributes ``mcp.method.name``,
    ``mcp.protocol.version``, ``jsonrpc.request.id`` and ``error.type`` (OpenTelemetry, Semantic conventions for MCP). Raise
    ``UsageError`` without the extra ``otel``, and for anything but a client or a server.
    """
    try:
        propagate: Any = import_module("opentelemetry.propagate")
        trace: Any = import_module("opentelemetry.trace")
    except ImportError as error:
        message = f"traces need opentelemetry-api; run: {install_command('otel')}"
        raise UsageError(message) from error
    tracer = trace.get_tracer("mcp_bindings", tracer_provider=tracer_provider)
    untyped, traced = cast("object", side), cast("Any", side)
    if isinstance(untyped, Client):
        traced.request = _traced_request(untyped, tracer, trace.SpanKind.CLIENT, propagate.inject)
    elif isinstance(untyped, Server):
        _trace_server(untyped, tracer, trace, propagate.extract)
    else:
        text = f"instrument() takes a client or a server, got {side!r}"
        raise UsageError(text)
    return side


def _traced_request(
    client: Client, tracer: Any, kind: Any, inject: Callable[[dict[str, str]], None]
) -> Callable[..., Any]:
    request = client.request

    def traced(key: RequestMethod[Any, Any], params: Any = None, **options: Any) -> Any:
        with tracer.start_as_current_span(_title(key, params), kind=kind) as span:
            _describe(span, client, key)
            carried: dict[str, str] = {}
            inject(carried)
            try:
                return request(key, _with_trace(client, key, params, carried), **options)
            except ResponseError as error:
                span.set_attribute("error.type", str(error.code))
                raise

    return traced


def _trace_server(server: Server, tracer: Any, trace: Any, extract: Callable[..., Any]) -> None:
    """Trace the requests to a server, and those to its twins, which serve clients of other revisions."""
    traced = cast("Any", server)
    traced.handle_request = _traced_handler(server, tracer, trace, extract)
    server.served_revisions.prepare = lambda twin: _trace_server(twin, tracer, trace, extract)


def _traced_handler(
    server: Server, tracer: Any, trace: Any, extract: Callable[..., Any]
) -> Callable[[Channel, Incoming], bytes | None]:
    handle = server.handle_request

    def traced(connection: Channel, incoming: Incoming) -> bytes | None:
        title, context = _title(incoming.key, incoming.params), extract(_entries(incoming.meta))
        with tracer.start_as_current_span(title, context=context, kind=trace.SpanKind.SERVER) as span:
            _describe(span, server, incoming.key)
            span.set_attribute("jsonrpc.request.id", str(incoming.id))
            line = handle(connection, incoming)
            if incoming.refusal is not None:
                span.set_attribute("error.type", str(incoming.refusal.code))
                span.set_status(trace.StatusCode.ERROR, incoming.refusal.message)
            return line

    return traced


def _describe(span: Any, side: Client | Server, key: RequestMethod[Any, Any]) -> None:
    span.set_attribute("mcp.method.name", key.name)
    span.set_attribute("mcp.protocol.version", side.binding.revision)


def _title(key: RequestMethod[Any, Any], params: Any) -> str:
    """Return the name of a span: the method and what it is about."""
    for name in _TARGETS:
        target = getattr(params, name, None)
        if isinstance(target, str):
            return f"{key.name} {target}"
    return key.name


def _with_trace(client: Client, key: RequestMethod[Any, Any], params: Any, carried: Mapping[str, str]) -> Any:
    """Return params with the trace in ``_meta``; methods that the revision does not declare go without."""
    binding = client.binding
    if not carried or binding.requests.get(key.name) is not key:
        return params
    made: Any = key.params() if params is None and binding.era == "handshake" else params
    if binding.era == "stateless":
        stateless: Any = client
        if made is None or made.meta is None:
            meta = stateless.meta(carried)
            return key.params(meta=meta) if made is None else made.__replace__(meta=meta)
    return with_entries(made, carried, binding.meta_class(key.name))


def _entries(meta: Any) -> dict[str, Any]:
    """Return the undeclared entries of ``_meta``, where the trace is."""
    found = cast("dict[str, Any] | None", meta if isinstance(meta, dict) else getattr(meta, "extra", None))
    return {name: value for name, value in (found or {}).items() if isinstance(value, str)}
