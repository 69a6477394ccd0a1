"""Sessions of both sides in a given state, reached by real messages, and raw messages to feed them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from mcp_bindings_runtime.session.events import Event, Incoming, Notified, Outcome, Reply
from mcp_bindings_runtime.session.handshake import HandshakeClientSession, HandshakeServerSession
from mcp_bindings_runtime.session.stateless import StatelessClientSession, StatelessServerSession
from support.bindings import binding
from support.revisions import HANDSHAKE, STATELESS

Json = Any

TASKS = {"list": {}, "cancel": {}}
DECLARED: dict[str, Json] = {
    "client": {
        "roots": {"listChanged": True},
        "sampling": {},
        "elicitation": {"form": {}, "url": {}},
        "tasks": {**TASKS, "requests": {"sampling": {"createMessage": {}}}},
    },
    "server": {
        "completions": {},
        "logging": {},
        "prompts": {"listChanged": True},
        "resources": {"listChanged": True, "subscribe": True},
        "tools": {"listChanged": True},
        "tasks": {**TASKS, "requests": {"tools": {"call": {}}}},
    },
}
"""All capabilities; those that a revision does not declare are kept as undeclared members."""

INFO = {"client": {"name": "a client", "version": "1"}, "server": {"name": "a server", "version": "2"}}


def capabilities(revision: str, side: str, declared: Json = None) -> Any:
    """Return a capabilities object of the revision, by default with all capabilities."""
    types = binding(revision).types
    cls = types.ServerCapabilities if side == "server" else types.ClientCapabilities
    return binding(revision).codec.structure(DECLARED[side] if declared is None else declared, cls)


def _info(revision: str, side: str) -> Any:
    return binding(revision).types.Implementation(**INFO[side])


def client(revision: str, declared: Json = None, **options: Any) -> Any:
    """Return a new client session."""
    cls: Any = HandshakeClientSession if revision in HANDSHAKE else StatelessClientSession
    made = capabilities(revision, "client", declared)
    return cls(binding(revision), info=_info(revision, "client"), capabilities=made, **options)


def server(revision: str, declared: Json = None, **options: Any) -> Any:
    """Return a new server session."""
    cls: Any = HandshakeServerSession if revision in HANDSHAKE else StatelessServerSession
    made = capabilities(revision, "server", declared)
    return cls(binding(revision), info=_info(revision, "server"), capabilities=made, **options)


def pair(revision: str, client_declares: Json = None, server_declares: Json = None) -> tuple[Any, Any]:
    """Return a client session and a server session after the handshake."""
    left, right = client(revision, client_declares), server(revision, server_declares)
    if revision in HANDSHAKE:
        _, hello = left.start_handshake()
        welcome = only(right.receive(hello), Reply)
        right.receive(left.finish_handshake(only(left.receive(welcome.line), Outcome).result))
    else:
        _, hello = left.request(binding(revision).requests["server/discover"], None)
        found = only(right.receive(hello), Reply)
        left.record_discovery(only(left.receive(found.line), Outcome).result)
    return left, right


def opened(revision: str, side: str) -> Any:
    """Return one session of a conversation after the handshake."""
    return pair(revision)[0 if side == "client" else 1]


# Raw messages.


def line(value: Json) -> bytes:
    return json.dumps(value).encode()


def meta(revision: str = STATELESS[-1], **entries: Json) -> Json:
    """Return the ``_meta`` that requests of the stateless era require."""
    prefix = "io.modelcontextprotocol/"
    return {
        prefix + "protocolVersion": revision,
        prefix + "clientInfo": INFO["client"],
        prefix + "clientCapabilities": DECLARED["client"],
        **entries,
    }


def call(revision: str, method: str, request_id: Json = 7, params: Json = None) -> Json:
    """Return a request; with ``_meta`` if the revision requires it."""
    message: Json = {"jsonrpc": "2.0", "id": request_id, "method": method}
    if revision in STATELESS:
        params = {"_meta": meta(revision), **(params or {})}
    return message if params is None else {**message, "params": params}


def initialize(revision: str, request_id: Json = 7, version: str | None = None) -> Json:
    params = {
        "protocolVersion": version or revision,
        "capabilities": DECLARED["client"],
        "clientInfo": INFO["client"],
    }
    return call(revision, "initialize", request_id, params)


def tell(method: str, params: Json = None) -> Json:
    """Return a notification."""
    message: Json = {"jsonrpc": "2.0", "method": method}
    return message if params is None else {**message, "params": params}


def result(request_id: Json, value: Json) -> Json:
    return {"jsonrpc": "2.0", "id": request_id, "result": value}


def listed(revision: str, **members: Json) -> Json:
    """Return a result of ``tools/list``."""
    cached = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"} if revision in STATELESS else {}
    return {"tools": [], **cached, **members}


# What has come of them.


def only(events: Sequence[Event], kind: type | None = None) -> Any:
    """Return the only event, which must be of this class."""
    assert len(events) == 1, events
    assert kind is None or events[0].__class__ is kind, vars_of(events[0])
    return events[0]


def vars_of(event: Event) -> Json:
    return {name: getattr(event, name) for name in event.__slots__}


def answer(events: Sequence[Event]) -> Json:
    """Return the JSON of the only line to send."""
    return json.loads(only(events, Reply).line)


def taken(events: Sequence[Event]) -> Any:
    """Return the only request or notification for a handler."""
    event = only(events)
    assert isinstance(event, (Incoming, Notified)), vars_of(event)
    return event
