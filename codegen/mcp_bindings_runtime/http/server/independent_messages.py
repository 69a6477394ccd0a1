"""Requests and notifications that belong to no session: each has a session object and a channel of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING

from ...connection.calls import PendingCalls
from ...errors import ConnectionClosed
from ...session.events import Incoming, Notified
from .event_log import EventLog, Priority
from .handler_pool import HandlerPool
from .post_channel import NoStream, PostChannel

if TYPE_CHECKING:
    from ...server.server import Server
    from ...session.session import Session


def request_channel(
    server: Server,
    session: Session,
    incomings: Iterable[Incoming],
    open_stream: Callable[[str], EventLog],
    source: str = "",
) -> PostChannel:
    """Return the channel of the requests in one POST, which opens a stream if more than the response is sent."""
    channel = PostChannel(
        session,
        Lock(),
        PendingCalls(session),
        timeout=server.timeout,
        limit=server.limit,
        open_stream=open_stream,
        deliver_late=_refuse_late,
        incomings=incomings,
    )
    channel.source = source
    return channel


def start_notification(pool: HandlerPool, server: Server, session: Session, notified: Notified, source: str) -> None:
    """Run the handler of a notification in another thread. Raise ``Rejection`` if a limit is reached.

    A notification has no response, so the POST does not wait for its handler.
    """
    channel = request_channel(server, session, (), _no_stream, source)
    if not pool.start(partial(server.handle_notification, channel, notified), source):
        raise pool.rejection()


def _no_stream(_name: str) -> EventLog:
    raise NoStream


def _refuse_late(_line: bytes, _priority: Priority, _timeout: float) -> int:
    message = "nothing more can be sent: the request is answered, or the message was a notification"
    raise ConnectionClosed(message)
