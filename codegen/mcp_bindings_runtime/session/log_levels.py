"""Severities of log messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from ..errors import UsageError

Level: TypeAlias = Literal["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]
"""A severity of log messages: ``LoggingLevel`` of every revision."""
LEVELS: Sequence[Level] = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
"""Severities of log messages, rising (RFC 5424, section 6.2.1)."""


def check_level(level: Any) -> None:
    """Raise `UsageError` unless ``level`` is a severity of log messages."""
    if level not in LEVELS:
        text = f"the log level must be one of {', '.join(LEVELS)}, got {level!r}"
        raise UsageError(text)
