"""The span of bundled revisions in which a subject exists."""

from __future__ import annotations

from functools import cache

from attrs import frozen

from mcp_bindgen import catalog
from mcp_bindgen.describe.lookup import Lookup, Subject


@frozen
class Span:
    """The bundled revisions that have a subject, and all bundled ones."""

    having: tuple[str, ...]
    bundled: tuple[str, ...]
    names: tuple[tuple[str, str], ...] = ()
    """Names of the subject in other revisions, each with the revisions in words: ``until 2025-06-18``."""
    is_still_allowed: bool = False
    """The revision after the last one still allows a field that it no longer declares."""

    @property
    def words(self) -> str:
        """The span in words: ``2025-06-18 and later``, ``2024-11-05 to 2025-11-25``, ``all revisions``."""
        return "; ".join([self._range, *(f"{name} {when}" for name, when in self.names)])

    @property
    def _range(self) -> str:
        if self.having == self.bundled:
            return f"all revisions ({self.bundled[0]} to {self.bundled[-1]})"
        if not self.having:
            return "no bundled revision"
        first, last = self.having[0], self.having[-1]
        start, stop = self.bundled.index(first), self.bundled.index(last) + 1
        if self.having != self.bundled[start:stop]:
            return ", ".join(self.having)
        if last == self.bundled[-1]:
            return f"{first} only" if first == last else f"{first} and later"
        gone = f"{'no longer declared' if self.is_still_allowed else 'removed'} in {self.bundled[stop]}"
        return f"{first} only, {gone}" if first == last else f"{first} to {last}, {gone}"


@cache
def lookup(revision: str) -> Lookup:
    """Return the names of a bundled revision."""
    return Lookup(catalog.load(revision))


def span_of(subject: Subject) -> Span:
    """Return the span of a subject, by its wire name."""
    bundled = catalog.revisions()
    return Span(tuple(revision for revision in bundled if lookup(revision).has(subject)), bundled)


def newest_with(query: str) -> tuple[str, Subject] | None:
    """Return the newest bundled revision that has a subject for a query, with that subject."""
    for revision in reversed(catalog.revisions()):
        subject = lookup(revision).find(query)
        if subject is not None:
            return revision, subject
    return None


def revisions_with(query: str) -> list[str]:
    """Return the bundled revisions that have a subject for a query."""
    return [revision for revision in catalog.revisions() if lookup(revision).find(query) is not None]


def first_with_member(owner: str, key: str) -> str | None:
    """Return the first bundled revision in which a type has a field."""
    for revision in catalog.revisions():
        declared = lookup(revision).protocol.objects.get(owner)
        if declared is not None and any(member.name == key for member in declared.fields):
            return revision
    return None


def former_members(owner: str, revision: str) -> list[tuple[str, str]]:
    """Return the fields that a type lost before ``revision``, each with the last bundled revision that has it."""
    earlier = [other for other in catalog.revisions() if other < revision]
    now = lookup(revision).protocol.objects.get(owner)
    if now is None:
        return []
    present = {member.name for member in now.fields}
    lost: dict[str, str] = {}
    for other in earlier:
        declared = lookup(other).protocol.objects.get(owner)
        for member in declared.fields if declared else ():
            if member.name not in present:
                lost[member.name] = other
    return sorted(lost.items())
