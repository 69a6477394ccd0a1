"""Decorated functions keep their types, and the decorators take what their revision declares."""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Annotated, Any, assert_type

from mcp_bindings import v2024_11_05, v2025_06_18, v2025_11_25, v2026_07_28


@dataclass
class Weather:
    temperature: float


server = v2025_11_25.Server("weather", "1.0")


@server.tool
def add(a: int, b: Annotated[int, "what to add", v2025_11_25.Keywords(minimum=0)] = 1) -> int:
    """Add two numbers."""
    return a + b


assert_type(add(1, b=2), int)


@server.tool(
    name="forecast",
    title="The weather",
    annotations=v2025_11_25.ToolAnnotations(read_only_hint=True),
    execution=v2025_11_25.ToolExecution(task_support="forbidden"),
    icons=[v2025_11_25.Icon(src="https://a.example/icon.png")],
    meta={"acme/x": 1},
    timeout=10,
)
def weather(city: str, context: v2025_11_25.Context) -> Weather:
    if context.cancelled:
        text = "it is not wanted any more"
        raise v2025_11_25.ToolError(text)
    return Weather(20.0 if city == "Rome" else 10.0)


forecast: Callable[[str, v2025_11_25.Context], Weather] = weather


@server.tool(input_schema={"type": "object"}, check=False)
def steps(**_: object) -> Generator[float, None, list[v2025_11_25.Image]]:
    yield 0.5
    return [v2025_11_25.Image(b"\x89PNG\r\n\x1a\n")]


@server.prompt
def repeat(code: str) -> Any:
    return code


@server.completion(prompt="repeat", argument="code")
def codes(typed: str) -> Any:
    return [typed]


assert_type(repeat("a"), Any)
unknown: Callable[..., Any] = add
server.prompt(name="again")(unknown)
server.prompt(name="once more")(unknown)


server.tools.add(lambda: None, "nothing")
server.tools.remove("nothing")

with v2025_11_25.Client.in_memory(server) as client:
    assert [tool.name for tool in client.list_tools()] == ["add", "forecast", "steps"]
    assert client.call_tool("add", {"a": 1}).content == [v2025_11_25.TextContent(text="2")]
    assert client.call_tool("forecast", {"city": "Rome"}).structured_content == {"temperature": 20.0}
    assert isinstance(client.call_tool("steps").content[0], v2025_11_25.ImageContent)

early = v2024_11_05.Server("early", "1.0")
stateless = v2026_07_28.Server("stateless", "1.0")


@early.tool(description="Says it back.")
@stateless.tool(title="Echo")
def echo(text: str) -> str:
    return text


assert_type(echo("x"), str)


@server.tool
def lend(context: v2025_11_25.Context) -> float:
    answer = context.elicit_form("What is it like?", Weather)
    if isinstance(answer, v2025_11_25.Accepted):
        return assert_type(answer.value, Weather).temperature
    assert_type(answer, v2025_11_25.Declined | v2025_11_25.Cancelled)
    return 0.0


def resources(one: v2025_06_18.Server) -> None:
    @one.resource("config://app", mime_type="text/plain", size=3)
    def config() -> str:
        return "a=b"

    @one.resource_template("users://{user}/profile", title="Profile")
    def profile(user: str) -> bytes:
        return user.encode()

    @one.prompt
    def bare(topic: str) -> str:
        return topic

    @one.prompt(title="Review", description="Looks at code.")
    def review(code: str) -> list[str]:
        return [code]

    @one.completion(prompt="review", argument="code")
    def codes(value: str) -> list[str]:
        return [value]

    @one.completion(resource_template="users://{user}/profile", argument="user")
    def users(value: str) -> list[str]:
        return [value]

    assert_type(config(), str)
    assert_type(profile("u"), bytes)
    assert_type(bare("t"), str)
    assert_type(review("c"), list[str])
    assert_type(codes("c"), list[str])
    assert_type(users("u"), list[str])


server.close()
