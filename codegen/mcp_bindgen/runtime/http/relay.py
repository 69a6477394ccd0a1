"""Announcements between the processes that serve one endpoint, so that each of its clients hears them once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ..announcements import Announcement
from ..errors import ConnectionClosed, McpError, RequestTimeout
from ..logs import note
from .conversations import Conversations
from .stores import SharedStore, Unavailable

if TYPE_CHECKING:
    from ..server import Server


class Relay:
    """Gives what one of the servers announces to those of other processes, and tells what theirs do.

    A subscription of 2026-07-28 is held by one process, which tells it. A session may be known to several: each of them
    tells it, and the store takes it of the first.
    """

    def __init__(self, servers: Sequence[Server], store: SharedStore, conversations: Conversations) -> None:
        self._servers = {server.binding.revision: server for server in servers}
        self._store = store
        self._conversations = conversations
        for server in servers:
            server.relays.append(partial(self._spread, server))
        store.hear(self._hear)

    def _spread(self, server: Server, announcement: Announcement) -> None:
        key, params, promised, about = announcement
        news = {
            "revision": server.binding.revision,
            "method": key.name,
            "params": None if params is None else server.binding.codec.unstructure(params),
            "promised": promised,
            "about": about,
        }
        try:
            self._store.spread(json.dumps(news).encode())
        except Unavailable as fault:
            note("warning", "%s is announced to clients of this process alone: %s", key.name, fault)

    def _hear(self, mark: str, ours: bool, news: bytes) -> None:
        given: dict[str, Any] = json.loads(news)
        server = self._servers.get(given["revision"])
        key = None if server is None else server.binding.notifications.get(given["method"])
        if server is None or key is None:
            return
        params = None if given["params"] is None else server.binding.codec.structure(given["params"], key.params)
        announcement = Announcement(key, params, given["promised"], given["about"])
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
