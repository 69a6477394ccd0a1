"""May this message be sent, or taken, now? One table per era; nothing else decides it.

A session of the handshake era (2024-11-05 to 2025-11-25: Lifecycle; Ping; Logging) goes through

    new --initialize--> offered --its result--> agreed --notifications/initialized--> open --> closed

A server answers ``initialize`` at once, so it is never seen ``offered``; a client accepts the answer and says so at once,
so it hears nothing while ``agreed``.

A session of the stateless era (2026-07-28: Versioning and Compatibility; Message Patterns; stdio) is open from the start:
there every request stands alone, clients send no responses, and servers no requests.

What a side sends is held to the table to the letter. What it takes is judged more mildly where the text says SHOULD: a
client may go on as soon as ``initialize`` is answered, without waiting to be seen to have sent
``notifications/initialized``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from ..facts import Era
from ..methods import Side

State: TypeAlias = Literal["new", "offered", "agreed", "open", "closed"]

Kind: TypeAlias = Literal["initialize", "initialized", "ping", "log", "request", "notification", "response"]
"""Kinds of messages that the tables tell apart.

``log`` is ``notifications/message``; ``request`` and ``notification`` are those that are none of the others.
"""

_EVERYTHING: frozenset[Kind] = frozenset({"ping", "log", "request", "notification", "response"})
_INITIALIZED: frozenset[Kind] = frozenset({"initialized"})
_NOTHING: frozenset[Kind] = frozenset()

Table: TypeAlias = Mapping[Side, Mapping[State, frozenset[Kind]]]

MAY_SEND: Mapping[Era, Table] = {
    "handshake": {
        "client": {
            "new": frozenset({"initialize", "response"}),
            "offered": frozenset({"ping", "response"}),
            "agreed": frozenset({"initialized", "ping", "response"}),
            "open": _EVERYTHING,
            "closed": _NOTHING,
        },
        "server": {
            "new": frozenset({"response"}),
            "agreed": frozenset({"ping", "log", "response"}),
            "open": _EVERYTHING,
            "closed": _NOTHING,
        },
    },
    "stateless": {
        "client": {"open": frozenset({"request", "notification"}), "closed": _NOTHING},
        "server": {"open": frozenset({"log", "notification", "response"}), "closed": _NOTHING},
    },
}
"""By era, sender and state."""

MAY_RECEIVE: Mapping[Era, Table] = {
    "handshake": {
        "client": {
            "new": frozenset({"ping", "log", "response"}),
            "offered": frozenset({"ping", "log", "notification", "response"}),
            "open": _EVERYTHING,
            "closed": _NOTHING,
        },
        "server": {
            "new": frozenset({"initialize", "ping"}),
            "agreed": _EVERYTHING | _INITIALIZED,
            "open": _EVERYTHING,
            "closed": _NOTHING,
        },
    },
    "stateless": {
        "client": {"open": frozenset({"log", "notification", "response"}), "closed": _NOTHING},
        "server": {"open": frozenset({"request", "notification"}), "closed": _NOTHING},
    },
}
"""By era, receiver and state. What is not taken is refused if it is a request, and dropped if not."""

INITIAL_STATE: Mapping[Era, State] = {"handshake": "new", "stateless": "open"}
"""The state in which a session begins."""

_KINDS: Mapping[str, Kind] = {
    "initialize": "initialize",
    "notifications/initialized": "initialized",
    "ping": "ping",
    "notifications/message": "log",
}


def kind_of(method: str, *, request: bool) -> Kind:
    """What the tables call a message of this method."""
    return _KINDS.get(method, "request" if request else "notification")
