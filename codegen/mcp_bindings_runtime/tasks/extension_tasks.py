"""The tasks of 2026-07-28: the engine's adapter to the extension ``io.modelcontextprotocol/tasks``, on servers.

The server decides which call becomes a task, if the client declares the extension with the call. What the handler asks the
client for is part of the task's state: ``tasks/get`` shows it and ``tasks/update`` brings the answers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..codec.unknown_content import unstructure_result
from ..connection.connection import Connection
from ..connection.handlers import INTERNAL, Handlers
from ..errors import DecodeError, ResponseError
from ..jsonrpc import INVALID_PARAMS, MISSING_CLIENT_CAPABILITY, ErrorObject
from ..session.control_flow import Detached
from ..session.events import Incoming
from .context import InStatelessTask
from .engine import TaskEngine
from .extension_binding import TASKS, declares_tasks
from .store import MemoryTasks, timestamp
from .stored_task import Question, StoredTask

if TYPE_CHECKING:
    from ..binding import Binding
    from ..connection.channel import Channel

_CALL_TOOL = "tools/call"
_TASK_METHODS = frozenset({"tasks/get", "tasks/update", "tasks/cancel"})
_NEEDED: dict[str, Any] = {"requiredCapabilities": {"extensions": {TASKS: {}}}}


class ExtensionTasks(TaskEngine):
    """The tasks of a server, and its answers to requests about tasks.

    ``publish`` is called with the id of a task and its state as JSON (the params of ``notifications/tasks``).
    """

    context = InStatelessTask

    def __init__(
        self,
        binding: Binding,
        handlers: Handlers,
        store: MemoryTasks,
        peer: Any,
        publish: Callable[[str, Mapping[str, Any]], None],
    ) -> None:
        super().__init__(binding, handlers, store, peer)
        self._publish = publish
        self._structure: Callable[[Any, Any], Any] = binding.extension.converter.structure
        self._types: Any = binding.extension.types
        handlers.add(binding.requests["tasks/get"], self._get)
        handlers.add(binding.requests["tasks/update"], self._update)
        handlers.add(binding.requests["tasks/cancel"], self._cancel)

    def intercept(self, connection: Any, incoming: Incoming) -> tuple[bytes | None] | None:
        """See ``TaskEngine.intercept``; refuse requests of clients that have to declare the extension."""
        method = incoming.key.name
        if method in _TASK_METHODS:
            return None if self._understood(incoming) else (self._refuse(connection, incoming, missing()),)
        if method != _CALL_TOOL:
            return None
        support = self.store.support(incoming.params.name)
        if support == "forbidden" or self.store.handler_decides:
            return None
        if not self._understood(incoming):
            return (self._refuse(connection, incoming, missing()),) if support == "required" else None
        try:
            self.begin(connection, incoming)
        except ResponseError as error:
            # There are too many tasks; a call that need not be one is handled at once.
            return (self._refuse(connection, incoming, error),) if support == "required" else None
        return (None,)

    def begin(self, connection: Channel, incoming: Incoming) -> None:
        """Answer a call with a task and run its handler; raise ResponseError (-32603) if there are too many tasks."""
        task = self._create(connection, incoming, changed=self._announce)
        if not self._start(connection, incoming, task):
            self._fail(task, INTERNAL)

    def detach(self, incoming: Incoming, *, required: bool) -> None:
        """Leave the handler of a call, which goes on as a task, if the client declares the extension.

        Otherwise raise ResponseError (-32021) if ``required``.
        """
        if self._understood(incoming):
            raise Detached
        if required:
            raise ResponseError(*missing())

    def watched(self, session: Any, meta: Any, task_ids: Sequence[Any]) -> list[str]:
        """Return the tasks that a subscription may watch; raise ResponseError (-32021)."""
        if not declares_tasks(meta.client_capabilities):
            raise ResponseError(*missing())
        # The session does not know the principal of a subscription, so tasks of principals are not watched.
        return [each for each in task_ids if each.__class__ is str and self.store.find(each, session) is not None]

    @staticmethod
    def owner_of(connection: Any, request: Any) -> Any:
        """Return who may see the task of a request: the principal, or the session of a lasting connection.

        None if every request stands alone: then whoever knows the id may see the task.
        """
        if request.principal is None and isinstance(connection, Connection):
            return connection.session
        return request.principal

    def _written(self, connection: Any, incoming: Incoming, task: StoredTask) -> bytes:
        result = self._signed({"resultType": "task", **self._described(task)}, "CreateTaskResult")
        return self._binding.encode(self._binding.response(id=incoming.id, result=result))

    def _end(self, task: StoredTask, result: Any) -> None:
        outcome = unstructure_result(self._binding, result)
        size = len(self._response_line(0, outcome))
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
        for name, answer in params.input_responses.items():
            question: Question | None = task.questions.get(name)
            if question is None:
                # The task never had this question, or it is answered already.
                continue
            try:
                answers[name] = self._binding.codec.decode_result(question.key, answer)
            except DecodeError as fault:
                reason = f"inputResponses, {name}: {fault}"
                raise ResponseError(INVALID_PARAMS, "Invalid params", {"reason": reason}) from None
        self.store.answer(task, answers)
        return self._signed({"resultType": "complete"}, "UpdateTaskResult")

    def _cancel(self, params: Any, context: Any) -> Any:
        self._end_early(self._found(params.task_id, context))
        return self._signed({"resultType": "complete"}, "CancelTaskResult")

    def _unknown(self) -> ResponseError:
        reason = "there is no such task, or it has expired"
        return ResponseError(INVALID_PARAMS, "Unknown task", {"reason": reason})

    # The JSON of a task.

    def _described(self, task: StoredTask) -> dict[str, Any]:
        message = {} if task.message is None else {"statusMessage": task.message}
        return {
            "taskId": task.id,
            "status": task.status,
            **message,
            "createdAt": timestamp(task.created),
            "lastUpdatedAt": timestamp(task.updated),
            "ttlMs": round(task.ttl * 1000),
            "pollIntervalMs": max(round(self.store.poll * 1000), 1),
        }

    def _detailed(self, task: StoredTask) -> dict[str, Any]:
        described, state = self.store.snapshot(task, self._described)
        return {**described, **state}

    def _announce(self, task: StoredTask) -> None:
        if self.store.notify:
            self._publish(task.id, self._detailed(task))

    def _understood(self, incoming: Incoming) -> bool:
        return declares_tasks(incoming.params.meta.client_capabilities)

    def _signed(self, value: dict[str, Any], kind: str) -> Any:
        """Return a result of the extension with the server's info in ``_meta``, as every result has."""
        info = self._binding.codec.unstructure(self._peer.info)
        signed = {**value, "_meta": {"io.modelcontextprotocol/serverInfo": info}}
        return self._structure(signed, getattr(self._types, kind))


def missing() -> ErrorObject:
    """Return the error for a client that has not declared the extension with its request."""
    return ErrorObject(MISSING_CLIENT_CAPABILITY, "Missing required client capability", _NEEDED)
