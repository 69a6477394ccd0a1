"""Servers that stand in for another server: they declare what it has declared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import UsageError
from ..installed_revisions import package_of
from .server import Server

if TYPE_CHECKING:
    from ..facts import Era


def stand_in_for(
    revision: str,
    *,
    info: Any,
    capabilities: Any,
    instructions: str | None,
    **options: Any,
) -> Server:
    """Return a server of a revision without handlers that introduces itself as another server.

    ``info`` is an ``Implementation`` of the revision, or None for an unknown one; ``capabilities`` is a
    ``ServerCapabilities``. ``options`` are further options of the server. Raise ``UsageError`` for a revision that is not
    installed, and in a copy without servers.
    """
    package = package_of(revision)
    if package is None:
        text = f"there are no bindings of {revision!r} here"
        raise UsageError(text)
    if not hasattr(package, "Server"):
        text = f"this needs the server of {revision}, and the copy has none; generate it without --only client"
        raise UsageError(text)
    base: Any = package.Server

    class StandIn(base):  # type: ignore[misc]  # the class depends on the revision
        """A server whose capabilities do not follow from its handlers."""

        @property
        def capabilities(self) -> Any:
            return capabilities

        def capabilities_for(self, era: Era) -> Any:
            return capabilities

    server: Server = StandIn("unknown", "0", instructions=instructions, **options)
    if info is not None:
        server.info = info
    return server
