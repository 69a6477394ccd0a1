"""The client's side of HTTP: Streamable HTTP of every revision, and HTTP+SSE where a server has nothing newer.

A thread that sends a request posts it, and reads the answer by itself: where that is JSON, or a stream with nothing else
in it, no other thread has to do with it. Only a stream that brings more, or goes on, is left to a thread of its own.
What comes waits in the inbox for the one that receives.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from math import inf
from threading import RLock, Timer
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from ...errors import ConnectionClosed, HttpError, McpError, RequestTimeout, UsageError
from ...logs import write_log
from ...session.framing import DEFAULT_LIMIT, check_message
from ...transports import CLOSED_HERE, Unanswered, check_timeout
from ..headers import request_headers
from .endpoint import JSON, STREAM, Endpoint, kind_of
from .error_responses import refusal_of
from .exchange import Exchange
from .inbox import Inbox
from .legacy_sse import HttpSse
from .messages import CANCELLED, INITIALIZE, Outgoing, members, one_line
from .param_headers import Mirroring
from .pending import Asked, ask, no_answer, unusable
from .response_stream import Following
from .retry import lacks_headers, lost_session, repeats_request
from .session import Handshaken
from .standalone_stream import Listening
from .statuses import answers, exception_of, refuses_handshake, rejects_message
from .wire import close, discard, whole

if TYPE_CHECKING:
    from .wire import Response

_LAST_WORDS: Final = 1.0
"""Seconds that the end of a session may take."""
_LINGER: Final = 1.0
"""Seconds that a stream is read after its request was cancelled."""
_ABORTED: Final = 256
"""How many ids of aborted requests are remembered: some of them are of requests that had been answered just then."""


class StreamableHttp:
    """A client's transport to the server behind an endpoint.

    A message may have ``limit`` bytes. With ``old`` a server that does not take ``initialize`` is tried by HTTP+SSE; with
    ``only_old`` it is spoken to so from the start. ``version_header`` says whether requests of a session name their version;
    None: by the version that is agreed on. One transport serves one conversation, of whichever revision.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        limit: int = DEFAULT_LIMIT,
        old: bool = True,
        only_old: bool = False,
        version_header: bool | None = None,
    ) -> None:
        self._endpoint = endpoint
        self._limit = limit
        self._try_old = old
        self._only_old = only_old
        self._inbox = Inbox()
        self._session = Handshaken(endpoint, limit=limit, aside=self._put, version_header=version_header)
        self._mirroring = Mirroring()
        self._lock = RLock()
        self._asked: dict[Any, Asked] = {}
        self._aborted: deque[Any] = deque(maxlen=_ABORTED)
        """The ids of requests that ``abort`` was called for before they were sent."""
        self._exchanges: set[Exchange] = set()
        """Those that messages are sent in, which ``close`` ends."""
        self._stateless = False
        """Whether the last request was one that stands alone."""
        self._listening: Listening | None = None
        self._old: HttpSse | None = None
        self._closed = False

    # As ``Transport``.

    def receive(self, timeout: float | None = None) -> bytes | None:
        """As ``Transport.receive``. Raises Unanswered for each request that no answer will come for."""
        return self._inbox.get(timeout)

    def interrupt(self) -> None:
        """As ``Transport.interrupt``."""
        self._inbox.interrupt()

    def send(self, message: bytes, timeout: float | None = None) -> None:
        """Posts a message. What a request is answered with can be received then, or will be.

        Raises RequestTimeout where the answer to a request has not begun within ``timeout`` seconds, HttpError where
        anything else than a request is refused, UsageError for a message that cannot be posted, ConnectionClosed.
        """
        check_message(message)
        if self._closed:
            raise ConnectionClosed(CLOSED_HERE)
        out = Outgoing(message)
        self._send(out, Exchange(out.what, inf if timeout is None else monotonic() + check_timeout(timeout)))

    def _send(self, out: Outgoing, exchange: Exchange) -> None:
        with self._lock:
            self._exchanges.add(exchange)
        try:
            if out.method == CANCELLED and not out.ids:
                self._cancel(out, exchange)
            elif out.ids:
                self._ask(out, exchange)
            else:
                self._tell(out, exchange)
        except BaseException:
            exchange.end()
            raise
        finally:
            with self._lock:
                self._exchanges.discard(exchange)
        if self._closed:
            exchange.end()

    def listen(self) -> None:
        """From now on what the server says unasked is brought, too, where that takes a stream of its own. Idempotent."""
        with self._lock:
            if self._listening is not None or self._stateless or self._closed or self._old or self._only_old:
                return
            listening = self._listening = Listening(self._endpoint, self._session, limit=self._limit, put=self._put)
        listening.start()

    def abort(self, request_id: Any) -> None:
        """End the ``send`` of a request, or make it end as soon as it begins; its answer is not waited for any more.

        In 2026-07-28 the server takes that for a cancellation. From any thread.
        """
        with self._lock:
            asked = self._asked.get(request_id)
            if asked is None:
                self._aborted.append(request_id)
        if asked is not None and not asked.followed:
            asked.waiting.discard(request_id)
            if not asked.waiting:
                asked.exchange.end()

    def close(self) -> None:
        """As ``Transport.close``. A session is ended with DELETE, for which the server has a second."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            under_way = [*self._exchanges, *(each.exchange for each in self._asked.values())]
        self._inbox.close()
        for each in (self._listening, self._old):
            if each is not None:
                each.end()
        for exchange in under_way:
            exchange.end()
        if self._session.id is not None and self._old is None:
            last = Exchange("the end of the session", monotonic() + _LAST_WORDS)
            # Servers need not support it (status 405), and those that are gone cannot.
            with suppress(McpError):
                close(self._endpoint.delete(last, self._session.headers()))
        self._endpoint.wire.close()

    # Requests.

    def _ask(self, out: Outgoing, exchange: Exchange) -> None:
        asked = Asked(out, exchange)
        with self._lock:
            self._asked.update(dict.fromkeys(out.ids, asked))
            self._stateless = out.stateless
            if self._aborted:
                asked.waiting.difference_update(self._aborted)
        if not asked.waiting:
            self._forget(asked)
            return
        goes_on = False
        try:
            goes_on = self._carry(asked)
        except (RequestTimeout, UsageError):
            raise
        except McpError as fault:
            self._fail(asked, ConnectionClosed(CLOSED_HERE) if self._closed else fault)
        finally:
            if not goes_on:
                self._forget(asked)

    def _carry(self, asked: Asked) -> bool:
        """Posts requests and reads the answer; whether a thread reads on."""
        out, exchange = asked.out, asked.exchange
        if self._only_old and self._old is None:
            return self._post_old(self._open_old(exchange), asked)
        if self._old is not None:
            return self._post_old(self._old, asked)
        self._session.sends(out)
        try:
            response = self._post(out, exchange)
        except HttpError as refusal:
            old = self._turned_old(exchange) if out.method == INITIALIZE and self._looks_old(refusal) else None
            if old is not None:
                return self._post_old(old, asked)
            raise
        try:
            return self._hear(asked, response)
        except BaseException:
            close(response)
            raise

    def _post(self, out: Outgoing, exchange: Exchange) -> Response:
        """The answer to a request, sent again where the server has shown that it has not taken it; raises HttpError."""
        if out.stateless:
            headers = request_headers(out.message)
            if out.method != "tools/call":
                return self._taken(out, exchange, headers)
            try:
                return self._taken(out, exchange, {**headers, **self._mirrored(out, exchange)})
            except HttpError as refusal:
                if not lacks_headers(refusal):
                    raise
                write_log("info", "tools/call: the server misses headers; the tool is looked up anew")
            return self._taken(out, exchange, {**headers, **self._mirrored(out, exchange, anew=True)})
        if out.method != INITIALIZE:
            self._session.await_renewal(exchange)
        session = self._session.id
        try:
            return self._taken(out, exchange, self._session.headers())
        except HttpError as refusal:
            if not lost_session(refusal, out.method, session):
                raise
        # It has not been taken, as there is no session that it could be taken in.
        self._session.renew(session, exchange)
        if self._listening is not None:
            self._listening.renewed()
        return self._taken(out, exchange, self._session.headers())

    def _taken(self, out: Outgoing, exchange: Exchange, headers: Mapping[str, str]) -> Response:
        """The answer of a server that has taken a request; raises HttpError for one that has not."""
        try:
            response = self._endpoint.post(exchange, headers, out.body)
        except ConnectionClosed:
            # A server may close a connection that was idle while the request is on its way.
            if not repeats_request(out.method, exchange):
                raise
            response = self._endpoint.post(exchange, headers, out.body)
        if not 200 <= response.status < 300:
            raise refusal_of(response, exchange)
        return response

    def _mirrored(self, out: Outgoing, exchange: Exchange, *, anew: bool = False) -> Mapping[str, str]:
        def fetch(wanted: Outgoing) -> bytes:
            return ask(
                self._endpoint, exchange, request_headers(wanted.message), wanted, limit=self._limit, aside=self._put
            )[0]

        return self._mirroring.headers(out, fetch, anew=anew)

    # Answers.

    def _hear(self, asked: Asked, response: Response) -> bool:
        """Reads the answer to requests; whether a thread reads on."""
        out, exchange = asked.out, asked.exchange
        kind = kind_of(response)
        if out.method == INITIALIZE:
            self._session.begin(response.headers)
        if kind == STREAM:
            following = Following(
                self._endpoint,
                asked,
                response,
                limit=self._limit,
                deliver=self._deliver,
                fail=self._fail,
                resume=None if out.stateless else self._session.headers(),
            )
            return following.begin()
        if kind != JSON:
            raise unusable(response, out.what)
        body = whole(response, exchange, self._limit)
        if body and not body.isspace():
            self._deliver(asked, body, wait=False)
        if asked.waiting:
            raise no_answer(out.what)
        return False

    def _deliver(self, asked: Asked, message: bytes, wait: bool) -> None:
        """Something has come on the answer to requests, perhaps the answer to one of them."""
        line = one_line(message)
        answered = asked.answered(line)
        if answered:
            if asked.out.method == INITIALIZE:
                self._session.agree(line)
            elif asked.out.method == "tools/list" and asked.out.stateless:
                line = self._mirroring.learn(line)
        self._inbox.put(line, wait=wait)
        asked.waiting -= answered
        if not asked.waiting:
            self._forget(asked)

    def _fail(self, asked: Asked, fault: Exception) -> None:
        """Report a failure for each of the requests that still wait."""
        waiting, asked.waiting = asked.waiting, set()
        for request_id in waiting:
            failed, message = fault, None
            if isinstance(fault, HttpError):
                failed = exception_of(fault, request_id, asked.out.revision or self._session.version or "")
                message = json.dumps(fault.error, ensure_ascii=False).encode() if answers(fault, request_id) else None
            self._inbox.put(Unanswered(request_id, failed, message))
        self._forget(asked)

    def _forget(self, asked: Asked) -> None:
        with self._lock:
            for request_id in asked.out.ids:
                if self._asked.get(request_id) is asked:
                    del self._asked[request_id]

    def _put(self, line: bytes) -> None:
        self._inbox.put(line, wait=True)

    # Everything that is no request.

    def _tell(self, out: Outgoing, exchange: Exchange) -> None:
        if self._old is not None:
            self._old.post(exchange, out.body)
            return
        self._session.sends(out)
        stateless = self._stateless and out.message
        headers = request_headers(out.message) if stateless else self._session.headers()
        response = self._endpoint.post(exchange, headers, out.body)
        if not 200 <= response.status < 300:
            raise refusal_of(response, exchange)
        discard(response, exchange)

    def _cancel(self, out: Outgoing, exchange: Exchange) -> None:
        """A request is given up: its answer is not read any more, which is how 2026-07-28 tells the server so.

        Before that revision the server is told in so many words, as a lost connection means nothing.
        """
        request_id = members(out.message.get("params")).get("requestId")
        with self._lock:
            asked = self._asked.get(request_id)
        try:
            if not (self._stateless if asked is None else asked.out.stateless):
                self._tell(out, exchange)
        finally:
            if asked is not None:
                asked.waiting.discard(request_id)
                if not asked.waiting:
                    self._leave(asked)
                    self._forget(asked)

    def _leave(self, asked: Asked) -> None:
        """Stop reading the answer to requests that were given up.

        In the revisions whose servers send requests on it, they have a moment to cancel those there.
        """
        exchange = asked.exchange
        if asked.out.stateless or not asked.followed:
            exchange.end()
            return
        with self._lock:
            self._exchanges.add(exchange)

        def end() -> None:
            exchange.end()
            with self._lock:
                self._exchanges.discard(exchange)

        timer = Timer(_LINGER, end)
        timer.name = "mcp-http-linger"
        timer.daemon = True
        try:
            timer.start()
        except RuntimeError as fault:
            write_log("warning", "no thread is to be had: %s", fault)
            end()

    # HTTP+SSE.

    def _looks_old(self, refusal: HttpError) -> bool:
        """Whether a server that refuses ``initialize`` may be one of 2024-11-05 (Backwards Compatibility)."""
        return self._try_old and rejects_message(refusal.status) and not refuses_handshake(refusal)

    def _turned_old(self, exchange: Exchange) -> HttpSse | None:
        try:
            return self._open_old(exchange)
        except RequestTimeout:
            raise
        except McpError as fault:
            write_log("info", "the server does not speak HTTP+SSE, either: %s", fault)
            return None

    def _open_old(self, exchange: Exchange) -> HttpSse:
        old = HttpSse(self._endpoint, self._inbox, limit=self._limit)
        try:
            old.open(exchange.deadline, search=self._only_old)
        except BaseException:
            old.end()
            raise
        with self._lock:
            self._old = old
        if self._closed:
            old.end()
        return old

    @staticmethod
    def _post_old(old: HttpSse, asked: Asked) -> bool:
        """Posts requests whose answers come on the stream of the server."""
        old.post(asked.exchange, asked.out.body)
        asked.waiting.clear()
        return False
