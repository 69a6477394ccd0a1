"""What clients and servers are given, held against what they take: said at once, and not where it is first used."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from .errors import UsageError
from .methods import NotificationMethod, RequestMethod

_SECRET = 32
"""Bytes that a secret has at least."""
_VARIADIC = 0x04
_COROUTINES = 0x80 | 0x200
"""Flags of code objects (``inspect.CO_…``): takes ``*args``; is a coroutine function or an asynchronous generator."""


def require_seconds(**given: Any) -> None:
    """Raises UsageError for what is no number of seconds, 0 or more; infinity is one."""
    for name, value in given.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
            text = f"{name} is {value!r}; accepted are numbers of seconds, 0 and more"
            raise UsageError(text)


def require_positive_integers(**given: Any) -> None:
    """Raises UsageError for what is no whole number above 0."""
    for name, value in given.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            text = f"{name} is {value!r}; accepted are 1 and more"
            raise UsageError(text)


def require_positive_numbers(**given: Any) -> None:
    """Raises UsageError for what is no number above 0; infinity is one, and None stands for nothing given."""
    for name, value in given.items():
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
            text = f"{name} is {value!r}; accepted are numbers above 0"
            raise UsageError(text)


def require_strings(**given: Any) -> None:
    """Raises UsageError for what is no text; None stands for nothing given."""
    for name, value in given.items():
        if value is not None:
            require_instance(name, value, str, "texts")


def require_booleans(**given: Any) -> None:
    """Raises UsageError for what is neither True nor False."""
    for name, value in given.items():
        require_instance(name, value, bool, "True and False")


def require_mappings(**given: Any) -> None:
    """Raises UsageError for what maps nothing to anything; None stands for nothing given."""
    for name, value in given.items():
        if value is not None:
            require_instance(name, value, Mapping, "dicts")


def require_string_keys(**given: Any) -> None:
    """Raises UsageError for what maps nothing to anything, or has names that are no texts; None stands for nothing given."""
    require_mappings(**given)
    for name, value in given.items():
        for each in value or ():
            require_instance(f"a name in {name}", each, str, "texts")


def require_instance(name: str, given: Any, kind: type, accepted: str) -> None:
    """Raises UsageError for what is no object of a class."""
    if not isinstance(given, kind):
        text = f"{name} is {given!r}; accepted are {accepted}"
        raise UsageError(text)


def require_list(name: str, given: Any, example: Any, kind: type = object) -> None:
    """Raises UsageError for what is no list (or another iterable) of objects of a class, and for a text instead of one."""
    if isinstance(given, str | bytes):
        text = f"{name} is {given!r}; accepted are lists, as [{given!r}]"
        raise UsageError(text)
    if not isinstance(given, Iterable):
        text = f"{name} is {given!r}; accepted are lists, as [{example!r}]"
        raise UsageError(text)
    # What can be gone through once only is not to be used up by being looked at.
    if isinstance(given, Sequence | frozenset | set):
        for each in cast("Iterable[object]", given):
            require_instance(f"one of {name}", each, kind, f"those like {example!r}")


def require_methods(name: str, given: Any, methods: Sequence[str], accepted: str) -> None:
    """Raises UsageError for what lacks one of these attributes, and for a class instead of an object of it."""
    if isinstance(given, type) or not all(hasattr(given, method) for method in methods):
        text = f"{name} is {given!r}; accepted is {accepted}"
        raise UsageError(text)


def require_command(given: Any) -> None:
    """Raises UsageError for what is no command: a program and its arguments."""
    if isinstance(given, str | bytes) or not isinstance(given, Sequence) or not given:
        text = f"a command is a list of texts, for instance ['python', 'server.py'], and not {given!r}"
        if isinstance(given, str) and given:
            text += "; shlex.split() makes one of a line"
        raise UsageError(text)


def require_secret(name: str, given: Any) -> None:
    """Raises UsageError for what is no secret that signs; None stands for nothing given."""
    if given is not None and not (isinstance(given, bytes) and len(given) >= _SECRET):
        # It is not shown: what is almost one may be one somewhere else.
        text = f"{name} is no {_SECRET} bytes or more; secrets.token_bytes({_SECRET}) makes some"
        raise UsageError(text)


def require_method_key(given: Any) -> None:
    """Raises UsageError for what is no key of a method."""
    if not isinstance(given, (RequestMethod, NotificationMethod)):
        text = f"a method is meant by its key, such as `methods.PING` of the revision, and not by {given!r}"
        raise UsageError(text)


def require_callable(what: str, given: Any, parameters: Sequence[str]) -> None:
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


def require_transport(given: Any) -> None:
    """Raises UsageError for what has not the methods of a transport."""
    methods: Sequence[Callable[..., Any] | None] = [
        getattr(given, name, None) for name in ("receive", "interrupt", "send", "close")
    ]
    if isinstance(given, type) or not all(map(callable, methods)):
        text = f"{given!r} is no transport; accepted are objects with receive, interrupt, send and close, as those of "
        raise UsageError(text + "runtime.transports")
