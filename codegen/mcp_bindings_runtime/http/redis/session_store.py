"""Sessions in Redis, each a hash, so that processes that change different attributes do not overwrite each other."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Mapping
from threading import Lock
from time import monotonic
from typing import Any, Final

from ...logs import RareWarning
from ..server.session_store import SessionRecord, TooManySessions
from . import scripts
from .client import RedisClient

_SUBSCRIBED = "subscribed:"
"""The prefix of the fields that hold the URIs of subscribed resources."""
_SEARCHED: Final = 100
"""Number of sessions in use that a search passes, at most, for one that can end for a new one."""


class RedisSessionStore:
    """At most ``limit`` sessions, and ``per_source`` of one source, each for ``lifetime`` seconds after its last use.

    What ends at a limit is as in ``MemorySessionStore``, except that a running request keeps a session only if it has a
    stream. ``on_save`` is called with the id of each session whose changes were saved, ``on_evict`` with the id of each
    that has ended for a new one.
    """

    def __init__(
        self,
        client: RedisClient,
        *,
        limit: int,
        per_source: int,
        lifetime: float,
        on_save: Callable[[str], None],
        on_evict: Callable[[str], None],
    ) -> None:
        self._client = client
        self._on_save = on_save
        self._on_evict = on_evict
        self._limit = limit
        self._per_source = per_source
        self._milliseconds = int(lifetime * 1000)
        self._lifetime = lifetime
        self._lock = Lock()
        self._warning = RareWarning("a limit on sessions is reached: %s")
        self._callbacks: list[Callable[[str], None]] = []
        # When sessions that this process has used expire, unless another process uses them.
        self._expiries: OrderedDict[str, float] = OrderedDict()

    def on_end(self, callback: Callable[[str], None]) -> None:
        """See ``SessionStore.on_end``."""
        self._callbacks.append(callback)

    def create(self, record: SessionRecord) -> None:
        """See ``SessionStore.create``."""
        fields = _fields(record.values())
        pairs = [each for pair in fields.items() for each in pair]
        limits = (self._limit, self._per_source, _SEARCHED)
        unopened = int(record.state != "open")
        created, ended = self._client.run(
            scripts.CREATE, record.id, self._milliseconds, *limits, fields["source"], unopened, *pairs
        )
        if ended or not created:
            self._warning.log(fields["source"] or "all")
        for each in ended:
            self.end(each.decode())
            self._on_evict(each.decode())
        if not created:
            raise TooManySessions(self._limit)
        self._mark_used(record.id, self._lifetime)

    def load(self, session_id: str) -> SessionRecord | None:
        """See ``SessionStore.load``."""
        found = self._client.run(scripts.LOAD, session_id, self._milliseconds)
        if not found:
            return None
        self._mark_used(session_id, self._lifetime)
        return _record(dict(zip(found[::2], found[1::2], strict=True)))

    def save(self, record: SessionRecord, before: Mapping[str, Any]) -> None:
        """See ``SessionStore.save``."""
        old, new = _fields(before), _fields(record.values())
        # Redis counts the versions.
        del old["version"], new["version"]
        removed = [name for name in old if name not in new]
        pairs = [each for name, value in new.items() if old.get(name) != value for each in (name, value)]
        if removed or pairs:
            version = self._client.run(scripts.SAVE, record.id, len(removed), *removed, *pairs)
            if version == record.version + 1:
                # Otherwise other processes have saved it, too, and their changes are still to be loaded.
                record.version = version
            self._on_save(record.id)

    def delete(self, session_id: str) -> None:
        """See ``SessionStore.delete``."""
        self._client.run(scripts.DELETE, session_id)
        self.end(session_id)

    def end(self, session_id: str) -> None:
        """Call the registered functions for a session that has ended in any process."""
        with self._lock:
            self._expiries.pop(session_id, None)
        for callback in self._callbacks:
            callback(session_id)

    def end_expired(self) -> None:
        """Check the sessions whose lifetime in this process is over, and end those that have expired in Redis."""
        while True:
            with self._lock:
                session_id, due = next(iter(self._expiries.items()), ("", 0.0))
            if not session_id or due > monotonic():
                return
            left = self._client.execute("PTTL", f"{self._client.prefix}session:{session_id}")
            if left < 0:
                self.end(session_id)
            else:
                self._mark_used(session_id, left / 1000)

    def _mark_used(self, session_id: str, seconds: float) -> None:
        with self._lock:
            self._expiries[session_id] = monotonic() + seconds
            self._expiries.move_to_end(session_id)


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
