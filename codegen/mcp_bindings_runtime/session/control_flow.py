"""How handlers are left in 2026-07-28: those that have asked the client something, and those that go on as tasks."""

from __future__ import annotations

from typing import Any


class InputNeeded(BaseException):
    """Ends a handler that has asked something, until the answer has come (Multi Round-Trip Requests).

    No Exception, as handlers may catch those.
    """

    def __init__(self, name: str, request: Any, state: str) -> None:
        super().__init__(name)
        self.name = name
        self.request = request
        self.state = state


class Abandoned(BaseException):
    """Ends a handler that waits for an answer of the other side, or asks for one, once nobody wants its own result.

    The request that it handles was cancelled, or the task was, or has expired. No Exception, either.
    """


class Detached(BaseException):
    """Ends a handler that is to be run again as a task. No Exception, either."""
