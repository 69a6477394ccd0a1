"""Puts the page together: one file that asks nobody for anything, and runs nothing but its own script."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from mcp_bindgen.diff.assessment import Assessment, Perspective, Threshold
from mcp_bindgen.diff.changes import Change, Difference
from mcp_bindgen.diff.page.cards import Cards, Group, grouped
from mcp_bindgen.diff.page.filters import filters
from mcp_bindgen.diff.page.head import head, own
from mcp_bindgen.diff.page.markup import Html, data, element, joined, seen, verbatim
from mcp_bindgen.diff.page.matrix import matrix, overview
from mcp_bindgen.diff.page.sides import Heads
from mcp_bindgen.diff.page.wording import PAIRINGS, verdict_of
from mcp_bindgen.diff.reports.wording import conclusion, counted, headline
from mcp_bindgen.ir.protocol import Protocol


def render(
    difference: Difference,
    old: Protocol,
    new: Protocol,
    *,
    approved: Collection[str] = (),
    perspective: Perspective = "both",
    fail_on: Threshold = "breaking",
) -> str:
    """Render a difference of two revisions, with the witnesses that its changes have.

    ``approved``: ids of changes that do not count. ``perspective`` and ``fail_on`` are those of ``Assessment``.
    """
    assessment = Assessment(
        difference=difference, perspective=perspective, fail_on=fail_on, approved=dict.fromkeys(approved, "")
    )
    methods = frozenset({*old.methods, *new.methods})
    groups = grouped(assessment, methods)
    renamed = {each.subject: each.new for each in difference.changes if each.kind == "type_renamed" and each.new}
    heads = Heads(difference.old.revision, difference.new.revision)
    cards = Cards(old, new, heads, renamed, assessment)
    content = [_nothing()] if not groups else [_overview(assessment, old, new), _changes(difference, groups, cards)]
    body = element(
        "body",
        None,
        element("a", {"class": "skip", "href": "#changes"}, "Skip to the changes") if groups else "",
        _header(assessment),
        element("main", None, *content),
        _footer(),
        data("index", _index(assessment, [change for group in groups for change in group.changes])),
        verbatim("script", own("page.js")),
    )
    page = element(
        "html", {"lang": "en"}, head(f"{heads.old} to {heads.new}: what changes", script=own("page.js")), body
    )
    return f"<!doctype html>\n{page.text}\n"


def _header(assessment: Assessment) -> Html:
    difference = assessment.difference
    told = counted(len(difference.changes), "change")
    arrow = element("span", {"class": "arrow"}, element("span", {"aria-hidden": "true"}, "→"), _said("to"))
    title = element("h1", None, difference.old.revision, " ", arrow, " ", difference.new.revision)
    theme = element("button", {"type": "button", "id": "theme", "class": "scripted"}, "Dark or light")
    lead = element("p", {"class": "lead"}, f"{told} between two revisions, for peers that do not negotiate")
    verdict = element("p", {"class": "lead", "id": "verdict"}, f"{headline(assessment)}; {conclusion(assessment)}")
    return element("header", None, element("div", None, title, lead, verdict), theme)


def _overview(assessment: Assessment, old: Protocol, new: Protocol) -> Html:
    difference = assessment.difference
    return joined(
        [
            overview(difference.changes, [*assessment.pairings, "api"]),
            element(
                "section",
                {"class": "overview"},
                element("h2", {"id": "matrix-title"}, "Methods"),
                matrix(difference.changes, old, new),
            ),
        ]
    )


def _changes(difference: Difference, groups: list[Group], cards: Cards) -> Html:
    return element(
        "section",
        {"id": "changes", "tabindex": -1},
        element("h2", None, "Changes"),
        filters(difference.changes),
        element("noscript", None, element("p", {"class": "quiet"}, "Filters need a script; all else is here without.")),
        *(cards.group(group) for group in groups),
        element("p", {"id": "none", "hidden": True}, "No change fits these filters."),
    )


def _nothing() -> Html:
    return element(
        "p", {"class": "empty"}, "Nothing changes: both revisions have the same messages and the same types."
    )


def _footer() -> Html:
    words = (
        ("/", "search"),
        ("j", "next change"),
        ("k", "the one before"),
        ("Enter", "unfold"),
        ("Esc", "clear the search"),
    )
    keys = (joined([element("kbd", None, key), f" {what}"]) for key, what in words)
    told = "Breaking, risky or compatible: by what old and new peers send each other, not by how schemas are written."
    return element("footer", None, element("p", {"class": "scripted"}, joined(keys, " · ")), element("p", None, told))


def _index(assessment: Assessment, changes: list[Change]) -> dict[str, Any]:
    """What the filters need to know, in the order of the cards."""
    methods = {name: place for place, name in enumerate(sorted({name for each in changes for name in each.methods}))}
    return {
        "methods": list(map(seen, methods)),
        "changes": [
            {
                "id": seen(change.id),
                "kind": change.kind,
                "level": assessment.level(change),
                **{pairing: verdict_of(change, pairing) for pairing in PAIRINGS},
                "methods": [methods[name] for name in change.methods],
            }
            for change in changes
        ],
    }


def _said(text: str) -> Html:
    return element("span", {"class": "said"}, text)
