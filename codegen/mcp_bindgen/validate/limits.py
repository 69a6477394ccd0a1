"""Limits on the memory that a run uses."""

from __future__ import annotations

from attrs import frozen

MIB = 1 << 20


def in_words(size: int) -> str:
    """Return a number of bytes as text: ``16 MiB``."""
    for unit, name in ((MIB, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{round(size / unit, 1):g} {name}"
    return f"{size} bytes"


@frozen
class Limits:
    """Limits of one run. Together they bound its memory, however large its sources are."""

    line: int = 16 * MIB
    """Bytes of one line of a log; a longer line is skipped and reported."""
    document: int = 64 * MIB
    """Bytes of a source that is read as a whole, JSON or Markdown; a larger source is refused."""
    open_requests: int = 10_000
    """Unanswered requests of one conversation; beyond the limit, the oldest is forgotten."""
    kept: int = 16 * MIB
    """Characters of JSON of unanswered requests; beyond the limit, only the methods of the oldest are kept."""
    conversations: int = 64
    """Concurrent conversations of one log; beyond the limit, the least recently active one is ended."""
    undecided: int = 1000
    """Findings kept for each candidate revision until the revision is known."""
