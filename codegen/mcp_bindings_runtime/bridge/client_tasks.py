"""The tasks of a client at a server of another revision: 2025-11-25 has tasks in its core, 2026-07-28 as an extension.

The client sends the requests of its own revision. A class for each direction turns them into those of the server, and one
is for two revisions that have the extension.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from threading import Lock
from typing import TYPE_CHECKING, Any, Final
from weakref import proxy

from ..connection.call_scope import CallScope
from ..errors import DecodeError, ResponseError, TaskCancelled, UsageError
from ..installed_revisions import extension_package
from ..jsonrpc import INVALID_PARAMS, ErrorObject
from ..logs import write_log
from ..session.late_tasks import FINAL
from ..session.task_tracker import related_meta, task_capability
from ..tasks.extension_binding import declares_tasks
from ..tasks.store import timestamp
from .bridged_tasks import BridgedTasks
from .twin_client import translated_error
from .twin_tasks import with_tasks_declared

if TYPE_CHECKING:
    from ..binding import Binding
    from ..methods import RequestMethod
    from ..tasks.polled_task import PolledTask
    from .bridged_connection import BridgedConnection

_EXTENSION: Final = "ext_tasks"
_CALL_TOOL: Final = "tools/call"
_LIST_TOOLS: Final = "tools/list"
_RESULT: Final = "tasks/result"
_REQUESTS: Final = "inputRequests"
_ABOUT_TASKS: Final[Mapping[str, tuple[str, ...]]] = {
    "tasks/get": ("meta",),
    "tasks/update": ("meta", "input_responses"),
    "tasks/cancel": ("meta",),
}
"""Requests of the extension to the attributes of their params that are of the revision."""
MOST: Final = 256
"""Limit on the tasks that a bridge remembers for a client of 2025-11-25; the oldest are dropped."""


def twin_options(wire: Binding) -> dict[str, Any]:
    """Return the options by which the twin of a client of 2025-11-25 may call tools as tasks."""
    if wire.era == "handshake":
        return {}
    try:
        extension_package(_EXTENSION)
    except UsageError:
        # A copy need not have the extension.
        return {}
    return {"tasks": True}


def has_tasks(twin: Binding, declared: Any) -> bool:
    """Return whether a server with these capabilities runs tool calls as tasks, and its ``twin`` knows their messages."""
    if twin.era == "stateless":
        return twin.extension is not None and declares_tasks(declared)
    return twin.declares(declared, task_capability(twin.requests[_CALL_TOOL]))


def tasks_of(connection: BridgedConnection) -> BridgedTasks | None:
    """Return the tasks of a client at the server of a connection, and declare them; None if the server has none."""
    own, session = connection.program.binding, connection.session
    if not has_tasks(connection.twin.binding, connection.wire.session.peer_capabilities):
        return None
    session.peer_capabilities = with_tasks_declared(own, session.peer_capabilities)
    if own.era == "handshake":
        return TasksOfStatelessServer(connection)
    return (
        ForwardedTasks(connection) if connection.twin.binding.era == "stateless" else TasksOfHandshakeServer(connection)
    )


class _KeptTask:
    """A task of the server, or the result of a call that the server has answered at once."""

    def __init__(self, state: dict[str, Any], task: PolledTask[Any] | None, result: Any) -> None:
        self.state = state
        """The state as JSON, in the client's revision."""
        self.task = task
        self.result = result
        """The result in the client's revision; None if the server has it."""
        self.cancelled = False


