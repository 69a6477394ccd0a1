"""What a server tells clients without having been asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
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
    """A notification, and whom it is for."""

    key: NotificationMethod[Any]
    params: Any = None
    promised: bool = False
    """Only for those whom the server has promised it when they connected, by its capabilities."""
    about: tuple[str, ...] = ()
    """Unless empty, only for clients with a subscription to one of these URIs."""
    level: Level | None = None
    """Only for those who want log messages of this severity."""

    def reaches(self, binding: Binding, session: Session) -> bool:
        """Whether it is for the client of a session, which has finished its handshake."""
        if session.state != "open":
            return False
        if self.promised and not binding.declares(session.capabilities, self.key.capability or ""):
            return False
        if not isinstance(session, HandshakeServerSession):
            # Clients set a level for one request at a time; subscriptions are streams, and select what they carry.
            return self.level is None
        if self.level is not None:
            return LEVELS.index(self.level) >= LEVELS.index(session.log_level)
        return not self.about or not session.subscribed.isdisjoint(self.about)


def tell_each(connections: Iterable[Channel], tell: Callable[[Channel], None]) -> None:
    """Tells every client that is ready to hear; one that has gone, or takes nothing, does not keep it from the rest."""
    for connection in connections:
        if connection.session.state != "open":
            continue
        try:
            tell(connection)
        except (ConnectionClosed, RequestTimeout) as fault:
            write_log("debug", "a client could not be told: %s", fault)
        except UsageError:
            # Closed at this very moment, nothing may be said on it.
            if not connection.closed:
                raise
