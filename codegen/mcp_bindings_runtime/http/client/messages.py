"""Outgoing messages, and the members of messages that the HTTP transport needs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from ...codec.codec import best_backend
from ...codec.json_text import NotJson
from ...errors import UsageError
from ..headers import VERSION_KEY
from .statuses import INITIALIZE

RequestId: TypeAlias = str | int

CANCELLED = "notifications/cancelled"


class OutgoingMessage:
    """A message or a batch to be sent to the server."""

    __slots__ = ("body", "ids", "message", "method", "stateless")

    def __init__(self, body: bytes) -> None:
        self.body = body
        try:
            value = _parse(body)
        except (ValueError, RecursionError) as fault:
            text = f"the message is not valid JSON: {fault}"
            raise UsageError(text) from None
        items: Sequence[Any] = value if value.__class__ is list else [value]
        self.message: Mapping[str, Any] = members(value)
        self.method: str = self.message.get("method", "")
        """Empty for responses and batches."""
        self.ids: frozenset[RequestId] = frozenset(
            [each["id"] for each in items if each.__class__ is dict and "method" in each and "id" in each]
        )
        """The ids of its requests."""
        self.stateless = bool(self.ids) and VERSION_KEY in members(members(self.message.get("params")).get("_meta"))
        """Whether it is a request that names its revision itself: one of a stateless revision."""

    @property
    def for_task(self) -> bool:
        """Whether it is a request that asks for a task (2025-11-25)."""
        return bool(self.ids) and "task" in members(self.message.get("params")) and not self.stateless

    @property
    def what(self) -> str:
        """Its description in error messages."""
        return self.method or ("a batch" if self.ids else "an answer")

    @property
    def revision(self) -> str | None:
        """The revision that it names: in ``initialize`` or a stateless request; else None."""
        params = members(self.message.get("params"))
        named = (
            params.get("protocolVersion")
            if self.method == INITIALIZE
            else members(params.get("_meta")).get(VERSION_KEY)
        )
        return named if isinstance(named, str) else None


def members(value: Any) -> Mapping[str, Any]:
    """Return the members of an object; an empty mapping for any other value."""
    return value if value.__class__ is dict else {}


def answered_by(line: bytes) -> frozenset[RequestId]:
    """Return the ids of the requests that a message of the server answers."""
    # A message without this key is a response, but for one that spells the key in an odd way. Reading it takes longer.
    value = _read(line)
    items: Sequence[Any] = value if value.__class__ is list else [value]
    return frozenset(
        each["id"] for each in map(members, items) if "method" not in each and isinstance(each.get("id"), str | int)
    )


def is_result(line: bytes) -> bool:
    """Return whether a message is the result of a request."""
    return "result" in members(_read(line))


_PARSE: Final = best_backend().parse


def _parse(text: bytes) -> Any:
    """Return the value of a JSON text, with duplicate keys and the like. Raise ``ValueError``, ``RecursionError``."""
    try:
        return _PARSE(text)
    except NotJson:
        return json.loads(text)


def _read(line: bytes) -> Any:
    try:
        return _parse(line)
    except (ValueError, RecursionError):
        return None


def one_line(text: bytes) -> bytes:
    """Return a JSON text as one line: between tokens a newline is equal to a blank."""
    return text.replace(b"\r", b" ").replace(b"\n", b" ") if b"\n" in text or b"\r" in text else text
