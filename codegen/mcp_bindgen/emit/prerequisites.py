"""Prerequisites of clients and servers: the messages and members of a schema that the runtime uses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mcp_bindings_runtime.features.client_methods import ELICIT, PAGE_DONE, ROOTS, SAMPLE

from mcp_bindgen.emit.envelopes import find_envelopes
from mcp_bindgen.ir.protocol import AliasOf, ObjectOf, ObjectType, Protocol, Side, Type

_ALWAYS: Mapping[str, Sequence[str]] = {
    "Implementation": ("name", "version"),
    "ClientCapabilities": (),
    "ServerCapabilities": (),
    "CancelledNotification": ("params.requestId", "params.reason"),
    "ProgressNotification": ("params.progressToken", "params.progress", "params.total"),
}
"""Declared types to the members that the runtime sets or reads, by wire name."""

_HANDSHAKE: Mapping[str, Sequence[str]] = {
    "InitializeRequest": ("params.protocolVersion", "params.capabilities", "params.clientInfo"),
    "InitializeResult": ("protocolVersion", "capabilities", "serverInfo", "instructions"),
    "InitializedNotification": (),
    "PingRequest": (),
}

_STATELESS: Mapping[str, Sequence[str]] = {
    "DiscoverRequest": ("params._meta",),
    "DiscoverResult": ("supportedVersions", "capabilities", "instructions", "ttlMs", "cacheScope", "_meta"),
    "RequestMetaObject": (
        "io.modelcontextprotocol/protocolVersion",
        "io.modelcontextprotocol/clientInfo",
        "io.modelcontextprotocol/clientCapabilities",
        "io.modelcontextprotocol/logLevel",
        "progressToken",
    ),
    "ResultMetaObject": ("io.modelcontextprotocol/serverInfo",),
    "NotificationMetaObject": ("io.modelcontextprotocol/subscriptionId",),
    "InputRequiredResult": ("inputRequests", "requestState", "resultType"),
    "SubscriptionFilter": ("toolsListChanged", "promptsListChanged", "resourcesListChanged", "resourceSubscriptions"),
    "SubscriptionsListenRequest": ("params._meta", "params.notifications"),
    "SubscriptionsAcknowledgedNotification": ("params.notifications", "params._meta"),
    "SubscriptionsListenResultMetaObject": (
        "io.modelcontextprotocol/subscriptionId",
        "io.modelcontextprotocol/serverInfo",
    ),
}

_CONVENIENCE_METHODS: Mapping[Side, Mapping[str, tuple[frozenset[str], ...]]] = {
    "client": {
        "set_roots": (frozenset({ROOTS, "Root"}),),
        "wait_for_page": (frozenset({ELICIT, PAGE_DONE, "ElicitRequestURLParams"}),),
        "call_tool_as_task": (frozenset({"tasks/result", "tools/call"}),),
        "call_tool_as_polled_task": (frozenset({"tools/call", "InputRequiredResult"}),),
    },
    "server": {
        "roots": (frozenset({ROOTS, "Root"}),),
        "sample": (frozenset({SAMPLE, "SamplingMessage", "TextContent", "ModelHint", "ModelPreferences"}),),
        "elicit_form": (frozenset({ELICIT, "ElicitResult", "StringSchema"}),),
        "elicit_page": (frozenset({ELICIT, PAGE_DONE, "ElicitRequestURLParams"}),),
        "task": (frozenset({"tasks/result", "tools/call"}), frozenset({"tools/call", "InputRequiredResult"})),
    },
}
"""Convenience methods of clients and of the context of a server's handlers: each needs all of one of its sets of names."""

REQUEST_META = "RequestMetaObject"
"""The type of ``_meta`` in every request of a stateless revision, which clients set by themselves."""


def is_stateless(protocol: Protocol) -> bool:
    """Return whether the protocol is stateless; otherwise a session starts with ``initialize``."""
    return "initialize" not in protocol.methods


def has_tasks(protocol: Protocol) -> bool:
    """Return whether tool calls may become tasks, by the revision itself or by an extension of a stateless one."""
    return "tasks/result" in protocol.methods or (is_stateless(protocol) and "tools/call" in protocol.methods)


def has_forms(protocol: Protocol) -> bool:
    """Return whether a server can request that the user fills in a form."""
    return "elicitation/create" in protocol.methods and {"ElicitResult", "StringSchema"} <= protocol.objects.keys()


def convenience_methods(protocol: Protocol, side: Side) -> dict[str, bool]:
    """Return for each convenience method of a side whether the schema has all that it needs."""
    known = {*protocol.methods, *protocol.objects, *protocol.aliases}
    return {
        name: any(needed <= known for needed in alternatives)
        for name, alternatives in _CONVENIENCE_METHODS[side].items()
    }


def can_converse(protocol: Protocol) -> bool:
    """Return whether a client and a server can be emitted."""
    return not any(_missing(protocol))


def _missing(protocol: Protocol) -> Iterator[str]:
    envelopes = find_envelopes(protocol)
    roles: dict[str, tuple[str | None, Sequence[str]]] = {
        "request": (envelopes.request, ("id",)),
        "notification": (envelopes.notification, ()),
        "response": (envelopes.response, ("id", "result")),
        "error": (envelopes.error, ("id", "error.code", "error.message", "error.data")),
    }
    for role, (path, members) in roles.items():
        if path is None:
            yield f"the envelope of a {role}"
        else:
            yield from lacks(protocol, path, members)
    needed = {**_ALWAYS, **(_STATELESS if is_stateless(protocol) else _HANDSHAKE)}
    messages = {method.interface for method in protocol.methods.values()}
    for name, members in needed.items():
        is_message = name.endswith(("Request", "Notification"))
        if name not in (messages if is_message else protocol.objects):
            yield name
        else:
            yield from lacks(protocol, name, members)
    if is_stateless(protocol):
        for method in protocol.methods.values():
            if method.kind == "request" and not method.embedded and not _carries_meta(protocol, method.params):
                yield f"{method.name}: params._meta"


def lacks(protocol: Protocol, path: str, members: Sequence[str]) -> Iterator[str]:
    """Yield the members, as dotted paths, that an object type lacks."""
    for dotted in members:
        kind: Type | None = ObjectOf(path)
        for name in dotted.split(".") if not dotted.startswith("io.") else (dotted,):
            declared = object_of(protocol, kind)
            kind = next((each.type for each in declared.fields if each.name == name), None) if declared else None
        if kind is None:
            yield f"{path}.{dotted}"


def _carries_meta(protocol: Protocol, params: Type | None) -> bool:
    declared = object_of(protocol, params)
    return declared is not None and any(
        member.name == "_meta" and member.type == ObjectOf(REQUEST_META) for member in declared.fields
    )


def object_of(protocol: Protocol, kind: Type | None) -> ObjectType | None:
    """Return the object type that a type is, through aliases; None if it is a map or no object."""
    while isinstance(kind, AliasOf):
        kind = protocol.aliases[kind.name].type
    declared = protocol.objects[kind.path] if isinstance(kind, ObjectOf) else None
    return None if declared is None or declared.is_map else declared
