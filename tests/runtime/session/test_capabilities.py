"""What a side declares from what it does, and that nothing is sent for which something has not been declared."""

from __future__ import annotations

import json
from typing import Any

import pytest
from checkout import REVISIONS
from mcp_bindings_runtime.errors import UsageError
from mcp_bindings_runtime.session.capabilities import declared_by
from mcp_bindings_runtime.session.events import Outcome, Reply
from support.bindings import binding
from support.minimal_params import params_of
from support.revisions import HANDSHAKE, STATELESS, WITH_FORMS, those_with_methods
from support.sessions import capabilities, client, line, listed, only, pair, result

Json = Any

CHANGES = {"listChanged": True}
UNDECLARED, DECLARABLE = (
    [each for each in REVISIONS if ("completions" in binding(each).capabilities["server"]) == declarable]
    for declarable in (False, True)
)
WITHOUT_FORMS = [each for each in REVISIONS if each not in WITH_FORMS]
TELLING = those_with_methods("notifications/prompts/list_changed")
SILENT = [each for each in REVISIONS if each not in TELLING]
"""Without a notification that the list of prompts has changed."""
TASKS = those_with_methods("tasks/get")
SEVERAL = "roots/list notifications/message sampling/createMessage no/such"

DECLARED: list[tuple[list[str], str, str, Json]] = [
    (REVISIONS, "server", "", {}),
    (HANDSHAKE, "server", "ping", {}),
    (REVISIONS, "server", "tools/list", {"tools": CHANGES}),
    (REVISIONS, "server", "tools/list tools/call", {"tools": CHANGES}),
    (TELLING, "server", "prompts/get", {"prompts": CHANGES}),
    (SILENT, "server", "prompts/get", {"prompts": {}}),
    (HANDSHAKE, "server", "resources/read", {"resources": CHANGES}),
    (HANDSHAKE, "server", "resources/read resources/subscribe", {"resources": {**CHANGES, "subscribe": True}}),
    # Subscriptions are the session's business there, not a handler's.
    (STATELESS, "server", "resources/read", {"resources": {**CHANGES, "subscribe": True}}),
    (UNDECLARED, "server", "completion/complete", {}),
    (DECLARABLE, "server", "completion/complete", {"completions": {}}),
    (HANDSHAKE, "server", "logging/setLevel", {"logging": {}}),
    (TASKS, "server", "tasks/get", {"tasks": {}}),
    (TASKS, "server", "tasks/get tasks/list tasks/cancel", {"tasks": {"list": {}, "cancel": {}}}),
    (REVISIONS, "server", "no/such", {}),
    (REVISIONS, "client", "", {}),
    (HANDSHAKE, "client", "roots/list", {"roots": CHANGES}),
    (STATELESS, "client", "roots/list", {"roots": {}}),
    (REVISIONS, "client", "sampling/createMessage", {"sampling": {}}),
    (WITHOUT_FORMS, "client", "elicitation/create", {}),
    (WITH_FORMS, "client", "elicitation/create", {"elicitation": {}}),
    (TASKS, "client", "tasks/list tasks/cancel", {"tasks": {"list": {}, "cancel": {}}}),
    (HANDSHAKE, "client", SEVERAL, {"roots": CHANGES, "sampling": {}}),
    (STATELESS, "client", SEVERAL, {"roots": {}, "sampling": {}}),
]
"""Revisions, side, methods that are handled, and what is declared (Lifecycle: Capability Negotiation; the features' pages)."""


@pytest.mark.parametrize(
    ("revision", "side", "methods", "expected"),
    [
        pytest.param(revision, *row, id=f"{revision} {row[0]} {row[1] or 'nothing'}")
        for revisions, *row in DECLARED
        for revision in revisions
    ],
)
def test_what_is_handled_is_declared(revision: str, side: Any, methods: str, expected: Json) -> None:
    made = declared_by(binding(revision), side, methods.split())
    assert binding(revision).codec.unstructure(made) == expected


each_revision = pytest.mark.parametrize("revision", REVISIONS)


