"""The result of comparing two revisions: one ``Change`` for each thing that differs."""

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
    """Return the worst of some verdicts; ``compatible`` for none."""
    return VERDICTS[max(map(VERDICTS.index, verdicts), default=0)]


@frozen
class Verdicts:
    """The verdicts for two pairings of peers that do not negotiate, and for code over generated types."""

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
    """The reason of a change in each pairing alone; None where it is compatible."""

    old_client_new_server: str | None = None
    new_client_old_server: str | None = None


Outcome: TypeAlias = Literal["refused", "ignored", "unanswered"]


@frozen
class Witness:
    """A message that shows the effect of a change."""

    pairing: Pairing
    sender: Side
    message: Any = field(hash=False)
    """The JSON that is sent: an object, or an array of them for a batch."""
    outcome: Outcome
    """The reaction of the receiver: it refuses the message, ignores a part of it, or answers with the error -32601."""
    answers: str | None = field(default=None, kw_only=True)
    """The method of the request with the same id, for a response."""
    place: tuple[str | int, ...] = field(default=(), kw_only=True)
    """The keys and indexes from the top of the message to the place that shows the effect."""


@frozen(kw_only=True)
class Change:
    """One thing that differs between two revisions."""

    id: str
    """The same in every run and unique in its document; approvals refer to it."""
    kind: Kind
    rule: str
    """The id of an entry in ``rules.RULES``."""
    subject: str
    """The type, field, method or constant: ``Widget``, ``Widget.size``, ``widgets/list``, ``MAX_WIDGETS``."""
    member: str | None = None
    """The union member, enumeration value or result type, as TypeScript writes it."""
    declared_in: str | None = None
    """The type that declares the field, if ``subject`` is on one that inherits it."""
    inherited_by: tuple[str, ...] = ()
    """The types that change with ``subject``, if it is on the declaring one."""
    old: str | None
    """TypeScript text of the type or value before; None if there was none."""
    new: str | None
    """The same after."""
    required: bool | None = None
    """Whether an added or removed field is (was) required; None for other changes."""
    sent_by: tuple[Side, ...] = ()
    """The sides that send messages with the subject; empty if none does."""
    verdicts: Verdicts
    methods: tuple[str, ...] = ()
    """The methods in whose messages peers of both revisions exchange the subject, in source order.

    If there are none, and for changes of documentation or constraints, those that contain it in either revision.
    """
    reason: str
    """The side that breaks and the reason, in one sentence."""
    reasons: Reasons = Reasons()
    """The same for each pairing alone."""
    hint: str | None = None
    """Advice to the reader."""
    witness: Witness | None = None
    """The smallest message that shows the worse of the two verdicts, if witnesses were searched and one exists."""

    @property
    def level(self) -> Verdict:
        """The worse of the two wire verdicts."""
        return self.verdicts.level


@frozen
class Revision:
    """One side of a comparison."""

    revision: str
    """The id or name of the input."""
    source: str
    """The path or name that its schema was read from."""


@frozen
class Summary:
    """The number of changes, in total and by their level."""

    changes: int
    breaking: int
    risky: int
    compatible: int


@frozen
class Difference:
    """All changes between two revisions, in a stable order."""

    old: Revision
    new: Revision
    changes: tuple[Change, ...]

    @property
    def summary(self) -> Summary:
        """The counts."""
        levels = [change.level for change in self.changes]
        return Summary(len(levels), levels.count("breaking"), levels.count("risky"), levels.count("compatible"))
