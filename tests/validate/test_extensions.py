"""Messages of the bundled extension of tasks in conversations of the revision that it extends."""

from __future__ import annotations

from typing import Any

import pytest
from mcp_bindgen.validate import validate_messages
from support.recorded_sessions import notification, request, result, shown

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "c", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}},
}
TASK = {
    "taskId": "t",
    "status": "working",
    "createdAt": "2026-08-01T00:00:00Z",
    "lastUpdatedAt": "2026-08-01T00:00:00Z",
    "ttlMs": None,
}
DONE = {**TASK, "status": "completed", "result": {"content": [], "resultType": "complete"}}
ASK = request("tasks/get", 2, taskId="t", _meta=META)


def said(*messages: Any, version: str = "2026-07-28") -> list[str]:
    return shown(validate_messages(messages, version=version), notes=True)


@pytest.mark.parametrize("version", ["2026-07-28", "auto"])
def test_a_tool_call_that_became_a_task_is_right(version: str) -> None:
    conversation = [
        request("tools/call", 1, name="slow", _meta=META),
        result(1, resultType="task", **TASK),
        ASK,
        result(2, resultType="complete", **DONE),
        request("tasks/update", 3, taskId="t", inputResponses={}, _meta=META),
        result(3, resultType="complete"),
        request("tasks/cancel", 4, taskId="t", _meta=META),
        result(4, resultType="complete"),
        notification("notifications/tasks", **DONE),
    ]
    assert said(*conversation, version=version) == []


@pytest.mark.parametrize(
    ("messages", "finding"),
    [
        ([request("tasks/get", 1, _meta=META)], "$.params.taskId: missing, expected a string"),
        ([notification("notifications/tasks", **{**TASK, "status": "gone"})], "$.params.status: "),
        ([ASK, result(2, resultType="complete", **{**DONE, "ttlMs": "x"})], "$.result.ttlMs: found "),
        (
            [request("tools/call", 1, name="slow", _meta=META), result(1, resultType="task", taskId="t")],
            "$.result.status: missing",
        ),
        ([request("tasks/list", 1, _meta=META)], "$.method: tasks/list exists only in 2025-11-25"),
    ],
)
def test_what_is_wrong_with_them_is_said(messages: list[Any], finding: str) -> None:
    assert any(finding in each for each in said(*messages))


def test_other_revisions_do_not_have_the_extension() -> None:
    assert any(
        "tasks/update exists only in 2026-07-28" in each for each in said(request("tasks/update"), version="2025-06-18")
    )
