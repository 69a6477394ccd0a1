"""Which arguments of the tools of a server are repeated in headers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from ...logs import note
from ...meta import member
from ...session.events import Incoming
from ..headers import InvalidParamHeader, ParamHeader, param_headers_of
from .event_log import Priority
from .http_channel import HttpChannel

if TYPE_CHECKING:
    from ...server.server import Server

FRESH: Final = 1.0
"""Seconds for which the list of a handler of one's own is taken to be as it was."""
_MOST = 1000
"""How many tools are remembered, and how many pages of a list are read."""


class ToolParamHeaders:
    """The annotated arguments of the tools that a server offers.

    Tools of the registry are looked up there. Where a handler of ``tools/list`` lists them, it is asked as a client
    would ask it.
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self._known: dict[str, tuple[Any, Sequence[ParamHeader]]] = {}
        self._listed: dict[str | None, tuple[float, Mapping[str, Sequence[ParamHeader]]]] = {}

    def of(self, message: Any, principal: str | None = None) -> Sequence[ParamHeader]:
        """Those of the tool that a message, as JSON, calls; none for other messages."""
        if member(message, "method") != "tools/call":
            return ()
        name = member(message, "params", "name")
        if name.__class__ is not str:
            return ()
        listed = self._server.listed_tool(name)
        if listed is None:
            return self._by_handler(member(message, "params", "_meta"), principal).get(name, ())
        known = self._known.get(name)
        # A tool may be replaced by another of its name.
        if known is None or known[0] is not listed:
            if len(self._known) >= _MOST:
                self._known.clear()
            schema = self._server.binding.codec.unstructure(listed.input_schema)
            known = self._known[name] = listed, _annotated(name, schema)
        return known[1]

    def _by_handler(self, meta: Any, principal: str | None) -> Mapping[str, Sequence[ParamHeader]]:
        known = self._listed.get(principal)
        if known is None or known[0] < monotonic() - FRESH:
            if len(self._listed) >= _MOST:
                self._listed.clear()
            tools = {
                str(each["name"]): _annotated(each["name"], each["inputSchema"]) for each in self._ask(meta, principal)
            }
            known = self._listed[principal] = monotonic(), tools
        return known[1]

    def _ask(self, meta: Any, principal: str | None) -> Iterator[Any]:
        """The tools that the handler lists, page by page; none where it does not, as no call can be served then."""
        cursor: Any = None
        for _ in range(_MOST):
            params = {"_meta": meta} if cursor is None else {"_meta": meta, "cursor": cursor}
            result = self._answer({"jsonrpc": "2.0", "id": 0, "method": "tools/list", "params": params}, principal)
            yield from member(result, "tools") or ()
            cursor = member(result, "nextCursor")
            if cursor is None:
                return

    def _answer(self, request: Any, principal: str | None) -> Any:
        server = self._server
        session = server.session()
        event = session.receive(json.dumps(request).encode())[0]
        if not isinstance(event, Incoming):
            return None
        event.principal = principal
        line = server.run(_Nobody(session, Lock(), {}, timeout=server.timeout, limit=server.limit), event)
        return None if line is None else member(json.loads(line), "result")


class _Nobody(HttpChannel):
    """Stands for the client where the endpoint asks the server something for itself."""

    def deliver(self, line: bytes, priority: Priority, timeout: float) -> int:
        """Discard what the handler sends besides its result."""
        return 0

    def close(self, lines: Iterable[bytes] = ()) -> None:
        """There is nothing to end."""


def _annotated(name: str, schema: Any) -> Sequence[ParamHeader]:
    try:
        return param_headers_of(schema)
    except InvalidParamHeader as fault:
        note("warning", "clients will not show the tool %s: %s", name, fault)
        return ()
