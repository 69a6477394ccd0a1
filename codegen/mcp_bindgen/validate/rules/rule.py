"""A rule: a requirement of the specification's prose, its section, and the revisions for which it holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple, TypeAlias

from attrs import field, frozen

from mcp_bindgen.revision_range import RevisionRange
from mcp_bindgen.validate.message import Message

Strength: TypeAlias = Literal["must", "should"]
Path: TypeAlias = tuple[str | int, ...]

WITH_HANDSHAKE: Final = RevisionRange(until="2025-11-25")
"""Revisions in which a session starts with ``initialize`` and both sides send requests."""
STATELESS: Final = RevisionRange(since="2026-07-28")
"""Revisions in which each request stands alone and only clients send requests."""


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
    """The first revision for which the rule holds; None for the first that there is."""
    until: str | None = field(default=None, kw_only=True)
    """The last one; None if the rule still holds."""
    strength: Strength = field(default="must", kw_only=True)
    """Whether it is a requirement or a recommendation."""
    recommended_until: str | None = field(default=None, kw_only=True)
    """The last revision that recommends what later ones require."""
    earlier_sections: Mapping[str, str] = field(factory=dict[str, str], kw_only=True)
    """Sections of earlier revisions, each by the last revision that has it."""

    @property
    def revisions(self) -> RevisionRange:
        """The revisions for which the rule holds."""
        return RevisionRange(self.since, self.until)

    def strength_in(self, revision: str) -> Strength:
        """Return whether it is a requirement or a recommendation in one revision."""
        recommended = self.recommended_until is not None and revision <= self.recommended_until
        return "should" if recommended else self.strength

    def section_in(self, revision: str) -> str:
        """Return its page and heading in one revision."""
        last = min((each for each in self.earlier_sections if revision <= each), default=None)
        return self.section if last is None else self.earlier_sections[last]


class Fault(NamedTuple):
    """A rule that was broken, and how."""

    rule: Rule
    path: Path
    """Keys and indices from the message."""
    message: str
    found: str | None = None
    expected: str | None = None
    recorded: Message | None = None
    """The message it is in, where that is not the one just looked at."""
    level: Literal["rule", "note"] = "rule"
    """A note says that the rule could not be checked."""
