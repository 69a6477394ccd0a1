"""The store in Redis that the processes of one bridge share, behind a load balancer.

- *Which processes belong together*: those with the same servers and the same ``--revision``. The prefix of all keys is a
  digest of both, so bridges to different servers can use one Redis.
- *Sessions of clients* are in Redis. Any process continues a session: the handshake is known there, and it opens a session
  of its own with the servers behind. The log level and the subscriptions follow (``proxy.session_settings``).
- *Answers of clients* to questions of a server reach the process that waits for them, through Redis.
- *Calls of clients without sessions that wait for input* stay in their process. The ``requestState`` names it, and retries
  are routed to it (``http.server.retry_router``, ``bridge.parked_calls``; ``proxy.routed_states`` for programs without
  sessions). If it has ended, the error says so.
- *What does not move*: the state that a server keeps in its own process, and the tasks of the bridge.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import quote, urlsplit

from mcp_bindings_runtime.errors import UsageError

if TYPE_CHECKING:
    from mcp_bindings_runtime.http.redis.store import RedisStore

    from mcp_bindgen.calling.connection import Server

_DIGITS: Final = 16
"""Hexadecimal digits of the digest in the prefix."""


class RedisAddress(NamedTuple):
    """The URL of Redis, and its password if the URL has none."""

    url: str
    password: str | None = None

    @property
    def full_url(self) -> str:
        """The URL with the password. Raise ``UsageError`` if it has another one."""
        if self.password is None:
            return self.url
        parts = urlsplit(self.url)
        user, _, place = parts.netloc.rpartition("@")
        if ":" in user:
            message = "the URL of Redis has a password already; leave it out of the URL"
            raise UsageError(message)
        return parts._replace(netloc=f"{user}:{quote(self.password, safe='')}@{place}").geturl()


def open_store(address: RedisAddress, servers: Mapping[str, Server], revision: str | None) -> RedisStore:
    """Return the store for a bridge to these servers by name, which are used in a revision (None: any).

    Raise ``UsageError`` for a URL that is not valid, and without the extra ``redis``; ``StoreUnavailable`` if Redis does
    not answer.
    """
    from mcp_bindings_runtime.http.redis.store import RedisStore

    store = RedisStore(address.full_url, prefix=key_prefix(servers, revision))
    store.client.execute("PING")
    return store


def key_prefix(servers: Mapping[str, Server], revision: str | None) -> str:
    """Return the prefix of the keys of a bridge: the same for the same servers and revision, and different for others."""
    named = [[name, *each.command, each.url] for name, each in servers.items()]
    digest = hashlib.sha256(json.dumps([named, revision]).encode())
    return f"mcp-bridge:{digest.hexdigest()[:_DIGITS]}:"
