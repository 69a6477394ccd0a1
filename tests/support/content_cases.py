"""Minimal conversations that break each rule about the content of messages, and similar valid ones."""

from __future__ import annotations

from support.conversation_builder import META, Talk
from support.session_cases import TASKS, Say, called_as_task, need, task

TOOL = {"name": "x", "inputSchema": {"type": "object"}}
IMAGE = {"type": "image", "data": "", "mimeType": "image"}
USE = {"type": "tool_use", "id": "u", "name": "x", "input": {}}
RESULT = {"type": "tool_result", "toolUseId": "u", "content": []}
TEXT = {"type": "text", "text": "x"}
OUTPUT = {"type": "object", "properties": {"n": {"type": "integer"}}}


def tools(t: Talk, *definitions: object, server: object = None) -> Talk:
    t.opened(server={"tools": {}, **(server or {})}).ask("tools/list")
    return t.answer({"tools": list(definitions), "ttlMs": 0, "cacheScope": "public"})


def called(t: Talk, result: object, **more: object) -> Talk:
    return tools(t, {**TOOL, **more}).ask("tools/call", {"name": "x"}).answer(result)


def meta(t: Talk, key: str, value: object = 1) -> Talk:
    return t.ask("acme/x", meta={key: value}, number=1)


def roots(t: Talk, uri: str) -> Talk:
    found = {"roots": [{"uri": uri}]}
    if t.stateless:
        need(t, {"a": {"method": "roots/list"}}, caps={"roots": {}})
        return t.ask("tools/call", {"name": "x", "inputResponses": {"a": found}})
    return t.opened(client={"roots": {}}).ask("roots/list", by="server").answer(found)


def sampling(t: Talk, *messages: object) -> Talk:
    params = {"messages": list(messages), "maxTokens": 1}
    if t.stateless:
        return need(t, {"a": {"method": "sampling/createMessage", "params": params}}, caps={"sampling": {}})
    return t.opened(client={"sampling": {}}).ask("sampling/createMessage", params, by="server")


def sampled(t: Talk, content: object) -> Talk:
    params = {"messages": [], "maxTokens": 1, "toolChoice": {"mode": "none"}}
    result = {"role": "assistant", "content": content, "model": "m"}
    if t.stateless:
        need(t, {"a": {"method": "sampling/createMessage", "params": params}}, caps={"sampling": {"tools": {}}})
        return t.ask("tools/call", {"name": "x", "inputResponses": {"a": result}})
    return (
        t.opened(client={"sampling": {"tools": {}}}).ask("sampling/createMessage", params, by="server").answer(result)
    )


def form(t: Talk, schema: object, result: object = None) -> Talk:
    params = {"message": "?", "requestedSchema": {"type": "object", "properties": {}, **schema}}
    if t.stateless:
        need(t, {"a": {"method": "elicitation/create", "params": params}}, caps={"elicitation": {}})
        return t.ask("tools/call", {"name": "x", "inputResponses": {"a": result}}) if result else t
    t.opened(client={"elicitation": {}}).ask("elicitation/create", params, by="server")
    return t.answer(result) if result else t


def page(t: Talk, name: str) -> Talk:
    asked = {"mode": "url", "message": "?", "url": "https://x", "elicitationId": "e"}
    t.opened(client={"elicitation": {"url": {}}}).ask("elicitation/create", asked, by="server").answer(
        {"action": "accept"}
    )
    return t.tell("notifications/elicitation/complete", {"elicitationId": name})


def prompt(t: Talk, content: object) -> Talk:
    t.opened(server={"prompts": {}}).ask("prompts/get", {"name": "p"})
    return t.answer({"messages": [{"role": "user", "content": content}]})


def completion(t: Talk, count: int) -> Talk:
    t.opened(server={"completions": {}}).ask("completion/complete")
    return t.answer({"completion": {"values": ["v"] * count}})


