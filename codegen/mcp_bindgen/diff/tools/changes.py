"""The result of comparing two contracts: one ``ToolChange`` for each thing that differs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from attrs import field, frozen

FORMAT = "mcp-tools-diff/1"

ToolVerdict: TypeAlias = Literal["breaking", "undecided", "risky", "compatible"]

TOOL_VERDICTS: tuple[ToolVerdict, ...] = ("compatible", "risky", "undecided", "breaking")
"""From harmless to worst. ``undecided``: neither a proof nor a witness was found."""

Area: TypeAlias = Literal["offer", "arguments", "result", "wording"]
"""``offer``: whether something is offered at all, and how it is called. ``wording``: descriptions, titles, annotations and
other members that change no message, but what a model or a host chooses."""

AREAS: tuple[Area, ...] = ("offer", "arguments", "result", "wording")


@frozen
class ToolWitness:
    """A message that shows the effect of a change, checked by ``jsonschema`` against both sides."""

    sender: Literal["client", "server"]
    message: Mapping[str, Any] = field(hash=False)
    """The params of the request that a caller sends, or the result that a server returns."""


@frozen(kw_only=True)
class ToolChange:
    """One thing that differs between two contracts, judged for callers that were written for the old one."""

    id: str
    """The same in every run and unique in its document; approvals refer to it."""
    rule: str
    """The id of an entry in ``rules.TOOL_RULES``."""
    area: Area
    subject: str
    """The item, or the place in it: ``get_forecast``, ``get_forecast.arguments.days``, ``prompt greet``."""
    verdict: ToolVerdict
    old: str | None
    """JSON before; None if there was nothing."""
    new: str | None
    """JSON after; None if there is nothing."""
    reason: str
    hint: str | None = None
    witness: ToolWitness | None = None


@frozen
class ContractName:
    """One side of a comparison."""

    title: str
    """Name and version of the server, or the source."""
    source: str
    """File, command or URL."""
    revision: str | None


@frozen
class ToolsDifference:
    """All changes between two contracts, the worst first."""

    old: ContractName
    new: ContractName
    changes: tuple[ToolChange, ...]

    def numbers(self) -> dict[ToolVerdict, int]:
        """Return the number of changes of messages by verdict, the worst first."""
        found = [change.verdict for change in self.changes if change.area != "wording"]
        return {verdict: found.count(verdict) for verdict in reversed(TOOL_VERDICTS)}

    @property
    def rewordings(self) -> int:
        """The number of changes of descriptions and annotations."""
        return sum(change.area == "wording" for change in self.changes)
