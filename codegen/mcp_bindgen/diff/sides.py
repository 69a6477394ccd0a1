"""The two sides of a connection."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from mcp_bindgen.ir.protocol import Side

SIDES: tuple[Side, ...] = ("client", "server")


def in_order(sides: Iterable[Side]) -> tuple[Side, ...]:
    """Return some sides without duplicates, always in the same order."""
    found = set(sides)
    return tuple(side for side in SIDES if side in found)


def sides_text(sides: Collection[Side]) -> str:
    """Return ``client``, ``server`` or ``client and server``."""
    return " and ".join(in_order(sides))
