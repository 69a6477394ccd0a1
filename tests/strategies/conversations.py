"""Random conversations from the types of a protocol: all messages are valid, all responses have a request."""

from __future__ import annotations

from random import Random
from typing import Any

from mcp_bindgen.ir.protocol import Method, Protocol
from strategies.values import Values

Json = Any
Talk = list[tuple[str, dict[str, Json]]]
"""Senders with their messages."""

ERROR = {"code": -32603, "message": "no", "data": None}
META = "io.modelcontextprotocol/protocolVersion"


def conversation(protocol: Protocol, random: Random, length: int = 12, without: str | None = None) -> Talk:
    """Draw requests and notifications, and responses to some of the requests, in any possible order."""
    made = Values(protocol)
    methods = [method for name, method in protocol.methods.items() if not method.embedded and name != without]
    talk: Talk = []
    waiting: list[tuple[str, Json, Method]] = []
    for number in range(length):
        method = random.choice(methods)
        sender = random.choice(method.sent_by)
        message = made.drawn(made.type(method.interface), random, 3)
        message = {"jsonrpc": "2.0", **message}
        message.pop("id", None)
        if method.kind == "request":
            name = random.choice([number, f"n{number}", str(number)])
            message = {**message, "id": name}
            waiting.append((sender, name, method))
        talk.append((sender, with_revision(message, protocol.revision)))
        while waiting and random.random() < 0.4:
            talk.append(_answer(waiting.pop(random.randrange(len(waiting))), made, random))
    return talk


def with_revision(message: dict[str, Json], revision: str) -> dict[str, Json]:
    """Return the message with the revision in its ``_meta``, if its type names one there."""
    meta = message.get("params", {}).get("_meta", {})
    if META in meta:
        meta[META] = revision
    return message


def _answer(asked: tuple[str, Json, Method], made: Values, random: Random) -> tuple[str, dict[str, Json]]:
    sender, name, method = asked
    other = "server" if sender == "client" else "client"
    if random.random() < 0.2:
        return other, {"jsonrpc": "2.0", "id": name, "error": ERROR}
    assert method.result is not None
    result = made.drawn(method.result, random, 3)
    return other, {"jsonrpc": "2.0", "id": name, "result": result}


def handshake(revision: str) -> Talk:
    """Return the messages that start a session of the revision."""
    who = {"name": "x", "version": "1"}
    offer = {"protocolVersion": revision, "capabilities": {}, "clientInfo": who}
    answer = {"protocolVersion": revision, "capabilities": {"tools": {}}, "serverInfo": who}
    return [
        ("client", {"jsonrpc": "2.0", "id": "first", "method": "initialize", "params": offer}),
        ("server", {"jsonrpc": "2.0", "id": "first", "result": answer}),
        ("client", {"jsonrpc": "2.0", "method": "notifications/initialized"}),
    ]
