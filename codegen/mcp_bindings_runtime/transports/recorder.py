"""A transport that records its messages, for ``mcp-codegen validate`` and for people."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import UTC, datetime
from os import urandom
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from ..binding import OTHER_SIDE
from ..logs import log_warning
from ..methods import Side
from . import Unanswered

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from . import Transport
    from .redaction import Redaction


class Recorder:
    """Passes messages on to another transport, and writes each as a line of JSON.

    ``side`` is this end of the connection. A line has ``time`` (UTC), ``session``, a name that all lines of a connection
    share, ``direction`` (``client->server`` or the reverse), and ``message``, or ``raw`` as a string if the message is not
    JSON. ``redact`` are the rules of `Redaction`. Lines are appended to the file at once; it is closed with the transport.
    The first line that cannot be written, as on a full disk, ends the recording with a warning. Raise ``UsageError`` for
    an invalid rule, ``OSError`` for a file that cannot be opened.
    """

    def __init__(
        self, transport: Transport, path: str | os.PathLike[str], side: Side, *, redact: Sequence[str] = ()
    ) -> None:
        self._transport = transport
        self._side: Side = side
        self._redaction = _redaction(redact)
        self._session = urandom(4).hex()
        self._lock = Lock()
        self._file = Path(path).open("a", encoding="utf-8")  # noqa: SIM115  # open as long as the transport is
        self.interrupt = transport.interrupt
        self.listen = getattr(transport, "listen", None)
        self.abort = getattr(transport, "abort", None)
        self.paused = getattr(transport, "paused", {})
        self.peer = getattr(transport, "peer", "the server")

    @property
    def retrying(self) -> tuple[Any, ...]:
        """See ``StreamableHttp.retrying``."""
        found: tuple[Any, ...] = getattr(self._transport, "retrying", ())
        return found

    def receive(self, timeout: float | None = None) -> bytes | None:
        """See ``Transport.receive``."""
        try:
            message = self._transport.receive(timeout)
        except Unanswered as fault:
            if fault.message is not None:
                self._write(OTHER_SIDE[self._side], fault.message)
            raise
        if message is not None:
            self._write(OTHER_SIDE[self._side], message)
        return message

    def send(self, message: bytes, timeout: float | None = None) -> None:
        """See ``Transport.send``. The message is recorded first, so that its answer cannot come before it."""
        self._write(self._side, message)
        self._transport.send(message, timeout)

    def close(self) -> None:
        """See ``Transport.close``."""
        self._transport.close()
        with self._lock:
            self._close_file()

    def _write(self, sender: Side, message: bytes) -> None:
        entry: dict[str, Any] = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "session": self._session,
            "direction": f"{sender}->{OTHER_SIDE[sender]}",
        }
        text = message.decode("utf-8", "replace")
        redaction = self._redaction
        try:
            found = json.loads(text)
            if redaction is not None and (redacted := redaction.redact(found)) != found:
                text = json.dumps(redacted, ensure_ascii=False)
        except (ValueError, RecursionError):
            if redaction is not None:
                text = redaction.redact_text(text)
            line = json.dumps({**entry, "raw": text}, ensure_ascii=False)
        else:
            # The text itself, so that numbers keep their digits.
            line = f'{json.dumps(entry)[:-1]}, "message": {text.strip()}}}'
        with self._lock:
            if self._file.closed:
                return
            try:
                self._file.write(line + "\n")
                self._file.flush()
            except OSError as error:
                self._close_file()
                log_warning("the recording %s ends here, as it cannot be written: %s", self._file.name, error)

    def _close_file(self) -> None:
        # The buffer may hold a line that could not be written.
        with suppress(OSError):
            self._file.close()


def _redaction(rules: Sequence[str]) -> Redaction | None:
    if not rules:
        return None
    from .redaction import Redaction

    return Redaction(rules)