class TasksOfStatelessServer(BridgedTasks):
    """The tasks of a client of 2025-11-25 at a server with the extension of 2026-07-28.

    The server decides which call becomes a task. A call that it answers at once is a task that has completed.
    """

    def __init__(self, connection: BridgedConnection) -> None:
        self._connection: Any = proxy(connection)
        self._lock = Lock()
        self._kept: OrderedDict[str, _KeptTask] = OrderedDict()
        self._answers: Mapping[str, Callable[[Any, Any, float | None], Any]] = {
            "tasks/get": self._get,
            _RESULT: self._result,
            "tasks/cancel": self._cancel,
            "tasks/list": self._list,
        }

    def answer(self, key: RequestMethod[Any, Any], params: Any, timeout: float | None) -> Any:
        """Return the result of a request about tasks, or of a call that asks for one; None for other requests."""
        if key.name == _CALL_TOOL:
            return None if params.task is None else self._call(key, params, timeout)
        answer = self._answers.get(key.name)
        return None if answer is None else answer(key, params, timeout)

    def _call(self, key: RequestMethod[Any, Any], params: Any, timeout: float | None) -> Any:
        connection = self._connection
        twin = connection.twin
        wire_key, wire_params = connection.outward.request(key, params.__replace__(task=None))
        wire_params.meta = connection.wire_meta(wire_params)
        try:
            answer = twin.rounds(wire_key, wire_params, timeout=timeout)
        except ResponseError as error:
            raise translated_error(connection.inward, key.name, error) from error
        if answer.__class__ is twin.binding.task_result_class:
            kept = _KeptTask(_core_state(answer), twin.task(wire_key, answer), None)
        else:
            kept = _KeptTask(_ended_state(params.task.ttl), None, connection.inward.result(wire_key, answer))
        with self._lock:
            self._kept[kept.state["taskId"]] = kept
            while len(self._kept) > MOST:
                self._kept.popitem(last=False)
        own = connection.program.binding
        return own.codec.structure({"task": kept.state}, own.task_result_class)

    def _get(self, key: RequestMethod[Any, Any], params: Any, timeout: float | None) -> Any:
        return self._of_revision(key, self._current(self._found(params), timeout).state)

    def _result(self, key: RequestMethod[Any, Any], params: Any, timeout: float | None) -> Any:
        connection, kept = self._connection, self._found(params)
        own = connection.program.binding
        if kept.cancelled:
            text = f"{_CALL_TOOL}: the task was cancelled"
            raise TaskCancelled(text)
        received = kept.result
        if kept.task is not None:
            # The server keeps it.
            try:
                answer = kept.task.result(timeout)
            except ResponseError as error:
                raise translated_error(connection.inward, _CALL_TOOL, error) from error
            received = connection.inward.result(connection.twin.binding.requests[_CALL_TOOL], answer)
        result = own.codec.unstructure(received)
        return self._of_revision(key, {**result, "_meta": {**result.get("_meta", {}), **related_meta(params.task_id)}})

    def _cancel(self, key: RequestMethod[Any, Any], params: Any, timeout: float | None) -> Any:
        kept = self._current(self._found(params), timeout)
        if kept.task is None or kept.state["status"] in FINAL:
            reason = f"the task has ended: it is {kept.state['status']}"
            raise ResponseError(INVALID_PARAMS, "Cannot cancel the task", {"reason": reason})
        # The server may end it later, or not at all; in this revision the answer is the end.
        kept.task.cancel(timeout=timeout)
        with self._lock:
            kept.cancelled = True
            kept.state = {**kept.state, "status": "cancelled"}
        return self._of_revision(key, kept.state)

    def _list(self, key: RequestMethod[Any, Any], params: Any, timeout: float | None) -> Any:
        if params is not None and params.cursor is not None:
            reason = "there is one page of tasks"
            raise ResponseError(INVALID_PARAMS, "Unknown cursor", {"reason": reason})
        with self._lock:
            kept = dict(self._kept)
        states: list[dict[str, Any]] = []
        for task_id, each in kept.items():
            try:
                states.append(self._current(each, timeout).state)
            except ResponseError as error:
                if error.code != INVALID_PARAMS:
                    raise
                # It has expired.
                with self._lock:
                    self._kept.pop(task_id, None)
        return self._of_revision(key, {"tasks": states})

    def _found(self, params: Any) -> _KeptTask:
        with self._lock:
            kept = self._kept.get(params.task_id)
        if kept is None:
            reason = "there is no such task, or it was dropped"
            raise ResponseError(INVALID_PARAMS, "Unknown task", {"reason": reason})
        return kept

    def _current(self, kept: _KeptTask, timeout: float | None) -> _KeptTask:
        """Request the state of a task, unless it has ended."""
        if kept.task is not None and kept.state["status"] not in FINAL:
            state = _core_state(kept.task.status(timeout=timeout))
            with self._lock:
                if not kept.cancelled:
                    kept.state = state
        return kept

    def _of_revision(self, key: RequestMethod[Any, Any], value: dict[str, Any]) -> Any:
        return self._connection.program.binding.codec.structure(value, key.result)

    def declare_support(self, result: Any) -> None:
        """Let a list of tools say that each of them may be called as a task."""
        execution = self._connection.program.binding.types.ToolExecution
        for tool in result.tools:
            if tool.execution is None:
                tool.execution = execution(task_support="optional")


