"""Retries of calls that wait in another process: they are sent there, handled there, and answered here.

A client without sessions answers a question by its request, sent again; a load balancer may send that to any process.

- The ``requestState`` names the process that holds the call. Only that process can check the rest of the state, and the
  principal and the request that it is bound to. The retry is sent to it once, and never repeated: if the answer is lost, the
  client gets an error.
- The holder handles the retry as one of its own. What its handler sends goes through the log of the answer to the process
  that the client has reached: notifications, and then the response, which may be a further question.
- A client that leaves has the retry cancelled at the holder.
- A holder that ends deletes its heartbeat, and that of one that was killed expires; retries then get the error -32602 with
  the reason. After the store has lost its data, a retry waits until either is certain.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from secrets import token_hex
from threading import Lock
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, Final, cast

from ...errors import ResponseError
from ...jsonrpc import INTERNAL_ERROR, INVALID_PARAMS, ErrorObject, error_line
from ...logs import write_log
from ...server.routing import Routes
from ...session.caller import Caller
from ...session.control_flow import Abandoned
from ...session.events import Incoming, Reply
from ...session.stateless import StatelessServerSession
from .event_log import EventLog
from .handler_pool import HandlerPool
from .independent_messages import request_channel
from .stateless_endpoint import cancel_request
from .store import CallsBusy, CallStore, ProcessState, StoreUnavailable

if TYPE_CHECKING:
    from ...connection.channel import Channel
    from ...server.call_router import RoutedServer
    from ...server.server import Server
    from .post_channel import PostChannel

_LOOK: Final = 1.0
"""Seconds between two looks whether the holder lives, and whether the client has left."""
_PAUSE: Final = 0.1
"""Seconds between two attempts to reach a holder of which nothing is known."""
_AGAIN: Final = "send the request again"
_ENDED: Final = f"the process that held the call has ended, and the call with it; {_AGAIN} without requestState"
_UNAVAILABLE: Final = f"the call waits in another process, which cannot be reached: the store does not answer; {_AGAIN}"
_LOST: Final = (
    f"the answer of the process that holds the call was lost; {_AGAIN}, to learn whether the call has continued"
)


class RetryRouter:
    """Routes retries between the processes of one endpoint, as the ``CallRouter`` of its servers without sessions."""

    def __init__(self, routes: Routes, store: CallStore, pool: HandlerPool) -> None:
        self._routes = routes
        self._calls = store.calls
        self._pool = pool
        self._lock = Lock()
        self._handled: dict[str, HandledRetry] = {}
        """The retries that this process handles for others, by the ids of their answers."""
        for revision in routes.stateless:
            cast("RoutedServer", routes.server_of(revision)).call_router = self
        store.calls.on_call(self._receive)

    @property
    def process(self) -> str:
        """See ``CallRouter.process``."""
        return self._calls.process

    # For retries of calls in other processes.

    def forward(self, process: str, server: Server, connection: Channel, incoming: Incoming) -> Any:
        """See ``CallRouter.forward``."""
        deadline = monotonic() + server.limit
        call_id = token_hex(16)
        try:
            self._send(process, call_id, server, incoming, deadline)
            response = self._answer(process, call_id, connection, incoming, deadline)
        except StoreUnavailable as error:
            write_log("warning", "a retry could not be routed to its process: %s", error)
            raise _failure(_UNAVAILABLE) from None
        except CallsBusy as error:
            reason = f"{error}; {_AGAIN}"
            raise ResponseError(INTERNAL_ERROR, "Too busy", {"reason": reason}) from None
        if "error" in response:
            found = response["error"]
            raise ResponseError(found["code"], found["message"], found.get("data"))
        return server.binding.codec.decode_result(incoming.key, response["result"])

    def _send(self, process: str, call_id: str, server: Server, incoming: Incoming, deadline: float) -> None:
        """Send a retry. Raise ``ResponseError`` (-32602) if the process has ended."""
        params = server.binding.codec.unstructure(incoming.params)
        message = {
            "call": call_id,
            "revision": server.binding.revision,
            "request": {"jsonrpc": "2.0", "id": incoming.id, "method": incoming.key.name, "params": params},
            "principal": incoming.principal,
            "source": incoming.source or "",
        }
        source = incoming.principal or incoming.source or ""
        data = json.dumps(message).encode()
        while (state := self._calls.send(process, call_id, source, data)) is ProcessState.UNKNOWN:
            if incoming.cancelled:
                raise Abandoned
            if monotonic() > deadline:
                raise _failure(_UNAVAILABLE)
            sleep(_PAUSE)
        if state is ProcessState.DEAD:
            raise _invalid(_ENDED)

    def _answer(self, process: str, call_id: str, connection: Channel, incoming: Incoming, deadline: float) -> Any:
        """Return the response to a retry as JSON; pass the notifications before it on to the client."""
        log = self._calls.answer(call_id)
        reader, after = log.attach(), 0
        try:
            while True:
                events, over = log.read(reader, after, _LOOK)
                for event in events:
                    after = event.number
                    value: dict[str, Any] = json.loads(event.line)
                    if "method" not in value:
                        return value
                    connection.send(event.line, optional=True)
                if over:
                    raise _failure(_LOST) if log.ended else _invalid(_ENDED)
                if incoming.cancelled or monotonic() > deadline:
                    self._calls.send(process, "", "", json.dumps({"call": call_id}).encode())
                    if incoming.cancelled:
                        raise Abandoned
                    raise _failure(_LOST)
        finally:
            log.detach(reader)

    # For retries of calls in this process.

    def _receive(self, data: bytes) -> None:
        """Handle a retry that another process has received, or cancel one."""
        message: dict[str, Any] = json.loads(data)
        call_id = message["call"]
        if "request" not in message:
            with self._lock:
                found = self._handled.get(call_id)
            if found is not None:
                found.cancel()
            return
        retry = HandledRetry(self._routes, message, self._calls.answer(call_id))
        with self._lock:
            self._handled[call_id] = retry
        if not self._pool.start(partial(self._handle, call_id, retry), retry.source):
            self._forget(call_id)
            retry.refuse("Too busy", "too many requests run in the process that holds the call")

    def _handle(self, call_id: str, retry: HandledRetry) -> None:
        try:
            retry.run()
        except BaseException:
            retry.end()
            raise
        finally:
            self._forget(call_id)

    def _forget(self, call_id: str) -> None:
        with self._lock:
            self._handled.pop(call_id, None)


class HandledRetry:
    """A retry that this process handles for another one, which reads the ``answer``."""

    def __init__(self, routes: Routes, message: Mapping[str, Any], answer: EventLog) -> None:
        self._routes = routes
        self._revision: str = message["revision"]
        self._request: dict[str, Any] = message["request"]
        self._principal: str | None = message["principal"]
        self._address: str = message["source"]
        self._answer = answer
        self._lock = Lock()
        self._running: tuple[PostChannel, Incoming] | None = None
        self._cancelled = False

    @property
    def source(self) -> str:
        """The source that its handler is charged to."""
        return self._principal or self._address

    def run(self) -> None:
        """Run the handler; all that it sends goes into the answer."""
        if self._revision not in self._routes.stateless:
            self.refuse("Internal error", f"the process that holds the call does not serve {self._revision}")
            return
        server = self._routes.server_of(self._revision)
        session = cast("StatelessServerSession", server.session(self._routes.revisions))
        event = session.receive_value(self._request)
        if not isinstance(event, Incoming):
            if isinstance(event, Reply):
                self._answer.append(event.line, 0)
            self._answer.end()
            return
        event.caller = None if self._principal is None else Caller(self._principal)
        event.source = self._address
        channel = request_channel(server, session, (event,), lambda _name: self._answer)
        channel.source = self.source
        with self._lock:
            self._running = channel, event
            cancelled = self._cancelled
        if cancelled:
            self._answer.end()
            return
        channel.open()
        channel.run(server, event)

    def cancel(self) -> None:
        """Cancel the retry, because its client has left."""
        with self._lock:
            self._cancelled = True
            running = self._running
        if running is not None:
            cancel_request(*running)

    def end(self) -> None:
        """End the answer as it is; the other process learns that it is incomplete."""
        self._answer.end()

    def refuse(self, message: str, reason: str) -> None:
        """Answer with an error, without running the handler."""
        error = ErrorObject(INTERNAL_ERROR, message, {"reason": f"{reason}; {_AGAIN}"})
        self._answer.append(error_line(self._request["id"], error, null_id=False), 0)
        self._answer.end()


def _failure(reason: str) -> ResponseError:
    return ResponseError(INTERNAL_ERROR, "Internal error", {"reason": reason})


def _invalid(reason: str) -> ResponseError:
    return ResponseError(INVALID_PARAMS, "Invalid params", {"reason": reason})
