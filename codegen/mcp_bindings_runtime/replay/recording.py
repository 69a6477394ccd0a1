"""Reading of the recordings that ``Recorder`` writes, and of files with one bare message on each line."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import UsageError
from ..methods import Side

_SENDERS: dict[Any, Side] = {"client->server": "client", "server->client": "server"}
_MESSAGE = frozenset({"jsonrpc", "method", "result", "error"})
"""Members of which a message has at least one."""


class RecordedMessage(NamedTuple):
    """A message of a recording."""

    value: dict[str, Any]
    sender: Side | None
    """None if the recording does not name it."""
    session: str | None
    """Name of its session, if the recording has several."""
    place: str
    """File and line."""


def read_recording(path: str | os.PathLike[str]) -> Iterator[RecordedMessage]:
    """Yield the messages of a file, of a batch each one; lines of text that was not JSON when recorded are left out.

    Raise ``UsageError`` for a file that cannot be read and for a line that is not a message.
    """
    name = os.fspath(path)
    try:
        with Path(path).open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield from _messages(line, f"{name}:{number}")
    except (OSError, UnicodeDecodeError) as fault:
        reason = fault.strerror if isinstance(fault, OSError) else "it is not UTF-8"
        text = f"cannot read the recording {name!r}: {reason}; pass a file that record= or --record has written"
        raise UsageError(text) from None


def _messages(line: str, place: str) -> Iterator[RecordedMessage]:
    try:
        found: Any = json.loads(line)
    except (ValueError, RecursionError) as fault:
        text = f"{place}: the line is not JSON ({fault}); expected one message on each line"
        raise UsageError(text) from None
    sender: Side | None = None
    session: str | None = None
    value = found
    if found.__class__ is dict and _MESSAGE.isdisjoint(found):
        if "raw" in found and "direction" in found:
            return
        sender = _SENDERS.get(found.get("direction"))
        session = found.get("session") if isinstance(found.get("session"), str) else None
        value = found.get("message")
    for each in value if value.__class__ is list else [value]:
        if each.__class__ is not dict or _MESSAGE.isdisjoint(each):
            text = f"{place}: found no message; expected one, bare or under `message` beside `direction`"
            raise UsageError(text)
        yield RecordedMessage(each, sender, session, place)
