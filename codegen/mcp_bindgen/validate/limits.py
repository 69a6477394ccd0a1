"""How much is held in memory at once, and what is refused beyond it."""

from __future__ import annotations

from attrs import frozen

MIB = 1 << 20


def in_words(size: int) -> str:
    """A number of bytes for people: ``16 MiB``."""
    for unit, name in ((MIB, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{round(size / unit, 1):g} {name}"
    return f"{size} bytes"


@frozen
class Limits:
    """Bounds of one run. Together they bound its memory, however large its sources are."""

    line: int = 16 * MIB
    """Bytes of one line of a log; a longer one is a finding, and passed over."""
    document: int = 64 * MIB
    """Bytes of a source that is read as a whole, JSON or Markdown; a larger one is refused."""
    open_requests: int = 10_000
    """Requests of one conversation that wait for an answer; beyond, the oldest is forgotten."""
    kept: int = 16 * MIB
    """Characters of JSON of such requests; beyond, the oldest are only known by their method."""
    conversations: int = 64
    """Conversations of one log that are followed at once; beyond, the one longest silent is forgotten."""
    undecided: int = 1000
    """Findings that are kept for each revision while it is not known which of them it is."""
