"""Gathers what is wrong with a schema, so that one run says all of it."""

from __future__ import annotations

from mcp_bindgen.errors import Fault, SchemaError
from mcp_bindgen.ir.types import Position


class Faults:
    """The faults found so far. The same fault, met again by another way, counts once."""

    def __init__(self) -> None:
        self._found: dict[Fault, None] = {}

    def add(self, position: Position, message: str) -> None:
        """Note a fault and go on."""
        self._found[Fault(position, message)] = None

    def check(self) -> None:
        """Stop here if anything was found."""
        if self._found:
            raise SchemaError(list(self._found))
