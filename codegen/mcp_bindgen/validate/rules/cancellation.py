"""Rules about cancellation: only own requests, never ``initialize``, and tasks by their own method.

A notification may cross the response, so that late ones are not faults.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from mcp_bindings_runtime.codec.error_wording import describe

from mcp_bindgen.validate.entries import Side
from mcp_bindgen.validate.rules import json_access
from mcp_bindgen.validate.rules.history import SeenRequest
from mcp_bindgen.validate.rules.rule import Fault, Rule
from mcp_bindgen.validate.rules.turn import Area, Turn

_SECTION = "basic/utilities/cancellation, Behavior Requirements"
_LAST = "basic/patterns/cancellation, Behavior Requirements"

CANCEL_INITIALIZE: Final = Rule(
    "cancel-initialize",
    "A client does not cancel its `initialize` request.",
    _SECTION,
    until="2025-11-25",
)
CANCEL_UNKNOWN: Final = Rule(
    "cancel-unknown",
    "A cancellation names an earlier request of the same sender.",
    _LAST,
    earlier_sections={"2025-11-25": _SECTION},
)
CANCEL_TASK: Final = Rule(
    "cancel-task",
    "A request that became a task is cancelled with `tasks/cancel`.",
    _SECTION,
    since="2025-11-25",
    until="2025-11-25",
)
CANCEL_BY_SERVER: Final = Rule(
    "cancel-by-server",
    "A server cancels `subscriptions/listen` requests only.",
    _LAST,
    since="2026-07-28",
)

_PATH = ("params", "requestId")


class Cancellation(Area):
    """Compares cancelled ids with the requests."""

    RULES: ClassVar = (CANCEL_INITIALIZE, CANCEL_UNKNOWN, CANCEL_TASK, CANCEL_BY_SERVER)

    def check(self, turn: Turn) -> Iterator[Fault]:
        """Yield the faults of a cancellation."""
        key = json_access.identity(turn.params.get("requestId"))
        if key is None or not turn.is_notification("notifications/cancelled"):
            return
        shown = describe(key[1])
        request, sure = _cancelled(turn)
        if request is None:
            if sure and turn.history.whole:
                message = f"the request {shown} is cancelled, but its sender never sent it"
                yield Fault(CANCEL_UNKNOWN, _PATH, message, shown, "the id of a request in progress")
        elif turn.sender == "server" and not turn.facts.handshake:
            if request.method != "subscriptions/listen":
                message = f"the server cancels `{request.method}`; it may cancel `subscriptions/listen` only"
                yield Fault(CANCEL_BY_SERVER, _PATH, message, request.method, "`subscriptions/listen`")
        elif request.method == "initialize":
            message = "the `initialize` request is cancelled; clients may cancel any other request"
            yield Fault(CANCEL_INITIALIZE, _PATH, message, shown, "another request")
        elif request.became_task:
            message = f"the `{request.method}` request {shown} became a task; it must be cancelled with `tasks/cancel`"
            yield Fault(CANCEL_TASK, _PATH, message, shown, "`tasks/cancel`")


def _cancelled(turn: Turn) -> tuple[SeenRequest | None, bool]:
    """Return the cancelled request, and whether the ids identify it unambiguously."""
    key = json_access.identity(turn.params.get("requestId"))
    assert key is not None
    sides: tuple[Side | None, ...] = ("client", "server", None)
    if not turn.facts.handshake:
        sides = ("client",)
    elif turn.sender is not None:
        sides = (turn.sender, None)
    found = [request for side in sides if (request := turn.history.requests.get((side, key)))]
    return (found[0] if len(found) == 1 else None), len(found) < 2
