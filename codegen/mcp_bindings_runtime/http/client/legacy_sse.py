"""The client side of HTTP+SSE (2024-11-05): one stream for all messages of the server, and an endpoint to post to."""

from __future__ import annotations

from math import inf
from threading import Thread
from typing import TYPE_CHECKING

from ...errors import ConnectionClosed, HttpError, McpError, MessageTooLarge, ProtocolError
from ...logs import log_exception, write_log
from ..sse import SseParser
from .endpoint import STREAM, Endpoint, media_type_of
from .error_responses import http_error_of
from .exchange import Exchange
from .inbox import Inbox
from .messages import one_line
from .statuses import rejects_message
from .wire import close, discard, next_part, origin, resolve_url, sibling_urls

if TYPE_CHECKING:
    from .wire import Response


class LegacySse:
    """A connection by HTTP+SSE; messages of the server go to ``inbox``, which ends with the stream."""

    def __init__(self, endpoint: Endpoint, inbox: Inbox, *, limit: int) -> None:
        self._endpoint = endpoint
        self._inbox = inbox
        self._events = SseParser(limit)
        self._exchange = Exchange("the stream of the server")
        self._target = ""

    def open(self, deadline: float, *, search: bool = False) -> None:
        """Open the stream, and wait until the server has named the URL to post to.

        With ``search``, try ``sse`` next to the URL and below it, too: many servers have Streamable HTTP at the URL. Raise
        ``HttpError`` for a refusal, ``ProtocolError`` for another response, ``ConnectionClosed``, ``RequestTimeout``.
        """
        self._exchange.deadline = deadline
        response = self._find() if search else self._get("")
        try:
            while not self._target:
                self._process(self._first_part(response))
            self._exchange.deadline = inf
            Thread(target=self._run, args=(response,), name="mcp-http-sse", daemon=True).start()
        except BaseException:
            close(response)
            raise

    def _find(self) -> Response:
        url = self._endpoint.url
        try:
            return self._get("")
        except ProtocolError as fault:
            if isinstance(fault, HttpError) and not rejects_message(fault.status):
                raise
            refusal = fault
        tried = sibling_urls(url, "sse")
        for each in tried:
            try:
                response = self._get(each)
            except ProtocolError as fault:
                if isinstance(fault, HttpError) and not rejects_message(fault.status):
                    raise
                continue
            write_log("info", "the stream of HTTP+SSE is at %s, and not at %s; use that URL", each, url)
            return response
        refusal.add_note(
            f"There is no stream of HTTP+SSE (2024-11-05) at {', '.join([url, *tried])}. Use the URL of the stream if it is "
            "elsewhere, or `connect.http`, which negotiates the revision."
        )
        raise refusal

    def _get(self, url: str) -> Response:
        """Return the stream at a URL. Raise as ``open``."""
        response = self._endpoint.get(self._exchange, {}, url)
        if response.status != 200:
            raise http_error_of(response, self._exchange)
        if media_type_of(response) != STREAM:
            close(response)
            text = f"{self._exchange.url} returned {media_type_of(response) or 'no media type'} instead of {STREAM}"
            raise ProtocolError(text)
        return response

    def _first_part(self, response: Response) -> bytes:
        part = next_part(response, self._exchange)
        if not part:
            text = "the stream of the server ended before its endpoint event"
            raise ConnectionClosed(text)
        return part

    def post(self, exchange: Exchange, body: bytes) -> None:
        """Post a message. Raise ``HttpError`` for a refusal, ``ConnectionClosed``, ``RequestTimeout``."""
        response = self._endpoint.post(exchange, {}, body, self._target)
        if not 200 <= response.status < 300:
            raise http_error_of(response, exchange)
        # Its body only acknowledges the message.
        discard(response, exchange)

    def end(self) -> None:
        """End the stream."""
        self._exchange.end()

    def _run(self, response: Response) -> None:
        why = "the server ended its stream"
        try:
            while part := next_part(response, self._exchange):
                self._process(part)
        except McpError as fault:
            why = str(fault)
        except Exception as fault:  # noqa: BLE001  # nobody is left waiting for what comes no more
            log_exception(fault, "the stream of the server cannot be read: %s", fault)
            why = f"the stream of the server cannot be read: {fault}"
        finally:
            close(response)
            self._inbox.end(why)

    def _process(self, part: bytes) -> None:
        for event in self._events.feed(part):
            if isinstance(event, MessageTooLarge):
                write_log("warning", "%s", event)
            elif event.type == "endpoint":
                self._set_target(event.data)
            elif event.type == "message" and event.data and self._target:
                self._inbox.put(one_line(event.data), wait=True)

    def _set_target(self, data: bytes) -> None:
        """Set the URL to post to, which must be in the origin of the server."""
        if self._target:
            write_log("info", "dropped: another endpoint event; the first one holds")
            return
        target = resolve_url(self._exchange.url, data.decode("utf-8", "replace").strip())
        if origin(target) != origin(self._endpoint.url):
            text = f"the endpoint of the server is in another origin, {origin(target)}; messages are posted to its own only"
            raise ProtocolError(text)
        self._target = target
