"""The session core: messages in, events and messages out. No clock, no thread, no pipe.

Feed it lines with ``receive``, and act on the events it gives; ask it for the line of each thing that is to be said,
and send that line. What is common to both eras is here; how a session of one begins, and what its messages carry, is in
``handshake`` and ``stateless``. ``lifecycle`` has the tables of what may be sent and taken when.

Methods are called by one thread at a time; what each of them does to the session is done when it returns.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from ..binding import OTHER, Binding
from ..errors import ConnectionClosed, DecodeError, EncodeError, NotDeclared, ResponseError, UsageError
from ..facts import Era
from ..jsonrpc import (
    METHOD_NOT_FOUND,
    NO_ID,
    PARSE_ERROR,
    ErrorObject,
    RequestId,
    classify_invalid,
    error_line,
    exception_for,
    invalid_request,
)
from ..meta import entries_of, token_in, with_token
from ..methods import NotificationMethod, RequestMethod, Side
from ..validation import require_method_key
from . import lifecycle, progress
from .events import Batch, Dropped, Event, Incoming, Notified, Outcome, Reply, RequestCancelled

if TYPE_CHECKING:
    from .task_tracker import TaskTracker


class Session:
    """One side of a conversation in one revision.

    ``info`` and ``capabilities`` are what the side says of itself, objects of the revision.
    """

    era: ClassVar[Era]

    def __init__(self, binding: Binding, side: Side, *, info: Any, capabilities: Any) -> None:
        self.binding = binding
        self.side = side
        self.info = info
        self.capabilities = capabilities
        self.peer_info: Any = None
        """Who the other side says it is; None as long as it has not said so."""
        self.peer_capabilities: Any = None
        """What the other side has declared; None as long as it has declared nothing."""
        self.state: lifecycle.State = lifecycle.INITIAL_STATE[self.era]
        self._may_send = lifecycle.MAY_SEND[self.era][side]
        self._may_receive = lifecycle.MAY_RECEIVE[self.era][side]
        self._keys = binding.receivable_by(side)
        self._decode = binding.codec.read
        self._encode = binding.encode
        self._sender: Side = OTHER[side]
        self.requests_sent = 0
        """How many requests this side has sent; each has the next number as its id."""
        self._pending: dict[RequestId, RequestMethod[Any, Any]] = {}
        self._progress: dict[RequestId, float | None] = {}
        self._running: dict[RequestId, Incoming] = {}
        self._in_batch = False
        self._sendable: dict[RequestMethod[Any, Any] | NotificationMethod[Any], lifecycle.State] = {}
        """What has been found to be in order, and in which state; ``_receivable`` of what the other side sends."""
        self._receivable: dict[RequestMethod[Any, Any], lifecycle.State] = {}
        self._task_requests: set[RequestId] = set()
        """Requests that become tasks: ``tasks/cancel`` ends those (2025-11-25, Cancellation: Behavior Requirements)."""
        self.feature_state: dict[str, Any] = {}
        """What features remember of the other side, by their names."""
        self._handlers: dict[str, Callable[[Any], Event]] = {}
        """What the session answers itself, by method."""
        self.tasks: TaskTracker | None = None
        """The requests that became tasks; None in revisions without them."""
        if "tasks/result" in binding.requests:
            from .task_tracker import TaskTracker

            self.tasks = TaskTracker(binding, side, self._progress, self._pending)

    # What the side says.

    def request(self, key: RequestMethod[Any, Any], params: Any, *, progress: bool = False) -> tuple[RequestId, bytes]:
        """The id and the line of a request. With ``progress`` it asks to hear of it.

        Raises UsageError where it may not be sent now, or the other side has not declared the capability; EncodeError;
        ConnectionClosed.
        """
        if self._sendable.get(key) is not self.state:
            self._require_sendable(key, request=True)
        request_id = self.requests_sent + 1
        task = self.tasks is not None and self.tasks.check_request(key, params, request_id, self.peer_capabilities)
        self.requests_sent = request_id
        line = self._encode(
            key.message(id=request_id, params=self._add_request_meta(key, params, request_id if progress else None))
        )
        self._pending[request_id] = key
        if progress:
            self._progress[request_id] = None
        if task:
            self._task_requests.add(request_id)
        return request_id, line

    def notify(self, key: NotificationMethod[Any], params: Any = None) -> bytes:
        """The line of a notification; raises as ``request`` does."""
        if self._sendable.get(key) is not self.state:
            self._require_sendable(key, request=False)
        line = self._encode(key.message(params=params))
        if self.tasks is not None:
            self.tasks.record_sent(key, params)
        return line

    def response_line(self, incoming: Incoming, result: Any) -> bytes:
        """The line that answers a request with a result; raises EncodeError for one that is none of the method."""
        if not isinstance(result, incoming.key.result):
            result = self._to_declared_result(incoming.key, result)
        if self.tasks is not None:
            incoming.result = result = result if incoming.meta is None else self.tasks.mark_result(incoming, result)
        return self._encode(self.binding.response(id=incoming.id, result=self._add_result_meta(result)))

    def _to_declared_result(self, key: RequestMethod[Any, Any], result: Any) -> Any:
        """A result made as something else, perhaps as JSON, as what the method has."""
        codec = self.binding.codec
        try:
            return codec.decode_result(key, codec.unstructure(result))
        except DecodeError as fault:
            raise EncodeError(("result", *fault.keys), fault.found, fault.expected, fault.revision) from None

    def error_response_line(self, incoming: Incoming, refusal: ErrorObject) -> bytes:
        """The line that answers a request with an error."""
        incoming.refusal = refusal
        return self._error(incoming.id, refusal)

    def settle(self, incoming: Incoming, line: bytes) -> bytes | None:
        """A request is answered by this line; what is to be sent.

        That is nothing (None) if the request was cancelled or settled before, or while others of its batch run.
        """
        if self._running.get(incoming.id) is not incoming:
            return None
        del self._running[incoming.id]
        if incoming.result is not None and self.tasks is not None:
            self.tasks.record_answer(incoming)
        batch = incoming.batch
        if batch is None:
            return line
        batch.answers.append(line)
        return self._finish_one(batch)

    def cancel(self, request_id: RequestId, reason: str | None = None) -> bytes | None:
        """The line that tells the other side that no answer is awaited any more; None where that may not be said.

        Not cancelled so are requests that are not in flight any more, those that became tasks, and what is asked before
        the session is open: ``initialize`` above all.
        """
        lasting = request_id in self._task_requests
        key = self.forget(request_id)
        if key is None or lasting or self.state != "open":
            return None
        cancelled = self.binding.notifications["notifications/cancelled"]
        return self._encode(cancelled.message(params=cancelled.params(request_id=request_id, reason=reason)))

    def forget(self, request_id: RequestId) -> RequestMethod[Any, Any] | None:
        """Waits for the answer to a request no longer; gives its key if it was in flight."""
        self._progress.pop(request_id, None)
        self._task_requests.discard(request_id)
        return self._pending.pop(request_id, None)

    def progress(
        self, incoming: Incoming, value: float, total: float | None = None, message: str | None = None
    ) -> bytes | None:
        """The line that reports progress of a request; None where nobody wants to hear of it, or it has ended.

        One that became a task has ended when that has. Raises UsageError where ``value`` does not increase.
        """
        if incoming.token is None or incoming.cancelled or not self._reports_progress(incoming):
            return None
        line = self._encode(progress.report(self.binding, incoming, value, total, message))
        incoming.progress = value
        return line

    def _reports_progress(self, incoming: Incoming) -> bool:
        if self._running.get(incoming.id) is incoming:
            return True
        return self.tasks is not None and self.state != "closed" and self.tasks.is_running(incoming)

    def awaits_progress(self, request_id: RequestId) -> bool:
        """Whether progress of a request of this side would be taken."""
        return request_id in self._progress

    def close(self) -> None:
        """Nothing is sent or taken from now on."""
        self.state = "closed"
        self._pending.clear()
        self._progress.clear()
        for incoming in self._running.values():
            incoming.cancelled = True
            incoming.reason = "the connection is closed"
        self._running.clear()

    # What the side hears.

    def receive(self, line: bytes) -> Sequence[Event]:
        """What a line of the other side means. Never raises for what is in it."""
        if self.state == "closed":
            return ()
        try:
            message = self._decode(line, self._sender, self._pending)
        except DecodeError as fault:
            return self._receive_invalid(line, fault)
        if message.__class__ is list:
            return self._receive_batch(message, self._receive_message)
        event = self._receive_message(message)
        return (
            (event,)
            if self.tasks is None or not self.tasks.cancelled_waits
            else self.tasks.add_cancelled_waits(event, self.cancel)
        )

    def receive_too_large(self, fault: Exception) -> Sequence[Event]:
        """What becomes of a message that was too large to be read."""
        if self.state == "closed":
            return ()
        return (self._refuse_without_id(invalid_request(str(fault))),)

    def _receive_message(self, message: Any) -> Event:
        key = self._keys.get(message.__class__)
        if key is not None:
            if isinstance(key, RequestMethod):
                return self._receive_request(key, message)
            return self._receive_notification(key, message)
        if message.__class__ is self.binding.response:
            return self._receive_response(message.id, message.result, None)
        if message.__class__ is self.binding.error:
            return self._receive_response(message.id, None, exception_for(message.error, self.binding.revision))
        if message.__class__ is self.binding.unknown_request:
            return self._refuse_unknown(message)
        return Dropped(f"{message.method}: no notification that a {self._sender} sends in {self.binding.revision}")

    def _receive_request(self, key: RequestMethod[Any, Any], message: Any) -> Event:
        params = message.params
        if self.tasks is not None and getattr(params, "task", None) is not None:
            params = self.tasks.supported_params(key, params, self.capabilities)
        if message.id in self._running:
            return self._refuse(message.id, invalid_request(f"id {message.id!r} is that of a request in progress"))
        refusal = self._check_request(key, params)
        if refusal is not None:
            return self._refuse(message.id, refusal)
        own = self._handlers.get(key.name)
        if own is not None:
            return own(message)
        incoming = self._running[message.id] = Incoming(key, message.id, params)
        meta = entries_of(params)
        if meta is not None:
            incoming.meta, incoming.token = meta, token_in(meta)
        return incoming

    def _check_request(self, key: RequestMethod[Any, Any], params: Any) -> ErrorObject | None:
        """Why a request is not taken, if it is not."""
        if self._receivable.get(key) is self.state:
            return None
        if lifecycle.kind_of(key.name, request=True) in self._may_receive[self.state]:
            self._receivable[key] = self.state
            return None
        return invalid_request(f"{key.name} may not be sent now: the session is {self.state}")

    def _refuse(self, request_id: RequestId, refusal: ErrorObject) -> Event:
        """A request is answered with an error, where its receiver is one that answers."""
        if "response" not in self._may_send[self.state]:
            return Dropped(f"a {self.side} sends no responses in {self.binding.revision}, so not this one: {refusal}")
        return Reply(self._error(request_id, refusal), refusal)

    def _refuse_unknown(self, message: Any) -> Event:
        """A request of a method that the sender does not have in this revision."""
        return self._refuse(message.id, self._not_found(message))

    def _not_found(self, message: Any) -> ErrorObject:
        reason = f"a {self._sender} does not send {message.method} in {self.binding.revision}"
        return ErrorObject(METHOD_NOT_FOUND, "Method not found", {"method": message.method, "reason": reason})

    def _receive_notification(self, key: NotificationMethod[Any], message: Any) -> Event:
        if lifecycle.kind_of(key.name, request=False) not in self._may_receive[self.state]:
            return Dropped(f"{key.name} may not be sent now: the session is {self.state}", bad=True)
        if self.tasks is not None:
            self.tasks.record_received(key, message.params)
        if key.name == "notifications/progress":
            return progress.take(self._progress, message.params)
        if key.name == "notifications/cancelled":
            return self._receive_cancelled(message.params)
        return Notified(key, message.params)

    def _receive_cancelled(self, params: Any) -> Event:
        request_id = params.request_id
        incoming = None if request_id is None else self._running.pop(request_id, None)
        if incoming is None:
            return Dropped(f"{request_id!r} is cancelled, but is no request in progress")
        incoming.cancelled = True
        incoming.reason = params.reason
        return RequestCancelled(incoming, self._finish_one(incoming.batch) if incoming.batch else None)

    def _receive_response(self, request_id: RequestId | None, result: Any, error: Exception | None) -> Event:
        key = None if request_id is None else self._pending.pop(request_id, None)
        if request_id is None or key is None:
            return Dropped(f"a response to {request_id!r}, which is no request in flight ({error or 'a result'})")
        outcome = Outcome(request_id, result, error)
        follows, last = request_id in self._progress, self._progress.pop(request_id, None)
        self._task_requests.discard(request_id)
        if self.tasks is not None and error is None and (follows or key.name in self.tasks.methods):
            self.tasks.record_received(key, result)
            outcome.goes_on = follows and self.tasks.follow(request_id, last, result)
        return outcome

    # What cannot be read.

    def _receive_invalid(self, line: bytes, fault: DecodeError) -> Sequence[Event]:
        """A line that is no message of the revision: answered, handed to who waits for it, or dropped."""
        try:
            value = json.loads(line.decode(), parse_constant=_no_number)
        except (ValueError, RecursionError):
            return (
                self._refuse_without_id(
                    ErrorObject(PARSE_ERROR, "Parse error", {"reason": f"{fault.found} at {fault.path}"})
                ),
            )
        if value.__class__ is list and value and self.binding.batches:
            return self._receive_batch(value, self._receive_value)
        return (self._refuse_invalid(value, fault),)

    def _receive_value(self, value: Any) -> Event:
        """One message of a batch of which another one does not fit."""
        if value.__class__ is list:
            return self._refuse_without_id(invalid_request("a batch may not be part of a batch"))
        try:
            return self._receive_message(self._decode(json.dumps(value), self._sender, self._pending))
        except DecodeError as fault:
            return self._refuse_invalid(value, fault)
        except RecursionError:
            deep = DecodeError((), "a value nested too deeply", "fewer levels", self.binding.revision)
            return self._refuse_invalid(value, deep)

    def _refuse_invalid(self, value: Any, fault: DecodeError) -> Event:
        found = classify_invalid(value, fault.keys, str(fault))
        if found.kind == "notification":
            return Dropped(f"a notification that does not fit: {fault}", bad=True)
        if found.kind == "response" or (found.kind == "nothing" and self.side == "client"):
            # What has an id and no method comes from a server that meant to answer.
            if found.id is not None and found.id in self._pending:
                from ..codec.unknown_content import tolerated

                return self._receive_response(
                    found.id, *tolerated(self.binding.codec, self._pending[found.id], value, fault)
                )
            return Dropped(f"a response that does not fit: {fault}", bad=True)
        if found.id is None:
            return self._refuse_without_id(found.refusal)
        return self._refuse(found.id, self._explain_refusal(value, found.refusal))

    def _explain_refusal(self, value: Any, refusal: ErrorObject) -> ErrorObject:
        """What a request that does not fit is refused with; by the raw value an era may know better."""
        return refusal

    def _refuse_without_id(self, refusal: ErrorObject) -> Event:
        """What is no message at all is answered by servers only: a client's peer is known to print more than messages."""
        if self.side == "client":
            return Dropped(str(ResponseError(*refusal)))
        return Reply(self._error(NO_ID, refusal), refusal, named=False)

    # Batches (JSON-RPC 2.0, section 6).

    def _receive_batch(self, items: Sequence[Any], take: Callable[[Any], Event]) -> Sequence[Event]:
        batch = Batch()
        # Nothing goes back before all of it is read, even if what was asked first is cancelled further on.
        batch.waiting = 1
        events: list[Event] = []
        self._in_batch = True
        for item in items:
            event = take(item)
            if isinstance(event, Reply):
                batch.answers.append(event.line)
                continue
            if isinstance(event, Incoming):
                event.batch = batch
                batch.waiting += 1
            events.append(event)
        self._in_batch = False
        line = self._finish_one(batch)
        if line is not None:
            events.append(Reply(line))
        return events

    def _finish_one(self, batch: Batch) -> bytes | None:
        batch.waiting -= 1
        return b"[" + b",".join(batch.answers) + b"]" if batch.answers and not batch.waiting else None

    # What eras add.

    def _add_request_meta(self, key: RequestMethod[Any, Any], params: Any, token: RequestId | None) -> Any:
        """The params of a request with what every request of the era carries."""
        if token is None:
            return params
        return with_token(key.params() if params is None else params, token, self.binding.types)

    def _add_result_meta(self, result: Any) -> Any:
        """A result with what every result of the era carries."""
        return result

    def _error(self, request_id: Any, refusal: ErrorObject) -> bytes:
        return error_line(request_id, refusal, null_id=self.binding.null_id)

    # Whether something may be sent.

    def _require_sendable(self, key: RequestMethod[Any, Any] | NotificationMethod[Any], *, request: bool) -> None:
        require_method_key(key)
        if self.side not in key.sent_by:
            text = f"{key.name} is sent by a {self._sender}, not by a {self.side}"
            raise UsageError(text)
        if isinstance(key, RequestMethod) and key.embedded:
            text = (
                f"{key.name} travels inside a result in {self.binding.revision}; a handler asks for it by its context"
            )
            raise UsageError(text)
        if self.state == "closed":
            text = f"{key.name} cannot be sent: the session is closed"
            raise ConnectionClosed(text)
        if lifecycle.kind_of(key.name, request=request) not in self._may_send[self.state]:
            text = f"{key.name} may not be sent now: the session is {self.state}"
            raise UsageError(text)
        lack = self._missing_capability(key) if key.capability is not None else ""
        if lack:
            raise NotDeclared(lack)
        self._sendable[key] = self.state

    def _missing_capability(self, key: RequestMethod[Any, Any] | NotificationMethod[Any]) -> str:
        """What has not been declared that a message takes; empty where nothing is missing."""
        path = key.capability or ""
        mine = isinstance(key, NotificationMethod) and key.capability_of == "sender"
        capabilities = self.capabilities if mine else self.peer_capabilities
        if self.binding.declares(capabilities, path):
            return ""
        who = f"this {self.side}" if mine else f"the {self._sender}"
        return f"{key.name} takes the capability {path!r}, which {who} has not declared"


def _no_number(text: str) -> Any:
    raise ValueError(text)
