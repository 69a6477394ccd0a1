"""Checks the entries of a source: separates conversations, determines their revisions and counts."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator

from attrs import define, field
from mcp_bindings_runtime.codec.error_wording import describe

from mcp_bindgen import catalog
from mcp_bindgen.validate.detection import Detection, named_revision
from mcp_bindgen.validate.entries import Entry, Read
from mcp_bindgen.validate.findings import Finding, Level
from mcp_bindgen.validate.options import AUTO, Options
from mcp_bindgen.validate.session import COUNTED, Counted, Session


@define(eq=False)
class Tally:
    """Counts of a run."""

    levels: dict[Level, int] = field(factory=lambda: {"error": 0, "rule": 0, "note": 0})
    kinds: dict[Counted, int] = field(factory=lambda: dict.fromkeys(COUNTED, 0))
    revisions: set[str] = field(factory=set[str])
    """Revisions that were checked against."""
    codes: dict[str, int] = field(factory=dict[str, int])
    """Number of notes by code."""
    unnamed: int = 0
    """Number of conversations, and of files with examples, that named no revision."""
    rejected: int = 0
    """Number of those that no revision accepts."""
    accepted: set[str] = field(factory=set[str])
    """Revisions that accept all of them."""

    @property
    def messages(self) -> int:
        """Number of messages, including those in batches, and of values of types."""
        return sum(count for kind, count in self.kinds.items() if kind != "batch")

    def add(self, finding: Finding) -> None:
        """Count a finding."""
        self.levels[finding.level] += 1
        if finding.level == "note":
            self.codes[finding.code] = self.codes.get(finding.code, 0) + 1

    def add_session(self, session: Session) -> None:
        """Add the counts of a finished session."""
        self.revisions.add(session.revision)
        for kind, count in session.counts.items():
            self.kinds[kind] += count

    def add_accepted(self, accepted: tuple[str, ...]) -> None:
        """Count a conversation that named no revision."""
        self.accepted = self.accepted & set(accepted) if self.unnamed else set(accepted)
        self.unnamed += 1
        self.rejected += not accepted


class Checker:
    """Checks the entries of one source."""

    def __init__(self, options: Options, tally: Tally) -> None:
        self._options = options
        self._tally = tally
        self._conversations: OrderedDict[tuple[str | None, str | None], Session | Detection] = OrderedDict()

    def findings(self, reads: Iterator[Read]) -> Iterator[Finding]:
        """Yield the findings about the entries of a source as they are read."""
        for each in reads:
            if isinstance(each, Finding):
                yield self._counted(each)
                continue
            for finding in self._check(each):
                yield self._counted(finding)
        while self._conversations:
            for finding in self._end_oldest():
                yield self._counted(finding)

    def _counted(self, finding: Finding) -> Finding:
        self._tally.add(finding)
        return finding

    def _check(self, entry: Entry) -> Iterator[Finding]:
        version = self._options.version
        if version == AUTO and entry.revision in catalog.revisions():
            assert entry.revision is not None
            version = entry.revision
        key = (entry.conversation, version)
        conversation = self._conversations.get(key)
        if conversation is None:
            conversation = self._conversations[key] = self._start(version)
            if len(self._conversations) > self._options.limits.conversations:
                yield from self._end_oldest()
        else:
            self._conversations.move_to_end(key)
        if isinstance(conversation, Session):
            yield from self._revision_conflict(entry, conversation)
        yield from conversation.check(entry)

    def _start(self, version: str) -> Session | Detection:
        return Detection(self._options) if version == AUTO else Session(version, self._options)

    def _end_oldest(self) -> Iterator[Finding]:
        """End the least recently active conversation."""
        _, conversation = self._conversations.popitem(last=False)
        yield from conversation.end()
        if isinstance(conversation, Session):
            self._tally.add_session(conversation)
            return
        for session in conversation.sessions:
            self._tally.add_session(session)
        if conversation.accepted is not None:
            self._tally.add_accepted(conversation.accepted)

    def _revision_conflict(self, entry: Entry, session: Session) -> Iterator[Finding]:
        """Yield a note if a conversation agrees on another revision than the one it is checked against."""
        value = entry.value
        if value.__class__ is not dict or entry.alone or entry.type is not None:
            return
        named = named_revision(value, session.answered_method(value, entry.sender))
        if named is not None and named.agreed and named.revision != session.revision:
            message = (
                f"the conversation agreed on {describe(named.revision)}, but is checked against {session.revision}"
            )
            yield Finding(entry.place, "note", "revision", "$", message, None)