@each_revision
def test_a_server_that_logs_declares_it(revision: str) -> None:
    made = declared_by(binding(revision), "server", [], logging=True)
    assert binding(revision).codec.unstructure(made) == {"logging": {}}


@each_revision
def test_what_is_declared_by_hand_is_laid_over_the_rest(revision: str) -> None:
    more = capabilities(revision, "server", {"tools": {"listChanged": False}, "experimental": {"x": {"y": 1}}, "z": 1})
    made = declared_by(binding(revision), "server", ["tools/list", "prompts/list"], more=more)
    assert binding(revision).codec.unstructure(made) == {
        "tools": {"listChanged": False},
        "prompts": CHANGES if revision in TELLING else {},
        "experimental": {"x": {"y": 1}},
        "z": 1,
    }


def keys(revision: str, side: str) -> list[Any]:
    """All that a side sends for which something has to be declared."""
    requests = [key for key in binding(revision).requests.values() if not key.embedded]
    # What only subscribers hear has its own tests.
    notifications = [] if revision in STATELESS else binding(revision).notifications.values()
    return [key for key in [*requests, *notifications] if side in key.sent_by and key.capability]


GATED = [
    pytest.param(revision, side, key, id=f"{revision} {side} {key.name}")
    for revision in REVISIONS
    for side in ("client", "server")
    for key in keys(revision, side)
]


def say(revision: str, session: Any, key: Any) -> bytes:
    params = params_of(revision, key)
    if key.name in binding(revision).requests:
        request_id, sent = session.request(key, params)
        assert session.forget(request_id) is key
        return sent
    return session.notify(key, params)


@pytest.mark.parametrize(("revision", "side", "key"), GATED)
def test_nothing_is_sent_that_takes_what_nobody_declared(revision: str, side: str, key: Any) -> None:
    speaker = pair(revision, {}, {})[0 if side == "client" else 1]
    with pytest.raises(UsageError) as refused:
        say(revision, speaker, key)
    text = str(refused.value)
    assert text.startswith(f"{key.name} needs the capability '{key.capability}', which ")
    mine = getattr(key, "capability_of", "receiver") == "sender"
    assert text.endswith(
        f"{'this' if mine else 'the'} {side if mine else ({'client', 'server'} - {side}).pop()} has not declared"
    )
    assert not speaker._pending


@pytest.mark.parametrize(("revision", "side", "key"), GATED)
def test_all_is_sent_for_which_all_is_declared(revision: str, side: str, key: Any) -> None:
    speaker = pair(revision)[0 if side == "client" else 1]
    assert json.loads(say(revision, speaker, key))["method"] == key.name


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_a_capability_that_is_false_is_none(revision: str) -> None:
    _, server = pair(revision, None, {"tools": {"listChanged": False}})
    with pytest.raises(UsageError, match=r"'tools\.listChanged', which this server has not declared"):
        server.notify(binding(revision).notifications["notifications/tools/list_changed"])


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_part_of_a_capability_is_not_all_of_it(revision: str) -> None:
    left, _ = pair(revision, None, {"resources": {}})
    subscribe = binding(revision).requests["resources/subscribe"]
    assert left.request(binding(revision).requests["resources/list"], None)
    with pytest.raises(UsageError, match=r"'resources\.subscribe', which the server has not declared"):
        left.request(subscribe, params_of(revision, subscribe))


@pytest.mark.parametrize("revision", STATELESS)
def test_a_server_that_was_not_asked_what_it_can_do_is_taken_at_its_word(revision: str) -> None:
    left = client(revision)
    list_tools, discover = (binding(revision).requests[name] for name in ("tools/list", "server/discover"))
    request_id, _ = left.request(list_tools, None)
    assert only(left.receive(line(result(request_id, listed(revision)))), Outcome).error is None
    # Once it has been asked, that holds, for what went well before too.
    _, server = pair(revision, None, {})
    request_id, asked = left.request(discover, None)
    left.record_discovery(only(left.receive(only(server.receive(asked), Reply).line), Outcome).result)
    with pytest.raises(UsageError, match="'tools', which the server has not declared"):
        left.request(list_tools, None)
