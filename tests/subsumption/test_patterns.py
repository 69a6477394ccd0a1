"""Patterns by automata agree with ``re``, and searches find the shortest text."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from mcp_bindgen.subsumption.patterns import Patterns, Search, UnsupportedPattern

atoms = st.sampled_from(["a", "b", ".", "[ab]", "[^a]", r"\d", r"\w", r"\.", "(?:ab)", "(a|b)", "[a-c0]"])
patterns = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "{2,}", "{0,1}", "*?"])).map(
            lambda each: f"(?:{each[0]}){each[1]}"
        ),
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.tuples(inner, inner).map("|".join),
        inner.map(lambda each: f"^{each}"),
        inner.map(lambda each: f"{each}$"),
    ),
    max_leaves=5,
)


@settings(max_examples=settings.default.max_examples * 3)
@given(patterns, st.text(alphabet="abc0.", max_size=6))
def test_an_automaton_matches_what_re_matches(pattern: str, text: str) -> None:
    assert Patterns().matches(pattern, text) == (re.search(pattern, text) is not None)


def matches(pattern: str, text: str) -> bool:
    """Whether a pattern of JSON Schema matches: its ``$`` is the end alone, not also the place before a last newline."""
    return re.search(pattern.replace("$", r"\Z"), text) is not None


@settings(max_examples=settings.default.max_examples * 2)
@given(patterns, patterns)
@example("a", ".$$")
def test_a_search_finds_a_text_that_only_one_pattern_matches(one: str, other: str) -> None:
    found = Patterns().search([one], other)
    if found.text is not None:
        assert matches(one, found.text)
        assert not matches(other, found.text)
    elif found.exhaustive:
        texts = ["", *"ab0.", *(a + b for a in "ab0." for b in "ab0.")]
        assert not [text for text in texts if matches(one, text) and not matches(other, text)]


def test_lengths_limit_a_search() -> None:
    assert Patterns().search(["^a*$"], None, 3, 5) == Search("aaa", exhaustive=True)
    assert Patterns().search(["^a$"], None, 2, None) == Search(None, exhaustive=True)


@pytest.mark.parametrize("pattern", ["(?=a)", r"(a)\1", r"\bword", "(?i)a", "a**", "(", "[z-a]", "{2}"])
def test_a_pattern_without_an_automaton(pattern: str) -> None:
    with pytest.raises(UnsupportedPattern):
        Patterns().matches(pattern, "a" * 40)


def test_the_time_of_a_match_grows_with_the_text_only() -> None:
    assert not Patterns().matches("^(a+)+$", "a" * 20_000 + "b")
