"""What clients and servers have in common: limits, which are made when something is limited for the first time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import UsageError

if TYPE_CHECKING:
    from ..binding import Binding
    from .limits import Limits


class Limited:
    """A side that has limits: those that are given, by True those that are usual, by False none."""

    binding: Binding
    info: Any = None
    """The ``Implementation`` with which the side introduces itself."""

    def __repr__(self) -> str:
        # A constructor that has failed leaves no info.
        name = "" if self.info is None else f" {self.info.name!r} {self.info.version}"
        return f"<{self.__class__.__name__}{name}, {self.binding.revision}>"

    def __init__(self, limits: Limits | bool) -> None:
        if limits is not True and limits is not False and not hasattr(limits, "bucket"):
            text = f"limits is {limits!r}; accepted are Limits, True for those that are usual, and False for none"
            raise UsageError(text)
        self._limits = limits

    @property
    def limits(self) -> Limits | None:
        """How often something may happen; None where nothing is limited."""
        if self._limits is True:
            from .limits import Limits

            self._limits = Limits()
        return self._limits or None
