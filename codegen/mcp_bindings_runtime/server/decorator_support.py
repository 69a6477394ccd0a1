"""What the emitted decorators of a server do: the members that were given, and a function that comes now or later."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import UsageError


def members(**given: Any) -> dict[str, Any]:
    """The members that were given; None stands for none."""
    return {name: value for name, value in given.items() if value is not None}


def placed(decorator: str, place: Any) -> None:
    """Raises UsageError where a decorator was given no text to begin with: most often it stands without parentheses."""
    if not isinstance(place, str):
        text = f"{decorator} is given a URI first, as in @server.{decorator}('demo://it'), and not {place!r}"
        raise UsageError(text)


def decorated(add: Callable[[Callable[..., Any]], object], function: Any = None) -> Any:
    """The function, added, and unchanged; the decorator that adds one where there is none yet.

    Raises UsageError for what is no function.
    """
    if function is not None and not callable(function):
        text = f"{function!r} is no function; if it is to be the name, write name={function!r}"
        raise UsageError(text)

    def decorate(each: Any) -> Any:
        add(each)
        return each

    return decorate if function is None else decorate(function)
