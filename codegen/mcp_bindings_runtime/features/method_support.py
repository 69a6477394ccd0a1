"""Helpers of the emitted request methods of clients and contexts: make params, check results, go through pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from ..codec.record import Record
from ..errors import ProtocolError, UsageError
from ..foreign_names import ARGUMENTS_OF_CALLS, OF_ITEMS, explain_attributes, explain_calls
from ..methods import RequestMethod
from ..validation import require_mappings

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


explain_arguments = explain_calls(
    ARGUMENTS_OF_CALLS, "pass the arguments as one dict: {function}('name', {'key': 'value'})"
)
"""Decorates a method that has ``arguments``."""


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


@explain_attributes(OF_ITEMS)
class Items(Iterator[T]):
    """An iterator over the items of all pages; what needs a list says how to make one."""

    def __init__(self, items: Iterator[T]) -> None:
        self._items = items

    def __iter__(self) -> Iterator[T]:  # noqa: PYI034  # a loop uses the generator directly
        return self._items

    def __next__(self) -> T:
        return next(self._items)

    # Hidden from type checkers, which report that an iterator has neither.
    if not TYPE_CHECKING:

        def __getitem__(self, index: object) -> NoReturn:
            raise TypeError(_NO_LIST)

        def __len__(self) -> NoReturn:
            raise TypeError(_NO_LIST)

        def __bool__(self) -> bool:
            return True


_NO_LIST = "this is an iterator over the items of all pages; for a list, write list(client.list_tools()) and the like"


def all_items(
    request_page: Callable[[str | None], G], items: Callable[[G], Sequence[T]], cursor: str | None
) -> Iterator[T]:
    """Return an iterator over the items of all pages from ``cursor`` on; the first page is requested at once.

    Raise ``ProtocolError`` if the server returns a cursor for the second time (Pagination).
    """
    return Items(_items_from(request_page(cursor), request_page, items))


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
