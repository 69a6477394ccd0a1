"""Report on the differences of bridged connections: a file of all, and a summary."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, TextIO

from mcp_bindings_runtime.bridge.connection_ledger import ConnectionLedger

from mcp_bindgen.appended_file import open_for_appending

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from mcp_bindings_runtime.bridge.ledger import LedgerEntry


class LossReport:
    """Counts the differences of all connections inside ``with``, and appends them to a file, one JSON object a line."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._file: TextIO | None = None
        self._lock = Lock()
        self._counts: Counter[tuple[str, str, str, str]] = Counter()
        self.has_losses = False
        """Whether content was dropped or refused."""

    def __enter__(self) -> Self:
        """Raise ``BindgenError`` if the file cannot be written."""
        if self._path is not None:
            self._file = open_for_appending(self._path, "--report")
        ConnectionLedger.observers.append(self._add)
        return self

    def __exit__(self, *_: object) -> None:
        ConnectionLedger.observers.remove(self._add)
        if self._file is not None:
            self._file.close()

    def summary(self) -> list[str]:
        """Return a line for each kind of difference, the most frequent first."""
        return [
            f"{count} x {action}: {method}: {why} ({section})"
            for (action, method, why, section), count in self._counts.most_common()
        ]

    def _add(self, ledger: ConnectionLedger, entries: Sequence[LedgerEntry]) -> None:
        with self._lock:
            for entry in entries:
                self._counts[entry.action, entry.method or "a message", entry.why, entry.section] += 1
                self.has_losses = self.has_losses or entry.is_loss
                if self._file is not None:
                    line = {"revision": ledger.revision, "peer_revision": ledger.peer_revision, **entry._asdict()}
                    self._file.write(f"{json.dumps(line, ensure_ascii=False)}\n")
                    self._file.flush()
