"""What clients and servers are given, held against what they take: said at once, and not where it is first used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .errors import UsageError

_VARIADIC = 0x04
_COROUTINES = 0x80 | 0x200
"""Flags of code objects (``inspect.CO_…``): takes ``*args``; is a coroutine function or an asynchronous generator."""


def check_seconds(**given: Any) -> None:
    """Raises UsageError for what is no number of seconds, 0 or more; infinity is one."""
    for name, value in given.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
            text = f"{name} is {value!r}; accepted are numbers of seconds, 0 and more"
            raise UsageError(text)


def check_counts(**given: Any) -> None:
    """Raises UsageError for what is no whole number above 0."""
    for name, value in given.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            text = f"{name} is {value!r}; accepted are 1 and more"
            raise UsageError(text)


def check_function(what: str, given: Any, parameters: Sequence[str]) -> None:
    """Raises UsageError for what cannot be called with these arguments, by position, and give a result at once."""
    if isinstance(given, type) or not callable(given):
        text = f"{what} is {given!r}; accepted are functions"
        raise UsageError(text)
    code: Any = getattr(getattr(given, "__func__", given), "__code__", None)
    if code is None:
        # An object of another kind says nothing of itself without being looked at for long.
        return
    if code.co_flags & _COROUTINES:
        text = (
            f"{what}, {given.__qualname__}, is a coroutine function; accepted are plain functions, which run in threads"
        )
        raise UsageError(text)
    bound = 1 if hasattr(given, "__func__") else 0
    most = code.co_argcount - bound
    least = most - len(given.__defaults__ or ())
    named = code.co_kwonlyargcount - len(given.__kwdefaults__ or ())
    wanted = len(parameters)
    if named or least > wanted or (most < wanted and not code.co_flags & _VARIADIC):
        names = code.co_varnames[bound : code.co_argcount + code.co_kwonlyargcount]
        called = f"({', '.join(parameters)})"
        text = f"{what}, {given.__qualname__}, takes ({', '.join(names)}); it is called with {called}"
        raise UsageError(text)


def check_transport(given: Any) -> None:
    """Raises UsageError for what has not the methods of a transport."""
    methods: Sequence[Callable[..., Any] | None] = [
        getattr(given, name, None) for name in ("receive", "interrupt", "send", "close")
    ]
    if isinstance(given, type) or not all(map(callable, methods)):
        text = f"{given!r} is no transport; accepted are objects with receive, interrupt, send and close, as those of "
        raise UsageError(text + "runtime.transports")
