"""One side of one revision as a sender, and the other side of the other revision as its receiver."""

from __future__ import annotations

from functools import cached_property

from mcp_bindgen.diff.witnesses.value_generator import Filler
from mcp_bindgen.diff.witnesses.message_checker import Reader
from mcp_bindgen.diff.witnesses.routes import Route, Start, routes, starts
from mcp_bindgen.ir.protocol import Protocol, Side


class Direction:
    """Who sends to whom, and where the types of both are in the messages."""

    def __init__(self, side: Side, sending: Protocol, receiving: Protocol) -> None:
        self.side: Side = side
        self.sending, self.receiving = sending, receiving
        self.sender, self.receiver = Reader(sending, sending=True), Reader(receiving)
        self.filler, self.receiving_filler = (Filler(each, sending.revision) for each in (sending, receiving))

    @cached_property
    def starts(self) -> list[Start]:
        """The messages that the receiver expects of the sender."""
        return list(starts(self.sending, self.receiving, self.side))

    @cached_property
    def routes(self) -> dict[str, list[Route]]:
        """The ways to each type, by its names in both revisions."""
        found: dict[str, list[Route]] = {}
        for start in self.starts:
            for route in routes(self.sending, self.receiving, start):
                for name in route.names():
                    found.setdefault(name, []).append(route)
        return found
