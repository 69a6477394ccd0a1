"""Server of the official Python SDK, over stdio, with progress, log messages, elicitation and failures."""

from typing import Annotated, Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.resolve import Elicit, ListRoots, Resolve
from pydantic import BaseModel

server = MCPServer("theirs", instructions="It is theirs.")


class Who(BaseModel):
    name: str
    age: int = 3


class Sum(BaseModel):
    value: int


@server.tool()
def add(a: int, b: int = 1) -> Sum:
    """Add two numbers."""
    return Sum(value=a + b)


@server.tool()
async def count(context: Context) -> str:
    for number in range(1, 4):
        await context.report_progress(number, 3)
    return "counted"


def who() -> Elicit[Who]:
    return Elicit("Who are you?", Who)


def where() -> ListRoots:
    return ListRoots()


@server.tool()
def ask(who: Annotated[Who, Resolve(who)], where: Annotated[Any, Resolve(where)]) -> str:
    return f"{who.name} is {who.age}, at {where.roots[0].uri}"


@server.tool()
def fail() -> str:
    message = "no luck"
    raise ValueError(message)


@server.resource("note://{name}")
def note(name: str) -> str:
    return f"A note on {name}."


@server.resource("note://first", mime_type="text/plain")
def first() -> str:
    return "The first note."


@server.prompt()
def greet(who: str) -> str:
    return f"Say hello to {who}."


server.run("stdio")
