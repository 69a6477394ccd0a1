"""Progress of a request: what may be said of it, and what is taken (Progress: Progress Flow; Behavior Requirements)."""

from __future__ import annotations

from typing import Any

from ..binding import Binding
from ..errors import UsageError
from ..jsonrpc import RequestId
from .events import Dropped, Event, Incoming, Progressed


def report(binding: Binding, incoming: Incoming, progress: float, total: float | None, message: str | None) -> Any:
    """The notification that reports progress of a request; raises UsageError where ``progress`` does not increase."""
    if incoming.progress is not None and not progress > incoming.progress:
        text = f"progress must increase: it was {incoming.progress}, and now would be {progress}"
        raise UsageError(text)
    key = binding.notifications["notifications/progress"]
    more: dict[str, Any] = {} if message is None or not binding.facts.progress_messages else {"message": message}
    if incoming.task is not None:
        from .task_tracker import related_meta

        more["meta"] = related_meta(incoming.task)
    return key.message(params=key.params(progress_token=incoming.token, progress=progress, total=total, **more))


def take(awaited: dict[RequestId, float | None], params: Any) -> Event:
    """What progress means that the other side reports; ``awaited`` has the tokens, and what came last under each."""
    token = params.progress_token
    if token not in awaited:
        return Dropped(f"progress of {token!r}, which no request in flight has asked for")
    last = awaited[token]
    if last is not None and not params.progress > last:
        return Dropped(f"progress of {token!r} does not increase: {params.progress} after {last}")
    awaited[token] = params.progress
    return Progressed(token, params)
