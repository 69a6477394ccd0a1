"""Validate constructor arguments eagerly: each function raises ``UsageError`` for an argument that does not fit.

Functions with keyword arguments check each of them; the keyword is the name in the message.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NoReturn, cast

from .errors import UsageError
from .methods import NotificationMethod, RequestMethod

_SECRET = 32
"""Bytes that a secret must have at least."""
_VARIADIC = 0x04
_COROUTINES = 0x80 | 0x200
"""Flags of code objects (``inspect.CO_…``): takes ``*args``; is a coroutine function or an asynchronous generator."""


def _fail(name: str, expected: str, value: object) -> NoReturn:
    shown = f"`{name}`" if name.isidentifier() else name
    text = f"{shown} must be {expected}, got {value!r}"
    raise UsageError(text)


def require_seconds(**arguments: Any) -> None:
    """Require numbers >= 0, infinity included."""
    for name, value in arguments.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
            _fail(name, "a number of seconds >= 0", value)


def require_positive_integers(**arguments: Any) -> None:
    """Require integers > 0."""
    for name, value in arguments.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            _fail(name, "an integer >= 1", value)


def require_counts(**arguments: Any) -> None:
    """Require integers >= 0."""
    for name, value in arguments.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            _fail(name, "an integer >= 0", value)


def require_positive_numbers(**arguments: Any) -> None:
    """Require numbers > 0, infinity included, or None."""
    for name, value in arguments.items():
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float) or not value > 0):
            _fail(name, "a number > 0", value)


def require_strings(**arguments: Any) -> None:
    """Require strings or None."""
    for name, value in arguments.items():
        if value is not None:
            require_instance(name, value, str, "a str")


def require_booleans(**arguments: Any) -> None:
    """Require True or False."""
    for name, value in arguments.items():
        require_instance(name, value, bool, "True or False")


def require_mappings(**arguments: Any) -> None:
    """Require mappings or None."""
    for name, value in arguments.items():
        if value is not None:
            require_instance(name, value, Mapping, "a dict")


def require_string_keys(**arguments: Any) -> None:
    """Require mappings whose keys are strings, or None."""
    require_mappings(**arguments)
    for name, value in arguments.items():
        for key in value or ():
            require_instance(f"a key of `{name}`", key, str, "a str")


def require_instance(name: str, value: Any, cls: type, expected: str) -> None:
    """Require an instance of a class; ``expected`` describes it, with its article."""
    if not isinstance(value, cls):
        _fail(name, expected, value)


def require_list(name: str, value: Any, example: Any, cls: type = object) -> None:
    """Require a list, or another iterable but a string, of instances of a class; ``example`` is one item."""
    if isinstance(value, str | bytes):
        _fail(name, f"a list, such as [{value!r}]", value)
    if not isinstance(value, Iterable):
        _fail(name, f"a list, such as [{example!r}]", value)
    # An iterator must not be used up by a check.
    if isinstance(value, Sequence | frozenset | set):
        for item in cast("Iterable[object]", value):
            require_instance(f"an item of `{name}`", item, cls, f"a value such as {example!r}")


def require_methods(name: str, value: Any, methods: Sequence[str], expected: str) -> None:
    """Require an object, not a class, with all of these methods."""
    if isinstance(value, type) or not all(hasattr(value, method) for method in methods):
        _fail(name, expected, value)


def require_command(value: Any) -> None:
    """Require a list with a program and its arguments."""
    if isinstance(value, str | bytes) or not isinstance(value, Sequence) or not value:
        hint = ""
        if isinstance(value, str) and "://" in value:
            hint = "; to connect to a URL, use Client.http or connect.http"
        elif isinstance(value, str) and value:
            hint = (
                "; use shlex.split() to split a line"
                if any(map(str.isspace, value))
                else f"; write the program and its arguments in one list, as in [{value!r}, 'argument']"
            )
        text = f"a command must be a list of str, such as ['python', 'server.py'], got {value!r}{hint}"
        raise UsageError(text)


def require_secret(name: str, value: Any) -> None:
    """Require secret bytes, at least 32, or None."""
    if value is not None and not (isinstance(value, bytes) and len(value) >= _SECRET):
        # The value is not shown: a rejected secret may be in use somewhere else.
        text = f"`{name}` must be at least {_SECRET} bytes; secrets.token_bytes({_SECRET}) makes some"
        raise UsageError(text)


def require_method_key(value: Any, *, request: bool) -> None:
    """Require a key of a request or notification; ``request`` says which the error names."""
    if not isinstance(value, (RequestMethod, NotificationMethod)):
        example = (
            "a request, such as `mcp.methods.CALL_TOOL`"
            if request
            else "a notification, such as `mcp.methods.PROGRESS`"
        )
        text = f"pass the key of {example} or one of an extension's `methods`, not {value!r}"
        raise UsageError(text)


def require_callable(name: str, value: Any, parameters: Sequence[str]) -> None:
    """Require a plain function that can be called with these positional arguments.

    It is read from its code object, as calls check ``on_progress`` so: ``inspect.signature`` takes 15 times as long, about
    a tenth of a call in memory.
    """
    if isinstance(value, type) or not callable(value):
        _fail(name, "a function", value)
    code: Any = getattr(getattr(value, "__func__", value), "__code__", None)
    if code is None:
        # Other callables cannot be checked cheaply.
        return
    if code.co_flags & _COROUTINES:
        text = f"{name} must be a plain function, which runs in a thread; {value.__qualname__} is a coroutine function"
        raise UsageError(text)
    bound = 1 if hasattr(value, "__func__") else 0
    most = code.co_argcount - bound
    least = most - len(value.__defaults__ or ())
    required_keywords = code.co_kwonlyargcount - len(value.__kwdefaults__ or ())
    passed = len(parameters)
    if passed > 1 and most and code.co_varnames[bound] in {"context", "ctx"} and parameters[0] != "context":
        called = ", ".join(parameters)
        text = f"{name} is called with ({called}), but the first parameter of {value.__qualname__} is the context"
        raise UsageError(text)
    if required_keywords or least > passed or (most < passed and not code.co_flags & _VARIADIC):
        names = code.co_varnames[bound : code.co_argcount + code.co_kwonlyargcount]
        text = f"{name}: {value.__qualname__} takes ({', '.join(names)}), but is called with ({', '.join(parameters)})"
        raise UsageError(text)


def is_wsgi_application(value: Any) -> bool:
    """Return whether a value is no class and can be called with ``(environ, start_response)`` (PEP 3333)."""
    return not isinstance(value, type) and _can_be_called(value, {}, None)


def require_wsgi_application(value: Any) -> None:
    """Require a callable of ``(environ, start_response)``; it may be a class."""
    if not _can_be_called(value, {}, None):
        shown = getattr(value, "__qualname__", None) or repr(value)
        hint = forgotten_call(value)
        text = f"{shown} is not a WSGI application, which is called with (environ, start_response){hint}"
        raise UsageError(text)


def forgotten_call(value: Any) -> str:
    """Return ``; did you mean create_app()?`` for a function that needs no arguments; empty for other values."""
    is_function = hasattr(value, "__code__") and _can_be_called(value)
    return f"; did you mean {value.__qualname__}()?" if is_function else ""


def _can_be_called(value: Any, *arguments: Any) -> bool:
    """Return whether a value can be called with these arguments; True for a callable without a known signature."""
    if not callable(value):
        return False
    import inspect

    try:
        inspect.signature(value).bind(*arguments)
    except TypeError:
        return False
    except ValueError:
        # A function of an extension module.
        return True
    return True


def require_transport(value: Any) -> None:
    """Require an object with the methods of a transport."""
    methods: Sequence[Callable[..., Any] | None] = [
        getattr(value, name, None) for name in ("receive", "interrupt", "send", "close")
    ]
    if isinstance(value, type) or not all(map(callable, methods)):
        text = f"a transport must have the methods receive, interrupt, send and close, got {value!r}"
        raise UsageError(text)
