"""From what a change does to messages to what it means for the two pairings of peers."""

from __future__ import annotations

from collections.abc import Mapping

from mcp_bindgen.diff.changes import Verdict, Verdicts, worst
from mcp_bindgen.diff.rules import Weights
from mcp_bindgen.ir.protocol import Side


def judged(by_side: Mapping[Side, Weights], api: Verdict) -> Verdicts:
    """The verdicts, given what the change does to the messages of each side that sends them.

    What an old client sends to a new server is judged in the same pairing as what that server sends back.
    """
    client, server = by_side.get("client"), by_side.get("server")
    old_client_new_server: list[Verdict] = []
    new_client_old_server: list[Verdict] = []
    if client is not None:
        old_client_new_server.append(client.old_to_new)
        new_client_old_server.append(client.new_to_old)
    if server is not None:
        old_client_new_server.append(server.new_to_old)
        new_client_old_server.append(server.old_to_new)
    return Verdicts(worst(*old_client_new_server), worst(*new_client_old_server), api)
