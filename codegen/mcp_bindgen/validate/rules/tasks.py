"""Rules about tasks of 2025-11-25: the order of their status, and the messages that name their task."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import ClassVar, Final

from attrs import frozen
from mcp_bindings_runtime.codec.error_wording import NOTHING, describe

from mcp_bindgen.validate.entries import Json
from mcp_bindgen.validate.rules import json_access
from mcp_bindgen.validate.rules.bounded_map import BoundedMap
from mcp_bindgen.validate.rules.contents import is_moment
from mcp_bindgen.validate.rules.rule import Fault, Path, Rule
from mcp_bindgen.validate.rules.turn import Area, Turn

_PAGE = "basic/utilities/tasks"

TASK_BEGINS_WORKING: Final = Rule(
    "task-begins-working",
    "A task begins with the status working.",
    f"{_PAGE}, Task Status Lifecycle",
    since="2025-11-25",
    until="2025-11-25",
)
TASK_STATUS_FINAL: Final = Rule(
    "task-status-final",
    "A task that is completed, failed or cancelled keeps that status.",
    f"{_PAGE}, Task Status Lifecycle",
    since="2025-11-25",
    until="2025-11-25",
)
TASK_ID_REUSED: Final = Rule(
    "task-id-reused",
    "Each task has a unique id.",
    f"{_PAGE}, Task ID Requirements",
    since="2025-11-25",
    until="2025-11-25",
)
TASK_CANCELLED: Final = Rule(
    "task-cancelled",
    "The result of `tasks/cancel` has the status cancelled.",
    f"{_PAGE}, Task Cancellation",
    since="2025-11-25",
    until="2025-11-25",
)
TASK_MOMENT: Final = Rule(
    "task-moment",
    "`createdAt` and `lastUpdatedAt` of a task are ISO 8601 timestamps.",
    f"{_PAGE}, TTL and Resource Management",
    since="2025-11-25",
    until="2025-11-25",
)
RELATED_TASK_MISSING: Final = Rule(
    "related-task-missing",
    "The result of `tasks/result` names its task under `io.modelcontextprotocol/related-task` in `_meta`.",
    f"{_PAGE}, Related Task Metadata",
    since="2025-11-25",
    until="2025-11-25",
)
RELATED_TASK_NEEDLESS: Final = Rule(
    "related-task-needless",
    "Messages that name a task in their params or result do not also name it in `_meta`.",
    f"{_PAGE}, Associating Task-Related Messages",
    since="2025-11-25",
    until="2025-11-25",
    strength="should",
)

_FINAL = ("completed", "failed", "cancelled")
_RELATED = "io.modelcontextprotocol/related-task"


@frozen
class _Final:
    """The final status of a task."""

    status: str
    updated: Json


class Tasks(Area):
    """Remembers the tasks and their final status."""

    RULES: ClassVar = (
        TASK_BEGINS_WORKING,
        TASK_STATUS_FINAL,
        TASK_ID_REUSED,
        TASK_CANCELLED,
        TASK_MOMENT,
        RELATED_TASK_MISSING,
        RELATED_TASK_NEEDLESS,
    )

    def __init__(self) -> None:
        self._made: BoundedMap[tuple[str | None, str], bool] = BoundedMap()
        self._over: BoundedMap[str, _Final] = BoundedMap()

    def check(self, turn: Turn) -> Iterator[Fault]:
        """Yield the faults of tasks."""
        if turn.is_result("tools/call", "sampling/createMessage", "elicitation/create"):
            yield from self._created(turn, json_access.fields(turn.result.get("task")))
        for path, task in _tasks(turn):
            yield from _moments(task, path)
            yield from self._status(task, path)
        if (
            turn.is_result("tasks/cancel")
            and isinstance(status := turn.result.get("status"), str)
            and status != "cancelled"
        ):
            message = f"the status of a task after `tasks/cancel` is {describe(status)}; it must be cancelled"
            yield Fault(TASK_CANCELLED, ("result", "status"), message, describe(status), '"cancelled"')
        yield from _related(turn)

    def _created(self, turn: Turn, task: dict[str, Json]) -> Iterator[Fault]:
        status, name = json_access.text(task.get("status")), json_access.text(task.get("taskId"))
        if status is not None and status != "working":
            message = f"the status of a new task is {describe(status)}; tasks begin as working"
            yield Fault(TASK_BEGINS_WORKING, ("result", "task", "status"), message, describe(status), '"working"')
        if name is None:
            return
        if (turn.sender, name) in self._made:
            message = f"a task with the id {describe(name)} was created before; ids of tasks must be unique"
            yield Fault(TASK_ID_REUSED, ("result", "task", "taskId"), message, describe(name), "a unique id")
        self._made.put((turn.sender, name), value=True)
        self._over.drop(name)

    def _status(self, task: dict[str, Json], path: Path) -> Iterator[Fault]:
        status, name = json_access.text(task.get("status")), json_access.text(task.get("taskId"))
        if status is None or name is None:
            return
        before = self._over.get(name)
        if before and status != before.status and not _is_older(task.get("lastUpdatedAt"), before.updated):
            message = f"the task {describe(name)} is {status} after it was {before.status}, which is final"
            yield Fault(TASK_STATUS_FINAL, (*path, "status"), message, describe(status), describe(before.status))
        elif before is None and status in _FINAL:
            self._over.put(name, _Final(status, task.get("lastUpdatedAt")))


def _tasks(turn: Turn) -> Iterator[tuple[Path, dict[str, Json]]]:
    """Yield the tasks in a message with their paths."""
    if turn.is_result("tasks/get", "tasks/cancel"):
        yield ("result",), turn.result
    elif turn.is_result("tasks/list"):
        for index, task in json_access.objects(turn.result.get("tasks")):
            yield ("result", "tasks", index), task
    elif turn.is_result("tools/call", "sampling/createMessage", "elicitation/create"):
        yield ("result", "task"), json_access.fields(turn.result.get("task"))
    elif turn.is_notification("notifications/tasks/status"):
        yield ("params",), turn.params


def _moments(task: dict[str, Json], path: Path) -> Iterator[Fault]:
    for name in ("createdAt", "lastUpdatedAt"):
        moment = json_access.text(task.get(name))
        if moment is not None and not is_moment(moment):
            message = f"`{name}` is {describe(moment)}, which is not an ISO 8601 timestamp"
            yield Fault(TASK_MOMENT, (*path, name), message, describe(moment), "such as 2025-11-25T10:30:00Z")


def _is_older(moment: Json, than: Json) -> bool:
    """Return whether a timestamp is older than another, as messages may overtake; true if they cannot be compared."""
    try:
        return datetime.fromisoformat(moment) < datetime.fromisoformat(than)
    except (TypeError, ValueError):
        return True


def _related(turn: Turn) -> Iterator[Fault]:
    place = "params" if turn.message.kind in {"request", "notification"} else "result"
    related = json_access.member(turn.value, place, "_meta", _RELATED)
    is_request = turn.is_request("tasks/get", "tasks/result", "tasks/cancel")
    has_status = turn.is_result("tasks/get", "tasks/list", "tasks/cancel") or turn.is_notification(
        "notifications/tasks/status"
    )
    if related is not None and (is_request or has_status):
        message = f"`_meta` has `{_RELATED}`, but the message already names the task"
        yield Fault(RELATED_TASK_NEEDLESS, (place, "_meta", _RELATED), message)
    if turn.is_result("tasks/result") and turn.message.request is not None:
        wanted = json_access.text(turn.request_params.get("taskId"))
        found = json_access.member(related, "taskId")
        if found is None or (wanted is not None and found != wanted):
            shown = describe(found) if found is not None else NOTHING
            message = f"the result of a task names {shown} as its task in `_meta`; it must name the requested task"
            yield Fault(
                RELATED_TASK_MISSING, ("result",), message, shown, describe(wanted) if wanted else "the id of the task"
            )
