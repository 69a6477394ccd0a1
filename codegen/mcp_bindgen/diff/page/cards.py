"""The changes themselves: grouped by the type they are in, each one to unfold, the worst first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from attrs import define, field, frozen

from mcp_bindgen.diff.assessment import Assessment
from mcp_bindgen.diff.changes import Change, Verdict
from mcp_bindgen.diff.page.markup import Content, Html, breakable, element, joined, quoted
from mcp_bindgen.diff.page.matrix import state
from mcp_bindgen.diff.page.sides import Heads, sides
from mcp_bindgen.diff.page.witness import witness
from mcp_bindgen.diff.page.wording import LEVELS, PAIRINGS, kind_words, verdict_of
from mcp_bindgen.diff.typescript import TypeScript
from mcp_bindgen.ir.protocol import Protocol

METHODS, CONSTANTS = "Methods and notifications", "Constants"

_OF_METHODS = re.compile("method_|notification_|direction_")


@frozen
class Group:
    """Changes that are shown below one heading."""

    title: str
    changes: tuple[Change, ...]
    is_type: bool


def grouped(assessment: Assessment, methods: frozenset[str]) -> list[Group]:
    """Methods, then types from the worst to the harmless ones, then constants."""

    def severity(change: Change) -> tuple[int, int]:
        return LEVELS.index(assessment.level(change)), LEVELS.index(change.verdicts.api)

    found: dict[str, list[Change]] = {}
    for change in assessment.difference.changes:
        found.setdefault(_title(change, methods), []).append(change)
    groups = [
        Group(title, tuple(sorted(members, key=severity)), title not in {METHODS, CONSTANTS})
        for title, members in found.items()
    ]
    return sorted(groups, key=lambda group: (_rank(group.title), severity(group.changes[0])))


def _title(change: Change, methods: frozenset[str]) -> str:
    if _OF_METHODS.match(change.kind) and change.subject in methods:
        return METHODS
    if change.kind.startswith("constant_"):
        return CONSTANTS
    return re.split(r"[.\[]", change.subject, maxsplit=1)[0]


def _rank(title: str) -> int:
    return {METHODS: 0, CONSTANTS: 2}.get(title, 1)


@define
class Cards:
    """Makes the cards of a comparison."""

    old: Protocol
    new: Protocol
    heads: Heads
    renamed: Mapping[str, str]
    """Old names of types to new ones."""
    assessment: Assessment
    _old_text: TypeScript = field(init=False)
    _new_text: TypeScript = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._old_text, self._new_text = TypeScript(self.old), TypeScript(self.new)

    def group(self, group: Group) -> Html:
        """A heading with its cards below it."""
        number = element("span", {"class": "number"}, str(len(group.changes)))
        title = element("code", None, group.title) if group.is_type else group.title
        whole = [self._definitions(group.title)] if group.is_type else []
        cards = (self.card(change) for change in group.changes)
        return element(
            "section", {"class": "group"}, element("h3", None, title, " ", number), *filter(None, whole), *cards
        )

    def card(self, change: Change) -> Html:
        """One change, to unfold; what breaks stands open."""
        name: list[Content] = [breakable(change.subject)]
        if change.member:
            name += [" ", element("code", {"class": "member"}, change.member)]
        level = self.assessment.level(change)
        if change.id in self.assessment.approved:
            name += [" ", element("span", {"class": "tag"}, "approved")]
        summary = element(
            "summary",
            None,
            _verdict(level),
            element("span", {"class": "name"}, *name),
            element("span", {"class": "kind"}, kind_words(change.kind)),
            element("span", {"class": "api"}, "code: ", _verdict(change.verdicts.api)),
            element("span", {"class": "reason"}, self.assessment.reason(change)),
        )
        body = element("div", {"class": "body"}, *self._body(change))
        return element(
            "details",
            {"class": f"change {level}", "id": change.id, "open": level == "breaking"},
            summary,
            body,
        )

    def _body(self, change: Change) -> Iterator[Html]:
        if change.hint:
            yield element("p", {"class": "hint"}, element("b", None, "What to do: "), change.hint)
        if change.old is not None or change.new is not None:
            yield sides(change.old, change.new, self.heads)
        shown = self.assessment.witness(change)
        if shown is not None:
            yield witness(shown)
        yield element("dl", {"class": "facts"}, *_facts(change))

    def _definitions(self, title: str) -> Html | None:
        """The whole type before and after, where both are there."""
        before, after = self._names(title)
        if not (_has(self.old, before) and _has(self.new, after)):
            return None
        old, new = self._old_text.definition(before), self._new_text.definition(after)
        if old == new:
            return None
        summary = element("summary", None, "All of ", element("code", None, title), " side by side")
        return element("details", {"class": "whole"}, summary, sides(old, new, self.heads))

    def _names(self, title: str) -> tuple[str, str]:
        if title in self.renamed:
            return title, self.renamed[title]
        return {new: old for old, new in self.renamed.items()}.get(title, title), title


def _has(protocol: Protocol, name: str) -> bool:
    return name in protocol.objects or name in protocol.aliases


def _facts(change: Change) -> Iterator[Html]:
    for pairing, (title, *_) in PAIRINGS.items():
        verdict = verdict_of(change, pairing)
        yield _fact(title, _verdict(verdict))
    if change.sent_by:
        yield _fact("Sent by", " and ".join(change.sent_by))
    if change.required is not None:
        yield _fact("Required", "yes" if change.required else "no")
    if change.declared_in:
        yield _fact("Declared in", element("code", None, change.declared_in))
    if change.inherited_by:
        yield _fact("Inherited by", joined((element("code", None, name) for name in change.inherited_by), ", "))
    yield _fact("Rule", element("code", None, change.rule))
    if change.methods:
        links = (element("a", {"href": state(method=name)}, element("code", None, name)) for name in change.methods)
        yield _fact("In messages of", joined(links, ", "))
    link = element("a", {"class": "link", "href": f"#{quoted(change.id)}"}, element("code", None, change.id))
    yield _fact("Link", link)


def _verdict(verdict: Verdict) -> Html:
    return element("span", {"class": f"v {verdict}"}, verdict)


def _fact(title: str, content: Content) -> Html:
    return element("div", None, element("dt", None, title), element("dd", None, content))
