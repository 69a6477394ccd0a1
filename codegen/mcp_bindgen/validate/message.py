"""Messages of a conversation, as the rules of the specification's prose check them."""

from __future__ import annotations

from typing import Literal, TypeAlias

from attrs import frozen

from mcp_bindgen.validate.entries import Json, Side
from mcp_bindgen.validate.findings import Place

Kind: TypeAlias = Literal["request", "notification", "result", "error"]


@frozen
class Message:
    """A message of one of the four kinds; parts of it may violate the schema."""

    place: Place
    revision: str
    kind: Kind
    value: dict[str, Json]
    """The whole message as JSON."""
    path: str = "$"
    """Path in what was sent: ``$``, or ``$[3]`` in a batch."""
    sender: Side | None = None
    """Sender according to the log or the method; None if unknown."""
    method: str | None = None
    """Method of the request or notification; for a response, of the request that it answers. None if unknown."""
    request: dict[str, Json] | None = None
    """For a response, the request that it answers, if that was seen and is still known."""
    batch: bool = False
    """Whether it was sent in a batch. The path does not show it, since a recording may be an array, too."""
