"""Calls of a server to a client: requests, or, from 2026-07-28 on, input requests in results."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from mcp_bindings_runtime.codec.checks import is_object

from mcp_bindgen.validate.entries import Json
from mcp_bindgen.validate.rules import json_access
from mcp_bindgen.validate.rules.demands import subject
from mcp_bindgen.validate.rules.rule import Path
from mcp_bindgen.validate.rules.turn import Turn

TO_CLIENT: Final = ("sampling/createMessage", "roots/list", "elicitation/create")


class Call(NamedTuple):
    """A call of the server to the client."""

    path: Path
    """Path of its params."""
    method: str
    params: dict[str, Json]
    capabilities: dict[str, Json] | None
    """Capabilities that the client declared; None if unknown."""


class Reply(NamedTuple):
    """The client's reply to a call."""

    path: Path
    """Path of the result."""
    method: str
    result: dict[str, Json]
    params: dict[str, Json]
    """Params of the call."""


def calls(turn: Turn) -> Iterator[Call]:
    """Yield the calls to the client in a message."""
    if not turn.facts.resumable:
        if turn.message.kind == "request" and turn.method in TO_CLIENT:
            yield Call(("params",), turn.method, turn.params, turn.history.capabilities.get("client"))
    elif turn.message.kind == "result":
        declared = declared_in(turn.request_params)
        for key, entry in json_access.fields(turn.result.get("inputRequests")).items():
            method = json_access.text(json_access.member(entry, "method"))
            if method in TO_CLIENT:
                params = json_access.fields(json_access.member(entry, "params"))
                yield Call(("result", "inputRequests", key, "params"), method, params, declared)


def replies(turn: Turn) -> Iterator[Reply]:
    """Yield the client's replies in a message whose calls are known."""
    if not turn.facts.resumable:
        if turn.message.kind == "result" and turn.method in TO_CLIENT:
            yield Reply(("result",), turn.method, turn.result, turn.request_params)
        return
    responses = json_access.fields(turn.params.get("inputResponses")) if turn.message.kind == "request" else {}
    about = turn.history.demands.about(subject(turn.method, turn.params)) if responses else []
    for key, response in responses.items():
        requests = [demand.inputs[key] for demand in about if key in demand.inputs]
        method = json_access.text(json_access.member(requests[0], "method")) if requests else None
        if method and all(json_access.same(entry, requests[0]) for entry in requests):
            params = json_access.fields(json_access.member(requests[0], "params"))
            yield Reply(("params", "inputResponses", key), method, json_access.fields(response), params)


def declared_in(params: dict[str, Json]) -> dict[str, Json] | None:
    """Return the capabilities that a client declares in a request of 2026-07-28; None if it declares none."""
    declared = json_access.member(params.get("_meta"), "io.modelcontextprotocol/clientCapabilities")
    return declared if is_object(declared) else None
