"""The process of ``mcp-codegen bridge``: it contacts the servers behind, and serves clients until one side ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from mcp_bindings_runtime.errors import McpError, UsageError
from mcp_bindings_runtime.http.server.store import StoreUnavailable
from mcp_bindings_runtime.proxy.backend_server import BackendServer
from mcp_bindings_runtime.proxy.server import Proxy

from mcp_bindgen import __version__
from mcp_bindgen.calling.bridge_store import RedisAddress, open_store
from mcp_bindgen.calling.connection import open_transport

if TYPE_CHECKING:
    from mcp_bindings_runtime.http.redis.store import RedisStore

    from mcp_bindgen.calling.connection import Server
    from mcp_bindgen.calling.http_address import HttpAddress

_ATTEMPTS: Final = 5
"""Starts of a command in a row that may fail; the pauses between them are 7.5 seconds together."""


class BridgeProcess:
    """A bridge to some servers by name; the name of the only one is empty.

    ``revision`` is the one to use with them (None: any), ``timeout`` the number of seconds for an answer or its progress.
    ``report_error`` is called with the text of each error. ``failed`` says afterwards whether there was one. ``redis`` is
    the address of the Redis through which several processes share the sessions of their clients.
    """

    def __init__(
        self,
        servers: Mapping[str, Server],
        *,
        revision: str | None,
        timeout: float,
        report_error: Callable[[str], object],
        redis: RedisAddress | None = None,
    ) -> None:
        self._servers = servers
        self._revision = revision
        self._timeout = timeout
        self._report_error = report_error
        self._redis = redis
        self.failed = False
        """Whether a server could not be used, or not be started again."""
        self._lock = Lock()
        self._usable: set[str] = set()
        self._stop: Callable[[], object] | None = None
        """Ends the service; None before it begins."""

    def run(self, address: HttpAddress | None, authorization: Any) -> None:
        """Serve over HTTP at an address, or over stdio, until the client leaves or no server behind can be used.

        Raise ``UsageError`` for servers that clash, and an address that cannot be used.
        """
        with ExitStack() as opened:
            store = None
            if self._redis is not None:
                try:
                    store = opened.enter_context(closing(open_store(self._redis, self._servers, self._revision)))
                except StoreUnavailable as fault:
                    self.failed = True
                    self._report_error(str(fault))
                    return
            backends = self._contact()
            if backends:
                proxy = opened.enter_context(closing(Proxy(backends, version=__version__, shared=store is not None)))
                self._serve(proxy, address, authorization, store)

    def _serve(self, proxy: Proxy, address: HttpAddress | None, authorization: Any, store: RedisStore | None) -> None:
        if address is None:
            from mcp_bindings import serve

            self._begin(proxy.server.close)
            serve.stdio(proxy.server)
        else:
            address.serve(proxy.server, begin=self._begin, authorization=authorization, store=store)

    def _contact(self) -> list[BackendServer]:
        """Contact all servers at the same time; return those that can be used."""
        with ThreadPoolExecutor(len(self._servers), "mcp-contact") as pool:
            contacts = {name: pool.submit(self._backend, name, server) for name, server in self._servers.items()}
        found: list[BackendServer] = []
        for name, contact in contacts.items():
            try:
                found.append(contact.result())
            except McpError as fault:
                if isinstance(fault, UsageError) and not name:
                    raise
                self._note_failure(name, "cannot be used", str(fault))
        return found

    def _backend(self, name: str, server: Server) -> BackendServer:
        backend = BackendServer(
            partial(open_transport, server, self._revision),
            name=name,
            revisions=None if self._revision is None else [self._revision],
            timeout=self._timeout,
            attempts=_ATTEMPTS if server.command else None,
            is_started=bool(server.command),
            on_abandoned=partial(self._abandon, name),
        )
        with self._lock:
            self._usable.add(name)
        return backend

    def _note_failure(self, name: str, what: str, reason: str) -> None:
        self.failed = True
        self._report_error(f"the server {f'{name!r} ' if name else ''}{what}: {reason}")

    def _abandon(self, name: str, reason: str) -> None:
        """Report that a server cannot be started again; end the service if it was the last one."""
        self._note_failure(name, f"has ended and could not be started again in {_ATTEMPTS} attempts", reason)
        with self._lock:
            self._usable.discard(name)
            stop = None if self._usable else self._stop
        if stop is not None:
            stop()

    def _begin(self, stop: Callable[[], object]) -> None:
        with self._lock:
            self._stop = stop
