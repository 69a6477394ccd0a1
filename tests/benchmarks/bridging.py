"""Cost of bridged calls compared with direct ones, of ``convert``, and of the bridge process compared with mcp-proxy."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from importlib import import_module
from itertools import pairwise
from statistics import median
from time import perf_counter
from typing import Any, Literal, NamedTuple

from mcp_bindings import bridge

from benchmarks import bare_relay, corpus, single_revision_server
from benchmarks.bytecodes import BytecodeCounter
from benchmarks.callers.listening import Listening
from benchmarks.callers.loop import Loop
from benchmarks.interleave import rotated
from benchmarks.page import Row, Table, ratio
from benchmarks.speakers import TEXT, TOOL, timed

SERVER = single_revision_server.__file__
HANDSHAKE = "2025-11-25"
OLDER = "2025-06-18"
STATELESS = "2026-07-28"
PROXY_VERSION = "import importlib.metadata as m; print(m.version('mcp-proxy'))"

Side = Literal["client", "server"]


class Effort(NamedTuple):
    """Numbers of measurements."""

    rounds: int
    """Segments of each connection and of each process."""
    seconds: float
    """Seconds of a segment."""
    counted: int
    """Calls of each connection whose bytecodes are counted."""


FULL = Effort(rounds=150, seconds=0.05, counted=300)
QUICK = Effort(rounds=2, seconds=0.05, counted=50)


class Connection(NamedTuple):
    """A client with the revision of its program and a server with that of its own."""

    client: str
    server: str
    bridge: Side | None
    """The side that uses the other's revision on the wire; None if both are the same."""
    limited: bool = True
    """Whether the sides that do not bridge are limited to their own revision."""

    @property
    def wire(self) -> str:
        """The revision on the wire."""
        return self.client if self.bridge == "server" else self.server


DIRECT = tuple(Connection(each, each, None) for each in (OLDER, HANDSHAKE, STATELESS))
SERVING_ALL = Connection(HANDSHAKE, HANDSHAKE, None, limited=False)
WITHIN = tuple(
    Connection(*pair, side) for pair in ((OLDER, HANDSHAKE), (HANDSHAKE, OLDER)) for side in ("client", "server")
)
ACROSS = tuple(
    Connection(*pair, side)
    for pair in ((STATELESS, HANDSHAKE), (HANDSHAKE, STATELESS))
    for side in ("client", "server")
)


def measure(effort: Effort = FULL, proxy: str | None = None) -> Table:
    """Measure all; ``proxy`` is the interpreter of an environment with mcp-proxy, if there is one."""
    calls = time_calls(effort)
    rows = [Row(f"a call within the era, {_name(each)} / direct", _cost(calls, each), "at most 1.3") for each in WITHIN]
    rows += [Row(f"a call across the eras, {_name(each)} / direct", _cost(calls, each), "at most 2") for each in ACROSS]
    counts = count_bytecodes(effort)
    same = counts[SERVING_ALL] / counts[Connection(HANDSHAKE, HANDSHAKE, None)]
    name = "bytecodes of a direct call: each side accepts all revisions / each side accepts only its own revision"
    rows.append(Row(name, same, "at most 1.01"))
    for source, target in (*pairwise((corpus.REVISIONS[0], HANDSHAKE, STATELESS)), (STATELESS, HANDSHAKE)):
        rows.append(Row(f"`convert` from {source} to {target}", convert_speed(source, target, effort), unit="MB/s"))
    rates = time_processes(effort, proxy)
    if "mcp-proxy" in rates:
        name = "calls per second over HTTP: `mcp-codegen bridge` / mcp-proxy"
        rows.append(Row(name, rates["bridge"] / rates["mcp-proxy"], "at least 10"))
        rows.append(
            Row("calls per second over HTTP: the bare relay / mcp-proxy", rates["bare relay"] / rates["mcp-proxy"])
        )
    rows.append(
        Row("calls per second over HTTP: `mcp-codegen bridge` / the bare relay", rates["bridge"] / rates["bare relay"])
    )
    return Table("Bridged calls", _about(calls, counts, rates, effort, proxy), rows)


