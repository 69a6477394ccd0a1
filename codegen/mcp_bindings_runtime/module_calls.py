"""Calls of a module in place of one of its functions: an error that says what to write."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, NoReturn

from .errors import UsageError


def refuse_calls(name: str, instead: Callable[[Any], str]) -> None:
    """Let a module raise ``UsageError`` if it is called; ``instead`` returns what to write for its first argument."""
    shown = name.rpartition(".")[2]

    class Refusing(ModuleType):
        # Otherwise the module would have this one's name as the attribute.
        __module__ = ModuleType.__module__

        def __call__(self, *arguments: Any, **options: Any) -> NoReturn:
            text = f"{shown} is a module, which cannot be called; {instead(arguments[0] if arguments else None)}"
            raise UsageError(text)

    sys.modules[name].__class__ = Refusing


def connect_instead(value: Any, name: str = "connect") -> str:
    """Return the call by which a client connects to a command or URL; ``name`` has functions for the transports."""
    if isinstance(value, str) and "://" in value:
        return f"to connect to a URL, write {name}.http({value!r})"
    if isinstance(value, str) and value:
        return f"to start a server, write {name}.stdio({value.split()!r})"
    if callable(getattr(value, "serve", None)):
        return f"to connect to a server object, write {name}.in_memory(server)"
    if isinstance(value, list | tuple):
        return f"to start a server, write {name}.stdio({value!r})"
    return f"to start a server, write {name}.stdio(['python', 'server.py']); for a transport, {name}.over(transport)"


def serve_instead(value: Any) -> str:
    """Return the calls by which servers are started."""
    return "write serve.stdio(server), or serve.http(server, port=8000)"
