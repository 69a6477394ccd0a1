"""The changes, grouped by the type or method that they belong to, the worst first; each is a card to unfold."""

from __future__ import annotations

import re
from collections.abc import Mapping

from attrs import define, field, frozen

from mcp_bindgen.diff.assessment import Assessment
from mcp_bindgen.diff.changes import Change, Verdict
from mcp_bindgen.diff.finding_kinds import KINDS, is_of_method
from mcp_bindgen.diff.page.markup import breakable, filter_link, fragment
from mcp_bindgen.diff.page.side_by_side import Side, side_by_side
from mcp_bindgen.diff.page.witness import WitnessView, witness_view
from mcp_bindgen.diff.page.wording import LEVELS, PAIRINGS, verdict_of
from mcp_bindgen.diff.reports.wording import code_spans, detail, is_in_words, kind_words
from mcp_bindgen.diff.typescript import TypeScript
from mcp_bindgen.ir.protocol import Protocol

METHODS, CONSTANTS = "Methods and notifications", "Constants"


@frozen(kw_only=True)
class Card:
    """One change."""

    change: Change
    subject: list[str]
    """Its parts, between which a line may break."""
    kind: str
    level: Verdict
    detail: list[tuple[bool, str]]
    """The parts of a phrase that belongs to the kind, each with whether it is code; empty if there is none."""
    reason: list[tuple[bool, str]]
    """The same for the reason."""
    hint: list[tuple[bool, str]]
    """The same for advice."""
    is_open: bool
    is_approved: bool
    sides: tuple[Side, Side] | None
    witness: WitnessView | None
    verdicts: list[tuple[str, Verdict]]
    """The title of each pairing with its verdict."""
    facts: list[tuple[str, str]]
    """Titles with a text each."""
    names: list[tuple[str, list[str]]]
    """Titles with a list of names each."""
    methods: list[tuple[str, str]]
    """The methods in whose messages it shows, each with a link."""
    link: str

    @property
    def has_member(self) -> bool:
        """The change is about a member of a union or enumeration."""
        return self.change.member is not None

    @property
    def has_hint(self) -> bool:
        """There is advice."""
        return bool(self.hint)

    @property
    def has_detail(self) -> bool:
        """A phrase says how the kind applies."""
        return bool(self.detail)

    @property
    def has_sides(self) -> bool:
        """There is a type before or after."""
        return self.sides is not None

    @property
    def has_witness(self) -> bool:
        """A message shows the change."""
        return self.witness is not None

    @property
    def is_in_messages(self) -> bool:
        """The change shows in messages of a method."""
        return bool(self.methods)


@frozen
class Group:
    """Changes below one heading."""

    title: str
    cards: tuple[Card, ...]
    is_type: bool
    definitions: tuple[Side, Side] | None
    """The whole type before and after, if both exist and differ."""

    @property
    def number(self) -> int:
        """The number of changes."""
        return len(self.cards)

    @property
    def has_definitions(self) -> bool:
        """The whole type can be shown before and after."""
        return self.definitions is not None


@define
class Grouping:
    """The groups of a difference."""

    old: Protocol
    new: Protocol
    assessment: Assessment
    _headings: tuple[str, str] = field(init=False)
    _renamed: Mapping[str, str] = field(init=False)
    """Old names of types to new ones."""

    def __attrs_post_init__(self) -> None:
        difference = self.assessment.difference
        self._headings = difference.old.revision, difference.new.revision
        self._renamed = {
            each.subject: each.new for each in difference.changes if each.kind == "type_renamed" and each.new
        }

    def groups(self) -> list[Group]:
        """Return methods, then types from the worst to the harmless ones, then constants."""
        methods = {*self.old.methods, *self.new.methods}
        found: dict[str, list[Change]] = {}
        for change in self.assessment.difference.changes:
            found.setdefault(_title(change, methods), []).append(change)
        for changes in found.values():
            changes.sort(key=self._severity)
        ordered = sorted(found, key=lambda title: (_rank(title), self._severity(found[title][0])))
        return [self._group(title, found[title]) for title in ordered]

    def _severity(self, change: Change) -> tuple[int, int]:
        return LEVELS.index(self.assessment.level(change)), LEVELS.index(change.verdicts.api)

    def _group(self, title: str, changes: list[Change]) -> Group:
        is_type = title not in {METHODS, CONSTANTS}
        definitions = self._definitions(title) if is_type else None
        return Group(title, tuple(map(self._card, changes)), is_type, definitions)

    def _card(self, change: Change) -> Card:
        level = self.assessment.level(change)
        witness = self.assessment.witness(change)
        # Phrases are no types.
        has_sides = not KINDS[change.kind].is_in_words and (change.old is not None or change.new is not None)
        words = detail(change) if is_in_words(change) else None
        return Card(
            change=change,
            subject=breakable(change.subject),
            kind=kind_words(change),
            level=level,
            detail=list(code_spans(words or "")),
            reason=list(code_spans(self.assessment.reason(change))),
            hint=list(code_spans(change.hint or "")),
            is_open=level == "breaking",
            is_approved=change.id in self.assessment.approved,
            sides=side_by_side(change.old, change.new, self._headings) if has_sides else None,
            witness=None if witness is None else witness_view(witness),
            verdicts=[(title, verdict_of(change, pairing)) for pairing, (title, *_) in PAIRINGS.items()],
            facts=_facts(change),
            names=_names(change),
            methods=[(name, filter_link(method=name)) for name in change.methods],
            link=f"#{fragment(change.id)}",
        )

    def _definitions(self, title: str) -> tuple[Side, Side] | None:
        before, after = self._names(title)
        if not (_has(self.old, before) and _has(self.new, after)):
            return None
        old, new = TypeScript(self.old).definition(before), TypeScript(self.new).definition(after)
        return None if old == new else side_by_side(old, new, self._headings)

    def _names(self, title: str) -> tuple[str, str]:
        if title in self._renamed:
            return title, self._renamed[title]
        return {new: old for old, new in self._renamed.items()}.get(title, title), title


def _facts(change: Change) -> list[tuple[str, str]]:
    facts = [("Sent by", " and ".join(change.sent_by))] if change.sent_by else []
    if change.required is not None:
        facts.append(("Required", "yes" if change.required else "no"))
    return facts


def _names(change: Change) -> list[tuple[str, list[str]]]:
    names = [("Declared in", [change.declared_in])] if change.declared_in else []
    if change.inherited_by:
        names.append(("Inherited by", list(change.inherited_by)))
    return [*names, ("Rule", [change.rule])]


def _title(change: Change, methods: set[str]) -> str:
    if is_of_method(change.kind) and change.subject in methods:
        return METHODS
    if KINDS[change.kind].subject == "constant":
        return CONSTANTS
    return re.split(r"[.\[]", change.subject, maxsplit=1)[0]


def _rank(title: str) -> int:
    return {METHODS: 0, CONSTANTS: 2}.get(title, 1)


def _has(protocol: Protocol, name: str) -> bool:
    return name in protocol.objects or name in protocol.aliases
