"""The matrix of methods: a row for each method, a column for each verdict, numbers of changes in the cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TypeAlias

from attrs import define, field, frozen

from mcp_bindgen.diff.changes import Change, Verdict
from mcp_bindgen.diff.page.markup import breakable, filter_link
from mcp_bindgen.diff.page.wording import IN_NO_MESSAGE, LEVELS, PAIRINGS, verdict_of
from mcp_bindgen.ir.protocol import Method, Protocol

Counts: TypeAlias = dict[str, Counter[Verdict]]
"""By pairing."""

_TAGS = {
    "method_added": "new",
    "notification_added": "new",
    "method_removed": "removed",
    "notification_removed": "removed",
    "method_embedded": "sent differently",
    "direction_changed": "other sender",
}

_GROUPS = {
    "Requests from the client": ("request", ("client",)),
    "Requests from the server": ("request", ("server",)),
    "Requests from either side": ("request", ("client", "server")),
    "Notifications": ("notification", ()),
}


@frozen
class Count:
    """The number of changes of one level, with a link that shows them."""

    level: Verdict
    number: int
    link: str

    @property
    def is_some(self) -> bool:
        """The number is not zero."""
        return bool(self.number)


@frozen
class Bar:
    """The counts of all changes in one pairing, as a bar of rectangles."""

    title: str
    total: int
    counts: list[tuple[Count, int]]
    """Each with the place where its rectangle begins."""


@frozen
class Cell:
    """The counts of one method in one pairing, one for each level."""

    worst: Verdict
    counts: list[Count]


@frozen
class MethodRow:
    """The row of a method, or of the changes in no method."""

    method: str
    label: list[str]
    is_code: bool
    link: str
    tag: str | None
    cells: list[Cell]

    @property
    def is_tagged(self) -> bool:
        """A word after the name says how the method itself changed."""
        return self.tag is not None


@frozen
class RowGroup:
    """Rows below one heading."""

    title: str
    rows: list[MethodRow]


@frozen
class MethodMatrix:
    """The matrix, with the names of the methods in which nothing changed."""

    groups: list[RowGroup]
    unchanged: list[str]

    @property
    def has_unchanged(self) -> bool:
        """There are methods in which nothing changed."""
        return bool(self.unchanged)


def bars(changes: Iterable[Change], pairings: Iterable[str]) -> list[Bar]:
    """Return a bar for each of some pairings, with the counts of all changes."""
    counts = _count(changes)
    return [_bar(pairing, counts[pairing]) for pairing in pairings]


def method_matrix(changes: tuple[Change, ...], old: Protocol, new: Protocol) -> MethodMatrix:
    """Return the matrix of a difference."""
    methods = {**old.methods, **new.methods}
    rows = _Rows(changes)
    names: dict[str, list[str]] = {}
    for name in [*new.methods, *(name for name in old.methods if name not in new.methods)]:
        if name in rows.by_method:
            names.setdefault(_group(methods[name]), []).append(name)
    groups = [rows.group(title, names[title]) for title in _GROUPS if title in names]
    if rows.others:
        groups.append(RowGroup("Other", [rows.elsewhere()]))
    return MethodMatrix(groups, [name for name in methods if name not in rows.by_method])


def _count(changes: Iterable[Change]) -> Counts:
    counts: Counts = {pairing: Counter() for pairing in PAIRINGS}
    for change in changes:
        for pairing in PAIRINGS:
            counts[pairing][verdict_of(change, pairing)] += 1
    return counts


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
    """Changes in the messages of no method: names, constants, envelopes."""
    tags: dict[str, str] = field(init=False, factory=dict[str, str])

    def __attrs_post_init__(self) -> None:
        for change in self.changes:
            for method in change.methods:
                self.by_method.setdefault(method, []).append(change)
            if not change.methods:
                self.others.append(change)
            if change.kind in _TAGS:
                self.tags.setdefault(change.subject, _TAGS[change.kind])

    def group(self, title: str, methods: list[str]) -> RowGroup:
        """Return the rows of a group, the worst first."""
        ordered = sorted(methods, key=lambda name: _severity(self.by_method[name]))
        rows = [self._row(name, self.by_method[name], breakable(name), is_code=True) for name in ordered]
        return RowGroup(title, rows)

    def elsewhere(self) -> MethodRow:
        """Return the row of the changes in the messages of no method."""
        return self._row(IN_NO_MESSAGE, self.others, ["no single method"], is_code=False)

    def _row(self, method: str, changes: list[Change], label: list[str], *, is_code: bool) -> MethodRow:
        counts = _count(changes)
        cells: list[Cell] = []
        for pairing in PAIRINGS:
            found = [
                Count(level, counts[pairing][level], filter_link(level=level, pairing=pairing, method=method))
                for level in LEVELS
            ]
            cells.append(Cell(next(each.level for each in found if each.number), found))
        return MethodRow(method, label, is_code, filter_link(method=method), self.tags.get(method), cells)


def _bar(pairing: str, counts: Counter[Verdict]) -> Bar:
    found: list[tuple[Count, int]] = []
    place = 0
    for level in LEVELS:
        if counts[level]:
            found.append((Count(level, counts[level], filter_link(level=level, pairing=pairing)), place))
        place += counts[level]
    return Bar(PAIRINGS[pairing][0], place, found)


def _severity(changes: list[Change]) -> tuple[int, ...]:
    levels = Counter(change.level for change in changes)
    return tuple(-min(levels[level], 1) for level in LEVELS[:2]) + tuple(-levels[level] for level in LEVELS[:2])
