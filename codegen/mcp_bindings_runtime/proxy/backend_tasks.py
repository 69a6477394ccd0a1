"""Tool calls that a server behind a proxy runs as tasks, for one client of the proxy.

The proxy runs them as tasks of its own, with ids of its own. The handler of such a task waits here for that of the server.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from threading import Condition
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

from ..connection.call_scope import CallScope, Cancellation
from ..errors import CallCancelled
from ..session.control_flow import Abandoned
from ..session.task_tracker import RELATED, related_task
from ..tasks.extension_binding import declare_tasks
from ..tasks.polled_task import PolledTask
from ..tasks.task_handle import TaskHandle

if TYPE_CHECKING:
    from ..methods import RequestMethod
    from ..session.events import Incoming
    from ..tasks.remote_task import RemoteTask
    from .server_contact import ServerContact

CALL_TOOL: Final = "tools/call"
MAX_EARLY: Final = 256
"""Limit on the tasks whose messages are kept if the messages arrive before the response to the call that created the
task.
"""
STATUS: Final = "notifications/tasks/status"


class BackendTasks:
    """Calls tools of one server as its tasks, and waits for the results."""

    def __init__(self, contact: ServerContact) -> None:
        self._contact = contact
        self._binding = contact.binding
        self._changed = Condition()
        self._unanswered = 0
        """Calls that ask for a task, and have no answer yet."""
        self._early: dict[str, str] = {}
        """Ids of tasks to the messages of their status that came before the answers to such calls."""
        self._contexts: dict[str, Any] = {}
        """Ids of tasks of the server to the contexts of the calls."""
        self._created: WeakKeyDictionary[Incoming, _Created] = WeakKeyDictionary()
        """Requests that the server has answered with a task, until the proxy's own task begins."""

    def concerns(self, key: RequestMethod[Any, Any], params: Any, context: Any) -> bool:
        """Return whether a request may become a task of the server."""
        if key.name != CALL_TOOL or not self._contact.has_tasks:
            return False
        if self._binding.era == "stateless":
            return True
        return _task_of(context) is not None or self._contact.task_support.get(params.name) == "required"

    def call(self, client: Any, key: RequestMethod[Any, Any], params: Any, context: Any, **options: Any) -> Any:
        """Return the result of a tool call, after the end of its task if there is one.

        ``options`` are those of the request. If the server, without sessions, makes a task of a call that is none here,
        begin one. Raise ``ResponseError``, and ``McpError`` if the server cannot be used.
        """
        own = _task_of(context)
        # Another run of the handler may have another view of it.
        request: Incoming = context.incoming.on_wire
        begun = self._created.pop(request, None)
        created = None if begun is None else begun.claim()
        with _stopped_with(own, context):
            if created is None and own is None and self._binding.era == "stateless":
                created = client.connection.request(key, params, **options)
                if created.__class__ is client.binding.task_result_class:
                    task = self._polled(client, key, created, context)
                    self._created[request] = _Created(created, task, request)
                    context.begin_task()
                return created
            if created is None:
                created = self._sent(client, key, self._as_task(params, own), context, options)
            if created.__class__ is not client.binding.task_result_class:
                return created
            return self._outcome(client, key, created, context)

    def _sent(self, client: Any, key: RequestMethod[Any, Any], params: Any, context: Any, options: Any) -> Any:
        """Return the answer to a call that asks for a task; from then on the questions of the task are known."""
        with self._changed:
            self._unanswered += 1
        created: Any = None
        try:
            created = client.connection.request(key, params, **options)
        finally:
            with self._changed:
                self._unanswered -= 1
                message = None
                if created.__class__ is client.binding.task_result_class:
                    task_id = _state_of(created).task_id
                    self._contexts[task_id] = context
                    message = self._early.pop(task_id, None)
                if not self._unanswered:
                    self._early.clear()
                self._changed.notify_all()
        own = _task_of(context)
        if message is not None and own is not None:
            own.tell(message)
        return created

    def _as_task(self, params: Any, own: Any) -> Any:
        """Return params that let the server run the call as a task."""
        if self._binding.era == "stateless":
            capabilities = declare_tasks(params.meta.client_capabilities)
            return params.__replace__(meta=params.meta.__replace__(client_capabilities=capabilities))
        if params.task is not None and params.task.ttl is not None:
            return params
        ttl = None if own is None else round(own.seconds_kept * 1000)
        return params.__replace__(task=self._binding.types.TaskMetadata(ttl=ttl))

    def _outcome(self, client: Any, key: RequestMethod[Any, Any], created: Any, context: Any) -> Any:
        """Wait for the result of a task of the server; cancel it if nobody wants the result any more."""
        task: RemoteTask[Any, Any]
        if self._binding.era == "stateless":
            task = self._polled(client, key, created, context)
        else:
            peer = TaskPeer(client, context)
            task = TaskHandle(peer, client.binding, key, created.task, limit=self._contact.limit)
        try:
            result = task.result()
        except BaseException:
            task.abandon()
            raise
        finally:
            with self._changed:
                self._contexts.pop(_state_of(created).task_id, None)
        return without_related_task(result)

    def _polled(self, client: Any, key: RequestMethod[Any, Any], created: Any, context: Any) -> PolledTask[Any]:
        return PolledTask(TaskPeer(client, context), key, created, limit=self._contact.limit)

    def context_of(self, params: Any) -> Any:
        """Return the context of the call to whose task a request of the server belongs; None if it belongs to none.

        A task may ask before the answer to its call was read, so wait for the answers of such calls.
        """
        task_id = related_task(getattr(params, "meta", None))
        if task_id is None:
            return None
        with self._changed:
            self._changed.wait_for(lambda: task_id in self._contexts or not self._unanswered)
            return self._contexts.get(task_id)

    def note_status(self, _method: str, params: Any) -> None:
        """Pass the message of the status of a task on."""
        if params.status != "working" or not params.status_message:
            return
        with self._changed:
            context = self._contexts.get(params.task_id)
            if context is None and self._unanswered and len(self._early) < MAX_EARLY:
                self._early[params.task_id] = params.status_message
        own = _task_of(context)
        if own is not None:
            own.tell(params.status_message)


