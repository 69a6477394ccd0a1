"""Tasks in memory: who asked for which, how far they have got, what came of them, and for how long all that is kept.

2025-11-25, Tasks; 2026-07-28, the extension ``io.modelcontextprotocol/tasks``. Nothing here knows of messages: ``tasks``
and ``tasksextension`` do, and ask this store.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from math import inf
from threading import Event, Lock
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

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

if TYPE_CHECKING:
    from ..features.pagination import Paginator
    from ..methods import RequestMethod

Status: TypeAlias = Literal["working", "input_required", "completed", "failed", "cancelled"]
Support: TypeAlias = Literal["forbidden", "optional", "required"]
Watcher: TypeAlias = "Callable[[StoredTask], None]"

FINAL: Final = frozenset({"completed", "failed", "cancelled"})
"""What a task ends with; nothing follows."""
_SUPPORT: Final = ("forbidden", "optional", "required")
_ENTROPY = 32
"""Random bytes of an id: who has one may ask for the task, where nothing else tells requestors apart."""


class StoredTask:
    """One task. All but ``id``, ``owner`` and ``method`` changes through its store."""

    __slots__ = (
        "asked",
        "changed",
        "created",
        "id",
        "message",
        "method",
        "outcome",
        "owner",
        "questions",
        "size",
        "status",
        "stopped",
        "ttl",
        "updated",
        "watchers",
    )

    def __init__(
        self,
        task_id: str,
        owner: Any,
        method: str,
        created: float,
        ttl: float,
        changed: Callable[[StoredTask], None],
    ) -> None:
        self.id = task_id
        self.owner = owner
        """Who may see it: a principal, or a session; None where its id is all that is asked for."""
        self.method = method
        """The method of the request that became the task."""
        self.status: Status = "working"
        self.message: str | None = None
        """What people may read of the status."""
        self.created = created
        """Seconds since 1970."""
        self.updated = created
        self.ttl = ttl
        """Seconds from its creation for which it is kept."""
        self.outcome: Any = None
        """What the request is answered with, once the task has ended: a result of the revision, or a ErrorObject."""
        self.size = 0
        """Bytes of the outcome."""
        self.asked: dict[str, Question] = {}
        """Questions in the task's state, by key (2026-07-28)."""
        self.questions = 0
        """How many there have been."""
        self.stopped = Event()
        """Set when nobody wants the outcome any more."""
        self.changed = changed
        """Is called with the task when its status has changed."""
        self.watchers: dict[Watcher, Callable[[], bool]] = {}
        """Who waits for its end, and whether that is in vain by now."""

    @property
    def ended(self) -> bool:
        """Whether the status is final."""
        return self.status in FINAL

    def give_up(self) -> None:
        """Who waits for answers need wait no longer."""
        for question in self.asked.values():
            question.done.set()
        self.asked.clear()

    @property
    def expires(self) -> float:
        """When it may be forgotten, in seconds since 1970."""
        return self.created + self.ttl


class Question:
    """What a task asks its requestor for: the key of the request, and the request as JSON."""

    __slots__ = ("answer", "answered", "done", "key", "request")

    def __init__(self, key: RequestMethod[Any, Any], request: Any) -> None:
        self.key = key
        self.request = request
        self.answer: Any = None
        self.answered = False
        self.done = Event()
        """Set when there is an answer, and when there will be none."""


