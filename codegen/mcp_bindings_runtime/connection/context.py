"""What a handler may do besides returning a result."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from functools import partial
from threading import local
from typing import TYPE_CHECKING, Any, TypeVar, cast

from ..errors import CallCancelled, ConnectionClosed, RequestTimeout, UsageError
from ..logs import write_log
from ..meta import entries_of
from ..methods import NotificationMethod, RequestMethod
from ..session.control_flow import Abandoned
from ..session.events import Incoming
from ..session.log_levels import LEVELS, Level, check_level
from .call_scope import CallScope, Cancellation

if TYPE_CHECKING:
    from ..features.limits import Limits, Pace
    from ..session.handshake import HandshakeServerSession
    from ..session.multi_round import Round
    from .calls import Call
    from .channel import Channel

R = TypeVar("R")

QUESTIONS = frozenset({"elicitation/create", "sampling/createMessage"})
"""Requests of servers that are held against more than their schema."""


class Context:
    """The request or notification that is being handled, and the connection it came on.

    ``peer`` is the client or server that handles it. Good in the handler's thread and in others, until the handler
    returns; ``progress`` for as long as a task runs that it has answered with.
    """

    __slots__ = ("_incoming", "_paces", "connection", "peer")

    def __init__(self, peer: Any, connection: Channel, incoming: Incoming | None) -> None:
        self.peer = peer
        self.connection = connection
        self._incoming = incoming
        self._paces: dict[str, Pace | None] | None = None

    @property
    def request_id(self) -> str | int | None:
        """The id of the request; None for a notification."""
        return None if self._incoming is None else self._incoming.id

    @property
    def params(self) -> Any:
        """The params of the request as they came, for what no argument has; None for a notification."""
        return None if self._incoming is None else self._incoming.params

    @property
    def meta(self) -> Any:
        """``_meta`` of the request: an object of the revision or a dict; None where there is none."""
        return None if self._incoming is None else entries_of(self._incoming.params)

    @property
    def principal(self) -> str | None:
        """Who sends the request, where the transport has made sure of that, as HTTP with authentication does."""
        return None if self._incoming is None else self._incoming.principal

    @property
    def source(self) -> str | None:
        """From which address the request comes over HTTP: of IPv6 the network, "" where the WSGI server does not say."""
        return None if self._incoming is None else self._incoming.source

    @property
    def cancelled(self) -> bool:
        """Whether the answer is not wanted any more, by cancellation or the end of the connection.

        Stop then, and return anything or raise: nothing is sent.
        """
        return self._incoming is not None and self._incoming.cancelled

    @property
    def cancel_reason(self) -> str | None:
        """Why the request was cancelled, for people; None where it was not, or nothing was said.

        Over HTTP a client of 2026-07-28 cancels by closing the connection, which says nothing.
        """
        return None if self._incoming is None else self._incoming.reason

    @property
    def peer_info(self) -> Any:
        """Name and version of the other side's software, as it says; None where it has not said."""
        return self.connection.session.peer_info

    @property
    def peer_capabilities(self) -> Any:
        """What the other side has declared; None where it has declared nothing."""
        return self.connection.session.peer_capabilities

    def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """Reports how far the request has got; each value is to be larger than the last.

        Nothing is sent where the sender has not asked for it, after cancellation, or after the handler's end; where the
        handler has answered with a task, after the end of that (2025-11-25). A ``message`` is sent from
        2025-03-26 on. Raises UsageError for a value that does not increase.
        """
        incoming = self._incoming
        if incoming is None or incoming.token is None:
            return
        with self.connection.lock:
            line = self.connection.session.progress(incoming, progress, total, message)
        if line is not None:
            self._tell("progress", line, partial(self.connection.send, optional=True))

    def _tell(self, name: str, item: Any, tell: Callable[[Any], None]) -> None:
        """Send a notification, no faster than is allowed of its kind; what cannot be sent is dropped."""
        tell = partial(_attempt, tell)
        limits: Limits | None = self.peer.limits
        if limits is None:
            tell(item)
            return
        paces = self._paces
        if paces is None:
            # What belongs to no request is told at one pace by all.
            paces = self._paces = (
                {} if self._incoming else self.connection.session.feature_state.setdefault("paces", {})
            )
        if name not in paces:
            from ..features.limits import pace_of

            paces.setdefault(name, pace_of(limits, self, name, tell))
        pace = paces[name]
        if pace is None:
            tell(item)
        else:
            pace.offer(item)

    def flush(self) -> None:
        """Tells what waits to be told, as the last of it belongs before the answer."""
        if self._paces is not None:
            for pace in self._paces.values():
                if pace is not None:
                    pace.flush()

    def conclude(self, result: Any) -> None:
        """Answers the request with this result now; nothing is done with what its handler gives later.

        From then on the request counts as cancelled. Nothing happens where it was answered or cancelled before. From any
        thread.
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

    @contextmanager
    def cancellable(self) -> Generator[None]:
        """End the calls that the thread makes inside ``with`` when the request is cancelled; raise Abandoned then."""
        incoming = self._incoming
        if incoming is None:
            # The questions of 2026-07-28 are answered within the call that they belong to, and in its scope.
            yield
            return
        cancellation = incoming.cancellation
        if not isinstance(cancellation, Cancellation):
            incoming.cancellation = cancellation = Cancellation()
        if self.cancelled:
            # Its cancellation came before there was anything to stop.
            incoming.stop_calls()
        try:
            with CallScope(cancellation=cancellation):
                yield
        except CallCancelled:
            if self.cancelled:
                raise Abandoned from None
            raise

    def request(
        self,
        key: RequestMethod[Any, R],
        params: Any = None,
        *,
        timeout: float | None = None,
        on_progress: Callable[[Any], object] | None = None,
    ) -> R:
        """Asks the other side for something, and waits for its answer; raises as ``Client.request`` does."""
        return self.connection.request(key, params, timeout=timeout, on_progress=on_progress)

    def notify(self, key: NotificationMethod[Any], params: Any = None) -> None:
        """Sends a notification to the other side."""
        self.connection.notify(key, params)


def _attempt(send: Callable[[Any], None], item: Any) -> None:
    """Send a notification. No handler depends on it: that it cannot be sent any more is noted."""
    try:
        send(item)
    except (ConnectionClosed, RequestTimeout) as fault:
        write_log("debug", "a notification could not be sent: %s", fault)


class _Current(local):
    context: Context | None = None


CURRENT = _Current()
"""Its ``context`` is that of the handler that runs in this thread."""


class ClientContext(Context):
    """The context of a client's handler; ``peer`` is the client."""

    __slots__ = ()

    def request(
        self,
        key: RequestMethod[Any, R],
        params: Any = None,
        *,
        timeout: float | None = None,
        on_progress: Callable[[Any], object] | None = None,
    ) -> R:
        """Asks the server for something, as ``Client.request`` does, from any thread of the handler."""
        with self.cancellable():
            result: R = self.peer.request(key, params, timeout=timeout, on_progress=on_progress)
        return result


