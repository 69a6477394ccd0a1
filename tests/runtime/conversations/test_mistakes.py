"""What is told to those who give clients and servers what they do not take: at once, and with what they do take."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest
from mcp_bindings import v2025_11_25 as mcp
from mcp_bindings.runtime.errors import UsageError
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
    "server limits": (lambda: server(limits=5), "limits is 5; accepted are Limits, True"),
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
    "handler twice": (twice, "tools/call has a handler already, and has one alone: <function two"),
    "tool class": (lambda: tool(Methods), "tool it is <class .*>; accepted are functions"),
    "tool number": (lambda: tool(5), "tool it is 5; accepted are functions"),
    "tool default": (
        lambda: tool(wrong_default),
        "tool it: the default of count is not of its type: .*expected an integer",
    ),
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
        for asked in ("tools/list", 5):
            with pytest.raises(UsageError, match=r"a method is meant by its key, such as `methods\.PING`"):
                connected.request(asked)
        with pytest.raises(UsageError, match="a method is meant by its key"):
            connected.notify("notifications/initialized")
        assert text_of(connected.call_tool("add", {"a": 1}, timeout=float("inf"))) == "2"
