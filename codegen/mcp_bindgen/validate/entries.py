"""Entries of a source: JSON values, each with its place and what the source says about it."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from attrs import field, frozen

from mcp_bindgen.validate.findings import Finding, Place

Json: TypeAlias = Any
Path: TypeAlias = tuple[str | int, ...]
"""Keys and indices from the top of a value."""
Side: TypeAlias = Literal["client", "server"]


@frozen
class Entry:
    """One JSON value of a source, most often a message."""

    place: Place
    value: Json
    sender: Side | None = None
    """Sender, if the log names it."""
    type: str | None = None
    """Type according to ``--type`` or the name of its folder; None for a message."""
    heading: str | None = field(default=None, kw_only=True)
    """Type named by the heading above an example, if a revision has a type of that name."""
    revision: str | None = None
    """Revision according to the path of a document; None for that of the run."""
    alone: bool = False
    """Whether it is a standalone example and not part of a conversation: its ids mean nothing elsewhere."""
    request: str | None = None
    """For a response in a document, the method of the request that it answers, determined by ``markdown.pair``. If None, its
    result is checked as the type that ``fragments.match_result`` finds. Ids repeat in a document, so this is a guess, which
    ``fragments.may_answer`` can refute."""
    omits: frozenset[str] = frozenset()
    """Names of members that the document says its examples omit: one of them missing is at most a note."""
    whole: bool = False
    """Whether it is known to be a message; other standalone values may also be parts of one."""
    inside: Path = ()
    """Path in the JSON text of its place, if that contains several entries: ``(3,)`` in an array of recorded messages."""
    word: str | None = None
    """The log's word for the direction, if it names no side: ``send``, ``in``."""
    conversation: str | None = None
    """Name of its conversation, if the log has several: a server, a session."""


Read: TypeAlias = "Entry | Finding"
"""A value to check, or a finding about a part of the source that is not one."""
