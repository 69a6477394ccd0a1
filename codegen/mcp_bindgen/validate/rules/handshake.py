"""Rules about the order of the handshake: ``initialize``, its response, ``notifications/initialized``.

Most of them apply only from an ``initialize`` request on. A later one starts a new session, as clients reconnect; it is
a fault only if the recording is known to be one session.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from mcp_bindgen.validate.message import Message
from mcp_bindgen.validate.rules.history import History
from mcp_bindgen.validate.rules.rule import Fault, Rule
from mcp_bindgen.validate.rules.turn import Area, Turn

_SECTION = "basic/lifecycle, Initialization"

INITIALIZE_FIRST: Final = Rule(
    "initialize-first",
    "A session starts with `initialize`; checked if the recording is declared complete.",
    _SECTION,
    until="2025-11-25",
)
INITIALIZE_AGAIN: Final = Rule(
    "initialize-again",
    "A session has one `initialize`; checked if the recording is declared complete.",
    _SECTION,
    until="2025-11-25",
)
INITIALIZE_IN_BATCH: Final = Rule(
    "initialize-in-batch",
    "`initialize` is not part of a batch.",
    _SECTION,
    since="2025-03-26",
    until="2025-03-26",
)
REQUEST_BEFORE_INTRODUCTION: Final = Rule(
    "request-before-introduction",
    "Until `initialize` is answered, the client sends no requests other than pings.",
    _SECTION,
    until="2025-11-25",
    strength="should",
)
REQUEST_BEFORE_INITIALIZED: Final = Rule(
    "request-before-initialized",
    "Until it receives `notifications/initialized`, the server sends no requests other than pings.",
    _SECTION,
    until="2025-11-25",
    strength="should",
)
INITIALIZED_EARLY: Final = Rule(
    "initialized-early",
    "`notifications/initialized` follows a successful response to `initialize`.",
    _SECTION,
    until="2025-11-25",
)
INITIALIZED_MISSING: Final = Rule(
    "initialized-missing",
    "After a successful response to `initialize`, the client sends `notifications/initialized`.",
    _SECTION,
    until="2025-11-25",
)


class Handshake(Area):
    """Remembers the first request that should have followed ``notifications/initialized``."""

    RULES: ClassVar = (
        INITIALIZE_FIRST,
        INITIALIZE_AGAIN,
        INITIALIZE_IN_BATCH,
        REQUEST_BEFORE_INTRODUCTION,
        REQUEST_BEFORE_INITIALIZED,
        INITIALIZED_EARLY,
        INITIALIZED_MISSING,
    )

    def __init__(self) -> None:
        self._first = True
        self._operating: Message | None = None

    def check(self, turn: Turn) -> Iterator[Fault]:
        """Yield the faults in the order of the handshake."""
        if turn.is_request("ping") or turn.message.kind not in {"request", "notification"}:
            # Pings and their responses may precede `initialize`.
            return
        first, self._first = self._first, False
        if turn.is_request("initialize"):
            yield from _initialize(turn)
        elif turn.message.kind == "request":
            yield from self._request(turn, first=first)
        elif turn.is_notification("notifications/initialized"):
            yield from _initialized(turn)
        elif first and turn.history.whole:
            yield _not_first(turn)

    def end(self, history: History) -> Iterator[Fault]:
        """Yield a fault if ``notifications/initialized`` was never sent."""
        if self._operating and history.initialize_result and not history.initialized:
            yield Fault(
                INITIALIZED_MISSING,
                ("method",),
                "the client sends requests without `notifications/initialized`, which must follow the response to "
                "`initialize`",
                recorded=self._operating,
            )

    def _request(self, turn: Turn, *, first: bool) -> Iterator[Fault]:
        history = turn.history
        if history.initialize_request is None:
            # With ``server/discover``, a client finds out whether the server supports a later revision.
            if first and history.whole and not turn.is_request("server/discover"):
                yield _not_first(turn)
        elif turn.sender == "client" and history.initialize_result is None and not history.refused:
            yield Fault(
                REQUEST_BEFORE_INTRODUCTION,
                ("method",),
                f"the client sends `{turn.method}` before the response to `initialize`; until then it should "
                "send pings only",
                turn.method,
                "`ping`",
            )
        elif turn.sender == "server" and not history.initialized:
            yield Fault(
                REQUEST_BEFORE_INITIALIZED,
                ("method",),
                f"the server sends `{turn.method}` before `notifications/initialized`; until then it should send "
                "pings only",
                turn.method,
                "`ping`",
            )
        elif turn.sender == "client" and not history.initialized and self._operating is None:
            self._operating = turn.message


def _initialize(turn: Turn) -> Iterator[Fault]:
    if turn.history.initialize_request is not None and not turn.history.refused:
        message = "`initialize` is sent again in the same session; it must be sent only once"
        yield Fault(INITIALIZE_AGAIN, ("method",), message)
    if turn.message.batch:
        message = "`initialize` is part of a batch; it must be sent by itself"
        yield Fault(INITIALIZE_IN_BATCH, (), message, "a batch", "a message of its own")


def _initialized(turn: Turn) -> Iterator[Fault]:
    history = turn.history
    if history.initialize_request is None:
        if history.whole:
            yield _not_first(turn)
    elif history.initialize_result is None:
        state = "was answered with an error" if history.refused else "is not answered yet"
        message = (
            f"`notifications/initialized` is sent although `initialize` {state}; it must follow a successful response"
        )
        yield Fault(INITIALIZED_EARLY, ("method",), message)


def _not_first(turn: Turn) -> Fault:
    message = f"`{turn.method}` is sent before `initialize`, which must start a session"
    return Fault(INITIALIZE_FIRST, ("method",), message, turn.method, "`initialize`")
