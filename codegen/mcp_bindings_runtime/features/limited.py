"""Base of clients and servers: their introduction, and their rate limits, which are created on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import UsageError

if TYPE_CHECKING:
    from ..binding import Binding
    from .limits import Limits


class Limited:
    """A client or server with rate limits: `Limits`, True for the defaults, False for none."""

    binding: Binding
    info: Any = None
    """The ``Implementation`` that introduces the client or server."""

    def __repr__(self) -> str:
        # An object whose constructor has failed has no info.
        name = "" if self.info is None else f" {self.info.name!r} {self.info.version}"
        return f"<{self.__class__.__name__}{name}, {self.binding.revision}>"

    def __init__(self, limits: Limits | bool) -> None:
        if limits is not True and limits is not False and not hasattr(limits, "bucket"):
            text = f"limits must be Limits, True for the usual ones or False for none, got {limits!r}"
            raise UsageError(text)
        self._limits = limits

    @property
    def limits(self) -> Limits | None:
        """The rate limits; None for none."""
        if self._limits is True:
            from .limits import Limits

            self._limits = Limits()
        return self._limits or None
