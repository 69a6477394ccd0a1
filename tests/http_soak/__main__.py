"""``python -m http_soak`` in ``tests/``: soak a server for so many seconds, and judge it; exit status 1 if it fails.

The first tenth of the time has honest peers only, so that the others' effect on them shows. Then hostile peers come, and every
few seconds something is restarted. At the end all leave, and the server has to return to what it held at the beginning.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from random import SystemRandom
from subprocess import PIPE, Popen
from threading import Event, Thread

from support.raw_http_client import NEW
from support.scripted_peers import environment, package

from http_soak.deployment import BehindNginx, Deployment, OneProcess, TwoWorkers, Usage
from http_soak.honest_peers import HonestPeers
from http_soak.hostile_peers import LATEST
from http_soak.processor_time import ProcessorTime
from http_soak.record import Journal, Record
from http_soak.report import Soak, rows, table

REVISIONS = [LATEST, NEW]
SERVERS: dict[str, type[Deployment]] = {"serve.http": OneProcess, "gunicorn": TwoWorkers, "nginx": BehindNginx}
QUIET = 12.0
"""Seconds after which a server has closed idle connections and ended idle threads."""
LEAVING = 60.0
"""Limit on the seconds in which a server returns to what it held at the beginning."""


class Watcher:
    """Samples what the server holds twice a second, and keeps the most."""

    def __init__(self, deployment: Deployment, processors: ProcessorTime) -> None:
        self._deployment = deployment
        self._processors = processors
        self._stop = Event()
        self.peak = Usage(0, 0, 0)
        self._thread = Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while not self._stop.wait(0.5):
            self._processors.sample()
            if (usage := self._deployment.usage()) is not None:
                self.peak = Usage(*map(max, self.peak, usage))

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()


@contextmanager
def hostile_peers(deployment: Deployment, record: Record, seed: int) -> Iterator[None]:
    """Run the hostile peers in a process of their own; add what they did to the record."""
    command = [sys.executable, "-m", "http_soak.hostile_peers", str(deployment.port), deployment.path, str(seed)]
    program = Popen(command, env=environment(), stdout=PIPE, text=True)
    assert program.stdout is not None
    lines = program.stdout
    counts: dict[str, int] = {}
    reader = Thread(
        target=lambda: [counts.update(json.loads(line)) for line in lines if line.endswith("\n")], daemon=True
    )
    reader.start()
    try:
        yield
        assert program.poll() is None, "the hostile peers have ended by themselves"
    finally:
        program.kill()
        program.wait()
        reader.join()
        lines.close()
        record.events.update(counts)


def disturbances(deployment: Deployment, record: Record) -> Iterator[Callable[[], None]]:
    """Yield functions that restart something, in turn and without an end."""

    def act(kind: str, action: Callable[[], None], *, graceful: bool = False) -> Callable[[], None]:
        def run() -> None:
            with record.disturbance(kind, graceful=graceful):
                action()

        return run

    actions = [
        act("restarts of the server in order", deployment.restart, graceful=True),
        act("server processes killed", deployment.kill),
    ]
    if isinstance(deployment, TwoWorkers):
        actions.append(act("restarts of Redis", deployment.restart_redis))
    return cycle(actions)


def visit(deployment: Deployment) -> None:
    """Use everything once, so that what a server keeps for good is there."""
    for revision in REVISIONS:
        with package(revision).Client.http(deployment.url) as client:
            client.call_tool("echo", {"key": f"visit-{time.monotonic_ns()}", "text": "x"})


def settled(deployment: Deployment, enough: Callable[[Usage], bool]) -> Usage:
    """Return what the server holds as soon as that is little enough, at the latest after ``LEAVING`` seconds."""
    until = time.monotonic() + LEAVING
    while True:
        usage = deployment.usage()
        if usage is not None and (enough(usage) or time.monotonic() > until):
            return usage
        time.sleep(0.5)


def soak(deployment: Deployment, seconds: float, pause: float, seed: int) -> Soak:
    record = Record()
    processors = ProcessorTime()
    deployment.start()
    for _ in range(4):
        visit(deployment)
    time.sleep(QUIET)
    first = settled(deployment, lambda _: True)
    watcher = Watcher(deployment, processors)
    peers = HonestPeers(deployment.url, REVISIONS, record, seed)
    peers.start()
    time.sleep(max(10.0, seconds / 10))
    idle_until = time.monotonic()
    until = idle_until + seconds * 0.9
    peers.visiting.set()
    with hostile_peers(deployment, record, seed):
        time.sleep(pause)
        for disturb in disturbances(deployment, record):
            disturb()
            left = until - time.monotonic()
            time.sleep(max(0.0, min(pause, left)))
            if left <= pause:
                break
    stopped = time.monotonic()
    peers.stop()
    others = processors.others()
    watcher.stop()
    last = settled(deployment, lambda usage: usage.descriptors <= first.descriptors and usage.threads <= first.threads)
    journal = Journal.read(deployment.journal)
    return Soak(record, journal, idle_until, stopped, first, last, watcher.peak, others, deployment.pool)


def _installed() -> Iterator[str]:
    """Yield the names of the servers whose programs are there."""
    for name, server in SERVERS.items():
        if server.needs is None or shutil.which(server.needs):
            yield name
        else:
            sys.stdout.write(f"{name} is left out: there is no program {server.needs}\n")


def main() -> int:
    """Soak the chosen servers one after the other; return 1 if any fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1800.0, help="duration for each server")
    parser.add_argument("--pause", type=float, default=15.0, help="seconds between two restarts")
    parser.add_argument("--server", choices=SERVERS, action="append", help="by default all that are installed")
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(2**32))
    parser.add_argument("--keep", type=Path, help="folder for journals and logs")
    options = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as temporary:
        for name in options.server or _installed():
            folder = (options.keep or Path(temporary)) / name
            folder.mkdir(parents=True, exist_ok=True)
            packages = [f"mcp_bindings.v{revision.replace('-', '_')}" for revision in REVISIONS]
            deployment = SERVERS[name](folder, packages)
            try:
                found = [*rows(soak(deployment, options.seconds, options.pause, options.seed))]
            finally:
                deployment.stop()
            sys.stdout.write(f"\n{name}, {options.seconds:g} s, seed {options.seed}\n\n{table(found)}\n")
            sys.stdout.flush()
            failed = failed or any(row.good is False for row in found)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
