"""The sessions of a recording: requests of the client with the messages of the server that belong to them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from ..binding import Binding
from ..errors import UsageError
from ..installed_revisions import binding_of, installed_revisions
from ..meta import member
from ..methods import Side
from ..session.stateless import DISCOVER, INITIALIZE, LISTEN, VERSION
from .recording import RecordedMessage

ANSWERED_BY_SESSIONS = frozenset({INITIALIZE, DISCOVER, LISTEN, "ping"})
"""Requests that the session of a server answers by itself."""
_PROGRESS = "notifications/progress"
_CLIENT_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
_OF_THE_SESSION = frozenset({"notifications/cancelled", "notifications/subscriptions/acknowledged"})
"""Notifications that a replay sends when its own client gives the reason."""


class RecordedExchange:
    """A request of the client, its answer, and what the server sent until its next request.

    ``answers`` are the client's responses to the requests in ``during``, in order.
    """

    __slots__ = ("answer", "answers", "during", "method", "params", "place")

    def __init__(self, method: str, params: Any, place: str) -> None:
        self.method = method
        self.params = params
        self.place = place
        self.answer: dict[str, Any] | None = None
        """The response; None if the recording has none."""
        self.during: list[dict[str, Any]] = []
        self.answers: list[dict[str, Any]] = []


class Unused(NamedTuple):
    """A message that a replay does not use, with the reason."""

    place: str
    reason: str


class RecordedSession:
    """One session: its revision, what the server has said about itself, and its exchanges in order."""

    def __init__(self, binding: Binding, place: str) -> None:
        self.binding = binding
        self.place = place
        """File and line of its first message."""
        self.client_capabilities: Any = None
        self.server_info: Any = None
        self.capabilities: Any = None
        self.instructions: Any = None
        """Capabilities of both sides, ``Implementation`` of the server and its instructions, as JSON; None if unknown."""
        self.exchanges: list[RecordedExchange] = []
        self.unused: list[Unused] = []

    def describe(self, result: Any) -> None:
        """Store what the result of ``initialize`` or ``server/discover`` says about the server."""
        named = member(result, "_meta", "io.modelcontextprotocol/serverInfo")
        self.server_info = named if named is not None else member(result, "serverInfo")
        self.capabilities = member(result, "capabilities")
        self.instructions = member(result, "instructions")


def sessions_of(messages: Iterable[RecordedMessage], revision: str | None = None) -> list[RecordedSession]:
    """Return the sessions in a recording, in the order of their beginnings.

    ``revision`` is that of sessions that name none. A session in which the server says nothing about itself and the client
    requests nothing, as the search for a common revision, is left out. Raise ``UsageError`` for a recording without
    sessions, for a session that names no revision without ``revision``, and for a revision that is not installed.
    """
    sessions = [_paired(each, revision) for each in _split(messages)]
    found = [each for each in sessions if each.exchanges or each.capabilities is not None]
    if not found:
        message = "the recording has no request of a client"
        raise UsageError(message)
    return found


def _split(messages: Iterable[RecordedMessage]) -> list[list[RecordedMessage]]:
    """Return the messages of each session; in a recording without names ``initialize`` begins a session."""
    found: list[list[RecordedMessage]] = []
    current: dict[str | None, list[RecordedMessage]] = {}
    for each in messages:
        begins = each.value.get("method") == INITIALIZE and "id" in each.value
        if each.session not in current or begins:
            current[each.session] = []
            found.append(current[each.session])
        current[each.session].append(each)
    return found


def _paired(messages: Sequence[RecordedMessage], revision: str | None) -> RecordedSession:
    pairing = _Pairing(RecordedSession(_binding(messages, revision), messages[0].place))
    for each in messages:
        pairing.add(each)
    return pairing.session


class _Pairing:
    """The pairing of one session's messages."""

    def __init__(self, session: RecordedSession) -> None:
        self.session = session
        self._open: dict[tuple[type, Any], RecordedExchange] = {}
        self._questions: dict[tuple[type, Any], RecordedExchange] = {}
        """Exchanges in which the server has sent a request that is not answered yet."""
        self._last: RecordedExchange | None = None
        """The exchange that ended last."""

    def add(self, recorded: RecordedMessage) -> None:
        """Add the next message."""
        message = recorded.value
        method: Any = message.get("method")
        number = (message.get("id").__class__, message.get("id"))
        if method is None:
            # An answer of the client comes before the answer to its own request.
            if recorded.sender == "client" or (recorded.sender is None and number in self._questions):
                exchange = self._questions.pop(number, None)
                if exchange is not None:
                    exchange.answers.append(message)
            else:
                self._answered(recorded, number)
            return
        sender = recorded.sender or self._sender(method)
        if "id" not in message:
            if sender == "server":
                self._notified(recorded, method)
        elif sender == "client":
            params = message.get("params")
            begun = self._open[number] = RecordedExchange(method, params, recorded.place)
            self._describe_client(method, params)
            if method not in ANSWERED_BY_SESSIONS:
                self.session.exchanges.append(begun)
        elif (exchange := self._latest()) is not None:
            exchange.during.append(message)
            self._questions[number] = exchange
        elif method != "ping":
            self._leave_out(recorded, f"the server sent {method} outside any request")

    def _describe_client(self, method: str, params: Any) -> None:
        declared = member(params, "_meta", _CLIENT_CAPABILITIES)
        if method == INITIALIZE:
            declared = member(params, "capabilities")
        if declared is not None:
            self.session.client_capabilities = declared

    def _answered(self, recorded: RecordedMessage, number: tuple[type, Any]) -> None:
        exchange = self._open.pop(number, None)
        if exchange is None:
            self._leave_out(recorded, "the response answers no request")
            return
        exchange.answer = recorded.value
        if exchange.method in {INITIALIZE, DISCOVER}:
            self.session.describe(recorded.value.get("result"))
        elif exchange.method not in ANSWERED_BY_SESSIONS:
            self._last = exchange

    def _notified(self, recorded: RecordedMessage, method: str) -> None:
        message = recorded.value
        if method in _OF_THE_SESSION:
            return
        exchange = self._latest()
        if method == _PROGRESS:
            token = member(message, "params", "progressToken")
            owners = (each for each in self._open.values() if _token(each.params) == (token.__class__, token))
            exchange = next(owners, None)
        if exchange is not None:
            exchange.during.append(message)
        elif self._last is not None and method != _PROGRESS:
            self._last.during.append(message)
        else:
            self._leave_out(recorded, f"{method} belongs to no request")

    def _latest(self) -> RecordedExchange | None:
        """Return the open exchange that began last."""
        found = [each for each in self._open.values() if each.method not in ANSWERED_BY_SESSIONS]
        return found[-1] if found else None

    def _sender(self, method: str) -> Side:
        """Return the usual sender of a method: of those that both sides send, requests are the client's."""
        binding = self.session.binding
        if method in binding.requests:
            return "client" if "client" in binding.requests[method].sent_by else "server"
        key = binding.notifications.get(method)
        return "server" if key is not None and "server" in key.sent_by else "client"

    def _leave_out(self, recorded: RecordedMessage, reason: str) -> None:
        self.session.unused.append(Unused(recorded.place, reason))


