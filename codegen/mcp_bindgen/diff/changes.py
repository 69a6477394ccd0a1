"""What a comparison of two revisions finds: one ``Change`` for each thing that differs."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from attrs import field, frozen

from mcp_bindgen.diff.finding_kinds import Kind
from mcp_bindgen.ir.protocol import Side

FORMAT = "mcp-diff/1"

Verdict: TypeAlias = Literal["breaking", "risky", "compatible"]

VERDICTS: tuple[Verdict, ...] = ("compatible", "risky", "breaking")
"""From harmless to worst."""


def worst(*verdicts: Verdict) -> Verdict:
    """The worst of some verdicts; ``compatible`` for none."""
    return VERDICTS[max(map(VERDICTS.index, verdicts), default=0)]


@frozen
class Verdicts:
    """What a change means: for two pairings of peers that do not negotiate, and for code over generated types."""

    old_client_new_server: Verdict
    new_client_old_server: Verdict
    api: Verdict

    @property
    def level(self) -> Verdict:
        """The worse of the two pairings."""
        return worst(self.old_client_new_server, self.new_client_old_server)


Pairing: TypeAlias = Literal["old_client_new_server", "new_client_old_server"]

PAIRINGS: tuple[Pairing, ...] = ("old_client_new_server", "new_client_old_server")


@frozen
class Reasons:
    """What a change does in one pairing alone; None where it is compatible there."""

    old_client_new_server: str | None = None
    new_client_old_server: str | None = None


Outcome: TypeAlias = Literal["refused", "ignored", "unanswered"]


@frozen
class Witness:
    """A message that shows what a change means."""

    pairing: Pairing
    sender: Side
    message: Any = field(hash=False)
    """The JSON that is sent: an object, or an array of them for a batch."""
    outcome: Outcome
    """What becomes of it: it is refused, a part of it is ignored, or no result answers it but the error -32601."""
    answers: str | None = field(default=None, kw_only=True)
    """The method of the request with the same id, for a response."""
    place: tuple[str | int, ...] = field(default=(), kw_only=True)
    """Where it shows: the keys and places from the top of the message."""


@frozen(kw_only=True)
class Change:
    """One thing that differs between two revisions."""

    id: str
    """The same in every run, unique in its document: approvals name it."""
    kind: Kind
    rule: str
    """The id of an entry in ``rules.RULES``."""
    subject: str
    """What changed: ``Widget``, ``Widget.size``, ``widgets/list``, ``MAX_WIDGETS``."""
    member: str | None = None
    """The union member, enumeration value or result type, as TypeScript writes it."""
    declared_in: str | None = None
    """The type that declares the field, where ``subject`` is on one that inherits it."""
    inherited_by: tuple[str, ...] = ()
    """The types that change with ``subject``, where it is on the declaring one."""
    old: str | None
    """TypeScript text of the type or value before; None where there was none."""
    new: str | None
    """The same after."""
    required: bool | None = None
    """Whether a field that came or went is (was) required; None for other changes."""
    sent_by: tuple[Side, ...] = ()
    """Who sends messages that contain the subject; empty where none does."""
    verdicts: Verdicts
    methods: tuple[str, ...] = ()
    """The methods and notifications in whose messages peers of both revisions add_rename_candidate the subject, in the order of the source.

    Where there is none, and for what is only said of the subject, those that contain it in either revision.
    """
    reason: str
    """Who breaks, and why, in one sentence for people."""
    reasons: Reasons = Reasons()
    """The same, with nothing but one pairing in it."""
    hint: str | None = None
    """What to do about it."""
    witness: Witness | None = None
    """The smallest message that shows the worse of the two verdicts, where it was asked for and one can."""

    @property
    def level(self) -> Verdict:
        """The worse of the two wire verdicts."""
        return self.verdicts.level


@frozen
class Revision:
    """One side of a comparison."""

    revision: str
    """The id that was asked for."""
    source: str
    """Where its schema was read."""


@frozen
class Summary:
    """How many changes there are, and how bad they are on the wire."""

    changes: int
    breaking: int
    risky: int
    compatible: int


@frozen
class Difference:
    """All that differs between two revisions, in a stable order."""

    old: Revision
    new: Revision
    changes: tuple[Change, ...]

    @property
    def summary(self) -> Summary:
        """The counts."""
        levels = [change.level for change in self.changes]
        return Summary(len(levels), levels.count("breaking"), levels.count("risky"), levels.count("compatible"))
