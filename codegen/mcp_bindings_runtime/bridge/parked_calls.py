"""Handlers that wait for answers of a stateless client, each in a thread of its own, between two requests.

A handler of the handshake era expects that a question to the client is a request with an answer, and that it runs once.
The client of the stateless era gets the question in the result of its call, and sends the call again with the answer
(2026-07-28, Multi Round-Trip Requests). So the handler waits in its thread: it is *parked*, until the retry comes. The
``requestState`` of the result names the parked call; it is signed, and bound to the request and its sender.

Where several processes serve one endpoint, the state also names the process that holds the call. A retry that reaches
another process is routed to it (``server.call_router``). Only the holder can check the signature, because the key never
leaves it; a state whose process was changed is not valid there. The holder claims a parked call under its lock, so the call
continues once, however many retries come. A process that starts again has another name.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextvars import copy_context
from secrets import token_urlsafe
from threading import Condition, Lock
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from ..binding import Binding
from ..connection.thread_pool import ThreadPool
from ..errors import CallCancelled, DecodeError, McpError, RequestTimeout, ResponseError, UsageError
from ..features.server_requests import undeclared_capability
from ..jsonrpc import INTERNAL_ERROR, INVALID_PARAMS
from ..methods import RequestMethod
from ..server.call_router import mark_state, split_state
from ..session.events import Incoming
from ..session.multi_round import RequestStates, digest_of
from .undeclared_capability import UndeclaredCapability

if TYPE_CHECKING:
    from ..server.call_router import CallRouter
    from ..server.server import Server

MAX_PARKED: Final = 256
"""Limit on the bridged calls of one server that run, or wait for input, each in its own thread."""
WINDOW: Final = 0.02
"""Seconds to wait after each question for another one, which goes into the same result."""
MAX_ENDED: Final = 64
"""Limit on the results that are kept for bridged calls of one server. If a call ends before the client has sent it
again with the requested input, its result is kept until the client sends it again.
"""
_PARKED = "parked"


class ParkedQuestion:
    """A question to the client, and the thread that waits for its answer."""

    def __init__(self, key: RequestMethod[Any, Any], params: Any, changed: Condition) -> None:
        self.key = key
        self.request = key.message(params=params)
        self.answer: Any = None
        self.answered = False
        self.error: McpError | None = None
        self._changed = changed

    def stop(self, error: McpError) -> None:
        """End the wait with an error."""
        with self._changed:
            self.error = self.error or error
            self._changed.notify_all()


class ParkedCall:
    """One call of a handler. ``move`` passes the connection and the request of each retry to the handler's context."""

    def __init__(self, binding: Binding, connection: Any, incoming: Incoming, timeout: float) -> None:
        self.id = token_urlsafe(16)
        self.connection = connection
        self.move: Callable[[Any, Incoming], None] = lambda _connection, _incoming: None
        self.source = incoming.principal or incoming.source
        """The principal or address that has sent it; None over stdio, and in memory."""
        self._incoming = incoming
        self._binding = binding
        self._timeout = timeout
        self._changed = Condition()
        self._open: dict[str, ParkedQuestion] = {}
        self._count = 0
        self._result: Any = None
        self.error: BaseException | None = None
        """The exception of the handler; None if it has raised none."""
        self._ended: McpError | None = None
        self.round = 0
        """The number of results that asked for input; a state is valid for the last of them."""
        self.done = False

    # For the thread of the handler.

    def run(self, function: Callable[[], Any]) -> None:
        """Run the handler and keep its result."""
        result: Any = None
        error: BaseException | None = None
        try:
            result = function()
        except BaseException as problem:  # noqa: BLE001  # the thread of the request raises it
            error = problem
        self._finish(result, error)
        # Other threads of the handler may still wait for answers, which nobody gives any more.
        self.end(CallCancelled("the call that requested input has ended"))

    def conclude(self, result: Any) -> None:
        """End the call with a result in the revision on the wire, from any thread; that of the handler is ignored."""
        self._finish(result, None)

    def _finish(self, result: Any, error: BaseException | None) -> None:
        with self._changed:
            if not self.done:
                self._result, self.error, self.done = result, error, True
                self._changed.notify_all()

    def send_question(
        self,
        key: RequestMethod[Any, Any],
        params: Any,
        timeout: float | None = None,
        sending: Callable[[Any], object] | None = None,
    ) -> Any:
        """Ask the client, and wait for the answer; raise as ``Channel.request``."""
        incoming, binding = self._incoming, self._binding
        if incoming.key.name not in binding.facts.resumable:
            text = f"{key.name} cannot be sent to a client of {binding.revision} in a handler of {incoming.key.name}"
            raise UsageError(text)
        missing = undeclared_capability(binding, incoming.params.meta.client_capabilities, key, params)
        if missing is not None:
            raise UndeclaredCapability(key.name, missing)
        question = ParkedQuestion(key, params, self._changed)
        with self._changed:
            if self._ended is not None:
                raise self._ended
            self._count += 1
            name = f"question-{self._count}"
            self._open[name] = question
            self._changed.notify_all()
        try:
            if sending is not None:
                sending(question)
            self._wait(question, self._timeout if timeout is None else timeout)
        finally:
            with self._changed:
                self._open.pop(name, None)
        return question.answer

    def _wait(self, question: ParkedQuestion, seconds: float) -> None:
        deadline = monotonic() + seconds
        with self._changed:
            while not question.answered:
                if question.error is not None:
                    raise question.error
                left = deadline - monotonic()
                if left <= 0:
                    text = f"{question.key.name}: no answer in {seconds:g} s"
                    raise RequestTimeout(text)
                self._changed.wait(left)

    # For the thread of a request.

    def next(self) -> Mapping[str, Any] | None:
        """Wait for questions or the end of the handler; return the requests for the client by name, None at the end."""
        with self._changed:
            while not self.done:
                if not self._open:
                    self._changed.wait()
                    continue
                self._wait_for_more()
                if self._open and not self.done:
                    self.round += 1
                    return {name: question.request for name, question in self._open.items()}
        return None

    def _wait_for_more(self) -> None:
        """Wait until no question has been added for a while: threads of the handler may ask at the same time."""
        count = 0
        while count != self._count and not self.done:
            count = self._count
            self._changed.wait(WINDOW)

    @property
    def result(self) -> Any:
        """The result of the handler; raises what the handler has raised."""
        if self.error is not None:
            raise self.error
        return self._result

    def read_answers(self, responses: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answers in a retry, by the names of their questions; raise ``ResponseError`` (-32602)."""
        answers: dict[str, Any] = {}
        with self._changed:
            questions = dict(self._open)
        for name in questions.keys() & responses.keys():
            value = self._binding.codec.unstructure(responses[name])
            try:
                answers[name] = self._binding.codec.decode_result(questions[name].key, value)
            except DecodeError as error:
                reason = f"inputResponses, {name}: {error}"
                raise _invalid(reason) from None
        return answers

    def resume(self, connection: Any, incoming: Incoming, answers: Mapping[str, Any]) -> None:
        """Continue with the answers of a retry."""
        with self._changed:
            self.connection, self._incoming = connection, incoming
            self.move(connection, incoming)
            for name, answer in answers.items():
                question = self._open.pop(name, None)
                if question is not None:
                    question.answer, question.answered = answer, True
            self._changed.notify_all()

    def end(self, error: McpError) -> None:
        """End all waits of the handler, also later ones."""
        with self._changed:
            self._ended = error
            for question in self._open.values():
                question.error = question.error or error
            self._changed.notify_all()


class ParkedCalls:
    """The calls of one server that may be parked. Their states are valid for ``lifetime`` seconds.

    One principal or address has at most three fourths of them, so that it cannot keep others from being asked.
    ``router`` returns the router of retries between processes; None if there is only one process.
    """

    def __init__(
        self, binding: Binding, lifetime: float, router: Callable[[], CallRouter | None] = lambda: None
    ) -> None:
        self._binding = binding
        self._router = router
        self._states = RequestStates(os.urandom(32), lifetime, time.time)
        self._pool = ThreadPool("mcp-parked", MAX_PARKED)
        self._limit_of_source = MAX_PARKED - MAX_PARKED // 4
        self._lock = Lock()
        self._running: Counter[str] = Counter()
        """Number of calls by the principal or address that has sent them."""
        self._calls: dict[str, ParkedCall] = {}
        self._ended: dict[str, ParkedCall] = {}
        """The last calls that have ended while they were parked, by their ids."""

    def start(self, call: ParkedCall, function: Callable[[], Any]) -> bool:
        """Run a handler in a thread of its own; return False if a limit is reached."""
        # Over stdio there is one client.
        source = call.source or ""
        with self._lock:
            if source and self._running[source] >= self._limit_of_source:
                return False
            self._running[source] += 1
        # The handler sees the context variables of the request, such as the current span of a trace.
        variables = copy_context()
        started = self._pool.start(lambda: variables.run(self._run, call, function, source))
        if not started:
            with self._lock:
                self._release(source)
        return started

    def _release(self, source: str) -> None:
        """Count a call that has ended; hold the lock."""
        self._running[source] -= 1
        if not self._running[source]:
            del self._running[source]

    def _run(self, call: ParkedCall, function: Callable[[], Any], source: str) -> None:
        try:
            call.run(function)
        finally:
            with self._lock:
                self._release(source)
                if self._calls.pop(call.id, None) is not None:
                    self._keep(call)

    def _keep(self, call: ParkedCall) -> None:
        """Keep the result of a call that has ended, for its retry; hold the lock."""
        if call.error is None or isinstance(call.error, ResponseError):
            self._ended[call.id] = call
            if len(self._ended) > MAX_ENDED:
                del self._ended[next(iter(self._ended))]

    def refuse(self, key: RequestMethod[Any, Any], *_: Any) -> Any:
        """Raise the error for a question of a call that cannot be parked."""
        reason = (
            f"{key.name} cannot be sent: {MAX_PARKED} calls, or {self._limit_of_source} of this user or address, run or "
            "wait for input already; try again later"
        )
        raise ResponseError(INTERNAL_ERROR, "Too busy", {"reason": reason})

    def park(self, call: ParkedCall, incoming: Incoming) -> str:
        """Keep a call until its retry; return the state that names it."""
        with self._lock:
            if call.done:
                self._keep(call)
            else:
                self._calls[call.id] = call
        state = self._states.seal(self._digest(incoming), incoming.principal, [[call.id, call.round]], _PARKED)
        router = self._router()
        return state if router is None else mark_state(state, router.process)

    def forward(self, server: Server, connection: Any, incoming: Incoming) -> Any:
        """Return the result of a retry whose call another process holds; None if this process may hold it."""
        router = self._router()
        process, _ = split_state(incoming.params.request_state)
        if router is None or process is None or process == router.process:
            return None
        return router.forward(process, server, connection, incoming)

    def resume(self, connection: Any, incoming: Incoming) -> ParkedCall:
        """Return the call that a retry continues, or whose result it gets; it is no longer parked.

        Raise ``ResponseError`` (-32602) for an answer that does not fit, and if the state was not made here, is for
        another request or sender, was used before, or names a call that has ended.
        """
        state = incoming.params.request_state
        if self._router() is not None:
            _, state = split_state(state)
        named, _ = self._states.open(state, self._digest(incoming), incoming.principal)
        call_id, number = named[0]
        with self._lock:
            call = self._calls.get(call_id) or self._ended.get(call_id)
            if call is not None and call.round == number:
                if not call.done:
                    answers = call.read_answers(incoming.params.input_responses or {})
                    call.resume(connection, incoming, answers)
                self._calls.pop(call_id, None)
                self._ended.pop(call_id, None)
                return call
        if call:
            problem = "requestState was used before"
        elif self._router() is not None:
            problem = "the call has ended"
        else:
            problem = "the call has ended, or waits in another process"
        reason = f"{problem}; send the request again without requestState"
        raise _invalid(reason)

    def _digest(self, incoming: Incoming) -> str:
        first = incoming.params.__replace__(input_responses=None, request_state=None)
        return digest_of(incoming.key.name, self._binding.codec.unstructure(first))

    def end(self, connection: Any = None) -> None:
        """End the calls that are parked for a connection, by default all."""
        with self._lock:
            calls = [each for each in self._calls.values() if connection is None or each.connection is connection]
            for ended in [each for each in self._ended.values() if connection is None or each.connection is connection]:
                del self._ended[ended.id]
        for call in calls:
            call.end(CallCancelled("the client has left, or the server was closed"))


def _invalid(reason: str) -> ResponseError:
    return ResponseError(INVALID_PARAMS, "Invalid params", {"reason": reason})
