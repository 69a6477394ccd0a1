"""Whole Python processes as the operating system measures them: CPU seconds, wall seconds, peak memory (Linux)."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from statistics import median

from attrs import frozen

# The kernel's own mark is asked for at exit: what wait4 reports begins with the memory of the process that forked.
_REPORT = (
    "import atexit, os; atexit.register(lambda: os.write(2, "
    "next(line for line in open('/proc/self/status', 'rb') if line.startswith(b'VmHWM'))))\n"
)


@frozen
class Program:
    """Python source, and the interpreter that runs it."""

    python: str
    source: str


@frozen
class Cost:
    """Cost of one program: medians over its runs."""

    cpu: float
    """Seconds of user and system time."""
    wall: float
    """Seconds of wall time."""
    memory: float
    """Peak resident memory in MiB."""


def compare(programs: Mapping[str, Program], runs: int) -> dict[str, Cost]:
    """Return the cost of each program; they take turns, so that a slower machine slows all of them.

    Each runs once before the measurement, to write byte code and to fill the file cache. Raise CalledProcessError if a
    program fails.
    """
    samples: dict[str, list[Cost]] = {name: [] for name in programs}
    for turn in range(runs + 1):
        for name, program in programs.items():
            cost = _run(program)
            if turn:
                samples[name].append(cost)
    return {name: _median(costs) for name, costs in samples.items()}


def _run(program: Program) -> Cost:
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    command = [program.python, "-c", _REPORT + program.source]
    started = time.perf_counter()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr is not None
    said = process.stderr.read()
    process.stderr.close()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command, stderr=said)
    kibibytes = int(said.rsplit(b"VmHWM:", 1)[1].split()[0])
    return Cost(usage.ru_utime + usage.ru_stime, wall, kibibytes / 1024)


def _median(costs: Sequence[Cost]) -> Cost:
    return Cost(*(median(getattr(cost, each) for cost in costs) for each in ("cpu", "wall", "memory")))
