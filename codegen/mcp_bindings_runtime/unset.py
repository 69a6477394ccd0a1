"""The value of a member that is absent where null would mean something else."""

from __future__ import annotations

from enum import Enum
from typing import Final


class Unset(Enum):
    """The type of ``UNSET``, for annotations; ``x is UNSET`` narrows it away."""

    UNSET = "UNSET"

    def __repr__(self) -> str:
        return "UNSET"

    __str__ = __repr__

    def __bool__(self) -> bool:
        return False


UNSET: Final = Unset.UNSET
"""Absent. Fields that may be null use it, so that ``None`` can mean null."""
