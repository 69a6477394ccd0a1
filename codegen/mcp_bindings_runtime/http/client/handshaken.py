"""What a client of the revisions up to 2025-11-25 keeps of its session, and how a lost one is begun anew.

Transports, Session Management and Protocol Version Header.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any, Final

from ...errors import ConnectionClosed, McpError, ProtocolError
from ...logs import note
from .asked import ask
from .endpoint import Endpoint
from .exchange import Exchange
from .outgoing import INITIALIZE, Outgoing, members
from .refusals import refusal_of
from .wire import discard

SESSION: Final = "Mcp-Session-Id"
VERSION: Final = "MCP-Protocol-Version"
_VISIBLE = re.compile(r"[!-~]+", re.ASCII)
_WITHOUT_VERSION: Final = frozenset({"2024-11-05", "2025-03-26"})
"""Revisions that do not have the header."""


class Handshaken:
    """The session with a server, as far as HTTP carries it."""

    def __init__(self, endpoint: Endpoint, *, limit: int, aside: Callable[[bytes], Any]) -> None:
        self.id: str | None = None
        """As the server has given it; None where it has not."""
        self.version: str | None = None
        """The revision that was agreed on."""
        self._endpoint = endpoint
        self._limit = limit
        self._aside = aside
        self._hello: Outgoing | None = None
        self._initialized: bytes | None = None
        self._renewing = Lock()

    def headers(self) -> dict[str, str]:
        """What every request carries after ``initialize``."""
        found: dict[str, str] = {}
        if self.id is not None:
            found[SESSION] = self.id
        if self.version is not None and self.version not in _WITHOUT_VERSION:
            found[VERSION] = self.version
        return found

    def sends(self, out: Outgoing) -> None:
        """Remembers what a session begins with."""
        if out.method == INITIALIZE:
            self._hello = out
            self.id = self.version = None
        elif out.method == "notifications/initialized":
            self._initialized = out.body

    def begin(self, headers: Mapping[str, str]) -> None:
        """Takes the id from the answer to ``initialize``. Raises ProtocolError for one that cannot be one."""
        given = headers.get(SESSION)
        if given is not None and not _VISIBLE.fullmatch(given):
            text = f"the server gave a session id with characters other than visible ASCII: {given!r}"
            raise ProtocolError(text)
        self.id = given

    def agree(self, line: bytes) -> None:
        """Takes the revision from the answer to ``initialize``."""
        version = members(members(_read(line)).get("result")).get("protocolVersion")
        self.version = version if isinstance(version, str) else None

    def renew(self, lost: str | None, exchange: Exchange) -> None:
        """Begins a new session instead of the lost one, unless another thread has done so.

        The server is told the same as for the first; if it answers with another revision, nothing goes on. What the first
        one had been told besides, such as the level of log messages and the subscriptions to resources, is lost. Raises
        ConnectionClosed.
        """
        with self._renewing:
            if self.id != lost:
                return
            if self._hello is None or self._initialized is None:
                text = f"{exchange.what}: the server has ended the session before it was open"
                raise ConnectionClosed(text)
            agreed = self.version
            note("warning", "the server has ended the session (HTTP status 404); a new one is begun")
            try:
                line, headers = ask(self._endpoint, exchange, {}, self._hello, limit=self._limit, aside=self._aside)
                version = members(members(_read(line)).get("result")).get("protocolVersion")
                if version != agreed:
                    text = f"it now speaks {version}, and it was {agreed}"
                    raise ProtocolError(text)
                self.begin(headers)
                response = self._endpoint.post(exchange, self.headers(), self._initialized)
                if response.status >= 300:
                    raise refusal_of(response, exchange)
                discard(response, exchange)
            except McpError as fault:
                self.id = lost
                text = f"{exchange.what}: the session was lost, and no new one could be begun: {fault}"
                raise ConnectionClosed(text) from fault


def _read(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None