class TasksOfHandshakeServer(BridgedTasks):
    """The tasks of a client of 2026-07-28, with the extension, at a server of 2025-11-25.

    A tool is called as a task if the list of the server says that it may or must be.
    """

    def __init__(self, connection: BridgedConnection) -> None:
        self._connection: Any = proxy(connection)
        self._requests = connection.twin.binding.requests
        self._types = connection.program.binding.extension.types
        self._structure = connection.program.binding.extension.converter.structure
        self._listing = Lock()
        self._changes = 0
        """Number of changes of the list of tools."""
        self._support: tuple[int, Mapping[str, str]] = (-1, {})
        """The tools that may be called as tasks, and whether they must be, after so many changes."""
        self._answers: Mapping[str, Callable[[Any, float | None], Any]] = {
            "tasks/get": self._get,
            "tasks/update": self._update,
            "tasks/cancel": self._cancel,
        }

    def answer(self, key: RequestMethod[Any, Any], params: Any, timeout: float | None) -> Any:
        """Return the result of a request about tasks, or the task that a call becomes; None for other requests."""
        if key.name == _CALL_TOOL:
            as_task = declares_tasks(params.meta.client_capabilities) and params.name in self._supported(timeout)
            return self._call(key, params, timeout) if as_task else None
        answer = self._answers.get(key.name)
        return None if answer is None else answer(params, timeout)

    def forget_tools(self) -> None:
        """Ask for the list of tools again before the next call."""
        self._changes += 1

    def _supported(self, timeout: float | None) -> Mapping[str, str]:
        """Return the tools that may or must be called as tasks."""
        with self._listing, CallScope(self._connection.limit):
            changes, found = self._support
            if changes != self._changes:
                # If the list changes while it is read, it is read again before the next call.
                changes = self._changes
                found = self._listed(timeout)
                self._support = changes, found
            return found

    def _listed(self, timeout: float | None) -> Mapping[str, str]:
        """Return what the list of the server says of each tool that may or must be called as a task."""
        key = self._requests[_LIST_TOOLS]
        found: dict[str, str] = {}
        cursors: set[str | None] = set()
        cursor: str | None = None
        while cursor not in cursors:
            cursors.add(cursor)
            try:
                page = self._connection.wire.request(key, key.params(cursor=cursor), timeout=timeout)
            except (DecodeError, ResponseError) as error:
                write_log("info", "the other tools are not called as tasks: cannot list them: %s", error)
                break
            found.update({tool.name: _support_of(tool) for tool in page.tools})
            cursor = page.next_cursor
            if cursor is None:
                break
        return {name: support for name, support in found.items() if support != "forbidden"}

    def _call(self, key: RequestMethod[Any, Any], params: Any, timeout: float | None) -> Any:
        connection = self._connection
        connection.prepare(key, params, timeout)
        wire_key, wire_params = connection.outward.request(key, params)
        wanted = connection.twin.binding.types.TaskMetadata()
        try:
            created = connection.wire.request(wire_key, wire_params.__replace__(task=wanted), timeout=timeout)
        except ResponseError as error:
            raise translated_error(connection.inward, key.name, error) from error
        return self._made("CreateTaskResult", {"resultType": "task", **_extension_state(created.task)})

    def _get(self, params: Any, timeout: float | None) -> Any:
        state = self._request("tasks/get", params, timeout)
        described = _extension_state(state)
        if state.status == "cancelled" or state.status not in FINAL:
            return self._made("GetTaskResult", {"resultType": "complete", **described})
        connection = self._connection
        call = self._requests[_CALL_TOOL]
        own, twin = connection.program.binding, connection.twin.binding
        try:
            payload = twin.codec.unstructure(self._request(_RESULT, params, timeout))
        except ResponseError as error:
            found = translated_error(connection.inward, _CALL_TOOL, error)
            data = {} if found.data is None else {"data": found.data}
            failure = {"code": found.code, "message": found.message, **data}
            return self._made(
                "GetTaskResult", {"resultType": "complete", **described, "status": "failed", "error": failure}
            )
        result = connection.inward.result(call, twin.codec.structure(payload, call.result))
        # A tool that reports an error has a result, as of any other call.
        outcome = {"status": "completed", "result": own.codec.unstructure(result)}
        return self._made("GetTaskResult", {"resultType": "complete", **described, **outcome})

    def _update(self, _params: Any, _timeout: float | None) -> Any:
        # The server requests input by requests of its own, which the client's handlers have answered.
        return self._made("UpdateTaskResult", {"resultType": "complete"})

    def _cancel(self, params: Any, timeout: float | None) -> Any:
        try:
            self._request("tasks/cancel", params, timeout)
        except ResponseError as error:
            if error.code != INVALID_PARAMS or self._request("tasks/get", params, timeout).status not in FINAL:
                raise
            # It has ended before; the state tells.
        return self._made("CancelTaskResult", {"resultType": "complete"})

    def _request(self, method: str, params: Any, timeout: float | None) -> Any:
        key = self._requests[method]
        return self._connection.wire.request(key, key.params(task_id=params.task_id), timeout=timeout)

    def _made(self, kind: str, value: dict[str, Any]) -> Any:
        return self._structure(value, getattr(self._types, kind))


