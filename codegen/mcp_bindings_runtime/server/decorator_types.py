"""Types of the decorators of servers, for type checkers alone.

Type checkers cannot refuse an ``async def``, but they report what is deprecated. At run time it raises ``UsageError``.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, Protocol, TypeVar, overload

from typing_extensions import deprecated


class _Anything:
    """Return type that no function has: only a function that returns ``Any`` matches ``AnyFunction``."""


AnyFunction = TypeVar("AnyFunction", bound=Callable[..., _Anything])
AsyncFunction = TypeVar("AsyncFunction", bound=Callable[..., Coroutine[Any, Any, Any]])
PlainFunction = TypeVar("PlainFunction", bound=Callable[..., object])


class Decorator(Protocol):
    """Registers a function and returns it."""

    @overload
    def __call__(self, function: AnyFunction, /) -> AnyFunction: ...

    @overload
    @deprecated("`async def` is not supported; write a plain `def`, which runs in a thread")
    def __call__(self, function: AsyncFunction, /) -> AsyncFunction: ...

    @overload
    def __call__(self, function: PlainFunction, /) -> PlainFunction: ...

    def __call__(self, function: Any, /) -> Any:
        """Register a function."""
