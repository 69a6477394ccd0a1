"""The faults of a schema, collected so that one run reports all of them."""

from __future__ import annotations

from mcp_bindgen.errors import Fault, SchemaError
from mcp_bindgen.ir.types import Position


class Faults:
    """The faults found so far; equal faults count once."""

    def __init__(self) -> None:
        self._found: dict[Fault, None] = {}

    def add(self, position: Position, message: str) -> None:
        """Record a fault."""
        self._found[Fault(position, message)] = None

    def check(self) -> None:
        """Raise ``SchemaError`` if there are faults."""
        if self._found:
            raise SchemaError(list(self._found))
