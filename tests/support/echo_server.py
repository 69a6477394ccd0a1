"""A server with one tool that executes its arguments: echo, request, wait, report progress, fail."""

from __future__ import annotations

import threading
import time
from typing import Any

from mcp_bindings_runtime.errors import ResponseError
from support.scripted_peers import package

RAISED: dict[str, BaseException] = {
    "Exception": ValueError("the secret of the handler"),
    "SystemExit": SystemExit("the secret of the handler"),
    "KeyboardInterrupt": KeyboardInterrupt("the secret of the handler"),
}


class Seen:
    """Record of the calls of a server's tool, for tests."""

    def __init__(self) -> None:
        self.begun = 0
        self.running = 0
        self.most = 0
        self.cancelled: list[Any] = []
        self.ended = 0
        self.numbers: list[Any] = []
        """Argument ``n`` of each call, in the order of their starts."""
        self.go = threading.Event()
        """Calls with ``hold`` wait for this event, unless they are cancelled."""
        self._lock = threading.Lock()

    def enter(self, number: Any) -> None:
        with self._lock:
            self.begun += 1
            self.numbers.append(number)
            self.running += 1
            self.most = max(self.most, self.running)

    def leave(self) -> None:
        with self._lock:
            self.running -= 1
            self.ended += 1


def echo_server(revision: str, **options: Any) -> tuple[Any, Seen]:
    """Return the server and the record of its calls. Its tool returns the argument ``n`` as text.

    It serves clients of its own revision only, unless the option ``revisions`` says otherwise.
    """
    mcp = package(revision)
    server = mcp.Server("echo", "1.0", **{"revisions": [mcp.REVISION], **options})
    seen = Seen()

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params: Any, context: Any) -> Any:
        seen.enter((params.arguments or {}).get("n", 0))
        try:
            return _obey(mcp, params, context, seen)
        finally:
            seen.leave()

    return server, seen


def _obey(mcp: Any, params: Any, context: Any, seen: Seen) -> Any:
    arguments = params.arguments or {}
    number = arguments.get("n", 0)
    if "ask" in arguments:
        number = context.list_roots().roots[arguments["ask"]].name
    for step in range(arguments.get("progress", 0)):
        context.progress(step + 1)
    if arguments.get("pause"):
        time.sleep(arguments["pause"])
    if arguments.get("hold"):
        while not context.cancelled and not seen.go.wait(0.002):
            pass
    if context.cancelled:
        seen.cancelled.append(number)
    if "raise" in arguments:
        raise RAISED[arguments["raise"]]
    if "refuse" in arguments:
        raise ResponseError(arguments["refuse"], "refused", {"why": "asked for"})
    if "wrong" in arguments:
        return {"none": None, "text": "x", "number": 1, "other": mcp.types.TextContent(text="x")}[arguments["wrong"]]
    return mcp.types.CallToolResult(content=[mcp.types.TextContent(text=str(number))])
