"""Child process of a benchmark: it executes the lines of its parent on standard input until they end."""

from __future__ import annotations

import json
import sys
from typing import Protocol


class Closing(Protocol):
    """A target with a ``close`` method; its other methods can be called by its parent."""

    def close(self) -> None: ...


def follow(servant: Closing) -> None:
    """Execute lines of JSON: ``["method", argument, …]`` in, the method's result out."""
    try:
        for line in sys.stdin:
            what, *arguments = json.loads(line)
            answer = getattr(servant, what)(*arguments)
            sys.stdout.write(json.dumps(answer) + "\n")
            sys.stdout.flush()
    finally:
        servant.close()
