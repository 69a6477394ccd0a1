"""What clients and servers have in common: limits, which are made when something is limited for the first time."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .features.limits import Limits


class Limited:
    """A side that has limits: those that are given, by True those that are usual, by False none."""

    def __init__(self, limits: Limits | bool) -> None:
        self._limits = limits

    @property
    def limits(self) -> Limits | None:
        """How often something may happen; None where nothing is limited."""
        if self._limits is True:
            from .features.limits import Limits

            self._limits = Limits()
        return self._limits or None