def _about(
    calls: Mapping[Connection, float],
    counts: Mapping[Connection, float],
    rates: Mapping[str, float],
    effort: Effort,
    proxy: str | None,
) -> str:
    direct = ", ".join(f"{ratio(calls[each] * 1e6)} µs in {each.wire}" for each in DIRECT)
    spoken = {"bridge": "`mcp-codegen bridge`", "bare relay": "the bare relay"}
    passed_on = ", ".join(f"{ratio(rate)} with {spoken.get(name, name)}" for name, rate in rates.items())
    against = "" if proxy else " mcp-proxy was not measured: no environment with it was given (`--proxy`)."
    return (
        "If client and server use different revisions, one of them, or a program between them, "
        "[converts the messages](bridge.md) from one revision to the other. The benchmark calls a tool that "
        "returns its argument, over stdio, one call after the other. In a *bridged call*, one side converts the "
        "messages from and to the revision of the other side. For comparison, the benchmark also makes a *direct "
        "call*, in which client and server both use that revision, so nothing is converted. "
        "The benchmark divides the median time of "
        "the bridged call by the median "
        "time of the "
        "direct call. The messages between the processes "
        "are the same in both cases. The connections take turns: the client makes calls on one connection for "
        f"{effort.seconds:g} s, and then on the next one. Each connection has {effort.rounds} turns. In the table, the "
        "side that is named first converts the "
        "messages. *Within the era* means that both revisions have sessions, and *across the eras* that one "
        "of them is 2026-07-28, which is "
        "stateless.\n\n"
        "Other programs on the machine, and the memory layout of a process, change the ratios between bridged and "
        "direct calls by several percent. "
        "So the benchmark also counts bytecodes, the instructions that the interpreter executes, with client and "
        f"server in one process. A direct call takes {_counted(counts, DIRECT)} bytecodes. A bridged call "
        f"takes {_counted(counts, WITHIN)} if both revisions have sessions, and {_counted(counts, ACROSS)} if one of "
        f"them "
        f"is 2026-07-28. {SPENT}\n\n"
        "The function `convert` converts parsed messages without a connection. The rows with `convert` show its "
        "speed in megabytes of JSON text per second, without the time to parse the text. In these rows, the function "
        "converts "
        "the messages of the section [Decoding and encoding](#decoding-and-encoding), except *blob* and the messages "
        "that the target revision cannot express.\n\n"
        "The last three rows compare programs that offer a stdio server over HTTP: `mcp-codegen bridge`, mcp-proxy "
        "(a package on PyPI), and a *bare relay*. The bare relay passes bytes between HTTP and the pipes of the "
        "stdio server and checks nothing, so a Python program can hardly be faster. A small client, *the loop* "
        "of the section [HTTP](#http), calls the tool through these programs, with one session for each of them. "
        f"{PASSED_ON}{against}\n\n"
        f"In absolute figures, a direct call takes {direct}. The calls per second over HTTP are {passed_on}."
    )


def _counted(counts: Mapping[Connection, float], connections: Sequence[Connection]) -> str:
    found = [round(counts[each], -2) for each in connections]
    return f"{min(found):,.0f} to {max(found):,.0f}"


SPENT = (
    "With an earlier version of the code that converts messages, a bridged call took 5,100 to 9,200 bytecodes, because "
    "this code converted every object to JSON and back. Now the code converts objects directly, and uses JSON only for "
    "objects that it cannot convert this way."
)
PASSED_ON = (
    "A call passes through three processes that wait for each other. So the ratios in these rows also depend on how "
    "much other programs use the processors. The goal for `mcp-codegen bridge` is ten times as many calls per second "
    "as with mcp-proxy. A Python "
    "program can hardly reach this goal: even the bare relay misses it. The loop and the stdio server take most of the "
    "time of a call through the relay.\n\n"
    "A call takes 5,200 bytecodes in the process that runs `mcp-codegen bridge` (6,000 in an earlier version). More "
    "than "
    "half of them are for HTTP and the session with the client, and three tenths for the session with the stdio "
    "server. "
    "The remaining bytecodes are for keeping track of calls in progress, which may be cancelled or require input. "
    "Decoding and encoding the request and the response are included in these figures. They take an eighth of all "
    "bytecodes, so passing the bytes on unread would save at most an eighth. The thread that has read a request "
    "from the client also writes it to a pipe of the stdio "
    "server and reads the response from the other pipe, so no thread waits for another. This thread "
    "makes the same system calls as the bare "
    "relay in the table, and one more before each read, to wait for data."
)


def _name(connection: Connection) -> str:
    sides = {"client": f"client of {connection.client}", "server": f"server of {connection.server}"}
    bridging: Any = connection.bridge
    other = "server" if bridging == "client" else "client"
    return f"{sides[bridging]} with a {sides[other]}"


def _cost(calls: Mapping[Connection, float], connection: Connection) -> float:
    """Return the cost of a bridged call in direct calls of the revision on the wire."""
    return calls[connection] / calls[Connection(connection.wire, connection.wire, None)]


def connect(connection: Connection, *, in_memory: bool = False) -> Any:
    """Return the client of a connection, connected to a server in a process of its own, or in this one."""
    cls: Any = import_module(f"mcp_bindings.v{connection.client.replace('-', '_')}").Client
    limited = {side for side in ("client", "server") if connection.limited and connection.bridge != side}
    server = [connection.server, *([connection.server] if "server" in limited else [])]
    revisions = [connection.client] if "client" in limited else None
    if in_memory:
        made = cls.in_memory(single_revision_server.make(*server), revisions=revisions)
    else:
        made = cls.stdio([sys.executable, SERVER, *server], revisions=revisions)
    made.connect()
    return made


