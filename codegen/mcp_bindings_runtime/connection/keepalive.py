"""Pings to a side that has been silent (Ping: Implementation Considerations)."""

from __future__ import annotations

from threading import Thread
from time import monotonic

from ..binding import Binding
from ..errors import ConnectionClosed, HttpError, McpError, RequestTimeout, ResponseError
from ..logs import write_log
from .connection import Connection


def watch(connection: Connection, binding: Binding, *, every: float, failures: int) -> None:
    """Start a thread that pings after ``every`` silent seconds; ``failures`` in a row end the connection."""
    Thread(target=_watch, args=(connection, binding, every, failures), name="mcp-ping", daemon=True).start()


def _watch(connection: Connection, binding: Binding, every: float, failures: int) -> None:
    # 2026-07-28 has no ping; every server has to answer `server/discover` (Discovery).
    ping = binding.requests.get("ping") or binding.requests["server/discover"]
    failed = 0
    while not connection.closed:
        if connection.session.state != "open":
            # The handshake has no time limit.
            connection.wait(every)
            continue
        silent = monotonic() - connection.last_received
        if silent < every:
            connection.wait(every - silent)
            continue
        try:
            connection.request(ping, timeout=every)
            failed = 0
        except (RequestTimeout, ConnectionClosed, HttpError) as fault:
            if connection.end is not None:
                # It was closed while the ping was under way.
                return
            failed += 1
            found = f"was not answered in {every:g} s" if isinstance(fault, RequestTimeout) else f"failed: {fault}"
            write_log("warning", "ping %s (%d of %d)", found, failed, failures)
            if failed >= failures:
                connection.close(why=f"the other side has answered none of {failures} pings, each within {every:g} s")
            elif not isinstance(fault, RequestTimeout):
                # Over HTTP the server may be back soon.
                connection.wait(every)
        except McpError as fault:
            if isinstance(fault, ResponseError):
                # An error is an answer, too.
                failed = 0
            write_log("debug", "ping failed: %s", fault)
            connection.wait(every)
