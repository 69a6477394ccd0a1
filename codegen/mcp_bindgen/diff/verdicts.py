"""From what a change does to messages to what it means for the two pairings of peers."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve

from mcp_bindgen.diff.changes import PAIRINGS, Pairing, Verdict, Verdicts, worst
from mcp_bindgen.diff.rules import HARMLESS, Weights
from mcp_bindgen.ir.protocol import Side


def within(by_side: Mapping[Side, Weights], pairing: Pairing) -> dict[Side, Weights]:
    """What of all this happens in one pairing, in which the old peer sends to the new one, and that sends back."""
    old = "client" if pairing == "old_client_new_server" else "server"
    found: dict[Side, Weights] = {}
    for side, weights in by_side.items():
        left = evolve(weights, new_to_old="compatible") if side == old else evolve(weights, old_to_new="compatible")
        if left != HARMLESS:
            found[side] = left
    return found


def judged(by_side: Mapping[Side, Weights], api: Verdict) -> Verdicts:
    """The verdicts, given what the change does to the messages of each side that sends them."""
    return Verdicts(_worst(within(by_side, PAIRINGS[0])), _worst(within(by_side, PAIRINGS[1])), api)


def _worst(by_side: Mapping[Side, Weights]) -> Verdict:
    found: list[Verdict] = [verdict for each in by_side.values() for verdict in (each.old_to_new, each.new_to_old)]
    return worst(*found)
