"""States of calls that wait in one of several processes: they name the process, so that each retry can be routed to it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, Protocol

if TYPE_CHECKING:
    from ..connection.channel import Channel
    from ..session.events import Incoming
    from .server import Server

_MARKED: Final = re.compile(r"([0-9a-f]{16}):(.*)", re.DOTALL)


class CallRouter(Protocol):
    """Routes requests that continue a call to the process that holds it."""

    @property
    def process(self) -> str:
        """The id of this process: 16 hexadecimal digits, others after a restart."""
        ...

    def forward(self, process: str, server: Server, connection: Channel, incoming: Incoming) -> Any:
        """Return the result of a request that another process handles; pass the notifications of its handler on.

        Raise ``ResponseError`` (-32602 if that process has ended).
        """
        ...


class RoutedServer(Protocol):
    """A server whose retries may be routed."""

    call_router: CallRouter | None


def mark_state(state: str, process: str) -> str:
    """Return a ``requestState`` that names the process which can continue the call."""
    return f"{process}:{state}"


def split_state(state: str) -> tuple[str | None, str]:
    """Return the process that a ``requestState`` names, None if it names none, and the rest."""
    found = _MARKED.fullmatch(state)
    return (None, state) if found is None else (found[1], found[2])
