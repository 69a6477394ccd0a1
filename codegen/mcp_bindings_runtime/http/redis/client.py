"""The client of Redis: a connection pool, scripts, and ``StoreUnavailable`` for its errors."""

from __future__ import annotations

import os
from typing import Any

from ...distribution import install_command
from ...errors import UsageError
from ..server.store import StoreUnavailable

try:
    import redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry
except ImportError as missing:
    message = f"RedisStore needs redis; run: {install_command('redis')}"
    raise UsageError(message) from missing


class RedisClient:
    """Runs commands, and scripts whose keys begin with ``prefix``.

    Redis counts as unavailable after ``timeout`` seconds without an answer. ``connections`` limits the pool.
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
                # A command that is sent twice may run twice. Callers that may retry do so themselves.
                retry=Retry(NoBackoff(), 0),
            )
            # Fails for an unknown parameter in the query of the URL; the connection is not opened.
            pool.connection_class(**pool.connection_kwargs)
        except (ValueError, TypeError):
            # The reason may contain a part of the password.
            message = (
                "the URL of Redis is not valid; use redis://HOST:PORT/DATABASE, rediss://… or unix:///PATH, with a "
                "password as redis://:PASSWORD@HOST…, percent-encoded, and after `?` only parameters of redis-py"
            )
            raise UsageError(message) from None
        self._redis: Any = redis.Redis(connection_pool=pool)
        self._scripts: dict[str, Any] = {}

    def run(self, script: str, *arguments: object) -> Any:
        """Run a script with the prefix and these arguments; return its result. Raise ``StoreUnavailable``."""
        registered = self._scripts.get(script)
        if registered is None:
            registered = self._scripts[script] = self._redis.register_script(script)
        try:
            return registered(args=(self.prefix, *arguments))
        except redis.RedisError as error:
            raise _unavailable(error) from None

    def execute(self, *command: object) -> Any:
        """Run a command; return its result. Raise ``StoreUnavailable``."""
        try:
            return self._redis.execute_command(*command)
        except redis.RedisError as error:
            raise _unavailable(error) from None

    def read_streams(
        self, streams: dict[str, bytes | str], seconds: float
    ) -> list[tuple[bytes, list[tuple[bytes, Any]]]]:
        """Return the entries of streams after these ids; wait for the first, for less than ``timeout``.

        Raise ``StoreUnavailable``.
        """
        try:
            found: Any = self._redis.xread(streams, count=200, block=max(1, int(min(seconds, self.timeout / 2) * 1000)))
        except redis.RedisError as error:
            raise _unavailable(error) from None
        # A list with RESP2, a dict with RESP3.
        if found.__class__ is dict:
            return [(name, entries[0] if entries else []) for name, entries in found.items()]
        return [(name, entries) for name, entries in found or ()]

    def close(self) -> None:
        """Close all connections."""
        self._redis.close()
        self._redis.connection_pool.disconnect()


def _unavailable(error: Exception) -> StoreUnavailable:
    # A full database, for instance, answers with an error.
    what = "reports an error" if isinstance(error, redis.ResponseError) else "does not answer"
    text = f"Redis {what} (process {os.getpid()}): {error}"
    return StoreUnavailable(text)
