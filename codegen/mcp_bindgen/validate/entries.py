"""What a source holds: JSON values, each with its place and what is known about it before it is looked at."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from attrs import field, frozen

from mcp_bindgen.validate.findings import Finding, Place

Json: TypeAlias = Any
Path: TypeAlias = tuple[str | int, ...]
"""Keys and indices, from the top of a value."""
Side: TypeAlias = Literal["client", "server"]


@frozen
class Entry:
    """One JSON value of a source, most often a message."""

    place: Place
    value: Json
    sender: Side | None = None
    """Who sent it, where the log says so."""
    type: str | None = None
    """The type it is said to be of, by ``--type`` or the name of its folder; None: a message."""
    heading: str | None = field(default=None, kw_only=True)
    """The type that the heading above an example names, if a revision has a type of that name."""
    revision: str | None = None
    """The revision it is said to be of, by the path of a document; None: that of the run."""
    alone: bool = False
    """It is an example of its own rather than a part of a conversation: ids mean nothing beyond it."""
    request: str | None = None
    """For a response of a document, the method of the request that it answers, worked out by ``markdown.pair``; None:
    nothing said it, so that its result is only as good as ``fragments.match_result`` finds. Ids repeat in a document, so
    this is a guess, which ``fragments.answers`` can tell to be wrong."""
    omits: frozenset[str] = frozenset()
    """Names of members that the document says its examples leave out: where one of them, or a part of one, is missing, that
    is meant, and worth a note at most."""
    whole: bool = False
    """It is said to be a message; what stands alone otherwise may be a part of one, too."""
    inside: Path = ()
    """Where it lies in the JSON text of its place, where that holds several: ``(3,)`` in an array that records messages."""
    word: str | None = None
    """What the log calls its direction, where that depends on who wrote the log: ``send``, ``in``."""
    conversation: str | None = None
    """Which of several conversations it belongs to, where the log names them: a server, a session."""


Read: TypeAlias = "Entry | Finding"
"""What a reader gives: a value to check, or what is to be said about a part of the source that is none."""
