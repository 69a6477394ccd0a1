"""Requests that become tasks: who may ask for one, and the progress that goes on until a task has ended.

2025-11-25, Tasks (Capability Negotiation; Task Support and Handling; Associating Task-Related Messages) and Progress
(Behavior Requirements). What a task is and does is no business of a session: it only sees what is said of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, TypeVar
from weakref import WeakValueDictionary

from ..binding import OTHER, Binding
from ..errors import NotDeclared, TaskCancelled
from ..jsonrpc import RequestId
from ..meta import entries_of, member
from ..methods import NotificationMethod, RequestMethod, Side
from .events import Event, Incoming, Outcome, Reply

T = TypeVar("T")

RELATED = "io.modelcontextprotocol/related-task"
"""The entry of ``_meta`` that names the task a message belongs to."""
FINAL = frozenset({"completed", "failed", "cancelled"})
"""The states of a task that no other follows."""
ABOUT_TASKS = frozenset({"tasks/get", "tasks/cancel", "tasks/list", "tasks/result", "notifications/tasks/status"})
"""The methods whose results and params say how tasks stand."""
MOST = 1024
"""How many tasks of the other side are followed at the same time; of more, those asked for first are left."""


class TaskTracker:
    """The requests of one session that became tasks.

    ``progress`` has the tokens whose progress the session takes: those of tasks that still run stay in it. ``pending`` has
    the requests of this side that are in flight.
    """

    methods: ClassVar[frozenset[str]] = ABOUT_TASKS
    """The methods of which ``heard`` and ``told`` have to know."""

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
        """Requests of this side for the outcomes of tasks, and of which."""
        self.cancelled_waits: dict[RequestId, str | None] = {}
        """Those whose task was cancelled, and what was said of that; an outcome need not come any more."""
        self._created = binding.types.CreateTaskResult
        self._progress = progress
        self._theirs: dict[str, RequestId] = {}
        """Tasks that the other side executes, and the tokens of the requests that asked for them."""
        self._ours: WeakValueDictionary[str, Incoming] = WeakValueDictionary()
        """Requests whose tasks this side executes, as long as somebody could report progress of them."""

    # Tasks that this side executes.

    def supported_params(self, key: RequestMethod[Any, Any], params: Any, declared: Any) -> Any:
        """Params with ``task``, without it if the capabilities of this side do not say that it executes tasks."""
        return params if self._binding.declares(declared, task_capability(key)) else params.__replace__(task=None)

    def record_answer(self, incoming: Incoming) -> None:
        """A request of the other side is answered with ``incoming.result``."""
        result = incoming.result
        if result.__class__ is not self._created:
            if incoming.key.name in ABOUT_TASKS:
                self._end_ours(incoming.key, result)
        elif incoming.token is not None and result.task.status not in FINAL:
            incoming.task = result.task.task_id
            self._ours[result.task.task_id] = incoming

    def record_sent(self, key: NotificationMethod[Any], params: Any) -> None:
        """This side sends a notification."""
        self._end_ours(key, params)

    def end(self, task_id: str) -> None:
        """No progress of a task that this side executes is sent any more.

        To be said where no status that was sent, and no result of ``tasks/…``, has shown that it has ended.
        """
        self._ours.pop(task_id, None)

    def is_running(self, incoming: Incoming) -> bool:
        """Whether a request has become a task that has not ended."""
        return incoming.task is not None and self._ours.get(incoming.task) is incoming

    def _end_ours(self, key: RequestMethod[Any, Any] | NotificationMethod[Any], said: Any) -> None:
        for task_id in _ended(key.name, said):
            self.end(task_id)

    def mark_result(self, incoming: Incoming, result: Any) -> Any:
        """The answer to a request that belongs to a task belongs to it, too, and says so."""
        task_id = related_task(incoming.meta)
        if task_id is None or incoming.key.name.startswith("tasks/"):
            return result
        return mark_related(result, task_id, self._binding)

    # Tasks that the other side executes.

    def check_request(
        self, key: RequestMethod[Any, Any], params: Any, request_id: RequestId, peer_capabilities: Any
    ) -> bool:
        """Return whether the params of this side's next request ask for a task.

        Raise ``NotDeclared`` if the receiver's capabilities do not allow that.
        """
        # A server's requests may wait in other places than its session.
        if key.name == "tasks/result" and self._side == "client":
            self._awaited = {each: task for each, task in self._awaited.items() if each in self._pending}
            self._awaited[request_id] = params.task_id
        if getattr(params, "task", None) is None:
            return False
        path = task_capability(key)
        if not self._binding.declares(peer_capabilities, path):
            text = (
                f"{key.name} with a task takes the capability {path!r}, which the {OTHER[self._side]} has not declared; "
                "without `task` the answer is the result itself"
            )
            raise NotDeclared(text)
        return True

    def record_received(self, key: RequestMethod[Any, Any] | NotificationMethod[Any], said: Any) -> None:
        """The other side has answered a request, or sent a notification."""
        for task_id in _ended(key.name, said):
            token = self._theirs.pop(task_id, None)
            if token is not None:
                self._progress.pop(token, None)
        if self._awaited and key.name in ABOUT_TASKS and key.name != "tasks/result":
            stopped = {task.task_id: task for task in _tasks_in(key.name, said) if task.status == "cancelled"}
            for request_id, task_id in self._awaited.items():
                if task_id in stopped and request_id in self._pending:
                    self.cancelled_waits[request_id] = stopped[task_id].status_message

    def add_cancelled_waits(self, event: Event, cancel: Callable[[RequestId, str], bytes | None]) -> Sequence[Event]:
        """What has happened, and the end of the requests that wait in vain; ``cancel`` gives the line that says so."""
        events = [event]
        waits, self.cancelled_waits = self.cancelled_waits, {}
        for request_id, message in waits.items():
            line = cancel(request_id, "the task was cancelled")
            events += [Reply(line)] if line is not None else []
            text = f"the task was cancelled: {message}" if message else "the task was cancelled"
            events.append(Outcome(request_id, None, TaskCancelled(text)))
        return events

    def follow(self, token: RequestId, last: float | None, result: Any) -> bool:
        """Whether progress under a token goes on, as its request was answered with a task; ``last`` is what came last."""
        if result.__class__ is not self._created or result.task.status in FINAL:
            return False
        if len(self._theirs) >= MOST:
            self._progress.pop(self._theirs.pop(next(iter(self._theirs))), None)
        self._theirs[result.task.task_id] = token
        self._progress[token] = last
        return True


def task_capability(key: RequestMethod[Any, Any]) -> str:
    """The capability that a receiver declares who executes requests of this method as tasks."""
    return f"tasks.requests.{key.name.replace('/', '.')}"


def related_meta(task_id: str) -> dict[str, Any]:
    """``_meta`` of a message that belongs to a task."""
    return {RELATED: {"taskId": task_id}}


def mark_related(value: T, task_id: str, binding: Binding) -> T:
    """Params, or a result, with the entry of ``_meta`` that says to which task they belong."""
    made: Any = value
    current = entries_of(made)
    if current is None:
        kind: Any = getattr(binding.types, made.__class__.__annotations__["meta"].partition(" ")[0], dict)
        current = kind()
    entry = related_meta(task_id)
    if current.__class__ is dict:
        meta: Any = {**current, **entry}
    else:
        meta = current.__replace__(extra={**(current.extra or {}), **entry})
    marked: T = made.__replace__(meta=meta)
    return marked


def related_task(meta: Any) -> str | None:
    """The task that ``_meta`` says a message belongs to; None for most."""
    entries = meta if meta.__class__ is dict else getattr(meta, "extra", None)
    task_id = None if entries is None else member(entries.get(RELATED), "taskId")
    return task_id if task_id.__class__ is str else None


def _ended(method: str, said: Any) -> Sequence[str]:
    """The tasks that have ended, by what a result or the params of a notification say."""
    if method not in ABOUT_TASKS:
        return ()
    if method == "tasks/result":
        # It is the outcome, so there is one.
        task_id = member(entries_of(said), RELATED, "taskId")
        return [task_id] if task_id.__class__ is str else []
    return [task.task_id for task in _tasks_in(method, said) if task.status in FINAL]


def _tasks_in(method: str, said: Any) -> Sequence[Any]:
    return said.tasks if method == "tasks/list" else [said]
