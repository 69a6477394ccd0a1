"""The form that narrows the list of changes down; it shows where there is a script to act on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from mcp_bindgen.diff.changes import Change
from mcp_bindgen.diff.page.markup import Html, element, joined
from mcp_bindgen.diff.page.wording import IN_NO_MESSAGE, LEVELS, PAIRINGS, kind_words


def filters(changes: Iterable[Change]) -> Html:
    """The form."""
    changes = list(changes)
    kinds = Counter(change.kind for change in changes)
    methods = Counter(method for change in changes for method in change.methods)
    elsewhere = sum(not change.methods for change in changes)
    text = element("input", {"type": "search", "name": "q", "placeholder": "Search ( / )", "aria-label": "Search"})
    levels = (
        element(
            "label",
            {"class": f"v {level}"},
            element("input", {"type": "checkbox", "name": "level", "value": level}),
            level,
        )
        for level in LEVELS
    )
    pairings = [("", "Either pairing"), *((name, title) for name, (title, *_) in PAIRINGS.items())]
    others = [(IN_NO_MESSAGE, f"no method of its own ({elsewhere})")] if elsewhere else []
    return element(
        "form",
        {"id": "filters", "class": "scripted", "role": "search", "autocomplete": "off"},
        text,
        element("fieldset", None, element("legend", {"class": "said"}, "Level"), *levels),
        _choice("pairing", "Pairing", pairings),
        _choice(
            "method",
            "Method",
            [("", "Any method"), *((name, f"{name} ({methods[name]})") for name in sorted(methods)), *others],
        ),
        _choice(
            "kind",
            "Kind",
            [("", "Any kind"), *((name, f"{kind_words(name)} ({kinds[name]})") for name in sorted(kinds))],
        ),
        element(
            "p",
            None,
            element("output", {"aria-live": "polite"}, ""),
            element("button", {"type": "button", "id": "unfold"}, "Unfold all"),
            element("button", {"type": "reset"}, "Show all"),
        ),
    )


def _choice(name: str, label: str, options: list[tuple[str, str]]) -> Html:
    found = joined(element("option", {"value": value}, text) for value, text in options)
    return element("select", {"name": name, "aria-label": label}, found)
