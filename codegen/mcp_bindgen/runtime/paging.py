"""Lists that come in pages (Pagination)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from .errors import ProtocolError

T = TypeVar("T")


def pages(ask: Callable[[str | None], Any], items: Callable[[Any], Sequence[T]]) -> Iterator[T]:
    """The items of all pages; ``ask`` gives the page that a cursor leads to, the first for None.

    Raises ProtocolError for a server that leads back to the page it comes from.
    """
    cursor: str | None = None
    while True:
        page = ask(cursor)
        yield from items(page)
        if page.next_cursor is None:
            return
        if page.next_cursor == cursor:
            text = f"the server gives the cursor {cursor!r} of the page that it leads to, so the list has no end"
            raise ProtocolError(text)
        cursor = page.next_cursor
