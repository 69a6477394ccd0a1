"""The local log: loggers below ``mcp_bindings``, by ``logging`` of the standard library.

What is of interest to who looks for a fault goes to DEBUG and INFO, and so nowhere unless asked for. What a developer
has to see, an exception in a handler, goes to ERROR, which ``logging`` prints to stderr where nothing else was
configured.
"""

from __future__ import annotations

import sys
from typing import Literal

from .errors import ConnectionClosed, NotDeclared

_NAME = "mcp_bindings.runtime"


def write_log(level: Literal["debug", "info", "warning"], text: str, *values: object) -> None:
    """Something that happened. Importing ``logging`` takes long; where nobody has, nobody listens."""
    logging = sys.modules.get("logging")
    if logging is not None:
        getattr(logging.getLogger(_NAME), level)(text, *values)


def sender_suffix(principal: object) -> str:
    """What the log says of who has asked: their name where the transport knows one, else nothing."""
    return f" for {principal!r}" if isinstance(principal, str) else ""


def log_handler_error(error: BaseException, what: str, *, over: bool = False) -> None:
    """A handler has raised: told with its traceback, unless its message says all there is to say.

    ``over`` says that the connection has ended, so that nobody waits for the handler.
    """
    if over and isinstance(error, ConnectionClosed):
        write_log("info", "%s: %s", what, error)
    elif isinstance(error, NotDeclared):
        import logging

        logging.getLogger(_NAME).warning("%s: %s", what, error)
    else:
        log_exception(error, "%s: %s", what, error)


def log_exception(error: BaseException, text: str, *values: object) -> None:
    """An exception, with its traceback."""
    import logging

    logging.getLogger(_NAME).error(text, *values, exc_info=error)
