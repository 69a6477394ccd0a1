"""The terminal on which somebody is asked: questions on standard error, answers from standard input."""

from __future__ import annotations

import os
import select
import sys
from threading import Lock

MOMENT = 0.25
"""Seconds after which each wait looks up, in case that Ctrl-C came right before it began."""


class Terminal:
    """Standard input and standard error, as ``forms.Asked``.

    Lines are read from the descriptor, not from ``sys.stdin``: a thread that waits in there when the program is
    interrupted would keep the interpreter from ending in good order.
    """

    def __init__(self) -> None:
        self.lock = Lock()
        """Held by who asks, as two questions at once would mix."""
        self._rest = b""

    @property
    def there(self) -> bool:
        """Whether somebody can answer."""
        return sys.stdin is not None and sys.stdin.isatty()

    def say(self, text: str) -> None:
        """Shows a line."""
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()

    def ask(self, prompt: str) -> str | None:
        """The line that is typed at a prompt, without its end; None at the end of the input."""
        sys.stderr.write(prompt)
        sys.stderr.flush()
        keys = sys.stdin.fileno()
        while b"\n" not in self._rest:
            if not select.select([keys], [], [], MOMENT)[0]:
                continue
            more = os.read(keys, 65536)
            if not more:
                self.say("")
                return None
            self._rest += more
        line, _, self._rest = self._rest.partition(b"\n")
        return line.decode("utf-8", "replace").rstrip("\r")
