"""Rules about ids: each is used once, answered once, and only by a response to a request.

In a recording that starts in the middle, a response may answer an earlier request. It is still reported if a side
numbers its requests in ascending order and the id is above the first one seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from mcp_bindings_runtime.codec.error_wording import describe

from mcp_bindgen.validate.entries import Side
from mcp_bindgen.validate.rules import json_access
from mcp_bindgen.validate.rules.history import opposite
from mcp_bindgen.validate.rules.json_access import Identity
from mcp_bindgen.validate.rules.methods import find_method
from mcp_bindgen.validate.rules.rule import Fault, Rule
from mcp_bindgen.validate.rules.turn import Area, Turn

_EARLIER_RESPONSES = {"2024-11-05": "basic/messages, Responses"}

ID_REUSED: Final = Rule(
    "id-reused",
    "The id of a request was not used before by its sender in the session.",
    "basic/index, Requests",
    until="2025-11-25",
    earlier_sections={"2024-11-05": "basic/messages, Requests"},
)
ID_IN_USE: Final = Rule(
    "id-in-use",
    "The id of a request differs from those of its sender's unanswered requests.",
    "basic/index, Requests",
    since="2026-07-28",
)
ANSWER_TO_NOTHING: Final = Rule(
    "answer-to-nothing",
    "A response has the id of a request of the other side.",
    "basic/index, Responses",
    earlier_sections=_EARLIER_RESPONSES,
)
ANSWERED_TWICE: Final = Rule(
    "answered-twice",
    "A request is answered once.",
    "basic/index, Messages",
    earlier_sections=_EARLIER_RESPONSES,
)
RESULT_AND_ERROR: Final = Rule(
    "result-and-error",
    "A response has a result or an error, not both.",
    "basic/index, Responses",
    earlier_sections=_EARLIER_RESPONSES,
)
REQUEST_BY_SERVER: Final = Rule(
    "request-by-server",
    "A server sends no requests, including those of extensions; its results request input from the client.",
    "basic/patterns/index, Overview",
    since="2026-07-28",
)
RESPONSE_BY_CLIENT: Final = Rule(
    "response-by-client",
    "A client sends no responses, since it receives no requests.",
    "basic/patterns/index, Overview",
    since="2026-07-28",
)


_NO_REQUEST = (-32700, -32600)
"""Codes that answer invalid JSON or an invalid request, which may not have been recorded as a request."""


class Identifiers(Area):
    """Remembers how each side numbers its requests."""

    RULES: ClassVar = (
        ID_REUSED,
        ID_IN_USE,
        ANSWER_TO_NOTHING,
        ANSWERED_TWICE,
        RESULT_AND_ERROR,
        REQUEST_BY_SERVER,
        RESPONSE_BY_CLIENT,
    )

    def __init__(self) -> None:
        self._numbers: dict[Side, _Numbers] = {"client": _Numbers(), "server": _Numbers()}

    def check(self, turn: Turn) -> Iterator[Fault]:
        """Yield the faults of the id and the direction."""
        key = json_access.identity(turn.value.get("id"))
        if turn.message.kind == "request":
            yield from _direction_of_request(turn)
            if key is not None and turn.sender is not None:
                yield from _reuse(turn, key)
                self._numbers[turn.sender].add(key)
        elif turn.message.kind in {"result", "error"}:
            if "result" in turn.value and "error" in turn.value:
                message = "the response has both `result` and `error`; it must have exactly one of them"
                yield Fault(RESULT_AND_ERROR, (), message, "both", "`result` or `error`")
            if turn.sender == "client" and not turn.facts.handshake:
                message = "a client sends a response; in this revision clients receive no requests"
                yield Fault(RESPONSE_BY_CLIENT, (), message)
            elif key is not None:
                yield from self._answer(turn, key)

    def _answer(self, turn: Turn, key: Identity) -> Iterator[Fault]:
        shown = describe(turn.value.get("id"))
        if turn.answered_request and turn.answered_request.answered and turn.answered_request.sender is not None:
            message = f"the request {shown} (`{turn.answered_request.method}`) is answered a second time"
            yield Fault(ANSWERED_TWICE, ("id",), message, shown, "one response to a request")
        elif not turn.answered_request and turn.message.request is None and self._is_to_nothing(turn, key):
            alike = _other_kind(turn, key)
            message = f"the response has the id {shown}, but no request of the other side had it{alike}"
            yield Fault(ANSWER_TO_NOTHING, ("id",), message, shown, "the id of a request")

    def _is_to_nothing(self, turn: Turn, key: Identity) -> bool:
        if turn.history.may_answer(key, turn.sender) or json_access.member(turn.value, "error", "code") in _NO_REQUEST:
            return False
        if turn.history.whole:
            return True
        requester = opposite(turn.sender)
        return (
            requester is not None and not turn.history.requests.has_dropped and self._numbers[requester].never_had(key)
        )


class _Numbers:
    """The ascending numbers of one side's requests, if it numbers them so."""

    def __init__(self) -> None:
        self._first: int | None = None
        self._last: int | None = None
        self._counts = True

    def add(self, key: Identity) -> None:
        value = key[1]
        if not isinstance(value, int) or (self._last is not None and value <= self._last):
            self._counts = False
            return
        self._first = value if self._first is None else self._first
        self._last = value

    def never_had(self, key: Identity) -> bool:
        value = key[1]
        return self._counts and self._first is not None and isinstance(value, int) and value >= self._first


def _reuse(turn: Turn, key: Identity) -> Iterator[Fault]:
    before = turn.history.requests.get((turn.sender, key))
    shown = describe(turn.value.get("id"))
    if before is None:
        return
    yield Fault(
        ID_REUSED,
        ("id",),
        f"the {turn.sender} has used the id {shown} before, for `{before.method}`; ids must be unique in a session",
        shown,
        "an id not used before",
    )
    if not before.answered and not before.cancelled:
        yield Fault(
            ID_IN_USE,
            ("id",),
            f"the id {shown} is in use by an unanswered `{before.method}` request",
            shown,
            "an id not in use",
        )


def _direction_of_request(turn: Turn) -> Iterator[Fault]:
    # For methods of the protocol, the schema names the sender.
    if turn.sender == "server" and find_method(turn.method, turn.revision) is None:
        yield Fault(
            REQUEST_BY_SERVER,
            ("method",),
            f"`{turn.method}` is sent as a request by the server; in this revision servers send none, but request input in "
            "the result of a client's request",
            describe(turn.method),
            "a request of the client",
        )


def _other_kind(turn: Turn, key: Identity) -> str:
    kind, value = key
    twin: Identity | None = None
    if kind == "integer":
        twin = ("string", str(value)) if abs(int(value)) < 10**18 else None
    elif str(value).isascii() and str(value).removeprefix("-").isdigit() and len(str(value)) < 19:
        twin = ("integer", int(value))
    if twin is None or not turn.history.may_answer(twin, turn.sender):
        return ""
    return f"; there is a request {describe(twin[1])}, but a number and a string are different ids"