class ForwardedTasks(BridgedTasks):
    """The tasks of a client at a server that has the same extension, in another revision.

    The messages of the extension are the same in both. What they hold of the revision is part of a tool call, too, and is
    converted as such: the requests for input, their responses, and the result.
    """

    def __init__(self, connection: BridgedConnection) -> None:
        self._connection: Any = proxy(connection)
        self._own: Binding = connection.program.binding
        self._wire: Binding = connection.twin.binding
        self._structure: Callable[[Any, Any], Any] = self._own.extension.converter.structure

    def answer(self, key: RequestMethod[Any, Any], params: Any, timeout: float | None) -> Any:
        """Return the result of a request about tasks; None for other requests."""
        if key.name not in _ABOUT_TASKS:
            return None
        connection, call = self._connection, self._own.requests[_CALL_TOOL]
        held = {name: getattr(connection.prepare(key, params, timeout), name) for name in _ABOUT_TASKS[key.name]}
        _, converted = connection.outward.request(call, call.params(name=params.task_id, **held))
        sent = params.__replace__(**{name: getattr(converted, name) for name in held})
        try:
            result = connection.wire.request(key, sent, timeout=timeout)
        except ResponseError as error:
            raise translated_error(connection.inward, key.name, error) from error
        return self.converted_state(result)

    def converted_state(self, state: Any) -> Any:
        """Return a state, or the params of its notification, in the client's revision."""
        value = self._wire.codec.unstructure(state)
        changed: dict[str, Any] = {}
        if _REQUESTS in value:
            result = self._of_call({"resultType": "input_required", _REQUESTS: value[_REQUESTS]})
            changed[_REQUESTS] = result[_REQUESTS]
        if "result" in value:
            changed["result"] = self._of_call(value["result"])
        if "error" in value:
            error = value["error"]
            before = ErrorObject(error["code"], error["message"], error.get("data"))
            code, message, _ = self._connection.inward.error(_CALL_TOOL, before)
            changed["error"] = {**error, "code": code, "message": message}
        return self._structure({**value, **changed}, state.__class__) if changed else state

    def _of_call(self, value: Any) -> Any:
        """Return the JSON of the result of a tool call in the client's revision."""
        key = self._wire.requests[_CALL_TOOL]
        result = self._connection.inward.result(key, self._wire.codec.decode_result(key, value))
        return self._own.codec.unstructure(result)


def _support_of(tool: Any) -> str:
    support = None if tool.execution is None else tool.execution.task_support
    return support or "forbidden"


def _core_state(state: Any) -> dict[str, Any]:
    """Return the JSON of a state of the extension in 2025-11-25."""
    interval = {} if state.poll_interval_ms is None else {"pollInterval": state.poll_interval_ms}
    return {**_common_state(state), "ttl": state.ttl_ms, **interval}


def _extension_state(state: Any) -> dict[str, Any]:
    """Return the JSON of a state of 2025-11-25 in the extension."""
    interval = {} if state.poll_interval is None else {"pollIntervalMs": state.poll_interval}
    # Its requests for input come to the client's handlers by themselves.
    status = "working" if state.status == "input_required" else state.status
    return {**_common_state(state), "status": status, "ttlMs": state.ttl, **interval}


def _common_state(state: Any) -> dict[str, Any]:
    message = {} if state.status_message is None else {"statusMessage": state.status_message}
    return {
        "taskId": state.task_id,
        "status": state.status,
        **message,
        "createdAt": state.created_at,
        "lastUpdatedAt": state.last_updated_at,
    }


def _ended_state(ttl: int | None) -> dict[str, Any]:
    """Return the state of a task that has completed before it began, in 2025-11-25."""
    from secrets import token_urlsafe

    now = timestamp(time.time())
    return {"taskId": token_urlsafe(16), "status": "completed", "createdAt": now, "lastUpdatedAt": now, "ttl": ttl}
