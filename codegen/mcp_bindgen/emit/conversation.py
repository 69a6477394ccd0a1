"""The modules with which a package converses: ``binding.py``, ``client.py`` and ``server.py``."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from mcp_bindgen.emit.docstrings import literal
from mcp_bindgen.emit.imports import Sources, imports, names_in
from mcp_bindgen.emit.layout import Bracketed, lines
from mcp_bindgen.emit.naming import Names
from mcp_bindgen.emit.plan import AskView
from mcp_bindgen.emit.prerequisites import is_stateless
from mcp_bindgen.emit.request_methods import plan_request_methods, sent_by
from mcp_bindgen.emit.switches import switches
from mcp_bindgen.ir.protocol import AliasOf, Protocol

_EMPTY = "EmptyResult"
"""A handler that gives it need not return anything."""


def plan_conversation(protocol: Protocol, names: Names) -> dict[str, Mapping[str, Any]]:
    """What the template of each of the three modules is filled with."""
    client = plan_request_methods(protocol, names, "client")
    origin, parent = _parent(protocol, "Client")
    return {
        "binding": {"switches": lines("switches=", _frozen(switches(protocol)), ",", indent=4)},
        "client": {"methods": client, "origin": origin, "imports": _imports(client, {"BINDING"}, (parent,))},
        "server": _server(protocol, names),
    }


def _server(protocol: Protocol, names: Names) -> Mapping[str, Any]:
    methods = plan_request_methods(protocol, names, "server")
    context = "StatelessContext" if is_stateless(protocol) else "ServerContext"
    origin, parent = _parent(protocol, "Server")
    empty = any(method.result == AliasOf(_EMPTY) for method in sent_by(protocol, "client"))
    used = {"Any", "BINDING", "Callable", "NotificationMethod", "RequestMethod", "TypeAlias", "TypeVar", "overload"}
    if empty:
        used |= {"Generic", "TYPE_CHECKING", "types"}
    runtime = (
        ("..runtime.context", (context,)),
        ("..runtime.methods", ("NotificationMethod", "RequestMethod")),
        parent,
    )
    return {
        "methods": methods,
        "context": context,
        "origin": origin,
        "empty": empty,
        "handlers": [
            lines(
                "def handler", ("(", ["self", f"key: {key}"], ")"), f" -> {_registration(result, empty=empty)}: ...", 4
            )
            for key, result in (("RequestMethod[P, R]", "R"), ("NotificationMethod[P]", "None"))
        ],
        "imports": _imports(methods, {*used, context}, runtime),
    }


def _registration(result: str, *, empty: bool) -> str:
    if empty:
        return f"Registration[P, {result}]"
    return f"Callable[[Handler[P, {result}]], Handler[P, {result}]]"


def _frozen(texts: list[str]) -> Bracketed:
    return ("frozenset(", [("{", [literal(text) for text in texts], "}")] if texts else [], ")")


def _parent(protocol: Protocol, name: str) -> tuple[str, tuple[str, tuple[str, ...]]]:
    """The runtime's class that an emitted one derives from: where it is, and its import under a name of its own."""
    module, parent = name.lower(), name
    if is_stateless(protocol):
        module, parent = f"stateless_{module}", f"Stateless{name}"
    return f"runtime.{module}.{parent}", (f"..runtime.{module}", (f"{parent} as Runtime{name}",))


def _imports(methods: Iterable[AskView], used: Collection[str], runtime: Sources) -> tuple[str, ...]:
    code = [line for method in methods for part in (*method.overloads, method.signature, method.body) for line in part]
    parents = {name for _, offered in runtime for name in offered if " as " in name}
    return imports(
        names_in(code) | {*used, *parents},
        (
            (
                ("collections.abc", ("Callable", "Iterator", "Mapping")),
                ("typing", ("TYPE_CHECKING", "Any", "Generic", "Literal", "TypeAlias", "TypeVar", "Union", "overload")),
            ),
            (
                ("..runtime", ("asking",)),
                *runtime,
                ("..runtime.unset", ("UNSET", "Unset")),
                (".", ("methods", "types")),
                (".binding", ("BINDING",)),
            ),
        ),
    )
