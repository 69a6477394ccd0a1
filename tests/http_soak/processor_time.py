"""The share of the processors' time that other programs have, from ``/proc`` (Linux)."""

from __future__ import annotations

import os
from pathlib import Path


def descendants(pid: int) -> list[int]:
    """Return a process and all processes below it."""
    found = [pid]
    for each in found:
        try:
            for task in Path(f"/proc/{each}/task").iterdir():
                found += map(int, (task / "children").read_text(encoding="ascii").split())
        except OSError:
            continue
    return found


class ProcessorTime:
    """Compares the time of this program and its descendants with that of the machine, in ticks of the clock."""

    def __init__(self) -> None:
        self._own: dict[int, int] = {}
        self._machine = _machine()
        self.sample()
        self._before = sum(self._own.values())

    def sample(self) -> None:
        """Note the time of the processes that run now; the last sample of one that has ended counts."""
        for pid in descendants(os.getpid()):
            try:
                fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
            except OSError:
                continue
            self._own[pid] = int(fields[11]) + int(fields[12])

    def others(self) -> float:
        """Return the share of other programs since the beginning."""
        self.sample()
        busy, total = (now - before for now, before in zip(_machine(), self._machine, strict=True))
        return max(0.0, (busy - sum(self._own.values()) + self._before) / max(1, total))


def _machine() -> tuple[int, int]:
    """Return the busy and all ticks of all processors."""
    ticks = [int(each) for each in Path("/proc/stat").read_text(encoding="ascii").splitlines()[0].split()[1:9]]
    idle = ticks[3] + ticks[4]
    return sum(ticks) - idle, sum(ticks)
