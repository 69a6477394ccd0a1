"""Messages and results converted between revisions, with the ledger."""

from typing import Any, assert_type

from mcp_bindings import bridge

call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "add"}}

converted = bridge.convert(call, to="2024-11-05", from_="2025-11-25")
assert_type(converted, bridge.Converted)
assert_type(converted.messages, tuple[Any, ...])
assert_type(converted.ledger, tuple[bridge.LedgerEntry, ...])


def losses(ledger: tuple[bridge.LedgerEntry, ...]) -> list[str]:
    return [f"{entry.pointer}: {entry.why} ({entry.section})" for entry in ledger if entry.is_loss]


side: bridge.Side = "client"
capabilities = bridge.convert_capabilities({"tasks": {}}, of=side, to="2025-06-18", from_="2025-11-25")
result = bridge.convert_result({"content": []}, method="tools/call", to="2026-07-28", from_=bridge.REVISIONS[0])
print(losses(converted.ledger + capabilities.ledger), result.value)
