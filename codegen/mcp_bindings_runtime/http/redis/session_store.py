"""Sessions in Redis, each a hash: two processes that change different things of one do not undo each other's."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Mapping
from threading import Lock
from time import monotonic
from typing import Any

from ..server.session_store import SessionRecord, TooManySessions
from . import scripts
from .client import RedisClient

_SUBSCRIBED = "subscribed:"
"""Before the URI of each resource that is subscribed to."""


class RedisSessionStore:
    """At most ``most`` sessions, each for ``lifetime`` seconds after it was last used.

    ``saved`` is called with the id of each whose changes were saved.
    """

    def __init__(self, link: RedisClient, *, most: int, lifetime: float, saved: Callable[[str], None]) -> None:
        self._link = link
        self._saved = saved
        self._most = most
        self._milliseconds = int(lifetime * 1000)
        self._lifetime = lifetime
        self._lock = Lock()
        self._gone: list[Callable[[str], None]] = []
        # When those that were used in this process end, unless another one uses them.
        self._here: OrderedDict[str, float] = OrderedDict()

    def tell(self, gone: Callable[[str], None]) -> None:
        """As ``SessionStore.tell``."""
        self._gone.append(gone)

    def create(self, record: SessionRecord) -> None:
        """As ``SessionStore.create``."""
        pairs = [each for pair in _fields(record.values()).items() for each in pair]
        if not self._link.run(scripts.CREATE, record.id, self._milliseconds, self._most, *pairs):
            text = f"there are {self._most} sessions, and not more are allowed"
            raise TooManySessions(text)
        self._use(record.id)

    def load(self, session_id: str) -> SessionRecord | None:
        """As ``SessionStore.load``."""
        found = self._link.run(scripts.LOAD, session_id, self._milliseconds)
        if not found:
            return None
        self._use(session_id)
        return _record(dict(zip(found[::2], found[1::2], strict=True)))

    def save(self, record: SessionRecord, before: Mapping[str, Any]) -> None:
        """As ``SessionStore.save``."""
        old, new = _fields(before), _fields(record.values())
        # How often it was saved is counted where that is done.
        del old["version"], new["version"]
        gone = [name for name in old if name not in new]
        pairs = [each for name, value in new.items() if old.get(name) != value for each in (name, value)]
        if gone or pairs:
            version = self._link.run(scripts.SAVE, record.id, len(gone), *gone, *pairs)
            if version == record.version + 1:
                # Otherwise others have saved it, too, and what they have changed is still to be loaded.
                record.version = version
            self._saved(record.id)

    def delete(self, session_id: str) -> None:
        """As ``SessionStore.delete``."""
        self._link.run(scripts.DELETE, session_id)
        self.end(session_id)

    def end(self, session_id: str) -> None:
        """A session has ended, here or elsewhere."""
        with self._lock:
            self._here.pop(session_id, None)
        for gone in self._gone:
            gone(session_id)

    def sweep(self) -> None:
        """Looks which of the sessions that this process has not used for long have ended."""
        while True:
            with self._lock:
                session_id, due = next(iter(self._here.items()), ("", 0.0))
            if not session_id or due > monotonic():
                return
            left = self._link.ask("PTTL", f"{self._link.prefix}session:{session_id}")
            if left < 0:
                self.end(session_id)
            else:
                self._use(session_id, left / 1000)

    def _use(self, session_id: str, seconds: float | None = None) -> None:
        with self._lock:
            self._here[session_id] = monotonic() + (self._lifetime if seconds is None else seconds)
            self._here.move_to_end(session_id)


def _fields(values: Mapping[str, Any]) -> dict[str, str]:
    fields = {name: json.dumps(value) for name, value in values.items() if name != "subscribed"}
    return fields | {_SUBSCRIBED + uri: "1" for uri in values["subscribed"]}


def _record(fields: Mapping[bytes, bytes]) -> SessionRecord:
    values: dict[str, Any] = {"subscribed": []}
    for key, value in fields.items():
        name = key.decode()
        if name.startswith(_SUBSCRIBED):
            values["subscribed"].append(name.removeprefix(_SUBSCRIBED))
        else:
            values[name] = json.loads(value)
    return SessionRecord(**values)
