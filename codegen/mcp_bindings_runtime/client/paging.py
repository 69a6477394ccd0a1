"""Lists that come in pages (Pagination)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from ..errors import ProtocolError

T = TypeVar("T")


def pages(ask: Callable[[str | None], Any], items: Callable[[Any], Sequence[T]]) -> Iterator[T]:
    """The items of all pages; ``ask`` gives the page that a cursor leads to, the first for None.

    Raises ProtocolError for a server that leads back to a page where it has led before. How far back is found out by
    comparing with one cursor that is replaced ever more seldom (Brent's algorithm), so that a long list takes no memory:
    of a cycle of pages, some are given again before it shows.
    """
    cursor: str | None = None
    mark: str | None = None
    since, limit = 0, 1
    while True:
        page = ask(cursor)
        yield from items(page)
        following = page.next_cursor
        if following is None:
            return
        if following in (cursor, mark):
            text = (
                f"the server gives the cursor {following!r} of a page that it has led to before, so the list has no end"
            )
            raise ProtocolError(text)
        since += 1
        if since == limit:
            mark, since, limit = following, 0, 2 * limit
        cursor = following
