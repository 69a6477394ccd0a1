"""The activity of clients in the log: the logger ``mcp_bindings.client`` of the standard library's ``logging``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import monotonic
from typing import Any

from ..errors import McpError
from ..logs import CLIENT_LOGGER, escape


def log_activity(revision: str, connection: Any) -> None:
    """Log that a client of a revision is connected; from now on log the requests and the end of this connection, too.

    Requests have the level DEBUG, the rest INFO. The level is looked up here only, so requests that are not logged cost
    nothing.
    """
    logging = sys.modules.get("logging")
    if logging is None:
        return
    logger = logging.getLogger(CLIENT_LOGGER)
    if not logger.isEnabledFor(logging.INFO):
        return
    session = connection.session
    server = "a server" if session.peer_info is None else f"{session.peer_info.name} {session.peer_info.version}"
    logger.info("connected to %s, revision %s", escape(server), revision)
    connection.request = _logged_request(connection.request, logger)
    connection.close = _logged_close(connection, logger, escape(server))


def _logged_request(request: Callable[..., Any], logger: Any) -> Callable[..., Any]:
    def logged(key: Any, params: Any = None, **options: Any) -> Any:
        started = monotonic()
        # What is no key is refused, and that is logged, too.
        name = getattr(key, "name", repr(key))
        try:
            result = request(key, params, **options)
        except McpError as fault:
            logger.info("%s failed after %.0f ms: %s", escape(name), _passed(started), escape(str(fault)))
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
