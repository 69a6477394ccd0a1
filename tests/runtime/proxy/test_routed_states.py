"""A server without sessions asks in one process of a proxy, and the client answers in another one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from threading import Lock
from typing import Any

import pytest
from mcp_bindings_runtime.proxy.backend_server import BackendServer
from mcp_bindings_runtime.proxy.server import Proxy
from support.backends import connection_to
from support.raw_http_client import Wire, endpoint, modern, request
from support.revisions import STATELESS
from support.scripted_peers import PATIENCE, package

NEW = STATELESS[-1]
KEY = b"the same key in all processes..."
SAMPLE = {"role": "assistant", "model": "m", "content": {"type": "text", "text": "so"}}


class Asking:
    """A server whose tool asks once; its handler runs again for the answer."""

    def __init__(self, **options: Any) -> None:
        mcp = package(NEW)
        self.server = mcp.Server("asking", "1.0", **options)
        self.runs = 0
        lock = Lock()

        @self.server.handler(mcp.methods.CALL_TOOL)
        def ask(params: Any, context: Any) -> Any:
            with lock:
                self.runs += 1
            text = str(context.sample("How?", max_tokens=5))
            return mcp.types.CallToolResult(content=[mcp.types.TextContent(text=text)])


class Process:
    """An endpoint of a proxy, with servers of its own, as in another process."""

    def __init__(self, store: Any, behind: list[Asking], **options: Any) -> None:
        self.store = store
        self.behind = behind
        self._opened = ExitStack()
        self._opened.callback(store.close)
        names = ["x", "y"] if len(behind) > 1 else [""]
        backends = [
            BackendServer(connection_to(each.server), name=name, timeout=PATIENCE, **options)
            for name, each in zip(names, behind, strict=True)
        ]
        proxy = Proxy(backends, shared=True)
        self._opened.callback(proxy.close)
        self.wire: Wire = self._opened.enter_context(endpoint(proxy.server, store=store))

    def stop(self) -> None:
        """End as a process does that gets SIGTERM."""
        self._opened.close()

    @property
    def runs(self) -> list[int]:
        return [each.runs for each in self.behind]

    def post(self, number: int, name: str = "ask", before: Any = None) -> Any:
        """Call the tool, or answer its question in a retry; return the response."""
        params: dict[str, Any] = {"name": name, "arguments": {}}
        if before is not None:
            result = before["result"]
            params["inputResponses"] = dict.fromkeys(result["inputRequests"], SAMPLE)
            params["requestState"] = result["requestState"]
        message, headers = modern(request("tools/call", number, params), {"sampling": {}})
        return self.wire.post(message, **headers).json


@pytest.fixture
def processes(stores: Any) -> Iterator[Callable[..., list[Process]]]:
    """Makes two processes of one proxy."""
    with ExitStack() as made:

        def make(count: int = 1, key: bytes | None = None, **options: Any) -> list[Process]:
            found = [Process(stores(), [Asking(state_key=key) for _ in range(count)], **options) for _ in range(2)]
            for each in found:
                made.callback(each.stop)
            return found

        yield make


def text_of(response: Any) -> str:
    text: str = response["result"]["content"][0]["text"]
    return text


def test_a_retry_reaches_the_program_that_has_asked(processes):
    here, there = processes()
    assert text_of(there.post(2, before=here.post(1))) == "so"
    assert (here.runs, there.runs) == ([2], [0])
    assert text_of(here.post(4, before=here.post(3))) == "so"


def test_a_retry_reaches_the_right_one_of_several_programs(processes):
    here, there = processes(2)
    assert text_of(there.post(2, "y__ask", before=here.post(1, "y__ask"))) == "so"
    assert (here.runs, there.runs) == ([0, 2], [0, 0])


def test_a_retry_for_a_process_that_has_ended_is_refused_with_the_reason(processes):
    here, there = processes()
    first = here.post(1)
    # Redis has its data for so long that every process had the time to say that it lives.
    client = there.store.client
    client.execute("SET", f"{client.prefix}began", "0")
    here.stop()
    error = there.post(2, before=first)["error"]
    assert error["code"] == -32602
    assert "the process that held the call has ended" in error["data"]["reason"]
    assert there.runs == [0]


def test_any_process_passes_a_retry_on_to_a_server_that_is_not_started(processes):
    """It has asked, and need not be asked through the same process."""
    here, there = processes(is_started=False, key=KEY)
    first = here.post(1)
    here.stop()
    assert text_of(there.post(2, before=first)) == "so"
    assert (here.runs, there.runs) == ([1], [1])
