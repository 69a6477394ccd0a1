"""The session core: messages in, events and messages out, without clocks, threads and I/O.

Pass each line of the peer to ``receive`` and handle the events that it returns. The other methods return the lines to
send. ``Session`` holds what both eras share; ``handshake`` and ``stateless`` add how a session of theirs begins and what
its messages carry. ``lifecycle`` lists which messages are allowed in which state.

One thread at a time may call a session. A method's effect on the session is complete when it returns.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, cast

from ..binding import OTHER_SIDE, Binding
from ..codec.json_text import NotJson, refuse_constant
from ..errors import ConnectionClosed, DecodeError, EncodeError, NotDeclared, ResponseError, UsageError
from ..facts import Era
from ..jsonrpc import (
    NO_ID,
    PARSE_ERROR,
    ErrorObject,
    RequestId,
    classify_invalid,
    error_line,
    exception_for,
    invalid_request,
)
from ..meta import meta_of, token_in
from ..methods import NotificationMethod, RequestMethod, Side
from . import lifecycle, progress
from .declared_result import as_declared
from .events import Batch, Dropped, Event, Incoming, LateTask, Notified, Outcome, Reply, RequestCancelled
from .foreign_output import dropped_line, dropped_value
from .late_tasks import LateTasks
from .undeclared_messages import UndeclaredMessages

if TYPE_CHECKING:
    from .task_tracker import TaskTracker


class Session(UndeclaredMessages):
    """One side of a session in one revision; the base of the sessions of both eras."""

    era: ClassVar[Era]
    _answering: ClassVar[Mapping[str, str]] = {}
    """Method that the session answers itself, to the name of its function."""

    # Initial values are attributes of the class: over HTTP a session may be a single request.
    peer_info: Any = None
    """The ``Implementation`` of the peer; None until it is known."""
    peer_capabilities: Any = None
    """The capabilities of the peer; None until they are known."""
    unknown_peer: str = ""
    """The reason why the capabilities of the peer stay unknown; empty if they do not."""
    requests_sent: int = 0
    """The number of requests sent, which is the id of the last one."""
    tasks: TaskTracker | None = None
    """The requests that became tasks; None in revisions without tasks."""
    _in_batch = False
    _task_calls: frozenset[str] = frozenset()
    """Methods whose requests the peer may answer with a task that they do not ask for."""
    _late_tasks: LateTasks | None = None
    """The cancelled requests that may still be answered with a task; None while there are none."""

    def __init__(self, binding: Binding, side: Side, *, info: Any, capabilities: Any) -> None:
        self.binding = binding
        self.side = side
        self.info = info
        """The ``Implementation`` of this side."""
        self.capabilities = capabilities
        """The capabilities that this side declares."""
        self.state: lifecycle.State = lifecycle.INITIAL_STATE[self.era]
        self._may_send = lifecycle.MAY_SEND[self.era][side]
        self._may_receive = lifecycle.MAY_RECEIVE[self.era][side]
        self._keys = binding.receivable_by(side)
        self._undeclared_meta = binding.undeclared_meta
        self._task_methods = binding.facts.task_methods
        self._decode = binding.codec.read
        self._encode = binding.encode
        self._sender: Side = OTHER_SIDE[side]
        self._pending: dict[RequestId, RequestMethod[Any, Any]] = {}
        """Requests of this side that wait for a response."""
        self._progress: dict[RequestId, float | None] = {}
        """Requests of this side whose progress is wanted, with the last value received."""
        self._running: dict[RequestId, Incoming] = {}
        """Requests of the peer that wait for a response."""
        self._sendable: dict[RequestMethod[Any, Any] | NotificationMethod[Any], lifecycle.State] = {}
        """Messages that were checked, with the state in which they may be sent."""
        self._receivable: dict[RequestMethod[Any, Any], lifecycle.State] = {}
        """Requests that were checked, with the state in which they may be received."""
        self._task_requests: set[RequestId] = set()
        """Requests for tasks, which only ``tasks/cancel`` cancels (2025-11-25, Cancellation: Behavior Requirements)."""
        self.feature_state: dict[str, Any] = {}
        """Feature to its state in this session."""
        if "tasks/result" in binding.requests:
            from .task_tracker import TaskTracker

            self.tasks = TaskTracker(binding, side, self._progress, self._pending)

    # Messages to the peer.

    def request(self, key: RequestMethod[Any, Any], params: Any, *, progress: bool = False) -> tuple[RequestId, bytes]:
        """Return the id and the line of a request; with ``progress`` it asks for progress notifications.

        Raise ``UsageError`` if it may not be sent now, ``NotDeclared`` if it needs an undeclared capability,
        ``EncodeError`` and ``ConnectionClosed``.
        """
        if self._sendable.get(key) is not self.state:
            key, params = self._sendable_form(key, params, request=True)
        request_id = self.requests_sent + 1
        task = self.tasks is not None and self.tasks.check_request(key, params, request_id, self.peer_capabilities)
        self.requests_sent = request_id
        params = self.add_request_meta(key, params, request_id if progress else None)
        line = self._encode(key.message(id=request_id, params=params))
        self._pending[request_id] = key
        if progress:
            self._progress[request_id] = None
        if task:
            self._task_requests.add(request_id)
        return request_id, line

    def notify(self, key: NotificationMethod[Any], params: Any = None) -> bytes:
        """Return the line of a notification; raise the errors of ``request``."""
        if self._sendable.get(key) is not self.state:
            key, params = self._sendable_form(key, params, request=False)
        line = self._encode(key.message(params=params))
        if self.tasks is not None:
            self.tasks.record_sent(key, params)
        return line

    def response_line(self, incoming: Incoming, result: Any) -> bytes:
        """Return the line that answers a request; raise ``EncodeError`` if the result is not of the method's type."""
        if not isinstance(result, incoming.key.result):
            result = as_declared(self.binding.codec, incoming.key, result)
        if self.tasks is not None:
            incoming.result = result = result if incoming.meta is None else self.tasks.mark_result(incoming, result)
        response = self.binding.response(id=incoming.id, result=self._add_result_meta(result))
        try:
            return self._encode(response)
        except EncodeError as fault:
            from ..codec.unknown_content import encode_response

            return encode_response(self.binding, response, fault)

    def error_response_line(self, incoming: Incoming, error: ErrorObject) -> bytes:
        """Return the line that answers a request with an error."""
        incoming.refusal = error
        return self._error_line(incoming.id, error)

    def settle(self, incoming: Incoming, line: bytes) -> bytes | None:
        """Complete a request with its response line, and return what to send.

        That is None if the request was cancelled or completed before, or while other requests of its batch run.
        """
        if self._running.get(incoming.id) is not incoming:
            return None
        del self._running[incoming.id]
        if incoming.result is not None and self.tasks is not None:
            self.tasks.record_answer(incoming)
        if incoming.batch is None:
            return line
        incoming.batch.answers.append(line)
        return self._complete_one(incoming.batch)

    def cancel(self, request_id: RequestId, reason: str | None = None) -> bytes | None:
        """Stop waiting for a response, and return the line that notifies the peer.

        None for requests that have ended or asked for a task, and before the session is open. A late task is cancelled.
        """
        is_task = request_id in self._task_requests
        key = self.forget(request_id)
        if key is None or self.state != "open":
            return None
        if is_task or key.name in self._task_calls:
            self._late_tasks = self._late_tasks or LateTasks(self)
            self._late_tasks.expect(request_id)
        if is_task:
            return None
        cancelled = self.binding.notifications["notifications/cancelled"]
        return self._encode(cancelled.message(params=cancelled.params(request_id=request_id, reason=reason)))

    def forget(self, request_id: RequestId) -> RequestMethod[Any, Any] | None:
        """Stop waiting for a response, and return the request's key; None if it has ended."""
        self._progress.pop(request_id, None)
        self._task_requests.discard(request_id)
        return self._pending.pop(request_id, None)

    def progress(
        self, incoming: Incoming, value: float, total: float | None = None, message: str | None = None
    ) -> bytes | None:
        """Return the line that reports progress of a request; None if it is not wanted, or the request has ended.

        A request that became a task ends with the task. Raise ``UsageError`` if ``value`` does not increase.
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
        """Return whether progress of a request of this side is wanted."""
        return request_id in self._progress

    def close(self) -> None:
        """Close the session: it sends and receives nothing more."""
        self.state = "closed"
        self._pending.clear()
        self._progress.clear()
        for incoming in self._running.values():
            incoming.cancelled = True
            incoming.reason = incoming.reason or "the connection is closed"
        self._running.clear()

    # Messages of the peer.

    def receive(self, line: bytes) -> Sequence[Event]:
        """Return the events of a line of the peer; never raise for its content."""
        if self.state == "closed":
            return ()
        try:
            message = self._decode(line, self._sender, self._pending)
        except DecodeError as error:
            return self._receive_invalid(line, error)
        if message.__class__ is list:
            return self._receive_batch(message, self._receive_message)
        event = self._receive_message(message)
        if self.tasks is None or not self.tasks.cancelled_waits:
            return (event,)
        return self.tasks.add_cancelled_waits(event, self.cancel)

    def receive_too_large(self, error: Exception) -> Sequence[Event]:
        """Return the events of a message that exceeded the size limit."""
        return () if self.state == "closed" else (self._refuse_without_id(invalid_request(str(error))),)

    def _receive_message(self, message: Any) -> Event:
        key = self._keys.get(message.__class__)
        if isinstance(key, RequestMethod):
            return self._receive_request(key, message)
        if key is not None:
            return self._receive_notification(key, message)
        if message.__class__ is self.binding.response:
            return self._receive_response(message.id, message.result, None)
        if message.__class__ is self.binding.error:
            return self._receive_error(message)
        if message.__class__ is self.binding.unknown_request:
            return self._receive_undeclared_request(message)
        return self._receive_undeclared_notification(message)

    def _receive_request(self, key: RequestMethod[Any, Any], message: Any) -> Event:
        params = message.params
        if self.tasks is not None and key.name in self._task_methods and params.task is not None:
            params = self.tasks.supported_params(key, params, self.capabilities)
        if message.id in self._running:
            return self._refuse(message.id, invalid_request(f"id {message.id!r} belongs to a request in progress"))
        error = self._check_request(key, params)
        if error is not None:
            return self._refuse(message.id, error)
        if key.name in self._answering:
            return cast("Event", getattr(self, self._answering[key.name])(message))
        incoming = self._running[message.id] = Incoming(key, message.id, params)
        meta = meta_of(params, declared=key.name not in self._undeclared_meta)
        if meta is not None:
            incoming.meta, incoming.token = meta, token_in(meta)
        return incoming

    def _check_request(self, key: RequestMethod[Any, Any], params: Any) -> ErrorObject | None:
        """Return the error for a request that may not be received now; None if it may."""
        if self._receivable.get(key) is self.state:
            return None
        if lifecycle.kind_of(key.name, request=True) in self._may_receive[self.state]:
            self._receivable[key] = self.state
            return None
        return invalid_request(f"{key.name} may not be sent now: the session is {self.state}")

    def _refuse(self, request_id: RequestId, error: ErrorObject) -> Event:
        """Return the event that answers a request with an error."""
        if "response" not in self._may_send[self.state]:
            return Dropped(f"a {self.side} sends no responses in {self.binding.revision}, so not this one: {error}")
        return Reply(self._error_line(request_id, error), error)

    def _receive_notification(self, key: NotificationMethod[Any], message: Any) -> Event:
        if lifecycle.kind_of(key.name, request=False) not in self._may_receive[self.state]:
            return Dropped(f"{key.name} may not be sent now: the session is {self.state}", bad=True)
        if self.tasks is not None:
            self.tasks.record_received(key, message.params)
        if key.name == "notifications/progress":
            return progress.receive(self._progress, message.params)
        if key.name == "notifications/cancelled":
            return self._receive_cancelled(message.params)
        return Notified(key, message.params)

    def _receive_cancelled(self, params: Any) -> Event:
        request_id = params.request_id
        incoming = None if request_id is None else self._running.pop(request_id, None)
        if incoming is None:
            return Dropped(f"{request_id!r} is cancelled, but is not a request in progress", elsewhere=True)
        incoming.cancelled = True
        incoming.reason = params.reason
        return RequestCancelled(incoming, self._complete_one(incoming.batch) if incoming.batch else None)

    def _receive_error(self, message: Any) -> Event:
        key = None if message.id is None else self._pending.get(message.id)
        error = exception_for(message.error, self.binding.revision, "" if key is None else key.name)
        return self._receive_response(message.id, None, error)

    def _receive_response(self, request_id: RequestId | None, result: Any, error: Exception | None) -> Event:
        key = None if request_id is None else self._pending.pop(request_id, None)
        if request_id is None or key is None:
            return self._receive_late_response(request_id, result, error)
        outcome = Outcome(request_id, result, error)
        wants_progress, last = request_id in self._progress, self._progress.pop(request_id, None)
        self._task_requests.discard(request_id)
        if self.tasks is not None and error is None and (wants_progress or key.name in self.tasks.methods):
            self.tasks.record_received(key, result)
            outcome.goes_on = wants_progress and self.tasks.follow(request_id, last, result)
        return outcome

    def _receive_late_response(self, request_id: RequestId | None, result: Any, error: Exception | None) -> Event:
        """Return the event of a response for which no request of this session waits."""
        if self._late_tasks is not None and (line := self._late_tasks.cancel(request_id, result)) is not None:
            return LateTask(line)
        known = isinstance(request_id, int) and 0 < request_id <= self.requests_sent
        about = f"a {'late response to' if known else 'response to the unknown'} request {request_id!r}"
        return Dropped(f"{about} ({error or 'a result'})", elsewhere=True, expected=known)

    # Invalid messages of the peer.

    def _receive_invalid(self, line: bytes, error: DecodeError) -> Sequence[Event]:
        """Return the events of a line that is not a message of the revision."""
        try:
            value = json.loads(line.decode(), parse_constant=refuse_constant)
        except (NotJson, ValueError, RecursionError):
            if self.side == "client":
                return (dropped_line(line),)
            reason = f"{error.found} at {error.path}"
            return (self._refuse_without_id(ErrorObject(PARSE_ERROR, "Parse error", {"reason": reason})),)
        if value.__class__ is list and value and self.binding.batches:
            return self._receive_batch(value, self._receive_value)
        return (self._refuse_invalid(value, error),)

    def _receive_value(self, value: Any) -> Event:
        """Return the event of one message of a batch that holds an invalid one."""
        if value.__class__ is list:
            return self._refuse_without_id(invalid_request("a batch may not be part of a batch"))
        try:
            return self._receive_message(self._decode(json.dumps(value), self._sender, self._pending))
        except DecodeError as error:
            return self._refuse_invalid(value, error)
        except RecursionError:
            too_deep = DecodeError((), "a value nested too deeply", "fewer levels", self.binding.revision)
            return self._refuse_invalid(value, too_deep)

    def _refuse_invalid(self, value: Any, error: DecodeError) -> Event:
        found = classify_invalid(value, error.keys, str(error))
        if found.kind == "notification":
            return Dropped(f"an invalid notification: {error}", bad=True)
        # A server that sends an id without a method meant to answer.
        if found.kind == "response" or (found.kind == "unknown" and self.side == "client"):
            key = None if found.id is None else self._pending.get(found.id)
            if key is None:
                return dropped_value(value, found, error)
            from ..codec.unknown_content import tolerate_unknown_content

            return self._receive_response(found.id, *tolerate_unknown_content(self.binding.codec, key, value, error))
        if found.id is None:
            return self._refuse_without_id(found.error)
        return self._refuse(found.id, self._explain_refusal(value, found.error))

    def _refuse_without_id(self, error: ErrorObject) -> Event:
        """Answer a line that is not a message. Only servers do: some servers print other text on stdout."""
        if self.side == "client":
            return Dropped(str(ResponseError(*error)))
        return Reply(self._error_line(NO_ID, error), error, named=False)

    # Batches (JSON-RPC 2.0, section 6).

    def _receive_batch(self, items: Sequence[Any], receive: Callable[[Any], Event]) -> Sequence[Event]:
        # One more than the requests, so that nothing is sent before the whole batch is read.
        batch = Batch(waiting=1)
        events: list[Event] = []
        self._in_batch = True
        for item in items:
            event = receive(item)
            if isinstance(event, Reply):
                batch.answers.append(event.line)
                continue
            if isinstance(event, Incoming):
                event.batch = batch
                batch.waiting += 1
            events.append(event)
        self._in_batch = False
        line = self._complete_one(batch)
        return events if line is None else [*events, Reply(line)]

    def _complete_one(self, batch: Batch) -> bytes | None:
        """Count a request of a batch as complete, and return the batch's line if it was the last."""
        batch.waiting -= 1
        return b"[" + b",".join(batch.answers) + b"]" if batch.answers and not batch.waiting else None

    # Parts of messages that depend on the era.

    def add_request_meta(self, key: RequestMethod[Any, Any], params: Any, token: RequestId | None) -> Any:
        """Return the params of a request with the ``_meta`` of the era; ``token`` asks for progress."""
        raise NotImplementedError

    def _add_result_meta(self, result: Any) -> Any:
        """Return a result with the ``_meta`` of the era."""
        return result

    def _error_line(self, request_id: Any, error: ErrorObject) -> bytes:
        return error_line(request_id, error, null_id=self.binding.null_id)

    # Checks of what is sent.

    def require_sendable(self, key: RequestMethod[Any, Any] | NotificationMethod[Any], *, request: bool) -> None:
        """Raise ``UsageError`` for a message that may not be sent now, ``NotDeclared``, or ``ConnectionClosed``."""
        if self.side not in key.sent_by:
            text = f"{key.name} is sent by a {self._sender}, not by a {self.side}"
            raise UsageError(text)
        if isinstance(key, RequestMethod) and key.embedded:
            text = f"{key.name} is sent inside a result in {self.binding.revision}; use the context of a handler"
            raise UsageError(text)
        if self.state == "closed":
            text = f"{key.name} cannot be sent: the session is closed"
            raise ConnectionClosed(text)
        if lifecycle.kind_of(key.name, request=request) not in self._may_send[self.state]:
            text = f"{key.name} may not be sent now: the session is {self.state}"
            raise UsageError(text)
        missing = self._missing_capability(key) if key.capability is not None else ""
        if missing:
            raise NotDeclared(missing)
        self._sendable[key] = self.state

    def _missing_capability(self, key: RequestMethod[Any, Any] | NotificationMethod[Any]) -> str:
        """Return the error message for a message that needs an undeclared capability; empty if it does not."""
        path = key.capability or ""
        own = isinstance(key, NotificationMethod) and key.capability_of == "sender"
        if self.binding.declares(self.capabilities if own else self.peer_capabilities, path):
            return ""
        owner = f"this {self.side}" if own else f"the {self._sender}"
        return f"{key.name} needs the capability {path!r}, which {owner} has not declared"
