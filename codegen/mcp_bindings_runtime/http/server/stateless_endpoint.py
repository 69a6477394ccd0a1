"""Streamable HTTP as 2026-07-28 has it: every request stands alone, and says in its headers what is in its body.

2026-07-28: Streamable HTTP; Cancellation; Subscriptions; Versioning and Compatibility.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from ...codec.codec import best_backend
from ...codec.json_text import NotJson
from ...connection.thread_pool import ThreadPool
from ...errors import ConnectionClosed
from ...jsonrpc import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    MISSING_CLIENT_CAPABILITY,
    PARSE_ERROR,
    UNSUPPORTED_VERSION,
    Refusal,
    error_line,
    sendable,
)
from ...meta import member
from ...server.routing import Routes
from ...session.events import Dropped, Incoming, Reply
from ...session.session import Session
from ...session.stateless import INITIALIZE, LISTEN, VERSION, naming
from ..headers import NAMED, mismatch
from . import event_stream
from .client_address import client_address
from .disconnection import ClientGone, has_hung_up
from .event_log import EventLog, MemoryEventLog, Priority
from .param_headers import ToolParamHeaders
from .post_channel import NoStream, PostChannel
from .responses import REQUESTS, STREAMS, Rejection, Response, busy, empty_response, json_response
from .stream_limiter import StreamLimiter

if TYPE_CHECKING:
    from ...server.server import Server
    from .options import EndpointOptions

HEADER_MISMATCH: Final = -32020

_REFUSED: Final = {
    PARSE_ERROR: 400,
    INVALID_REQUEST: 400,
    INVALID_PARAMS: 400,
    METHOD_NOT_FOUND: 404,
    HEADER_MISMATCH: 400,
    MISSING_CLIENT_CAPABILITY: 400,
    UNSUPPORTED_VERSION: 400,
}
"""The status of a request that is refused before it is handled."""
_HANDLED: Final = {METHOD_NOT_FOUND: 404, MISSING_CLIENT_CAPABILITY: 400, UNSUPPORTED_VERSION: 400}
"""The status of one that its handler refuses: those that the text names. Other errors are answers like any."""


class StatelessEndpoint:
    """Serves requests with the servers of these revisions."""

    def __init__(self, routes: Routes, options: EndpointOptions, slots: StreamLimiter, workers: ThreadPool) -> None:
        self._versions = routes.revisions
        self._annotations = {server: ToolParamHeaders(server) for server in routes.stateless}
        self._options = options
        self._slots = slots
        self._workers = workers

    def post(
        self, environ: Mapping[str, Any], body: bytes, value: Any, server: Server, principal: str | None
    ) -> Response:
        """Takes a message for a server and answers it. ``value`` is what is in the body. Raises Rejection."""
        if value.__class__ is not dict:
            raise Rejection(400, "the body is no JSON-RPC request or notification, which is one object")
        method = value.get("method")
        if "method" not in value and ("result" in value or "error" in value):
            raise Rejection(400, "clients send no responses in this revision; what is asked of them comes in results")
        version = member(value, "params", "_meta", VERSION)
        if "id" in value:
            annotated = self._annotations[server].of(value, principal)
            reason = None
            if annotated or not _plainly_equal(environ, value, version):
                reason = mismatch(EnvironHeaders(environ), value, annotated)
            if reason is not None:
                refusal = Refusal(HEADER_MISMATCH, f"Header mismatch: {reason}")
                return self._refuse(value, naming(refusal, self._versions) if method == INITIALIZE else refusal)
        session = server.session(self._versions)
        event = session.receive(body)[0]
        if isinstance(event, Incoming):
            event.principal = principal
            event.source = client_address(environ)
            return self._run(server, session, event, partial(has_hung_up, environ))
        if isinstance(event, Reply):
            if event.refusal is not None:
                return json_response(_REFUSED.get(event.refusal.code, 400), event.line)
            if method == LISTEN:
                gone = partial(has_hung_up, environ)
                return self._listen(server, session, value["id"], event.line, gone)
            return json_response(200, event.line)
        if isinstance(event, Dropped) and event.bad:
            raise Rejection(400, event.reason)
        return empty_response(202)

    @staticmethod
    def _refuse(value: Mapping[str, Any], refusal: Refusal) -> Response:
        given = value.get("id")
        if given.__class__ is not int and not sendable(given):
            reason = "the id is neither a string nor an integer"
            raise Rejection(400, reason)
        return json_response(_REFUSED[refusal.code], error_line(given, refusal, null_id=False))

    def _run(self, server: Server, session: Session, incoming: Incoming, gone: Callable[[], bool]) -> Response:
        exchange = PostChannel(
            session,
            Lock(),
            {},
            timeout=server.timeout,
            limit=server.limit,
            stream=self._stream,
            late=_too_late,
            waiting=(incoming,),
        )
        if not self._workers.start(partial(exchange.run, server, incoming)):
            raise busy(REQUESTS)
        try:
            quiet = exchange.wait(self._options.keepalive, gone)
        except ClientGone:
            _cancel(exchange, incoming)
            raise Rejection(400, "the connection was closed on the client's side before there was an answer") from None
        log = exchange.log
        if log is None:
            return _whole(exchange)

        def closed(whole: bool) -> None:
            self._slots.give(long=False)
            if not whole:
                _cancel(exchange, incoming)

        return self._streaming(log, closed, gone, event_stream.KEEP_ALIVE if quiet else b"")

    def _streaming(
        self, log: EventLog, closed: Callable[[bool], None], gone: Callable[[], bool], first: bytes = b""
    ) -> Response:
        body = event_stream.EventStream(
            log, keepalive=self._options.keepalive, among=self._slots.streams, closed=closed, gone=gone, first=first
        )
        return Response(200, [*event_stream.HEADERS], body)

    def _stream(self) -> EventLog:
        if not self._slots.take(long=False):
            message = "as many streams are open as may be, so nothing can be sent but the answer"
            raise NoStream(message)
        return MemoryEventLog(keep=False, expected=True)

    def _listen(
        self, server: Server, session: Session, request_id: Any, first: bytes, gone: Callable[[], bool]
    ) -> Response:
        """Opens the stream of a subscription, which lasts until one of the sides ends it."""
        if not self._slots.take(long=True):
            raise busy(STREAMS, 5)
        log = MemoryEventLog(keep=False, expected=True)
        subscription = Incoming(session.binding.requests[LISTEN], request_id, None)
        link = PostChannel(
            session,
            Lock(),
            {},
            timeout=server.timeout,
            limit=server.limit,
            stream=lambda: log,
            late=_too_late,
            waiting=(subscription,),
        )
        link.send(first)
        server.admit(link)

        def closed(_whole: bool) -> None:
            self._slots.give(long=True)
            server.dismiss(link)
            link.close()
            session.close()

        return self._streaming(log, closed, gone)


class EnvironHeaders(Mapping[str, str]):
    """The headers of a request by their names in lower case, as WSGI tells them: it knows no ``-`` from ``_``."""

    def __init__(self, environ: Mapping[str, Any]) -> None:
        self._environ = environ

    def __getitem__(self, name: str) -> str:
        value: str = self._environ["HTTP_" + name.upper().replace("-", "_")]
        return value

    def __iter__(self) -> Iterator[str]:
        return (name[5:].lower().replace("_", "-") for name in self._environ if name.startswith("HTTP_"))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _plainly_equal(environ: Mapping[str, Any], value: Mapping[str, Any], version: Any) -> bool:
    """Whether headers and body are the same to the letter, as they are nearly always; where not, more has to be seen."""
    method = value.get("method")
    if version is None or environ.get("HTTP_MCP_PROTOCOL_VERSION") != version:
        return False
    if method.__class__ is not str or environ.get("HTTP_MCP_METHOD") != method:
        return False
    named = NAMED.get(str(method))
    given = environ.get("HTTP_MCP_NAME")
    if named is None:
        return given is None
    return given is not None and given == member(value, "params", named) and "=?" not in given and given.isascii()


def _whole(exchange: PostChannel) -> Response:
    if exchange.answer is None:
        return empty_response(202)
    status = 200 if exchange.refusal is None else _HANDLED.get(exchange.refusal.code, 200)
    return json_response(status, exchange.answer)


def _cancel(exchange: PostChannel, incoming: Incoming) -> None:
    """The client has closed the connection, and so wants no answer any more (Cancellation: Transport-Specific)."""
    incoming.cancelled = True
    incoming.reason = "the client has closed the connection"
    with exchange.lock:
        exchange.session.close()
    exchange.give_up()


def _too_late(_line: bytes, _priority: Priority, _timeout: float) -> int:
    message = "the request is answered; nothing more can be sent about it"
    raise ConnectionClosed(message)


_PARSE: Final = best_backend().parse


def parse(body: bytes) -> Any:
    """What is in a body. Raises Rejection where it is no JSON."""
    try:
        return _PARSE(body)
    except (NotJson, RecursionError):
        # What is JSON and cannot be sent as such, half a surrogate pair say, is for the session to refuse.
        return _slowly(body)


def _slowly(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise Rejection(400, "the body is no JSON in UTF-8", code=PARSE_ERROR) from None
