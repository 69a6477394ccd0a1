"""The report of a run: its findings as they are made, and their counts."""

from __future__ import annotations

from collections.abc import Iterator

from mcp_bindgen.validate.checker import Tally
from mcp_bindgen.validate.findings import Finding

_SHOWN = 20
"""Number of findings that `str` of a report shows."""


class Report(Iterator[Finding]):
    """The findings of a run, each of them once, in order; sources are read lazily.

    ``ok`` and the counts first finish the run. Findings that are iterated over are not kept: use ``list(report)`` to
    keep them. ``str()`` returns the summary and the first errors and broken rules.
    """

    def __init__(self, findings: Iterator[Finding], tally: Tally, failures: list[str]) -> None:
        self._findings = findings
        self._tally = tally
        self._failures = failures
        self._first: list[Finding] = []

    def __next__(self) -> Finding:
        finding = next(self._findings)
        if len(self._first) < _SHOWN and finding.level != "note":
            self._first.append(finding)
        return finding

    @property
    def ok(self) -> bool:
        """Whether there is no error, no broken rule and no unreadable source."""
        return not (self.errors or self.rules or self.failures)

    @property
    def errors(self) -> int:
        """Number of errors."""
        return self._finished().levels["error"]

    @property
    def rules(self) -> int:
        """Number of broken rules of the specification's prose; 0 unless rules are checked."""
        return self._finished().levels["rule"]

    @property
    def notes(self) -> int:
        """Number of notes about what could not be checked."""
        return self._finished().levels["note"]

    @property
    def remarks(self) -> dict[str, int]:
        """Number of notes by code, the most frequent first."""
        return dict(sorted(self._finished().codes.items(), key=lambda pair: (-pair[1], pair[0])))

    @property
    def messages(self) -> int:
        """Number of messages and values of types that were checked."""
        return self._finished().messages

    @property
    def kinds(self) -> dict[str, int]:
        """Number of messages by kind: request, notification, result, error, batch, value or unknown."""
        return {str(kind): count for kind, count in self._finished().kinds.items()}

    @property
    def revisions(self) -> tuple[str, ...]:
        """The revisions that were checked against; if none was named, the one with the fewest errors."""
        return tuple(sorted(self._finished().revisions))

    @property
    def accepted(self) -> tuple[str, ...] | None:
        """The revisions that accept everything that names no revision; None if every conversation named one."""
        tally = self._finished()
        return tuple(sorted(tally.accepted)) if tally.unnamed else None

    @property
    def failures(self) -> tuple[str, ...]:
        """Error messages about sources that could not be read."""
        self._finished()
        return tuple(self._failures)

    def _finished(self) -> Tally:
        for _ in self:
            pass
        return self._tally

    def summary(self) -> str:
        """Return one line of summary: ``3 errors, 1 rule in 120 messages (2025-06-18)``."""
        tally = self._finished()
        wrong = [_count(self.errors, "error")] if self.errors else []
        wrong += [_count(self.rules, "rule")] if self.rules else []
        notes = [_count(self.notes, "note")] if self.notes else []
        found = ", ".join((wrong or ["no errors"]) + notes)
        if not tally.messages:
            return f"{found}; no messages found"
        noun = "value" if tally.messages == tally.kinds["value"] else "message"
        return f"{found} in {_count(tally.messages, noun)} ({', '.join(self.revisions)})"

    def unnamed(self) -> str | None:
        """Return one line about messages that name no revision; None if every conversation named one."""
        tally = self._finished()
        if not tally.unnamed:
            return None
        what = (
            "the conversation names no revision"
            if tally.unnamed == 1
            else f"{tally.unnamed} conversations name no revision"
        )
        if tally.unnamed == 1 and tally.rejected:
            return f"{what}, and no revision accepts it; {self.revisions[-1]} matches best"
        if tally.accepted:
            return f"{what}; accepted by {', '.join(sorted(tally.accepted))}"
        rejected = f"; no revision accepts {tally.rejected} of them" if tally.rejected else ""
        return f"{what}, and no revision accepts all of them{rejected}"

    def __str__(self) -> str:
        summary = self.summary()
        more = self.errors + self.rules - len(self._first)
        shown = [str(finding) for finding in self._first] + ([f"… and {more} more"] if more > 0 else [])
        return "\n".join([summary, *self._failures, *shown])


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
