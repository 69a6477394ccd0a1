"""Honest clients: they call tools from several threads, answer questions, and listen for changes."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from random import Random
from subprocess import DEVNULL, Popen, TimeoutExpired
from threading import Event, Thread
from typing import Any

from mcp_bindings import RetryPolicy
from support.scripted_peers import environment, package, text_of

from http_soak.record import Call, Record
from http_soak.server_program import STATE

TIMEOUT = 30.0
"""Seconds that a call may take."""
PAUSE = 0.03
"""Mean of the seconds between two calls of a thread."""
VISIT = 10.0
"""Seconds between two visits of the command line."""


class HonestPeers:
    """Threads with clients of one server; each records its calls."""

    def __init__(self, url: str, revisions: list[str], record: Record, seed: int) -> None:
        self._url = url
        self._revisions = revisions
        self._record = record
        self._stop = Event()
        self._seed = seed
        self._threads: list[Thread] = []
        self._clients: list[Any] = []
        self.visiting = Event()
        """Set while command lines call the server, too."""

    def start(self) -> None:
        for revision in self._revisions:
            client = self._client(revision, elicitation=_answer_to(revision))
            for tool, number in (("echo", 3), ("wait", 1), ("stream", 1)):
                for index in range(number):
                    self._run(f"{revision}-{tool}-{index}", self._call, client, tool)
            # Clients answer ten questions a second.
            self._run(f"{revision}-ask", self._call, client, "ask", 0.3)
            for index in range(3):
                self._listen(f"{revision}-{index}", revision)
        self._run("change", self._call, self._client(self._revisions[0]), "change", 0.5)
        self._run("visit", self._visit)

    def stop(self) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(TIMEOUT + 20)
        for client in self._clients:
            client.close()

    def _client(self, revision: str, **options: Any) -> Any:
        mcp = package(revision)
        client = mcp.Client.http(self._url, timeout=TIMEOUT, retries=RetryPolicy(8, longest=5.0), **options)
        client.connect()
        self._clients.append(client)
        return client

    def _run(self, name: str, target: Callable[..., None], *arguments: Any) -> None:
        thread = Thread(target=target, name=name, args=(name, *arguments), daemon=True)
        self._threads.append(thread)
        thread.start()

    def _listen(self, name: str, revision: str) -> None:
        client = self._client(revision, on_resource_updated=lambda *_: self._record.changed(name))
        client.subscribe(STATE)
        self._record.changed(name)

    def _call(self, name: str, client: Any, tool: str, pause: float = PAUSE) -> None:
        random = Random(f"{self._seed} {name}")
        for number in count():
            if self._stop.wait(random.expovariate(1 / pause)):
                return
            key = f"{name}-{number}"
            arguments, expected = _call_of(tool, key, random)
            call = self._record.begin(key, tool, TIMEOUT)
            try:
                found = text_of(client.call_tool(tool, arguments, timeout=TIMEOUT))
                call.outcome = "answered" if found == expected else "crossed"
                call.reason = "" if found == expected else f"expected {expected[:60]!r}, got {found[:200]!r}"
            except Exception as error:  # noqa: BLE001 - the report names all
                call.outcome, call.reason = type(error).__name__, str(error)
            finally:
                call.end = time.monotonic()

    def _visit(self, name: str) -> None:
        """Call a tool by command lines, every other of which is killed."""
        for number in count():
            if self._stop.wait(VISIT):
                return
            if not self.visiting.is_set():
                continue
            key = f"{name}-{number}"
            command = [sys.executable, "-m", "mcp_bindgen", "call", "call", "echo", f"key={key}", "text=x", "--url"]
            program = Popen([*command, self._url], env=environment(), stdout=DEVNULL, stderr=DEVNULL)
            with suppress(TimeoutExpired):
                program.wait(1.0 if number % 2 else TIMEOUT)
            program.kill()
            program.wait()
            self._record.events["visits of the command line"] += 1


def _call_of(tool: str, key: str, random: Random) -> tuple[dict[str, Any], str]:
    """Return the arguments of a call, and the text that is its result."""
    if tool == "echo":
        text = "x" * random.choice((10, 1000, 20_000))
        return {"key": key, "text": text}, f"{key} {text}"
    if tool == "wait":
        return {"key": key, "seconds": random.uniform(0.0, 1.5)}, key
    if tool == "stream":
        return {"key": key, "steps": random.randrange(1, 20)}, key
    return {"key": key}, f"{key} an answer to {key}" if tool == "ask" else key


def _answer_to(revision: str) -> Callable[..., Any]:
    mcp = package(revision)

    def answer(params: Any, _context: Any) -> Any:
        return mcp.ElicitResult(action="accept", content={"answer": f"an answer to {params.message}"})

    return answer


def hung(calls: Iterator[Call], margin: float = 15.0) -> list[Call]:
    """Return the calls that have lasted longer than they may."""
    now = time.monotonic()
    return [each for each in calls if (now if each.end is None else each.end) > each.deadline + margin]
