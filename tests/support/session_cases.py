"""Minimal conversations that break each rule about sessions, and similar valid ones."""

from __future__ import annotations

from collections.abc import Callable

from support.conversation_builder import META, Talk

Say = Callable[[Talk], Talk]

PROGRESS = "notifications/progress"
CANCELLED = "notifications/cancelled"
LISTEN = "subscriptions/listen"
ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
TOOLS_CHANGED = "notifications/tools/list_changed"


def progress(t: Talk, *values: float, token: object = "t") -> Talk:
    for value in values:
        t.tell(PROGRESS, {"progressToken": token, "progress": value})
    return t


def with_token(t: Talk, token: object = "t") -> Talk:
    return t.opened(server={"tools": {}}).ask("tools/list", meta={"progressToken": token})


def listed(t: Talk) -> Talk:
    return t.answer({"tools": []})


def listen(t: Talk, **wanted: object) -> Talk:
    return t.opened().ask(LISTEN, {"notifications": wanted}, number=9)


def stream(number: object = 9) -> dict[str, object]:
    return {"_meta": {f"{META}subscriptionId": number}}


def task(status: str = "working", name: str = "k", **more: object) -> dict[str, object]:
    moment = "2025-11-25T10:30:00Z"
    return {"taskId": name, "status": status, "createdAt": moment, "lastUpdatedAt": moment, "ttl": None, **more}


TASKS = {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}
FORM = {"message": "?", "requestedSchema": {"type": "object", "properties": {}}}
SAMPLE = {"messages": [], "maxTokens": 5}


def called_as_task(t: Talk) -> Talk:
    t.opened(server={"tools": {}, "tasks": TASKS}).ask("tools/call", {"name": "x", "task": {}}, number=4)
    return t.answer({"task": task()})


def need(t: Talk, inputs: object, caps: object = None, **more: object) -> Talk:
    """Add a call whose result requests input."""
    t.opened().ask("tools/call", {"name": "x"}, caps=caps, number=4)
    return t.answer({"resultType": "input_required", **({} if inputs is None else {"inputRequests": inputs}), **more})


def again(t: Talk, **more: object) -> Talk:
    """Add the same call again."""
    return t.ask("tools/call", {"name": "x", **more}, number=5)


