"""Titles and labels of the page."""

from __future__ import annotations

from mcp_bindgen.diff.changes import Change, Verdict

LEVELS: tuple[Verdict, ...] = ("breaking", "risky", "compatible")
"""The worst first."""

PAIRINGS = {
    "old_client_new_server": ("Old client, new server", "old client", "new server"),
    "new_client_old_server": ("New client, old server", "new client", "old server"),
    "api": ("Code written for the old types", "code for", "the old types"),
}
"""By verdict: a title, and the same in two short lines."""

IN_NO_MESSAGE = "-"
"""The value that stands for a method if a change is in the messages of none."""


def verdict_of(change: Change, pairing: str) -> Verdict:
    """Return a verdict of a change, by its name in ``PAIRINGS``."""
    match pairing:
        case "old_client_new_server":
            return change.verdicts.old_client_new_server
        case "new_client_old_server":
            return change.verdicts.new_client_old_server
        case _:
            return change.verdicts.api
