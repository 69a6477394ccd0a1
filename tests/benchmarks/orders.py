"""A child of a benchmark: it does what its parent tells it on standard input, line by line, until there are no more."""

from __future__ import annotations

import json
import sys
from typing import Protocol


class Closing(Protocol):
    """What has to be closed at the end; its other methods are what it can be told to do."""

    def close(self) -> None: ...


def follow(servant: Closing) -> None:
    """Lines are JSON: ``["method", argument, …]`` in, what the method gives out."""
    try:
        for line in sys.stdin:
            what, *arguments = json.loads(line)
            answer = getattr(servant, what)(*arguments)
            sys.stdout.write(json.dumps(answer) + "\n")
            sys.stdout.flush()
    finally:
        servant.close()
