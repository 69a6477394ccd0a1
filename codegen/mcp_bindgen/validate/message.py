"""One message as part of a conversation: what the rules of the specification's prose look at."""

from __future__ import annotations

from typing import Literal, TypeAlias

from attrs import frozen

from mcp_bindgen.validate.entries import Json, Side
from mcp_bindgen.validate.findings import Place

Kind: TypeAlias = Literal["request", "notification", "result", "error"]


@frozen
class Message:
    """A message that is right by the schema, or nearly so: it is an object of one of the four kinds."""

    place: Place
    revision: str
    kind: Kind
    value: dict[str, Json]
    """The whole message as JSON; parts of it may be wrong by the schema."""
    path: str = "$"
    """Where it stands in what was sent: ``$``, or ``$[3]`` in a batch."""
    sender: Side | None = None
    """Who sent it, said by the log or worked out from the method; None where neither says."""
    method: str | None = None
    """That of the request or notification; for a response, of the request that it answers. None where unknown."""
    request: dict[str, Json] | None = None
    """For a response, the request that it answers, where that was seen and is still known."""
    batch: bool = False
    """It was sent as part of a batch. The path does not say so: a recording may be an array, too."""