class _Created:
    """A task of the server, which is cancelled if the request ends before the proxy's own task begins."""

    def __init__(self, created: Any, task: PolledTask[Any], incoming: Any) -> None:
        self._created = created
        self._task = task
        self._cancellation: Cancellation = incoming.cancellation
        try:
            self._cancellation.add(self._abandon)
        except CallCancelled:
            task.abandon()
            raise

    def claim(self) -> Any:
        """Return the answer of the server; from now on the caller ends the task."""
        self._cancellation.remove(self._abandon)
        return self._created

    def _abandon(self, _error: CallCancelled) -> None:
        self._task.abandon()


class TaskPeer:
    """The server behind for its tasks; their questions go to the client within a call with this context."""

    followed: frozenset[str] = frozenset()

    def __init__(self, client: Any, context: Any) -> None:
        self.binding = client.binding
        self.timeout: float = client.timeout
        self.connection = client.connection
        self._context = context

    @property
    def connected(self) -> bool:
        """Whether the connection is open."""
        return not self.connection.closed

    def request(self, key: RequestMethod[Any, Any], params: Any, *, timeout: float | None = None) -> Any:
        """Send a request and wait for its result."""
        return self.connection.request(key, params, timeout=timeout)

    def provide(self, _key: RequestMethod[Any, Any], request: Any) -> Any:
        """Return the client's answer to a question in the state of a task."""
        return self._context.request(self.binding.requests[request.method], request.params)

    def follow(self, key: RequestMethod[Any, Any], params: Any, result: Any) -> None:
        """Do nothing: results are passed on as they are."""


def without_related_task(value: Any) -> Any:
    """Return params or a result without the id of a task of the server."""
    meta: Any = getattr(value, "meta", None)
    if related_task(meta) is None:
        return value
    entries: dict[str, Any] = meta if meta.__class__ is dict else meta.extra
    rest = {name: each for name, each in entries.items() if name != RELATED}
    if meta.__class__ is dict:
        return value.__replace__(meta=rest or None)
    return value.__replace__(meta=meta.__replace__(extra=rest or None))


def _state_of(created: Any) -> Any:
    """Return the state of a task in the answer to its call."""
    return getattr(created, "task", created)


def _task_of(context: Any) -> Any:
    """Return the proxy's own task that a call is; None if it is none."""
    return getattr(context, "task", None)


@contextmanager
def _stopped_with(own: Any, context: Any) -> Generator[None]:
    """End the calls inside ``with`` when the proxy's own task ends, or else the request; raise Abandoned then."""
    if own is None:
        with context.cancellable():
            yield
        return
    cancellation = Cancellation()
    try:
        with CallScope(cancellation=cancellation), own.watched(lambda: cancellation.cancel("the task was stopped")):
            yield
    except CallCancelled:
        if own.cancelled:
            raise Abandoned from None
        raise
