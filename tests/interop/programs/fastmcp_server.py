"""Server of FastMCP, over stdio."""

from typing import Literal

from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError

server = FastMCP("fast", instructions="It is fast.")


@server.tool
def paint(colour: Literal["red", "green"], strokes: list[int]) -> dict[str, str | int]:
    """Paint something."""
    return {"colour": colour, "strokes": sum(strokes)}


@server.tool
async def count(context: Context) -> str:
    """Count to three."""
    for number in range(1, 4):
        await context.report_progress(number, 3)
    await context.info("counted to three")
    return "counted"


@server.tool
def fail() -> str:
    """Fail."""
    message = "no luck"
    raise ToolError(message)


@server.resource("note://first")
def first() -> str:
    """The first note."""
    return "The first note."


@server.prompt
def greet(who: str) -> str:
    """Greet somebody."""
    return f"Say hello to {who}."


server.run(transport="stdio", show_banner=False)
