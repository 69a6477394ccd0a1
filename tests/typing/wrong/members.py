"""Uses of members that a type checker refuses; the comment says with which error."""

from typing import assert_never

from mcp_bindings import v2025_06_18 as mcp
from mcp_bindings import v2025_11_25


def text_of(block: mcp.ContentBlock) -> str:
    return block.text  # E: union-attr # P: reportAttributeAccessIssue


def size_of(block: mcp.ContentBlock) -> int:
    if block.type == "text":
        return block.size  # E: attr-defined # P: reportAttributeAccessIssue
    return 0


def forgets_one(block: mcp.TextContent | mcp.ImageContent) -> int:
    if block.type == "text":
        return 1
    assert_never(block)  # E: arg-type # P: reportArgumentType


def id_may_be_absent(reply: v2025_11_25.JSONRPCErrorResponse) -> str | int | None:
    return reply.id  # E: return-value # P: reportReturnType


def title_may_be_absent(tool: mcp.Tool) -> int:
    return len(tool.title)  # E: arg-type # P: reportArgumentType


def misspelt(tool: mcp.Tool) -> None:
    tool.titel = "Add"  # E: attr-defined # P: reportAttributeAccessIssue
    tool.inputSchema  # E: attr-defined # P: reportAttributeAccessIssue
