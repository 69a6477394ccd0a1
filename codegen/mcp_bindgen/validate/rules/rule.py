"""What a rule is: a demand of the specification's prose, where it stands, and since when."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple, TypeAlias

from attrs import field, frozen

from mcp_bindgen.validate.exchanges import Exchange

Strength: TypeAlias = Literal["must", "should"]
Path: TypeAlias = tuple[str | int, ...]

EVERY: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
WITH_HANDSHAKE: Final = EVERY[:4]
"""Revisions in which a session starts with ``initialize``, and in which both sides make requests."""
SINCE_2025_06_18: Final = EVERY[2:]
SINCE_2025_11_25: Final = EVERY[3:]
SINCE_2026_07_28: Final = EVERY[4:]


@frozen
class Rule:
    """One demand that the prose makes and the schema does not."""

    id: str
    """Words joined by hyphens; the ``code`` of its findings."""
    summary: str
    """What it asks for, in one line."""
    section: str
    """Page and heading that it comes from: ``basic/lifecycle, Initialization``."""
    revisions: tuple[str, ...] = EVERY
    """Those in which it holds."""
    strength: Strength = "must"
    """Whether it binds or recommends; ``milder`` has the exceptions."""
    milder: tuple[str, ...] = ()
    """Revisions that recommend what later ones demand."""
    elsewhere: Mapping[str, str] = field(factory=dict[str, str])
    """Revision to section, where it is not ``section``."""

    def strength_in(self, revision: str) -> Strength:
        """Whether it binds or recommends in one revision."""
        return "should" if revision in self.milder else self.strength

    def section_in(self, revision: str) -> str:
        """Where the page and heading are in one revision."""
        return self.elsewhere.get(revision, self.section)


class Fault(NamedTuple):
    """A rule that was broken, and how."""

    rule: Rule
    path: Path
    """Keys and indices from the message."""
    message: str
    found: str | None = None
    expected: str | None = None
    exchange: Exchange | None = None
    """The message it is in, where that is not the one just looked at."""
    level: Literal["rule", "note"] = "rule"
    """A note says that the rule could not be checked."""
