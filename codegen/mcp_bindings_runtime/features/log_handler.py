"""A handler of ``logging`` that sends records to the client as log messages (Logging, of every revision)."""

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
"""Levels of ``logging`` and the severity below each; the levels between are for ``addLevelName``."""


def severity(level: int) -> Level:
    """Return the severity of a level of ``logging``: 25 is a notice, 60 an alert, 70 an emergency."""
    if level < logging.INFO:
        return "debug"
    for below, name in _STEPS:
        if level < below:
            return name
    return "emergency"


class LogHandler(logging.Handler):
    """Sends records to the client: ``logging.getLogger("app").addHandler(LogHandler(server))``.

    ``target`` is a server, or the context of a handler. A record that the thread of a request logs goes to the client of
    the request. With a server as target, any other record goes to all its clients; it goes to none with
    ``background=False`` and in revisions in which log messages belong to requests. The message and the name of the logger
    are sent, but no traceback, which would disclose internals; set a formatter on the handler for another text. Records
    of the bindings are ignored.
    """

    def __init__(self, target: Any, level: int | str = logging.NOTSET, *, background: bool = True) -> None:
        super().__init__(level)
        self._target = target
        self._background = background
        self._busy = local()

    def emit(self, record: logging.LogRecord) -> None:
        """Send one record. Errors go to ``handleError`` and not to the caller, as in any handler."""
        # Records that are logged while one is sent would recurse without end.
        if record.name.partition(".")[0] == _OWN or getattr(self._busy, "now", False):
            return
        self._busy.now = True
        try:
            target = self._destination()
            if target is not None:
                text = record.getMessage() if self.formatter is None else self.format(record)
                target.log(severity(record.levelno), text, record.name)
        except Exception:  # noqa: BLE001  # any error goes to handleError
            self.handleError(record)
        finally:
            self._busy.now = False

    def _destination(self) -> Any:
        """Return the context or server that sends the message; None for nobody."""
        if isinstance(self._target, ServerContext):
            return self._target
        current = CURRENT.context
        if current is not None and current.peer is self._target:
            return current
        return self._target if self._background else None