def state(t: Talk, **more: object) -> Talk:
    return t.ask("tasks/get", {"taskId": "k"}).answer(task(**more))


def task_result(t: Talk, result: object) -> Talk:
    return called_as_task(t).ask("tasks/result", {"taskId": "k"}).answer(result)


def header(t: Talk, **properties: object) -> Talk:
    return tools(t, {**TOOL, "inputSchema": {"type": "object", "properties": properties}})


CONTENT_CASES: dict[str, tuple[Say, Say]] = {
    "meta-key": (
        lambda t: meta(t, "a/b/c"),
        lambda t: meta(t, "a.b-c/d_e.f"),
    ),
    "meta-key-reserved": (
        lambda t: meta(t, "mcp.mcp/x"),
        lambda t: meta(t, "com.example.mcp/x"),
    ),
    "trace-context": (
        lambda t: meta(t, "traceparent", "00-1-2-03"),
        lambda t: meta(t, "traceparent", "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01"),
    ),
    "extension-id": (
        lambda t: t.ask("acme/x", caps={"extensions": {"acme": {}}}, number=1),
        lambda t: t.ask("acme/x", caps={"extensions": {"acme.com/x": {}}}, number=1),
    ),
    "root-uri": (
        lambda t: roots(t, "https://example.com"),
        lambda t: roots(t, "FILE:///x"),
    ),
    "completion-values": (
        lambda t: completion(t, 101),
        lambda t: completion(t, 100),
    ),
    "icon-scheme": (
        lambda t: tools(t, {**TOOL, "icons": [{"src": "javascript:x"}]}),
        lambda t: tools(t, {**TOOL, "icons": [{"src": "https://x"}, {"src": "data:x"}, {"src": "x"}]}),
    ),
    "last-modified": (
        lambda t: called(t, {"content": [{**TEXT, "annotations": {"lastModified": "yesterday"}}]}),
        lambda t: called(t, {"content": [{**TEXT, "annotations": {"lastModified": "2025-01-12T15:00:60Z"}}]}),
    ),
    "prompt-media-type": (
        lambda t: prompt(t, IMAGE),
        lambda t: prompt(t, {**IMAGE, "mimeType": "image/svg+xml; charset=utf-8"}),
    ),
    "ping-result": (
        lambda t: t.opened().ask("ping").answer({"pong": 1}),
        lambda t: t.opened().ask("ping").answer({"_meta": {}}),
    ),
    "tool-name": (
        lambda t: tools(t, {**TOOL, "name": "get user"}),
        lambda t: tools(t, {**TOOL, "name": "admin.tools_list-2"}),
    ),
    "tool-name-twice": (
        lambda t: tools(t, TOOL, TOOL, TOOL),
        lambda t: tools(t, TOOL, {**TOOL, "name": "X"}),
    ),
    "tool-header": (
        lambda t: header(t, a={"type": "number", "x-mcp-header": "A"}),
        lambda t: header(t, a={"type": "object", "properties": {"b": {"type": "integer", "x-mcp-header": "A"}}}),
    ),
    "structured-content-missing": (
        lambda t: called(t, {"content": [TEXT]}, outputSchema={"type": "object"}),
        lambda t: called(t, {"content": [TEXT], "isError": True}, outputSchema={"type": "object"}),
    ),
    "structured-content-schema": (
        lambda t: called(
            t, {"content": [TEXT], "structuredContent": {"n": "1"}}, outputSchema={**OUTPUT, "required": ["n"]}
        ),
        lambda t: called(t, {"content": [TEXT], "structuredContent": {"n": 1}}, outputSchema=OUTPUT),
    ),
    "structured-content-only": (
        lambda t: called(t, {"content": [], "structuredContent": {}}),
        lambda t: called(t, {"content": [TEXT], "structuredContent": {}}),
    ),
    "tool-task-support": (
        lambda t: tools(t, TOOL, server={"tasks": TASKS}).ask("tools/call", {"name": "x", "task": {}}),
        lambda t: tools(t, TOOL, server={"tasks": TASKS}).ask("tools/call", {"name": "x"}),
    ),
    "tool-result-mixed": (
        lambda t: sampling(t, said("assistant", USE), said("user", RESULT, TEXT)),
        lambda t: sampling(t, said("assistant", USE), said("user", RESULT), said("user", TEXT)),
    ),
    "tool-use-unanswered": (
        lambda t: sampling(t, said("assistant", TEXT, USE), said("user", TEXT)),
        lambda t: sampling(t, said("assistant", TEXT, USE), said("user", RESULT)),
    ),
    "tool-result-unasked": (
        lambda t: sampling(t, {"role": "user", "content": RESULT}),
        lambda t: sampling(t, {"role": "assistant", "content": USE}, {"role": "user", "content": RESULT}),
    ),
    "tool-choice-none": (
        lambda t: sampled(t, [USE]),
        lambda t: sampled(t, TEXT),
    ),
    "elicitation-flat": (
        lambda t: form(t, {"allOf": []}),
        lambda t: form(t, {"additionalProperties": False}),
    ),
    "elicitation-content": (
        lambda t: form(t, {"required": ["a"]}, {"action": "accept", "content": {}}),
        lambda t: form(t, {"required": ["a"]}, {"action": "decline"}),
    ),
    "elicitation-id-unknown": (
        lambda t: page(t, "f"),
        lambda t: page(t, "e"),
    ),
    "url-elicitation-error": (
        lambda t: t.opened().ask("acme/x").fail(-32042, {"elicitations": [{"mode": "url", "url": "https://x"}]}),
        lambda t: t.opened().ask("acme/x").fail(-32042, {"elicitations": [{"mode": "url", "elicitationId": "e"}]}),
    ),
    "task-begins-working": (
        lambda t: augmented(t, task("failed")),
        lambda t: augmented(t, task()),
    ),
    "task-status-final": (
        lambda t: state(state(called_as_task(t), status="failed"), status="working"),
        # Older news may come later.
        lambda t: state(state(called_as_task(t), status="failed"), lastUpdatedAt="2025-11-25T10:29:59Z"),
    ),
    "task-id-reused": (
        lambda t: called_as_task(t).ask("tools/call", {"name": "x", "task": {}}).answer({"task": task()}),
        lambda t: called_as_task(t).ask("tools/call", {"name": "x", "task": {}}).answer({"task": task(name="l")}),
    ),
    "task-cancelled": (
        lambda t: called_as_task(t).ask("tasks/cancel", {"taskId": "k"}).answer(task()),
        lambda t: called_as_task(t).ask("tasks/cancel", {"taskId": "k"}).answer(task("cancelled")),
    ),
    "task-moment": (
        lambda t: state(called_as_task(t), createdAt="now"),
        lambda t: state(called_as_task(t), createdAt="2025-11-25t10:30:00.123456789+02:00"),
    ),
    "related-task-missing": (
        lambda t: task_result(t, {"content": []}),
        lambda t: task_result(t, {"content": [], "_meta": {f"{META}related-task": {"taskId": "k"}}}),
    ),
    "related-task-needless": (
        lambda t: called_as_task(t).ask("tasks/get", {"taskId": "k"}, meta={f"{META}related-task": {"taskId": "k"}}),
        lambda t: called_as_task(t).ask("acme/x", meta={f"{META}related-task": {"taskId": "k"}}),
    ),
}
"""Rule to a conversation that breaks it and one that does not."""


def said(role: str, *content: object) -> dict[str, object]:
    return {"role": role, "content": list(content)}


def augmented(t: Talk, made: object) -> Talk:
    t.opened(server={"tools": {}, "tasks": TASKS}).ask("tools/call", {"name": "x", "task": {}})
    return t.answer({"task": made})
