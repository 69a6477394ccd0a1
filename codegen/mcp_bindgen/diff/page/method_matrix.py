"""The matrix at the top of the page: a row for each method, a column for each verdict, and how often which was given."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from attrs import define, field

from mcp_bindgen.diff.changes import Change, Verdict
from mcp_bindgen.diff.page.markup import Content, Html, breakable, element, joined, quoted
from mcp_bindgen.diff.page.wording import IN_NO_MESSAGE, LEVELS, PAIRINGS, verdict_of
from mcp_bindgen.ir.protocol import Method, Protocol

Counts: TypeAlias = dict[str, Counter[Verdict]]
"""By pairing."""

_TAGS = {
    "method_added": "new",
    "notification_added": "new",
    "method_removed": "gone",
    "notification_removed": "gone",
    "method_embedded": "embedded",
    "direction_changed": "other sender",
}


def counted(changes: Iterable[Change]) -> Counts:
    """How often which verdict was given."""
    counts: Counts = {pairing: Counter() for pairing in PAIRINGS}
    for change in changes:
        for pairing in PAIRINGS:
            counts[pairing][verdict_of(change, pairing)] += 1
    return counts


def overview(changes: Iterable[Change], pairings: Iterable[str]) -> Html:
    """A bar for each of some pairings, with the counts of all changes."""
    counts = counted(changes)
    return element("dl", {"class": "bars"}, *(_bar(pairing, counts[pairing]) for pairing in pairings))


def matrix(changes: tuple[Change, ...], old: Protocol, new: Protocol) -> Html:
    """The matrix; methods in which nothing changed are only named below it."""
    methods = {**old.methods, **new.methods}
    table = _Rows(changes)
    groups: dict[str, list[str]] = {}
    for name in [*new.methods, *(name for name in old.methods if name not in new.methods)]:
        if name in table.by_method:
            groups.setdefault(_group(methods[name]), []).append(name)
    bodies = [table.body(title, groups[title]) for title in _GROUPS if title in groups]
    bodies += [table.elsewhere()] if table.others else []
    heads = [
        element("th", {"scope": "col"}, first, element("br"), second, _said(f": {title}"))
        for title, first, second in PAIRINGS.values()
    ]
    head = element("thead", None, element("tr", None, element("th", {"scope": "col"}, "In messages of"), *heads))
    scroller: dict[str, str | int | bool | None] = {
        "class": "scroller",
        "tabindex": 0,
        "role": "region",
        "aria-labelledby": "matrix-title",
    }
    parts = [element("div", scroller, element("table", {"class": "matrix"}, head, *bodies))]
    still = [name for name in methods if name not in table.by_method]
    if still:
        names = joined((element("code", None, name) for name in still), ", ")
        parts.append(element("p", {"class": "quiet"}, "Nothing changed in ", names, "."))
    return joined(parts)


_GROUPS = {
    "Requests from the client": ("request", ("client",)),
    "Requests from the server": ("request", ("server",)),
    "Requests from either side": ("request", ("client", "server")),
    "Notifications": ("notification", ()),
}


def _group(method: Method) -> str:
    for title, (kind, senders) in _GROUPS.items():
        if method.kind == kind and (not senders or set(senders) == set(method.sent_by)):
            return title
    return "Requests from either side"


@define
class _Rows:
    changes: tuple[Change, ...]
    by_method: dict[str, list[Change]] = field(init=False, factory=dict[str, list[Change]])
    others: list[Change] = field(init=False, factory=list[Change])
    tags: dict[str, str] = field(init=False, factory=dict[str, str])

    def __attrs_post_init__(self) -> None:
        for change in self.changes:
            for method in change.methods:
                self.by_method.setdefault(method, []).append(change)
            if not change.methods:
                self.others.append(change)
            if change.kind in _TAGS:
                self.tags.setdefault(change.subject, _TAGS[change.kind])

    def body(self, title: str, methods: list[str]) -> Html:
        """The rows of a group, the worst first."""
        head = element("th", {"scope": "colgroup", "colspan": 4}, title)
        weighed = sorted(methods, key=lambda name: _weight(self.by_method[name]))
        found = (self._row(name, self.by_method[name], breakable(name)) for name in weighed)
        return element("tbody", None, element("tr", {"class": "group"}, head), *found)

    def elsewhere(self) -> Html:
        """The row of what is in no method's messages: names, constants, envelopes."""
        row = self._row(IN_NO_MESSAGE, self.others, "no method of its own")
        return element(
            "tbody",
            None,
            element("tr", {"class": "group"}, element("th", {"scope": "colgroup", "colspan": 4}, "Elsewhere")),
            row,
        )

    def _row(self, method: str, changes: list[Change], label: Html | str) -> Html:
        tag = self.tags.get(method)
        link = element("a", {"href": state(method=method)}, label)
        head: list[Content] = [link]
        if tag:
            head += [" ", element("span", {"class": "tag"}, tag)]
        counts = counted(changes)
        cells = (_cell(method, pairing, counts[pairing]) for pairing in PAIRINGS)
        return element("tr", {"data-method": method}, element("th", {"scope": "row"}, *head), *cells)


def state(**chosen: str) -> str:
    """A link to the page with filters set."""
    return "#?" + "&".join(f"{name}={quoted(value)}" for name, value in chosen.items())


def _cell(method: str, pairing: str, counts: Mapping[Verdict, int]) -> Html:
    worst = next(level for level in LEVELS if counts.get(level))
    links = (
        (
            element(
                "a",
                {"class": f"v {level}", "href": state(level=level, pairing=pairing, method=method)},
                str(counts[level]),
                _said(f" {level}"),
            )
            if counts.get(level)
            else element("i", None)
        )
        for level in LEVELS
    )
    return element("td", {"class": worst}, *links)


def _bar(pairing: str, counts: Mapping[Verdict, int]) -> Html:
    title = PAIRINGS[pairing][0]
    total = sum(counts.values())
    numbers = (
        element("a", {"class": f"v {level}", "href": state(level=level, pairing=pairing)}, f"{counts[level]} {level}")
        for level in LEVELS
        if counts.get(level)
    )
    picture = element(
        "svg",
        {"viewBox": f"0 0 {total} 1", "preserveAspectRatio": "none", "aria-hidden": "true"},
        *_rectangles(counts),
    )
    return element("div", None, element("dt", None, title), element("dd", None, picture, joined(numbers, " ")))


def _rectangles(counts: Mapping[Verdict, int]) -> Iterator[Html]:
    place = 0
    for level in LEVELS:
        number = counts.get(level, 0)
        if number:
            yield element("rect", {"class": level, "x": place, "y": 0, "width": number, "height": 1})
        place += number


def _said(text: str) -> Html:
    """A text for those who have the page read to them."""
    return element("span", {"class": "said"}, text)


def _weight(changes: list[Change]) -> tuple[int, ...]:
    levels = Counter(change.level for change in changes)
    return tuple(-min(levels[level], 1) for level in LEVELS[:2]) + tuple(-levels[level] for level in LEVELS[:2])
