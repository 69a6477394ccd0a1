"""The views of ``binding.py``, ``client.py`` and ``server.py``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from mcp_bindings_runtime.facts import Facts
from mcp_bindings_runtime.http.client.options import HttpClientOptions
from mcp_bindings_runtime.transports.options import StdioOptions

from mcp_bindgen.emit.capability_paths import boolean_capabilities, capability_paths
from mcp_bindgen.emit.decorators import plan_decorators
from mcp_bindgen.emit.docstrings import literal
from mcp_bindgen.emit.imports import Sources
from mcp_bindgen.emit.layout import Bracketed, exploded, lines
from mcp_bindgen.emit.naming import Names
from mcp_bindgen.emit.options import plan_client_options, plan_keywords, plan_requirable, plan_server_options
from mcp_bindgen.emit.prerequisites import convenience_methods, has_tasks, is_stateless
from mcp_bindgen.emit.request_methods import plan_request_methods, sent_by
from mcp_bindgen.ir.protocol import AliasOf, Protocol, Side

_EMPTY = "EmptyResult"
"""The result of a method whose handler may return None."""

Module: TypeAlias = tuple[str, Sources, dict[str, Any]]
"""File name, modules to import from besides the usual ones, and values of the template."""


def plan_client_server_modules(protocol: Protocol, names: Names, facts: Facts) -> Iterator[Module]:
    """Yield the three modules."""
    yield "binding.py", (), {"capabilities": _capabilities(protocol)}
    yield (
        "client.py",
        (_parent(protocol, "Client"),),
        {
            "requirable": plan_requirable(protocol),
            "options": plan_client_options(protocol, names, facts),
            "stdio": plan_keywords(StdioOptions, 8),
            "http": plan_keywords(HttpClientOptions, 8),
            "offers": convenience_methods(protocol, "client"),
            "methods": plan_request_methods(protocol, names, "client"),
        },
    )
    decorators = plan_decorators(protocol, names)
    yield (
        "server.py",
        (_parent(protocol, "Server"),),
        {
            "context": "StatelessContext" if is_stateless(protocol) else "ServerContext",
            "options": plan_server_options(protocol, names, facts),
            "offers": convenience_methods(protocol, "server"),
            "methods": plan_request_methods(protocol, names, "server"),
            "decorators": decorators,
            "has_decorator": {name: view is not None for name, view in decorators.items()},
            "has_tasks": has_tasks(protocol),
            "has_completion": "completion/complete" in protocol.methods,
            "has_empty_results": any(method.result == AliasOf(_EMPTY) for method in sent_by(protocol, "client")),
        },
    )


def _capabilities(protocol: Protocol) -> list[str]:
    """Return the arguments of ``Binding`` that list the capabilities."""
    sides: tuple[Side, ...] = ("client", "server")
    known = [_keyed(side, _frozen(capability_paths(protocol, side))) for side in sides]
    return [
        *lines("boolean_capabilities=", _frozen(boolean_capabilities(protocol)), ",", indent=4),
        *exploded("capabilities=", ("{", known, "}"), ",", indent=4),
    ]


def _keyed(key: str, value: Bracketed) -> Bracketed:
    opening, parts, closing = value
    return (f"{literal(key)}: {opening}", parts, closing)


def _frozen(texts: list[str]) -> Bracketed:
    return ("frozenset(", [("{", [literal(text) for text in texts], "}")] if texts else [], ")")


def _parent(protocol: Protocol, name: str) -> tuple[str, tuple[str, ...]]:
    """Return the import of the runtime's class that the emitted one extends."""
    era = "stateless" if is_stateless(protocol) else "handshake"
    return f"runtime.{name.lower()}.{era}", (f"{era.capitalize()}{name} as Runtime{name}",)