def count_bytecodes(effort: Effort) -> Mapping[Connection, float]:
    """Return the bytecodes of a call of each connection in memory: means of the calls."""
    counter = BytecodeCounter()
    counts: dict[Connection, float] = {}
    for each in (*DIRECT, SERVING_ALL, *WITHIN, *ACROSS):
        with counter.counting(), connect(each, in_memory=True) as client:
            call = partial(client.call_tool, TOOL, {"text": TEXT})
            # What is made ready by the first calls is not counted.
            counter.of(call, 30)
            counts[each] = counter.of(call, effort.counted)
    return counts


def time_calls(effort: Effort) -> Mapping[Connection, float]:
    """Return the seconds of the median call of each connection. Raise ValueError if one of them returns another text."""
    taken: dict[Connection, list[int]] = {each: [] for each in (*DIRECT, *WITHIN, *ACROSS)}
    with ExitStack() as stack:
        clients = {each: stack.enter_context(connect(each)) for each in taken}
        for each, client in clients.items():
            heard = client.call_tool(TOOL, {"text": TEXT}).content[0].text
            if heard != TEXT:
                message = f"{each}: {TEXT!r} was said, and {heard!r} came back"
                raise ValueError(message)
        for turn in range(effort.rounds + 1):
            # Back and forth, so that nobody always comes after the same one.
            for each in rotated([*taken][:: -1 if turn % 2 else 1], turn):
                segment = timed(partial(clients[each].call_tool, TOOL, {"text": TEXT}), effort.seconds)
                # What is made ready by the first calls is not counted.
                if turn:
                    taken[each] += segment
    return {each: median(segment) / 1e9 for each, segment in taken.items()}


def convertible(source: str, target: str) -> Iterator[tuple[Any, Mapping[str, Any], int]]:
    """Yield the messages that can be converted, the arguments for that, and the length of their text."""
    for message in corpus.messages(source).values():
        value = json.loads(message.data)
        arguments: dict[str, Any] = {
            "to": target,
            "from_": source,
            "answers": message.answers,
            "sender": message.sender,
        }
        if message.name != "blob" and bridge.convert(value, **arguments).messages:
            yield value, arguments, len(message.data)


def convert_speed(source: str, target: str, effort: Effort) -> float:
    """Return the megabytes of text per second that ``convert`` takes."""
    messages = list(convertible(source, target))
    speeds: list[float] = []
    for _ in range(effort.rounds):
        begin = perf_counter()
        for value, arguments, _ in messages:
            bridge.convert(value, **arguments)
        speeds.append(sum(length for *_, length in messages) / (perf_counter() - begin) / 1e6)
    return median(speeds)


def gateway_command(name: str, proxy: str | None, port: int) -> Sequence[str]:
    """Return the command of a process that serves the echo server over HTTP."""
    server = [sys.executable, SERVER, HANDSHAKE, HANDSHAKE]
    if name == "bridge":
        return [sys.executable, "-m", "mcp_bindgen", "bridge", "--http", str(port), "--", *server]
    if name == "bare relay":
        return [sys.executable, bare_relay.__file__, str(port), *server]
    return [str(proxy), "-m", "mcp_proxy", "--port", str(port), "--log-level", "ERROR", "--", *server]


def time_processes(effort: Effort, proxy: str | None) -> Mapping[str, float]:
    """Return the calls per second of each process: medians of the segments."""
    names = ["bridge", "bare relay", *(["mcp-proxy"] if proxy else [])]
    rates: dict[str, list[float]] = {name: [] for name in names}
    with ExitStack() as stack:
        loops: dict[str, Loop] = {}
        for name in names:
            listening = Listening(partial(gateway_command, name, proxy))
            stack.callback(listening.close)
            loops[name] = Loop(listening, sessions=True)
            stack.callback(loops[name].close)
            heard = loops[name].call(HANDSHAKE)
            if heard != TEXT:
                message = f"{name}: {TEXT!r} was said, and {heard!r} came back"
                raise ValueError(message)
        for turn in range(effort.rounds + 1):
            for name in names[:: -1 if turn % 2 else 1]:
                segment = loops[name].calls(HANDSHAKE, 1, effort.seconds)
                if turn:
                    rates[name].append(len(segment.taken) / segment.wall * 1e9)
    return {name: median(each) for name, each in rates.items()}


def proxy_version(proxy: str) -> Mapping[str, str]:
    """Return the version of mcp-proxy in an environment."""
    found = subprocess.run([proxy, "-c", PROXY_VERSION], capture_output=True, text=True, check=True)
    return {"mcp-proxy": found.stdout.strip()}
