"""Minimal params of each method, for tests that send all methods."""

from __future__ import annotations

from copy import deepcopy
from functools import cache
from typing import Any

from mcp_bindgen.ir.protocol import ObjectOf
from strategies.values import Values
from support.bindings import binding
from support.official_schemas import ours
from support.revisions import STATELESS, those_with_methods
from support.sessions import meta

Json = Any

TEXT = {"type": "text", "text": "x"}
FORM = {"message": "?", "requestedSchema": {"type": "object", "properties": {}}}

NEEDED: dict[str, Json] = {
    "completion/complete": {"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "a", "value": ""}},
    "elicitation/create": FORM,
    "logging/setLevel": {"level": "info"},
    "prompts/get": {"name": "p"},
    "resources/read": {"uri": "file:///x"},
    "resources/subscribe": {"uri": "file:///x"},
    "resources/unsubscribe": {"uri": "file:///x"},
    "sampling/createMessage": {"messages": [{"role": "user", "content": TEXT}], "maxTokens": 1},
    "subscriptions/listen": {"notifications": {}},
    "tasks/cancel": {"taskId": "1"},
    "tasks/get": {"taskId": "1"},
    "tasks/result": {"taskId": "1"},
    "tools/call": {"name": "t"},
    "notifications/cancelled": {"requestId": 1},
    "notifications/elicitation/complete": {"elicitationId": "1"},
    "notifications/message": {"level": "info", "data": 1},
    "notifications/progress": {"progressToken": 1, "progress": 1},
    "notifications/resources/updated": {"uri": "file:///x"},
    "notifications/tasks/status": {
        "taskId": "1",
        "status": "working",
        "ttl": None,
        "createdAt": "2025-11-25T00:00:00Z",
        "lastUpdatedAt": "2025-11-25T00:00:00Z",
    },
}
"""Params by method; other methods have the fewest members that their schema allows."""


def least_message(revision: str, name: str) -> Json:
    """Return the request or notification with the fewest members that the schema allows."""
    protocol = ours(revision)
    return Values(protocol).least(ObjectOf(protocol.methods[name].interface))


def least_result(revision: str, name: str) -> Json:
    """Return the result with the fewest members that the schema allows."""
    protocol = ours(revision)
    return Values(protocol).least(protocol.methods[name].results[0])


@cache
def _least_params(name: str) -> Json:
    *_, newest = those_with_methods(name)
    params = least_message(newest, name).get("params", {})
    return {member: value for member, value in params.items() if member != "_meta"} or None


def raw_params(name: str) -> Json:
    """Return the params as JSON, without ``_meta``; None if the method needs none."""
    return deepcopy(NEEDED[name] if name in NEEDED else _least_params(name))


def params_of(revision: str, key: Any) -> Any:
    """Return the params as an object of the revision; None if the method needs none."""
    raw = raw_params(key.name)
    if raw is None:
        return None
    if revision in STATELESS and key.name in binding(revision).requests and not key.embedded:
        raw = {**raw, "_meta": meta(revision)}
    return binding(revision).codec.structure(raw, key.params)
