"""The tools for the official suite's ten scenarios of tasks (2026-07-28, ``io.modelcontextprotocol/tasks``).

They are plain functions for ``server.tool``; ``tasks`` declares to the store which of them may be tasks. Expectations
of the scenarios:

| tool | support | behaviour |
|---|---|---|
| ``greet`` (``name``) | forbidden | "Hello, NAME!" at once, whatever the client declares |
| ``slow_compute`` (``seconds``, ``label``) | optional | waits for these seconds and returns a text; ends at once if cancelled |
| ``failing_job`` | required | after about a second a result with ``isError``: the task is completed |
| ``protocol_error_job`` | optional | a JSON-RPC error: the task has failed |
| ``confirm_delete`` (``filename``) | optional | one request for input by the task's state |
| ``multi_input`` | optional | two concurrent requests for input, which may be answered one by one |
| ``test_tool_with_task`` | (itself) | a request for input by a round trip, then a task |
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

from mcp_bindings import v2026_07_28 as mcp
from mcp_bindings_runtime.errors import ResponseError
from mcp_bindings_runtime.task_interfaces import Support
from mcp_bindings_runtime.tasks.store import MemoryTasks

SUPPORT: Mapping[str, Support] = {
    "slow_compute": "optional",
    "failing_job": "required",
    "protocol_error_job": "optional",
    "confirm_delete": "optional",
    "multi_input": "optional",
}


def tasks(**options: Any) -> MemoryTasks:
    """Return a store in which these tools may be tasks. The suite polls every 200 ms, and waits for 10 s."""
    return MemoryTasks(tools=SUPPORT, **{"poll": 0.2, **options})


def greet(name: str) -> str:
    """Greet somebody."""
    return f"Hello, {name}!"


def slow_compute(context: mcp.Context, seconds: float = 0.0, label: str = "") -> str:
    """Compute for some seconds."""
    _pause(context, seconds)
    return f"computed {label} in {seconds:g} s"


def failing_job(context: mcp.Context, seconds: float = 1.0) -> mcp.CallToolResult:
    """Fail after a second."""
    _pause(context, seconds)
    return mcp.CallToolResult(content=[mcp.TextContent(text="the job has failed")], is_error=True)


def protocol_error_job() -> str:
    """Raise an exception."""
    raise ResponseError(-32603, "the job broke", {"job": "protocol_error_job"})


def confirm_delete(context: mcp.Context, filename: str) -> str:
    """Delete a file after confirmation; there is none."""
    fields: dict[str, mcp.PrimitiveSchemaDefinition] = {"confirm": mcp.BooleanSchema()}
    answer = context.elicit(f"Delete {filename}?", mcp.ElicitRequestFormParamsRequestedSchema(properties=fields))
    agreed = answer.action == "accept" and bool((answer.content or {}).get("confirm"))
    return f"{filename} is {'deleted' if agreed else 'kept'}"


def multi_input(context: mcp.Context) -> str:
    """Request two names at the same time."""
    fields: dict[str, mcp.PrimitiveSchemaDefinition] = {"name": mcp.StringSchema()}

    def ask(place: str) -> str:
        form = mcp.ElicitRequestFormParamsRequestedSchema(properties=fields)
        answer = context.elicit(f"What is the {place} name?", form)
        return str((answer.content or {}).get("name"))

    with ThreadPoolExecutor(2) as pool:
        return " and ".join(pool.map(ask, ("first", "second")))


def test_tool_with_task(context: mcp.Context) -> str:
    """Request a name, and greet as a task."""
    form = mcp.ElicitRequestFormParamsRequestedSchema(properties={"name": mcp.StringSchema()}, required=["name"])
    answer = context.elicit("What is your name?", form)
    context.begin_task(required=True)
    return f"Hello, {(answer.content or {}).get('name')}!"


TOOLS: Mapping[str, Callable[..., Any]] = {
    tool.__name__: tool
    for tool in (
        greet,
        slow_compute,
        failing_job,
        protocol_error_job,
        confirm_delete,
        multi_input,
        test_tool_with_task,
    )
}


def register(server: Any) -> None:
    """Register the tools with a server that was made with ``tasks()``."""
    for tool in TOOLS.values():
        server.tool(tool)


def _pause(context: mcp.Context, seconds: float) -> None:
    """Wait, unless the task is cancelled."""
    pause, deadline = Event(), time.monotonic() + seconds
    while not context.cancelled and time.monotonic() < deadline:
        pause.wait(min(0.01, seconds))