def _token(params: Any) -> tuple[type, Any]:
    token = member(params, "_meta", "progressToken")
    return token.__class__, token


def _binding(messages: Sequence[RecordedMessage], revision: str | None) -> Binding:
    named = _revision_in(messages) or revision
    installed = installed_revisions()
    if named is None:
        wanted = "pass it as `revision=`, or to --revision of mcp-codegen replay"
        text = f"{messages[0].place}: the session names no revision; {wanted}: one of {', '.join(installed)}"
        raise UsageError(text)
    binding = binding_of(named)
    if binding is None:
        text = f"{messages[0].place}: there are no bindings of {named!r} here; installed are {', '.join(installed)}"
        raise UsageError(text)
    return binding


def _revision_in(messages: Sequence[RecordedMessage]) -> str | None:
    """Return the revision that a session has agreed on, else the one that a message names.

    A client may use a server of the other era although that has refused its ``initialize``.
    """
    offered: Any = None
    named: Any = None
    initialize: Any = None
    for each in messages:
        message = each.value
        params = message.get("params")
        agreed = member(message, "result", "protocolVersion")
        if isinstance(agreed, str):
            return agreed
        named = named or member(params, "_meta", VERSION)
        if message.get("method") == INITIALIZE:
            initialize, offered = message.get("id"), member(params, "protocolVersion")
        elif "error" in message and initialize is not None and message.get("id") == initialize:
            offered = None
    found = offered or named
    return found if isinstance(found, str) else None