class ServerContext(Context):
    """The context of a server's handler."""

    __slots__ = ()

    def request(
        self,
        key: RequestMethod[Any, R],
        params: Any = None,
        *,
        timeout: float | None = None,
        on_progress: Callable[[Any], object] | None = None,
    ) -> R:
        """Asks the client for something, and waits for its answer.

        Raises as ``Client.request`` does: UsageError for what the client has not declared, ProtocolError for an answer
        that does not fit the question.
        """
        if key.name not in QUESTIONS:
            return self._ask(key, params, timeout, on_progress)
        from ..features.server_requests import check_answer, check_question

        check_question(self, key, params)
        result = self._ask(key, params, timeout, on_progress)
        check_answer(self, key, params, result)
        return result

    def _ask(
        self,
        key: RequestMethod[Any, R],
        params: Any,
        timeout: float | None,
        on_progress: Callable[[Any], object] | None,
    ) -> R:
        """Send a request and wait for its result; raise Abandoned as soon as the request being handled is cancelled."""
        incoming, connection = self._incoming, self.connection
        if incoming is None:
            return connection.request(key, params, timeout=timeout, on_progress=on_progress)
        with connection.lock:
            calls = incoming.calls = incoming.calls or set()
        begun: list[Call] = []

        def begin(call: Call) -> None:
            begun.append(call)
            calls.add(call)
            # Whoever cancels it does that first, and then looks for calls.
            if incoming.cancelled:
                raise Abandoned

        try:
            return connection.request(key, params, timeout=timeout, on_progress=on_progress, begun=begin)
        except CallCancelled:
            raise Abandoned from None
        finally:
            calls.difference_update(begun)

    def log(self, level: Level, data: Any, logger: str | None = None) -> None:
        """Sends a log message (``data`` is any JSON) to the client, if it wants those of this severity.

        It goes through the server's ``redact`` first; of messages that come too fast only the last of them is sent.
        Raises UsageError for an unknown level, or where the server has not declared ``logging``.
        """
        key = self.connection.session.binding.notifications["notifications/message"]
        check_level(level)
        least = self._least()
        if least is not None and LEVELS.index(level) >= LEVELS.index(least):
            redact = self.peer.redact
            shown = data if redact is None else redact(data)
            self.tell_log(key.params(level=level, data=shown, logger=logger))

    def tell_log(self, params: Any) -> None:
        """Sends a log message whose severity the client wants, at the pace that is allowed."""
        key = self.connection.session.binding.notifications["notifications/message"]
        self._tell("log", params, partial(self.notify, key))

    def close_stream(self, retry: float = 1.0) -> None:
        """Has the client hang up, and come back for the answer after ``retry`` seconds, while the handler goes on.

        For long work over HTTP, so that no connection is held meanwhile (2025-11-25, Streamable HTTP: polling). Nothing
        happens on other transports. Raises UsageError in revisions whose clients do not come back.
        """
        binding = self.connection.session.binding
        if not binding.facts.polling:
            text = f"clients of {binding.revision} do not poll streams; it exists in 2025-11-25 alone"
            raise UsageError(text)
        self.connection.pause(max(1, round(retry * 1000)))

    def _least(self) -> Level | None:
        """The least severity that the client wants; None where it wants no messages."""
        return cast("HandshakeServerSession", self.connection.session).log_level


