"""Announcements between the processes that serve one endpoint, so that each of its clients hears them once."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from ...errors import ConnectionClosed, McpError, RequestTimeout
from ...logs import note
from ...server.announcements import Announcement
from .session_table import SessionTable
from .store import SharedStore, StoreUnavailable

if TYPE_CHECKING:
    from ...features.limits import Limits, Pace
    from ...server.server import Server


class AnnouncementRelay:
    """Gives what one of the servers announces to those of other processes, and tells what theirs do.

    A subscription of 2026-07-28 is held by one process, which tells it. A session may be known to several: each of them
    tells it, and the store takes it of the first.
    """

    def __init__(self, servers: Sequence[Server], store: SharedStore, conversations: SessionTable) -> None:
        self._servers = {server.binding.revision: server for server in servers}
        self._store = store
        self._conversations = conversations
        self._paces = {server: _pace(partial(self._post, server), server.limits) for server in servers}
        for server in servers:
            server.relays.append(partial(self._spread, server))
        store.hear(self._hear)

    def _spread(self, server: Server, announcement: Announcement) -> None:
        pace = None if announcement.level is None else self._paces[server]
        if pace is None:
            self._post(server, announcement)
        else:
            # Here, so that it is the same to all processes which of them is passed over.
            pace.offer(announcement)

    def _post(self, server: Server, announcement: Announcement) -> None:
        key, params, promised, about, level = announcement
        news = {
            "revision": server.binding.revision,
            "method": key.name,
            "params": None if params is None else server.binding.codec.unstructure(params),
            "promised": promised,
            "about": about,
            "level": level,
        }
        try:
            self._store.spread(json.dumps(news).encode())
        except StoreUnavailable as fault:
            note("warning", "%s is announced to clients of this process alone: %s", key.name, fault)

    def _hear(self, mark: str, ours: bool, news: bytes) -> None:
        given: dict[str, Any] = json.loads(news)
        server = self._servers.get(given["revision"])
        key = None if server is None else server.binding.notifications.get(given["method"])
        if server is None or key is None:
            return
        params = None if given["params"] is None else server.binding.codec.structure(given["params"], key.params)
        announcement = Announcement(key, params, given["promised"], tuple(given["about"]), given.get("level"))
        if not ours:
            server.tell_here(announcement)
        binding = server.binding
        for conversation in self._conversations.heard(
            lambda each: each.server is server and announcement.reaches(binding, each.session)
        ):
            try:
                conversation.tell(key, params, mark)
            except (ConnectionClosed, RequestTimeout) as fault:
                note("info", "a client could not be told: %s", fault)
            except McpError as fault:
                if not conversation.closed:
                    note("warning", "a client could not be told: %s", fault)


def _pace(post: Callable[[Announcement], None], limits: Limits | None) -> Pace | None:
    """How log messages are given to other processes; None where there is no limit to that."""
    if limits is None:
        return None
    from ...features.limits import DroppedLogs, log_pace

    bucket = limits.bucket("log")
    if bucket is None:
        return None
    dropped = DroppedLogs(bucket.rate, post, attrgetter("params"), _with_params)
    return log_pace(bucket, dropped)


def _with_params(announcement: Announcement, params: Any) -> Announcement:
    return announcement._replace(params=params, level=params.level)
