"""Parsing of log lines: the message, and the sender that a recorder, proxy or client wrote around it.

Supported are

    {"direction": "client->server", "message": {…}}         a JSON object around it; the keys are those of ``SENDER_KEYS``
    {"t": "…", "dir": "in", "raw": "{…}"}                    and ``MESSAGE_KEYS``, and the message may be JSON in a string
    … Message from client: {…}                               text before it that names the sender, or both sides with
    … [server -> client] {…}                                 an arrow between them; text after it is passed over
    data: {…}                                                an event of a stream that a server sends

and, where text is expected, a message after text that says nothing of the kind.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from mcp_bindgen.validate.entries import Json, Side

SENDER_KEYS = ("direction", "dir", "from", "sender")
"""Keys of a wrapping object that name the sender."""

MESSAGE_KEYS = ("message", "payload", "raw", "json", "data")
"""Keys of the message in a wrapping object."""

CONVERSATION_KEYS = ("session", "sessionId", "session_id", "connection", "connectionId", "server")
"""Keys of the conversation's name in a wrapping object."""

_MESSAGE = frozenset({"jsonrpc", "id", "method", "params", "result", "error"})
_OF_A_LOG = frozenset({"t", "ts", "time", "timestamp", "startedAt", "started_at", *SENDER_KEYS})
_NO_SIDES = frozenset({"request", "response", "notification", "message", "event", "info", "debug", "json", "jsonrpc"})
_ALIASES: Mapping[str, Side] = {
    "client": "client",
    "c": "client",
    "host": "client",
    "editor": "client",
    "inspector": "client",
    "server": "server",
    "s": "server",
}
_SIDES: Mapping[str, Side] = {
    **{name: side for name, side in _ALIASES.items() if len(name) > 1},
    "c2s": "client",
    "s2c": "server",
    "stdin": "client",
    "stdout": "server",
}
_PAIR = re.compile(r"([a-z]+)(?:-to)?-([a-z]+)")
_LONGEST_WORD = 32
_LONGEST_NAME = 200

_FROM = re.compile(r"\bfrom (client|server)\b:?", re.IGNORECASE)
_ARROW = re.compile(
    r"\b(client|host|editor|server)\s*(?:-+>|=+>|\N{RIGHTWARDS ARROW}|\bto\b)\s*(client|host|editor|server)\b[\]):]*",
    re.IGNORECASE,
)
_EVENT = re.compile(r"data: ?(?=[\[{])")
_EVENT_FIELD = re.compile(r"(?:event|id|retry): ?.*|:.*")
_START = re.compile(r"[\[{]\s*[\"{]")
_BRACKETED = re.compile(r"\[([\w.@/ -]{1,64})\]")
_LEVELS = frozenset({"trace", "debug", "info", "notice", "warn", "warning", "error", "fatal"})
_CUT = re.compile(r"\d{1,12} chars truncated")


class Wrapped(NamedTuple):
    """A message in a line of a log, with what the line says about it."""

    value: Json
    """The message; a string if it is JSON that must still be parsed."""
    sender: Side | None
    word: str | None
    """The log's word for the direction, if it names no side: ``send``."""
    conversation: str | None


class Prefixed(NamedTuple):
    """Text before a message in a line, with what it says about the message."""

    start: int
    """Offset of the message."""
    sender: Side | None
    conversation: str | None
    sure: bool
    """Whether the text announces a message; otherwise it only looks like one."""


def unwrap(value: Json) -> Wrapped | None:
    """Return the message in a wrapping object; None if ``value`` is not one, and so a message itself."""
    if value.__class__ is not dict or not _MESSAGE.isdisjoint(value):
        return None
    key = next((key for key in MESSAGE_KEYS if _may_hold(value.get(key))), None)
    if key is None:
        return None
    payload = value[key]
    direction = next((value[key] for key in SENDER_KEYS if isinstance(value.get(key), str)), None)
    if direction is None and side_of(value.get("type")) is not None:
        direction = value["type"]
    if direction is None and not _is_message(payload):
        return None
    name = next((value[key] for key in CONVERSATION_KEYS if isinstance(value.get(key), str)), None)
    return Wrapped(payload, side_of(direction), word_of(direction), None if name is None else name[:_LONGEST_NAME])


def is_remark(value: Json) -> bool:
    """Return whether an object is a recorder's own line: it has a time or a direction and no message."""
    return value.__class__ is dict and _MESSAGE.isdisjoint(value) and not _OF_A_LOG.isdisjoint(value)


def side_of(word: Json) -> Side | None:
    """Return the sending side that a word for a direction names: the client for ``client->server``."""
    if not isinstance(word, str) or len(word) > _LONGEST_WORD:
        return None
    plain = re.sub(r"[^a-z0-9]+", "-", word.lower()).strip("-")
    pair = _PAIR.fullmatch(plain)
    if pair and pair[1] in _ALIASES and pair[2] in _ALIASES:
        return _ALIASES[pair[1]] if _ALIASES[pair[1]] != _ALIASES[pair[2]] else None
    return _SIDES.get(plain.removeprefix("from-"))


def word_of(word: Json) -> str | None:
    """Return a word for a direction if it names no side; else None."""
    if not isinstance(word, str) or not 0 < len(word) <= _LONGEST_WORD or word.lower() in _NO_SIDES:
        return None
    return None if side_of(word) else word


def prefixed(text: str, *, loose: bool) -> Prefixed | None:
    """Return the position of a message after text; None if there is none. ``loose`` allows any text before it."""
    event = _EVENT.match(text)
    if event:
        return Prefixed(event.end(), "server", None, sure=True)
    head = text[: _start(text)]
    arrow, origin = _ARROW.search(head), _FROM.search(head)
    if arrow or origin:
        side = _ALIASES[(arrow or origin)[1].lower()]  # type: ignore[index]
        return Prefixed(len(head), side, _conversation(head), sure=True) if len(head) < len(text) else None
    if loose and len(head) < len(text):
        return Prefixed(len(head), None, _conversation(head), sure=False)
    return None


def is_event_field(text: str) -> bool:
    """Return whether a line is a field of a server-sent event other than its data."""
    return _EVENT_FIELD.fullmatch(text) is not None


def is_cut(text: str) -> bool:
    """Return whether the log says that it truncated the message."""
    return _CUT.search(text) is not None


def _start(text: str) -> int:
    """Return the offset of the first object or array of objects; brackets around words and dates do not count."""
    found = _START.search(text)
    return found.start() if found else len(text)


def _conversation(head: str) -> str | None:
    """Return the text in brackets that is neither a level nor a time: Claude Desktop writes the server's name there."""
    for name in _BRACKETED.findall(head):
        if name.lower().strip() not in _LEVELS and re.search(r"[A-Za-z]", name) and not _ARROW.search(name):
            return str(name)
    return None


def _may_hold(payload: Json) -> bool:
    return payload.__class__ in {dict, list} or (isinstance(payload, str) and payload.lstrip()[:1] in {"{", "["})


def _is_message(payload: Json) -> bool:
    if isinstance(payload, str):
        return '"jsonrpc"' in payload
    if payload.__class__ is list:
        return bool(payload) and _is_message(payload[0])
    return payload.__class__ is dict and "jsonrpc" in payload
