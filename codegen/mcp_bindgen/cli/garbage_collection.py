"""Garbage collection of commands that build one large value and end."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def paused_collection() -> Generator[None]:
    """Pause the search for reference cycles.

    The model of a server's tools has no cycles, and lives until the command has written its files. Each collection would
    visit all of it and free nothing. Reference counts free the rest.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
