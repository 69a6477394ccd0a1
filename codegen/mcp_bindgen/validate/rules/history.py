"""What was said so far in a session, as far as later messages are judged by it.

A recording may start in the middle, and then a great deal is unknown: an answer may belong to a request that was never
recorded. ``History.whole`` says whether everything since the start of the session is known. It is where

- the recording, or this part of it, starts with an ``initialize`` request;
- in 2026-07-28, which has none, it starts with ``server/discover``, which clients send first if at all, or with a
  request numbered 0 or 1; or
- whoever has the recording says that it is complete.

Everything is remembered up to a limit; once something was forgotten, ``whole`` is false from then on.
"""

from __future__ import annotations

from attrs import define

from mcp_bindgen.validate.entries import Json, Side
from mcp_bindgen.validate.exchanges import Exchange
from mcp_bindgen.validate.rules import reading
from mcp_bindgen.validate.rules.demands import Demands
from mcp_bindgen.validate.rules.methods import sender_by
from mcp_bindgen.validate.rules.reading import Identity
from mcp_bindgen.validate.rules.recent import Recent
from mcp_bindgen.validate.rules.rule import STATELESS


@define(eq=False)
class Asked:
    """A request, in short."""

    sender: Side | None
    method: str
    id: Identity
    token: Identity | None = None
    """The progress token that it brought along."""
    answered: bool = False
    cancelled: bool = False
    lasts: bool = False
    """Its answer said that a task goes on with it, so that progress may still come."""


class History:
    """The requests of a session, its handshake and what the two sides declared."""

    def __init__(self, revision: str, *, whole: bool, earlier: frozenset[Identity] = frozenset()) -> None:
        self.revision = revision
        self.handshake: Asked | None = None
        """The ``initialize`` request."""
        self.introduced: Exchange | None = None
        """The result that answered it."""
        self.refused = False
        """It was answered with an error."""
        self.initialized = False
        self.capabilities: dict[Side, dict[str, Json]] = {}
        """By side, once they are known."""
        self.earlier = earlier
        """Ids of requests of the session before, answers to which may still come."""
        self.requests: Recent[tuple[Side | None, Identity], Asked] = Recent()
        self.demands = Demands()
        """Answers that ask for input."""
        self._whole = whole
        self._empty = True

    @property
    def whole(self) -> bool:
        """Everything since the start of the session is known."""
        return self._whole and not self.requests.forgetful

    def waiting(self) -> frozenset[Identity]:
        """Ids of requests that were not answered."""
        return frozenset(asked.id for asked in self.requests.values() if not asked.answered)

    def sender_of(self, exchange: Exchange) -> Side | None:
        """Who sent a message: said by the log, or the only side that can have."""
        if exchange.sender is not None:
            return exchange.sender
        if exchange.kind in {"request", "notification"}:
            return sender_by(exchange.method, self.revision)
        if self.revision in STATELESS:
            return "server"
        key = reading.identity(exchange.value.get("id"))
        asking = [asked for asked in self._by_id(key) if not asked.answered] or self._by_id(key)
        return opposite(asking[0].sender) if len(asking) == 1 else None

    def asked(self, exchange: Exchange, sender: Side | None) -> Asked | None:
        """The request that a response answers."""
        key = reading.identity(exchange.value.get("id"))
        if key is None or exchange.kind not in {"result", "error"}:
            return None
        if sender is None:
            known = self._by_id(key)
            return known[0] if len(known) == 1 else None
        return self.requests.get((opposite(sender), key)) or self.requests.get((None, key))

    def may_answer(self, key: Identity, sender: Side | None) -> bool:
        """Whether a response of that id may be to a request that was seen."""
        sides: tuple[Side | None, ...] = (None, opposite(sender)) if sender else (None, "client", "server")
        return key in self.earlier or any(self.requests.get((side, key)) for side in sides)

    def record(self, exchange: Exchange, sender: Side | None) -> None:
        """Remembers a message, after it was judged."""
        if self._empty and self.revision in STATELESS and _is_a_beginning(exchange):
            self._whole = True
        self._empty = False
        if exchange.kind == "request":
            self._record_request(exchange, sender)
        elif exchange.kind == "notification":
            self._record_notification(exchange, sender)
        else:
            self._record_response(exchange, sender)

    def _by_id(self, key: Identity | None) -> list[Asked]:
        if key is None:
            return []
        sides: tuple[Side | None, ...] = ("client", "server", None)
        return [asked for side in sides if (asked := self.requests.get((side, key)))]

    def _record_request(self, exchange: Exchange, sender: Side | None) -> None:
        key = reading.identity(exchange.value.get("id"))
        if key is None:
            return
        token = reading.identity(reading.member(exchange.value, "params", "_meta", "progressToken"))
        asked = Asked(sender, exchange.method or "", key, token)
        self.requests.put((sender, key), asked)
        if exchange.method == "initialize":
            self.handshake, self.introduced, self.refused, self.initialized = asked, None, False, False
            self.capabilities["client"] = reading.fields(reading.member(exchange.value, "params", "capabilities"))

    def _record_notification(self, exchange: Exchange, sender: Side | None) -> None:
        if exchange.method == "notifications/initialized":
            self.initialized = True
        if exchange.method == "notifications/cancelled":
            key = reading.identity(reading.member(exchange.value, "params", "requestId"))
            for asked in self._by_id(key):
                if sender is None or asked.sender in {sender, None} or self.revision in STATELESS:
                    asked.cancelled = True

    def _record_response(self, exchange: Exchange, sender: Side | None) -> None:
        self.demands.record(exchange.value, exchange.request)
        asked = self.asked(exchange, sender)
        if asked is None:
            return
        asked.answered = True
        asked.lasts = self.revision == "2025-11-25" and bool(
            reading.fields(reading.member(exchange.value, "result", "task"))
        )
        if asked is self.handshake and exchange.kind == "result":
            self.introduced = exchange
        if asked is self.handshake and exchange.kind == "error":
            self.refused = True
        if asked.method in {"initialize", "server/discover"} and exchange.kind == "result":
            self.capabilities["server"] = reading.fields(reading.member(exchange.value, "result", "capabilities"))


def _is_a_beginning(exchange: Exchange) -> bool:
    first = exchange.value.get("id") in (0, 1) and not isinstance(exchange.value.get("id"), bool)
    return exchange.kind == "request" and (first or exchange.method == "server/discover")


def opposite(side: Side | None) -> Side | None:
    """The other side."""
    if side is None:
        return None
    return "server" if side == "client" else "client"
