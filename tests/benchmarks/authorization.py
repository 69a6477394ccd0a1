"""Cost of access tokens: a call over HTTP with a token that the server remembers as valid, beside one without."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from statistics import median
from time import process_time_ns
from typing import Any, NamedTuple

from mcp_bindings import Authorization
from mcp_bindings import v2026_07_28 as mcp
from mcp_bindings.testing import TokenIssuer
from mcp_bindings_runtime.http.server.http_server import make_server

from benchmarks.bytecodes import BytecodeCounter
from benchmarks.page import Row, Table, ratio

REVISION = "2026-07-28"
RESOURCE = "https://mcp.example.com/mcp"


class Effort(NamedTuple):
    """Numbers of measurements."""

    pairs: int
    """Pairs of servers, each of new ones: where they lie in memory changes the time of a call by some percent."""
    rounds: int
    calls: int
    """Calls of each server in each round."""
    counted: int
    """Calls of each server whose bytecodes are counted."""


FULL = Effort(pairs=8, rounds=60, calls=20, counted=300)
QUICK = Effort(pairs=2, rounds=20, calls=20, counted=50)


def measure(effort: Effort = FULL) -> Table:
    """Measure calls with and without a token in turns, each pair in the order of the turn."""
    counter = BytecodeCounter()
    with counter.counting(), _pair() as clients:
        bytecodes = [counter.of(partial(_call, client), effort.counted) for client in clients]
    times: list[tuple[float, float]] = []
    for _ in range(effort.pairs):
        with _pair() as clients:
            times.append(_times(clients, effort))
    without, with_token = (median(each) / 1000 for each in zip(*times, strict=True))
    return Table(
        "Access tokens",
        f"These figures show the cost of authorization for a call over HTTP in {REVISION}, with client and server "
        "in one process. With a token, the client sends a JWT that the server's `JwtValidator` has validated "
        "before, and calls a tool that requires a scope. Without a token, the client calls "
        "the same tool on a server without authorization, where the tool requires no scope.\n\n"
        f"With a token, a call takes {bytecodes[1]:,.0f} bytecodes in client and server together; without one, it "
        f"takes "
        f"{bytecodes[0]:,.0f}. These figures are means of {effort.counted} calls. The processor time of a call is "
        f"{ratio(with_token)} µs with a token, and {ratio(without)} µs without one. These times are medians of "
        f"{effort.pairs} pairs of servers; each pair has one server with authorization and one without. In each "
        f"of {effort.rounds} rounds, each server of a pair answers {effort.calls} calls. Other programs on "
        "the machine can change "
        "the processor times by more than the token does, so rely on the bytecodes.",
        [
            Row("bytecodes of a call: with a token / without", bytecodes[1] / bytecodes[0], "at most 1.03"),
            Row("processor time of a call: with a token / without", median(b / a for a, b in times), "at most 1.03"),
        ],
    )


@contextmanager
def _pair() -> Iterator[tuple[Any, Any]]:
    """Yield a client without a token and one with a token, which have made calls before."""
    tokens = TokenIssuer()
    authorization = Authorization(tokens.validator(), resource=RESOURCE)
    header = {"Authorization": f"Bearer {tokens.token('ada', resource=RESOURCE, scopes=['files:read'])}"}
    with _client(None, {}) as plain, _client(authorization, header) as sending:
        for client in (plain, sending):
            for _ in range(30):
                _call(client)
        yield plain, sending


def _call(client: Any) -> None:
    client.call_tool("echo", {"text": "hello"})


@contextmanager
def _client(authorization: Authorization | None, headers: Mapping[str, str]) -> Iterator[Any]:
    """Yield a client of a new server."""
    server = mcp.Server("echo", "1.0", limits=False)

    @server.tool(scopes=() if authorization is None else ["files:read"])
    def echo(text: str) -> str:
        return text

    with (
        make_server([server], port=0, path="/mcp", authorization=authorization) as served,
        mcp.Client.http(served.url("/mcp"), headers=headers) as client,
    ):
        yield client


def _times(clients: tuple[Any, Any], effort: Effort) -> tuple[float, float]:
    """Return the nanoseconds of processor time of a call of each of the clients, and of its server."""
    taken: list[list[float]] = [[], []]
    for turn in range(effort.rounds + 1):
        for place in (0, 1) if turn % 2 else (1, 0):
            client = clients[place]
            begin = process_time_ns()
            for _ in range(effort.calls):
                _call(client)
            # What is made ready by the first calls is not counted.
            if turn:
                taken[place].append((process_time_ns() - begin) / effort.calls)
    return median(taken[0]), median(taken[1])
