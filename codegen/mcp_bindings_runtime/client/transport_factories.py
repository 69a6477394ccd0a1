"""Factories of the transports that clients open when they connect."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import UsageError
from ..session.framing import DEFAULT_LIMIT
from ..validation import (
    require_callable,
    require_command,
    require_instance,
    require_methods,
    require_positive_integers,
    require_positive_numbers,
    require_string_keys,
    require_strings,
    require_transport,
)

if TYPE_CHECKING:
    import os
    import ssl

    from ..facts import Facts
    from ..http.client.endpoint import Auth
    from ..server.server import Server
    from ..transports import Transport
    from ..transports.child import Stderr

_WHO = frozenset({"authorization", "cookie"})
"""Headers that identify the user."""


class TransportFactory:
    """Opens a transport each time that it is called.

    ``origin`` identifies the server; ``auth`` returns the credentials if they may change from request to request.
    """

    __slots__ = ("_start", "auth", "origin")

    def __init__(self, start: Callable[[], Transport], origin: Hashable, auth: Auth | None = None) -> None:
        self._start = start
        self.origin = origin
        self.auth = auth

    def __call__(self) -> Transport:
        """Return an open transport."""
        return self._start()

    def but(self, start: Callable[[], Transport]) -> TransportFactory:
        """Return a factory for the same server with another function."""
        return TransportFactory(start, self.origin, self.auth)


def child(
    command: Sequence[str],
    *,
    env: Mapping[str, str] | None,
    inherit_env: bool,
    cwd: str | os.PathLike[str] | None,
    stderr: Stderr,
) -> TransportFactory:
    """Return a factory for a server that is started as a child process; see ``Client.stdio``."""
    require_command(command)
    require_string_keys(env=env)

    def start() -> Transport:
        from ..transports.child import Child

        return Child(command, env=env, inherit_env=inherit_env, cwd=cwd, stderr=stderr)

    return TransportFactory(start, ("stdio", *command, str(cwd), inherit_env, *sorted((env or {}).items())))


def http(
    url: str,
    *,
    facts: Facts | None,
    headers: Mapping[str, str] | None,
    auth: Auth | None,
    proxy: str | None,
    tls: ssl.SSLContext | None,
    pool: int,
    connect_timeout: float,
    max_message: int,
) -> TransportFactory:
    """Return a factory for the server at a URL; see ``Client.http``. ``facts`` is None if the revision is negotiated."""
    require_instance("url", url, str, "a str such as 'https://example.com/mcp'")
    require_strings(proxy=proxy)
    require_string_keys(headers=headers)
    require_positive_integers(pool=pool, max_message=max_message)
    require_positive_numbers(connect_timeout=connect_timeout)
    if auth is not None:
        require_callable("auth", auth, ("refusal",))
    if tls is not None:
        require_methods("tls", tls, ("wrap_socket", "verify_mode"), "an ssl.SSLContext")

    def reach() -> Transport:
        return open_http(
            url,
            facts=facts,
            headers=headers,
            auth=auth,
            proxy=proxy,
            tls=tls,
            pool=pool,
            connect_timeout=connect_timeout,
            max_message=max_message,
        )

    # Public results are shared by all users of a server.
    others = sorted((name.lower(), value) for name, value in (headers or {}).items() if name.lower() not in _WHO)
    return TransportFactory(reach, ("http", url, proxy, tls, *others), auth)


def open_http(
    url: str,
    *,
    facts: Facts | None = None,
    headers: Mapping[str, str] | None = None,
    auth: Auth | None = None,
    proxy: str | None = None,
    tls: ssl.SSLContext | None = None,
    pool: int = 16,
    connect_timeout: float = 10.0,
    max_message: int = DEFAULT_LIMIT,
) -> Transport:
    """Return a transport to the server at ``url``; nothing has been sent over it yet.

    ``facts`` are those of the revision; None if it is negotiated. ``headers`` are sent with every request, and so are those
    that ``auth`` returns. ``proxy`` is the URL of an HTTP proxy, ``tls`` the context with the trusted certificates, ``pool``
    the limit on idle connections, ``connect_timeout`` the seconds to open one, ``max_message`` the limit on the bytes of a
    message. Raise ``UsageError`` for an invalid URL, and if urllib3 is missing.
    """
    try:
        from ..http.client.wire import Settings, Wire
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] != "urllib3":
            raise
        text = "HTTP needs urllib3, which is not installed: pip install 'mcp-bindings[http]'"
        raise UsageError(text) from None
    from ..http.client.endpoint import Endpoint
    from ..http.client.streamable import StreamableHttp

    wire = Wire(url, Settings(proxy, tls, pool, connect_timeout))
    endpoint = Endpoint(wire, headers or {}, auth)
    if facts is None:
        return StreamableHttp(endpoint, limit=max_message)
    return StreamableHttp(endpoint, limit=max_message, only_sse=facts.only_sse, version_header=facts.version_header)


def memory(server: Any) -> TransportFactory:
    """Return a factory for a server object of this process."""
    if isinstance(server, type) or not callable(getattr(server, "serve", None)):
        text = f"{server!r} is not a server; pass a server object, such as mcp.Server('demo', '1.0')"
        raise UsageError(text)

    def join() -> Transport:
        from ..transports.memory import serve_in_thread

        return serve_in_thread(server.serve)

    return TransportFactory(join, ("memory", server))


def hosted(servers: Sequence[Server]) -> TransportFactory:
    """Return a factory for server objects of this process, one of which the first message selects."""

    def join() -> Transport:
        from ..server.multi_revision import MultiRevisionServer
        from ..transports.memory import serve_in_thread

        return serve_in_thread(MultiRevisionServer(servers).serve)

    return TransportFactory(join, ("memory", *servers))


def existing(transport: Transport) -> TransportFactory:
    """Return a factory that returns an existing transport."""
    require_transport(transport)
    return TransportFactory(lambda: transport, ("over", transport))


def recorded(transport: Transport, record: str | os.PathLike[str] | None) -> Transport:
    """Return a transport that writes its messages to the file ``record``, if that is set; close it if that fails."""
    if record is None:
        return transport
    import os

    from ..transports.recorder import Recorder

    try:
        return Recorder(transport, record, "client")
    except TypeError as fault:
        transport.close()
        text = f"`record` must be the path of a file, got {record!r}"
        raise UsageError(text) from fault
    except OSError as fault:
        transport.close()
        text = f"cannot write {os.fspath(record)!r}: {fault.strerror}; give record= a file that can be written"
        raise UsageError(text) from fault
