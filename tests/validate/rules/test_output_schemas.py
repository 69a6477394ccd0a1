"""Structured results are checked by the ``outputSchema`` that was listed for their tool."""

from __future__ import annotations

import sys

import pytest
from support.content_cases import OUTPUT, TEXT, TOOL, tools
from support.conversation_builder import Talk

CODE = "structured-content-schema"


def answered(t: Talk, content: object, **more: object) -> Talk:
    return t.ask("tools/call", {"name": "x"}).answer({"content": [TEXT], "structuredContent": content, **more})


def listed(revision: str = "2025-11-25", schema: object = OUTPUT) -> Talk:
    return tools(Talk(revision), {**TOOL, "outputSchema": schema})


def found(t: Talk) -> list[tuple[str, str, str]]:
    return [(each.level, each.code, each.path) for each in t.findings()]


def test_each_fault_says_where_it_is() -> None:
    schema = {"properties": {"rows": {"items": {"properties": {"n": {"type": "integer"}}}}}, "required": ["total"]}
    findings = answered(listed(schema={"type": "object", **schema}), {"rows": [{"n": 1}, {"n": "2"}]}).findings()
    assert {each.path for each in findings} == {
        "$.result.structuredContent.rows[1].n",
        "$.result.structuredContent",
    }
    assert {each.code for each in findings} == {CODE}
    assert "violates the `outputSchema` of the tool \"x\": '2' is not of type 'integer'" in {
        each.message for each in findings
    }


def test_the_last_list_counts() -> None:
    wrong = {"n": "1"}
    relisted = listed().ask("tools/list").answer({"tools": [TOOL], "ttlMs": 0, "cacheScope": "public"})
    assert found(answered(relisted, wrong)) == []
    changed = listed().tell("notifications/tools/list_changed", by="server")
    assert CODE not in answered(changed, wrong).codes()
    assert found(answered(listed(), wrong)) == [("rule", CODE, "$.result.structuredContent.n")]
    assert CODE not in answered(Talk("2025-11-25").opened(), wrong).codes()


def test_an_error_promises_nothing() -> None:
    assert found(answered(listed(), {"n": "1"}, isError=True)) == []


def test_any_value_may_be_structured_in_2026() -> None:
    schema = {"type": "array", "items": {"type": "integer"}}
    assert found(answered(listed("2026-07-28", schema), [1, 2])) == []
    assert found(answered(listed("2026-07-28", schema), [1, "2"])) == [("rule", CODE, "$.result.structuredContent[1]")]


def test_the_result_of_a_task_is_that_of_its_tool() -> None:
    t = tools(Talk("2025-11-25"), {**TOOL, "outputSchema": OUTPUT, "execution": {"taskSupport": "optional"}})
    task = {"taskId": "t", "status": "working", "createdAt": "x", "lastUpdatedAt": "x", "ttl": None}
    t.ask("tools/call", {"name": "x", "task": {}}).answer({"task": task})
    t.ask("tasks/result", {"taskId": "t"}).answer({"content": [TEXT], "structuredContent": {"n": "1"}})
    assert ("rule", CODE, "$.result.structuredContent.n") in found(t)


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ({"$ref": "https://example.com/x"}, "refers to"),
        ({"type": "nothing"}, "not a valid JSON Schema"),
        ({"$schema": "https://example.com/dialect"}, "dialect"),
        ({"description": "x" * 300_000}, "characters"),
        ({"patternProperties": {"(a+)+b": {}}}, "patternProperties"),
    ],
)
def test_a_schema_that_cannot_be_used_is_a_note(schema: object, why: str) -> None:
    (finding,) = answered(listed(schema=schema), {"n": "1"}).findings()
    assert (finding.level, finding.code) == ("note", "unchecked")
    assert why in finding.message


def test_without_the_extra_a_note_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jsonschema", None)
    (finding,) = answered(listed(), {"n": "1"}).findings()
    assert (finding.level, finding.code) == ("note", "unchecked")
    assert "pip install 'mcp-bindings[schema]'" in finding.message
