"""Cancel the tasks in late responses: those to requests that this side has cancelled, so nobody waits for them.

A peer may have created the task before it received the cancellation, and only ``tasks/cancel`` ends a task (2025-11-25,
Cancellation: Behavior Requirements; the extension ``io.modelcontextprotocol/tasks`` of 2026-07-28, Task Cancellation).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol

from ..errors import ConnectionClosed, NotDeclared
from ..jsonrpc import RequestId
from ..meta import member

if TYPE_CHECKING:
    from ..binding import Binding
    from ..methods import RequestMethod

FINAL: Final = frozenset({"completed", "failed", "cancelled"})
"""The states of tasks that have ended."""
MOST: Final = 256
"""Limit on the cancelled requests that are remembered because a late response may still create a task."""


class SendsRequests(Protocol):
    """The part of a ``Session`` that cancels tasks."""

    binding: Binding

    def request(self, key: RequestMethod[Any, Any], params: Any) -> tuple[RequestId, bytes]:
        """Return the id and the line of a request."""
        ...

    def forget(self, request_id: RequestId) -> object:
        """Stop waiting for a response."""
        ...


class LateTasks:
    """The requests of one session that were cancelled and may still be answered with a task."""

    def __init__(self, session: SendsRequests) -> None:
        self._session = session
        self._requests: dict[RequestId, None] = {}

    def expect(self, request_id: RequestId) -> None:
        """Remember a cancelled request."""
        self._requests[request_id] = None
        if len(self._requests) > MOST:
            del self._requests[next(iter(self._requests))]

    def cancel(self, request_id: RequestId | None, result: Any) -> bytes | None:
        """Return the line that cancels the task in a response, whose ``result`` is JSON; None if there is none to cancel."""
        if request_id not in self._requests:
            return None
        del self._requests[request_id]
        return _cancellation(self._session, result)


def cancel_task_in(session: SendsRequests, result: Any) -> bytes | None:
    """Return the line that cancels the task in a result that nobody receives; None if there is none to cancel."""
    if result is None or result.__class__ is not session.binding.task_result_class:
        return None
    return _cancellation(session, session.binding.codec.unstructure(result))


def _cancellation(session: SendsRequests, result: Any) -> bytes | None:
    """Return the line of ``tasks/cancel``, whose response will be dropped.

    None if the result (JSON) has no task, the task has ended, or the peer has not declared that it cancels tasks.
    """
    task = member(result, "task") if session.binding.extension is None else result
    task_id = member(task, "taskId")
    if task_id.__class__ is not str or member(task, "status") in FINAL:
        return None
    key = session.binding.requests["tasks/cancel"]
    try:
        request_id, line = session.request(key, key.params(task_id=task_id))
    except (ConnectionClosed, NotDeclared):
        return None
    session.forget(request_id)
    return line
