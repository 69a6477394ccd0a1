"""The ledger of one connection: the differences between the revision of the program and that on the wire."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock
from typing import ClassVar, Final, NamedTuple

from ..logs import write_log
from ..methods import Side
from .ledger import LOSSES, Action, LedgerEntry

MAX_ENTRIES: Final = 100
"""Limit on the entries that a ledger keeps in full; further ones are only counted."""


class Difference(NamedTuple):
    """A kind of difference, of which a connection may have many: an entry without its message and its place."""

    direction: str | None
    """``client->server`` or ``server->client``; None if neither method nor caller determines it."""
    method: str | None
    """The method of the message, or of the request that it answers."""
    action: Action
    why: str
    section: str
    """The section of the specification on which the conversion relies."""

    @property
    def is_loss(self) -> bool:
        """Whether content was lost."""
        return self.action in LOSSES


class ConnectionLedger:
    """The differences of a connection: the first in full, and the number of each kind. Usable in any thread.

    ``revision`` is that of the program, ``peer_revision`` that on the wire. The revisions are logged, unless ``quiet``,
    and the first loss of each kind. A ledger of a part, such as one request, adds its differences to that of the
    ``whole``, too, which logs them. ``side`` is that of the program; logged losses name it as the sender or receiver.
    """

    observers: ClassVar[list[Callable[[ConnectionLedger, Sequence[LedgerEntry]], object]]] = []
    """Functions that receive the differences of every connection of the process."""

    def __init__(
        self,
        revision: str,
        peer_revision: str,
        *,
        side: Side | None = None,
        quiet: bool = False,
        whole: ConnectionLedger | None = None,
    ) -> None:
        self.revision = revision
        self.peer_revision = peer_revision
        self._side = side
        self._whole = whole
        self._lock = Lock()
        self._entries: list[LedgerEntry] = []
        self._counts: dict[Difference, int] = {}
        if not quiet:
            self.log_revisions()

    def log_revisions(self) -> None:
        """Log both revisions if they differ."""
        if self.peer_revision != self.revision:
            text = "the peer uses %s, this program %s; messages are converted"
            write_log("info", text, self.peer_revision, self.revision)

    def __repr__(self) -> str:
        kinds, losses = self.counts, self.losses
        return f"<ledger {self.revision} <-> {self.peer_revision}: {len(kinds)} kinds of difference, {len(losses)} of loss>"

    @property
    def entries(self) -> tuple[LedgerEntry, ...]:
        """The first `MAX_ENTRIES` differences, in full."""
        with self._lock:
            return tuple(self._entries)

    @property
    def counts(self) -> dict[Difference, int]:
        """Number of the differences of each kind."""
        with self._lock:
            return dict(self._counts)

    @property
    def losses(self) -> tuple[Difference, ...]:
        """The kinds of difference by which content was lost, in the order in which they occurred."""
        with self._lock:
            return tuple(each for each in self._counts if each.is_loss)

    def add(self, entries: Sequence[LedgerEntry]) -> None:
        """Add the differences of a message."""
        whole = self._whole
        if whole is not None:
            whole.add(entries)
        else:
            for observe in self.observers if entries else ():
                observe(self, entries)
        with self._lock:
            for entry in entries:
                if len(self._entries) < MAX_ENTRIES:
                    self._entries.append(entry)
                kind = Difference(entry.direction, entry.method, entry.action, entry.why, entry.section)
                count = self._counts.get(kind, 0)
                self._counts[kind] = count + 1
                if not count and kind.is_loss and whole is None:
                    self._log_loss(entry)

    def _log_loss(self, entry: LedgerEntry) -> None:
        preposition = "with"
        if self._side is not None and entry.direction is not None:
            preposition = "to" if entry.direction.startswith(self._side) else "from"
        text = f"%s {preposition} a peer of %s: %s was %s: %s (%s)"
        place = entry.pointer or "the message"
        write_log("warning", text, entry.method, self.peer_revision, place, entry.action, entry.why, entry.section)
