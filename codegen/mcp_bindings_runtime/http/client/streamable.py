"""The client transport over HTTP: Streamable HTTP of every revision, and HTTP+SSE for servers with nothing newer.

The thread that sends a request also reads the response, if that is JSON or a stream with nothing else in it. Only a stream
with further messages gets a thread of its own. Messages wait in the inbox until they are received.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from math import inf
from threading import RLock
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from ...errors import ConnectionClosed, HttpError, McpError, RequestTimeout, UsageError
from ...logs import write_log
from ...session.framing import DEFAULT_LIMIT, check_message
from ...transports import CLOSED_HERE, RelatedMessage, Unanswered, check_timeout
from ..headers import request_headers
from .endpoint import JSON, STREAM, Endpoint, media_type_of
from .error_responses import http_error_of
from .exchange import Exchange
from .inbox import Inbox
from .legacy_sse import LegacySse
from .messages import CANCELLED, OutgoingMessage, members, one_line
from .param_headers import ToolHeaders
from .pending import BackgroundSend, PendingRequests, no_answer, post_and_wait, unusable_response
from .repeater import Repeater, Retry
from .response_stream import ResponseStream
from .retry import RetryPolicy, lacks_headers, lost_session
from .session import HttpSession
from .standalone_stream import StandaloneStream
from .statuses import INITIALIZE, answers, exception_of, refuses_handshake, rejects_message
from .wire import close, discard, read_body

if TYPE_CHECKING:
    from ...facts import Facts
    from .wire import Response

_LISTEN: Final = "subscriptions/listen"
_LAST_WORDS: Final = 1.0
"""Seconds for the DELETE of a session."""
_LINGER: Final = 1.0
"""Seconds that a stream is read after its request was cancelled."""
_LATE: Final = 60.0
"""Seconds that the answer to a request for a task is waited for after its caller has given up."""
_ABORTED: Final = 256
"""Limit on the ids of cancelled requests that a client remembers; the oldest are forgotten."""


class StreamableHttp:
    """A client transport to the server behind an endpoint, for one connection of any revision.

    A message may have ``limit`` bytes. With ``legacy`` a server that refuses ``initialize`` is tried with HTTP+SSE; with
    ``only_sse`` HTTP+SSE is used from the start. ``facts`` are those of the client's revision, which need not be the one
    that is negotiated. ``retries`` is the policy for failed requests.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        limit: int = DEFAULT_LIMIT,
        legacy: bool = True,
        only_sse: bool = False,
        facts: Facts | None = None,
        retries: RetryPolicy | None = None,
    ) -> None:
        self._endpoint = endpoint
        self._repeater = Repeater(retries or RetryPolicy())
        self._limit = limit
        self._try_legacy = legacy
        self._only_sse = only_sse
        self._inbox = Inbox()
        self._session = HttpSession(endpoint, self._repeater, limit=limit, on_message=self._put, facts=facts)
        self._tool_headers = ToolHeaders()
        self._lock = RLock()
        self._pending: dict[Any, PendingRequests] = {}
        self._aborted: deque[Any] = deque(maxlen=_ABORTED)
        """The ids of requests that were aborted before they were sent."""
        self.paused: dict[Any, float] = {}
        """Ids of requests to the seconds of their ``send`` that do not count against the deadline: a user logged in."""
        self._exchanges: set[Exchange] = set()
        """The exchanges in which messages are sent, which ``close`` ends."""
        self._stateless = facts.version if facts is not None and not facts.handshake else None
        """The stateless revision of the last request; None for another one. Before the first, that of the client."""
        self._standalone: StandaloneStream | None = None
        self._legacy: LegacySse | None = None
        self._closed = False

    # Methods of ``Transport``.

    def receive(self, timeout: float | None = None) -> bytes | None:
        """See ``Transport.receive``. Raise ``Unanswered`` for each request that will not be answered."""
        return self._inbox.get(timeout)

    def interrupt(self) -> None:
        """See ``Transport.interrupt``."""
        self._inbox.interrupt()

    def send(self, message: bytes, timeout: float | None = None) -> None:
        """Post a message. The response to a request can be received afterwards.

        Raise ``RequestTimeout`` if the response has not begun within ``timeout`` seconds, ``HttpError`` if a message other
        than a request is refused, ``UsageError`` for an invalid message, ``ConnectionClosed``.
        """
        check_message(message)
        if self._closed:
            raise ConnectionClosed(CLOSED_HERE)
        out = OutgoingMessage(message)
        self._send(out, Exchange(out.what, inf if timeout is None else monotonic() + check_timeout(timeout)))

    def _send(self, out: OutgoingMessage, exchange: Exchange) -> None:
        with self._lock:
            self._exchanges.add(exchange)
        try:
            if out.method == CANCELLED and not out.ids:
                self._cancel(out, exchange)
            elif out.ids:
                self._send_requests(out, exchange)
            else:
                self._repeater.send(out.method, exchange, lambda: self._send_other(out, exchange))
        except BaseException:
            exchange.end()
            raise
        finally:
            with self._lock:
                self._exchanges.discard(exchange)
                if exchange.paused:
                    self.paused.update(dict.fromkeys(out.ids, exchange.paused))
        if self._closed:
            exchange.end()

    def listen(self) -> None:
        """Open the stream of messages that belong to no request, if the revision has one. Idempotent."""
        with self._lock:
            if self._standalone is not None or self._stateless or self._closed or self._legacy or self._only_sse:
                return
            standalone = self._standalone = StandaloneStream(
                self._endpoint, self._session, self._repeater, limit=self._limit, put=self._put
            )
        standalone.start()

    @property
    def retrying(self) -> tuple[Retry, ...]:
        """The requests and streams that failed and wait to be tried again."""
        return self._repeater.waiting

    def abort(self, request_id: Any) -> None:
        """End the ``send`` of a request, also if it begins later. From any thread.

        In 2026-07-28 the server treats that as a cancellation.
        """
        with self._lock:
            pending = self._pending.get(request_id)
            if pending is None:
                self._aborted.append(request_id)
        if pending is not None and pending.background is not None:
            pending.background.leave()
        elif pending is not None and not pending.in_background:
            pending.waiting.discard(request_id)
            if not pending.waiting:
                pending.exchange.end()

    def close(self) -> None:
        """See ``Transport.close``. Delete the session, within a second."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            under_way = [*self._exchanges, *(each.exchange for each in self._pending.values())]
        self._inbox.close()
        for each in (self._standalone, self._legacy):
            if each is not None:
                each.end()
        for exchange in under_way:
            exchange.end()
        if self._session.id is not None and self._legacy is None:
            last = Exchange("the end of the session", monotonic() + _LAST_WORDS)
            # Servers need not support it (status 405).
            with suppress(McpError):
                close(self._endpoint.delete(last, self._session.headers()))
        self._endpoint.wire.close()

    # Requests.

    def _send_requests(self, out: OutgoingMessage, exchange: Exchange) -> None:
        # Only the answer to a request for a task names the task, so it is read even if its caller has given up.
        for_task = out.for_task
        reading = Exchange(out.what, exchange.deadline + _LATE) if for_task else exchange
        pending = PendingRequests(out, reading)
        background = pending.background = BackgroundSend(partial(self._exchange, pending)) if for_task else None
        with self._lock:
            self._pending.update(dict.fromkeys(out.ids, pending))
            self._stateless = out.revision if out.stateless else None
            if self._aborted:
                pending.waiting.difference_update(self._aborted)
        if not pending.waiting:
            self._forget(pending)
        elif background is not None:
            background.wait(exchange)
        else:
            self._exchange(pending)

    def _exchange(self, pending: PendingRequests) -> None:
        """Post requests, and read the response or let a thread do so. Raise ``RequestTimeout`` and ``UsageError``."""
        goes_on = False
        try:
            goes_on = self._carry(pending)
        except (RequestTimeout, UsageError):
            raise
        except McpError as fault:
            goes_on = self._carry_again(pending, fault)
        finally:
            if not goes_on:
                self._forget(pending)

    def _carry_again(self, pending: PendingRequests, fault: McpError) -> bool:
        """Post requests again after a failure if the policy allows it, or report it; return whether a thread reads on."""
        attempt = partial(self._carry, pending)
        try:
            return self._repeater.send_again(pending.out.method, pending.exchange, fault, attempt)
        except McpError as last:
            if isinstance(last, RequestTimeout | UsageError):
                raise
            self._fail(pending, ConnectionClosed(CLOSED_HERE) if self._closed else last)
            return False

    def _carry(self, pending: PendingRequests) -> bool:
        """Post requests and read the response; return whether a thread reads on."""
        out, exchange = pending.out, pending.exchange
        self._session.remember(out)
        if self._only_sse and self._legacy is None:
            return self._open_legacy(exchange).post_requests(pending)
        if self._legacy is not None:
            return self._legacy.post_requests(pending)
        try:
            response = self._post(out, exchange)
        except HttpError as refusal:
            legacy = self._fall_back(exchange) if out.method == INITIALIZE and self._may_be_legacy(refusal) else None
            if legacy is not None:
                return legacy.post_requests(pending)
            raise
        try:
            return self._read_response(pending, response)
        except BaseException:
            close(response)
            raise

    def _post(self, out: OutgoingMessage, exchange: Exchange) -> Response:
        """Post a request, again if it has to change first; return the response. Raise ``HttpError``."""
        if out.stateless:
            headers = request_headers(out.message)
            if out.method != "tools/call":
                return self._post_once(out, exchange, headers)
            try:
                return self._post_once(out, exchange, {**headers, **self._headers_for_tool(out, exchange)})
            except HttpError as refusal:
                if not lacks_headers(refusal):
                    raise
                write_log("info", "tools/call: the server reports missing headers; listing the tools again")
            return self._post_once(out, exchange, {**headers, **self._headers_for_tool(out, exchange, anew=True)})
        if out.method != INITIALIZE:
            self._session.await_renewal(exchange)
        session = self._session.id
        try:
            return self._post_once(out, exchange, self._session.headers())
        except HttpError as refusal:
            if not lost_session(refusal, out.method, session):
                raise
        # The server has not processed the request, as it has no such session.
        self._session.renew(session, exchange)
        if self._standalone is not None:
            self._standalone.session_renewed()
        return self._post_once(out, exchange, self._session.headers())

    def _post_once(self, out: OutgoingMessage, exchange: Exchange, headers: Mapping[str, str]) -> Response:
        """Post a request and return a successful response. Raise ``HttpError`` for any other."""
        response = self._endpoint.post(exchange, headers, out.body)
        if 200 <= response.status < 300:
            self._repeater.note_response()
            return response
        raise http_error_of(response, exchange)

    def _headers_for_tool(self, out: OutgoingMessage, exchange: Exchange, *, anew: bool = False) -> Mapping[str, str]:
        def fetch(wanted: OutgoingMessage) -> bytes:
            headers = request_headers(wanted.message)
            more: dict[str, Any] = {"limit": self._limit, "on_message": self._put}
            attempt = partial(post_and_wait, self._endpoint, exchange, headers, wanted, **more)
            line, _ = self._repeater.send(wanted.method, exchange, attempt)
            # The tool call itself has not been sent.
            exchange.forget_attempt()
            return line

        return self._tool_headers.headers(out, fetch, anew=anew)

    # Answers.

    def _read_response(self, pending: PendingRequests, response: Response) -> bool:
        """Read the response to requests; return whether a thread reads on."""
        out, exchange = pending.out, pending.exchange
        kind = media_type_of(response)
        if out.method == INITIALIZE:
            self._session.begin(response.headers)
        if kind == STREAM:
            stream = ResponseStream(
                self._endpoint,
                pending,
                response,
                limit=self._limit,
                repeater=self._repeater,
                deliver=self._deliver,
                fail=self._fail,
                resume=None if out.stateless else self._session.headers(),
                reopen=partial(self._reopen, pending) if out.method == _LISTEN else None,
            )
            return stream.begin()
        if kind != JSON:
            raise unusable_response(response, pending.exchange)
        body = read_body(response, exchange, self._limit)
        if body and not body.isspace():
            self._deliver(pending, body, wait=False)
        if pending.waiting:
            raise no_answer(pending.exchange)
        return False

    def _reopen(self, pending: PendingRequests) -> Response:
        """Send the request of a subscription again, and return the stream. Raise ``HttpError`` if it is refused."""
        out = pending.out
        response = self._post_once(out, pending.exchange, request_headers(out.message))
        if media_type_of(response) == JSON:
            self._deliver(pending, read_body(response, pending.exchange, self._limit), wait=True)
            raise no_answer(pending.exchange)
        if media_type_of(response) != STREAM:
            raise unusable_response(response, pending.exchange)
        return response

    def _deliver(self, pending: PendingRequests, message: bytes, wait: bool) -> None:
        """Queue a message from the response to requests, and note which of them it answers."""
        line = one_line(message)
        answered = pending.answered(line)
        if answered:
            if pending.out.method == INITIALIZE:
                self._session.agree(line)
            elif pending.out.method == "tools/list" and pending.out.stateless:
                line = self._tool_headers.learn(line)
        self._inbox.put(line if answered else RelatedMessage(line, pending.out.ids), wait=wait)
        pending.waiting -= answered
        if not pending.waiting:
            self._forget(pending)

    def _fail(self, pending: PendingRequests, fault: Exception) -> None:
        """Report a failure for each request without a response."""
        waiting, pending.waiting = pending.waiting, set()
        for request_id in waiting:
            failed, message = fault, None
            if isinstance(fault, HttpError):
                out = pending.out
                failed = exception_of(fault, request_id, out.revision or self._session.version or "", out.method)
                message = json.dumps(fault.error, ensure_ascii=False).encode() if answers(fault, request_id) else None
            self._inbox.put(Unanswered(request_id, failed, message))
        self._forget(pending)

    def _forget(self, pending: PendingRequests) -> None:
        with self._lock:
            for request_id in pending.out.ids:
                if self._pending.get(request_id) is pending:
                    del self._pending[request_id]

    def _put(self, line: bytes) -> None:
        self._inbox.put(line, wait=True)

    # Notifications and responses.

    def _send_other(self, out: OutgoingMessage, exchange: Exchange) -> None:
        self._session.remember(out)
        if self._legacy is not None:
            self._legacy.post(exchange, out)
            return
        stateless = self._stateless and out.message
        headers = request_headers(out.message, self._stateless) if stateless else self._session.headers()
        discard(self._post_once(out, exchange, headers), exchange)

    def _cancel(self, out: OutgoingMessage, exchange: Exchange) -> None:
        """Cancel a request: stop reading its response, which is how 2026-07-28 cancels.

        In earlier revisions send the notification, as a closed connection does not cancel there.
        """
        request_id = members(out.message.get("params")).get("requestId")
        with self._lock:
            pending = self._pending.get(request_id)
        try:
            if not (self._stateless if pending is None else pending.out.stateless):
                self._send_other(out, exchange)
        finally:
            if pending is not None:
                pending.waiting.discard(request_id)
                if not pending.waiting:
                    self._stop_reading(pending)
                    self._forget(pending)

    def _stop_reading(self, pending: PendingRequests) -> None:
        """Stop reading the response to cancelled requests.

        Servers that send requests on it have a moment to cancel those there.
        """
        exchange = pending.exchange
        if pending.out.stateless or not pending.in_background:
            exchange.end()
            return
        with self._lock:
            self._exchanges.add(exchange)

        def ended() -> None:
            with self._lock:
                self._exchanges.discard(exchange)

        exchange.end_later(_LINGER, ended)

    # HTTP+SSE.

    def _may_be_legacy(self, refusal: HttpError) -> bool:
        """Return whether a server that refuses ``initialize`` may be of 2024-11-05 (Backwards Compatibility)."""
        return self._try_legacy and rejects_message(refusal.status) and not refuses_handshake(refusal)

    def _fall_back(self, exchange: Exchange) -> LegacySse | None:
        try:
            return self._open_legacy(exchange)
        except RequestTimeout:
            raise
        except McpError as fault:
            write_log("info", "the server does not support HTTP+SSE, either: %s", fault)
            return None

    def _open_legacy(self, exchange: Exchange) -> LegacySse:
        legacy = LegacySse(self._endpoint, self._inbox, self._repeater, self._session.state, limit=self._limit)
        try:
            legacy.open(exchange, search=self._only_sse)
        except BaseException:
            legacy.end()
            raise
        with self._lock:
            self._legacy = legacy
        if self._closed:
            legacy.end()
        return legacy
