"""Load of eight threads on one connection, with requests of the server, progress and cancellations."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from random import Random
from typing import Any

from mcp_bindings_runtime.errors import RequestTimeout
from support.scripted_peers import package, text_of

THREADS = 8


@dataclass
class Figures:
    """Counts of the outcomes of calls."""

    calls: int = 0
    cancelled: int = 0
    crossed: list[Any] = field(default_factory=list)
    lost: list[BaseException] = field(default_factory=list)
    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)

    def __str__(self) -> str:
        row = sorted(self.latencies)
        return (
            f"{self.calls} calls, {self.cancelled} cancelled, {len(self.crossed)} crossed, {len(self.lost)} lost; "
            f"{len(row) / self.seconds:.0f}/s, p50 {row[len(row) // 2] * 1e3:.2f} ms, p99 {row[len(row) * 99 // 100] * 1e3:.2f} ms, "
            f"max {row[-1] * 1e3:.0f} ms"
        )


def answers_roots(client: Any, revision: str) -> None:
    """Make a client answer the requests of the echo server with the name of the root of each number."""
    mcp = package(revision)
    roots = [mcp.types.Root(uri="file:///r", name=f"root {number}") for number in range(THREADS)]
    client.handler(mcp.methods.LIST_ROOTS)(lambda params, context: mcp.types.ListRootsResult(roots=roots))


def soak(client: Any, times: int, *, seed: int = 0) -> Figures:
    """Call the echo server ``times`` times from each thread; ``client`` must be connected."""
    figures = Figures()
    lock = threading.Lock()

    def work(k: int) -> None:
        random = Random(f"{seed} {k}")
        for i in range(times):
            number = k * 1_000_000 + i
            arguments: dict[str, Any] = {"n": number}
            options: dict[str, Any] = {}
            expected = str(number)
            told: list[float] = []
            kind = random.random()
            if kind < 0.05:
                arguments["ask"] = k
                expected = f"root {k}"
            elif kind < 0.055:
                arguments["hold"] = True
                options["timeout"] = 0.02
            elif kind < 0.1:
                arguments["progress"] = 3
                options["on_progress"] = lambda params, told=told: told.append(params.progress)
            elif kind < 0.11:
                arguments["pause"] = random.random() * 0.02
            begun = time.perf_counter()
            try:
                result = client.call_tool("echo", arguments, **options)
            except RequestTimeout:
                with lock:
                    figures.cancelled += 1
                    if "hold" not in arguments:
                        figures.lost.append(RequestTimeout(f"{arguments}"))
                continue
            except BaseException as fault:  # noqa: BLE001  # told at the end
                with lock:
                    figures.lost.append(fault)
                return
            with lock:
                figures.calls += 1
                figures.latencies.append(time.perf_counter() - begun)
                if text_of(result) != expected or (told and told[-1] != 3):
                    figures.crossed.append((arguments, result, told))

    threads = [threading.Thread(target=work, args=(k,), name=f"soak-{k}") for k in range(THREADS)]
    begun = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    figures.seconds = time.perf_counter() - begun
    return figures
