"""Messages for the benchmarks: everyday messages of clients and servers, small, medium and large.

The module uses only the standard library, because every contender reads it in an environment of its own.
"""

from __future__ import annotations

import base64
import functools
import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

REVISIONS = ("2025-03-26", "2025-11-25", "2026-07-28")
"""Revisions, oldest first."""

Size = Literal["small", "medium", "large"]
Sender = Literal["client", "server"]
Json = dict[str, Any]


class Message(NamedTuple):
    """One line of JSON, valid in its revision."""

    name: str
    size: Size
    sender: Sender
    data: bytes
    """Compact UTF-8 without unnecessary escapes and without a line end."""
    method: str | None
    """Method of a request or a notification."""
    answers: str | None
    """Method of the request, for a response."""
    id: int | str | None
    """Id of a request or a response."""


TOOLS = 200
RESOURCES = 1_000
BLOB = 1_000_000
"""Size of the blob, in bytes of base64."""


@functools.cache
def messages(revision: str) -> Mapping[str, Message]:
    """Return the messages of one of ``REVISIONS`` by name, from small to large; the same at each call."""
    made = _stateless(revision) if revision == "2026-07-28" else _with_sessions(revision)
    return MappingProxyType({each.name: each for each in made})


def _message(name: str, size: Size, sender: Sender, *, answers: str | None = None, **members: Any) -> Message:
    value = {"jsonrpc": "2.0", **members}
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return Message(name, size, sender, text.encode(), members.get("method"), answers, members.get("id"))


def _with_sessions(revision: str) -> list[Message]:
    new = revision != "2025-03-26"
    call = {"name": "get_forecast", "arguments": {"city": "Zürich", "days": 3}, "_meta": {"progressToken": 12}}
    return [
        _message("ping", "small", "client", id=1, method="ping"),
        _message("tools/call", "small", "client", id=12, method="tools/call", params=call),
        _message("progress", "small", "server", method="notifications/progress", params=_progress()),
        _message("initialize", "medium", "client", id=0, method="initialize", params=_initialize(revision, new=new)),
        _message(
            "initialize result", "medium", "server", id=0, result=_initialized(revision, new=new), answers="initialize"
        ),
        _message("tool result", "medium", "server", id=12, result=_five_blocks(new=new), answers="tools/call"),
        _message("sampling", "medium", "server", id="s-1", method="sampling/createMessage", params=_sampling(revision)),
        _message("sampling result", "medium", "client", id="s-1", result=_sampled(), answers="sampling/createMessage"),
        _message(f"{TOOLS} tools", "large", "server", id=2, result={"tools": _tools(revision)}, answers="tools/list"),
        _message(
            f"{RESOURCES} resources",
            "large",
            "server",
            id=3,
            result={"resources": _resources(new=new), "nextCursor": "eyJwYWdlIjoyfQ=="},
            answers="resources/list",
        ),
        _message("blob", "large", "server", id=4, result=_blob(new=new), answers="resources/read"),
    ]


