"""Calls that run while their caller does something else, and that any thread can cancel."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextvars import copy_context
from functools import partial
from threading import Thread
from typing import Any, ParamSpec, TypeVar

from ..connection.call_scope import CallScope, Cancellation
from ..errors import CallCancelled, UsageError
from ..task_interfaces import AbandonableTask

P = ParamSpec("P")
R = TypeVar("R")


class RunningCall(Future[R]):
    """A call that ``Client.start`` has started: a ``Future``, which the functions of ``concurrent.futures`` accept.

    The call runs in a thread of its own, in which ``on_progress`` is called. The thread has a copy of the caller's context
    variables. The call continues even if no thread waits for it. ``result`` raises the exception of the call, or
    ``CallCancelled`` if the call was cancelled. It raises ``TimeoutError`` if the call still runs after ``timeout`` seconds.
    If the timeout of the call itself is over, ``result`` raises ``RequestTimeout``, which is a subclass of ``TimeoutError``.
    """

    def __init__(self, call: Callable[[], R]) -> None:
        super().__init__()
        self._call = call
        self._cancellation = Cancellation()
        self.set_running_or_notify_cancel()
        # The span of the call is a child of the caller's.
        Thread(target=copy_context().run, args=(self._run,), name="mcp-call", daemon=True).start()

    def _run(self) -> None:
        try:
            with CallScope(cancellation=self._cancellation):
                result = self._call()
        except BaseException as fault:  # noqa: BLE001  # raised again by ``result``
            self._settle(partial(self.set_exception, fault))
        else:
            if not self._settle(partial(self.set_result, result)) and isinstance(result, AbandonableTask):
                # Cancelled when the task was known already, to this thread alone.
                result.abandon()

    def cancel(self, reason: str | None = None) -> bool:
        """End the call now and notify the server, with the reason if the revision and transport can carry it. Thread-safe.

        If the server runs the call as a task, the task is cancelled. Return False if the call had ended before, else True.
        """
        if not self._settle(partial(self.set_exception, CallCancelled(reason))):
            return self.cancelled()
        self._cancellation.cancel(reason)
        return True

    def cancelled(self) -> bool:
        """Return whether the call was cancelled before it had ended."""
        return self.done() and isinstance(self.exception(), CallCancelled)

    @staticmethod
    def _settle(settle: Callable[[], None]) -> bool:
        """Settle the future, unless that was done before; return whether it was done now."""
        try:
            settle()
        except InvalidStateError:
            return False
        return True


def start(method: Callable[P, R], *args: P.args, **options: P.kwargs) -> RunningCall[R]:
    """Start a call. Raise ``UsageError`` if ``method`` is not callable."""
    target: Any = method
    if not callable(target):
        text = (
            f"{target!r} cannot be called; pass a method and its arguments, as client.start(client.call_tool, 'name')"
        )
        raise UsageError(text)
    return RunningCall(partial(method, *args, **options))
