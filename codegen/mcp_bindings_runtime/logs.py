"""Write to the local log: the loggers ``mcp_bindings.runtime`` and ``.client`` of the standard library's ``logging``.

Events have the levels DEBUG and INFO, which ``logging`` drops by default. Exceptions in handlers have the level ERROR,
which it prints to stderr by default. Texts of the other side are escaped.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from threading import main_thread
from time import monotonic
from types import ModuleType
from typing import Any, Literal

from .errors import ConnectionClosed, NotDeclared

_NAME = "mcp_bindings.runtime"
CLIENT_LOGGER = "mcp_bindings.client"
_MINUTE = 60.0


class _Escaped:
    """A value that is written into the log: on one line, and without characters that steer a terminal."""

    __slots__ = ("_value",)

    def __init__(self, value: object) -> None:
        self._value = value

    def __str__(self) -> str:
        return escape(str(self._value))

    def __repr__(self) -> str:
        return escape(repr(self._value))


def escape(text: str) -> str:
    r"""Return a text with control characters, line ends, marks of direction and half surrogates as ``\n``, ``\u202e`` etc.

    Texts of the other side could otherwise forge lines of the log, or hide what they say.
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


def _escaped(values: tuple[object, ...]) -> list[object]:
    # Numbers stay numbers, for %d and %g.
    return [value if value.__class__ in (int, float) else _Escaped(value) for value in values]


def write_log(level: Literal["debug", "info", "warning"], text: str, *values: object, logger: str = _NAME) -> None:
    """Log an event, unless the program has not imported ``logging``: the import takes long, and nobody would read it.

    The values are escaped.
    """
    logging = imported_logging()
    if logging is not None:
        getattr(logging.getLogger(logger), level)(text, *_escaped(values))


def imported_logging() -> ModuleType | None:
    """Return ``logging`` if the program has imported it; None otherwise."""
    if "logging" not in sys.modules:
        return None
    # Another thread may still be importing it: this statement waits until the module is complete.
    import logging

    return logging


class RareWarning:
    """A warning that is logged once a minute at most, however often it is reported.

    ``text`` has one place for a value, such as ``%s``.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._next = 0.0
        self._left_out = 0

    def log(self, value: object) -> None:
        """Report the warning."""
        now = monotonic()
        if now < self._next:
            self._left_out += 1
            return
        text = self._text + (f" ({self._left_out} times more since the last warning)" if self._left_out else "")
        self._next, self._left_out = now + _MINUTE, 0
        write_log("warning", text, value)


def log_warning(text: str, *values: object, logger: str = _NAME) -> None:
    """Log a warning that must be read even if the program has not imported ``logging``, which prints it to stderr."""
    logging = _importable_logging()
    if logging is None:
        _print(text, values)
    else:
        logging.getLogger(logger).warning(text, *_escaped(values))


def _importable_logging() -> ModuleType | None:
    """Import and return ``logging``; return None if it is not imported yet and the main thread has ended.

    A thread that imports a module while the interpreter exits can make the exit hang.
    """
    if main_thread().is_alive():
        import logging

        return logging
    return imported_logging()


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
        log_warning("%s: %s", what, error)
    else:
        log_exception(error, "%s: %s", what, exception_text(error))


def exception_text(error: BaseException) -> str:
    """Return the message of an exception for people: never empty, and without the number of an error of the system."""
    name = error.__class__.__name__
    if isinstance(error, OSError) and error.errno is not None and error.__class__.__str__ is OSError.__str__:
        reason = error.strerror or os.strerror(error.errno)
        files = [repr(each) for each in (error.filename, error.filename2) if each is not None]
        return f"{reason}: {' -> '.join(files)}" if files else reason
    try:
        text = str(error)
    except Exception:  # noqa: BLE001  # of a class of the user
        text = ""
    if not text.strip():
        return name
    # The message of a KeyError is the key alone, that of an OSError without a reason or of `sys.exit` a number.
    return f"{name}: {text}" if isinstance(error, (KeyError, OSError, SystemExit)) else text


def place_of(function: object) -> str | None:
    """Return the file and line of a function; None if it is not written in Python."""
    code: Any = getattr(getattr(function, "__func__", function), "__code__", None)
    return None if code is None else f"{code.co_filename}:{code.co_firstlineno}"


def log_exception(error: BaseException, text: str, *values: object) -> None:
    """Log an exception with its traceback, in which the exceptions' messages are escaped."""
    logging = _importable_logging()
    if logging is None:
        _print(text, values)
        return
    logger = logging.getLogger(_NAME)
    if logger.isEnabledFor(logging.ERROR):
        exc_info = (error.__class__, error, error.__traceback__)
        values = tuple(_escaped(values))
        record = logger.makeRecord(_NAME, logging.ERROR, __file__, 0, text, values, exc_info, log_exception.__name__)
        # Formatters use this text instead of writing their own.
        record.exc_text = _traceback_text(error)
        logger.handle(record)


def _print(text: str, values: tuple[object, ...]) -> None:
    # Standard error is None without a console, and may be closed or a pipe whose reader has gone.
    if sys.stderr is not None:
        with suppress(OSError, ValueError):
            sys.stderr.write(f"{text % tuple(_escaped(values))}\n")


def _traceback_text(error: BaseException) -> str:
    from traceback import TracebackException

    parts = [part.removesuffix("\n") for part in TracebackException.from_exception(error).format()]
    # Each stack frame has several lines; other parts have one, or messages with line ends.
    return "\n".join("\n".join(map(escape, part.split("\n"))) if _is_frame(part) else escape(part) for part in parts)


def _is_frame(part: str) -> bool:
    # Those of exception groups are indented by bars.
    return part.lstrip(" |").startswith('File "')
