"""Executing requests as tasks, on either side (2025-11-25, Tasks).

A request with ``task`` is answered at once with the task that it has become; its handler runs in a thread of the store.
The other side asks for the task's status and, by ``tasks/result``, for what the handler has given: an answer that is
held back until there is one, without a thread waiting for it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ..binding import Binding
from ..connection.handlers import INTERNAL, Handlers
from ..errors import EncodeError, McpError, ResponseError, UsageError
from ..features.error_codes import Situation, error_for
from ..features.pagination import Paginator
from ..jsonrpc import INTERNAL_ERROR, ErrorObject
from ..logs import log_exception, log_handler_error, write_log
from ..session.control_flow import Abandoned
from ..session.events import Incoming
from ..session.task_tracker import mark_related, task_capability
from .context import in_task
from .store import MemoryTasks, Status, StoredTask, Support, timestamp

if TYPE_CHECKING:
    from ..connection.channel import Channel

_CALL_TOOL = "tools/call"
_AUGMENTED = ("tools/call", "sampling/createMessage", "elicitation/create")
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
_CANCELLED = ErrorObject(INTERNAL_ERROR, "The task was cancelled")
"""What ``tasks/result`` answers then: no text names a code."""


class CoreTasks:
    """What one side does with requests that may become tasks, and with requests about tasks.

    ``peer`` is the server or client, and ``handlers`` are its own.
    """

    def __init__(self, binding: Binding, handlers: Handlers, store: MemoryTasks, peer: Any) -> None:
        if "tasks/result" not in binding.requests:
            text = f"{binding.revision} has no tasks; they exist in 2025-11-25, and later as an extension"
            raise UsageError(text)
        given: Any = store
        if not isinstance(given, MemoryTasks):
            text = f"tasks is {given!r}; accepted is MemoryTasks()"
            raise UsageError(text)
        self.store = store
        self._binding = binding
        self._handlers = handlers
        self._peer = peer
        self._pages = Paginator(_PAGE, os.urandom(32))
        handlers.add(binding.requests["tasks/get"], self._get)
        handlers.add(binding.requests["tasks/cancel"], self._cancel)
        handlers.add(binding.requests["tasks/list"], self._list)
        # Answered by ``take``; there, so that what is declared follows from it.
        handlers.add(binding.requests["tasks/result"], self._get)

    @property
    def declared(self) -> Sequence[str]:
        """The capabilities that say which requests may become tasks, as dotted paths."""
        handled = (method for method in _AUGMENTED if method in self._handlers.methods)
        return [task_capability(self._binding.requests[method]) for method in handled]

    def take(self, connection: Any, incoming: Incoming) -> tuple[bytes | None] | None:
        """Deals with a request that becomes a task, has to, or waits for one; None for all others.

        Otherwise the line to send, or None in its place where it has been sent, or will be.
        """
        method = incoming.key.name
        if method == "tasks/result":
            return (self._result(connection, incoming),)
        if method not in _AUGMENTED:
            return None
        wanted = incoming.params.task
        try:
            support = self._support(method, incoming.params)
            if wanted is None:
                if support != "required":
                    return None
                error = self._refused("task required", f"{_what(incoming)} is only done as a task; give `task`")
                raise error
            if support == "forbidden":
                error = self._refused(
                    "task not supported", f"{_what(incoming)} is not done as a task; leave `task` out"
                )
                raise error
            owner = owner_of(connection, incoming)
            ttl = None if wanted.ttl is None else wanted.ttl / 1000
            task = self.store.create(owner, method, ttl, changed=partial(self._announce, connection))
            if connection.closed and owner is connection.session:
                # Whoever could ask for it has gone before it was there.
                self.store.leave(owner)
        except ResponseError as error:
            return (self._refuse(connection, incoming, ErrorObject(error.code, error.message, error.data)),)
        self._begin(connection, incoming, task)
        return (None,)

    def _support(self, method: str, params: Any) -> Support:
        return self.store.support(params.name) if method == _CALL_TOOL else "optional"

    def _begin(self, connection: Channel, incoming: Incoming, task: StoredTask) -> None:
        """Answers with the task, and has the handler run."""
        created = self._binding.types.CreateTaskResult(task=self._binding.types.Task(**self._described(task)))
        context = in_task(self._peer, connection, incoming, self.store, task, end=partial(self._end, task))
        line = settled(connection, incoming, connection.session.response_line(incoming, created))

        def job() -> None:
            self._execute(connection, incoming, task, context)

        # Before anything that the handler says.
        connection.reply(incoming, line)
        try:
            self.store.execute(job)
        except RuntimeError as fault:
            log_exception(fault, "no thread is to be had for a task")
            self.store.end(task, "failed", INTERNAL)

    def _execute(self, connection: Any, incoming: Incoming, task: StoredTask, context: Any) -> None:
        if task.stopped.is_set():
            return
        try:
            self._end(task, self._handlers.handle(incoming.key, incoming.params, context))
        except ResponseError as error:
            self.store.end(task, "failed", ErrorObject(error.code, error.message, error.data), message=error.message)
        except Abandoned:
            self.store.end(task, "failed", INTERNAL, message=INTERNAL.message)
        except EncodeError as fault:
            log_exception(fault, "%s: the handler's result cannot be sent: %s", incoming.key.name, fault)
            self.store.end(task, "failed", INTERNAL, message=INTERNAL.message)
        except BaseException as error:  # noqa: BLE001  # whatever a handler raises, the task ends
            log_handler_error(error, f"{incoming.key.name}: the handler of a task failed", over=connection.closed)
            self.store.end(task, "failed", INTERNAL, message=INTERNAL.message)
        finally:
            with connection.lock:
                connection.session.tasks.end(task.id)

    def _end(self, task: StoredTask, result: Any) -> None:
        """End a task with the result of its request; nothing if it has ended."""
        result = mark_related(result, task.id, self._binding)
        size = len(self._binding.encode(self._binding.response(id=0, result=result)))
        status: Status = "failed" if getattr(result, "is_error", None) else "completed"
        self.store.end(task, status, result, size=size, message=told(result) if status == "failed" else None)

    # Requests about tasks.

    def _get(self, params: Any, context: Any) -> Any:
        return self._binding.types.GetTaskResult(**self._described(self._found(params.task_id, context)))

    def _cancel(self, params: Any, context: Any) -> Any:
        task = self._found(params.task_id, context)
        if not self.store.end(task, "cancelled", _CANCELLED, message="Cancelled by request"):
            error = self._refused("task has ended", f"the task is {task.status} already")
            raise error
        return self._binding.types.CancelTaskResult(**self._described(task))

    def _list(self, params: Any, context: Any) -> Any:
        cursor = None if params is None else params.cursor
        tasks, following = self.store.page(owner_of(context.connection, context), self._pages, cursor)
        items = [self._binding.types.Task(**self._described(task)) for task in tasks]
        return self._binding.types.ListTasksResult(tasks=items, next_cursor=following)

    def _result(self, connection: Channel, incoming: Incoming) -> bytes | None:
        """The line that answers with the outcome; None where the answer is sent once there is one."""
        owner = owner_of(connection, incoming)
        task = self.store.find(incoming.params.task_id, owner)
        if task is None:
            return self._refuse(connection, incoming, self._unknown())

        def ended(task: StoredTask) -> None:
            connection.reply(incoming, self._outcome(connection, incoming, task))

        try:
            self.store.when_ended(task, ended, lambda: incoming.cancelled or connection.closed)
            connection.hold(incoming)
        except ResponseError as error:
            return self._refuse(connection, incoming, ErrorObject(error.code, error.message, error.data))
        except McpError as fault:
            self.store.unwatch(task, ended)
            refusal = ErrorObject(INTERNAL_ERROR, "Too many wait", {"reason": str(fault)})
            return self._refuse(connection, incoming, refusal)
        return None

    def _outcome(self, connection: Any, incoming: Incoming, task: StoredTask) -> bytes | None:
        outcome = task.outcome if task.ended else self._unknown()
        if isinstance(outcome, ErrorObject):
            return self._refuse(connection, incoming, outcome)
        line = self._binding.encode(self._binding.response(id=incoming.id, result=outcome))
        return settled(connection, incoming, line)

    def _found(self, task_id: str, context: Any) -> StoredTask:
        task = self.store.find(task_id, owner_of(context.connection, context))
        if task is None:
            raise ResponseError(*self._unknown())
        return task

    def _unknown(self) -> ErrorObject:
        error = self._refused("unknown task", "there is no such task, or it has expired")
        return ErrorObject(error.code, error.message, error.data)

    def _refused(self, situation: Situation, reason: str) -> ResponseError:
        return error_for(situation, _MESSAGES[situation], {"reason": reason})

    def _described(self, task: StoredTask) -> dict[str, Any]:
        """The members of a task, by attribute."""
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
        """Tells the requestor of a new status, as far as it can be reached; it asks anyway."""
        if not self.store.notify:
            return
        key = self._binding.notifications["notifications/tasks/status"]
        try:
            connection.notify(key, key.params(**self._described(task)))
        except McpError as fault:
            write_log("debug", "a status could not be told: %s", fault)

    # Answers.

    def _refuse(self, connection: Any, incoming: Incoming, why: ErrorObject) -> bytes | None:
        return settled(connection, incoming, self._handlers.refuse(connection, incoming, why))


def owner_of(connection: Any, said: Any) -> Any:
    """Who may see a task: who sends the request, where the transport knows, or else the other side of the session."""
    return connection.session if said.principal is None else said.principal


def settled(connection: Any, incoming: Incoming, line: bytes) -> bytes | None:
    """What is to be sent of the line that answers a request; None where nothing is, as after a cancellation."""
    with connection.lock:
        answer: bytes | None = connection.session.settle(incoming, line)
    return answer


def told(result: Any) -> str | None:
    """What a tool says of its failure, for the status of the task."""
    texts = (getattr(block, "text", None) for block in result.content)
    return next((text[:_LONGEST] for text in texts if text), None)


def _what(incoming: Incoming) -> str:
    return f"the tool {incoming.params.name!r}" if incoming.key.name == _CALL_TOOL else incoming.key.name
