"""How the transport of a client comes about when it connects."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import os

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


def memory(server: Any) -> Callable[[], Transport]:
    """To a server object of this process."""

    def join() -> Transport:
        from .transports.memory import serving

        return serving(server.serve)

    return join


def given(transport: Transport) -> Callable[[], Transport]:
    """A transport that there is already."""
    return lambda: transport
