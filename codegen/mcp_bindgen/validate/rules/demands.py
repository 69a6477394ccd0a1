"""Answers of 2026-07-28 that ask for input, and which requests may bring it.

The client makes its request again, with the inputs. Which request is such a repetition of which can be told only
roughly, by its method and the tool, prompt or resource that it names. So each repetition has candidates, and is at fault
only if it is at fault whichever of them it belongs to.
"""

from __future__ import annotations

from typing import TypeAlias

from attrs import frozen

from mcp_bindgen.validate.entries import Json
from mcp_bindgen.validate.rules import reading
from mcp_bindgen.validate.rules.reading import Identity
from mcp_bindgen.validate.rules.recent import Recent

_MOST_REMEMBERED = 1_000
"""Each is remembered with all that it asks, so fewer than of other things."""

Subject: TypeAlias = tuple[str, str | None]
"""A method, and what it names."""


@frozen(eq=False)
class Demand:
    """An answer that asks for input."""

    subject: Subject
    id: Identity | None
    """Of the request that it answers."""
    state: str | None
    """Its ``requestState``; None without one."""
    inputs: dict[str, Json]
    """Its ``inputRequests``."""


class Demands:
    """Those of one conversation."""

    def __init__(self) -> None:
        self.forgetful = False
        """There may be more than are remembered."""
        self._demands: Recent[int, Demand] = Recent(_MOST_REMEMBERED)
        self._count = 0

    def record(self, answer: Json, request: Json) -> None:
        """Remembers an answer, if it asks for input."""
        result = reading.fields(reading.member(answer, "result"))
        if result.get("resultType") != "input_required":
            return
        method = reading.text(reading.member(request, "method"))
        if method is None:
            self.forgetful = True
            return
        self._count += 1
        self._demands.put(
            self._count,
            Demand(
                subject(method, reading.fields(reading.member(request, "params"))),
                reading.identity(reading.member(answer, "id")),
                reading.text(result.get("requestState")),
                reading.fields(result.get("inputRequests")),
            ),
        )
        self.forgetful = self.forgetful or self._demands.forgetful

    def about(self, wanted: Subject) -> list[Demand]:
        """Those that a request of that method and name may be the repetition for, oldest first."""
        return [demand for demand in self._demands.values() if demand.subject == wanted]

    def with_state(self, state: str) -> list[Demand]:
        """Those that have a state, whatever they are about, oldest first."""
        return [demand for demand in self._demands.values() if demand.state == state]


def subject(method: str | None, params: dict[str, Json]) -> Subject:
    """What a request is about."""
    named = params.get("uri") if method == "resources/read" else params.get("name")
    return method or "", reading.text(named)