class MemoryTasks:
    """Keeps the tasks of a server or client in memory, and has them executed by threads of its own.

    ``tools`` says which tools may be called as tasks: ``"optional"``, ``"required"``, or ``"forbidden"``, as all those
    are that it does not name. A task is kept for ``ttl`` seconds from its creation unless the requestor wants another
    time, and for ``longest`` at most; requestors are told to ask every ``poll`` seconds. One requestor may have ``each``
    tasks at the same time, all together ``most``, and ``workers`` of them run at once, while the others wait. The
    outcomes together take ``size`` bytes at most: a task that would be one too many is refused, and an outcome too
    large becomes an error. With ``notify`` a requestor that can be reached is told of each new status. ``now`` gives the
    time in seconds since 1970.

    Thread-safe. Several servers may share one.
    """

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
            text = f"ttl is {ttl!r}; accepted is a number of seconds above 0, and not above longest ({longest!r})"
            raise UsageError(text)
        self.ttl = ttl
        self.longest = longest
        self.poll = poll
        self.notify = notify
        self._each = each
        self._most = most
        self._size = size
        self._now = now
        self._lock = Lock()
        self._tools: dict[str, Support] = {}
        self._tasks: dict[str, StoredTask] = {}
        self._owned: dict[Any, Registry[StoredTask]] = {}
        self._held = 0
        self._due = inf
        """When the first of the tasks expires."""
        self._threads = ThreadPool("mcp-task", workers, idle=0.0)
        self._timer = ExpiryTimer(self._purge, now)
        for name, support in (tools or {}).items():
            self.declare(name, support)

    # Which requests may become tasks.

    def declare(self, tool: str, support: Support) -> None:
        """Says whether a tool may be called as a task, or has to be; raises UsageError for another word."""
        if support not in _SUPPORT:
            text = f"the tool {tool!r} cannot support tasks as {support!r}; accepted are {', '.join(_SUPPORT)}"
            raise UsageError(text)
        self._tools[tool] = support

    def support(self, tool: str) -> Support:
        """Whether a tool may be called as a task, or has to be."""
        return self._tools.get(tool, "forbidden")

    # The life of a task.

    def create(
        self,
        owner: Any,
        method: str,
        wanted: float | None = None,
        *,
        changed: Callable[[StoredTask], None] | None = None,
    ) -> StoredTask:
        """A new task, which is kept for ``wanted`` seconds if that may be.

        ``changed`` is called with it whenever its status has changed, in the thread that has changed it. Raises
        ResponseError (-32603) where there are as many as may be.
        """
        from secrets import token_urlsafe

        ttl = self.ttl if wanted is None else min(max(wanted, 0.0), self.longest)
        self._purge()
        with self._lock:
            own = self._owned.get(owner)
            if own is not None and len(own) >= self._each:
                reason = f"this requestor has {len(own)} tasks already; wait until some of them have expired"
                raise _full(reason)
            if len(self._tasks) >= self._most or self._held >= self._size:
                reason = "no more tasks are kept here now; try again later"
                raise _full(reason)
            task = StoredTask(token_urlsafe(_ENTROPY), owner, method, self._now(), ttl, changed or _unheard)
            self._tasks[task.id] = task
            self._due = min(self._due, task.expires)
            if own is None:
                own = self._owned[owner] = Registry("task", Changes(_nobody))
            own.put(task.id, task)
        write_log("info", "task %s: %s is executed as a task%s", task.id[:8], method, sender_suffix(owner))
        return task

    def execute(self, job: Callable[[], None]) -> None:
        """Has a job done by one of the threads, as soon as one is free."""
        self._threads.submit(job)

    def find(self, task_id: str, owner: Any) -> StoredTask | None:
        """The task of that id, if it is there, has not expired, and is this requestor's."""
        self._purge()
        task = self._tasks.get(task_id)
        if task is None or (task.owner is not None and task.owner != owner):
            write_log(
                "info",
                "a task was asked for%s that is not there, has expired, or is somebody else's",
                sender_suffix(owner),
            )
            return None
        return task

    def page(self, owner: Any, pages: Paginator, cursor: str | None) -> tuple[tuple[StoredTask, ...], str | None]:
        """One page of a requestor's tasks, the oldest first, and the cursor of the next; raises as ``Paginator.cut``."""
        self._purge()
        own = self._owned.get(owner)
        return pages.cut("tasks/list", Registry("task", Changes(_nobody)) if own is None else own, cursor)

    def turn(self, task: StoredTask, status: Status, message: str | None = None, *, anew: bool = False) -> bool:
        """The task has another status, if that may follow the one it has; whether it has changed.

        With ``anew`` something else of it has.
        """
        with self._lock:
            if task.ended or (task.status == status and task.message == message and not anew):
                return False
            task.status = status
            task.message = message
            task.updated = max(self._now(), task.updated)
        task.changed(task)
        return True

    def end(self, task: StoredTask, status: Status, outcome: Any, *, size: int = 0, message: str | None = None) -> bool:
        """The task has ended with an outcome of so many bytes; False where it had ended before.

        Raises ResponseError (-32603) where the outcome is too large to be kept.
        """
        with self._lock:
            if task.ended or (task.stopped.is_set() and task.id not in self._tasks):
                # That of one that was forgotten interests nobody.
                return False
            if task.id in self._tasks:
                if self._held + size > self._size:
                    reason = f"the result has {size} bytes, and no more than {self._size} are kept"
                    raise _full(reason)
                self._held += size
                task.size = size
            task.status = status
            task.message = message
            task.outcome = outcome
            task.updated = max(self._now(), task.updated)
            task.give_up()
            watchers = self._dismiss(task)
        write_log("info", "task %s has ended: %s", task.id[:8], status)
        if status == "cancelled":
            task.stopped.set()
        task.changed(task)
        for watcher in watchers:
            watcher(task)
        return True

    # Questions in a task's state (2026-07-28).

    def ask(self, task: StoredTask, key: RequestMethod[Any, Any], request: Any, timeout: float) -> Any:
        """Puts a question to the requestor into the task's state, and waits for its answer, so many seconds at most.

        Raises RequestTimeout, and Abandoned where the task has ended or was forgotten.
        """
        question = Question(key, request)
        with self._lock:
            if task.ended or task.stopped.is_set():
                raise Abandoned
            task.questions += 1
            name = f"question-{task.questions}"
            task.asked[name] = question
        self.turn(task, "input_required", task.message, anew=True)
        if not question.done.wait(timeout):
            with self._lock:
                # The same key is never used again, so that a late answer finds nothing.
                task.asked.pop(name, None)
            self._go_on(task)
            text = f"{key.name}: no answer in {timeout:g} s"
            raise RequestTimeout(text)
        if not question.answered:
            raise Abandoned
        return question.answer

    def answer(self, task: StoredTask, answers: Mapping[str, Any]) -> None:
        """Brings answers to questions of the task; those that nobody waits for are passed over."""
        with self._lock:
            met = [(task.asked.pop(name), given) for name, given in answers.items() if name in task.asked]
        if met:
            self._go_on(task)
        for question, given in met:
            question.answer = given
            question.answered = True
            question.done.set()

    def look(
        self, task: StoredTask, describe: Callable[[StoredTask], dict[str, Any]]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """What ``describe`` says of the task, and what belongs to its status, by wire name, both of one moment."""
        with self._lock:
            described = describe(task)
            if task.status == "input_required":
                return described, {"inputRequests": {name: each.request for name, each in task.asked.items()}}
            if task.status == "completed":
                return described, {"result": task.outcome}
            if task.status == "failed":
                return described, {"error": task.outcome}
            return described, {}

    def _go_on(self, task: StoredTask) -> None:
        """The task works again, unless something is asked still."""
        self.turn(task, "input_required" if task.asked else "working", task.message, anew=True)

    # Ends.

    def when_ended(self, task: StoredTask, watcher: Watcher, gone: Callable[[], bool] = lambda: False) -> None:
        """Has a function called with the task, once it has ended or expired: at once where it has.

        Raises ResponseError (-32603) where too many wait for it; those do not count of which ``gone`` says so.
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
                # Nobody else might ask for anything before that.
                self._timer.set(task, task.expires)
        if not waits:
            watcher(task)

    def unwatch(self, task: StoredTask, watcher: Watcher) -> None:
        """The function need not be called any more."""
        with self._lock:
            if task.watchers.pop(watcher, None) is not None and not task.watchers:
                self._timer.set(task, None)

    def _dismiss(self, task: StoredTask) -> Iterable[Watcher]:
        """Those who wait for the end of a task, who wait no longer."""
        watchers, task.watchers = task.watchers, {}
        self._timer.set(task, None)
        return watchers

    def leave(self, owner: Any) -> None:
        """A requestor has gone that nobody else can be: its tasks are stopped and forgotten."""
        with self._lock:
            left = list(self._owned.pop(owner, None) or ())
            for task in left:
                self._remove(task)
                self._dismiss(task)
        for task in left:
            write_log("info", "task %s is stopped, as who has asked for it has left", task.id[:8])

    def _purge(self) -> None:
        """Forgets what has expired. What still runs of it is told to stop, and who waits for it hears that."""
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
        self._tasks.pop(task.id, None)
        self._held -= task.size
        task.stopped.set()
        task.give_up()


def timestamp(seconds: float) -> str:
    """A time in seconds since 1970, as ISO 8601."""
    from datetime import UTC, datetime

    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _full(reason: str) -> ResponseError:
    return ResponseError(INTERNAL_ERROR, "Too many tasks", {"reason": reason})


def _unheard(task: StoredTask) -> None:
    """Nobody is told of the task's status."""


def _nobody() -> None:
    """Changes of the list of tasks are told to nobody."""
