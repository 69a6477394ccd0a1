"""The context of a handler: the request, and what it may do besides returning a result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from threading import local
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, cast

from ..errors import CallCancelled, ConnectionClosed, NotDeclared, RequestTimeout, UsageError
from ..foreign_names import ARGUMENTS_OF_LOG, NO_TYPE_ARGUMENT, OF_CONTEXTS, explain_attributes, explain_calls
from ..logs import write_log
from ..methods import NotificationMethod, RequestMethod
from ..session.control_flow import Abandoned
from ..session.events import Incoming
from ..session.log_levels import LEVELS, Level, check_level
from .request_scope import RequestScope

if TYPE_CHECKING:
    from ..bridge.connection_ledger import ConnectionLedger
    from ..features.limits import Limits, Throttle
    from ..session.caller import Caller
    from ..session.handshake import HandshakeServerSession
    from ..session.multi_round import Round
    from .calls import Call
    from .channel import Channel

R = TypeVar("R")
Params = TypeVar("Params")

QUESTIONS = frozenset({"elicitation/create", "sampling/createMessage"})
"""Requests of servers that are checked beyond their schema."""


class Context:
    """The request or notification that is being handled, and the connection it came on.

    ``peer`` is the client or server that handles it. Usable in any thread until the handler returns; if the answer is a
    task, ``progress`` until the task ends.
    """

    __slots__ = ("_incoming", "_throttles", "connection", "peer")

    def __init__(self, peer: Any, connection: Channel, incoming: Incoming | None) -> None:
        self.peer = peer
        self.connection = connection
        self._incoming = incoming
        self._throttles: dict[str, Throttle | None] | None = None

    @property
    def incoming(self) -> Incoming | None:
        """The request in the session; None for a notification."""
        return self._incoming

    @property
    def peer_revision(self) -> str:
        """Revision that the other side uses."""
        session: Any = self.connection.session
        found: str = getattr(session, "peer_revision", session.binding.revision)
        return found

    @property
    def ledger(self) -> ConnectionLedger | None:
        """Differences from the revision of the other side, and losses; None if both sides use the same revision."""
        return getattr(self.connection.session, "ledger", None)

    @property
    def request_id(self) -> str | int | None:
        """Id of the request; None for a notification."""
        return None if self._incoming is None else self._incoming.id

    @property
    def params(self) -> Any:
        """Params of the request as received; None for a notification."""
        return None if self._incoming is None else self._incoming.params

    @property
    def meta(self) -> Any:
        """``_meta`` of the request: an object of the revision or a dict; None if there is none."""
        return None if self._incoming is None else self._incoming.meta

    @property
    def principal(self) -> str | None:
        """Authenticated sender of the request, if the transport authenticates, as HTTP may."""
        return None if self._incoming is None else self._incoming.principal

    @property
    def caller(self) -> Caller | None:
        """Authenticated sender with the scopes and claims of its access token; None if ``principal`` is None."""
        return None if self._incoming is None else self._incoming.caller

    @property
    def source(self) -> str | None:
        """Address that the request comes from over HTTP (of IPv6 the network); "" if the WSGI server does not provide it."""
        return None if self._incoming is None else self._incoming.source

    @property
    def cancelled(self) -> bool:
        """Whether the answer is not wanted any more: the request was cancelled, or the connection has ended.

        If it is true, the handler should stop. Whatever it then returns or raises is not sent.
        """
        return self._incoming is not None and self._incoming.cancelled

    @property
    def cancel_reason(self) -> str | None:
        """Reason of the cancellation, for people; None if there is none.

        Over HTTP a client of 2026-07-28 cancels by closing the connection; the reason says so.
        """
        return None if self._incoming is None else self._incoming.reason

    @property
    def peer_info(self) -> Any:
        """Name and version of the other side's software; None if it has not sent them."""
        return self.connection.session.peer_info

    @property
    def peer_capabilities(self) -> Any:
        """Capabilities of the other side; None if it has declared none."""
        return self.connection.session.peer_capabilities

    @property
    def wants_progress(self) -> bool:
        """Whether the requestor wants progress of the request."""
        return self._incoming is not None and self._incoming.token is not None

    def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """Send the progress of the request; each value has to be larger than the last.

        Send nothing if the requestor does not want progress, if the request was cancelled, or if the handler has ended.
        If the request became a task (2025-11-25), progress is sent until the task ends. ``message`` is sent from
        2025-03-26 on. Raise `UsageError` for a value that does not increase.
        """
        incoming = self._incoming
        if incoming is None or incoming.token is None:
            return
        with self.connection.lock:
            line = self.connection.session.progress(incoming, progress, total, message)
        if line is not None:
            self._send_throttled("progress", line, partial(self._send_progress, incoming))

    def _send_progress(self, incoming: Incoming, line: bytes) -> None:
        """Send progress unless the request was cancelled while the line waited for the limits."""
        if not incoming.cancelled:
            self.connection.send(line, optional=True)

    def _send_throttled(self, name: str, item: Any, send: Callable[[Any], None]) -> None:
        """Send a notification no faster than the limits allow; drop it if it cannot be sent."""
        send = partial(_attempt, send)
        limits: Limits | None = self.peer.limits
        if limits is None:
            send(item)
            return
        throttles = self._throttles
        if throttles is None:
            # Notifications outside requests share the throttles of the session.
            throttles = self._throttles = (
                {} if self._incoming else self.connection.session.feature_state.setdefault("throttles", {})
            )
        if name not in throttles:
            from ..features.limits import throttle_of

            throttles.setdefault(name, throttle_of(limits, self, name, send))
        throttle = throttles[name]
        if throttle is None:
            send(item)
        else:
            throttle.offer(item)

    def flush(self) -> None:
        """Send the notifications that wait, before the answer."""
        # Throttles refer to the context; without them it is freed at once.
        throttles, self._throttles = self._throttles, None
        if throttles is not None:
            for throttle in throttles.values():
                if throttle is not None:
                    throttle.flush()

    def conclude(self, result: Any) -> None:
        """Answer the request with this result now; the result of its handler is ignored.

        The request counts as cancelled afterwards. Do nothing if it was answered or cancelled before. From any thread.
        """
        incoming, connection = self._incoming, self.connection
        if incoming is None or incoming.cancelled:
            return
        line = connection.session.response_line(incoming, result)
        with connection.lock:
            last = connection.session.settle(incoming, line)
            incoming.cancelled = True
        incoming.stop_calls()
        if last is not None:
            connection.reply(incoming, last)

    def cancellable(self) -> AbstractContextManager[object]:
        """End the calls that the thread makes inside ``with`` when the request is cancelled; raise Abandoned then."""
        incoming = self._incoming
        # The questions of 2026-07-28 are answered within the call that they belong to, and in its scope.
        return nullcontext() if incoming is None else RequestScope(self, incoming)

    def request(
        self,
        key: RequestMethod[Params, R],
        params: Params | None = None,
        *,
        timeout: float | None = None,
        on_progress: Callable[[Any], object] | None = None,
    ) -> R:
        """Send the other side a request and wait for its answer; raise as ``Client.request``."""
        return self.connection.request(key, params, timeout=timeout, on_progress=on_progress)

    def notify(self, key: NotificationMethod[Params], params: Params | None = None) -> None:
        """Send the other side a notification."""
        self.connection.notify(key, params)


