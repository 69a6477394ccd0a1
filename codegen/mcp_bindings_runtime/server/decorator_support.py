"""Functions behind the emitted decorators of servers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import UsageError
from ..foreign_names import OPTIONS_OF_DECORATORS, USAGE_OF_COMPLETION, explain_calls

explain_options = explain_calls(OPTIONS_OF_DECORATORS)
"""Decorates a decorator of servers."""
explain_completion = explain_calls({}, USAGE_OF_COMPLETION)


def members(**values: Any) -> dict[str, Any]:
    """Return the members that have a value; None is no value."""
    return {name: value for name, value in values.items() if value is not None}


def placed(decorator: str, place: Any) -> None:
    """Raise `UsageError` unless the first argument of a decorator is a text: most often the parentheses are missing."""
    if not isinstance(place, str):
        text = f"{decorator} needs a URI first, as in @server.{decorator}('demo://it'), got {place!r}"
        raise UsageError(text)


def decorated(add: Callable[[Callable[..., Any]], object], function: Any = None) -> Any:
    """Add a function and return it unchanged; without a function, return the decorator that does so.

    Raise `UsageError` if ``function`` is not callable.
    """
    if function is not None and not callable(function):
        text = f"{function!r} is not a function; to set the name, write name={function!r}"
        raise UsageError(text)

    def decorate(each: Any) -> Any:
        add(each)
        return each

    return decorate if function is None else decorate(function)
