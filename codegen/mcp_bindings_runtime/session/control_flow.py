"""Exceptions that end handlers early. They derive from ``BaseException``, as handlers may catch every ``Exception``."""

from __future__ import annotations

from typing import Any


class InputNeeded(BaseException):
    """Ends a handler that needs input from the client; it is run again with the response (Multi Round-Trip Requests)."""

    def __init__(self, name: str, request: Any, state: str) -> None:
        super().__init__(name)
        self.name = name
        """The key of the request in ``inputRequests``."""
        self.request = request
        """The request for the client."""
        self.state = state
        """The ``requestState`` that the client sends back."""


class Abandoned(BaseException):
    """Ends a handler at a call to the peer once nobody wants its result: its request or task was cancelled or expired."""


class Detached(BaseException):
    """Ends a handler that is run again as a task."""


class SessionBegins(Exception):
    """Raised by a session without handshake for ``initialize`` or another revision, if another server can continue."""