def _attempt(send: Callable[[Any], None], item: Any) -> None:
    """Send a notification; log if it cannot be sent, since no handler depends on it."""
    try:
        send(item)
    except (ConnectionClosed, RequestTimeout) as fault:
        write_log("debug", "a notification could not be sent: %s", fault)


class _Current(local):
    context: Context | None = None


CURRENT = _Current()
"""The context of the handler that runs in this thread, as ``context``."""


class ClientContext(Context):
    """The context of a client's handler; ``peer`` is the client."""

    __slots__ = ()

    def request(
        self,
        key: RequestMethod[Params, R],
        params: Params | None = None,
        *,
        timeout: float | None = None,
        on_progress: Callable[[Any], object] | None = None,
    ) -> R:
        """Send the server a request, as ``Client.request``."""
        with self.cancellable():
            result: R = self.peer.request(key, params, timeout=timeout, on_progress=on_progress)
        return result


@explain_attributes(OF_CONTEXTS)
class ServerContext(Context):
    """The context of a server's handler."""

    __slots__ = ()

    # Hidden from type checkers, which know that the class is not generic.
    if not TYPE_CHECKING:

        def __class_getitem__(cls, item: object) -> NoReturn:
            raise TypeError(NO_TYPE_ARGUMENT)

    def request(
        self,
        key: RequestMethod[Params, R],
        params: Params | None = None,
        *,
        timeout: float | None = None,
        on_progress: Callable[[Any], object] | None = None,
    ) -> R:
        """Send the client a request and wait for its answer.

        Raise as ``Client.request``: `UsageError` if the client has not declared the capability, `ProtocolError` for an
        answer that does not fit the request.
        """
        if key.name not in QUESTIONS:
            return self._request(key, params, timeout, on_progress)
        from ..features.server_requests import check_incoming_result, check_outgoing_request

        check_outgoing_request(self, key, params)
        result = self._request(key, params, timeout, on_progress)
        check_incoming_result(self, key, params, result)
        return result

    def _request(
        self,
        key: RequestMethod[Any, R],
        params: Any,
        timeout: float | None,
        on_progress: Callable[[Any], object] | None,
    ) -> R:
        """Send a request as the revision does."""
        return self.send_request(key, params, timeout, on_progress)

    def send_request(
        self,
        key: RequestMethod[Any, R],
        params: Any,
        timeout: float | None,
        on_progress: Callable[[Any], object] | None,
    ) -> R:
        """Send a request and wait for its result; raise `Abandoned` as soon as the request being handled is cancelled."""
        incoming, connection = self._incoming, self.connection
        if incoming is None:
            return connection.request(key, params, timeout=timeout, on_progress=on_progress)
        with connection.lock:
            if incoming.calls is None:
                # Another thread of the handler may use a set that is still empty.
                incoming.calls = set()
            calls = incoming.calls
        sent: list[Call] = []

        def begin(call: Call) -> None:
            sent.append(call)
            calls.add(call)
            # A cancelling thread sets `cancelled` first and then stops the calls.
            if incoming.cancelled:
                raise Abandoned

        try:
            return connection.request(key, params, timeout=timeout, on_progress=on_progress, sending=begin)
        except CallCancelled:
            raise Abandoned from None
        finally:
            calls.difference_update(sent)

    @explain_calls(ARGUMENTS_OF_LOG)
    def log(self, level: Level, data: Any, logger: str | None = None) -> None:
        """Send the client a log message (``data`` is any JSON) if it wants those of this severity.

        The server's ``redact`` is applied first. If messages come too fast, only the last one is sent. Raise
        `UsageError` for an unknown level, or if the server has not declared ``logging``.
        """
        key = self.connection.session.binding.notifications["notifications/message"]
        check_level(level)
        if self.wants_log(level):
            shown = data if self.peer.redact is None else self.peer.redact(data)
            self.send_log(key.params(level=level, data=shown, logger=logger))

    def wants_log(self, level: Level) -> bool:
        """Return whether the client wants log messages of this severity."""
        least = self._least()
        return least is not None and LEVELS.index(level) >= LEVELS.index(least)

    def send_log(self, params: Any) -> None:
        """Send a log message whose severity the client wants, no faster than the limits allow."""
        key = self.connection.session.binding.notifications["notifications/message"]
        self._send_throttled("log", params, partial(self.notify, key))

    def close_stream(self, retry: float = 1.0) -> None:
        """Ask the client to disconnect and come back for the answer after ``retry`` seconds, while the handler goes on.

        Use this for long work over HTTP, so that no connection stays open meanwhile (in the specification of
        2025-11-25: Streamable HTTP, polling). Do nothing on other transports, and while a limit of the endpoint allows
        no further stream. Also do nothing at an endpoint with ``streams=0``, because clients cannot reconnect to it.
        Raise `UsageError` in revisions whose clients do not reconnect.
        """
        binding = self.connection.session.binding
        if not binding.facts.polling:
            text = f"clients of {binding.revision} do not poll streams; close_stream() works in 2025-11-25 alone"
            raise UsageError(text)
        self.connection.pause(max(1, round(retry * 1000)))

    def _least(self) -> Level | None:
        """Return the least severity that the client wants; None if it wants no messages."""
        return cast("HandshakeServerSession", self.connection.session).log_level