def _stateless(revision: str) -> list[Message]:
    """Return messages for a revision without ping and sessions: resource requests and discovery replace them."""
    meta = _request_meta(revision)
    cached = {
        "_meta": {"io.modelcontextprotocol/serverInfo": _server(new=True)},
        "resultType": "complete",
        "ttlMs": 300_000,
        "cacheScope": "public",
    }
    served = {"_meta": {"io.modelcontextprotocol/serverInfo": {"name": "weather", "version": "3.1.0"}}}
    bare: Json = {
        "io.modelcontextprotocol/protocolVersion": revision,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    call = {"name": "get_forecast", "arguments": {"city": "Zürich", "days": 3}}
    again = {
        **call,
        "inputResponses": {"summary": _sampled()},
        "requestState": "b3BhcXVlLXN0YXRlLTE3",
        "_meta": meta,
    }
    asked = {
        **served,
        "resultType": "input_required",
        "inputRequests": {"summary": {"method": "sampling/createMessage", "params": _sampling(revision)}},
        "requestState": "b3BhcXVlLXN0YXRlLTE3",
    }
    discovered = {
        **cached,
        "supportedVersions": [revision],
        "capabilities": _server_capabilities(new=True),
        "instructions": INSTRUCTIONS,
    }
    return [
        _message("resources/list", "small", "client", id=1, method="resources/list", params={"_meta": bare}),
        _message(
            "tools/call",
            "small",
            "client",
            id=12,
            method="tools/call",
            params={**call, "_meta": {"progressToken": 12, **bare}},
        ),
        _message("progress", "small", "server", method="notifications/progress", params=_progress()),
        _message("discover", "medium", "client", id=0, method="server/discover", params={"_meta": meta}),
        _message("discover result", "medium", "server", id=0, result=discovered, answers="server/discover"),
        _message(
            "tool result",
            "medium",
            "server",
            id=12,
            result={**served, "resultType": "complete", **_five_blocks(new=True)},
            answers="tools/call",
        ),
        _message("sampling", "medium", "server", id=13, result=asked, answers="tools/call"),
        _message("sampling result", "medium", "client", id=14, method="tools/call", params=again),
        _message(
            f"{TOOLS} tools",
            "large",
            "server",
            id=2,
            result={**cached, "tools": _tools(revision)},
            answers="tools/list",
        ),
        _message(
            f"{RESOURCES} resources",
            "large",
            "server",
            id=3,
            result={**cached, "resources": _resources(new=True), "nextCursor": "eyJwYWdlIjoyfQ=="},
            answers="resources/list",
        ),
        _message("blob", "large", "server", id=4, result={**cached, **_blob(new=True)}, answers="resources/read"),
    ]


INSTRUCTIONS = (
    "Forecasts are for the next ten days at most. Ask for a city first with search_places, as names are ambiguous; "
    "temperatures are in degrees Celsius, wind in metres per second. Cite the station that a value comes from."
)


def _client(*, new: bool) -> Json:
    client: Json = {"name": "example-desktop", "version": "1.42.0"}
    if new:
        client |= {
            "title": "Example Desktop",
            "description": "A chat application that talks to tools",
            "websiteUrl": "https://desktop.example.com",
            "icons": [{"src": "https://desktop.example.com/icon.png", "mimeType": "image/png", "sizes": ["48x48"]}],
        }
    return client


def _server(*, new: bool) -> Json:
    server: Json = {"name": "weather", "version": "3.1.0"}
    if new:
        server |= {
            "title": "Weather of the world",
            "websiteUrl": "https://weather.example.com",
            "icons": [
                {"src": "https://weather.example.com/light.svg", "mimeType": "image/svg+xml", "theme": "light"},
                {"src": "https://weather.example.com/dark.svg", "mimeType": "image/svg+xml", "theme": "dark"},
            ],
        }
    return server


def _initialize(revision: str, *, new: bool) -> Json:
    capabilities: Json = {"experimental": {}, "roots": {"listChanged": True}, "sampling": {}}
    if new:
        capabilities |= {"sampling": {"tools": {}}, "elicitation": {"form": {}, "url": {}}}
    return {"protocolVersion": revision, "capabilities": capabilities, "clientInfo": _client(new=new)}


def _server_capabilities(*, new: bool) -> Json:
    capabilities: Json = {
        "logging": {},
        "completions": {},
        "prompts": {"listChanged": True},
        "resources": {"subscribe": True, "listChanged": True},
        "tools": {"listChanged": True},
    }
    return capabilities if new else {"experimental": {}, **capabilities}


def _initialized(revision: str, *, new: bool) -> Json:
    return {
        "protocolVersion": revision,
        "capabilities": _server_capabilities(new=new),
        "serverInfo": _server(new=new),
        "instructions": INSTRUCTIONS,
    }


def _request_meta(revision: str) -> Json:
    return {
        "progressToken": "call-14",
        "io.modelcontextprotocol/protocolVersion": revision,
        "io.modelcontextprotocol/clientInfo": _client(new=True),
        "io.modelcontextprotocol/clientCapabilities": {
            "roots": {},
            "sampling": {"tools": {}},
            "elicitation": {"form": {}, "url": {}},
        },
        "io.modelcontextprotocol/logLevel": "info",
        "traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    }


def _progress() -> Json:
    return {"progressToken": 12, "progress": 0.25, "total": 1, "message": "Asking 3 stations"}


def _annotations(priority: float, *, new: bool) -> Json:
    annotations: Json = {"audience": ["user", "assistant"], "priority": priority}
    return {**annotations, "lastModified": "2026-05-04T10:15:00Z"} if new else annotations


def _five_blocks(*, new: bool) -> Json:
    picture = base64.b64encode(bytes(range(256)) * 3).decode()
    report = "# Zürich\n\n" + "".join(
        f'- {hour:02}:00, {8 + hour % 7} °C, wind "{hour % 5 + 1} m/s"\n' for hour in range(12)
    )
    blocks: list[Json] = [
        {"type": "text", "text": "Light rain until noon, then clearing. 11 °C at most.\nWind from the west, 4 m/s."},
        {"type": "text", "text": "station LSZH, 432 m", "annotations": {"audience": ["assistant"], "priority": 0.2}},
        {"type": "image", "data": picture, "mimeType": "image/png", "annotations": _annotations(0.9, new=new)},
        {
            "type": "resource",
            "resource": {"uri": "weather://zurich/report.md", "mimeType": "text/markdown", "text": report},
        },
    ]
    if not new:
        blocks.append({"type": "audio", "data": picture[:400], "mimeType": "audio/wav"})
        return {"content": blocks, "isError": False}
    blocks.append(
        {
            "type": "resource_link",
            "uri": "weather://zurich/radar.png",
            "name": "radar.png",
            "title": "Radar picture",
            "description": "The last hour of radar echoes around Zürich",
            "mimeType": "image/png",
            "size": 18_204,
            "annotations": _annotations(0.5, new=new),
        }
    )
    days = [{"day": day, "low": 4.5 + day, "high": 11.0 + day, "rain": day % 2 == 0} for day in range(3)]
    return {"content": blocks, "structuredContent": {"city": "Zürich", "days": days}, "isError": False}


def _sampling(revision: str) -> Json:
    new = revision != "2025-03-26"
    said: list[Json] = [
        {
            "role": "user",
            "content": {"type": "text", "text": "What should I wear in Zürich today?\nI leave at 7:30 by bicycle."},
        },
        {"role": "assistant", "content": {"type": "text", "text": "Let me look at the forecast for this morning."}},
    ]
    if new:
        said[1]["content"] = [
            said[1]["content"],
            {"type": "tool_use", "id": "toolu_01", "name": "get_forecast", "input": {"city": "Zürich", "days": 1}},
        ]
        told = {"type": "text", "text": "Light rain until noon, then clearing. 11 °C at most."}
        result = {"type": "tool_result", "toolUseId": "toolu_01", "content": [told], "isError": False}
        said.append({"role": "user", "content": [result]})
    else:
        said.append({"role": "user", "content": {"type": "text", "text": "Light rain until noon. 11 °C at most."}})
    params: Json = {
        "messages": said,
        "modelPreferences": {
            "hints": [{"name": "claude-sonnet"}, {"name": "claude"}],
            "costPriority": 0.3,
            "speedPriority": 0.8,
            "intelligencePriority": 0.5,
        },
        "systemPrompt": "You are a weather presenter. Answer in two sentences, without a greeting.",
        "includeContext": "none",
        "temperature": 0.7,
        "maxTokens": 400,
        "stopSequences": ["\n\n"],
    }
    if new:
        params |= {"tools": _tools(revision)[:2], "toolChoice": {"mode": "auto"}}
    return params


def _sampled() -> Json:
    text = "Take a rain jacket and gloves: it is 7 °C with light rain when you leave. It clears after noon."
    return {
        "role": "assistant",
        "content": {"type": "text", "text": text},
        "model": "claude-sonnet-4-5",
        "stopReason": "endTurn",
    }


VERBS = ("get", "list", "create", "update", "delete", "search", "export", "compare", "watch", "summarize")
NOUNS = (
    *("forecast", "station", "alert", "observation", "place", "radar_image", "climate_normal", "subscription"),
    *("report", "webcam", "river_level", "snow_depth", "air_quality", "pollen_count", "tide", "lightning_strike"),
    *("forecast_model", "satellite_pass", "dashboard", "user_setting"),
)


def _tools(revision: str) -> list[Json]:
    new = revision != "2025-03-26"
    return [_tool(number, f"{verb}_{noun}", revision, new=new) for number, (noun, verb) in enumerate(_pairs())]


def _pairs() -> list[tuple[str, str]]:
    return [(noun, verb) for noun in NOUNS for verb in VERBS]


def _tool(number: int, name: str, revision: str, *, new: bool) -> Json:
    words = name.replace("_", " ")
    title = words.capitalize()
    tool: Json = {
        "name": name,
        "description": f"{title}. Use this when the user names a place; for coordinates, call search_place first. "
        "Gives at most `limit` entries, newest first.",
        "inputSchema": _input_schema(number, words.partition(" ")[0]),
        "annotations": {
            "title": title,
            "readOnlyHint": not name.startswith(("create", "update", "delete")),
            "destructiveHint": name.startswith("delete"),
            "idempotentHint": number % 3 != 0,
            "openWorldHint": True,
        },
    }
    if not new:
        return tool
    tool["title"] = title
    if number % 4 == 0:
        tool["icons"] = [
            {"src": f"https://weather.example.com/{name}.png", "mimeType": "image/png", "sizes": ["48x48"]}
        ]
    if number % 2 == 0:
        tool["outputSchema"] = {
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "The name as it was resolved"},
                "values": {"type": "array", "items": {"type": "number"}},
            },
            "required": ["city", "values"],
        }
    if number % 5 == 0 and revision == "2025-11-25":
        tool["execution"] = {"taskSupport": "optional"}
    if number % 3 == 0:
        tool["_meta"] = {"com.example.weather/team": "forecasting", "com.example.weather/cost": number % 7}
    return tool


