"""Bounded collection of the unanswered requests of a conversation."""

from __future__ import annotations

import json
from collections import OrderedDict
from typing import Any

from attrs import define, field
from mcp_bindings_runtime.binding import OTHER_SIDE

from mcp_bindgen.validate.entries import Json, Side
from mcp_bindgen.validate.limits import Limits

_LONGEST_ID = 1000
"""Maximum length of an id; requests with longer ids are not tracked."""
_Key = tuple[type, str | int, Side | None]


@define(eq=False)
class OpenRequest:
    """An unanswered request."""

    method: str
    sender: Side | None
    value: dict[str, Json] | None
    """The whole message; None if it was dropped to save memory."""
    size: int = field(default=0, repr=False)


class OpenRequests:
    """Unanswered requests by id and sender; both sides may use the same ids, and ``1`` is not ``"1"``."""

    def __init__(self, limits: Limits) -> None:
        self._most = limits.open_requests
        self._room = limits.kept
        self._kept = 0
        self._waiting: OrderedDict[_Key, OpenRequest] = OrderedDict()
        self._valued: OrderedDict[_Key, OpenRequest] = OrderedDict()
        self.forgotten = 0
        """Number of requests dropped because there were too many."""

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, number: str | int, request: OpenRequest) -> None:
        """Add a request; it replaces one with the same id from the same side."""
        if isinstance(number, str) and len(number) > _LONGEST_ID:
            return
        key = (number.__class__, number, request.sender)
        self._drop(key)
        self._waiting[key] = request
        if len(self._waiting) > self._most:
            self._drop(next(iter(self._waiting)))
            self.forgotten += 1
        if request.value is not None:
            request.size = size_of(request.value)
            self._valued[key] = request
            self._kept += request.size
        while self._kept > self._room:
            _, oldest = self._valued.popitem(last=False)
            oldest.value = None
            self._kept -= oldest.size

    def answered_by(self, number: Any, sender: Side | None) -> list[OpenRequest]:
        """Return the requests that a response with this id may answer; ``sender`` is the sender of the response."""
        if number.__class__ not in {str, int}:
            return []
        senders: tuple[Side | None, ...] = ("client", "server", None)
        if sender is not None:
            senders = (OTHER_SIDE[sender], None)
        keys: list[_Key] = [(number.__class__, number, each) for each in senders]
        return [self._waiting[key] for key in keys if key in self._waiting]

    def close(self, number: str | int, request: OpenRequest) -> None:
        """Remove an answered request."""
        self._drop((number.__class__, number, request.sender))

    def _drop(self, key: _Key) -> None:
        self._waiting.pop(key, None)
        valued = self._valued.pop(key, None)
        if valued is not None:
            self._kept -= valued.size


def size_of(value: Json) -> int:
    """Return approximately the number of characters of a value as JSON."""
    try:
        return len(json.dumps(value, ensure_ascii=False, default=str))
    except (ValueError, RecursionError):
        return 1 << 20
