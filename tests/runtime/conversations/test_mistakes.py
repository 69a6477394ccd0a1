"""What is told to those who give clients and servers what they do not take: at once, and with what they do take."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest
from checkout import REVISIONS
from mcp_bindings import connect, serve
from mcp_bindings import v2025_11_25 as mcp
from mcp_bindings_runtime.errors import EncodeError, ResponseError, UsageError
from mcp_bindings_runtime.features.limits import Limits
from mcp_bindings_runtime.http.server.authorization import Authorization
from mcp_bindings_runtime.http.server.store import MemoryStore
from mcp_bindings_runtime.tasks.store import MemoryTasks
from mcp_bindings_runtime.transports.memory import pair
from support.revisions import STATELESS, those_with_methods
from support.scripted_peers import PATIENCE, package, text_of

Do = Callable[[], object]


async def later(params: Any, context: Any) -> None:
    """A coroutine function."""


def answer(params: Any) -> Any:
    """Return the result of a tool, or else of an elicitation."""
    if isinstance(params, mcp.CallToolRequestParams):
        return mcp.CallToolResult(content=[mcp.TextContent(text=params.name)])
    return mcp.ElicitResult(action="decline")


def one(params: Any) -> None: ...
def two(params: Any, context: Any) -> Any:
    return answer(params)


def three(params: Any, context: Any, more: Any) -> Any:
    return answer(params)


def named(params: Any, context: Any, *, key: Any) -> None: ...
def any_number(*given: Any, **more: Any) -> Any:
    return answer(given[0])


def optional(params: Any, context: Any, more: Any = None) -> Any:
    return answer(params)


class Methods:
    def two(self, params: Any, context: Any) -> Any:
        return answer(params)

    def one(self, params: Any) -> None: ...
    def __call__(self, params: Any, context: Any) -> Any:
        return answer(params)


def server(**options: Any) -> Any:
    return mcp.Server("demo", "1.0", **options)


def client(**options: Any) -> Any:
    return mcp.Client.in_memory(server(), **options)


def handled(function: Any) -> None:
    server().handler(mcp.methods.CALL_TOOL)(function)


def tool(function: Any) -> None:
    server().tools.add(function, "it")


def offered(**options: Any) -> None:
    server().tool(**options)(no_arguments)


def completed(**given: Any) -> None:
    server().completion(**{"argument": "it", "prompt": "ask", **given})(str.split)


def reached(url: Any = "http://127.0.0.1:9/mcp", **options: Any) -> None:
    mcp.Client.http(url, **options)


def started(command: Any, **options: Any) -> None:
    mcp.Client.stdio(command, **options)


def mounted(**options: Any) -> None:
    server().wsgi_app(**options)


def listening(**options: Any) -> None:
    server().run_http(**{"port": 0, "ready": lambda http: http.close(), **options})


def authorized(**given: Any) -> None:
    known: Any = {"resource": "https://example.com/mcp", "authorization_servers": ["https://auth.example.com"]}
    Authorization(lambda _token: None, **{**known, **given})


def no_arguments() -> str:
    return ""


def wrong_default(count: int = "many") -> None: ...  # type: ignore[assignment]
def no_default(count: int = 0) -> None: ...


no_default.__defaults__ = (None,)


def twice() -> None:
    made = server()
    made.handler(mcp.methods.CALL_TOOL)(two)
    made.handler(mcp.methods.CALL_TOOL)(optional)


MISTAKES: dict[str, tuple[Do, str]] = {
    "server timeout": (lambda: server(timeout="x"), "`timeout` must be a number of seconds >= 0, got 'x'"),
    "server grace": (lambda: server(grace=-1), "`grace` must be a number of seconds >= 0, got -1"),
    "server ping": (lambda: server(ping="x"), "`ping` must be a number of seconds >= 0, got 'x'"),
    "server workers": (lambda: server(workers=0), "`workers` must be an integer >= 1, got 0"),
    "server pages": (lambda: server(page_size="x"), "`page_size` must be an integer >= 1, got 'x'"),
    "server limits": (lambda: server(limits=5), "limits must be Limits, True"),
    "server tasks": (lambda: server(tasks=True), r"`tasks` must be a MemoryTasks\(\), got True"),
    "stateless server tasks": (
        lambda: package(STATELESS[-1]).Server("s", "1", tasks=True),
        r"`tasks` must be a MemoryTasks\(\), got True",
    ),
    "server capabilities": (lambda: server(capabilities=5).capabilities, "must be a ServerCapabilities"),
    "client timeout": (lambda: client(timeout="x"), "`timeout` must be a number of seconds >= 0, got 'x'"),
    "client negative": (lambda: client(timeout=-1), "`timeout` must be a number of seconds >= 0, got -1"),
    "client nan": (lambda: client(timeout=float("nan")), "`timeout` must be a number of seconds >= 0, got nan"),
    "client workers": (lambda: client(workers=True), "`workers` must be an integer >= 1, got True"),
    "client require": (lambda: client(require="tools"), r"`require` must be a list, such as \['tools'\], got 'tools'"),
    "client tasks": (lambda: client(tasks=5), r"`tasks` must be a MemoryTasks\(\), got 5"),
    "client of a name": (lambda: mcp.Client.in_memory("server"), "'server' is not a server; pass a server object"),
    "client of a class": (lambda: mcp.Client.in_memory(mcp.Server), "is not a server; pass a server object"),
    "client of a site": (
        lambda: mcp.Client.in_memory(server().wsgi_app()),
        r"is not a server; pass a server object, .*; for a site, use mcp_url\(app\) and Client.http\(url\)$",
    ),
    "client of a factory": (lambda: mcp.Client.in_memory(server), r"is not a server; .*; did you mean server\(\)\?$"),
    "client in memory of a URL": (
        lambda: mcp.Client.in_memory("http://127.0.0.1/mcp"),
        r"is not a server; to connect to a URL, write Client.http\('http://127.0.0.1/mcp'\)",
    ),
    "client over": (lambda: mcp.Client.over("x"), "a transport must have the methods receive, interrupt, send and close, got 'x'"),  # type: ignore[arg-type]
    "sampling": (
        lambda: client(sampling=one),
        r"sampling: one takes \(params\), but is called with \(params, context\)",
    ),
    "elicitation": (lambda: client(elicitation=three), r"takes \(params, context, more\), but is called with"),
    "review": (lambda: client(sampling=two, approve_result=one), r"but is called with \(params, result\)"),
    "on_log": (lambda: client(on_log=two), r"on_log: two takes \(params, context\), but is called with \(params\)"),
    "on change": (
        lambda: client(on_tools_changed=one),
        r"on_tools_changed: one takes \(params\), but is called with \(\)",
    ),
    "coroutine callback": (
        lambda: client(sampling=later),
        "sampling must be a plain function, .*; later is a coroutine function",
    ),
    "handler coroutine": (
        lambda: handled(later),
        "the handler of tools/call must be a plain function, .*; later is a coroutine",
    ),
    "handler class": (lambda: handled(Methods), "the handler of tools/call must be a function, got <class .*>"),
    "handler number": (lambda: handled(5), "the handler of tools/call must be a function, got 5"),
    "handler none": (lambda: handled(None), "the handler of tools/call must be a function, got None"),
    "handler one": (lambda: handled(one), r"takes \(params\), but is called with \(params, context\)"),
    "handler method": (lambda: handled(Methods().one), r"Methods.one takes \(params\), but is called with"),
    "handler named": (lambda: handled(named), r"takes \(params, context, key\), but is called with"),
    "handler twice": (twice, "tools/call has a handler already: <function two"),
    "tool class": (lambda: tool(Methods), "tool it must be a function, got <class .*>"),
    "tool number": (lambda: tool(5), "tool it must be a function, got 5"),
    "tool builtin": (lambda: tool(max), r"tool it: .*function max> has no signature that Python can read; wrap it"),
    "tool default": (
        lambda: tool(wrong_default),
        "tool it: the default of count does not match its annotation: .*expected an integer",
    ),
    "tool name": (lambda: offered(name=5), "`name` must be a str, got 5"),
    "tool timeout": (lambda: offered(timeout="x"), "timeout must be a number > 0, got 'x'"),
    "tool timeout nan": (lambda: offered(timeout=float("nan")), "timeout must be a number > 0, got nan"),
    "tool input": (lambda: offered(input_schema=5), "input_schema must be a dict, got 5"),
    "tool output": (lambda: offered(output_schema=5), "output_schema must be a dict, got 5"),
    "tool check": (lambda: offered(check=5), "check must be True or False, got 5"),
    "tool execution": (lambda: offered(execution="required"), 'found "required", expected a ToolExecution'),
    "tool meta": (lambda: offered(meta=5), "`meta` must be a dict, got 5"),
    "prompt name": (lambda: server().prompt(name=5)(no_arguments), "found 5, expected a string"),
    "resource type": (
        lambda: server().resource("demo://it", mime_type=5)(no_arguments),
        "resource demo://it does not fit 2025-11-25: .*found 5, expected a string",
    ),
    "resource function": (lambda: server().resource("demo://it")(5), "resource demo://it must be a function, got 5"),
    "resource updated": (lambda: server().resources.updated(5), "the URI of an updated resource must be a str, got 5"),
    "completion argument": (lambda: completed(argument=5), "`argument` must be a str, got 5"),
    "completion prompt": (lambda: completed(prompt=5), "`prompt` must be a str, got 5"),
    "completion function": (
        lambda: server().completion(argument="a", prompt="b")(5),
        "a completion must be a function, got 5",
    ),
    "completion builtin": (
        lambda: server().completion(argument="a", prompt="b")(max),
        r"max: .* has no signature that Python can read; wrap it",
    ),
    "server cursor key": (
        lambda: server(cursor_key="x"),
        "`cursor_key` must be at least 32 bytes; secrets.token_bytes",
    ),
    "server short key": (lambda: server(cursor_key=b"x" * 31), "`cursor_key` must be at least 32 bytes"),
    "server redact": (lambda: server(redact=5), "`redact` must be a function, got 5"),
    "server redact two": (lambda: server(redact=two), r"but is called with \(data\)"),
    "server instructions": (lambda: server(instructions=5), "`instructions` must be a str, got 5"),
    "server logging": (lambda: server(logging=5), "`logging` must be True or False, got 5"),
    "serve": (lambda: server().serve(5), "a transport must have the methods receive, interrupt, send and close, got 5"),
    "connect of a server": (
        lambda: server().connect(5),
        "a transport must have the methods receive, interrupt, send and close, got 5",
    ),
    "serve over": (lambda: serve.over(5, server()), "a transport must have the methods receive, interrupt, send and close, got 5"),  # type: ignore[arg-type]
    "server notify": (lambda: server().notify("x"), "pass the key of a notification, .* not 'x'"),
    "roots": (lambda: client(roots=5), r"`roots` must be a list, such as \['/srv/project'\], got 5"),
    "roots of one path": (lambda: client(roots="/tmp"), r"`roots` must be a list, such as \['/tmp'\], got '/tmp'"),
    "client log level": (lambda: client(log_level="loud"), "the log level must be one of debug, info.*, got 'loud'"),
    "client require number": (lambda: client(require=5), "`require` must be a list"),
    "client require numbers": (
        lambda: client(require=[5]),
        "an item of `require` must be a value such as 'tools', got 5",
    ),
    "client record": (lambda: client(record=5).connect(), "`record` must be the path of a file, got 5"),
    "client url": (lambda: reached(5), "`url` must be a str such as 'https://"),
    "client headers": (lambda: reached(headers=5), "`headers` must be a dict, got 5"),
    "client auth": (lambda: reached(auth=5), "`auth` must be a function, got 5"),
    "client proxy": (lambda: reached(proxy=5), "`proxy` must be a str, got 5"),
    "client tls": (lambda: reached(tls=5), "`tls` must be an ssl.SSLContext, got 5"),
    "client pool": (lambda: reached(pool="x"), "`pool` must be an integer >= 1, got 'x'"),
    "client opening": (lambda: reached(connect_timeout="x"), "`connect_timeout` must be a number > 0, got 'x'"),
    "client messages": (lambda: reached(max_message="x"), "`max_message` must be an integer >= 1, got 'x'"),
    "client command": (lambda: started(5), "a command must be a list of str, such as .* got 5"),
    "client of a command": (
        lambda: mcp.Client(["python", "x.py"]),  # type: ignore[arg-type]
        r"got \['python', 'x.py'\]; to start a server, write Client.stdio\(\['python', 'x.py'\]\)$",
    ),
    "client of a line": (lambda: mcp.Client("python x.py"), r"write Client.stdio\(\['python', 'x.py'\]\)$"),  # type: ignore[arg-type]
    "client of a URL": (lambda: mcp.Client("http://a/mcp"), r"write Client.http\('http://a/mcp'\)$"),  # type: ignore[arg-type]
    "client of a transport": (lambda: mcp.Client(pair()[0]), r"for a transport, Client.over\(transport\)$"),  # type: ignore[arg-type]
    "client command apart": (
        lambda: mcp.Client.stdio("python", ["x.py"]),  # type: ignore[call-arg, arg-type]
        r"^Client.stdio takes the program and its arguments in one list, .*; write Client.stdio\(\['python', 'x.py'\]\)$",
    ),
    "client words apart": (
        lambda: mcp.Client.stdio("python", "x.py", {"A": "b"}),  # type: ignore[call-arg, arg-type]
        r"and options by name; write Client.stdio\(\['python', 'x.py'\]\)$",
    ),
    "connect command apart": (
        lambda: connect.stdio("python", ["x.py"]),  # type: ignore[call-arg, arg-type]
        r"^connect.stdio takes the program .*; write connect.stdio\(\['python', 'x.py'\]\)$",
    ),
    "client line": (lambda: started("python x"), r"shlex.split\(\) to split a line"),
    "connect as a function": (
        lambda: called(connect, ["python", "x.py"]),
        r"write connect.stdio\(\['python', 'x.py'\]\)$",
    ),
    "connect to a line": (lambda: called(connect, "python x.py"), r"write connect.stdio\(\['python', 'x.py'\]\)$"),
    "connect to a URL": (lambda: called(connect, "http://a/mcp"), r"write connect.http\('http://a/mcp'\)$"),
    "connect to nothing": (lambda: called(connect), r"for a transport, connect.over\(transport\)$"),
    "serve as a function": (lambda: called(serve, server()), r"serve is a module.* write serve.stdio\(server\), or"),
    "command as a URL": (lambda: connect.http(["python", "x.py"]), "to start a server, use stdio$"),  # type: ignore[arg-type]
    "client header without a name": (lambda: reached(headers={1: "x"}), "a key of `headers` must be a str, got 1"),
    "environment without a name": (
        lambda: started(["true"], env={1: "x", "b": "y"}),
        "a key of `env` must be a str, got 1",
    ),
    "client environment": (lambda: started(["true"], env=5), "`env` must be a dict, got 5"),
    "connect revisions": (
        lambda: connect.in_memory(server(), revisions="2025-06-18"),
        r"`revisions` must be a list, such as \['2025-06-18'\], got '2025-06-18'",
    ),
    "connect no revisions": (lambda: connect.in_memory(server(), revisions=5), "`revisions` must be a list"),  # type: ignore[arg-type]
    "connect handlers": (lambda: connect.in_memory(server(), handlers=5), "`handlers` must be a dict, got 5"),  # type: ignore[arg-type]
    "connect probe": (lambda: connect.in_memory(server(), probe="x"), "`probe` must be a number of seconds >= 0, got 'x'"),  # type: ignore[arg-type]
    "tasks ttl": (lambda: MemoryTasks(ttl="x"), "`ttl` must be a number > 0, got 'x'"),  # type: ignore[arg-type]
    "tasks tools": (lambda: MemoryTasks(tools=["x"]), r"`tools` must be a dict, got \['x'\]"),  # type: ignore[arg-type]
    "tasks each": (lambda: MemoryTasks(each=0), "`each` must be an integer >= 1, got 0"),
    "limits": (lambda: Limits(tool_calls="x"), "`tool_calls` must be a number > 0, got 'x'"),  # type: ignore[arg-type]
    "limits burst": (lambda: Limits(burst=0), "`burst` must be a number > 0, got 0"),
    "http path": (lambda: mounted(path=5), "`path` must be a str, got 5"),
    "http messages": (lambda: mounted(messages_path=None), "`messages_path` must be a str, got None"),
    "http hosts": (
        lambda: mounted(allowed_hosts=5),
        r"`allowed_hosts` must be a list, such as \['example.com'\], got 5",
    ),
    "http host": (lambda: mounted(allowed_hosts="x"), r"`allowed_hosts` must be a list, such as \['x'\], got 'x'"),
    "http origin": (lambda: mounted(allowed_origins=[5]), "an item of `allowed_origins` must be a value such as"),
    "http limit": (lambda: mounted(body_limit="x"), "`body_limit` must be an integer >= 1, got 'x'"),
    "http time": (lambda: mounted(body_time="x"), "`body_time` must be a number > 0, got 'x'"),
    "http retry": (lambda: mounted(retry=1.5), "`retry` must be an integer >= 1, got 1.5"),
    "http threads": (lambda: mounted(threads=True), "`threads` must be an integer >= 1, got True"),
    "http streams": (lambda: mounted(streams=-1), "`streams` must be an integer >= 0, got -1"),
    "http streams threads": (
        lambda: mounted(threads=32, streams=29),
        "`streams` is 29, but the server has 32 threads, of which 4 are reserved for other requests; "
        "set `threads` to 34 or more, or `streams` to 28 or less",
    ),
    "http store": (lambda: mounted(store=5), r"`store` must be a store such as MemoryStore\(\)"),
    "http store class": (lambda: mounted(store=MemoryStore), "`store` must be a store such as MemoryStore"),
    "http authorization": (lambda: mounted(authorization=5), r"`authorization` must be an Authorization\("),
    "http option": (
        lambda: mounted(pth="/mcp"),
        r"^unknown option 'pth' \(did you mean 'path'\?\)$",
    ),
    "run host": (lambda: listening(host=5), "`host` must be a str such as '127.0.0.1', got 5"),
    "run port": (
        lambda: listening(port=True),
        "`port` must be an integer from 1 to 65535, or 0 for any free port; got True",
    ),
    "run ready": (lambda: listening(ready=5), "`ready` must be a function, got 5"),
    "run idle": (lambda: listening(idle="x"), "`idle` must be a number > 0, got 'x'"),
    "run grace": (lambda: listening(grace=-1), "`grace` must be a number of seconds >= 0, got -1"),
    "run option": (
        lambda: listening(pth="/mcp"),
        r"^unknown option 'pth' \(did you mean 'path'\?\)$",
    ),
    "run port option": (lambda: listening(prot=8000), r"^unknown option 'prot' \(did you mean 'port'\?\)$"),
    "run host option": (lambda: listening(hots="::1"), r"^unknown option 'hots' \(did you mean 'host'\?\)$"),
    "run other option": (
        lambda: listening(weather=1),
        "^unknown option 'weather'; use allowed_hosts, .*port, ready, retry",
    ),
    "http port": (lambda: mounted(port=1), "^unknown option 'port'; it is an option of run_http and serve.http$"),
    "http server": (lambda: mounted(page_size=1), "^unknown option 'page_size'; it is an option of Server$"),
    "server option": (lambda: server(nam="x"), r"^unknown option 'nam' \(did you mean 'name'\?\)$"),
    "store sessions": (lambda: MemoryStore(sessions=0), "`sessions` must be an integer >= 1, got 0"),
    "store lifetime": (lambda: MemoryStore(lifetime="x"), "`lifetime` must be a number > 0, got 'x'"),  # type: ignore[arg-type]
    "token judge": (lambda: Authorization(5, resource="https://a", authorization_servers=["https://b"]), "`validate` must be a function, got 5"),  # type: ignore[arg-type]
    "token place": (lambda: authorized(resource=5), "`resource` must be a str, got 5"),
    "token givers": (
        lambda: authorized(authorization_servers="https://a"),
        "must be a list, such as .'https://a'., got 'https://a'$",
    ),
    "token scopes": (lambda: authorized(scopes="a"), r"`scopes` must be a list, such as \['a'\], got 'a'"),
    "tool none": (lambda: tool(no_default), "a parameter that may be None says so by `| None`"),
}


def called(module: Any, *arguments: Any) -> None:
    module(*arguments)


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_where_it_is_made(mistake: str) -> None:
    make, told = MISTAKES[mistake]
    with pytest.raises(UsageError, match=told):
        make()


@pytest.mark.parametrize(
    "function", [two, any_number, optional, Methods().two, Methods(), functools.partial(three, more=1)]
)
def test_what_can_be_called_handles_requests_on_both_sides(function: Any) -> None:
    made = server()
    made.handler(mcp.methods.CALL_TOOL)(function)
    with mcp.Client.in_memory(made, timeout=PATIENCE) as connected:
        assert text_of(connected.call_tool("it")) == "it"
    asking = server()

    @asking.tool
    def ask(context) -> str:  # type: ignore[no-untyped-def]
        return str(context.elicit("?", mcp.ElicitRequestFormParamsRequestedSchema(properties={})).action)

    with mcp.Client.in_memory(asking, timeout=PATIENCE, sampling=function, elicitation=function) as connected:
        assert text_of(connected.call_tool("ask")) == "decline"


def test_mistakes_in_a_call_are_told_before_anything_is_sent() -> None:
    made = server()

    @made.tool
    def add(a: int) -> int:
        return a + 1

    with mcp.Client.in_memory(made, timeout=PATIENCE) as connected:
        for timeout in ("x", -1, float("nan")):
            with pytest.raises(UsageError, match="must be a number of seconds >= 0"):
                connected.call_tool("add", {"a": 1}, timeout=timeout)
        with pytest.raises(UsageError, match="`on_progress` must be a function, got 5"):
            connected.call_tool("add", {"a": 1}, on_progress=5)
        with pytest.raises(UsageError, match="`meta` must be a dict, got 5"):
            connected.call_tool("add", {"a": 1}, meta=5)
        for asked in ("tools/list", 5):
            with pytest.raises(UsageError, match=r"pass the key of a request, such as `mcp\.methods\.CALL_TOOL`"):
                connected.request(asked)
        with pytest.raises(UsageError, match="pass the key of a notification"):
            connected.notify("notifications/initialized")
        assert text_of(connected.call_tool("add", {"a": 1}, timeout=float("inf"))) == "2"


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ({"reason": "unknown path /x"}, "Not Found: unknown path /x (-32600)"),
        ({"reason": "Not Found"}, "Not Found (-32600)"),
        ({"reason": 5}, "Not Found (-32600)"),
        ({}, "Not Found (-32600)"),
        ("reason", "Not Found (-32600)"),
        (None, "Not Found (-32600)"),
    ],
)
def test_an_error_of_the_other_side_tells_its_reason_once(data: Any, text: str) -> None:
    assert str(ResponseError(-32600, "Not Found", data)) == text


REQUESTS = [
    (revision, name)
    for name in ("tools/call", "tools/list", "tasks/result")
    for revision in (REVISIONS if name.startswith("tools") else those_with_methods(name))
]


@pytest.mark.parametrize(("revision", "name"), REQUESTS)
def test_params_of_a_wrong_class_are_refused(revision: str, name: str) -> None:
    mcp = package(revision)
    (key,) = (each for each in vars(mcp.methods).values() if getattr(each, "name", "") == name)
    options: dict[str, Any] = {"tasks": MemoryTasks()} if name.startswith("tasks") else {}
    server = mcp.Server("s", "1", **options)

    @server.tool
    def present() -> str:
        return "here"

    with mcp.Client.in_memory(server) as client:
        for wrong in ({"name": "f"}, "f", mcp.types.Implementation(name="f", version="1")):
            with pytest.raises(EncodeError, match=r"\$\.params: found .*, expected a "):
                client.request(key, wrong)
