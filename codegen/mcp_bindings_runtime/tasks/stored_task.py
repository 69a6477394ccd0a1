"""A task that is kept for its requestor, and its open requests."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from ..session.late_tasks import FINAL

if TYPE_CHECKING:
    from ..methods import RequestMethod

Status: TypeAlias = Literal["working", "input_required", "completed", "failed", "cancelled"]
Watcher: TypeAlias = "Callable[[StoredTask], None]"


class StoredTask:
    """One task. The store changes everything but ``id``, ``owner`` and ``method``."""

    __slots__ = (
        "changed",
        "created",
        "id",
        "message",
        "method",
        "outcome",
        "owner",
        "question_count",
        "questions",
        "size",
        "source",
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
        source: Any,
    ) -> None:
        self.id = task_id
        self.source = source
        """The requestor that the task is charged to: a principal, else an address, else a session."""
        self.owner = owner
        """The principal or session that may see the task; None: everybody who knows the id."""
        self.method = method
        """The method of the request that became the task."""
        self.status: Status = "working"
        self.message: str | None = None
        """The message of the status, for people."""
        self.created = created
        """Seconds since 1970."""
        self.updated = created
        self.ttl = ttl
        """Seconds from its creation for which the task is kept."""
        self.outcome: Any = None
        """The answer to the request, once the task has ended: a result of the revision, or an error."""
        self.size = 0
        """Bytes of the outcome."""
        self.questions: dict[str, Question] = {}
        """Open requests in the task's state, by key (2026-07-28)."""
        self.question_count = 0
        """Number of requests that there have been."""
        self.stopped = Event()
        """Set when nobody wants the outcome any more."""
        self.changed = changed
        """Function that is called with the task when its status has changed."""
        self.watchers: dict[Watcher, Callable[[], bool]] = {}
        """Functions to call at the end of the task, each with a function that says whether that is not needed any more."""

    @property
    def ended(self) -> bool:
        """Whether the status is final."""
        return self.status in FINAL

    def abandon_questions(self) -> None:
        """Wake all threads that wait for answers; there will be none."""
        for question in self.questions.values():
            question.done.set()
        self.questions.clear()

    @property
    def expires(self) -> float:
        """Time at which the task may be forgotten, in seconds since 1970."""
        return self.created + self.ttl


class Question:
    """A request in the state of a task: its key, and the request as JSON."""

    __slots__ = ("answer", "answered", "done", "key", "request")

    def __init__(self, key: RequestMethod[Any, Any], request: Any) -> None:
        self.key = key
        self.request = request
        self.answer: Any = None
        self.answered = False
        self.done = Event()
        """Set once there is an answer, or there will be none."""
