"""What the emitted decorators of a server do: the members that were given, and a function that comes now or later."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def members(**given: Any) -> dict[str, Any]:
    """The members that were given; None stands for none."""
    return {name: value for name, value in given.items() if value is not None}


def decorated(add: Callable[[Callable[..., Any]], object], function: Any = None) -> Any:
    """The function, added, and unchanged; the decorator that adds one where there is none yet."""

    def decorate(each: Any) -> Any:
        add(each)
        return each

    return decorate if function is None else decorate(function)
