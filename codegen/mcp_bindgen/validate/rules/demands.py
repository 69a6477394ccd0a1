"""Results of 2026-07-28 that request input.

The client repeats its request with the inputs. The request that it repeats is known only approximately, by its method
and the tool, prompt or resource that it names. Each repetition therefore has candidates, and breaks a rule only if it
does so for all of them.
"""

from __future__ import annotations

from typing import TypeAlias

from attrs import frozen

from mcp_bindgen.validate.entries import Json
from mcp_bindgen.validate.rules import json_access
from mcp_bindgen.validate.rules.bounded_map import BoundedMap
from mcp_bindgen.validate.rules.json_access import Identity

_MOST_REMEMBERED = 1_000
"""Maximum number of remembered results, lower than that of other things as each holds its input requests."""

Subject: TypeAlias = tuple[str, str | None]
"""A method, and the tool, prompt or resource named by the params."""


@frozen(eq=False)
class Demand:
    """A result that requests input."""

    subject: Subject
    id: Identity | None
    """Id of the request that the result answers."""
    state: str | None
    """Its ``requestState``, or None."""
    inputs: dict[str, Json]
    """Its ``inputRequests``."""


class Demands:
    """The results of one conversation that request input."""

    def __init__(self) -> None:
        self.has_dropped = False
        """Whether there may be more than are remembered."""
        self._demands: BoundedMap[int, Demand] = BoundedMap(_MOST_REMEMBERED)
        self._count = 0

    def record(self, answer: Json, request: Json) -> None:
        """Record a response if it requests input."""
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
        """Return those that a request with that subject may continue, oldest first."""
        return [demand for demand in self._demands.values() if demand.subject == wanted]

    def with_state(self, state: str) -> list[Demand]:
        """Return those with that state and any subject, oldest first."""
        return [demand for demand in self._demands.values() if demand.state == state]


def subject(method: str | None, params: dict[str, Json]) -> Subject:
    """Return the subject of a request."""
    named = params.get("uri") if method == "resources/read" else params.get("name")
    return method or "", json_access.text(named)
