"""What is told to those who give clients and servers what they do not take: at once, and with what they do take."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest
from mcp_bindings import connect, serve
from mcp_bindings import v2025_11_25 as mcp
from mcp_bindings_runtime.errors import ResponseError, UsageError
from mcp_bindings_runtime.features.limits import Limits
from mcp_bindings_runtime.http.server.authorization import Authorization
from mcp_bindings_runtime.http.server.store import MemoryStore
from mcp_bindings_runtime.tasks.store import MemoryTasks
from support.conversing import PATIENCE, text_of

Do = Callable[[], object]


async def later(params: Any, context: Any) -> None:
    """A coroutine function."""


def one(params: Any) -> None: ...
def two(params: Any, context: Any) -> None: ...
def three(params: Any, context: Any, more: Any) -> None: ...
def named(params: Any, context: Any, *, key: Any) -> None: ...
def any_number(*given: Any, **more: Any) -> None: ...
def optional(params: Any, context: Any, more: Any = None) -> None: ...


class Methods:
    def two(self, params: Any, context: Any) -> None: ...
    def one(self, params: Any) -> None: ...
    def __call__(self, params: Any, context: Any) -> None: ...


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
    "server timeout": (lambda: server(timeout="x"), "timeout is 'x'; accepted are numbers of seconds, 0 and more"),
    "server grace": (lambda: server(grace=-1), "grace is -1; accepted are numbers of seconds"),
    "server ping": (lambda: server(ping="x"), "ping is 'x'; accepted are numbers of seconds"),
    "server workers": (lambda: server(workers=0), "workers is 0; accepted are 1 and more"),
    "server pages": (lambda: server(page_size="x"), "page_size is 'x'; accepted are 1 and more"),
    "server limits": (lambda: server(limits=5), "limits must be Limits, True"),
    "server tasks": (lambda: server(tasks=True), "tasks is True; accepted is MemoryTasks"),
    "server capabilities": (lambda: server(capabilities=5).capabilities, "accepted is a ServerCapabilities"),
    "client timeout": (lambda: client(timeout="x"), "timeout is 'x'; accepted are numbers of seconds"),
    "client negative": (lambda: client(timeout=-1), "timeout is -1; accepted are numbers of seconds"),
    "client nan": (lambda: client(timeout=float("nan")), "timeout is nan; accepted are numbers of seconds"),
    "client workers": (lambda: client(workers=True), "workers is True; accepted are 1 and more"),
    "client require": (lambda: client(require="tools"), r"require is 'tools'; accepted are lists, as \['tools'\]"),
    "client tasks": (lambda: client(tasks=5), "tasks is 5; accepted is MemoryTasks"),
    "client of a name": (lambda: mcp.Client.in_memory("server"), "'server' is no server; accepted is a server object"),
    "client of a class": (lambda: mcp.Client.in_memory(mcp.Server), "is no server; accepted is a server object"),
    "client over": (lambda: mcp.Client.over("x"), "'x' is no transport; accepted are objects with receive"),  # type: ignore[arg-type]
    "sampling": (
        lambda: client(sampling=one),
        r"sampling, one, takes \(params\); it is called with \(params, context\)",
    ),
    "elicitation": (lambda: client(elicitation=three), r"takes \(params, context, more\); it is called with"),
    "review": (lambda: client(sampling=two, approve_result=one), r"it is called with \(params, result\)"),
    "on_log": (lambda: client(on_log=two), r"on_log, two, takes \(params, context\); it is called with \(params\)"),
    "on change": (
        lambda: client(on_tools_changed=one),
        r"on_tools_changed, one, takes \(params\); it is called with \(\)",
    ),
    "coroutine callback": (lambda: client(sampling=later), "sampling, later, is a coroutine function"),
    "handler coroutine": (
        lambda: handled(later),
        "the handler of tools/call, later, is a coroutine function; accepted",
    ),
    "handler class": (lambda: handled(Methods), "the handler of tools/call is <class .*>; accepted are functions"),
    "handler number": (lambda: handled(5), "the handler of tools/call is 5; accepted are functions"),
    "handler none": (lambda: handled(None), "the handler of tools/call is None; accepted are functions"),
    "handler one": (lambda: handled(one), r"takes \(params\); it is called with \(params, context\)"),
    "handler method": (lambda: handled(Methods().one), r"Methods.one, takes \(params\); it is called with"),
    "handler named": (lambda: handled(named), r"takes \(params, context, key\); it is called with"),
    "handler twice": (twice, "tools/call has a handler already: <function two"),
    "tool class": (lambda: tool(Methods), "tool it is <class .*>; accepted are functions"),
    "tool number": (lambda: tool(5), "tool it is 5; accepted are functions"),
    "tool default": (
        lambda: tool(wrong_default),
        "tool it: the default of count is not of its type: .*expected an integer",
    ),
    "tool name": (lambda: offered(name=5), "name is 5; accepted are texts"),
    "tool timeout": (lambda: offered(timeout="x"), "timeout is 'x'; accepted are numbers above 0"),
    "tool timeout nan": (lambda: offered(timeout=float("nan")), "timeout is nan; accepted are numbers above 0"),
    "tool input": (lambda: offered(input_schema=5), "input_schema is 5; accepted are dicts"),
    "tool output": (lambda: offered(output_schema=5), "output_schema is 5; accepted are dicts"),
    "tool check": (lambda: offered(check=5), "check is 5; accepted are True and False"),
    "tool execution": (lambda: offered(execution="required"), 'found "required", expected a ToolExecution'),
    "tool meta": (lambda: offered(meta=5), "meta is 5; accepted are dicts"),
    "prompt name": (lambda: server().prompt(name=5)(no_arguments), "found 5, expected a string"),
    "resource type": (
        lambda: server().resource("demo://it", mime_type=5)(no_arguments),
        "resource demo://it does not fit 2025-11-25: .*found 5, expected a string",
    ),
    "resource function": (lambda: server().resource("demo://it")(5), "resource demo://it is 5; accepted are functions"),
    "resource updated": (lambda: server().resources.updated(5), "is 5; accepted are texts"),
    "completion argument": (lambda: completed(argument=5), "argument is 5; accepted are texts"),
    "completion prompt": (lambda: completed(prompt=5), "prompt is 5; accepted are texts"),
    "completion function": (
        lambda: server().completion(argument="a", prompt="b")(5),
        "a completion must be a function, got 5",
    ),
    "server cursor key": (lambda: server(cursor_key="x"), "cursor_key is no 32 bytes or more; secrets.token_bytes"),
    "server short key": (lambda: server(cursor_key=b"x" * 31), "cursor_key is no 32 bytes or more"),
    "server redact": (lambda: server(redact=5), "redact is 5; accepted are functions"),
    "server redact two": (lambda: server(redact=two), r"it is called with \(data\)"),
    "server instructions": (lambda: server(instructions=5), "instructions is 5; accepted are texts"),
    "server logging": (lambda: server(logging=5), "logging is 5; accepted are True and False"),
    "serve": (lambda: server().serve(5), "5 is no transport; accepted are objects with receive"),
    "connect of a server": (lambda: server().connect(5), "5 is no transport; accepted are objects with receive"),
    "serve over": (lambda: serve.over(5, server()), "5 is no transport; accepted are objects with receive"),  # type: ignore[arg-type]
    "server notify": (lambda: server().notify("x"), "a method is meant by its key, .*and not by 'x'"),
    "roots": (lambda: client(roots=5), r"roots is 5; accepted are lists, as \['/srv/project'\]"),
    "roots of one path": (lambda: client(roots="/tmp"), r"roots is '/tmp'; accepted are lists, as \['/tmp'\]"),
    "client log level": (lambda: client(log_level="loud"), "the level is 'loud'; accepted are debug, info"),
    "client require number": (lambda: client(require=5), "require is 5; accepted are lists"),
    "client require numbers": (lambda: client(require=[5]), "one of require is 5; accepted are those like 'tools'"),
    "client record": (lambda: client(record=5).connect(), "record is 5; accepted is the path of a file"),
    "client url": (lambda: reached(5), "url is 5; accepted are texts such as 'https://"),
    "client headers": (lambda: reached(headers=5), "headers is 5; accepted are dicts"),
    "client auth": (lambda: reached(auth=5), "auth is 5; accepted are functions"),
    "client proxy": (lambda: reached(proxy=5), "proxy is 5; accepted are texts"),
    "client tls": (lambda: reached(tls=5), "tls is 5; accepted is an ssl.SSLContext"),
    "client pool": (lambda: reached(pool="x"), "pool is 'x'; accepted are 1 and more"),
    "client opening": (lambda: reached(connect_timeout="x"), "connect_timeout is 'x'; accepted are numbers above 0"),
    "client messages": (lambda: reached(max_message="x"), "max_message is 'x'; accepted are 1 and more"),
    "client command": (lambda: started(5), "a command is a list of texts, for instance .* and not 5"),
    "client line": (lambda: started("python x"), r"shlex.split\(\) makes one of a line"),
    "client header without a name": (lambda: reached(headers={1: "x"}), "a name in headers is 1; accepted are texts"),
    "environment without a name": (lambda: started(["true"], env={1: "x", "b": "y"}), "a name in env is 1; accepted"),
    "client environment": (lambda: started(["true"], env=5), "env is 5; accepted are dicts"),
    "connect revisions": (
        lambda: connect.in_memory(server(), revisions="2025-06-18"),
        r"revisions is '2025-06-18'; accepted are lists, as \['2025-06-18'\]",
    ),
    "connect no revisions": (lambda: connect.in_memory(server(), revisions=5), "revisions is 5; accepted are lists"),  # type: ignore[arg-type]
    "connect handlers": (lambda: connect.in_memory(server(), handlers=5), "handlers is 5; accepted are dicts"),  # type: ignore[arg-type]
    "connect probe": (lambda: connect.in_memory(server(), probe="x"), "probe is 'x'; accepted are numbers of seconds"),  # type: ignore[arg-type]
    "tasks ttl": (lambda: MemoryTasks(ttl="x"), "ttl is 'x'; accepted are numbers above 0"),  # type: ignore[arg-type]
    "tasks tools": (lambda: MemoryTasks(tools=["x"]), r"tools is \['x'\]; accepted are dicts"),  # type: ignore[arg-type]
    "tasks each": (lambda: MemoryTasks(each=0), "each is 0; accepted are 1 and more"),
    "limits": (lambda: Limits(tool_calls="x"), "tool_calls is 'x'; accepted are numbers above 0"),  # type: ignore[arg-type]
    "limits burst": (lambda: Limits(burst=0), "burst is 0; accepted are numbers above 0"),
    "http path": (lambda: mounted(path=5), "path is 5; accepted are texts"),
    "http messages": (lambda: mounted(messages_path=None), "messages_path is None; accepted are texts"),
    "http hosts": (lambda: mounted(allowed_hosts=5), r"allowed_hosts is 5; accepted are lists, as \['example.com'\]"),
    "http host": (lambda: mounted(allowed_hosts="x"), r"allowed_hosts is 'x'; accepted are lists, as \['x'\]"),
    "http origin": (lambda: mounted(allowed_origins=[5]), "one of allowed_origins is 5; accepted are those like"),
    "http limit": (lambda: mounted(body_limit="x"), "body_limit is 'x'; accepted are 1 and more"),
    "http time": (lambda: mounted(body_time="x"), "body_time is 'x'; accepted are numbers above 0"),
    "http retry": (lambda: mounted(retry=1.5), "retry is 1.5; accepted are 1 and more"),
    "http threads": (lambda: mounted(threads=True), "threads is True; accepted are 1 and more"),
    "http streams": (lambda: mounted(streams=-1), "streams is -1; accepted are 1 and more"),
    "http store": (lambda: mounted(store=5), r"store is 5; accepted is MemoryStore\(\)"),
    "http store class": (lambda: mounted(store=MemoryStore), "store is <class .*; accepted is MemoryStore"),
    "http authorization": (lambda: mounted(authorization=5), r"authorization is 5; accepted is Authorization\("),
    "http option": (lambda: mounted(pth="/mcp"), "unknown option 'pth'; use allowed_hosts, .*path"),
    "run host": (lambda: listening(host=5), "host is 5; accepted are texts"),
    "run port": (lambda: listening(port=True), "`port` must be from 1 to 65535, or 0 for any free port; got True"),
    "run ready": (lambda: listening(ready=5), "ready is 5; accepted are functions"),
    "run idle": (lambda: listening(idle="x"), "idle is 'x'; accepted are numbers above 0"),
    "run grace": (lambda: listening(grace=-1), "grace is -1; accepted are numbers of seconds, 0 and more"),
    "run option": (lambda: listening(pth="/mcp"), "unknown option 'pth'; use .*grace, .*ready"),
    "store sessions": (lambda: MemoryStore(sessions=0), "sessions is 0; accepted are 1 and more"),
    "store lifetime": (lambda: MemoryStore(lifetime="x"), "lifetime is 'x'; accepted are numbers above 0"),  # type: ignore[arg-type]
    "token judge": (lambda: Authorization(5, resource="", authorization_servers=()), "validate is 5; accepted are"),  # type: ignore[arg-type]
    "token place": (lambda: authorized(resource=5), "resource is 5; accepted are texts"),
    "token givers": (lambda: authorized(authorization_servers="https://a"), "accepted are lists, as .'https://a'.$"),
    "token scopes": (lambda: authorized(scopes="a"), r"scopes is 'a'; accepted are lists, as \['a'\]"),
    "tool none": (lambda: tool(no_default), "a parameter that may be None says so by `| None`"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_where_it_is_made(mistake: str) -> None:
    make, told = MISTAKES[mistake]
    with pytest.raises(UsageError, match=told):
        make()


@pytest.mark.parametrize(
    "function", [two, any_number, optional, Methods().two, Methods(), functools.partial(three, more=1)]
)
def test_what_can_be_called_is_taken(function: Any) -> None:
    handled(function)
    client(sampling=function, elicitation=function)


def test_mistakes_in_a_call_are_told_before_anything_is_sent() -> None:
    made = server()

    @made.tool
    def add(a: int) -> int:
        return a + 1

    with mcp.Client.in_memory(made, timeout=PATIENCE) as connected:
        for timeout in ("x", -1, float("nan")):
            with pytest.raises(UsageError, match="accepted are numbers of seconds, 0 and more"):
                connected.call_tool("add", {"a": 1}, timeout=timeout)
        with pytest.raises(UsageError, match="on_progress is 5; accepted are functions"):
            connected.call_tool("add", {"a": 1}, on_progress=5)
        with pytest.raises(UsageError, match="meta is 5; accepted are dicts"):
            connected.call_tool("add", {"a": 1}, meta=5)
        for asked in ("tools/list", 5):
            with pytest.raises(UsageError, match=r"a method is meant by its key, such as `methods\.PING`"):
                connected.request(asked)
        with pytest.raises(UsageError, match="a method is meant by its key"):
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
