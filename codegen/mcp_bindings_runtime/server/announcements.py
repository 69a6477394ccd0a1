"""Announcements: notifications of a server that belong to no request."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from ..binding import Binding
from ..errors import ConnectionClosed, RequestTimeout, UsageError
from ..logs import write_log
from ..methods import NotificationMethod
from ..session.handshake import HandshakeServerSession
from ..session.log_levels import LEVELS, Level
from ..session.session import Session

if TYPE_CHECKING:
    from ..connection.channel import Channel


class Announcement(NamedTuple):
    """A notification with the conditions that a client must meet to receive it."""

    key: NotificationMethod[Any]
    params: Any = None
    declared: bool = False
    """Whether the session must have been opened with the capability that declares the notification."""
    about: tuple[str, ...] = ()
    """URIs of resources of which the client must have subscribed to one; empty for no condition."""
    level: Level | None = None
    """Severity of a log message, which must not be below the client's level."""

    def reaches(self, binding: Binding, session: Session) -> bool:
        """Return whether the client of a session receives it. The session must be open."""
        if session.state != "open":
            return False
        if self.declared and not binding.declares(session.capabilities, self.key.capability or ""):
            return False
        if not isinstance(session, HandshakeServerSession):
            # Clients set a level for one request at a time; a subscription is a stream, which selects what it carries.
            return self.level is None
        if self.key.capability_of == "receiver" and not binding.declares(
            session.peer_capabilities, self.key.capability or ""
        ):
            return False
        if self.level is not None:
            least = session.log_level
            return least is not None and LEVELS.index(self.level) >= LEVELS.index(least)
        return not self.about or not session.subscribed.isdisjoint(self.about)


def recipients(announcement: Announcement, connections: Iterable[Channel], binding: Binding) -> Iterator[Channel]:
    """Yield the connections that an announcement reaches; keep it for those whose session is not open yet."""
    for connection in connections:
        if not _defer(connection, announcement) and announcement.reaches(binding, connection.session):
            yield connection


def _defer(connection: Channel, announcement: Announcement) -> bool:
    """Keep the change of a list until the session is open, if the client has not confirmed it; return whether that is so.

    ``notifications/initialized`` may be on its way: the client believes that it is connected, and would miss the change.
    """
    session = connection.session
    if not isinstance(session, HandshakeServerSession) or not announcement.declared or announcement.about:
        return False
    with connection.lock:
        if session.state != "agreed":
            return False
        session.unannounced[announcement.key.name] = announcement
    return True


def announce_deferred(connection: Channel, binding: Binding, send: Callable[..., None]) -> None:
    """Call ``send`` with the connection and each ``announcement`` that was kept for it, once its session is open."""
    session = connection.session
    if not isinstance(session, HandshakeServerSession) or session.state != "open" or not session.unannounced:
        return
    with connection.lock:
        kept: list[Announcement] = list(session.unannounced.values())
        session.unannounced.clear()
    for announcement in kept:
        if announcement.reaches(binding, session):
            send_to_each([connection], partial(send, announcement=announcement))


def send_to_each(connections: Iterable[Channel], send: Callable[[Channel], None]) -> None:
    """Call ``send`` for every open connection; a client that has left or does not read does not affect the others."""
    for connection in connections:
        if connection.session.state != "open":
            continue
        try:
            send(connection)
        except (ConnectionClosed, RequestTimeout) as fault:
            write_log("debug", "a notification could not be sent: %s", fault)
        except UsageError:
            # A session that was closed since the check above sends nothing.
            if not connection.closed:
                raise
