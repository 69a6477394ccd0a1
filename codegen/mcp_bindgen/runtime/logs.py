"""The local log: loggers below ``mcp_bindings``, by ``logging`` of the standard library.

What is of interest to who looks for a fault goes to DEBUG and INFO, and so nowhere unless asked for. What a developer
has to see, an exception in a handler, goes to ERROR, which ``logging`` prints to stderr where nothing else was
configured.
"""

from __future__ import annotations

import sys
from typing import Literal

_NAME = "mcp_bindings.runtime"


def note(level: Literal["debug", "info", "warning"], text: str, *values: object) -> None:
    """Something that happened. Importing ``logging`` takes long; where nobody has, nobody listens."""
    logging = sys.modules.get("logging")
    if logging is not None:
        getattr(logging.getLogger(_NAME), level)(text, *values)


def for_whom(principal: object) -> str:
    """What the log says of who has asked: their name where the transport knows one, else nothing."""
    return f" for {principal!r}" if isinstance(principal, str) else ""


def report(error: BaseException, text: str, *values: object) -> None:
    """An exception, with its traceback."""
    import logging

    logging.getLogger(_NAME).error(text, *values, exc_info=error)
