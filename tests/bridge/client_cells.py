"""The cells of the bridge on the client's side: every feature, with a server of one revision and a client of another.

The features are those of ``server_cells``, and so are the outcomes but for ``EXCEPTIONS``. Here the server uses its own
revision alone, and the client converts.
"""

from __future__ import annotations

from queue import Queue
from typing import Any

from bridge.server_cells import FEATURES, URI, Cell, Exceptional, Outcome
from bridge.server_cells import outcome as outcome_at_server
from support.revisions import HANDSHAKE, STATELESS
from support.scripted_peers import PATIENCE, text_of

EXCEPTIONS = (
    Exceptional(
        "resource updates",
        lambda server, client: server in STATELESS and client in HANDSHAKE,
        Outcome(
            "loss",
            "the client gets no error if it subscribes to an unknown resource, because the server acknowledges the "
            "subscription instead of refusing it",
        ),
    ),
)


def outcome(feature: str, server: str, client: str) -> Outcome:
    """Return the outcome of a cell if the client converts."""
    found = (each.outcome for each in EXCEPTIONS if each.feature == feature and each.applies(server, client))
    return next(found, None) or outcome_at_server(feature, server, client)


def check_updates(cell: Cell) -> None:
    """Check the updates of a server that acknowledges any URI."""
    if cell.outcome.kind != "loss":
        FEATURES["resource updates"](cell)
        return

    @cell.server.resource(URI)
    def note() -> str:
        return "noted"

    seen: Queue[Any] = Queue()
    with cell.connect(on_resource_updated=seen.put) as client:
        client.subscribe(f"{URI}s")
        client.subscribe(URI)
        cell.server.resources.updated(URI)
        assert seen.get(timeout=PATIENCE).uri == URI
        client.unsubscribe(URI)


def check_introductions(cell: Cell) -> None:
    """Check that the server knows the client, in the server's own revision."""

    @cell.server.handler(cell.mcp.methods.CALL_TOOL)
    def call(params: Any, context: Any) -> Any:
        assert isinstance(context.peer_info, cell.mcp.types.Implementation)
        assert isinstance(context.peer_capabilities, cell.mcp.types.ClientCapabilities)
        text = f"{context.peer_info.name} {context.peer_revision}"
        return cell.mcp.types.CallToolResult(content=[cell.mcp.types.TextContent(text=text)])

    with cell.connect(name="visitor") as client:
        assert text_of(client.call_tool("who")) == f"visitor {cell.mcp.REVISION}"
        assert client.server_info.name == "s"
        assert isinstance(client.server_capabilities, cell.client_mcp.types.ServerCapabilities)


CHECKS = {**FEATURES, "resource updates": check_updates, "names and capabilities of both sides": check_introductions}
