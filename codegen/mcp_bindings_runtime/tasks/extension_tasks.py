"""Executing tool calls as tasks in 2026-07-28: the extension ``io.modelcontextprotocol/tasks``.

The server decides which call becomes a task, if the client says with the call that it understands them. The handler runs
in a thread of the store. What it asks the client for lies in the task's state, where ``tasks/get`` shows it, until
``tasks/update`` brings the answers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ..client.extending import TASKS, supports
from ..connection.connection import Connection
from ..connection.context import StatelessContext
from ..connection.handlers import INTERNAL, Handlers
from ..errors import DecodeError, EncodeError, ResponseError
from ..jsonrpc import INVALID_PARAMS, MISSING_CLIENT_CAPABILITY, ErrorObject
from ..logs import log_exception, log_handler_error
from ..session.control_flow import Abandoned, Detached, InputNeeded
from ..session.events import Incoming
from .context import Task, in_task
from .core_tasks import settled
from .store import MemoryTasks, Question, StoredTask, timestamp

if TYPE_CHECKING:
    from ..binding import Binding
    from ..connection.channel import Channel
    from ..methods import RequestMethod

_CALL_TOOL = "tools/call"
_OWN = frozenset({"tasks/get", "tasks/update", "tasks/cancel"})
_NEEDED: dict[str, Any] = {"requiredCapabilities": {"extensions": {TASKS: {}}}}


class ExtensionTasks:
    """What a server does with calls that become tasks, and with requests about tasks.

    ``binding`` is that of the revision with the extension, ``peer`` the server, and ``handlers`` are its own. ``tell`` is
    given what the params of ``notifications/tasks`` say of a task, as JSON.
    """

    def __init__(
        self,
        binding: Binding,
        handlers: Handlers,
        store: MemoryTasks,
        peer: Any,
        tell: Callable[[str, Mapping[str, Any]], None],
    ) -> None:
        self.store = store
        self._binding = binding
        self._handlers = handlers
        self._peer = peer
        self._tell = tell
        self._structure: Callable[[Any, Any], Any] = binding.extension.converter.structure
        self._types: Any = binding.extension.types
        handlers.add(binding.requests["tasks/get"], self._get)
        handlers.add(binding.requests["tasks/update"], self._update)
        handlers.add(binding.requests["tasks/cancel"], self._cancel)

    declared: Sequence[str] = ()
    """Capabilities besides the extension: none."""

    def take(self, connection: Any, incoming: Incoming) -> tuple[bytes | None] | None:
        """Deals with a call that becomes a task, and refuses what takes the extension; None for all others.

        Otherwise the line to send, or None in its place where it has been sent.
        """
        method = incoming.key.name
        if method in _OWN:
            return None if self._understood(incoming) else (self._refuse(connection, incoming, missing()),)
        if method != _CALL_TOOL:
            return None
        support = self.store.support(incoming.params.name)
        if support == "forbidden":
            return None
        if not self._understood(incoming):
            return (self._refuse(connection, incoming, missing()),) if support == "required" else None
        try:
            self.begin(connection, incoming)
        except ResponseError as error:
            # There are too many; what need not be a task is done at once.
            refusal = ErrorObject(error.code, error.message, error.data)
            return (self._refuse(connection, incoming, refusal),) if support == "required" else None
        return (None,)

    def begin(self, connection: Channel, incoming: Incoming) -> None:
        """Answers a call with a task, and has the handler run.

        Raises ResponseError (-32603) where there are as many tasks as may be.
        """
        task = self.store.create(_owner(connection, incoming), _CALL_TOOL, changed=self._announce)
        if connection.closed and task.owner is connection.session:
            # Whoever could ask for it has gone before it was there.
            self.store.leave(task.owner)
        end = partial(self._end, task)
        context = in_task(self._peer, connection, incoming, self.store, task, kind=InStatelessTask, end=end)
        line = self._line(incoming, self._signed({"resultType": "task", **self._described(task)}, "CreateTaskResult"))
        # Before anything that is said of the task.
        connection.reply(incoming, settled(connection, incoming, line))
        try:
            self.store.execute(lambda: self._execute(incoming, task, context))
        except RuntimeError as fault:
            log_exception(fault, "no thread is to be had for a task")
            self._fail(task, INTERNAL)

    def detach(self, incoming: Incoming, *, required: bool) -> None:
        """The handler of a call would go on as a task; leaves it for that, if the client understands tasks.

        Raises ResponseError (-32021) where it does not, and ``required`` says that it has to.
        """
        if self._understood(incoming):
            raise Detached
        if required:
            raise ResponseError(*missing())

    def watched(self, session: Any, meta: Any, task_ids: Sequence[Any]) -> list[str]:
        """Those of the tasks that a subscription may hear of; raises ResponseError (-32021)."""
        if not supports(meta.client_capabilities):
            raise ResponseError(*missing())
        # Of which principal a subscription is, the session does not know: what belongs to one is told to nobody.
        return [each for each in task_ids if each.__class__ is str and self.store.find(each, session) is not None]

    def _execute(self, incoming: Incoming, task: StoredTask, context: Any) -> None:
        if task.stopped.is_set():
            return
        try:
            self._end(task, self._handlers.handle(incoming.key, incoming.params, context))
        except ResponseError as error:
            self._fail(task, ErrorObject(error.code, error.message, error.data))
        except Abandoned:
            self._fail(task, INTERNAL)
        except EncodeError as fault:
            log_exception(fault, "%s: the handler's result cannot be sent: %s", incoming.key.name, fault)
            self._fail(task, INTERNAL)
        except BaseException as error:  # noqa: BLE001  # whatever a handler raises, the task ends
            log_handler_error(
                error, f"{incoming.key.name}: the handler of a task failed", over=context.connection.closed
            )
            self._fail(task, INTERNAL)

    def _end(self, task: StoredTask, result: Any) -> None:
        """End a task with the result of its request; nothing if it has ended."""
        outcome = self._binding.codec.unstructure(result)
        size = len(self._binding.encode(self._binding.response(id=0, result=outcome)))
        self.store.end(task, "completed", outcome, size=size)

    def _fail(self, task: StoredTask, why: ErrorObject) -> None:
        error: dict[str, Any] = {"code": why.code, "message": why.message}
        if why.data is not None:
            error["data"] = why.data
        self.store.end(task, "failed", error, message=why.message)

    # Requests about tasks.

    def _get(self, params: Any, context: Any) -> Any:
        task = self._found(params.task_id, context)
        return self._signed({"resultType": "complete", **self._detailed(task)}, "GetTaskResult")

    def _update(self, params: Any, context: Any) -> Any:
        task = self._found(params.task_id, context)
        answers: dict[str, Any] = {}
        for name, given in params.input_responses.items():
            question: Question | None = task.asked.get(name)
            if question is None:
                # Never asked, or answered already.
                continue
            try:
                answers[name] = self._binding.codec.decode_result(question.key, given)
            except DecodeError as fault:
                reason = f"inputResponses, {name}: {fault}"
                raise ResponseError(INVALID_PARAMS, "Invalid params", {"reason": reason}) from None
        self.store.answer(task, answers)
        return self._signed({"resultType": "complete"}, "UpdateTaskResult")

    def _cancel(self, params: Any, context: Any) -> Any:
        self.store.end(self._found(params.task_id, context), "cancelled", None, message="Cancelled by request")
        return self._signed({"resultType": "complete"}, "CancelTaskResult")

    def _found(self, task_id: str, context: Any) -> StoredTask:
        task = self.store.find(task_id, _owner(context.connection, context))
        if task is None:
            reason = "there is no such task, or it has expired"
            raise ResponseError(INVALID_PARAMS, "Unknown task", {"reason": reason})
        return task

    # What is said of a task.

    def _described(self, task: StoredTask) -> dict[str, Any]:
        told = {} if task.message is None else {"statusMessage": task.message}
        return {
            "taskId": task.id,
            "status": task.status,
            **told,
            "createdAt": timestamp(task.created),
            "lastUpdatedAt": timestamp(task.updated),
            "ttlMs": round(task.ttl * 1000),
            "pollIntervalMs": max(round(self.store.poll * 1000), 1),
        }

    def _detailed(self, task: StoredTask) -> dict[str, Any]:
        described, state = self.store.look(task, self._described)
        return {**described, **state}

    def _announce(self, task: StoredTask) -> None:
        if self.store.notify:
            self._tell(task.id, self._detailed(task))

    # Answers.

    def _understood(self, incoming: Incoming) -> bool:
        return supports(incoming.params.meta.client_capabilities)

    def _signed(self, value: dict[str, Any], kind: str) -> Any:
        """A result of the extension, which says as all do who gives it."""
        info = self._binding.codec.unstructure(self._peer.info)
        signed = {**value, "_meta": {"io.modelcontextprotocol/serverInfo": info}}
        return self._structure(signed, getattr(self._types, kind))

    def _line(self, incoming: Incoming, result: Any) -> bytes:
        return self._binding.encode(self._binding.response(id=incoming.id, result=result))

    def _refuse(self, connection: Any, incoming: Incoming, why: ErrorObject) -> bytes | None:
        return settled(connection, incoming, self._handlers.refuse(connection, incoming, why))


class InStatelessTask(StatelessContext):
    """What the context of a task's handler does in another way than others."""

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def task(self) -> Task:
            """The task."""
            ...

    @property
    def cancelled(self) -> bool:
        """Whether nobody wants the result any more: stop then, and return anything or raise."""
        return self.task.cancelled

    def request(
        self,
        key: RequestMethod[Any, Any],
        params: Any = None,
        *,
        timeout: float | None = None,
        on_progress: Callable[[Any], object] | None = None,
    ) -> Any:
        """Asks the client for something, and waits for the answer that ``tasks/update`` brings.

        ``timeout`` is in seconds; without it that is as long as the task is kept. What was answered before the call
        became a task is known. Where nobody will answer any more, the handler is left. Raises RequestTimeout, and
        ResponseError (-32021) where the client has not declared that it can answer.
        """
        try:
            return super().request(key, params)
        except InputNeeded as asked:
            binding = self.connection.session.binding
            return self.task.ask(key, binding.codec.unstructure(asked.request), timeout)

    def conclude(self, result: Any) -> None:
        """End the task with a result, as ``Task.conclude``."""
        self.task.conclude(result)

    def begin_task(self, *, required: bool = False) -> None:
        """Nothing: the call is a task already."""

    def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """Nothing: of tasks no progress is sent in this revision (Task Status Notifications); see ``task.tell``."""

    def log(self, level: str, data: Any, logger: str | None = None) -> None:
        """Nothing: of tasks no log messages are sent in this revision (Task Status Notifications)."""


def _owner(connection: Any, said: Any) -> Any:
    """Who may see a task: who sends the request, where the transport knows; over a lasting connection its other side.

    None where requests come one by one from anybody: there the id is all that there is.
    """
    if said.principal is None and isinstance(connection, Connection):
        return connection.session
    return said.principal


def missing() -> ErrorObject:
    """What is answered to a client that has not declared the extension with its request."""
    return ErrorObject(MISSING_CLIENT_CAPABILITY, "Missing required client capability", _NEEDED)
