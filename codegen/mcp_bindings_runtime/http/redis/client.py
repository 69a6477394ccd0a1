"""A connection to Redis: its pool, its scripts, and what is raised where it does not answer."""

from __future__ import annotations

import os
from typing import Any

from ...errors import UsageError
from ..server.store import StoreUnavailable

try:
    import redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry
except ImportError as missing:
    message = "keeping sessions in Redis takes redis; run: pip install 'mcp-bindings[redis]'"
    raise UsageError(message) from missing


class RedisClient:
    """Runs scripts, each of whose keys begins with ``prefix``.

    ``timeout`` is after how many seconds without an answer it counts as unreachable, ``connections`` how many there are.
    """

    def __init__(self, url: str, *, prefix: str, timeout: float, connections: int) -> None:
        self.prefix = prefix
        self.timeout = timeout
        try:
            blocking_pool: Any = redis.BlockingConnectionPool
            pool = blocking_pool.from_url(
                url,
                max_connections=connections,
                timeout=timeout,
                socket_timeout=timeout,
                socket_connect_timeout=timeout,
                # What was sent twice might be done twice. Whoever may ask again does so by itself.
                retry=Retry(NoBackoff(), 0),
            )
        except (ValueError, TypeError) as fault:
            text = f"{fault}; accepted are redis://HOST:PORT/DATABASE, rediss://… and unix:///PATH"
            raise UsageError(text) from None
        self._client: Any = redis.Redis(connection_pool=pool)
        self._scripts: dict[str, Any] = {}

    def run(self, script: str, *arguments: object) -> Any:
        """What a script gives. Raises StoreUnavailable."""
        known = self._scripts.get(script)
        if known is None:
            known = self._scripts[script] = self._client.register_script(script)
        try:
            return known(args=(self.prefix, *arguments))
        except redis.RedisError as fault:
            raise _unavailable(fault) from None

    def ask(self, *command: object) -> Any:
        """What a command gives. Raises StoreUnavailable."""
        try:
            return self._client.execute_command(*command)
        except redis.RedisError as fault:
            raise _unavailable(fault) from None

    def wait(self, streams: dict[str, bytes | str], seconds: float) -> list[tuple[bytes, list[tuple[bytes, Any]]]]:
        """What has been added to streams behind these ids; waits for it, less than ``timeout``. Raises StoreUnavailable."""
        try:
            found: Any = self._client.xread(
                streams, count=200, block=max(1, int(min(seconds, self.timeout / 2) * 1000))
            )
        except redis.RedisError as fault:
            raise _unavailable(fault) from None
        # As lists or by name, which is up to the version of the protocol.
        if found.__class__ is dict:
            return [(name, entries[0] if entries else []) for name, entries in found.items()]
        return [(name, entries) for name, entries in found or ()]

    def close(self) -> None:
        """Closes all connections."""
        self._client.close()
        self._client.connection_pool.disconnect()


def _unavailable(fault: Exception) -> StoreUnavailable:
    text = f"Redis does not answer (process {os.getpid()}): {fault}"
    return StoreUnavailable(text)
