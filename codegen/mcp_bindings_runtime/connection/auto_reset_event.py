"""Bells: a thread waits at one (``bell.acquire(timeout=…)``) until another rings it."""

from __future__ import annotations

from threading import Lock


def new_bell() -> Lock:
    """A bell that has not been rung."""
    bell = Lock()
    bell.acquire()
    return bell


def ring(bell: Lock) -> None:
    """Wakes the thread that waits at the bell, or keeps it from falling asleep."""
    try:
        bell.release()
    except RuntimeError:
        # It has been rung before, and not been heard yet.
        return
