"""Comparison of a recording with a live server."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import Any, NamedTuple

from mcp_bindings_runtime.codec.json_pointers import ValueDifference, differences, parse_pointers, without
from mcp_bindings_runtime.errors import ConnectionClosed, McpError, ResponseError
from mcp_bindings_runtime.installed_revisions import package_of
from mcp_bindings_runtime.meta import member
from mcp_bindings_runtime.replay.sessions import RecordedExchange, RecordedSession, Unused
from mcp_bindings_runtime.session.stateless import DISCOVER, INITIALIZE
from mcp_bindings_runtime.transports import Transport

_DIFFERS = (("result", "requestState"),)
"""Members that no two answers share."""


class Mismatch(NamedTuple):
    """A recorded request whose answer differs from the live one."""

    place: str
    method: str
    differences: tuple[ValueDifference, ...]
    """Empty if there was no answer."""
    failure: str | None = None
    """The reason for which there was no answer."""


class Verification:
    """The comparison of sessions with a server.

    ``open_transport`` starts or contacts the server, once for each session. ``ignore`` are JSON Pointers to parts of
    messages that may differ, ``timeout`` is in seconds for each request.
    """

    def __init__(
        self, open_transport: Callable[[], Transport], *, ignore: Sequence[str] = (), timeout: float = 60.0
    ) -> None:
        self._open = open_transport
        self._ignored = (*_DIFFERS, *parse_pointers(ignore))
        self._timeout = timeout
        self.compared = 0
        """Number of answers compared."""

    def mismatches(self, session: RecordedSession) -> Iterator[Mismatch]:
        """Send the requests of a session to the server, in order, and yield those whose answers differ.

        Raise ``McpError`` if the server cannot be reached or does not support the revision.
        """
        conversation = _Conversation(session, self._open, self._timeout)
        with closing(conversation.client):
            method = INITIALIZE if session.binding.era == "handshake" else DISCOVER
            recorded = conversation.recorded_introduction()
            yield from self._compared(session.place, method, recorded, conversation.connect())
            for exchange in session.exchanges:
                answer = exchange.answer
                if answer is None or _reason_against(exchange, session) is not None:
                    continue
                try:
                    found = conversation.repeat(exchange)
                except ConnectionClosed as end:
                    yield Mismatch(exchange.place, exchange.method, (), f"the server is gone: {end}")
                    return
                except McpError as fault:
                    yield Mismatch(exchange.place, exchange.method, (), str(fault))
                else:
                    recorded = {key: answer[key] for key in ("result", "error") if key in answer}
                    yield from self._compared(exchange.place, exchange.method, recorded, found)

    @staticmethod
    def unsent(session: RecordedSession) -> Iterator[Unused]:
        """Yield the requests of a session that are not sent, each with the reason."""
        for exchange in session.exchanges:
            reason = _reason_against(exchange, session)
            if reason is not None:
                yield Unused(exchange.place, reason)

    def _compared(self, place: str, method: str, recorded: Any, found: Any) -> Iterator[Mismatch]:
        self.compared += 1
        differing = tuple(differences(without(recorded, self._ignored), without(found, self._ignored)))
        if differing:
            yield Mismatch(place, method, differing)


def _reason_against(exchange: RecordedExchange, session: RecordedSession) -> str | None:
    """Return why a request is not sent; None if it is."""
    if exchange.method not in session.binding.requests:
        return f"{exchange.method} is not declared by {session.binding.revision}"
    if exchange.answer is None:
        return f"the recording has no answer to this {exchange.method}"
    return None


class _Conversation:
    """A client that repeats the requests of a session and answers the server as the recorded client did."""

    def __init__(self, session: RecordedSession, open_transport: Callable[[], Transport], timeout: float) -> None:
        self._session = session
        self._binding = session.binding
        declared = session.client_capabilities
        cls: Any = package_of(session.binding.revision).Client
        self.client: Any = cls(
            open_transport,
            timeout=timeout,
            limits=False,
            capabilities=(
                None
                if declared is None
                else self._binding.codec.structure(declared, self._binding.types.ClientCapabilities)
            ),
        )
        self._answers: list[dict[str, Any]] = []
        self._states: dict[str, str] = {}
        """``requestState`` of the recording to that of the server."""
        for method in {each["method"] for one in session.exchanges for each in one.during if "id" in each}:
            key = self._binding.requests.get(method)
            if key is not None and "server" in key.sent_by:
                self.client.handles(key, self._answer(key))

    def connect(self) -> Any:
        """Connect, and return what the server says about itself."""
        self.client.connect()
        unstructure = self._binding.codec.unstructure
        info, capabilities = self.client.server_info, self.client.server_capabilities
        found = {
            "serverInfo": None if info is None else unstructure(info),
            "capabilities": None if capabilities is None else unstructure(capabilities),
            "instructions": self.client.instructions,
        }
        return {"result": {key: found[key] for key in self.recorded_introduction()["result"]}}

    def recorded_introduction(self) -> dict[str, dict[str, Any]]:
        """Return what the recorded server said about itself."""
        session = self._session
        parts = {
            "serverInfo": session.server_info,
            "capabilities": session.capabilities,
            "instructions": session.instructions,
        }
        return {"result": {} if session.capabilities is None else parts}

    def repeat(self, exchange: RecordedExchange) -> dict[str, Any]:
        """Send a recorded request, and return the answer as ``result`` or ``error``."""
        key = self._binding.requests[exchange.method]
        codec = self._binding.codec
        self._answers = list(exchange.answers)
        params = self._params(exchange.params)
        typed = None if params is None or key.params is None else codec.structure(params, key.params)
        try:
            result = codec.unstructure(self.client.connection.request(key, typed))
        except ResponseError as error:
            data = {} if error.data is None else {"data": error.data}
            return {"error": {"code": error.code, "message": error.message, **data}}
        recorded = member(exchange.answer, "result", "requestState")
        if recorded is not None and "requestState" in result:
            self._states[recorded] = result["requestState"]
        return {"result": result}

    def _params(self, recorded: dict[str, Any] | None) -> dict[str, Any] | None:
        """Return params to send: without the token for progress, and with the state that the server has issued now."""
        if recorded is None:
            return None
        found: dict[str, Any] = recorded.get("_meta") or {}
        meta = {name: value for name, value in found.items() if name != "progressToken"}
        params = {name: value for name, value in recorded.items() if name != "_meta"}
        if meta:
            params["_meta"] = meta
        state: str | None = params.get("requestState")
        if state is not None:
            params["requestState"] = self._states.get(state, state)
        return params

    def _answer(self, key: Any) -> Callable[[Any, Any], Any]:
        def answer(_params: Any, _context: Any) -> Any:
            if not self._answers:
                raise ResponseError(-32603, "Not in the recording", {"reason": f"it has no answer to this {key.name}"})
            recorded = self._answers.pop(0)
            if "error" in recorded:
                error = recorded["error"]
                raise ResponseError(error["code"], error["message"], error.get("data"))
            return self._binding.codec.decode_result(key, recorded["result"])

        return answer
