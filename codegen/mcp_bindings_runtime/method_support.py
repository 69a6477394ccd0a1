"""What the emitted methods of clients and contexts do around ``request``: params before it, a check of the result after."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from .codec.record import Record
from .errors import ProtocolError
from .methods import RequestMethod
from .validation import require_mappings

P = TypeVar("P", bound=Record)
R = TypeVar("R")
G = TypeVar("G")
T = TypeVar("T")


def meta_entries(meta: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The entries of ``_meta``, by wire name; None where there are none. Raises UsageError for what is no dict."""
    if not meta:
        return None
    require_mappings(meta=meta)
    return dict(meta)


def make_meta(kind: Callable[..., P], given: Mapping[str, Any] | None) -> P | None:
    """``_meta`` as an object of the revision, from entries by wire name; None where there are none."""
    return kind(extra=meta_entries(given)) if given else None


def extra_with_meta(given: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The ``extra`` of params that do not declare ``_meta``."""
    return {"_meta": meta_entries(given)} if given else None


def none_if_empty(params: P) -> P | None:
    """Params that may be left out: None for those without a member."""
    return None if params == params.__class__() else params


def expect_result(key: RequestMethod[Any, Any], result: object, kind: type[R]) -> R:
    """The result of a request that allows this one alone, because of its params; raises ProtocolError for another."""
    if not isinstance(result, kind):
        text = f"{key.name}: the answer is a {result.__class__.__name__}, and to these params a {kind.__name__} belongs"
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
