"""Progress of requests, sent and received (Progress: Progress Flow; Behavior Requirements)."""

from __future__ import annotations

from typing import Any

from ..binding import Binding
from ..errors import UsageError
from ..jsonrpc import RequestId
from .events import Dropped, Event, Incoming, Progressed


def report(binding: Binding, incoming: Incoming, progress: float, total: float | None, message: str | None) -> Any:
    """Return the notification that reports progress of a request; raise ``UsageError`` if it does not increase."""
    if incoming.progress is not None and not progress > incoming.progress:
        text = f"progress must increase: it was {incoming.progress}, got {progress}"
        raise UsageError(text)
    key = binding.notifications["notifications/progress"]
    optional: dict[str, Any] = {} if message is None or not binding.facts.progress_messages else {"message": message}
    if incoming.task is not None:
        from .task_tracker import related_meta

        optional["meta"] = related_meta(incoming.task)
    return key.message(params=key.params(progress_token=incoming.token, progress=progress, total=total, **optional))


def receive(pending: dict[RequestId, float | None], params: Any) -> Event:
    """Return the event of a progress notification; ``pending`` holds the last value under each expected token."""
    token = params.progress_token
    if token not in pending:
        return Dropped(f"progress of {token!r}, which no pending request has asked for", elsewhere=True)
    last = pending[token]
    if last is not None and not params.progress > last:
        return Dropped(f"progress of {token!r} does not increase: {params.progress} after {last}")
    pending[token] = params.progress
    return Progressed(token, params)
