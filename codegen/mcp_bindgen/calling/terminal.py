"""The terminal for prompts: questions on standard error, answers from standard input."""

from __future__ import annotations

import os
import select
import sys
from threading import Lock

POLL_INTERVAL = 0.25
"""Seconds between checks for an interrupt that came right before a wait."""


class Terminal:
    """Prompts on standard error, reads from standard input.

    Lines are read from the file descriptor and not from ``sys.stdin``: a thread that waits there when the program is
    interrupted would block the interpreter's shutdown.
    """

    def __init__(self) -> None:
        self.lock = Lock()
        """Held while prompting, so that two forms do not mix."""
        self._rest = b""

    @property
    def interactive(self) -> bool:
        """Whether standard input is a terminal."""
        return sys.stdin is not None and sys.stdin.isatty()

    def show(self, text: str) -> None:
        """Show a line."""
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()

    def prompt(self, text: str) -> str | None:
        """Show a prompt and return the typed line without its end; None at the end of the input."""
        sys.stderr.write(text)
        sys.stderr.flush()
        descriptor = sys.stdin.fileno()
        while b"\n" not in self._rest:
            if not select.select([descriptor], [], [], POLL_INTERVAL)[0]:
                continue
            more = os.read(descriptor, 65536)
            if not more:
                self.show("")
                return None
            self._rest += more
        line, _, self._rest = self._rest.partition(b"\n")
        return line.decode("utf-8", "replace").rstrip("\r")
