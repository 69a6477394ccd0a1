"""Helpers of the emitted request methods of clients and contexts: make params, check results, go through pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from ..codec.record import Record
from ..errors import ProtocolError, UsageError
from ..methods import RequestMethod
from ..options import near_name
from ..validation import require_mappings

Passed = ParamSpec("Passed")
P = TypeVar("P", bound=Record)
R = TypeVar("R")
G = TypeVar("G")
T = TypeVar("T")


def meta_entries(meta: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return a copy of entries of ``_meta``, by wire name; None if there are none. Raise ``UsageError`` for no dict."""
    if not meta:
        return None
    require_mappings(meta=meta)
    return dict(meta)


def make_meta(kind: Callable[..., P], meta: Mapping[str, Any] | None) -> P | None:
    """Return ``_meta`` as an object of the revision; None if there are no entries."""
    return kind(extra=meta_entries(meta)) if meta else None


def extra_with_meta(meta: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return the ``extra`` of params that do not declare ``_meta``; None if there are no entries."""
    return {"_meta": meta_entries(meta)} if meta else None


def none_if_empty(params: P) -> P | None:
    """Return params, or None if no member is set and they can be left out."""
    return None if params == params.__class__() else params


def explain_arguments(method: Callable[Passed, R]) -> Callable[Passed, R]:
    """Decorate a method that has ``arguments`` so that a call that passes them one by one says how to pass them.

    It raises ``UsageError`` then, and a ``TypeError`` from within a valid call stays as it is.
    """

    @wraps(method)
    def checked(*passed: Passed.args, **options: Passed.kwargs) -> R:
        try:
            return method(*passed, **options)
        except TypeError:
            _check_call(method, passed, options)
            raise

    return checked


def _check_call(method: Callable[..., Any], passed: Sequence[object], options: Mapping[str, object]) -> None:
    """Raise ``UsageError`` for parameters that a method does not have."""
    from inspect import signature

    accepted = signature(method)
    try:
        accepted.bind(*passed, **options)
    except TypeError as fault:
        name = method.__name__
        known = [each for each in accepted.parameters if each != "self"]
        near = "".join(near_name(each, known) for each in options if each not in known)
        text = f"{name}: {fault}{near}; pass the arguments as one dict: {name}('name', {{'key': 'value'}})"
        raise UsageError(text) from None


def check_returns(returns: Any, task: object = None) -> None:
    """Raise ``UsageError`` for a type that the result of a tool cannot be converted into, and for a call as a task."""
    from .result_data import require_supported

    if task is not None:
        message = "pass `returns` or `task`, not both: the result of a task comes later, and `result.as_` converts it"
        raise UsageError(message)
    require_supported(returns)


def expect_result(key: RequestMethod[Any, Any], result: object, kind: type[R]) -> R:
    """Return a result of the only class that these params allow; raise ``ProtocolError`` for another."""
    if not isinstance(result, kind):
        text = f"{key.name}: the answer is a {result.__class__.__name__}, but with these params it must be a {kind.__name__}"
        raise ProtocolError(text)
    return result


def all_items(
    request_page: Callable[[str | None], G], items: Callable[[G], Sequence[T]], cursor: str | None
) -> Iterator[T]:
    """Return an iterator over the items of all pages from ``cursor`` on; the first page is requested at once.

    Raise ``ProtocolError`` if the server returns a cursor for the second time (Pagination).
    """
    return _items_from(request_page(cursor), request_page, items)


def _items_from(
    page: Any, request_page: Callable[[str | None], Any], items: Callable[[Any], Sequence[T]]
) -> Iterator[T]:
    seen: set[str] = set()
    while True:
        yield from items(page)
        cursor: str | None = page.next_cursor
        if cursor is None:
            return
        if cursor in seen:
            text = f"the server returned the cursor {cursor!r} before, so the list has no end"
            raise ProtocolError(text)
        seen.add(cursor)
        page = request_page(cursor)
