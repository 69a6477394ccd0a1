"""Tool arguments that are repeated in HTTP headers (2026-07-28, Custom Headers from Tool Parameters)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any, Final

from ...errors import McpError, RequestTimeout
from ...logs import write_log
from ..headers import InvalidParamHeader, ParamHeader, argument_headers, param_headers_of
from .messages import OutgoingMessage, members

MOST: Final = 10_000
"""Limit on the tools whose header rules a client remembers; the rules of the oldest tools are forgotten, and requested
again.
"""
_PAGES: Final = 1_000

Fetch = Callable[[OutgoingMessage], bytes]
"""Sends a request of the transport's own and returns the response."""


class ToolHeaders:
    """The parameter headers of a server's tools, read from every ``tools/list`` result."""

    def __init__(self) -> None:
        self._tools: dict[str, tuple[ParamHeader, ...]] = {}
        self._lock = Lock()
        self._lookups = 0

    def learn(self, line: bytes) -> bytes:
        """Remember the tools in a ``tools/list`` response; return it without those whose annotations are invalid."""
        try:
            value: Any = json.loads(line)
        except (ValueError, RecursionError):
            return line
        result = members(members(value).get("result"))
        tools: Any = result.get("tools")
        if tools.__class__ is not list:
            return line
        kept: list[Any] = []
        for tool in tools:
            name = members(tool).get("name")
            try:
                found = param_headers_of(members(tool).get("inputSchema"))
            except InvalidParamHeader as fault:
                write_log("warning", "the tool %r is left out of tools/list: %s", name, fault)
                self._forget(name)
                continue
            kept.append(tool)
            if isinstance(name, str):
                self._remember(name, found)
        if len(kept) == len(tools):
            return line
        return json.dumps({**value, "result": {**result, "tools": kept}}, ensure_ascii=False).encode()

    def headers(self, out: OutgoingMessage, fetch: Fetch, *, anew: bool = False) -> Mapping[str, str]:
        """Return the headers for the arguments of a ``tools/call``.

        List the tools with ``fetch`` if the tool has not been listed before, or with ``anew``. Raise ``UsageError`` for a
        value that no header can carry.
        """
        params = members(out.message.get("params"))
        name = params.get("name")
        if not isinstance(name, str):
            return {}
        if anew:
            self._forget(name)
        if name not in self._tools:
            self._look_up(name, params, fetch)
        return argument_headers(self._tools.get(name, ()), params.get("arguments"))

    def _look_up(self, name: str, params: Mapping[str, Any], fetch: Fetch) -> None:
        meta = {key: value for key, value in members(params.get("_meta")).items() if key != "progressToken"}
        cursor: Any = None
        try:
            for _ in range(_PAGES):
                with self._lock:
                    self._lookups += 1
                    number = self._lookups
                wanted = {"_meta": meta} if cursor is None else {"_meta": meta, "cursor": cursor}
                request = {"jsonrpc": "2.0", "id": f"headers-{number}", "method": "tools/list", "params": wanted}
                line = fetch(OutgoingMessage(json.dumps(request, ensure_ascii=False).encode()))
                self.learn(line)
                cursor = members(members(json.loads(line)).get("result")).get("nextCursor")
                if name in self._tools or not isinstance(cursor, str):
                    break
        except RequestTimeout:
            raise
        except (McpError, ValueError) as fault:
            write_log(
                "info", "the tools could not be listed, so %r is called without headers of its own: %s", name, fault
            )
        # An unlisted or invalid tool is called without headers, and the server decides.
        if name not in self._tools:
            self._remember(name, ())

    def _remember(self, name: str, found: tuple[ParamHeader, ...]) -> None:
        with self._lock:
            self._tools[name] = found
            while len(self._tools) > MOST:
                del self._tools[next(iter(self._tools))]

    def _forget(self, name: Any) -> None:
        with self._lock:
            if isinstance(name, str):
                self._tools.pop(name, None)
