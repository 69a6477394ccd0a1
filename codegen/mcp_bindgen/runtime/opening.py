"""How the transport of a client comes about when it connects."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import os
    import ssl

    from .http.client.endpoint import Auth
    from .transports import Transport
    from .transports.child import Stderr


def child(
    command: Sequence[str],
    *,
    env: Mapping[str, str] | None,
    inherit_env: bool,
    cwd: str | os.PathLike[str] | None,
    stderr: Stderr,
) -> Callable[[], Transport]:
    """To a server that is started as a child process, as ``Client.stdio`` describes it."""

    def start() -> Transport:
        from .transports.child import Child

        return Child(command, env=env, inherit_env=inherit_env, cwd=cwd, stderr=stderr)

    return start


def http(
    url: str,
    *,
    revision: str | None,
    headers: Mapping[str, str] | None,
    auth: Auth | None,
    proxy: str | None,
    tls: ssl.SSLContext | None,
    pool: int,
    connect_timeout: float,
    max_message: int,
) -> Callable[[], Transport]:
    """To the server at a URL, as ``Client.http`` describes it; no ``revision``, where that is to be found out."""

    def reach() -> Transport:
        from .http.client.opening import open_http

        return open_http(
            url,
            revision=revision,
            headers=headers,
            auth=auth,
            proxy=proxy,
            tls=tls,
            pool=pool,
            connect_timeout=connect_timeout,
            max_message=max_message,
        )

    return reach


def memory(server: Any) -> Callable[[], Transport]:
    """To a server object of this process."""

    def join() -> Transport:
        from .transports.memory import serving

        return serving(server.serve)

    return join


def given(transport: Transport) -> Callable[[], Transport]:
    """A transport that there is already."""
    return lambda: transport
