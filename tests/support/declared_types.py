"""Declared types of a revision, with their entries in the type tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_bindgen.ir.protocol import Protocol
    from mcp_bindgen.validate.tables import Tables


def declared(known: Tables, protocol: Protocol) -> Iterator[tuple[str, Any]]:
    """Yield the name and shape of each type, except for undecidable unions."""
    for name in known.objects:
        if name in protocol.objects:
            yield name, ("class", name)
    for name, shape in known.aliases.items():
        if "undecidable" not in str(shape) and (name in protocol.aliases or name in protocol.objects):
            yield name, ("alias", name)
