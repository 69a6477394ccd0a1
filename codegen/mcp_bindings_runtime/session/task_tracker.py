"""Track requests that become tasks: which may, and progress and cancellation until the task ends.

2025-11-25, Tasks (Capability Negotiation; Task Support and Handling; Associating Task-Related Messages) and Progress
(Behavior Requirements). Executing tasks is the business of ``tasks``; a session only sees their messages.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar
from weakref import WeakValueDictionary

from ..binding import OTHER_SIDE, Binding
from ..errors import NotDeclared, TaskCancelled
from ..jsonrpc import RequestId
from ..meta import member, with_entries
from ..methods import NotificationMethod, RequestMethod, Side
from .events import Event, Incoming, Outcome, Reply
from .late_tasks import FINAL

RELATED = "io.modelcontextprotocol/related-task"
"""The entry of ``_meta`` that names the task a message belongs to."""
ABOUT_TASKS = frozenset({"tasks/get", "tasks/cancel", "tasks/list", "tasks/result", "notifications/tasks/status"})
"""The methods whose results or params hold the states of tasks."""
MOST = 1024
"""Limit on the tasks of the other side that are tracked; the oldest are dropped."""


class TaskTracker:
    """The requests of one session that became tasks.

    ``progress`` holds the tokens whose progress the session accepts, to which those of running tasks are added.
    ``pending`` holds the requests of this side that wait for a response.
    """

    methods: ClassVar[frozenset[str]] = ABOUT_TASKS
    """The methods whose messages must be recorded."""

    def __init__(
        self,
        binding: Binding,
        side: Side,
        progress: dict[RequestId, float | None],
        pending: Mapping[RequestId, RequestMethod[Any, Any]],
    ) -> None:
        self._binding = binding
        self._side: Side = side
        self._pending = pending
        self._awaited: dict[RequestId, str] = {}
        """Pending ``tasks/result`` requests of this side to the ids of their tasks."""
        self.cancelled_waits: dict[RequestId, str | None] = {}
        """Those whose task was cancelled, with its status message; the peer need not answer them."""
        self._created = binding.task_result_class
        self._progress = progress
        self._theirs: dict[str, RequestId] = {}
        """Tasks that the peer executes to their progress tokens."""
        self._ours: WeakValueDictionary[str, Incoming] = WeakValueDictionary()
        """Tasks that this side executes to their requests, while a handler holds those."""

    # Tasks that this side executes.

    def supported_params(self, key: RequestMethod[Any, Any], params: Any, declared: Any) -> Any:
        """Return params with ``task``; without it if this side has not declared that it executes such tasks."""
        return params if self._binding.declares(declared, task_capability(key)) else params.__replace__(task=None)

    def record_answer(self, incoming: Incoming) -> None:
        """Record that this side answers a request with ``incoming.result``."""
        result = incoming.result
        if result.__class__ is not self._created:
            if incoming.key.name in ABOUT_TASKS:
                self._end_ours(incoming.key, result)
        elif incoming.token is not None and result.task.status not in FINAL:
            incoming.task = result.task.task_id
            self._ours[result.task.task_id] = incoming

    def record_sent(self, key: NotificationMethod[Any], params: Any) -> None:
        """Record that this side sends a notification."""
        self._end_ours(key, params)

    def end(self, task_id: str) -> None:
        """Stop reporting progress of a task that ended without a message that shows it."""
        self._ours.pop(task_id, None)

    def is_running(self, incoming: Incoming) -> bool:
        """Return whether a request became a task that has not ended."""
        return incoming.task is not None and self._ours.get(incoming.task) is incoming

    def _end_ours(self, key: RequestMethod[Any, Any] | NotificationMethod[Any], payload: Any) -> None:
        for task_id in _ended(key.name, payload):
            self.end(task_id)

    def mark_result(self, incoming: Incoming, result: Any) -> Any:
        """Return a result with the related task of its request, if there is one."""
        task_id = related_task(incoming.meta)
        if task_id is None or incoming.key.name.startswith("tasks/"):
            return result
        return with_entries(result, related_meta(task_id), self._binding.result_meta_class)

    # Tasks that the peer executes.

    def check_request(
        self, key: RequestMethod[Any, Any], params: Any, request_id: RequestId, peer_capabilities: Any
    ) -> bool:
        """Return whether the params of this side's next request ask for a task.

        Raise ``NotDeclared`` if the peer has not declared that it executes such tasks.
        """
        # A server's requests may wait in other places than its session.
        if key.name == "tasks/result" and self._side == "client":
            self._awaited = {each: task for each, task in self._awaited.items() if each in self._pending}
            self._awaited[request_id] = getattr(params, "task_id", "")
        # Params of a wrong class are an error when they are encoded.
        if key.name not in self._binding.facts.task_methods or getattr(params, "task", None) is None:
            return False
        path = task_capability(key)
        if not self._binding.declares(peer_capabilities, path):
            instead = "without `task` the response is the result itself"
            if key.name == "tools/call":
                instead = "write call_tool() instead of call_tool_as_task()"
            who = OTHER_SIDE[self._side]
            text = f"{key.name} with a task needs the capability {path!r}, which the {who} has not declared; {instead}"
            raise NotDeclared(text)
        return True

    def record_received(self, key: RequestMethod[Any, Any] | NotificationMethod[Any], payload: Any) -> None:
        """Record a result or the params of a notification of the peer."""
        for task_id in _ended(key.name, payload):
            token = self._theirs.pop(task_id, None)
            if token is not None:
                self._progress.pop(token, None)
        if self._awaited and key.name in ABOUT_TASKS and key.name != "tasks/result":
            stopped = {task.task_id: task for task in _tasks_in(key.name, payload) if task.status == "cancelled"}
            for request_id, task_id in self._awaited.items():
                if task_id in stopped and request_id in self._pending:
                    self.cancelled_waits[request_id] = stopped[task_id].status_message

    def add_cancelled_waits(self, event: Event, cancel: Callable[[RequestId, str], bytes | None]) -> Sequence[Event]:
        """Return an event and the ends of the requests that wait for cancelled tasks; ``cancel`` returns their lines."""
        events = [event]
        waits, self.cancelled_waits = self.cancelled_waits, {}
        for request_id, message in waits.items():
            line = cancel(request_id, "the task was cancelled")
            events += [Reply(line)] if line is not None else []
            text = f"the task was cancelled: {message}" if message else "the task was cancelled"
            events.append(Outcome(request_id, None, TaskCancelled(text)))
        return events

    def follow(self, token: RequestId, last: float | None, result: Any) -> bool:
        """Accept further progress if a request was answered with a running task; return whether it was.

        ``last`` is the last progress value received.
        """
        if result.__class__ is not self._created or result.task.status in FINAL:
            return False
        if len(self._theirs) >= MOST:
            self._progress.pop(self._theirs.pop(next(iter(self._theirs))), None)
        self._theirs[result.task.task_id] = token
        self._progress[token] = last
        return True


def task_capability(key: RequestMethod[Any, Any]) -> str:
    """Return the capability of sides that execute requests of this method as tasks."""
    return f"tasks.requests.{key.name.replace('/', '.')}"


def related_meta(task_id: str) -> dict[str, Any]:
    """Return the entries of ``_meta`` of a message that belongs to a task."""
    return {RELATED: {"taskId": task_id}}


def related_task(meta: Any) -> str | None:
    """Return the id of the task to which a message with this ``_meta`` belongs; None if it belongs to none."""
    entries = meta if meta.__class__ is dict else getattr(meta, "extra", None)
    task_id = None if entries is None else member(entries.get(RELATED), "taskId")
    return task_id if task_id.__class__ is str else None


def _ended(method: str, payload: Any) -> Sequence[str]:
    """Return the ids of the tasks that have ended according to a result or the params of a notification."""
    if method not in ABOUT_TASKS:
        return ()
    if method == "tasks/result":
        task_id = related_task(payload.meta)
        return [] if task_id is None else [task_id]
    return [task.task_id for task in _tasks_in(method, payload) if task.status in FINAL]


def _tasks_in(method: str, payload: Any) -> Sequence[Any]:
    return payload.tasks if method == "tasks/list" else [payload]