class StatelessContext(ServerContext):
    """The context of a server's handler if every request stands alone: requests to the client are answered by replay."""

    __slots__ = ("_replay",)

    def __init__(self, peer: Any, connection: Channel, incoming: Incoming | None) -> None:
        super().__init__(peer, connection, incoming)
        self._replay: Round | None = None

    @property
    def peer_info(self) -> Any:
        """Name and version of the client's software in this request; None if it has none."""
        return None if self.meta is None else self.meta.client_info

    @property
    def peer_capabilities(self) -> Any:
        """Capabilities that the client declares with this request; those of other requests do not count."""
        return None if self.meta is None else self.meta.client_capabilities

    def notify(self, key: NotificationMethod[Params], params: Params | None = None) -> None:
        """Send the client a notification; do nothing if the request was cancelled (stdio: Cancellation)."""
        if self.cancelled:
            return
        binding = self.connection.session.binding
        wire = None if binding.wire_methods is None else binding.wire_methods.keys.get(key)
        if wire is not None and not binding.declares(self.peer_capabilities, wire.capability or ""):
            text = f"{key.name} needs the capability {wire.capability!r}, which the client has not declared"
            raise NotDeclared(text)
        super().notify(key, params)

    def _request(
        self,
        key: RequestMethod[Any, R],
        params: Any,
        timeout: float | None,  # the client's timeout counts
        on_progress: Callable[[Any], object] | None,  # embedded requests have no progress
    ) -> R:
        """Send the client a request (Multi Round-Trip Requests).

        The first time this ends the handler: the answer to the client holds the request, and the client repeats its own
        request with the answer. The handler then runs again from its start, and this returns the answer. So whatever the
        handler does before is done twice: put side effects behind the last request. The requests must be the same, in
        the same order, each time.

        Raise `UsageError` in handlers of methods whose result cannot request input, and `ResponseError` (-32021) if the
        client has not declared that it can answer.
        """
        if self.cancelled:
            raise Abandoned
        if not key.embedded:
            text = (
                f"servers of {self.connection.session.binding.revision} send no {key.name}; let the client request it"
            )
            raise UsageError(text)
        if self._replay is None:
            if self._incoming is None or self._incoming.key.name not in self.connection.session.binding.facts.resumable:
                text = f"{key.name} can be sent only by handlers that may return an InputRequiredResult"
                raise UsageError(text)
            self._replay = cast("Round", self.peer.replay(self._incoming))
        result: R = self._replay.answer(key, params)
        return result

    def begin_task(self, *, required: bool = False) -> None:
        """Continue the tool call as a task if the client supports tasks; with ``required``, it must support them.

        The first call ends the handler: the client receives the task, and the handler runs again from its start in
        another thread, with the answers so far. So before this call, only send the requests that decide whether there
        is anything to do. Put everything else after this call. Raise `UsageError` if the server has no ``tasks`` or
        this is not a tool call, and with ``required``, `ResponseError` (-32021) if the client does not support tasks.
        """
        if self._incoming is None or self._incoming.key.name != "tools/call":
            text = "only a tool call may become a task"
            raise UsageError(text)
        self.peer.detach(self._incoming, required=required)

    def _least(self) -> Level | None:
        meta = self.meta
        level: Level | None = None if meta is None or isinstance(meta, Mapping) else meta.log_level
        return level
