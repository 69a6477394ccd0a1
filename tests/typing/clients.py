"""Clients and servers of every revision: what they take and give, as a type checker sees it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, assert_type

from mcp_bindings import v2024_11_05, v2025_03_26, v2025_06_18, v2025_11_25, v2026_07_28
from mcp_bindings.ext_tasks.types import CompletedTask

# A handler is given the params and the context that belong to the method, and gives its result.

server = v2025_11_25.Server("calculator", "1.0")


@server.handler(v2025_11_25.methods.CALL_TOOL)
def call_tool(
    params: v2025_11_25.CallToolRequestParams, context: v2025_11_25.Context
) -> v2025_11_25.CallToolResult | v2025_11_25.CreateTaskResult:
    arguments = params.arguments or {}
    if params.name == "ask":
        schema = v2025_11_25.ElicitRequestFormParamsRequestedSchema(properties={"n": v2025_11_25.StringSchema()})
        answer = context.elicit("Which number?", schema)
        assert_type(answer, v2025_11_25.ElicitResult)
        arguments = {"a": str(answer.action), "b": ""}
    context.progress(1, 2, "half")
    total = arguments["a"] + arguments["b"]
    return v2025_11_25.CallToolResult(content=[v2025_11_25.TextContent(text=str(total))])


@server.handler(v2025_11_25.methods.LIST_TOOLS)
def list_tools(params: v2025_11_25.PaginatedRequestParams, context: v2025_11_25.Context) -> v2025_11_25.ListToolsResult:
    page = int(params.cursor or 0) if params else 0
    tool = v2025_11_25.Tool(name=f"tool-{page}", input_schema=v2025_11_25.ToolInputSchema())
    return v2025_11_25.ListToolsResult(tools=[tool], next_cursor="1" if page == 0 else None)


watched: list[str] = []


@server.handler(v2025_11_25.methods.SUBSCRIBE)
def subscribe(params: v2025_11_25.SubscribeRequestParams, context: v2025_11_25.Context) -> None:
    watched.append(params.uri)


@server.handler(v2025_11_25.methods.UNSUBSCRIBE)
def unsubscribe(params: v2025_11_25.UnsubscribeRequestParams, context: v2025_11_25.Context) -> v2025_11_25.EmptyResult:
    watched.remove(params.uri)
    return v2025_11_25.EmptyResult()


@server.handler(v2025_11_25.methods.ROOTS_LIST_CHANGED)
def roots_changed(params: v2025_11_25.NotificationParams, context: v2025_11_25.Context) -> None:
    assert_type(context.list_roots().roots, list[v2025_11_25.Root])


# A client has a method for each request.

client = v2025_11_25.Client.in_memory(server)
assert_type(client, v2025_11_25.Client)


@client.handler(v2025_11_25.methods.ELICIT)
def elicit(params: Any, context: v2025_11_25.ClientContext) -> v2025_11_25.ElicitResult:
    assert_type(context.client, v2025_11_25.Client)
    assert context.client is client
    return v2025_11_25.ElicitResult(action="decline")


with client:
    seen: list[float] = []

    def progressed(params: v2025_11_25.ProgressNotificationParams) -> None:
        seen.append(params.progress)

    result = client.call_tool("add", {"a": 1, "b": 2}, on_progress=progressed, timeout=30)
    assert_type(result, v2025_11_25.CallToolResult)
    assert result.content == [v2025_11_25.TextContent(text="3")]
    assert seen == [1]
    asked = client.call_tool(name="ask", meta={"acme/trace": "t"})
    assert asked.content == [v2025_11_25.TextContent(text="decline")]

    tools = client.list_tools()
    assert_type(tools, Iterator[v2025_11_25.Tool])
    assert [tool.name for tool in tools] == ["tool-0", "tool-1"]
    assert [tool.name for tool in client.list_tools(cursor="1")] == ["tool-1"]
    page = client.list_tools_page()
    assert_type(page, v2025_11_25.ListToolsResult)
    assert page.next_cursor == "1"

    assert_type(client.subscribe("file:///a"), v2025_11_25.EmptyResult)
    assert watched == ["file:///a"]
    client.unsubscribe("file:///a")
    assert watched == []
    assert_type(client.ping(), v2025_11_25.EmptyResult)


def with_levels(one: v2025_11_25.Client, context: v2025_11_25.Context) -> None:
    level: v2025_11_25.LoggingLevel = "warning"
    one.set_level(level)
    context.log(level, "the same type")
    server.log(level, "the same type")


def with_states(one: v2026_07_28.Client, two: v2025_11_25.Client) -> None:
    polled = one.call_tool_as_task("add")
    state = polled.status()
    if state is not None:
        assert_type(state.status, Literal["working", "input_required", "completed", "failed", "cancelled"])
        assert_type(state.ttl_ms, int | None)
    if isinstance(state, CompletedTask):
        print(state.result)
    polled.cancel()
    assert_type(two.call_tool_as_task("add").cancel().status_message, str | None)


introduced = v2025_11_25.Server(
    "calculator",
    "1.0",
    title="The calculator",
    description="Adds.",
    icons=[v2025_11_25.Icon(src="https://a.example/icon.png")],
    website_url="https://a.example",
)


def with_task(one: v2025_11_25.Client, context: v2025_11_25.Context) -> None:
    task = v2025_11_25.TaskMetadata(ttl=1000)
    assert_type(one.call_tool("add", task=task), v2025_11_25.CreateTaskResult)
    assert_type(one.get_task("t"), v2025_11_25.GetTaskResult)
    assert_type(context.create_message([], 10), v2025_11_25.CreateMessageResult)
    assert_type(context.create_message([], 10, task=task), v2025_11_25.CreateTaskResult)
    assert_type(context.elicit_url("Look", "e", "https://a.example"), v2025_11_25.ElicitResult)
    assert_type(context.list_tasks(), Iterator[v2025_11_25.Task])


# What a client answers and hears is given to it when it is made.


def sample(params: v2025_11_25.CreateMessageRequestParams, context: Any) -> v2025_11_25.CreateMessageResult:
    content = v2025_11_25.TextContent(text=params.system_prompt or "")
    return v2025_11_25.CreateMessageResult(role="assistant", model="m", content=content)


def fill_form(params: v2025_11_25.ElicitRequestFormParams, context: Any) -> v2025_11_25.ElicitResult:
    return v2025_11_25.ElicitResult(action="accept", content={"name": params.message})


def visit(params: v2025_11_25.ElicitRequestURLParams, context: Any) -> v2025_11_25.ElicitResult:
    return v2025_11_25.ElicitResult(action="accept" if params.url.startswith("https:") else "decline")


answering = v2025_11_25.Client.in_memory(
    server,
    require={"tools", "resources.subscribe"},
    sampling=sample,
    sampling_tools=True,
    approve_request=lambda params: params,
    elicitation=fill_form,
    elicitation_url=visit,
    roots=["/"],
    log_level="warning",
    on_log=lambda params: print(params.level, params.data),
    on_tools_changed=lambda: print("tools"),
)
assert_type(answering, v2025_11_25.Client)
answering.set_roots([v2025_11_25.Root(uri="file:///")])


def look(context: v2025_11_25.Context) -> None:
    assert_type(context.roots(), list[v2025_11_25.Root])
    assert_type(context.within_roots("/x"), bool)


# The other revisions, each with what it has.


def early(one: v2024_11_05.Client, two: v2025_03_26.Client, three: v2025_06_18.Client) -> None:
    assert_type(one.call_tool("add", {"a": 1}), v2024_11_05.CallToolResult)
    assert_type(two.call_tool("add", {"a": 1}), v2025_03_26.CallToolResult)
    assert_type(three.call_tool("add", {"a": 1}), v2025_06_18.CallToolResult)
    assert_type(one.set_level("info"), v2024_11_05.EmptyResult)
    assert_type(two.list_prompts(), Iterator[v2025_03_26.Prompt])
    reference = v2025_06_18.PromptReference(name="p")
    argument = v2025_06_18.CompleteRequestParamsArgument(name="a", value="b")
    assert_type(three.complete(reference, argument), v2025_06_18.CompleteResult)


early_server = v2024_11_05.Server("early", "1.0")


@early_server.handler(v2024_11_05.methods.GET_PROMPT)
def get_prompt(params: v2024_11_05.GetPromptRequestParams, context: v2024_11_05.Context) -> v2024_11_05.GetPromptResult:
    message = v2024_11_05.TextContent(text=(params.arguments or {}).get("who", "nobody"))
    return v2024_11_05.GetPromptResult(messages=[v2024_11_05.PromptMessage(role="user", content=message)])


with v2024_11_05.Client.in_memory(early_server) as early_client:
    prompt = early_client.get_prompt("greet", {"who": "you"})
    assert_type(prompt, v2024_11_05.GetPromptResult)
    assert isinstance(prompt.messages[0].content, v2024_11_05.TextContent)
    assert prompt.messages[0].content.text == "you"


# Where every request stands alone, what a server asks for is a method of the context too, and a result is the last one.

stateless = v2026_07_28.Server("forms", "1.0", state_key=b"0" * 32)


@stateless.handler(v2026_07_28.methods.CALL_TOOL)
def fill_in(params: v2026_07_28.CallToolRequestParams, context: v2026_07_28.Context) -> v2026_07_28.CallToolResult:
    schema = v2026_07_28.ElicitRequestFormParamsRequestedSchema(properties={"name": v2026_07_28.StringSchema()})
    answer = context.elicit("Who are you?", schema)
    assert_type(answer, v2026_07_28.ElicitResult)
    return v2026_07_28.CallToolResult(content=[v2026_07_28.TextContent(text=str(answer.content))])


visitor = v2026_07_28.Client.in_memory(stateless)


@visitor.handler(v2026_07_28.methods.ELICIT)
def give_name(params: Any, context: Any) -> v2026_07_28.ElicitResult:
    return v2026_07_28.ElicitResult(action="accept", content={"name": "Ann"})


with visitor:
    filled = visitor.call_tool("form", meta={"acme/trace": "t"})
    assert_type(filled, v2026_07_28.CallToolResult)
    assert filled.content == [v2026_07_28.TextContent(text="{'name': 'Ann'}")]
    assert_type(visitor.discover(), v2026_07_28.DiscoverResult)

stateless.close()
early_server.close()
server.close()


# Calls in threads of their own have the arguments and the result of the method that they call.


def started(old: v2025_06_18.Client, new: v2025_11_25.Client, newest: v2026_07_28.Client) -> None:
    call = old.start(old.call_tool, "add", {"a": 1}, timeout=3, on_progress=print)
    assert_type(call.result(1.0), v2025_06_18.CallToolResult)
    assert_type(call.cancel("enough"), bool)
    assert_type(new.start(new.call_tool, "add").result(), v2025_11_25.CallToolResult)
    task = v2025_11_25.TaskMetadata()
    assert_type(new.start(new.call_tool, "add", task=task).result(), v2025_11_25.CreateTaskResult)
    assert_type(newest.start(newest.call_tool, "add").result(), v2026_07_28.CallToolResult)
    params = v2025_06_18.CallToolRequestParams(name="add")
    assert_type(old.start(old.request, v2025_06_18.methods.CALL_TOOL, params).result(), v2025_06_18.CallToolResult)


# The data of a tool's result has the type that the caller expects.


@dataclass
class Sum:
    total: int


def read(result: v2025_11_25.CallToolResult) -> None:
    assert_type(result.text, str)
    assert_type(result.as_(Sum), Sum)
    assert_type(result.as_(list[Sum]), list[Sum])


def call_typed(old: v2024_11_05.Client, both: v2025_11_25.Client, new: v2026_07_28.Client) -> None:
    assert_type(old.call_tool("add", {"a": 1}, returns=Sum), Sum)
    assert_type(both.call_tool("add", {"a": 1}, returns=Sum), Sum)
    assert_type(new.call_tool("add", {"a": 1}, returns=list[int]), list[int])
    assert_type(both.call_tool("add"), v2025_11_25.CallToolResult)
    assert_type(both.call_tool("add", task=v2025_11_25.TaskMetadata()), v2025_11_25.CreateTaskResult)
