"""A value that means *absent* where None means null."""

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
"""The value of an absent member whose type includes null."""