SESSION_CASES: dict[str, tuple[Say, Say]] = {
    "initialize-first": (
        lambda t: t.as_a_whole().ask("tools/list", number=1),
        lambda t: t.as_a_whole().opened(server={"tools": {}}).ask("tools/list"),
    ),
    "initialize-again": (
        lambda t: t.as_a_whole().opened().ask("initialize", {"capabilities": {}}),
        lambda t: t.as_a_whole().ask("initialize", number=1).fail(-32602).ask("initialize", number=2),
    ),
    "initialize-in-batch": (
        lambda t: t.ask("initialize", number=1, path="$[0]"),
        lambda t: t.opened().ask("ping", path="$[0]"),
    ),
    "request-before-introduction": (
        lambda t: t.ask("initialize", number=1).ask("tools/list", number=2),
        lambda t: t.ask("initialize", number=1).ask("ping", number=2),
    ),
    "request-before-initialized": (
        lambda t: t.opened(client={"roots": {}}, initialized=False).ask("roots/list", by="server"),
        lambda t: t.opened(client={"roots": {}}).ask("roots/list", by="server"),
    ),
    "initialized-early": (
        lambda t: t.ask("initialize", number=1).tell("notifications/initialized", by="client"),
        lambda t: t.opened(),
    ),
    "initialized-missing": (
        lambda t: t.opened(server={"tools": {}}, initialized=False).ask("tools/list"),
        lambda t: t.opened(server={"tools": {}}).ask("tools/list"),
    ),
    "id-reused": (
        lambda t: t.opened(server={"tools": {}})
        .ask("tools/list", number=3)
        .answer({"tools": []})
        .ask("tools/list", number=3),
        lambda t: t.opened(server={"tools": {}})
        .ask("tools/list", number=3)
        .answer({"tools": []})
        .ask("tools/list", number="3"),
    ),
    "id-in-use": (
        lambda t: t.ask("tools/list", number=3).ask("tools/list", number=3),
        lambda t: listed(t.ask("tools/list", number=3)).ask("tools/list", number=3),
    ),
    "answer-to-nothing": (
        lambda t: t.opened().answer({}, number=77),
        lambda t: t.opened().ask("prompts/x", number=77).answer({}),
    ),
    "answered-twice": (
        lambda t: t.opened().ask("acme/x", number=77).answer({}).answer({}),
        lambda t: t.opened().ask("acme/x", number=77).answer({}).ask("acme/x", number=78).answer({}),
    ),
    "result-and-error": (
        lambda t: t.opened().ask("acme/x", number=7).say(both(t), "server"),
        lambda t: t.opened().ask("acme/x", number=7).fail(-32603),
    ),
    "request-by-server": (
        lambda t: t.ask("acme/x", by="server", number=7),
        lambda t: t.ask("acme/x", number=7),
    ),
    "response-by-client": (
        lambda t: t.say({"jsonrpc": "2.0", "id": 1, "result": {"resultType": "complete"}}, "client"),
        lambda t: t.ask("acme/x", number=1).answer({}),
    ),
    "capability-undeclared": (
        lambda t: t.opened().ask("tools/list"),
        lambda t: t.opened(server={"tools": {}}).ask("tools/list"),
    ),
    "notification-undeclared": (
        lambda t: t.opened(server={"tools": {}}).tell(TOOLS_CHANGED),
        lambda t: t.opened(server={"tools": {"listChanged": True}}).tell(TOOLS_CHANGED),
    ),
    "logging-undeclared": (
        lambda t: logged(t.opened()),
        lambda t: logged(t.opened(server={"logging": {}})),
    ),
    "update-unasked": (
        lambda t: updated(t.opened(server={"resources": {"subscribe": True}})),
        lambda t: updated(
            t.opened(server={"resources": {"subscribe": True}}).ask("resources/subscribe", {"uri": "a:b"}).answer({})
        ),
    ),
    "input-undeclared": (
        lambda t: need(t, {"a": {"method": "roots/list"}}),
        lambda t: need(t, {"a": {"method": "roots/list"}}, caps={"roots": {}}),
    ),
    "elicitation-mode": (
        lambda t: elicited(t, {"elicitation": {"url": {}}}),
        lambda t: elicited(t, {"elicitation": {}}),
    ),
    "sampling-tools-undeclared": (
        lambda t: sampled(t, {"sampling": {}}, tools=[]),
        lambda t: sampled(t, {"sampling": {"tools": {}}}, tools=[], toolChoice={}),
    ),
    "sampling-context-undeclared": (
        lambda t: sampled(t, {"sampling": {}}, includeContext="thisServer"),
        lambda t: sampled(t, {"sampling": {"context": {}}}, includeContext="thisServer"),
    ),
    "tool-task-undeclared": (
        lambda t: t.opened(server={"tools": {}}).ask("tools/call", {"name": "x", "task": {}}),
        lambda t: t.opened(server={"tools": {}, "tasks": TASKS}).ask("tools/call", {"name": "x", "task": {}}),
    ),
    "task-undeclared": (
        lambda t: t.opened(client={"sampling": {}}).ask("sampling/createMessage", {**SAMPLE, "task": {}}, by="server"),
        lambda t: t.opened(client={"sampling": {}}).ask("sampling/createMessage", SAMPLE, by="server"),
    ),
    "progress-increases": (
        lambda t: progress(with_token(t), 1, 1),
        lambda t: progress(with_token(t), 1, 1.5),
    ),
    "progress-token-unknown": (
        lambda t: progress(with_token(t), 1, token="u"),
        lambda t: progress(with_token(t), 1),
    ),
    "progress-after-answer": (
        lambda t: progress(listed(with_token(t)), 1),
        lambda t: listed(progress(with_token(t), 1)),
    ),
    "progress-token-in-use": (
        lambda t: with_token(t).ask("tools/list", meta={"progressToken": "t"}),
        lambda t: listed(with_token(t)).ask("tools/list", meta={"progressToken": "t"}),
    ),
    "cancel-initialize": (
        lambda t: t.ask("initialize", number=1).tell(CANCELLED, {"requestId": 1}, by="client"),
        lambda t: t.opened().ask("ping", number=1).tell(CANCELLED, {"requestId": 1}, by="client"),
    ),
    "cancel-unknown": (
        lambda t: t.opened().tell(CANCELLED, {"requestId": 8}, by="client"),
        # It may cross its answer.
        lambda t: t.opened().ask("acme/x", number=8).answer({}).tell(CANCELLED, {"requestId": 8}, by="client"),
    ),
    "cancel-task": (
        lambda t: called_as_task(t).tell(CANCELLED, {"requestId": 4}, by="client"),
        lambda t: called_as_task(t).ask("tasks/cancel", {"taskId": "k"}),
    ),
    "cancel-by-server": (
        lambda t: t.ask("tools/list", number=8).tell(CANCELLED, {"requestId": 8}),
        lambda t: t.ask(LISTEN, {"notifications": {}}, number=8).tell(CANCELLED, {"requestId": 8}),
    ),
    "subscription-id": (
        lambda t: listen(t, toolsListChanged=True).tell(ACKNOWLEDGED, {"notifications": {}, **stream("9")}),
        lambda t: listen(t, toolsListChanged=True).tell(ACKNOWLEDGED, {"notifications": {}, **stream()}),
    ),
    "subscription-order": (
        lambda t: listen(t, toolsListChanged=True).tell(TOOLS_CHANGED, stream()),
        lambda t: (
            listen(t, toolsListChanged=True)
            .tell(ACKNOWLEDGED, {"notifications": {"toolsListChanged": True}, **stream()})
            .tell(TOOLS_CHANGED, stream())
        ),
    ),
    "subscription-unasked": (
        lambda t: listen(t).tell(ACKNOWLEDGED, {"notifications": {}, **stream()}).tell(TOOLS_CHANGED, stream()),
        lambda t: listen(t).tell(ACKNOWLEDGED, {"notifications": {}, **stream()}).answer(stream()),
    ),
    "log-unasked": (
        lambda t: logging(t, "warning"),
        lambda t: logging(t, "error"),
    ),
    "error-code-reserved": (
        lambda t: t.opened().ask("acme/x").fail(-32050),
        lambda t: t.opened().ask("acme/x").fail(-32000),
    ),
    "version-refused": (
        lambda t: t.ask("acme/x", number=1).fail(-32022, {"supported": [t.revision], "requested": t.revision}),
        lambda t: t.ask("acme/x", number=1).fail(-32022, {"supported": ["2030-01-01"], "requested": t.revision}),
    ),
    "version-unlisted": (
        lambda t: t.ask("server/discover", number=1).answer({"supportedVersions": ["2030-01-01"], "capabilities": {}}),
        lambda t: t.ask("server/discover", number=1).answer({"supportedVersions": [t.revision], "capabilities": {}}),
    ),
    "cache-scope": (
        lambda t: pages(t, "public", "private"),
        lambda t: pages(t, "private", "private"),
    ),
    "result-type": (
        lambda t: t.ask("acme/x", number=1).answer({"resultType": "acme"}),
        lambda t: t.ask("acme/x", number=1, caps={"extensions": {"acme/x": {}}}).answer({"resultType": "acme"}),
    ),
    "input-out-of-place": (
        lambda t: t.ask("acme/x", number=1).answer({"resultType": "input_required", "requestState": "s"}),
        lambda t: t.ask("tools/call", number=1).answer({"resultType": "input_required", "requestState": "s"}),
    ),
    "input-empty": (
        lambda t: need(t, None),
        lambda t: need(t, None, requestState=""),
    ),
    "request-state": (
        lambda t: again(need(t, None, requestState="s"), requestState="S"),
        lambda t: again(need(t, None, requestState="s"), requestState="s"),
    ),
    "input-unasked": (
        lambda t: again(wanting_roots(t), inputResponses={"a": {"roots": []}, "b": {"roots": []}}),
        lambda t: again(wanting_roots(t), inputResponses={"a": {"roots": []}}),
    ),
    "input-missing": (
        lambda t: again(wanting_roots(t), inputResponses={}),
        # Without any input it is a new request, not the same one again.
        lambda t: again(wanting_roots(t)),
    ),
    "input-kind": (
        lambda t: again(wanting_roots(t), inputResponses={"a": {"action": "accept"}}),
        lambda t: again(wanting_roots(t), inputResponses={"a": {"roots": []}}),
    ),
    "round-id": (
        lambda t: wanting_roots(t).ask("tools/call", {"name": "x", "inputResponses": {"a": {"roots": []}}}, number=4),
        lambda t: wanting_roots(t).ask("tools/call", {"name": "x", "inputResponses": {"a": {"roots": []}}}, number=5),
    ),
}
"""Rule to a conversation that breaks it and one that does not."""