class StatelessContext(ServerContext):
    """The context of a server's handler where every request stands alone: what it may ask for comes by replay."""

    __slots__ = ("_replay",)

    def __init__(self, peer: Any, connection: Channel, incoming: Incoming | None) -> None:
        super().__init__(peer, connection, incoming)
        self._replay: Round | None = None

    @property
    def peer_info(self) -> Any:
        """Name and version of the client's software, as this request says; None where it has not said."""
        return None if self.meta is None else self.meta.client_info

    @property
    def peer_capabilities(self) -> Any:
        """What the client has declared with this request; nothing may be carried over from others."""
        return None if self.meta is None else self.meta.client_capabilities

    def _ask(
        self,
        key: RequestMethod[Any, R],
        params: Any,
        timeout: float | None,  # the client's patience decides
        on_progress: Callable[[Any], object] | None,  # embedded requests have no progress
    ) -> R:
        """Asks the client for something (Multi Round-Trip Requests).

        The first time this ends the handler: the client is told what is asked for, and sends its request again with the
        answer. Then the handler is run again from its start, and this returns the answer. So what the handler does
        before is done twice: put side effects behind the last question. The questions must be the same, in the same
        order, each time.

        Raises UsageError in handlers of other methods than those whose result may ask for input, and ResponseError
        (-32021) where the client has not declared that it can answer.
        """
        if self.cancelled:
            raise Abandoned
        if self._replay is None:
            if self._incoming is None or self._incoming.key.name not in self.connection.session.binding.facts.resumable:
                text = f"{key.name} may be asked for only in a handler whose result may be an InputRequiredResult"
                raise UsageError(text)
            self._replay = cast("Round", self.peer.replay(self._incoming))
        result: R = self._replay.answer(key, params)
        return result

    def begin_task(self, *, required: bool = False) -> None:
        """From here on the tool call is a task, if the client understands those; with ``required`` it has to.

        The first time this ends the handler: the client is told that there is a task, and the handler runs again from
        its start, in another thread, knowing what was answered so far. So ask before it what decides whether there is
        anything to do, and put all else behind it. Raises UsageError where the server was made without ``tasks`` or
        this is no tool call, and ResponseError (-32021) where the client would have to understand tasks and does not.
        """
        if self._incoming is None or self._incoming.key.name != "tools/call":
            text = "only a tool call may become a task"
            raise UsageError(text)
        self.peer.detach(self._incoming, required=required)

    def _least(self) -> Level | None:
        meta = self.meta
        level: Level | None = None if meta is None or isinstance(meta, Mapping) else meta.log_level
        return level
