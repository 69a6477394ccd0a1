"""Results of handlers: the error for a wrong one, and the conversion of a callback's result to the revision.

A callback of ``connect`` cannot know the negotiated revision. It may return the class of any installed revision, or a dict.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

from ..binding import Binding
from ..errors import DecodeError, EncodeError, UsageError
from ..installed_revisions import json_of
from ..methods import RequestMethod


class WrongResult(UsageError):
    """A handler has returned a value that is not a result of its method."""


def wrong_result(key: RequestMethod[Any, Any], result: Any, source: str) -> WrongResult:
    """Return the error for a value of another class than the result of a method; ``source`` is what has returned it."""
    wanted = _classes(key)
    # Classes of two revisions have the same name.
    name_of = _qualified if result.__class__.__name__ in {each.__name__ for each in wanted} else _plain
    expected = " or ".join(map(name_of, wanted))
    return WrongResult(f"{source} returned {_found(result, name_of)}; expected {expected}")


def convert_result(binding: Binding, key: RequestMethod[Any, Any], result: Any, example: str | None = None) -> Any:
    """Return a callback's result in the class of the revision: as it is, or from a dict or another revision's class.

    Raise `WrongResult` if the revision does not accept the same JSON value; ``example`` is a result to return instead.
    """
    if isinstance(result, key.result):
        return result
    wanted: Any = _classes(key)[0]
    wrong = ""
    try:
        value = json_of(result)
        if value is not None:
            return binding.codec.structure(value, wanted)
    except (DecodeError, EncodeError) as fault:
        wrong = f"; {fault}"
    right = f"{example}, or a dict with these members" if example else _qualified(wanted)
    text = f"the handler of {key.name} returned {_found(result, _qualified)}{wrong}; return {right}"
    raise WrongResult(text)


def converting(binding: Binding, key: RequestMethod[Any, Any], function: Callable[[Any, Any], Any]) -> Any:
    """Return a handler that calls ``function`` and converts its result; None stands for a result without members."""

    def handle(params: Any, context: Any) -> Any:
        result = function(params, context)
        return None if result is None else convert_result(binding, key, result)

    return handle


def _classes(key: RequestMethod[Any, Any]) -> tuple[type, ...]:
    """Return the classes of the results of a method; the first is the result itself, and not a task."""
    return get_args(key.result) or (key.result,)


def _found(value: object, name_of: Callable[[type], str]) -> str:
    if value is None:
        return "None"
    name = name_of(value.__class__)
    return f"{'an' if name[0] in 'AEIOUaeiou' else 'a'} {name}"


def _plain(cls: type) -> str:
    return cls.__name__


def _qualified(cls: type) -> str:
    """Return the name of a class; that of a class of a package's ``types`` with the package."""
    package, _, module = cls.__module__.rpartition(".")
    return f"{package.rpartition('.')[2]}.{cls.__name__}" if module == "types" and package else cls.__name__
