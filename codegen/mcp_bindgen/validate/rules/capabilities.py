"""Rules about capabilities: each side only uses what the other one, or it itself, has declared.

Capabilities are known from the handshake; a recording without one has no findings here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from mcp_bindings_runtime.methods import NotificationMethod, RequestMethod

from mcp_bindgen.validate.entries import Json
from mcp_bindgen.validate.rules import json_access
from mcp_bindgen.validate.rules.calls import Call, calls
from mcp_bindgen.validate.rules.history import opposite
from mcp_bindgen.validate.rules.methods import methods_of
from mcp_bindgen.validate.rules.rule import Fault, Rule
from mcp_bindgen.validate.rules.turn import Area, Turn

_OPERATION = "basic/lifecycle, Operation"
_TASKS = "basic/utilities/tasks"

CAPABILITY_UNDECLARED: Final = Rule(
    "capability-undeclared",
    "The receiver of a request has declared its capability.",
    _OPERATION,
    until="2025-11-25",
    recommended_until="2025-03-26",
)
NOTIFICATION_UNDECLARED: Final = Rule(
    "notification-undeclared",
    "The sender of a notification about changes has declared its capability.",
    _OPERATION,
    until="2025-11-25",
    recommended_until="2025-03-26",
)
LOGGING_UNDECLARED: Final = Rule(
    "logging-undeclared",
    "A server that sends log messages has declared `logging`.",
    "server/utilities/logging, Capabilities",
)
INPUT_UNDECLARED: Final = Rule(
    "input-undeclared",
    "A server only requests input whose capability the client has declared.",
    "basic/patterns/mrtr, Server Requirements (Basic Workflow)",
    since="2026-07-28",
)
ELICITATION_MODE: Final = Rule(
    "elicitation-mode",
    "A server only requests elicitation in a mode that the client has declared.",
    "client/elicitation, Capabilities",
    since="2025-11-25",
)
SAMPLING_TOOLS_UNDECLARED: Final = Rule(
    "sampling-tools-undeclared",
    "A server offers tools in sampling only to clients that have declared `sampling.tools`.",
    "client/sampling, Tools in Sampling",
    since="2025-11-25",
)
SAMPLING_CONTEXT_UNDECLARED: Final = Rule(
    "sampling-context-undeclared",
    "A server requests context only from clients that have declared `sampling.context`.",
    "client/sampling, Capabilities",
    since="2025-11-25",
    strength="should",
)
TOOL_TASK_UNDECLARED: Final = Rule(
    "tool-task-undeclared",
    "A client calls tools as tasks only if the server has declared `tasks.requests.tools.call`.",
    f"{_TASKS}, Tool-Level Negotiation",
    since="2025-11-25",
    until="2025-11-25",
)
TASK_UNDECLARED: Final = Rule(
    "task-undeclared",
    "A server makes a request a task only if the client has declared that for the method.",
    f"{_TASKS}, Capability Negotiation",
    since="2025-11-25",
    until="2025-11-25",
    strength="should",
)
UPDATE_UNASKED: Final = Rule(
    "update-unasked",
    "`notifications/resources/updated` is sent to clients that have subscribed to a resource.",
    "server/resources, Subscriptions",
    until="2025-11-25",
    strength="should",
)

_AS_TASK = {
    "tools/call": "tasks.requests.tools.call",
    "sampling/createMessage": "tasks.requests.sampling.createMessage",
    "elicitation/create": "tasks.requests.elicitation.create",
}


class Capabilities(Area):
    """Compares messages with the declared capabilities."""

    RULES: ClassVar = (
        CAPABILITY_UNDECLARED,
        NOTIFICATION_UNDECLARED,
        LOGGING_UNDECLARED,
        INPUT_UNDECLARED,
        ELICITATION_MODE,
        SAMPLING_TOOLS_UNDECLARED,
        SAMPLING_CONTEXT_UNDECLARED,
        TOOL_TASK_UNDECLARED,
        TASK_UNDECLARED,
        UPDATE_UNASKED,
    )

    def __init__(self) -> None:
        self._subscribed = False

    def check(self, turn: Turn) -> Iterator[Fault]:
        """Yield the faults of messages without their capability."""
        if turn.is_request("resources/subscribe"):
            self._subscribed = True
        if turn.message.kind == "request" and turn.facts.handshake:
            yield from _request(turn)
        elif turn.message.kind == "notification":
            yield from _notification(turn)
        for call in calls(turn):
            yield from _call(call, turn)
        if turn.is_notification("notifications/resources/updated") and turn.history.whole and not self._subscribed:
            message = "a resource is reported as updated, but the client has subscribed to none"
            yield Fault(UPDATE_UNASKED, ("method",), message, None, "an earlier subscription")


def declares(capabilities: dict[str, Json], path: str) -> bool:
    """Return whether a capability, by dotted path, is declared: as an object, even an empty one, or ``true``."""
    found = json_access.member(capabilities, *path.split("."))
    return found is not None and found is not False


def _request(turn: Turn) -> Iterator[Fault]:
    known = methods_of(turn.revision).get(turn.method or "")
    receiver = opposite(turn.sender)
    declared = turn.history.capabilities.get(receiver) if receiver else None
    if not isinstance(known, RequestMethod) or declared is None:
        return
    if known.capability and not declares(declared, known.capability):
        yield Fault(
            CAPABILITY_UNDECLARED,
            ("method",),
            f"`{turn.method}` is sent to a {receiver} that has not declared the capability `{known.capability}`",
            turn.method,
            "a method of a declared capability",
        )
    elif turn.method in _AS_TASK and "task" in turn.params and not declares(declared, _AS_TASK[turn.method]):
        yield Fault(
            TOOL_TASK_UNDECLARED if turn.method == "tools/call" else TASK_UNDECLARED,
            ("params", "task"),
            f"`{turn.method}` is sent as a task, but the {receiver} has not declared `{_AS_TASK[turn.method]}`",
            "a task",
            "a plain request",
        )


def _notification(turn: Turn) -> Iterator[Fault]:
    known = methods_of(turn.revision).get(turn.method or "")
    if not isinstance(known, NotificationMethod) or known.capability is None:
        return
    side = turn.sender if known.capability_of == "sender" else opposite(turn.sender)
    declared = turn.history.capabilities.get(side) if side else None
    if declared is None or declares(declared, known.capability):
        return
    logs = turn.method == "notifications/message"
    if logs or turn.facts.handshake:
        yield Fault(
            LOGGING_UNDECLARED if logs else NOTIFICATION_UNDECLARED,
            ("method",),
            f"`{turn.method}` is sent, but the {side} has not declared the capability `{known.capability}`",
            turn.method,
            "a notification of a declared capability",
        )


def _call(call: Call, turn: Turn) -> Iterator[Fault]:
    feature = call.method.partition("/")[0]
    if call.capabilities is None:
        return
    if not declares(call.capabilities, feature):
        yield Fault(
            INPUT_UNDECLARED,
            (*call.path[:-1], "method") if len(call.path) > 1 else ("method",),
            f"the server requests `{call.method}`, but the client has not declared the capability `{feature}`",
            call.method,
            "input of a declared capability",
        )
        return
    declared = json_access.fields(call.capabilities.get(feature))
    if call.method == "elicitation/create":
        yield from _elicitation(call, declared)
    if call.method == "sampling/createMessage":
        yield from _sampling(call, declared)


def _elicitation(call: Call, declared: dict[str, Json]) -> Iterator[Fault]:
    mode = call.params.get("mode", "form")
    modes = [name for name in ("form", "url") if name in declared] or ["form"]
    if mode in ("form", "url") and mode not in modes:
        yield Fault(
            ELICITATION_MODE,
            (*call.path, "mode") if "mode" in call.params else call.path,
            f"the server requests elicitation in mode {mode}, but the client has declared {modes[0]} only",
            mode,
            modes[0],
        )


def _sampling(call: Call, declared: dict[str, Json]) -> Iterator[Fault]:
    for name in ("tools", "toolChoice"):
        if name in call.params and "tools" not in declared:
            yield Fault(
                SAMPLING_TOOLS_UNDECLARED,
                (*call.path, name),
                f"`{name}` is part of a sampling request to a client that has not declared `sampling.tools`",
                name,
                "a request without tools",
            )
            break
    context = call.params.get("includeContext", "none")
    if context in ("thisServer", "allServers") and "context" not in declared:
        yield Fault(
            SAMPLING_CONTEXT_UNDECLARED,
            (*call.path, "includeContext"),
            f"`includeContext` is {context}, but the client has not declared `sampling.context`",
            str(context),
            "none",
        )
