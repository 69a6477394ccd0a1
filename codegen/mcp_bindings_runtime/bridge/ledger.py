"""The ledger of a conversion: one entry for each part of a message that the target revision expresses differently or not."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

Action: TypeAlias = Literal["kept", "renamed", "synthesised", "dropped", "refused"]
"""``kept``: unchanged, but the target does not declare it. ``renamed``: the same content in another form. ``synthesised``:
added, because the target requires it. ``dropped``: a part that was removed, or a notification that is not sent.
``refused``: the whole message cannot be expressed."""

LOSSES: frozenset[Action] = frozenset({"dropped", "refused"})
"""The actions by which content is lost."""


class LedgerEntry(NamedTuple):
    """One difference between a message and its form in another revision."""

    direction: str | None
    """``client->server`` or ``server->client``; None if neither method nor caller determines it."""
    method: str | None
    """The method of the message, or of the request that it answers; None if unknown."""
    id: Any
    """The id of the message; None for notifications and for values that are not messages."""
    pointer: str
    """JSON Pointer (RFC 6901) of the part, in the message as it was before this step; for an added part, in the result."""
    action: Action
    why: str
    section: str
    """The section of the specification on which the conversion relies."""
    step: str
    """The two neighbouring revisions, ``2025-11-25 -> 2025-06-18``."""

    @property
    def is_loss(self) -> bool:
        """Whether content was lost."""
        return self.action in LOSSES


def json_pointer(path: tuple[str | int, ...]) -> str:
    """Return a path as a JSON Pointer."""
    return "".join(f"/{str(key).replace('~', '~0').replace('/', '~1')}" for key in path)
