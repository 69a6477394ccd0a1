"""Exchanges two paths in a single step, where the operating system can."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2


def exchange(one: Path, other: Path) -> bool:
    """Exchange two paths of one file system, so that both exist at every moment; False if that was not possible.

    It takes Linux and a file system that supports it (``renameat2`` with ``RENAME_EXCHANGE``); Python has no function of
    its own for it. The caller then renames twice, which fails with an error of its own where the paths are the problem.
    """
    if sys.platform != "linux":
        return False
    # Loaded here: a run that changes nothing does not need it.
    import ctypes

    try:
        renameat2 = ctypes.CDLL(None).renameat2
    except AttributeError:
        # glibc before 2.28.
        return False
    done: int = renameat2(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE)
    return done == 0
