"""How the transport of a client comes about when it connects."""

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
"""Headers that say who asks."""


class TransportFactory:
    """Opens a transport each time that it is called.

    ``origin`` is the same for two that lead to one server, as far as can be told; ``auth`` is what lets requests in,
    where that may change from one to the next.
    """

    __slots__ = ("_start", "auth", "origin")

    def __init__(self, start: Callable[[], Transport], origin: Hashable, auth: Auth | None = None) -> None:
        self._start = start
        self.origin = origin
        self.auth = auth

    def __call__(self) -> Transport:
        """The transport; raises as opening it does."""
        return self._start()

    def but(self, start: Callable[[], Transport]) -> TransportFactory:
        """One to the same server that is done in another way."""
        return TransportFactory(start, self.origin, self.auth)


def child(
    command: Sequence[str],
    *,
    env: Mapping[str, str] | None,
    inherit_env: bool,
    cwd: str | os.PathLike[str] | None,
    stderr: Stderr,
) -> TransportFactory:
    """To a server that is started as a child process, as ``Client.stdio`` describes it."""
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
    """To the server at a URL, as ``Client.http`` describes it; no ``facts``, where the revision is to be found out."""
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

    # What is public is for all who ask the same server, whoever they are.
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
    """A transport to the server at ``url``, over which nothing has been said yet.

    ``facts`` are those of the only revision that will be spoken; None where that is to be found out. ``headers`` go with
    every request; ``auth`` gives those that let one in. ``proxy`` is the URL of an HTTP proxy, ``tls`` whom to trust,
    ``pool`` how many idle connections are kept, ``connect_timeout`` how many seconds opening one may take, ``max_message``
    how many bytes a message of the server may have. Raises UsageError for a URL that is none, and where urllib3 is missing.
    """
    try:
        from ..http.client.wire import Settings, Wire
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] != "urllib3":
            raise
        text = "HTTP takes urllib3, which is not installed: pip install 'mcp-bindings[http]'"
        raise UsageError(text) from None
    from ..http.client.endpoint import Endpoint
    from ..http.client.streamable import StreamableHttp

    wire = Wire(url, Settings(proxy, tls, pool, connect_timeout))
    endpoint = Endpoint(wire, headers or {}, auth)
    if facts is None:
        return StreamableHttp(endpoint, limit=max_message)
    return StreamableHttp(endpoint, limit=max_message, only_sse=facts.only_sse, version_header=facts.version_header)


def memory(server: Any) -> TransportFactory:
    """To a server object of this process."""
    if isinstance(server, type) or not callable(getattr(server, "serve", None)):
        text = f"{server!r} is no server; accepted is a server object, such as mcp.Server('demo', '1.0')"
        raise UsageError(text)

    def join() -> Transport:
        from ..transports.memory import serve_in_thread

        return serve_in_thread(server.serve)

    return TransportFactory(join, ("memory", server))


def hosted(servers: Sequence[Server]) -> TransportFactory:
    """To server objects of this process, of which the first message chooses one."""

    def join() -> Transport:
        from ..server.multi_revision import MultiRevisionServer
        from ..transports.memory import serve_in_thread

        return serve_in_thread(MultiRevisionServer(servers).serve)

    return TransportFactory(join, ("memory", *servers))


def existing(transport: Transport) -> TransportFactory:
    """A transport that there is already."""
    require_transport(transport)
    return TransportFactory(lambda: transport, ("over", transport))


def recorded(transport: Transport, record: str | os.PathLike[str] | None) -> Transport:
    """A transport whose messages are written to a file, if one is given; closed where that cannot be opened."""
    if record is None:
        return transport
    import os

    from ..transports.recorder import Recorder

    try:
        return Recorder(transport, record, "client")
    except TypeError as fault:
        transport.close()
        text = f"record is {record!r}; accepted is the path of a file"
        raise UsageError(text) from fault
    except OSError as fault:
        transport.close()
        text = f"cannot write {os.fspath(record)!r}: {fault.strerror}; give record= a file that can be written"
        raise UsageError(text) from fault
