"""Calls of clients, and handlers, that a type checker refuses; the comment says with which error."""

from mcp_bindings import v2024_11_05, v2025_06_18, v2025_11_25, v2026_07_28


def ask(one: v2025_06_18.Client, two: v2025_11_25.Client, three: v2026_07_28.Client) -> None:
    one.call_tool()  # E: call-overload # P: reportCallIssue
    one.call_tool("add", {"a": 1}, None)  # E: call-overload # P: reportCallIssue
    one.call_tool(1)  # E: call-overload # P: reportArgumentType
    one.call_tool("add", task=v2025_11_25.TaskMetadata())  # E: call-overload # P: reportCallIssue
    one.list_tools("cursor")  # E: call-arg # P: reportCallIssue
    one.set_level("fatal")  # E: arg-type # P: reportArgumentType
    one.get_prompt("greet", {"a": 1})  # E: dict-item # P: reportArgumentType
    one.initialize()  # E: attr-defined # P: reportAttributeAccessIssue
    one.ping(on_progress=print, timeout="1")  # E: arg-type # P: reportArgumentType
    two.call_tool("add").task  # E: attr-defined # P: reportAttributeAccessIssue
    two.call_tool("add", task=v2025_11_25.TaskMetadata()).content  # E: attr-defined # P: reportAttributeAccessIssue
    three.ping()  # E: attr-defined # P: reportAttributeAccessIssue
    three.call_tool("add", request_state="s")  # E: call-overload # P: reportCallIssue
    two.request(v2025_11_25.methods.CALL_TOOL, v2025_11_25.PingRequest(id=1))  # E: misc # P: reportArgumentType
    two.notify(v2025_11_25.methods.PROGRESS, 5)  # E: misc # P: reportArgumentType
    three.call_tool("add", returns=5)  # E: call-overload # P: reportCallIssue reportArgumentType
    three.call_tool("add", returns=int).text  # E: attr-defined # P: reportAttributeAccessIssue


def say(one: v2025_06_18.Context, server: v2026_07_28.Server, three: v2026_07_28.Client) -> None:
    one.log("fatal", "x")  # E: arg-type # P: reportArgumentType
    server.log("fatal", "x")  # E: arg-type # P: reportArgumentType
    v2024_11_05.Server("s", "1", title="S")  # E: call-arg # P: reportCallIssue
    v2025_06_18.Server("s", "1", icons=[])  # E: call-arg # P: reportCallIssue
    v2025_06_18.Server("s", "1", ttl_ms=1)  # E: call-arg # P: reportCallIssue
    v2026_07_28.Server("s", "1", ttl_ms="1")  # E: arg-type # P: reportArgumentType
    v2026_07_28.Server("s", "1", ping=1)  # E: call-arg # P: reportCallIssue
    v2025_11_25.Client.in_memory(server, icons=["icon.png"])  # E: list-item # P: reportArgumentType
    three.call_tool_as_task("x").status().status  # E: union-attr # P: reportOptionalMemberAccess


def start(one: v2025_06_18.Client) -> None:
    one.start(one.call_tool, 1)  # E: arg-type # P: reportArgumentType
    one.start(one.call_tool, "add", timeout="1")  # E: arg-type # P: reportArgumentType
    one.start(one.call_tool("add"))  # E: arg-type # P: reportArgumentType reportCallIssue
    one.start(one.call_tool, "add").result().structured  # E: attr-defined # P: reportAttributeAccessIssue


def question(one: v2025_06_18.Context, three: v2026_07_28.Context) -> None:
    one.create_message([])  # E: call-arg # P: reportCallIssue
    one.elicit_url("Look", "https://a.example")  # E: attr-defined # P: reportAttributeAccessIssue
    three.elicit_url("Look", "https://a.example", timeout=1)  # E: call-arg # P: reportCallIssue


server = v2025_06_18.Server("s", "1")


@server.handler(v2025_06_18.methods.CALL_TOOL)  # E: arg-type # P: reportArgumentType
def nothing(params: v2025_06_18.CallToolRequestParams, context: v2025_06_18.Context) -> None: ...


@server.handler(v2025_06_18.methods.CALL_TOOL)  # E: arg-type # P: reportArgumentType
def other(params: v2025_06_18.GetPromptRequestParams, context: v2025_06_18.Context) -> v2025_06_18.CallToolResult:
    return v2025_06_18.CallToolResult(content=[])


SUBSCRIBE = v2025_06_18.methods.SUBSCRIBE


@server.handler(SUBSCRIBE)  # E: arg-type # P: reportArgumentType reportCallIssue reportUntypedFunctionDecorator
def later(params: v2025_06_18.SubscribeRequestParams, context: v2026_07_28.Context) -> None: ...


def sample(params: v2025_11_25.CreateMessageRequestParams, context: object) -> v2025_11_25.CreateMessageResult:
    raise NotImplementedError


def fill_in(params: v2025_06_18.ElicitRequestParams, context: object) -> str:
    return params.message


v2025_11_25.Client.over(server, sampling=sample)  # E: arg-type # P: reportArgumentType
v2025_06_18.Client.in_memory(server, elicitation=fill_in)  # E: arg-type # P: reportArgumentType
v2025_06_18.Client.in_memory(server, sampling=sample)  # E: arg-type # P: reportArgumentType
v2025_06_18.Client.in_memory(server, elicitation_url=fill_in)  # E: call-arg # P: reportCallIssue
v2025_06_18.Client.in_memory(server, on_tools_changed=fill_in)  # E: arg-type # P: reportArgumentType
v2025_06_18.Client.in_memory(server, cache=True)  # E: call-arg # P: reportCallIssue
v2025_06_18.Client.stdio(["a"], log_level="fatal")  # E: arg-type # P: reportArgumentType
v2025_06_18.Client.stdio(["a"], tiemout=3)  # E: call-arg # P: reportCallIssue
