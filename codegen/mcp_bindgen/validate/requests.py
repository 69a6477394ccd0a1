"""Requests of a conversation that wait for their answers, up to a number."""

from __future__ import annotations

import json
from collections import OrderedDict
from typing import Any

from attrs import define, field

from mcp_bindgen.validate.entries import Json, Side
from mcp_bindgen.validate.limits import Limits

_LONGEST_ID = 1000
"""What is longer is as good as none: ids are kept as they are, however many there are."""
_Key = tuple[type, str | int, Side | None]


@define(eq=False)
class OpenRequest:
    """A request without an answer yet."""

    method: str
    sender: Side | None
    value: dict[str, Json] | None
    """The whole message; None where it was given up to save memory."""
    size: int = field(default=0, repr=False)


class OpenRequests:
    """By id, told apart as JSON tells them, and by sender: both sides may use the same ids at the same time."""

    def __init__(self, limits: Limits) -> None:
        self._most = limits.open_requests
        self._room = limits.kept
        self._kept = 0
        self._waiting: OrderedDict[_Key, OpenRequest] = OrderedDict()
        self._valued: OrderedDict[_Key, OpenRequest] = OrderedDict()
        self.forgotten = 0
        """How many were dropped because there were too many."""

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, number: str | int, request: OpenRequest) -> None:
        """Remember a request; one with the same id from the same side is not waited for any more."""
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
        """The requests that a response with this id may answer, from ``sender`` where that is known; oldest first."""
        if number.__class__ not in {str, int}:
            return []
        senders: tuple[Side | None, ...] = ("client", "server", None)
        if sender is not None:
            senders = (other_side(sender), None)
        keys: list[_Key] = [(number.__class__, number, each) for each in senders]
        return [self._waiting[key] for key in keys if key in self._waiting]

    def close(self, number: str | int, request: OpenRequest) -> None:
        """Forget a request that has been answered."""
        self._drop((number.__class__, number, request.sender))

    def _drop(self, key: _Key) -> None:
        self._waiting.pop(key, None)
        valued = self._valued.pop(key, None)
        if valued is not None:
            self._kept -= valued.size


def other_side(side: Side) -> Side:
    """The one that answers."""
    return "server" if side == "client" else "client"


def size_of(value: Json) -> int:
    """About how many characters of JSON a value is, most of which its strings are."""
    try:
        return len(json.dumps(value, ensure_ascii=False, default=str))
    except (ValueError, RecursionError):
        return 1 << 20
