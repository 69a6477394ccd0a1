"""How a handler that has asked the client something is left (2026-07-28, Multi Round-Trip Requests)."""

from __future__ import annotations

from typing import Any


class Suspended(BaseException):
    """Ends a handler that has asked something, until the answer has come. No Exception, as handlers may catch those."""

    def __init__(self, name: str, request: Any, state: str) -> None:
        super().__init__(name)
        self.name = name
        self.request = request
        self.state = state
