"""A range of revisions: the form in which rules, overrides and facts say for which revisions they hold."""

from __future__ import annotations

import re

from attrs import field, frozen

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def _date(_instance: object, attribute: object, value: str | None) -> None:
    if value is not None and not _DATE.fullmatch(value):
        name = getattr(attribute, "name", "revision")
        message = f"{name} must be the date of a revision such as '2025-06-18', got {value!r}"
        raise ValueError(message)


@frozen
class RevisionRange:
    """Revisions from ``since`` to ``until``, both included. Dates of revisions order as text.

    Without ``until`` the range is open: a revision that is added later belongs to it.
    """

    since: str | None = field(default=None, validator=_date)
    """The first revision; None for the first that there is."""
    until: str | None = field(default=None, validator=_date)
    """The last revision; None if the range is open."""

    def __attrs_post_init__(self) -> None:
        """Raise ``ValueError`` for a range that is empty."""
        if self.since is not None and self.until is not None and self.since > self.until:
            message = f"since must not be later than until, got {self.since!r} and {self.until!r}"
            raise ValueError(message)

    def __contains__(self, revision: str) -> bool:
        """Return whether a revision belongs to the range."""
        return (self.since is None or self.since <= revision) and (self.until is None or revision <= self.until)

    def __str__(self) -> str:
        """Return the range in words: ``2025-06-18 and later``, ``until 2025-11-25``, ``all revisions``."""
        if self.since is None:
            return "all revisions" if self.until is None else f"until {self.until}"
        if self.until is None:
            return f"{self.since} and later"
        return self.since if self.since == self.until else f"{self.since} to {self.until}"
