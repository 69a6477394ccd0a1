"""Server of release 1 of the official Python SDK, over stdio: it knows the revisions with a handshake alone."""

from mcp.server.fastmcp import Context, FastMCP
from mcp.types import SamplingMessage, TextContent
from pydantic import BaseModel

server = FastMCP("theirs", instructions="It is theirs.")


class Who(BaseModel):
    name: str


class Sum(BaseModel):
    value: int


@server.tool()
def add(a: int, b: int = 1) -> Sum:
    """Add two numbers."""
    return Sum(value=a + b)


@server.tool()
async def count(ctx: Context) -> str:
    for number in range(1, 4):
        await ctx.report_progress(number, 3)
    return "counted"


@server.tool()
async def ask(ctx: Context) -> str:
    answer = await ctx.elicit("Who are you?", Who)
    roots = await ctx.session.list_roots()
    message = SamplingMessage(role="user", content=TextContent(type="text", text="Where?"))
    sample = await ctx.session.create_message([message], max_tokens=10)
    return f"{answer.data.name}, at {roots.roots[0].uri}, in {sample.content.text}"


@server.tool()
def fail() -> str:
    message = "no luck"
    raise ValueError(message)


@server.resource("note://{name}")
def note(name: str) -> str:
    return f"A note on {name}."


@server.prompt()
def greet(who: str) -> str:
    return f"Say hello to {who}."


server.run("stdio")
