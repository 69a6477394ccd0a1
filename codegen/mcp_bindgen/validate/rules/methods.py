"""Senders of methods, and the capabilities that they require."""

from __future__ import annotations

from typing import Final, NamedTuple

from mcp_bindgen.validate.entries import Side
from mcp_bindgen.validate.rules.rule import STATELESS

_BOTH: Final[tuple[Side, Side]] = ("client", "server")


class Method(NamedTuple):
    """The specification's requirements for a method."""

    senders: tuple[Side, ...]
    capability: str | None = None
    """Dotted path of the required capability, of the receiver of a request or the sender of a notification."""
    since: str = ""
    """First revision that requires the capability; by default the first of all."""
    of_receiver: bool = True


def _client(capability: str | None = None, since: str = "") -> Method:
    return Method(("client",), capability, since)


def _server(capability: str | None = None, since: str = "") -> Method:
    return Method(("server",), capability, since)


def _notification(by: Side, capability: str) -> Method:
    return Method((by,), capability, of_receiver=False)


METHODS: Final = {
    "initialize": _client(),
    "ping": Method(_BOTH),
    "server/discover": _client(),
    "resources/list": _client("resources"),
    "resources/templates/list": _client("resources"),
    "resources/read": _client("resources"),
    "resources/subscribe": _client("resources.subscribe"),
    "resources/unsubscribe": _client("resources.subscribe"),
    "subscriptions/listen": _client(),
    "prompts/list": _client("prompts"),
    "prompts/get": _client("prompts"),
    "tools/list": _client("tools"),
    "tools/call": _client("tools"),
    "logging/setLevel": _client("logging"),
    "completion/complete": _client("completions", "2025-03-26"),
    "sampling/createMessage": _server("sampling"),
    "roots/list": _server("roots"),
    "elicitation/create": _server("elicitation", "2025-06-18"),
    "tasks/get": Method(_BOTH, "tasks", "2025-11-25"),
    "tasks/result": Method(_BOTH, "tasks", "2025-11-25"),
    "tasks/list": Method(_BOTH, "tasks.list", "2025-11-25"),
    "tasks/cancel": Method(_BOTH, "tasks.cancel", "2025-11-25"),
    "notifications/initialized": _client(),
    "notifications/cancelled": Method(_BOTH),
    "notifications/progress": Method(_BOTH),
    "notifications/message": _notification("server", "logging"),
    "notifications/resources/updated": _notification("server", "resources.subscribe"),
    "notifications/resources/list_changed": _notification("server", "resources.listChanged"),
    "notifications/tools/list_changed": _notification("server", "tools.listChanged"),
    "notifications/prompts/list_changed": _notification("server", "prompts.listChanged"),
    "notifications/roots/list_changed": _notification("client", "roots.listChanged"),
    "notifications/elicitation/complete": Method(("server",), "elicitation.url", "2025-11-25"),
    "notifications/tasks/status": Method(_BOTH, "tasks", "2025-11-25", of_receiver=False),
    "notifications/subscriptions/acknowledged": _server(),
}


def sender_by(method: str | None, revision: str) -> Side | None:
    """Return the only side that may send a method; None if both may, or if it is unknown."""
    if method == "notifications/progress" and revision in STATELESS:
        return "server"
    known = METHODS.get(method or "")
    return known.senders[0] if known and len(known.senders) == 1 else None
