"""Lists in pages: all of them, and an end where a server leads in a circle."""

from __future__ import annotations

from itertools import islice
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_bindings_runtime.errors import ProtocolError
from mcp_bindings_runtime.features.method_support import all_items


def listing(following):
    """The numbers of the pages that ``following`` leads to, from page 0 on."""

    def ask(cursor):
        number = 0 if cursor is None else int(cursor)
        after = following(number)
        return SimpleNamespace(items=[number], next_cursor=None if after is None else str(after))

    return all_items(ask, lambda page: page.items, None)


@given(st.integers(1, 50))
def test_all_pages_are_given_in_their_order(count):
    found = list(listing(lambda number: number + 1 if number + 1 < count else None))
    assert found == list(range(count))


@given(st.integers(0, 20), st.integers(1, 20))
def test_a_circle_ends_wherever_it_begins_and_however_long_it_is(before, length):
    """The pages up to ``before`` come once, and those after it again and again."""
    seen = []
    circle = listing(lambda number: number + 1 if number + 1 < before + length else before)
    with pytest.raises(ProtocolError, match="so the list has no end"):
        seen.extend(islice(circle, 1000))
    assert set(seen) == set(range(before + length))
    assert len(seen) <= 3 * (before + length) + 3