def both(t: Talk) -> dict[str, object]:
    result = {"resultType": "complete"} if t.stateless else {}
    return {"jsonrpc": "2.0", "id": 7, "result": result, "error": {"code": 1, "message": ""}}


def logged(t: Talk) -> Talk:
    if t.stateless:
        t.ask("tools/list", meta={f"{META}logLevel": "debug"})
    return t.tell("notifications/message", {"level": "error", "data": 1})


def logging(t: Talk, level: str) -> Talk:
    t.opened(server={"logging": {}}).ask("acme/x", meta={f"{META}logLevel": "error"})
    return t.tell("notifications/message", {"level": level, "data": 1})


def updated(t: Talk) -> Talk:
    return t.tell("notifications/resources/updated", {"uri": "a:b"})


def elicited(t: Talk, caps: object) -> Talk:
    if t.stateless:
        return need(t, {"a": {"method": "elicitation/create", "params": FORM}}, caps=caps)
    return t.opened(client=caps).ask("elicitation/create", FORM, by="server")


def sampled(t: Talk, caps: object, **more: object) -> Talk:
    if t.stateless:
        return need(t, {"a": {"method": "sampling/createMessage", "params": {**SAMPLE, **more}}}, caps=caps)
    return t.opened(client=caps).ask("sampling/createMessage", {**SAMPLE, **more}, by="server")


def wanting_roots(t: Talk) -> Talk:
    return need(t, {"a": {"method": "roots/list"}}, caps={"roots": {}})


def pages(t: Talk, first: str, second: str) -> Talk:
    t.opened().ask("tools/list").answer({"tools": [], "nextCursor": "n", "ttlMs": 0, "cacheScope": first})
    return t.ask("tools/list", {"cursor": "n"}).answer({"tools": [], "ttlMs": 0, "cacheScope": second})
