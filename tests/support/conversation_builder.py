"""Builder of small conversations for tests of rules, message by message, in any revision."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from mcp_bindgen.validate.entries import Side
from mcp_bindgen.validate.findings import Finding, Place
from mcp_bindgen.validate.message import Message
from mcp_bindgen.validate.rules import Conversation
from support.revisions import STATELESS

Json = Any

META = "io.modelcontextprotocol/"
LAST = STATELESS[-1]


def kind_of(message: Mapping[str, Json]) -> str:
    if "method" in message:
        return "request" if "id" in message else "notification"
    return "result" if "result" in message else "error"


class Talk:
    """A conversation under construction; each message gets the members that the revision requires."""

    def __init__(self, revision: str) -> None:
        self.revision = revision
        self.stateless = revision in STATELESS
        self.complete = False
        self.exchanges: list[Message] = []
        self._requests: dict[tuple[Side | None, str], dict[str, Json]] = {}
        self._latest: tuple[Side, Json] = ("client", 0)
        self._numbers = {"client": 100, "server": 500}

    def opened(self, client: Json = None, server: Json = None, *, initialized: bool = True) -> Self:
        """Add the handshake, or discovery in a stateless revision."""
        if self.stateless:
            self.ask("server/discover", number=0)
            return self.answer(
                {
                    "supportedVersions": [self.revision],
                    "capabilities": server or {},
                    "ttlMs": 0,
                    "cacheScope": "public",
                }
            )
        who = {"protocolVersion": self.revision, "clientInfo": {"name": "c", "version": "1"}}
        self.ask("initialize", {**who, "capabilities": client or {}}, number=0)
        who = {"protocolVersion": self.revision, "serverInfo": {"name": "s", "version": "1"}}
        self.answer({**who, "capabilities": server or {}})
        return self.tell("notifications/initialized", by="client") if initialized else self

    def ask(
        self,
        method: str,
        params: Json = None,
        *,
        by: Side | None = "client",
        number: Json = None,
        meta: Json = None,
        caps: Json = None,
        path: str = "$",
    ) -> Self:
        if number is None:
            self._numbers[by or "client"] += 1
            number = self._numbers[by or "client"]
        own = {f"{META}protocolVersion": self.revision, f"{META}clientCapabilities": caps or {}}
        meta = {**(own if self.stateless else {}), **(meta or {})}
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": {**(params or {}), "_meta": meta}}
        if not meta:
            del message["params"]["_meta"]
        self._latest = (by or "client", number)
        self._requests[by, repr(number)] = message
        return self.say(message, by, path=path)

    def answer(self, result: Json, *, number: Json = None, by: Side | None = None) -> Self:
        asker, latest = self._latest
        result = {"resultType": "complete", **result} if self.stateless and isinstance(result, dict) else result
        sender = by or ("server" if asker == "client" else "client")
        return self.say({"jsonrpc": "2.0", "id": latest if number is None else number, "result": result}, sender)

    def fail(self, code: int, data: Json = None, *, number: Json = None) -> Self:
        asker, latest = self._latest
        error = {"code": code, "message": "no", **({} if data is None else {"data": data})}
        sender: Side = "server" if asker == "client" else "client"
        return self.say({"jsonrpc": "2.0", "id": latest if number is None else number, "error": error}, sender)

    def tell(self, method: str, params: Json = None, *, by: Side | None = "server") -> Self:
        return self.say({"jsonrpc": "2.0", "method": method, **({} if params is None else {"params": params})}, by)

    def say(self, message: dict[str, Json], by: Side | None, *, path: str = "$") -> Self:
        """Add any message; a response gets the last request with its id."""
        kind: Any = kind_of(message)
        request = None
        if kind in {"result", "error"}:
            sides: tuple[Side | None, ...] = (
                ("client", "server") if by is None else ("server" if by == "client" else "client",)
            )
            found = [self._requests.get((side, repr(message.get("id")))) for side in (*sides, None)]
            request = next(filter(None, found), None)
        method = message.get("method") or (request or {}).get("method")
        method = method if isinstance(method, str) else None
        place = Place("talk", len(self.exchanges) + 1)
        self.exchanges.append(Message(place, self.revision, kind, message, path, by, method, request, path != "$"))
        return self

    def as_a_whole(self) -> Self:
        """Mark the recording as complete."""
        self.complete = True
        return self

    def findings(self) -> list[Finding]:
        conversation = Conversation(self.revision, complete=self.complete)
        found = [finding for exchange in self.exchanges for finding in conversation.check(exchange)]
        return found + list(conversation.end())

    def codes(self) -> list[str]:
        return [finding.code for finding in self.findings()]
