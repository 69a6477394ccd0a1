"""The tasks of a server or client, in memory, independent of their form in messages.

2025-11-25, Tasks; 2026-07-28, the extension ``io.modelcontextprotocol/tasks``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from math import inf
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from ..connection.account import Account
from ..connection.thread_pool import ThreadPool
from ..errors import RequestTimeout, ResponseError, UsageError
from ..features.registry import Changes, Registry
from ..jsonrpc import INTERNAL_ERROR
from ..logs import sender_suffix, write_log
from ..session.control_flow import Abandoned
from ..validation import (
    require_booleans,
    require_callable,
    require_mappings,
    require_positive_integers,
    require_positive_numbers,
    require_seconds,
)
from .expiry_timer import ExpiryTimer
from .stored_task import Question, Status, StoredTask, Watcher

if TYPE_CHECKING:
    from ..features.pagination import Paginator
    from ..methods import RequestMethod
    from ..task_interfaces import Support

_SUPPORT: Final = ("forbidden", "optional", "required")
_ENTROPY = 32
"""Random bytes of an id. If requestors cannot be told apart, knowing the id is the only permission."""


class MemoryTasks:
    """Keeps the tasks of a server or client in memory, and executes them in threads of its own.

    ``tools`` maps names of tools to ``"optional"``, ``"required"`` or ``"forbidden"`` (the default): whether they may
    be called as tasks. A task is kept for ``ttl`` seconds from its creation, or as long as the requestor wants, up to
    ``longest``; requestors are asked to poll every ``poll`` seconds. At the same time, one requestor may have ``each``
    tasks, and all requestors together ``most`` tasks. ``workers`` tasks run at the same time, and the others wait. All
    outcomes together take at most ``size`` bytes. The outcomes of one requestor take at most a fourth of this, unless
    there is only one outcome. Once a limit is reached, no new task is created. An outcome that is too large for the
    limits becomes an error. With ``notify`` the requestor is notified of each new status if it can be reached. ``now``
    returns the time in seconds since 1970.

    Thread-safe. Several servers may share one.
    """

    handler_decides: bool = False
    """Whether, in 2026-07-28, the handler of a call decides with ``Context.begin_task`` if the call becomes a task."""

    def __init__(
        self,
        *,
        tools: Mapping[str, Support] | None = None,
        ttl: float = 600.0,
        longest: float = 3600.0,
        poll: float = 1.0,
        each: int = 64,
        most: int = 1024,
        workers: int = 16,
        size: int = 64 * 2**20,
        notify: bool = True,
        now: Callable[[], float] = time.time,
    ) -> None:
        require_positive_numbers(ttl=ttl, longest=longest)
        require_seconds(poll=poll)
        require_positive_integers(each=each, most=most, workers=workers, size=size)
        require_booleans(notify=notify)
        require_mappings(tools=tools)
        require_callable("now", now, ())
        if not ttl <= longest:
            text = f"`ttl` must be at most `longest` ({longest!r} seconds), got {ttl!r}"
            raise UsageError(text)
        self.ttl = ttl
        self.longest = longest
        self.poll = poll
        self.notify = notify
        self._each = each
        self._counts = Account("tasks", most, each)
        self._sizes = Account("bytes of the outcomes of tasks", size)
        self._now = now
        self._lock = Lock()
        self._tools: dict[str, Support] = {}
        self._tasks: dict[str, StoredTask] = {}
        self._owned: dict[Any, Registry[StoredTask]] = {}
        self._due = inf
        """Time at which the first task expires."""
        self._threads = ThreadPool("mcp-task", workers, idle=0.0)
        self._timer = ExpiryTimer(self._purge, now)
        for name, support in (tools or {}).items():
            self.declare(name, support)

    # Which requests may become tasks.

    def declare(self, tool: str, support: Support) -> None:
        """Set whether a tool may or must be called as a task; raise `UsageError` for an unknown ``support``."""
        if support not in _SUPPORT:
            text = f"task support of the tool {tool!r} must be one of {', '.join(_SUPPORT)}, got {support!r}"
            raise UsageError(text)
        self._tools[tool] = support

    def support(self, tool: str) -> Support:
        """Return whether a tool may or must be called as a task."""
        return self._tools.get(tool, "forbidden")

    # The life of a task.

    def create(
        self,
        owner: Any,
        method: str,
        wanted: float | None = None,
        *,
        changed: Callable[[StoredTask], None] | None = None,
        source: Any = None,
    ) -> StoredTask:
        """Create a task that is kept for ``wanted`` seconds, within the limits.

        ``changed`` is called with the task when its status has changed, in the thread that changed it. The task is charged
        to ``source``, or else to its owner. Raise `ResponseError` (-32603) if there are too many tasks.
        """
        from secrets import token_urlsafe

        ttl = self.ttl if wanted is None else min(max(wanted, 0.0), self.longest)
        self._purge()
        with self._lock:
            own = self._owned.get(owner)
            source = (owner or "") if source is None else source
            if self._counts.excess(source) >= 0:
                count = self._counts.amount_of(source)
                reason = f"this requestor has {count} tasks already; wait until some of them have expired"
                raise _full(reason)
            if self._counts.excess(None) >= 0 or self._sizes.excess(source) >= 0 or self._sizes.excess(None) >= 0:
                reason = "no more tasks are kept here now; try again later"
                raise _full(reason)
            task = StoredTask(token_urlsafe(_ENTROPY), owner, method, self._now(), ttl, changed or _ignore, source)
            self._tasks[task.id] = task
            self._counts.charge(source, 1)
            self._due = min(self._due, task.expires)
            # Otherwise the handler of an expired task would go on until the next request about tasks.
            self._timer.set(task, task.expires)
            if own is None:
                own = self._owned[owner] = Registry("task", Changes(_ignore_change))
            own.put(task.id, task)
        write_log("info", "task %s: %s is executed as a task%s", task.id[:8], method, sender_suffix(owner))
        return task

    def execute(self, job: Callable[[], None]) -> None:
        """Run a job in one of the threads as soon as one is free."""
        self._threads.submit(job)

    def find(self, task_id: str, owner: Any) -> StoredTask | None:
        """Return the task of that id; None if it does not exist, has expired, or belongs to another requestor."""
        self._purge()
        task = self._tasks.get(task_id)
        if task is None or (task.owner is not None and task.owner != owner):
            write_log(
                "info", "refused: a task%s that does not exist, has expired or has another owner", sender_suffix(owner)
            )
            return None
        return task

    def page(self, owner: Any, pages: Paginator, cursor: str | None) -> tuple[tuple[StoredTask, ...], str | None]:
        """Return one page of a requestor's tasks, oldest first, and the cursor of the next; raise as ``Paginator.cut``."""
        self._purge()
        own = self._owned.get(owner)
        return pages.cut("tasks/list", Registry("task", Changes(_ignore_change)) if own is None else own, cursor)

    def set_status(
        self, task: StoredTask, status: Status, message: str | None = None, *, changed: bool = False
    ) -> bool:
        """Set the status and its message unless the task has ended; return whether anything has changed.

        Pass ``changed=True`` if something else of the task has changed.
        """
        with self._lock:
            if task.ended or (task.status == status and task.message == message and not changed):
                return False
            task.status = status
            task.message = message
            task.updated = max(self._now(), task.updated)
        task.changed(task)
        return True

    def end(self, task: StoredTask, status: Status, outcome: Any, *, size: int = 0, message: str | None = None) -> bool:
        """End a task with an outcome of ``size`` bytes; return False if it had ended before.

        Raise `ResponseError` (-32603) if the outcome is too large to be kept.
        """
        with self._lock:
            if task.ended or (task.stopped.is_set() and task.id not in self._tasks):
                # The task was forgotten.
                return False
            if task.id in self._tasks:
                alone = not self._sizes.amount_of(task.source)
                if self._sizes.excess(None) + size > 0 or not (alone or self._sizes.admits(task.source, size)):
                    reason = f"the result has {size} bytes, and no more than {self._sizes.total} are kept"
                    raise _full(reason)
                self._sizes.charge(task.source, size)
                task.size = size
            task.status = status
            task.message = message
            task.outcome = outcome
            task.updated = max(self._now(), task.updated)
            task.abandon_questions()
            watchers = self._dismiss(task)
        write_log("info", "task %s has ended: %s", task.id[:8], status)
        if status == "cancelled":
            task.stopped.set()
        task.changed(task)
        for watcher in watchers:
            watcher(task)
        return True

    # Questions in a task's state (2026-07-28).

    def request_input(self, task: StoredTask, key: RequestMethod[Any, Any], request: Any, timeout: float) -> Any:
        """Add a request to the task's state, and wait for its answer, at most ``timeout`` seconds.

        Raise `RequestTimeout`, or `Abandoned` if the task has ended or was forgotten.
        """
        question = Question(key, request)
        with self._lock:
            if task.ended or task.stopped.is_set():
                raise Abandoned
            task.question_count += 1
            name = f"question-{task.question_count}"
            task.questions[name] = question
        self.set_status(task, "input_required", task.message, changed=True)
        if not question.done.wait(timeout):
            with self._lock:
                # Keys are never used again, so a late answer is ignored.
                task.questions.pop(name, None)
            self._resume(task)
            text = f"{key.name}: no answer in {timeout:g} s"
            raise RequestTimeout(text)
        if not question.answered:
            raise Abandoned
        return question.answer

    def answer(self, task: StoredTask, answers: Mapping[str, Any]) -> None:
        """Answer open requests of the task; ignore answers to others."""
        with self._lock:
            answered = [
                (task.questions.pop(name), answer) for name, answer in answers.items() if name in task.questions
            ]
        if answered:
            self._resume(task)
        for question, answer in answered:
            question.answer = answer
            question.answered = True
            question.done.set()

    def snapshot(
        self, task: StoredTask, describe: Callable[[StoredTask], dict[str, Any]]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return ``describe(task)`` and, of the same moment, the members for its status, by their names in JSON."""
        with self._lock:
            described = describe(task)
            if task.status == "input_required":
                return described, {"inputRequests": {name: each.request for name, each in task.questions.items()}}
            if task.status == "completed":
                return described, {"result": task.outcome}
            if task.status == "failed":
                return described, {"error": task.outcome}
            return described, {}

    def _resume(self, task: StoredTask) -> None:
        """Set the status after an answer: ``working``, unless other requests are open."""
        self.set_status(task, "input_required" if task.questions else "working", task.message, changed=True)

    # Ends.

    def when_ended(self, task: StoredTask, watcher: Watcher, gone: Callable[[], bool] = lambda: False) -> None:
        """Call a function with the task when the task ends or expires, or now if it already has.

        Raise `ResponseError` (-32603) if there are too many watchers; those whose ``gone`` returns True do not count.
        """
        with self._lock:
            waits = not task.ended and task.id in self._tasks
            if waits and len(task.watchers) >= self._each:
                task.watchers = {each: gone for each, gone in task.watchers.items() if not gone()}
            if waits and len(task.watchers) >= self._each:
                reason = "too many requests wait for the result of this task; ask for its status instead"
                raise _full(reason)
            if waits:
                task.watchers[watcher] = gone
        if not waits:
            watcher(task)

    def unwatch(self, task: StoredTask, watcher: Watcher) -> None:
        """Forget a function that ``when_ended`` was called with."""
        with self._lock:
            task.watchers.pop(watcher, None)

    def _dismiss(self, task: StoredTask) -> Iterable[Watcher]:
        """Remove and return the watchers of a task that ends."""
        self._timer.remove(task)
        watchers, task.watchers = task.watchers, {}
        return watchers

    def leave(self, owner: Any) -> None:
        """Stop and forget the tasks of a requestor that has gone for good."""
        with self._lock:
            left = list(self._owned.pop(owner, None) or ())
            for task in left:
                self._remove(task)
                self._dismiss(task)
        for task in left:
            write_log("info", "task %s is stopped, because its requestor has left", task.id[:8])

    def _purge(self) -> None:
        """Forget and stop expired tasks, and call their watchers."""
        now = self._now()
        if now <= self._due:
            return
        with self._lock:
            gone = [task for task in self._tasks.values() if task.expires < now]
            waiting = [(task, self._dismiss(task)) for task in gone]
            for task in gone:
                self._remove(task)
                own = self._owned[task.owner]
                own.remove(task.id)
                if not len(own):
                    del self._owned[task.owner]
            self._due = min((task.expires for task in self._tasks.values()), default=inf)
        for task, watchers in waiting:
            write_log("info", "task %s has expired", task.id[:8])
            for watcher in watchers:
                watcher(task)

    def _remove(self, task: StoredTask) -> None:
        if self._tasks.pop(task.id, None) is not None:
            self._counts.release(task.source, 1)
            self._sizes.release(task.source, task.size)
        task.stopped.set()
        task.abandon_questions()


def timestamp(seconds: float) -> str:
    """Return a time in seconds since 1970 in ISO 8601."""
    from datetime import UTC, datetime

    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _full(reason: str) -> ResponseError:
    return ResponseError(INTERNAL_ERROR, "Too many tasks", {"reason": reason})


def _ignore(task: StoredTask) -> None:
    """Do nothing: this task's status interests nobody."""


def _ignore_change() -> None:
    """Do nothing: the list of tasks has no subscribers."""
