"""Minimal params of each method, for tests that send all methods."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from support.bindings import binding
from support.sessions import STATELESS, meta

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
"""Params by method; the other methods need none."""


def raw_params(name: str) -> Json:
    """Return the params as JSON, without ``_meta``; None if the method needs none."""
    return deepcopy(NEEDED.get(name))


def params_of(revision: str, key: Any) -> Any:
    """Return the params as an object of the revision; None if the method needs none."""
    raw = raw_params(key.name)
    if raw is None:
        return None
    if revision == STATELESS and key.name in binding(revision).requests and not key.embedded:
        raw = {**raw, "_meta": meta()}
    return binding(revision).codec.structure(raw, key.params)
