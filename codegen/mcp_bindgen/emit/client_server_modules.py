"""The modules with which a package converses: ``binding.py``, ``client.py`` and ``server.py``."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from mcp_bindgen.emit.capability_paths import boolean_capabilities, capability_paths
from mcp_bindgen.emit.convenience_methods import code_of, convenience_methods
from mcp_bindgen.emit.decorators import plan_decorators
from mcp_bindgen.emit.docstrings import literal
from mcp_bindgen.emit.imports import Sources, imports, names_in
from mcp_bindgen.emit.layout import Bracketed, exploded, lines
from mcp_bindgen.emit.naming import Names
from mcp_bindgen.emit.options import plan_client_options, plan_requirable, plan_server_options
from mcp_bindgen.emit.prerequisites import is_stateless
from mcp_bindgen.emit.request_methods import plan_request_methods, sent_by
from mcp_bindgen.emit.view_model import MethodView
from mcp_bindgen.ir.protocol import AliasOf, Protocol, Side

_CONTEXT = "ClientContext as RuntimeContext"
_CLIENT = frozenset(
    {
        "Any",
        "BINDING",
        "Callable",
        "Mapping",
        "Sequence",
        "TYPE_CHECKING",
        "TypeAlias",
        "TypeVar",
        "transport_factories",
        "overload",
    }
)
"""What every client takes."""
_EMPTY = "EmptyResult"
"""A handler that gives it need not return anything."""


def plan_client_server_modules(protocol: Protocol, names: Names, runtime: str) -> dict[str, Mapping[str, Any]]:
    """What the template of each of the three modules is filled with."""
    client = plan_request_methods(protocol, names, "client")
    origin, parent = _parent(protocol, "Client")
    options, requirable = plan_client_options(protocol, names), plan_requirable(protocol)
    more = convenience_methods(protocol, "client", runtime)
    used = names_in([*requirable, *(line for option in options for line in option.declaration), *code_of(more)])
    return {
        "binding": {"capabilities": _capabilities(protocol)},
        "client": {
            "methods": client,
            "options": options,
            "requirable": requirable,
            "conveniences": more,
            "origin": origin,
            "imports": _imports(
                client, {*used, *_CLIENT}, tuple(sorted((("runtime.connection.context", (_CONTEXT,)), parent))), runtime
            ),
            "option_imports": _option_imports(used, runtime),
        },
        "server": _server(protocol, names, runtime),
    }


def _capabilities(protocol: Protocol) -> list[str]:
    """The arguments that say what can be declared."""
    sides: tuple[Side, ...] = ("client", "server")
    known = [_keyed(side, _frozen(capability_paths(protocol, side))) for side in sides]
    return [
        *lines("switches=", _frozen(boolean_capabilities(protocol)), ",", indent=4),
        *exploded("capabilities=", ("{", known, "}"), ",", indent=4),
    ]


def _keyed(key: str, value: Bracketed) -> Bracketed:
    opening, parts, closing = value
    return (f"{literal(key)}: {opening}", parts, closing)


def _option_imports(used: Collection[str], runtime: str) -> tuple[str, ...]:
    """What only the options and the ways to make a client need, and only a type checker looks at."""
    needed = {
        "Auth",
        "Iterable",
        "NotificationMethod",
        "PathLike",
        "RequestMethod",
        "SSLContext",
        "Self",
        "Stderr",
        "Transport",
        "TypedDict",
        "Unpack",
    }
    written = imports(
        {*used, *needed},
        (
            (
                ("collections.abc", ("Iterable",)),
                ("os", ("PathLike",)),
                ("ssl", ("SSLContext",)),
                ("typing", ("Self", "TypedDict", "Unpack")),
            ),
            (
                ("runtime.features.limits", ("Limits",)),
                ("runtime.client.result_cache", ("ResultCache",)),
                ("runtime.tasks.task_handle", ("TaskHandle",)),
                ("runtime.tasks.polled_task", ("PolledTask",)),
                ("runtime.tasks.store", ("MemoryTasks",)),
                ("runtime.http.client.endpoint", ("Auth",)),
                ("runtime.methods", ("NotificationMethod", "RequestMethod")),
                ("runtime.transports", ("Transport",)),
                ("runtime.transports.child", ("Stderr",)),
            ),
        ),
        runtime,
    )
    return tuple(f"    {line}" if line else "" for line in written)


def _server(protocol: Protocol, names: Names, runtime: str) -> Mapping[str, Any]:
    methods = plan_request_methods(protocol, names, "server")
    context = "StatelessContext" if is_stateless(protocol) else "ServerContext"
    origin, parent = _parent(protocol, "Server")
    decorators = plan_decorators(protocol, names)
    empty = any(method.result == AliasOf(_EMPTY) for method in sent_by(protocol, "client"))
    used = {"Any", "BINDING", "Callable", "NotificationMethod", "RequestMethod", "TypeAlias", "TypeVar", "overload"}
    if empty:
        used |= {"Generic", "TYPE_CHECKING", "types"}
    parents = (
        ("runtime.connection.context", (context,)),
        ("runtime.methods", ("NotificationMethod", "RequestMethod")),
        parent,
    )
    more = convenience_methods(protocol, "server", runtime)
    used |= names_in(code_of(more))
    answers = ("Accepted", "Cancelled", "Declined")
    options = plan_server_options(protocol, names)
    needed = names_in(line for option in options for line in option.declaration)
    used |= (needed & {"Literal", "Sequence", "types"}) | {"TYPE_CHECKING"}
    features = (
        ("runtime.features.elicitation", answers),
        ("runtime.features.limits", ("Limits",)),
        ("runtime.tasks.context", ("Task",)),
        ("runtime.tasks.store", ("MemoryTasks",)),
    )
    standard = (("os", ("PathLike",)), ("typing", ("TypedDict", "Unpack")))
    typed = imports({*used, *needed, "TypedDict", "Unpack"}, (standard, features), runtime)
    return {
        "methods": methods,
        "conveniences": more,
        "options": options,
        "typing_only": ("if TYPE_CHECKING:", *(f"    {line}" if line else "" for line in typed)),
        "decorators": decorators,
        "context": context,
        "origin": origin,
        "empty": empty,
        "handlers": [
            lines(
                "def handler", ("(", ["self", f"key: {key}"], ")"), f" -> {_registration(result, empty=empty)}: ...", 4
            )
            for key, result in (("RequestMethod[P, R]", "R"), ("NotificationMethod[P]", "None"))
        ],
        "imports": _imports((*methods, *decorators), {*used, context}, parents, runtime),
    }


def _registration(result: str, *, empty: bool) -> str:
    if empty:
        return f"Registration[P, {result}]"
    return f"Callable[[Handler[P, {result}]], Handler[P, {result}]]"


def _frozen(texts: list[str]) -> Bracketed:
    return ("frozenset(", [("{", [literal(text) for text in texts], "}")] if texts else [], ")")


def _parent(protocol: Protocol, name: str) -> tuple[str, tuple[str, tuple[str, ...]]]:
    """The runtime's class that an emitted one derives from: where it is, and its import under a name of its own."""
    room = name.lower()
    if is_stateless(protocol):
        module, parent = f"{room}.stateless", f"Stateless{name}"
    elif name == "Server":
        module, parent = "server.handshake", "HandshakeServer"
    else:
        module, parent = f"{room}.{room}", name
    origin = f"runtime.{room}.{room}.{name}" if name == "Server" else f"runtime.{module}.{parent}"
    return origin, (f"runtime.{module}", (f"{parent} as Runtime{name}",))


def _imports(methods: Iterable[MethodView], used: Collection[str], base: Sources, runtime: str) -> tuple[str, ...]:
    code = [line for method in methods for part in (*method.overloads, method.signature, method.body) for line in part]
    parents = {name for _, offered in base for name in offered if " as " in name}
    return imports(
        names_in(code) | {*used, *parents},
        (
            (
                ("collections.abc", ("Callable", "Iterator", "Mapping", "Sequence")),
                ("typing", ("TYPE_CHECKING", "Any", "Generic", "Literal", "TypeAlias", "TypeVar", "Union", "overload")),
            ),
            (
                *sorted(
                    (
                        *base,
                        ("runtime", ("method_support",)),
                        ("runtime.client", ("transport_factories",)),
                        ("runtime.server", ("decorator_support",)),
                    )
                ),
                ("runtime.unset", ("UNSET", "Unset")),
                (".", ("methods", "types")),
                (".binding", ("BINDING",)),
            ),
        ),
        runtime,
    )
