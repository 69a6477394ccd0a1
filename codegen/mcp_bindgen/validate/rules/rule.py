"""Rules: requirements of the specification's prose, with their sections and revisions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias

from attrs import field, frozen

from mcp_bindgen.revision_range import RevisionRange
from mcp_bindgen.validate.message import Message

Strength: TypeAlias = Literal["must", "should"]
Path: TypeAlias = tuple[str | int, ...]


@frozen
class Rule:
    """A requirement that the specification's prose states and the schema does not."""

    id: str
    """Words joined by hyphens; the ``code`` of its findings."""
    summary: str
    """The requirement in one line."""
    section: str
    """Page and heading of the specification: ``basic/lifecycle, Initialization``."""
    since: str | None = field(default=None, kw_only=True)
    """The first revision with the rule; None for the first of all."""
    until: str | None = field(default=None, kw_only=True)
    """The last revision with the rule; None if it still holds."""
    strength: Strength = field(default="must", kw_only=True)
    """Whether it is a requirement or a recommendation."""
    recommended_until: str | None = field(default=None, kw_only=True)
    """The last revision in which it is a recommendation; later ones require it."""
    earlier_sections: Mapping[str, str] = field(factory=dict[str, str], kw_only=True)
    """Sections in earlier revisions, by the last revision that has them."""

    @property
    def revisions(self) -> RevisionRange:
        """The revisions for which the rule holds."""
        return RevisionRange(self.since, self.until)

    def strength_in(self, revision: str) -> Strength:
        """Return whether it is a requirement or a recommendation in one revision."""
        recommended = self.recommended_until is not None and revision <= self.recommended_until
        return "should" if recommended else self.strength

    def section_in(self, revision: str) -> str:
        """Return the page and heading of the specification in one revision."""
        last = min((each for each in self.earlier_sections if revision <= each), default=None)
        return self.section if last is None else self.earlier_sections[last]


class Fault(NamedTuple):
    """A rule that was broken, and how."""

    rule: Rule
    path: Path
    """Path from the top of the message."""
    message: str
    found: str | None = None
    expected: str | None = None
    recorded: Message | None = None
    """The message that breaks it, if not the one being checked."""
    level: Literal["rule", "note"] = "rule"
    """``note`` if the rule could not be checked."""
