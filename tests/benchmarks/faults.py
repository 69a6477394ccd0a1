"""Messages with one intentional fault each, to count which contenders notice."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from benchmarks.corpus import Message, messages

Path = tuple[str | int, ...]


class _Absent:
    """Marker of a member to remove."""


class _Fault(NamedTuple):
    name: str
    message: str
    """Message of the corpus that gets the fault."""
    path: Path
    value: Any


_FAULTS = (
    _Fault("another version of JSON-RPC", "tools/call", ("jsonrpc",), "1.0"),
    _Fault("an id that is a number with a fraction", "tools/call", ("id",), 12.5),
    _Fault("a request without params that it needs", "tools/call", ("params",), _Absent),
    _Fault("no name of the tool", "tools/call", ("params", "name"), _Absent),
    _Fault("arguments in an array", "tools/call", ("params", "arguments"), ["Zürich", 3]),
    _Fault("progress in words", "progress", ("params", "progress"), "a quarter"),
    _Fault("a message that is a number", "progress", ("params", "message"), 3),
    _Fault("a text block whose text is null", "tool result", ("result", "content", 0, "text"), None),
    _Fault("a block of an unknown type", "tool result", ("result", "content", 0, "type"), "txt"),
    _Fault("an audience of nobody", "tool result", ("result", "content", 2, "annotations", "audience", 0), "robot"),
    _Fault("an image without its data", "tool result", ("result", "content", 2, "data"), _Absent),
    _Fault("isError as a text", "tool result", ("result", "isError"), "no way"),
    _Fault("an input schema that is no object's", "200 tools", ("result", "tools", 7, "inputSchema", "type"), "array"),
    _Fault("a hint that is a number", "200 tools", ("result", "tools", 7, "annotations", "readOnlyHint"), 2),
    _Fault("a resource without its address", "1000 resources", ("result", "resources", 999, "uri"), _Absent),
    _Fault("a size in words", "1000 resources", ("result", "resources", 998, "size"), "large"),
)


def wrong(revision: str) -> Mapping[str, Message]:
    """Return each fault with the message of ``revision`` that has it and is otherwise unchanged."""
    good = messages(revision)
    return {fault.name: _spoilt(good[fault.message], fault) for fault in _FAULTS}


def _spoilt(message: Message, fault: _Fault) -> Message:
    whole = json.loads(message.data)
    *parents, last = fault.path
    place = whole
    for step in parents:
        place = place[step]
    if fault.value is _Absent:
        del place[last]
    else:
        place[last] = fault.value
    return message._replace(data=json.dumps(whole, ensure_ascii=False, separators=(",", ":")).encode())
