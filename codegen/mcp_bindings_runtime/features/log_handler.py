"""Records of ``logging`` as log messages to the client (Logging, of every revision)."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from threading import local
from typing import Any

from ..connection.context import CURRENT, ServerContext
from ..session.log_levels import Level

_OWN = "mcp_bindings"
_STEPS: Sequence[tuple[int, Level]] = (
    (25, "info"),
    (30, "notice"),
    (40, "warning"),
    (50, "error"),
    (60, "critical"),
    (70, "alert"),
)
"""Levels of ``logging``, below each of which a severity ends; those between its own are for ``addLevelName``."""


def severity(level: int) -> Level:
    """The severity of a level of ``logging``: 25 is a notice, 60 an alert, 70 an emergency."""
    if level < logging.INFO:
        return "debug"
    for below, name in _STEPS:
        if level < below:
            return name
    return "emergency"


class LogHandler(logging.Handler):
    """Sends what is logged to the client: ``logging.getLogger("app").addHandler(LogHandler(server))``.

    ``target`` is a server, or the context of a handler. What is logged while a request is handled, in its thread, goes to
    the client that has sent it. What is logged otherwise goes, by a server, to all its clients; by ``background=False``,
    and where log messages belong to a request, to nobody. The message is sent, and the name of the logger, but no
    traceback: those have the inside of the program in them; a formatter set on the handler makes other text. What the
    bindings log themselves is left out.
    """

    def __init__(self, target: Any, level: int | str = logging.NOTSET, *, background: bool = True) -> None:
        super().__init__(level)
        self._target = target
        self._background = background
        self._busy = local()

    def emit(self, record: logging.LogRecord) -> None:
        """Send one record. Who logs never hears of what goes wrong: that is for ``handleError``, as in any handler."""
        # What is logged while one is sent would come back here for ever.
        if record.name.partition(".")[0] == _OWN or getattr(self._busy, "now", False):
            return
        self._busy.now = True
        try:
            target = self._reached()
            if target is not None:
                text = record.getMessage() if self.formatter is None else self.format(record)
                target.log(severity(record.levelno), text, record.name)
        except Exception:  # noqa: BLE001  # a text that is not to be encoded, a `redact` that fails: whatever it is
            self.handleError(record)
        finally:
            self._busy.now = False

    def _reached(self) -> Any:
        """Who the message goes by: a context, or the server for all."""
        if isinstance(self._target, ServerContext):
            return self._target
        current = CURRENT.context
        if current is not None and current.peer is self._target:
            return current
        return self._target if self._background else None
