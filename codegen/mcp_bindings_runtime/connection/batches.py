"""Several requests and notifications in one message (JSON-RPC 2.0, section 6; 2025-03-26, Batching)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..errors import CallCancelled, ConnectionClosed
from ..methods import NotificationMethod, RequestMethod
from .calls import Call

if TYPE_CHECKING:
    from .calls import Requestor


def send_batch(
    connection: Requestor,
    messages: Sequence[tuple[RequestMethod[Any, Any] | NotificationMethod[Any], Any]],
    timeout: float | None,
) -> list[Any]:
    """Send messages as one and wait for all results; see ``Client.batch``."""
    seconds = connection.timeout if timeout is None else timeout
    calls: list[Call] = []

    def prepare() -> tuple[Any, bytes]:
        lines: list[bytes] = []
        try:
            for key, params in messages:
                if isinstance(key, NotificationMethod):
                    lines.append(connection.session.notify(key, params))
                    continue
                call = Call(key, seconds, seconds, None)
                call.id, line = connection.session.request(key, params)
                connection.calls[call.id] = call
                call.requestor = connection
                calls.append(call)
                lines.append(line)
        except BaseException:
            # Nothing was sent, so there is nothing to cancel.
            for call in calls:
                connection.session.forget(call.id)
                del connection.calls[call.id]
            raise
        return None, b"[" + b",".join(lines) + b"]"

    whole = Call(messages[0][0], seconds, seconds, None)
    whole.done = True
    try:
        connection.attend(whole, prepare)
        for call in calls:
            while not call.done:
                connection.attend(call)
    except BaseException as fault:
        for call in calls:
            connection.abandon(call, fault)
        raise
    for call in calls:
        if isinstance(call.error, CallCancelled):
            connection.abandon(call, call.error)
    for call in calls:
        if isinstance(call.error, CallCancelled | ConnectionClosed):
            raise call.error
    return [call.result if call.error is None else call.error for call in calls]
