"""The activity of clients in the log: the logger ``mcp_bindings.client`` of the standard library's ``logging``.

Levels are looked up when a client connects, so requests that are not logged cost nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any, Final, TypeVar

from ..errors import McpError
from ..logs import CLIENT_LOGGER, escape, imported_logging

C = TypeVar("C")

_DEBUG: Final = 10
_INFO: Final = 20
"""Levels of ``logging``, which is not imported for them."""


def log_opening(connection: C) -> C:
    """Log the requests with which a client opens this connection, at DEBUG; return the connection.

    One that fails is followed by another, or by the failure that ``log_failure`` logs.
    """
    logger = _logger(_DEBUG)
    if logger is not None:
        opened: Any = connection
        opened.request = _logged(opened.request, logger, place=0, level=_DEBUG)
        opened.open = _logged(opened.open, logger, place=1, level=_DEBUG)
    return connection


def log_failure(fault: BaseException) -> None:
    """Log that a client cannot connect, at INFO."""
    logger = _logger(_INFO)
    if logger is not None and isinstance(fault, McpError):
        logger.info("connecting failed: %s", escape(str(fault)))


def log_activity(revision: str, connection: Any) -> None:
    """Log that a client of a revision is connected; from now on log the requests and the end of this connection, too.

    Requests have the level DEBUG, the rest INFO.
    """
    logger = _logger(_INFO)
    if logger is None:
        return
    for name in ("request", "open"):
        # What `log_opening` has added.
        connection.__dict__.pop(name, None)
    session = connection.session
    server = "a server" if session.peer_info is None else f"{session.peer_info.name} {session.peer_info.version}"
    logger.info("connected to %s, revision %s", escape(server), revision)
    connection.request = _logged(connection.request, logger, place=0, level=_INFO)
    connection.close = _logged_close(connection, logger, escape(server))


def _logger(level: int) -> Any:
    """Return the logger of clients; None unless the program has imported ``logging`` and the logger has the level."""
    logging = imported_logging()
    if logging is None:
        return None
    logger = logging.getLogger(CLIENT_LOGGER)
    return logger if logger.isEnabledFor(level) else None


def _logged(send: Callable[..., Any], logger: Any, *, place: int, level: int) -> Callable[..., Any]:
    """Return a function that sends a request and logs it; failures at ``level``. ``place`` is that of the method's key."""

    def logged(*args: Any, **options: Any) -> Any:
        started = monotonic()
        # What is no key is refused, and that is logged, too.
        key = args[place] if len(args) > place else options.get("key")
        name = getattr(key, "name", repr(key))
        try:
            result = send(*args, **options)
        except McpError as fault:
            logger.log(level, "%s failed after %.0f ms: %s", escape(name), _passed(started), escape(str(fault)))
            raise
        logger.debug("%s: answered after %.0f ms", name, _passed(started))
        return result

    return logged


def _logged_close(connection: Any, logger: Any, server: str) -> Callable[..., None]:
    close = connection.close

    def logged(*args: Any, **options: Any) -> None:
        if not connection.closed:
            logger.info("closing the connection to %s", server)
        close(*args, **options)

    return logged


def _passed(started: float) -> float:
    """Return the milliseconds since a time."""
    return (monotonic() - started) * 1000
