"""History of a session, as far as rules about later messages need it.

A recording may start in the middle, so that a response may answer a request that was never recorded. ``History.whole``
says whether everything since the start of the session is known. It is true if

- the recording, or this part of it, starts with an ``initialize`` request;
- in 2026-07-28, which has none, it starts with ``server/discover``, which clients send first if at all, or with a
  request numbered 0 or 1; or
- the caller says that the recording is complete.

The history has a maximum size; once an entry was dropped, ``whole`` is false.
"""

from __future__ import annotations

from attrs import define
from mcp_bindings_runtime.binding import OTHER_SIDE

from mcp_bindgen.validate import packages
from mcp_bindgen.validate.entries import Json, Side
from mcp_bindgen.validate.message import Message
from mcp_bindgen.validate.rules import json_access
from mcp_bindgen.validate.rules.bounded_map import BoundedMap
from mcp_bindgen.validate.rules.demands import Demands
from mcp_bindgen.validate.rules.json_access import Identity
from mcp_bindgen.validate.rules.methods import sender_by


@define(eq=False)
class SeenRequest:
    """The properties of a request that later messages depend on."""

    sender: Side | None
    method: str
    id: Identity
    token: Identity | None = None
    """Its progress token."""
    answered: bool = False
    cancelled: bool = False
    became_task: bool = False
    """Whether it was answered with a task, so that progress may still follow."""


class History:
    """The requests of a session, its handshake and the declared capabilities."""

    def __init__(self, revision: str, *, whole: bool, earlier: frozenset[Identity] = frozenset()) -> None:
        self.revision = revision
        self.facts = packages.facts(revision)
        self.initialize_request: SeenRequest | None = None
        """The ``initialize`` request."""
        self.initialize_result: Message | None = None
        """The result of ``initialize``."""
        self.refused = False
        """Whether ``initialize`` was answered with an error."""
        self.initialized = False
        self.capabilities: dict[Side, dict[str, Json]] = {}
        """Declared capabilities by side, once known."""
        self.earlier = earlier
        """Ids of unanswered requests of the session before, which may still be answered."""
        self.requests: BoundedMap[tuple[Side | None, Identity], SeenRequest] = BoundedMap()
        self.demands = Demands()
        """Results that request input."""
        self._whole = whole
        self._empty = True

    @property
    def whole(self) -> bool:
        """Whether everything since the start of the session is known."""
        return self._whole and not self.requests.has_dropped

    def waiting(self) -> frozenset[Identity]:
        """Return the ids of unanswered requests."""
        return frozenset(request.id for request in self.requests.values() if not request.answered)

    def sender_of(self, message: Message) -> Side | None:
        """Return the sender of a message: named by the log, or the only possible side."""
        if message.sender is not None:
            return message.sender
        if message.kind in {"request", "notification"}:
            return sender_by(message.method, self.revision)
        if not self.facts.handshake:
            # Only clients send requests.
            return "server"
        key = json_access.identity(message.value.get("id"))
        candidates = [request for request in self._by_id(key) if not request.answered] or self._by_id(key)
        return opposite(candidates[0].sender) if len(candidates) == 1 else None

    def answered_request(self, message: Message, sender: Side | None) -> SeenRequest | None:
        """Return the request that a response answers."""
        key = json_access.identity(message.value.get("id"))
        if key is None or message.kind not in {"result", "error"}:
            return None
        if sender is None:
            known = self._by_id(key)
            return known[0] if len(known) == 1 else None
        return self.requests.get((opposite(sender), key)) or self.requests.get((None, key))

    def may_answer(self, key: Identity, sender: Side | None) -> bool:
        """Return whether a response with that id may answer a known request."""
        sides: tuple[Side | None, ...] = (None, opposite(sender)) if sender else (None, "client", "server")
        return key in self.earlier or any(self.requests.get((side, key)) for side in sides)

    def record(self, message: Message, sender: Side | None) -> None:
        """Record a message that was checked."""
        if self._empty and not self.facts.handshake and _is_a_beginning(message):
            self._whole = True
        self._empty = False
        if message.kind == "request":
            self._record_request(message, sender)
        elif message.kind == "notification":
            self._record_notification(message, sender)
        else:
            self._record_response(message, sender)

    def _by_id(self, key: Identity | None) -> list[SeenRequest]:
        if key is None:
            return []
        sides: tuple[Side | None, ...] = ("client", "server", None)
        return [request for side in sides if (request := self.requests.get((side, key)))]

    def _record_request(self, message: Message, sender: Side | None) -> None:
        key = json_access.identity(message.value.get("id"))
        if key is None:
            return
        token = json_access.identity(json_access.member(message.value, "params", "_meta", "progressToken"))
        request = SeenRequest(sender, message.method or "", key, token)
        self.requests.put((sender, key), request)
        if message.method == "initialize":
            self.initialize_request, self.initialize_result, self.refused, self.initialized = (
                request,
                None,
                False,
                False,
            )
            self.capabilities["client"] = json_access.fields(
                json_access.member(message.value, "params", "capabilities")
            )

    def _record_notification(self, message: Message, sender: Side | None) -> None:
        if message.method == "notifications/initialized":
            self.initialized = True
        if message.method == "notifications/cancelled":
            key = json_access.identity(json_access.member(message.value, "params", "requestId"))
            for request in self._by_id(key):
                if sender is None or request.sender in {sender, None} or not self.facts.handshake:
                    request.cancelled = True

    def _record_response(self, message: Message, sender: Side | None) -> None:
        self.demands.record(message.value, message.request)
        request = self.answered_request(message, sender)
        if request is None:
            return
        request.answered = True
        request.became_task = bool(self.facts.task_methods) and bool(
            json_access.fields(json_access.member(message.value, "result", "task"))
        )
        if request is self.initialize_request and message.kind == "result":
            self.initialize_result = message
        if request is self.initialize_request and message.kind == "error":
            self.refused = True
        if request.method in {"initialize", "server/discover"} and message.kind == "result":
            self.capabilities["server"] = json_access.fields(
                json_access.member(message.value, "result", "capabilities")
            )


def _is_a_beginning(message: Message) -> bool:
    first = message.value.get("id") in (0, 1) and not isinstance(message.value.get("id"), bool)
    return message.kind == "request" and (first or message.method == "server/discover")


def opposite(side: Side | None) -> Side | None:
    """Return the other side; None if the side is unknown."""
    return None if side is None else OTHER_SIDE[side]