def _input_schema(number: int, verb: str) -> Json:
    properties: Json = {
        "city": {"type": "string", "description": "Name of the city, in any language", "minLength": 1},
        "days": {"type": "integer", "description": "How many days, from today on", "minimum": 1, "maximum": 10},
        "units": {"type": "string", "enum": ["metric", "imperial"], "default": "metric"},
        "limit": {"type": "integer", "default": 20, "description": f"How many entries to {verb} at most"},
    }
    if number % 2:
        properties["bounds"] = {
            "type": "object",
            "description": "A rectangle in degrees",
            "properties": {side: {"type": "number"} for side in ("north", "east", "south", "west")},
            "required": ["north", "east", "south", "west"],
        }
    if number % 3 == 0:
        properties["tags"] = {"type": "array", "items": {"type": "string"}, "uniqueItems": True}
    schema: Json = {"type": "object", "properties": properties, "required": ["city"]}
    if number % 10 == 0:
        # Declared by the newest revision alone, and sent by many a server to clients of all.
        schema["additionalProperties"] = False
    return schema


def _resources(*, new: bool) -> list[Json]:
    return [_resource(number, new=new) for number in range(RESOURCES)]


def _resource(number: int, *, new: bool) -> Json:
    station = f"station-{number:04}"
    resource: Json = {
        "uri": f"weather://stations/{station}/observations.json",
        "name": station,
        "description": f"Hourly observations of station {number}, {number % 90 + 2} °C at most, since {1950 + number % 70}",
        "mimeType": "application/json",
    }
    if number % 2 == 0:
        resource["annotations"] = _annotations(number % 10 / 10, new=new and number % 4 == 0)
    if number % 3 != 0:
        resource["size"] = 1_000 + 37 * number
    if new:
        resource["title"] = f"Station {number}"
        if number % 5 == 0:
            resource["_meta"] = {"com.example.weather/height": number % 3_000, "com.example.weather/active": True}
    return resource


def _blob(*, new: bool) -> Json:
    pattern = bytes(7 * each % 251 for each in range(251))
    blob = base64.b64encode((pattern * (BLOB // 251))[: 3 * BLOB // 4]).decode()
    contents: Json = {"uri": "weather://radar/archive.zip", "mimeType": "application/zip", "blob": blob}
    if new:
        contents["_meta"] = {"com.example.weather/sha256": "9f86d081884c7d659a2feaa0c55ad015"}
    return {"contents": [contents]}
