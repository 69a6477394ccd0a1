"""The answers of a recording, by request."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from threading import Lock
from typing import Any

from ..codec.json_pointers import canonical, differences, parse_pointers, without
from ..errors import ResponseError
from ..jsonrpc import INTERNAL_ERROR
from .sessions import RecordedExchange

_META = ("params", "_meta")
_SHOWN = 5
"""Number of differences that an error shows."""


class Tape:
    """Finds the recorded exchange for a request, by its method and params.

    Equal requests get their answers in the order of the recording; the last one is repeated. ``ignore`` are JSON Pointers
    to parts of messages that may differ, such as ``/params/arguments/date``; ``_meta`` of requests always may. Thread-safe.
    Raise ``UsageError`` for a text that is not a pointer.
    """

    def __init__(self, exchanges: Iterable[RecordedExchange], ignore: Sequence[str] = ()) -> None:
        self._ignored = (_META, *parse_pointers(ignore))
        self._lock = Lock()
        self._exchanges: dict[str, list[RecordedExchange]] = {}
        """Exchanges that are left, by the canonical text of their request."""
        self._by_method: dict[str, list[RecordedExchange]] = {}
        for each in exchanges:
            self._exchanges.setdefault(self._key(each.method, each.params), []).append(each)
            self._by_method.setdefault(each.method, []).append(each)

    @property
    def methods(self) -> list[str]:
        """The methods of the recorded requests."""
        return list(self._by_method)

    def find(self, method: str, params: Any) -> RecordedExchange:
        """Return the next exchange for a request; raise ``ResponseError`` (-32603) that describes the nearest one."""
        with self._lock:
            left = self._exchanges.get(self._key(method, params))
            if left:
                return left.pop(0) if len(left) > 1 else left[0]
        raise ResponseError(INTERNAL_ERROR, "Not in the recording", self._nearest(method, params))

    def _key(self, method: str, params: Any) -> str:
        return f"{method} {canonical(self._reduced(params))}"

    def _reduced(self, params: Any) -> Any:
        # Absent and empty params mean the same.
        return without({"params": params or {}}, self._ignored)["params"]

    def _nearest(self, method: str, params: Any) -> dict[str, Any]:
        candidates = self._by_method.get(method)
        if not candidates:
            return {"reason": f"the recording has no {method}; it has {', '.join(self.methods) or 'no request'}"}
        found = self._reduced(params)
        compared = [(list(differences(self._reduced(each.params), found)), each) for each in candidates]
        differing, nearest = min(compared, key=lambda each: len(each[0]))
        shown = [each._replace(pointer=f"/params{each.pointer}") for each in differing]
        text = "; ".join(str(each) for each in shown[:_SHOWN])
        rest = f"; and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else ""
        return {
            "reason": f"the nearest request, {nearest.place}, differs: {text}{rest}",
            "nearest": {"place": nearest.place, "params": self._reduced(nearest.params)},
        }
