"""The HTTP session of a handshake client, and its renewal after the server has ended it.

Transports, Session Management and Protocol Version Header.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from ...errors import ConnectionClosed, HttpError, McpError, ProtocolError, RequestTimeout
from ...installed_revisions import facts_of
from ...logs import write_log
from .endpoint import Endpoint
from .error_responses import http_error_of
from .exchange import Exchange
from .messages import OutgoingMessage
from .pending import post_and_wait
from .repeater import Repeater
from .session_state import SETTING, SessionState, version_in
from .shared_renewal import SharedRenewal
from .statuses import INITIALIZE, rejects_message
from .wire import discard

if TYPE_CHECKING:
    from ...facts import Facts

SESSION: Final = "Mcp-Session-Id"
VERSION: Final = "MCP-Protocol-Version"
_VISIBLE = re.compile(r"[!-~]+", re.ASCII)


class HttpSession:
    """The id and version of a session, and the messages that begin it."""

    def __init__(
        self,
        endpoint: Endpoint,
        repeater: Repeater,
        *,
        limit: int,
        on_message: Callable[[bytes], Any],
        facts: Facts | None = None,
    ) -> None:
        self.id: str | None = None
        """The session id from the server; None if it has sent none."""
        self.version: str | None = None
        """The negotiated revision."""
        self._facts = facts
        self._endpoint = endpoint
        self._repeater = repeater
        self._limit = limit
        self._aside = on_message
        self.state = SessionState()
        """The messages that have set the state of the session."""
        self._renewal = SharedRenewal()
        """Until a renewal has succeeded, ``id`` is that of the lost session."""

    def headers(self) -> dict[str, str]:
        """Return the headers of every request after ``initialize``."""
        return self._headers(self.id)

    def _headers(self, session: str | None) -> dict[str, str]:
        found: dict[str, str] = {}
        if session is not None:
            found[SESSION] = session
        if self.version is not None and self._names_version(self.version):
            found[VERSION] = self.version
        return found

    def _names_version(self, version: str) -> bool:
        own = self._facts
        facts = own if own is not None and own.version == version else facts_of(version)
        return facts is None or facts.version_header

    def remember(self, out: OutgoingMessage) -> None:
        """Remember a message that begins a session, or sets its state."""
        if out.method in SETTING:
            if out.method == INITIALIZE:
                self.id = self.version = None
            self.state.remember(out)

    def begin(self, headers: Mapping[str, str]) -> None:
        """Set the id from the response to ``initialize``. Raise ``ProtocolError`` for an invalid one."""
        self.id = _session_id(headers)

    def agree(self, line: bytes) -> None:
        """Set the revision from the response to ``initialize``."""
        self.version = version_in(line)

    def await_renewal(self, exchange: Exchange) -> None:
        """Wait while a renewal is under way. Raises as ``renew``."""
        with _renewing(exchange):
            self._renewal.wait(exchange)

    def renew(self, lost: str | None, exchange: Exchange) -> None:
        """Begin a new session instead of the lost one, or wait until another thread has done so.

        The server gets the same ``initialize`` as for the first session and must answer with the same revision; then the
        log level and the subscriptions to resources are set again. Other threads do not see the new session before that. A
        refused renewal fails for all threads that wait for it; after a timeout one of them starts another.

        Raise ``HttpError`` for a refusal for another reason, such as access or load; else ``ConnectionClosed``;
        ``RequestTimeout``.
        """

        def begin() -> None:
            self.id = self._begin_anew(exchange)

        with _renewing(exchange):
            self._renewal.run(exchange, lambda: self.id == lost, begin)

    def _begin_anew(self, exchange: Exchange) -> str | None:
        """Begin a session as the first one was begun, and return its id."""
        found: str | None = None

        def send(out: OutgoingMessage) -> bytes:
            nonlocal found
            first = out.method == INITIALIZE
            line, headers = self._post(exchange, {} if first else self._headers(found), out)
            if first:
                found = _session_id(headers)
            return line

        def notify(body: bytes) -> None:
            response = self._endpoint.post(exchange, self._headers(found), body)
            if not 200 <= response.status < 300:
                raise http_error_of(response, exchange)
            discard(response, exchange)

        write_log("warning", "the server has ended the session (HTTP status 404); starting a new one")
        self.state.restore(self.version, send, notify)
        return found

    def _post(
        self, exchange: Exchange, headers: Mapping[str, str], out: OutgoingMessage
    ) -> tuple[bytes, Mapping[str, str]]:
        """Return the response to a request, and its HTTP headers."""

        def attempt() -> tuple[bytes, Mapping[str, str]]:
            return post_and_wait(self._endpoint, exchange, headers, out, limit=self._limit, on_message=self._aside)

        exchange.forget_attempt()
        return self._repeater.send(out.method, exchange, attempt)


@contextmanager
def _renewing(exchange: Exchange) -> Generator[None]:
    """Raise the errors of a renewal as those of the message that waits for it."""
    try:
        yield
    except RequestTimeout:
        raise
    except McpError as fault:
        if exchange.ended:
            raise exchange.closed() from fault
        exchange.exhausted = True
        if isinstance(fault, HttpError) and not rejects_message(fault.status):
            raise HttpError(*fault.args) from fault
        text = f"{exchange.what}: the session was lost, and no new one could be started: {fault}"
        raise ConnectionClosed(text) from fault


def _session_id(headers: Mapping[str, str]) -> str | None:
    """Return the session id of a response to ``initialize``. Raise ``ProtocolError`` for an invalid one."""
    found = headers.get(SESSION)
    if found is not None and not _VISIBLE.fullmatch(found):
        text = f"the session id must be visible ASCII, got {found!r}"
        raise ProtocolError(text)
    return found
