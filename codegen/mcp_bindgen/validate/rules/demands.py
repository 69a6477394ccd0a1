"""Answers of 2026-07-28 that ask for input, and which requests may bring it.

The client makes its request again, with the inputs. Which request is such a repetition of which can be told only
roughly, by its method and the tool, prompt or resource that it names. So each repetition has candidates, and is at fault
only if it is at fault whichever of them it belongs to.
"""

from __future__ import annotations

from typing import TypeAlias

from attrs import frozen

from mcp_bindgen.validate.entries import Json
from mcp_bindgen.validate.rules import json_access
from mcp_bindgen.validate.rules.bounded_map import BoundedMap
from mcp_bindgen.validate.rules.json_access import Identity

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
        self.has_dropped = False
        """There may be more than are remembered."""
        self._demands: BoundedMap[int, Demand] = BoundedMap(_MOST_REMEMBERED)
        self._count = 0

    def record(self, answer: Json, request: Json) -> None:
        """Remembers an answer, if it asks for input."""
        result = json_access.fields(json_access.member(answer, "result"))
        if result.get("resultType") != "input_required":
            return
        method = json_access.text(json_access.member(request, "method"))
        if method is None:
            self.has_dropped = True
            return
        self._count += 1
        self._demands.put(
            self._count,
            Demand(
                subject(method, json_access.fields(json_access.member(request, "params"))),
                json_access.identity(json_access.member(answer, "id")),
                json_access.text(result.get("requestState")),
                json_access.fields(result.get("inputRequests")),
            ),
        )
        self.has_dropped = self.has_dropped or self._demands.has_dropped

    def about(self, wanted: Subject) -> list[Demand]:
        """Those that a request of that method and name may be the repetition for, oldest first."""
        return [demand for demand in self._demands.values() if demand.subject == wanted]

    def with_state(self, state: str) -> list[Demand]:
        """Those that have a state, whatever they are about, oldest first."""
        return [demand for demand in self._demands.values() if demand.state == state]


def subject(method: str | None, params: dict[str, Json]) -> Subject:
    """What a request is about."""
    named = params.get("uri") if method == "resources/read" else params.get("name")
    return method or "", json_access.text(named)
