"""Command ``python -m benchmarks.worker NAME``: one contender, which measures on request.

Requests are lines of JSON on standard input, responses on standard output: ``["prove"]`` returns the messages that the
contender keeps and refuses, ``["time", revision, message, work, loops, gc]`` nanoseconds for that many loops. It ends
with its input.
"""

from __future__ import annotations

import gc
import itertools
import json
import sys
import time
from typing import Any

from benchmarks.contenders import Contender, Work, load
from benchmarks.corpus import REVISIONS, Message, messages
from benchmarks.faults import wrong


class Worker:
    """A contender for each revision, and the requested works, ready to run."""

    def __init__(self, name: str) -> None:
        self._contenders: dict[str, Contender] = {revision: load(name, revision) for revision in REVISIONS}
        self._messages = {revision: messages(revision) for revision in REVISIONS}

    def versions(self) -> dict[str, str]:
        """Return the versions by distribution."""
        return dict(self._contenders[REVISIONS[0]].versions())

    def prove(self) -> dict[str, Any]:
        """Return how many valid messages change when read and written again, and how many invalid ones are accepted.

        ``dropped`` counts members, ``changed`` values (for example an integer that became a float); both by revision.
        """
        found: dict[str, Any] = {"dropped": {}, "changed": {}, "taken": {}, "wrong": 0}
        for revision, contender in self._contenders.items():
            dropped = changed = 0
            for message in self._messages[revision].values():
                typed = contender.decoder(message)(message.data)
                back = json.loads(contender.encoder(message)(typed))
                missing, different = _differences(json.loads(message.data), back)
                dropped, changed = dropped + missing, changed + different
            found["dropped"][revision], found["changed"][revision] = dropped, changed
            spoilt = wrong(revision)
            found["wrong"] += len(spoilt)
            found["taken"][revision] = [name for name, each in spoilt.items() if _takes(contender, each)]
        return found

    def time(self, revision: str, message: str, work: str, loops: int, collecting: bool) -> int:
        """Return the nanoseconds of this process for ``loops`` calls, after one that is not counted."""
        function, argument = self._work(revision, message, work)
        function(argument)
        if not collecting:
            gc.disable()
        each = itertools.repeat(None, loops)
        started = time.process_time_ns()
        for _ in each:
            function(argument)
        taken = time.process_time_ns() - started
        gc.enable()
        return taken

    def _work(self, revision: str, name: str, work: str) -> Work:
        """Return a new work each time: leftover objects would slow each garbage collection."""
        contender, message = self._contenders[revision], self._messages[revision][name]
        if work == "decode":
            return Work(contender.decoder(message), message.data)
        if work == "encode":
            return Work(contender.encoder(message), contender.decoder(message)(message.data))
        return contender.other(work, message)


def _differences(sent: Any, back: Any) -> tuple[int, int]:
    """Return the number of members of ``sent`` missing from ``back``, and the number of different or new values."""
    kind = sent.__class__
    if kind is not back.__class__:
        return 0, 1
    if kind is dict:
        inner = [_differences(sent[name], back[name]) for name in sent if name in back]
        inner.append((sum(name not in back for name in sent), sum(name not in sent for name in back)))
    elif kind is list:
        if len(sent) != len(back):
            return 0, 1
        inner = [_differences(one, other) for one, other in zip(sent, back, strict=True)]
    else:
        return 0, int(sent != back)
    return sum(missing for missing, _ in inner), sum(changed for _, changed in inner)


def _takes(contender: Contender, message: Message) -> bool:
    try:
        contender.decoder(message)(message.data)
    except Exception:  # noqa: BLE001  # each has exceptions of its own
        return False
    return True


def main() -> None:
    """Answer one line after the other."""
    worker = Worker(sys.argv[1])
    for line in sys.stdin:
        what, *arguments = json.loads(line)
        answer = getattr(worker, what)(*arguments)
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
