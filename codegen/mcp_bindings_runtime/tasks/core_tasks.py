"""The tasks of 2025-11-25, on either side: the engine's adapter to ``task`` in requests and to ``tasks/…`` (Tasks).

``tasks/result`` is answered once the handler has returned; no thread waits for that.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ..binding import Binding
from ..connection.handlers import INTERNAL, Handlers
from ..errors import McpError, ResponseError
from ..features.error_codes import Situation, error_for
from ..features.pagination import Paginator
from ..jsonrpc import INTERNAL_ERROR, ErrorObject
from ..logs import write_log
from ..meta import with_entries
from ..session.events import Incoming
from ..session.task_tracker import related_meta, task_capability
from .engine import TaskEngine, settled
from .store import MemoryTasks, timestamp
from .stored_task import Status, StoredTask

if TYPE_CHECKING:
    from ..connection.channel import Channel
    from ..task_interfaces import Support

_CALL_TOOL = "tools/call"
_TASK_REQUESTS = ("tools/call", "sampling/createMessage", "elicitation/create")
"""Requests that may ask for a task."""
_PAGE = 100
_LONGEST = 500
"""Characters of a status message."""
_MESSAGES: dict[Situation, str] = {
    "task required": "Method not found",
    "task not supported": "Method not found",
    "unknown task": "Unknown task",
    "task has ended": "The task has ended",
}


class CoreTasks(TaskEngine):
    """The tasks of one side, and its answers to requests about tasks."""

    cancelled_outcome = ErrorObject(INTERNAL_ERROR, "The task was cancelled")
    """The answer to ``tasks/result`` for a cancelled task; the specification names no code."""

    def __init__(self, binding: Binding, handlers: Handlers, store: MemoryTasks, peer: Any) -> None:
        super().__init__(binding, handlers, store, peer)
        self._pages = Paginator(_PAGE, os.urandom(32))
        handlers.add(binding.requests["tasks/get"], self._get)
        handlers.add(binding.requests["tasks/cancel"], self._cancel)
        handlers.add(binding.requests["tasks/list"], self._list)
        # `intercept` answers it; this registers it, because the declared capabilities follow from the handlers.
        handlers.add(binding.requests["tasks/result"], self._get)

    @property
    def declared(self) -> Sequence[str]:
        """Capabilities that say which requests may become tasks, as dotted paths."""
        handled = (method for method in _TASK_REQUESTS if method in self._handlers.methods)
        return [task_capability(self._binding.requests[method]) for method in handled]

    def intercept(self, connection: Any, incoming: Incoming) -> tuple[bytes | None] | None:
        """See ``TaskEngine.intercept``; ``tasks/result`` is answered later, too."""
        method = incoming.key.name
        if method == "tasks/result":
            return (self._result(connection, incoming),)
        if method not in _TASK_REQUESTS:
            return None
        wanted = incoming.params.task
        try:
            support = self._support(method, incoming.params)
            if wanted is None:
                if support != "required":
                    return None
                error = self._refused("task required", f"{_named(incoming)} is only done as a task; give `task`")
                raise error
            if support == "forbidden":
                error = self._refused(
                    "task not supported", f"{_named(incoming)} is not done as a task; leave `task` out"
                )
                raise error
            ttl = None if wanted.ttl is None else wanted.ttl / 1000
            task = self._create(connection, incoming, ttl, changed=partial(self._announce, connection))
        except ResponseError as error:
            return (self._refuse(connection, incoming, error),)
        if not self._start(connection, incoming, task):
            self.store.end(task, "failed", INTERNAL)
        return (None,)

    @staticmethod
    def owner_of(connection: Any, request: Any) -> Any:
        """Return who may see the task of a request: the principal, or else the session."""
        return connection.session if request.principal is None else request.principal

    def _support(self, method: str, params: Any) -> Support:
        return self.store.support(params.name) if method == _CALL_TOOL else "optional"

    def _written(self, connection: Any, incoming: Incoming, task: StoredTask) -> bytes:
        created = self._binding.types.CreateTaskResult(task=self._binding.types.Task(**self._described(task)))
        line: bytes = connection.session.response_line(incoming, created)
        return line

    def _end(self, task: StoredTask, result: Any) -> None:
        result = with_entries(result, related_meta(task.id), self._binding.result_meta_class)
        size = len(self._response_line(0, result))
        status: Status = "failed" if task.method == _CALL_TOOL and result.is_error else "completed"
        self.store.end(task, status, result, size=size, message=_error_text(result) if status == "failed" else None)

    def _fail(self, task: StoredTask, why: ErrorObject) -> None:
        self.store.end(task, "failed", why, message=why.message)

    def _finished(self, connection: Any, task: StoredTask) -> None:
        with connection.lock:
            connection.session.tasks.end(task.id)

    # Requests about tasks.

    def _get(self, params: Any, context: Any) -> Any:
        return self._binding.types.GetTaskResult(**self._described(self._found(params.task_id, context)))

    def _cancel(self, params: Any, context: Any) -> Any:
        task = self._found(params.task_id, context)
        if not self._end_early(task):
            error = self._refused("task has ended", f"the task is {task.status} already")
            raise error
        return self._binding.types.CancelTaskResult(**self._described(task))

    def _list(self, params: Any, context: Any) -> Any:
        cursor = None if params is None else params.cursor
        tasks, following = self.store.page(self.owner_of(context.connection, context), self._pages, cursor)
        items = [self._binding.types.Task(**self._described(task)) for task in tasks]
        return self._binding.types.ListTasksResult(tasks=items, next_cursor=following)

    def _result(self, connection: Channel, incoming: Incoming) -> bytes | None:
        """Return the line that answers with the outcome; None if the answer is sent once there is one."""
        task = self.store.find(incoming.params.task_id, self.owner_of(connection, incoming))
        if task is None:
            return self._refuse(connection, incoming, self._unknown())

        def ended(task: StoredTask) -> None:
            connection.reply(incoming, self._outcome(connection, incoming, task))

        try:
            self.store.when_ended(task, ended, lambda: incoming.cancelled or connection.closed)
            connection.hold(incoming)
        except ResponseError as error:
            return self._refuse(connection, incoming, error)
        except McpError as fault:
            self.store.unwatch(task, ended)
            return self._refuse(
                connection, incoming, ErrorObject(INTERNAL_ERROR, "Too many wait", {"reason": str(fault)})
            )
        return None

    def _outcome(self, connection: Any, incoming: Incoming, task: StoredTask) -> bytes | None:
        outcome = task.outcome if task.ended else self._unknown()
        if isinstance(outcome, ErrorObject | ResponseError):
            return self._refuse(connection, incoming, outcome)
        return settled(connection, incoming, self._response_line(incoming.id, outcome))

    def _unknown(self) -> ResponseError:
        return self._refused("unknown task", "there is no such task, or it has expired")

    def _refused(self, situation: Situation, reason: str) -> ResponseError:
        return error_for(situation, _MESSAGES[situation], {"reason": reason})

    def _described(self, task: StoredTask) -> dict[str, Any]:
        """Return the members of a task, by attribute."""
        return {
            "task_id": task.id,
            "status": task.status,
            "status_message": task.message,
            "created_at": timestamp(task.created),
            "last_updated_at": timestamp(task.updated),
            "ttl": round(task.ttl * 1000),
            "poll_interval": round(self.store.poll * 1000),
        }

    def _announce(self, connection: Channel, task: StoredTask) -> None:
        """Notify the requestor of a new status if it can be reached; it polls anyway."""
        if not self.store.notify:
            return
        key = self._binding.notifications["notifications/tasks/status"]
        try:
            connection.notify(key, key.params(**self._described(task)))
        except McpError as fault:
            write_log("debug", "the status of a task could not be sent: %s", fault)


def _error_text(result: Any) -> str | None:
    """Return the text of a tool's error, for the status of the task."""
    texts: Iterator[str] = (block.text for block in result.content if block.type == "text")
    return next((text[:_LONGEST] for text in texts if text), None)


def _named(incoming: Incoming) -> str:
    return f"the tool {incoming.params.name!r}" if incoming.key.name == _CALL_TOOL else incoming.key.name
