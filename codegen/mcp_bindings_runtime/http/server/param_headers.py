"""The ``Mcp-Param-*`` headers that a call of a tool must carry, by the tools that a server lists."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from ...connection.call_scope import Cancellation
from ...connection.calls import PendingCalls
from ...logs import write_log
from ...meta import member
from ...session.caller import Caller
from ...session.events import Incoming
from ..headers import InvalidParamHeader, ParamHeader, param_headers_of
from .event_log import Priority
from .http_channel import HttpChannel

if TYPE_CHECKING:
    from ...server.server import Server

FRESH: Final = 1.0
"""Seconds for which the result of a custom ``tools/list`` handler is cached to check headers."""
_MAX_TOOLS = 1000
"""Limit on the tools whose header rules are cached, and on the pages of a list of tools that are read to find these
rules.
"""


class ToolParamHeaders:
    """Looks up the parameter headers of a server's tools, in its registry or by a call of its ``tools/list`` handler."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._registered: dict[str, tuple[Any, Sequence[ParamHeader]]] = {}
        self._listed: dict[Any, tuple[float, Mapping[str, Sequence[ParamHeader]]]] = {}

    def known(self, message: Any, caller: Caller | None) -> Sequence[ParamHeader] | None:
        """Return the headers of the tool that a ``tools/call`` request, a JSON value, calls.

        None if the server has to list its tools to know them, which may take as long as any request: see ``listed``.
        """
        name = member(member(message, "params"), "name")
        if name.__class__ is not str:
            return ()
        tool = self._server.listed_tool(name)
        if tool is None:
            cached = self._listed.get(_view_of(caller))
            return None if cached is None or cached[0] < monotonic() - FRESH else cached[1].get(name, ())
        registered = self._registered.get(name)
        # Another tool of the same name may have replaced it.
        if registered is None or registered[0] is not tool:
            if len(self._registered) >= _MAX_TOOLS:
                self._registered.clear()
            schema = self._server.binding.codec.unstructure(tool.input_schema)
            registered = self._registered[name] = tool, _param_headers(name, schema)
        return registered[1]

    def listed(self, message: Any, incoming: Incoming) -> Sequence[ParamHeader]:
        """Return the same by a list of the server, in the name of the request; cancelled with it."""
        params = message["params"]
        tools = {
            str(each["name"]): _param_headers(each["name"], each["inputSchema"])
            for each in self._list_tools(params.get("_meta"), incoming)
        }
        if len(self._listed) >= _MAX_TOOLS:
            self._listed.clear()
        self._listed[_view_of(incoming.caller)] = monotonic(), tools
        return tools.get(params["name"], ())

    def _list_tools(self, meta: Any, of: Incoming) -> Iterator[Any]:
        """Yield the tools that the handler lists on all pages; none after an error, because no call can succeed then."""
        cursor: Any = None
        for _ in range(_MAX_TOOLS):
            params = {"_meta": meta} if cursor is None else {"_meta": meta, "cursor": cursor}
            result = self._call({"jsonrpc": "2.0", "id": 0, "method": "tools/list", "params": params}, of)
            yield from member(result, "tools") or ()
            cursor = member(result, "nextCursor")
            if cursor is None:
                return

    def _call(self, request: Any, of: Incoming) -> Any:
        """Return the result that the server's own handler has for a request; None for an error."""
        server = self._server
        session = server.session()
        event = session.receive(json.dumps(request).encode())[0]
        if not isinstance(event, Incoming):
            return None
        event.caller, event.source = of.caller, of.source
        event.cancellation = of.cancellation = of.cancellation or Cancellation()
        channel = _NullChannel(session, Lock(), PendingCalls(session), timeout=server.timeout, limit=server.limit)
        line = server.handle_request(channel, event)
        return None if line is None else member(json.loads(line), "result")


class _NullChannel(HttpChannel):
    """The channel of a request that no client has sent."""

    def deliver(self, line: bytes, priority: Priority, timeout: float) -> int:
        """Discard messages other than the response."""
        return 0

    def close(self, lines: Iterable[bytes] = ()) -> None:
        """Do nothing."""


def _view_of(caller: Caller | None) -> Any:
    """Return what decides which tools a server lists."""
    return None if caller is None else (caller.principal, caller.scopes)


def _param_headers(name: str, schema: Any) -> Sequence[ParamHeader]:
    try:
        return param_headers_of(schema)
    except InvalidParamHeader as error:
        write_log("warning", "clients will reject the tool %s: %s", name, error)
        return ()
