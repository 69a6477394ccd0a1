"""Tables of the messages that are allowed in each state of a session, by era.

A session of the handshake era (2024-11-05 to 2025-11-25: Lifecycle; Ping; Logging) has the states

    new --initialize--> offered --its result--> agreed --notifications/initialized--> open --> closed

A server answers ``initialize`` at once, so it is never ``offered``. A client sends ``notifications/initialized`` as soon
as it accepts the result, so it receives nothing while ``agreed``.

A session of the stateless era (2026-07-28: Versioning and Compatibility; Message Patterns; stdio) begins ``open``. Clients
send no responses there, and servers no requests.

Sending is held to the letter of the specification. Receiving is more tolerant where it says SHOULD: a client may send
requests as soon as ``initialize`` is answered, before its ``notifications/initialized`` arrives.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from ..facts import Era
from ..methods import Side

State: TypeAlias = Literal["new", "offered", "agreed", "open", "closed"]

Kind: TypeAlias = Literal["initialize", "initialized", "ping", "log", "request", "notification", "response"]
"""Kinds of messages in the tables: ``log`` is ``notifications/message``; ``request`` and ``notification`` are the rest."""

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
"""Messages that may be sent, by era, sender and state."""

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
"""Messages that are accepted, by era, receiver and state. Other requests are refused, other messages dropped."""

INITIAL_STATE: Mapping[Era, State] = {"handshake": "new", "stateless": "open"}

_KINDS: Mapping[str, Kind] = {
    "initialize": "initialize",
    "notifications/initialized": "initialized",
    "ping": "ping",
    "notifications/message": "log",
}


def kind_of(method: str, *, request: bool) -> Kind:
    """Return the kind of a message with this method."""
    return _KINDS.get(method, "request" if request else "notification")
