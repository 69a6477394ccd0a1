"""Cost of decorated functions compared with a low-level handler, and of each tool in a large number of tools."""

from __future__ import annotations

import gc
from statistics import median
from time import perf_counter_ns
from typing import NamedTuple

from mcp_bindings import v2025_11_25 as mcp

from benchmarks.page import Row, Table, ratio

REVISION = "2025-11-25"
FEW, MANY = 250, 1000
"""Numbers of tools of two servers, whose cost for each tool is compared."""


class Effort(NamedTuple):
    """Numbers of measurements."""

    rounds: int
    calls: int
    """Calls of each server in each round."""
    lists: int
    """Repetitions of registering and listing many tools."""


FULL = Effort(rounds=60, calls=100, lists=9)
QUICK = Effort(rounds=5, calls=20, lists=3)


def measure(effort: Effort = FULL) -> Table:
    """Measure calls of two servers in turns, and the cost of registering and listing tools."""
    low, decorated = _calls(effort)
    registering, listing = _growth(effort.lists)
    return Table(
        "Decorated tools and many tools",
        "The first row of the table shows the cost of the decorator `@server.tool`. A client calls a tool that returns "
        "its "
        f"argument, in {REVISION}, with client and server in one process. The tool is a decorated function or, for "
        f"comparison, a low-level handler of the request `tools/call`. A call takes {ratio(decorated / 1000)} µs "
        f"with the function and {ratio(low / 1000)} µs with the handler. Each figure is the median of "
        f"{effort.rounds} rounds. In each round, the client makes {effort.calls} calls of the function and "
        f"{effort.calls} calls of the handler.\n\n"
        f"The next two rows compare a server of {MANY:,} tools with a server of {FEW} tools. For each server, the "
        "time to register or list all tools is divided by the number of tools. A ratio near 1 means that the time "
        "grows in proportion to the number of tools.",
        [
            Row("a call: the decorated tool's / the low-level handler's", decorated / low, "at most 1.3"),
            Row(f"time per tool to register tools: {MANY:,} tools / {FEW} tools", registering, "at most 1.5"),
            Row(f"time per tool to list tools in pages: {MANY:,} tools / {FEW} tools", listing, "at most 1.5"),
        ],
    )


def servers() -> tuple[mcp.Server, mcp.Server]:
    """Return two servers with the same tool: handler and decorated function."""
    low, decorated = mcp.Server("low", "1.0"), mcp.Server("decorated", "1.0")

    @low.handler(mcp.methods.CALL_TOOL)
    def call(params: mcp.CallToolRequestParams, context: mcp.Context) -> mcp.CallToolResult:
        text = (params.arguments or {})["text"]
        return mcp.CallToolResult(content=[mcp.TextContent(text=text)])

    @decorated.tool
    def echo(text: str) -> str:
        return text

    return low, decorated


def _calls(effort: Effort) -> tuple[float, float]:
    """Return the median nanoseconds of a call for each of the two."""
    clients = [mcp.Client.in_memory(server) for server in servers()]
    taken: list[list[float]] = [[], []]
    with clients[0], clients[1]:
        for turn in range(effort.rounds + 1):
            for place in (0, 1) if turn % 2 else (1, 0):
                client = clients[place]
                begin = perf_counter_ns()
                for _ in range(effort.calls):
                    client.call_tool("echo", {"text": "hello"})
                # What is made ready by the first calls is not counted.
                if turn:
                    taken[place].append((perf_counter_ns() - begin) / effort.calls)
    return median(taken[0]), median(taken[1])


def _growth(rounds: int) -> tuple[float, float]:
    """Return the cost of a tool among many relative to a tool among few: registering and listing."""
    registering: dict[int, list[float]] = {FEW: [], MANY: []}
    listing: dict[int, list[float]] = {FEW: [], MANY: []}
    for _ in range(rounds):
        for number in (FEW, MANY):
            once, all_of_them = _many(number)
            registering[number].append(once / number)
            listing[number].append(all_of_them / number)
    return median(registering[MANY]) / median(registering[FEW]), median(listing[MANY]) / median(listing[FEW])


def _many(number: int) -> tuple[float, float]:
    """Return the nanoseconds for registering and for listing a number of tools."""

    def add(a: int, b: int = 1) -> int:
        """Add."""
        return a + b

    server = mcp.Server("many", "1.0")
    gc.collect()
    begin = perf_counter_ns()
    for place in range(number):
        server.tool(name=f"tool{place}")(add)
    registered = perf_counter_ns() - begin
    with mcp.Client.in_memory(server) as client:
        client.ping()
        gc.collect()
        begin = perf_counter_ns()
        found = sum(1 for _ in client.list_tools())
        listed = perf_counter_ns() - begin
    assert found == number
    return registered, listed
