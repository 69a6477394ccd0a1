"""Relay announcements between the processes that serve one endpoint, so that each client is notified once."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from ...binding import Binding
from ...errors import ConnectionClosed, McpError, RequestTimeout
from ...extensions.wire_methods import WireParams
from ...logs import write_log
from ...methods import NotificationMethod
from ...server.announcements import Announcement
from .session_table import SessionTable
from .store import SharedStore, StoreUnavailable

if TYPE_CHECKING:
    from ...features.limits import Limits, Throttle
    from ...server.server import Server


class AnnouncementRelay:
    """Publishes the announcements of these servers, and delivers those of all processes.

    A subscription of 2026-07-28 belongs to one process, which notifies it. A session may be known to several: each of
    them sends the notification, and the store accepts the first.
    """

    def __init__(self, servers: Sequence[Server], store: SharedStore, table: SessionTable) -> None:
        self._servers = {server.binding.revision: server for server in servers}
        self._store = store
        self._table = table
        self._throttles = {server: _log_throttle(partial(self._publish, server), server.limits) for server in servers}
        for server in servers:
            server.relays.append(partial(self._relay, server))
        store.on_announcement(self._deliver)

    def _relay(self, server: Server, announcement: Announcement) -> None:
        throttle = None if announcement.level is None else self._throttles[server]
        if throttle is None:
            self._publish(server, announcement)
        else:
            # Log messages are dropped before they are published, so that all processes drop the same ones.
            throttle.offer(announcement)

    def _publish(self, server: Server, announcement: Announcement) -> None:
        key, params, promised, about, level = announcement
        content = {
            "revision": server.binding.revision,
            "method": key.name,
            "params": _to_json(server.binding, params),
            "promised": promised,
            "about": about,
            "level": level,
        }
        try:
            self._store.publish(json.dumps(content).encode())
        except StoreUnavailable as error:
            write_log("warning", "only clients of this process are notified of %s: %s", key.name, error)

    def _deliver(self, mark: str, ours: bool, data: bytes) -> None:
        content: dict[str, Any] = json.loads(data)
        server = self._servers.get(content["revision"])
        key = None if server is None else _notification(server.binding, content["method"])
        if server is None or key is None:
            return
        binding = server.binding
        params = _from_json(binding, key, content["params"])
        announcement = Announcement(key, params, content["promised"], tuple(content["about"]), content.get("level"))
        if not ours:
            server.announce_locally(announcement)
        for channel in self._table.select(
            lambda each: each.server is server and announcement.reaches(binding, each.session)
        ):
            try:
                channel.notify_once(key, params, mark)
            except (ConnectionClosed, RequestTimeout) as error:
                write_log("info", "a client could not be notified: %s", error)
            except McpError as error:
                if not channel.closed:
                    write_log("warning", "a client could not be notified: %s", error)


def _log_throttle(publish: Callable[[Announcement], None], limits: Limits | None) -> Throttle | None:
    """Return the rate limit for publishing log messages; None without a limit."""
    if limits is None:
        return None
    from ...features.limits import DroppedLogs, log_throttle

    bucket = limits.bucket("log")
    if bucket is None:
        return None
    dropped = DroppedLogs(bucket.rate, publish, attrgetter("params"), _with_params)
    return log_throttle(bucket, dropped)


def _notification(binding: Binding, method: str) -> NotificationMethod[Any] | None:
    wire: Mapping[str, NotificationMethod[Any]] = (
        {} if binding.wire_methods is None else binding.wire_methods.notifications
    )
    return binding.notifications.get(method) or wire.get(method)


def _to_json(binding: Binding, params: Any) -> Any:
    if params is None:
        return None
    return params.to_json(binding) if isinstance(params, WireParams) else binding.codec.unstructure(params)


def _from_json(binding: Binding, key: NotificationMethod[Any], value: Any) -> Any:
    if value is None:
        return None
    return WireParams(value) if key.params is WireParams else binding.codec.structure(value, key.params)


def _with_params(announcement: Announcement, params: Any) -> Announcement:
    return announcement._replace(params=params, level=params.level)
