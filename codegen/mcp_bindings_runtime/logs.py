"""Write to the local log: the logger ``mcp_bindings.runtime`` of the standard library's ``logging``.

Events have the levels DEBUG and INFO, which ``logging`` drops by default. Exceptions in handlers have the level ERROR,
which it prints to stderr by default.
"""

from __future__ import annotations

import sys
from typing import Literal

from .errors import ConnectionClosed, NotDeclared

_NAME = "mcp_bindings.runtime"


def write_log(level: Literal["debug", "info", "warning"], text: str, *values: object) -> None:
    """Log an event, unless the program has not imported ``logging``: the import takes long, and nobody would read it."""
    logging = sys.modules.get("logging")
    if logging is not None:
        getattr(logging.getLogger(_NAME), level)(text, *values)


def sender_suffix(principal: object) -> str:
    """Return ``" for <principal>"`` for log messages; empty if the transport does not authenticate senders."""
    return f" for {principal!r}" if isinstance(principal, str) else ""


def log_handler_error(error: BaseException, what: str, *, over: bool = False) -> None:
    """Log an exception of a handler; ``over`` tells that the connection has ended, so nobody waits for the handler.

    There is no traceback where the message says everything.
    """
    if over and isinstance(error, ConnectionClosed):
        write_log("info", "%s: %s", what, error)
    elif isinstance(error, NotDeclared):
        import logging

        logging.getLogger(_NAME).warning("%s: %s", what, error)
    else:
        log_exception(error, "%s: %s", what, error)


def log_exception(error: BaseException, text: str, *values: object) -> None:
    """Log an exception with its traceback."""
    import logging

    logging.getLogger(_NAME).error(text, *values, exc_info=error)
