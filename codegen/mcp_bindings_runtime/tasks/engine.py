"""Executing requests as tasks: one engine for the tasks of 2025-11-25 and for the extension of 2026-07-28.

The engine answers a request with a task at once and runs its handler in a thread of the store. A subclass adapts it to one
wire: which requests become tasks, how a task is written, and which requests about tasks exist.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextvars import copy_context
from functools import partial
from typing import TYPE_CHECKING, Any

from ..binding import Binding
from ..codec.unknown_content import encode_response
from ..connection.handler_results import WrongResult
from ..connection.handlers import INTERNAL, Handlers
from ..errors import EncodeError, ResponseError, UsageError
from ..jsonrpc import ErrorObject
from ..logs import log_exception, log_handler_error, log_warning
from ..session.control_flow import Abandoned
from ..session.events import Incoming
from .context import InTask, in_task
from .store import MemoryTasks
from .stored_task import StoredTask

if TYPE_CHECKING:
    from ..connection.channel import Channel


class TaskEngine(ABC):
    """Executes requests to ``peer``, a server or client, as tasks; ``handlers`` are those of ``peer``.

    Raise `UsageError` if ``store`` is not a ``MemoryTasks``.
    """

    context: Any = InTask
    """The class that the context of a task's handler derives from."""
    cancelled_outcome: ErrorObject | None = None
    """The outcome of a cancelled task."""

    def __init__(self, binding: Binding, handlers: Handlers, store: MemoryTasks, peer: Any) -> None:
        unchecked: Any = store
        if not isinstance(unchecked, MemoryTasks):
            text = f"`tasks` must be a MemoryTasks(), got {unchecked!r}"
            raise UsageError(text)
        self.store = store
        self._binding = binding
        self._handlers = handlers
        self._peer = peer

    @property
    def declared(self) -> Sequence[str]:
        """Capabilities that say which requests may become tasks, as dotted paths."""
        return ()

    @abstractmethod
    def intercept(self, connection: Any, incoming: Incoming) -> tuple[bytes | None] | None:
        """Handle a request that becomes a task or has to be refused; return None for all other requests.

        Otherwise return the line to send, or None in its place if it has been or will be sent.
        """

    @staticmethod
    @abstractmethod
    def owner_of(connection: Any, request: Any) -> Any:
        """Return who may see the task of a request."""

    @abstractmethod
    def _written(self, connection: Any, incoming: Incoming, task: StoredTask) -> bytes:
        """Return the line that answers a request with its task."""

    @abstractmethod
    def _end(self, task: StoredTask, result: Any) -> None:
        """End a task with the result of its request, unless it has ended."""

    @abstractmethod
    def _fail(self, task: StoredTask, why: ErrorObject) -> None:
        """End a task with an error, unless it has ended."""

    @abstractmethod
    def _unknown(self) -> ResponseError:
        """Return the error for a task that does not exist."""

    def _end_early(self, task: StoredTask) -> bool:
        """Cancel a task; return False if it had ended before."""
        return self.store.end(task, "cancelled", self.cancelled_outcome, message="Cancelled by request")

    def _finished(self, connection: Any, task: StoredTask) -> None:  # noqa: B027  # only one wire has something to do
        """Release what the session keeps for a task, after its handler."""

    def _create(
        self,
        connection: Any,
        incoming: Incoming,
        ttl: float | None = None,
        *,
        changed: Callable[[StoredTask], None],
    ) -> StoredTask:
        """Create the task of a request; raise ResponseError (-32603) if there are too many."""
        owner = self.owner_of(connection, incoming)
        source = incoming.source if incoming.principal is None else incoming.principal
        task = self.store.create(owner, incoming.key.name, ttl, changed=changed, source=source)
        if connection.closed and owner is connection.session:
            # The only possible requestor has gone meanwhile.
            self.store.leave(owner)
        return task

    def _start(self, connection: Channel, incoming: Incoming, task: StoredTask) -> bool:
        """Answer a request with its task and run its handler; return False if no thread can be started for it."""
        end = partial(self._end, task)
        context = in_task(self._peer, connection, incoming, self.store, task, kind=self.context, end=end)
        incoming.end_task = partial(self._end_early, task)
        line = settled(connection, incoming, self._written(connection, incoming, task))
        if line is None:
            # The request was cancelled meanwhile, so nobody learns the id of the task.
            self._end_early(task)
            return True
        # Before any message that the handler sends.
        connection.reply(incoming, line)
        job = partial(self._execute, connection, incoming, task, context)
        # The handler sees the context variables of the request, such as the current span of a trace.
        variables = copy_context()
        try:
            self.store.execute(lambda: variables.run(job))
        except RuntimeError as fault:
            log_exception(fault, "cannot start a thread for a task")
            incoming.stop_calls()
            return False
        return True

    def _execute(self, connection: Any, incoming: Incoming, task: StoredTask, context: Any) -> None:
        if task.stopped.is_set():
            # What was begun for the handler, as by a proxy, has to end without it.
            incoming.stop_calls()
            self._finished(connection, task)
            return
        result: Any = None
        try:
            result = self._handlers.handle(incoming.key, incoming.params, context)
            self._end(task, result)
        except ResponseError as error:
            self._fail(task, refusal_in(error))
        except WrongResult as fault:
            # As without a task: the message says everything.
            log_warning("%s", fault)
            self._fail(task, INTERNAL)
        except Abandoned:
            self._fail(task, INTERNAL)
        except EncodeError as fault:
            instead = self._handlers.unsendable_result(incoming.key, incoming.params, result, fault)
            if instead is None:
                self._fail(task, INTERNAL)
            else:
                self._end(task, instead)
        except BaseException as error:  # noqa: BLE001  # whatever a handler raises, the task ends
            log_handler_error(error, f"{incoming.key.name}: the handler of a task failed", over=connection.closed)
            self._fail(task, INTERNAL)
        finally:
            self._finished(connection, task)

    def _response_line(self, request_id: Any, result: Any) -> bytes:
        """Return the line of a response; raise ``EncodeError`` if the result cannot be sent."""
        response = self._binding.response(id=request_id, result=result)
        try:
            return self._binding.encode(response)
        except EncodeError as fault:
            return encode_response(self._binding, response, fault)

    def _found(self, task_id: str, context: Any) -> StoredTask:
        """Return the task that a request is about; raise ResponseError if it does not exist."""
        task = self.store.find(task_id, self.owner_of(context.connection, context))
        if task is None:
            raise self._unknown()
        return task

    def _refuse(self, connection: Any, incoming: Incoming, why: ErrorObject | ResponseError) -> bytes | None:
        refusal = refusal_in(why) if isinstance(why, ResponseError) else why
        return settled(connection, incoming, self._handlers.refuse(connection, incoming, refusal))


def settled(connection: Any, incoming: Incoming, line: bytes) -> bytes | None:
    """Return the line to send as the answer to a request; None if there is none, as after a cancellation."""
    with connection.lock:
        answer: bytes | None = connection.session.settle(incoming, line)
    return answer


def refusal_in(error: ResponseError) -> ErrorObject:
    """Return the JSON-RPC error that an exception stands for."""
    return ErrorObject(error.code, error.message, error.data)
