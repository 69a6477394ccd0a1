"""Paginator of a list that changes, and the cursors between them."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_bindings_runtime.errors import ResponseError
from mcp_bindings_runtime.features.pagination import Paginator
from mcp_bindings_runtime.features.registry import Changes, Registry

KEY = b"k" * 32


def numbered(count):
    registry: Registry[int] = Registry("number", Changes(lambda: None))
    for number in range(count):
        registry.put(str(number), number)
    return registry


def walk(pages, registry, between=lambda: None):
    """The items of all pages; ``between`` is called after each."""
    seen = []
    cursor = None
    while True:
        page, cursor = pages.cut("things/list", registry, cursor)
        seen += page
        if cursor is None:
            return seen
        between()


@given(st.integers(0, 30), st.integers(1, 12))
def test_pages_put_together_are_the_list(count, size):
    registry = numbered(count)
    pages = Paginator(size, KEY)
    assert walk(pages, registry) == list(registry)
    page, cursor = pages.cut("things/list", registry, None)
    assert len(page) == min(count, size)
    assert (cursor is None) == (count <= size)


@given(st.data())
def test_what_stays_is_seen_once_whatever_comes_and_goes(data):
    registry = numbered(data.draw(st.integers(0, 12)))
    stays = set(registry)

    def change() -> None:
        nonlocal stays
        for _ in range(data.draw(st.integers(0, 3))):
            now = list(registry)
            if now and data.draw(st.booleans()):
                gone = data.draw(st.sampled_from(now))
                registry.remove(str(gone))
                stays.discard(gone)
                if data.draw(st.booleans()):
                    registry.put(str(gone), gone + 1000)
                    registry.remove(str(gone))
            elif len(registry) < 15:
                new = 100 + len(registry) + sum(now)
                registry.put(str(new), new, replace=True)

    seen = walk(Paginator(data.draw(st.integers(1, 4)), KEY), registry, change)
    assert len(seen) == len(set(seen))
    assert stays <= set(seen)


def cursor_of(pages, name="things/list"):
    cursor = pages.cut(name, numbered(9), None)[1]
    assert cursor is not None
    return cursor


def refused(pages, cursor, name="things/list"):
    with pytest.raises(ResponseError) as caught:
        pages.cut(name, numbered(9), cursor)
    assert caught.value.code == -32602
    assert caught.value.data == {
        "reason": f"the cursor is not one of this server for {name}; start again without a cursor"
    }


@pytest.mark.parametrize("cursor", ["", "3", "é", "====", "A", "MTIz", "x" * 10_000, "\x00", "null"])
def test_what_is_no_cursor_is_refused(cursor):
    refused(Paginator(3, KEY), cursor)


@given(st.data())
def test_a_cursor_that_was_changed_is_refused(data):
    pages = Paginator(3, KEY)
    good = urlsafe_b64decode(cursor_of(pages))
    place = data.draw(st.integers(0, len(good) - 1))
    other = data.draw(st.integers(0, 255).filter(lambda byte: byte != good[place]))
    refused(pages, urlsafe_b64encode(good[:place] + bytes([other]) + good[place + 1 :]).decode())


def test_a_cursor_is_good_for_its_list_and_key_only():
    cursor = cursor_of(Paginator(3, KEY))
    refused(Paginator(3, KEY), cursor, "others/list")
    refused(Paginator(3, b"j" * 32), cursor)
    # Another process with the same key takes it.
    assert Paginator(3, KEY).cut("things/list", numbered(9), cursor)[0] == (3, 4, 5)
