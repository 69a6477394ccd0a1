"""``run_http`` and ``http``: an endpoint and an HTTP server for it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ...validation import check_function, check_kind
from .deadlines import HEAD_TIME
from .options import options_of
from .origins import LOOPBACK
from .wsgi import Application

if TYPE_CHECKING:
    from ...server.server import Server
    from .cheroot_server import HttpServer


def make_server(
    servers: Sequence[Server],
    host: str = "127.0.0.1",
    port: int = 0,
    *,
    path: str = "/mcp",
    threads: int = 32,
    idle: float = 10.0,
    grace: float = 2.0,
    head_time: float = HEAD_TIME,
    **options: Any,
) -> HttpServer:
    """An HTTP server that listens and does not serve yet. Port 0 is any that is free.

    Who has it listen on the address of a network says so, and is allowed that name; more in ``allowed_hosts``.
    """
    from .cheroot_server import HttpServer

    check_kind("host", host, str, "texts such as '127.0.0.1'")
    options.setdefault("allowed_hosts", _names(host))
    chosen = options_of({"path": path, "threads": threads, **options}, "grace", "head_time", "idle", "ready")
    return HttpServer(
        Application(servers, chosen),
        host=host,
        port=port,
        threads=threads,
        idle=idle,
        grace=grace,
        head_time=head_time,
        body_time=chosen.body_time,
    )


def run_http(
    servers: Sequence[Server],
    host: str,
    port: int,
    *,
    path: str = "/mcp",
    ready: Callable[[HttpServer], object] | None = None,
    **options: Any,
) -> None:
    """Serves until Ctrl-C, which is how it ends and no fault: nothing is raised for it. Port 0 is any that is free.

    ``ready`` is called once it listens, with the server: its ``port``, ``url(path)``, and ``close()``, which ends it from
    another thread. Without it, a line on standard error says where it is. ``options`` are those of ``Options``.
    """
    if ready is not None:
        check_function("ready", ready, ("server",))
    served = make_server(servers, host, port, path=path, **options)

    def announce(server: HttpServer) -> None:
        # A program without a console has no standard error, and one whose reader has gone cannot write to it.
        if sys.stderr is not None:
            with suppress(OSError):
                sys.stderr.write(f"Serving MCP on {server.url(path)} (Ctrl-C ends it)\n")
                sys.stderr.flush()

    with suppress(KeyboardInterrupt):
        served.serve(announce if ready is None else ready)


def _names(host: str) -> list[str]:
    name = f"[{host}]" if ":" in host else host
    return list(LOOPBACK) if name in LOOPBACK else [*LOOPBACK, name]
