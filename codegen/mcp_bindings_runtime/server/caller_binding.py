"""Handlers of a connection that stands for one user."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from ..session.caller import Caller
from ..session.events import Incoming

C = TypeVar("C")
R = TypeVar("R")


def with_caller(handle: Callable[[C, Incoming], R], caller: Caller | None) -> Callable[[C, Incoming], R]:
    """Return a function that handles requests as ``handle`` does, as requests of a caller unless it is None."""
    if caller is None:
        return handle

    def handle_as(connection: C, incoming: Incoming) -> R:
        incoming.caller = caller
        return handle(connection, incoming)

    return handle_as
