"""Subscriptions of 2026-07-28: acknowledged first, told only what was asked for, ended by either side."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mcp_bindings_runtime.errors import ConnectionClosed, EncodeError, UsageError
from mcp_bindings_runtime.session.events import Dropped, Outcome, Published, RequestCancelled
from support.bindings import binding
from support.revisions import LIST_CHANGES, STATELESS, newest
from support.sessions import INFO, answer, call, line, only, opened, pair, tell

Json = Any

NEWEST = newest(STATELESS, *LIST_CHANGES)

BINDING = binding(NEWEST)
ID = "io.modelcontextprotocol/subscriptionId"
TOOLS = BINDING.notifications["notifications/tools/list_changed"]
PROMPTS = BINDING.notifications["notifications/prompts/list_changed"]
RESOURCES = BINDING.notifications["notifications/resources/list_changed"]
UPDATED = BINDING.notifications["notifications/resources/updated"]
ALL = {
    "toolsListChanged": True,
    "promptsListChanged": True,
    "resourcesListChanged": True,
    "resourceSubscriptions": ["file:///a", "file:///b"],
}
CHANGES = {"listChanged": True}


def listen(session: Any, wanted: Json, request_id: Json = 7) -> Json:
    """The first line that a subscription is answered with."""
    return answer(session.receive(line(call(NEWEST, "subscriptions/listen", request_id, {"notifications": wanted}))))


def told(session: Any, key: Any, **members: Json) -> list[Json]:
    params = BINDING.codec.structure(members, key.params) if members else None
    return [json.loads(each) for each in session.publish(key, params)]


def subscribers(lines: list[Json]) -> list[Json]:
    return [each["params"]["_meta"][ID] for each in lines]


@pytest.mark.parametrize(
    ("declared", "wanted", "honoured"),
    [
        (None, ALL, ALL),
        (None, {}, {}),
        (None, {"toolsListChanged": False}, {}),
        (None, {"resourceSubscriptions": []}, {}),
        ({}, ALL, {}),
        ({"tools": {}, "prompts": {}, "resources": {}}, ALL, {}),
        ({"tools": CHANGES}, ALL, {"toolsListChanged": True}),
        ({"prompts": CHANGES}, ALL, {"promptsListChanged": True}),
        ({"resources": CHANGES}, ALL, {"resourcesListChanged": True}),
        ({"resources": {"subscribe": True}}, ALL, {"resourceSubscriptions": ALL["resourceSubscriptions"]}),
        (None, {"promptsListChanged": True}, {"promptsListChanged": True}),
    ],
)
def test_what_is_asked_for_and_declared_is_acknowledged(declared: Json, wanted: Json, honoured: Json) -> None:
    _, right = pair(NEWEST, None, declared)
    for request_id in (7, "seven"):
        assert listen(right, wanted, request_id) == {
            "jsonrpc": "2.0",
            "method": "notifications/subscriptions/acknowledged",
            "params": {"_meta": {ID: request_id}, "notifications": honoured},
        }


def test_a_filter_for_a_notification_that_the_revision_does_not_have_is_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fewer = {name: key for name, key in BINDING.notifications.items() if key is not PROMPTS}
    monkeypatch.setattr(BINDING, "notifications", fewer)
    _, right = pair(NEWEST)
    honoured = {name: value for name, value in ALL.items() if name != "promptsListChanged"}
    assert listen(right, ALL)["params"]["notifications"] == honoured


def test_each_subscriber_is_told_what_it_asked_for() -> None:
    session = opened(NEWEST, "server")
    listen(session, ALL, 1)
    listen(session, {"toolsListChanged": True}, "two")
    listen(session, {"resourceSubscriptions": ["file:///b"]}, 3)
    assert subscribers(told(session, TOOLS)) == [1, "two"]
    assert subscribers(told(session, PROMPTS)) == [1]
    assert subscribers(told(session, RESOURCES)) == [1]
    assert subscribers(told(session, UPDATED, uri="file:///a")) == [1]
    assert subscribers(told(session, UPDATED, uri="file:///b")) == [1, 3]
    assert subscribers(told(session, UPDATED, uri="file:///c")) == []


def test_what_is_told_names_the_subscription_and_keeps_what_else_it_carries() -> None:
    session = opened(NEWEST, "server")
    listen(session, ALL)
    assert told(session, TOOLS) == [tell(TOOLS.name, {"_meta": {ID: 7}})]
    given = {"uri": "file:///a", "_meta": {"example.com/trace": "abc"}}
    expected = {"uri": "file:///a", "_meta": {"example.com/trace": "abc", ID: 7}}
    assert told(session, UPDATED, **given) == [tell(UPDATED.name, expected)]


def test_a_change_reaches_the_listener_of_the_client() -> None:
    left, right = pair(NEWEST)
    key = BINDING.requests["subscriptions/listen"]
    wanted = BINDING.types.SubscriptionFilter(tools_list_changed=True)
    request_id, sent = left.request(key, key.params(notifications=wanted, meta=left.meta()))
    acknowledged = only(left.receive(only(right.receive(sent)).line), Published)
    assert (acknowledged.id, acknowledged.notified.params.notifications) == (request_id, wanted)
    published = only(left.receive(right.publish(TOOLS)[0]), Published)
    event = published.notified
    assert (published.id, event.key, event.params.meta.subscription_id) == (request_id, TOOLS, request_id)
    result, cancelled = right.end_subscriptions()
    outcome = only(left.receive(result), Outcome)
    assert (outcome.id, outcome.error, outcome.result.meta.subscription_id) == (request_id, None, request_id)
    only(left.receive(cancelled), Dropped)


def test_a_client_that_is_told_of_the_end_alone_waits_no_longer() -> None:
    left, _ = pair(NEWEST)
    key = BINDING.requests["subscriptions/listen"]
    params = key.params(notifications=BINDING.types.SubscriptionFilter(), meta=left.meta())
    request_id, _ = left.request(key, params)
    other, _ = left.request(BINDING.requests["tools/list"], None)
    only(left.receive(line(tell("notifications/cancelled", {"requestId": other}))), Dropped)
    outcome = only(left.receive(line(tell("notifications/cancelled", {"requestId": request_id}))), Outcome)
    assert (outcome.id, outcome.error, outcome.result.meta.subscription_id) == (request_id, None, request_id)
    only(left.receive(line(tell("notifications/cancelled", {"requestId": request_id}))), Dropped)
    assert left.forget(other) is not None


def test_a_client_ends_its_subscription() -> None:
    session = opened(NEWEST, "server")
    listen(session, ALL, 1)
    listen(session, ALL, 2)
    event = only(session.receive(line(tell("notifications/cancelled", {"requestId": 1}))), RequestCancelled)
    assert (event.incoming.id, event.line) == (1, None)
    assert subscribers(told(session, TOOLS)) == [2]
    assert {json.loads(each).get("id") for each in session.end_subscriptions()} == {2, None}
    # The id is free again.
    assert listen(session, ALL, 1)["method"] == "notifications/subscriptions/acknowledged"


def test_a_server_ends_subscriptions_in_good_order() -> None:
    session = opened(NEWEST, "server")
    listen(session, ALL, "one")
    result, cancelled = (json.loads(each) for each in session.end_subscriptions())
    assert result == {
        "jsonrpc": "2.0",
        "id": "one",
        "result": {
            "resultType": "complete",
            "_meta": {ID: "one", "io.modelcontextprotocol/serverInfo": INFO["server"]},
        },
    }
    assert cancelled == tell("notifications/cancelled", {"requestId": "one"})
    assert told(session, TOOLS) == []
    assert session.end_subscriptions() == []


def test_one_id_opens_one_subscription() -> None:
    session = opened(NEWEST, "server")
    listen(session, {"toolsListChanged": True})
    refused = listen(session, {"promptsListChanged": True})
    assert (refused["id"], refused["error"]["code"]) == (7, -32600)
    assert told(session, PROMPTS) == []
    assert subscribers(told(session, TOOLS)) == [7]


@pytest.mark.parametrize("name", ["notifications/message", "notifications/progress", "notifications/cancelled"])
def test_what_is_not_subscribed_to_is_not_published(name: str) -> None:
    session = opened(NEWEST, "server")
    listen(session, ALL)
    with pytest.raises(
        UsageError, match=f"clients cannot subscribe to {name}, but only to notifications/tools/list_changed, "
    ):
        session.publish(BINDING.notifications[name])


@pytest.mark.parametrize(
    ("params", "message"),
    [(None, r"\$\.params\.uri: found nothing, expected a string"), ({}, r"\$\.params: found a dict, expected a ")],
)
def test_a_change_without_what_it_has_to_carry_is_refused_also_without_subscribers(params: Any, message: str) -> None:
    session = opened(NEWEST, "server")
    with pytest.raises(EncodeError, match=message):
        session.publish(BINDING.notifications["notifications/resources/updated"], params)


def test_what_is_not_declared_is_not_published() -> None:
    _, right = pair(NEWEST, None, {"tools": {}})
    with pytest.raises(UsageError, match=r"'tools\.listChanged', which this server has not declared"):
        right.publish(TOOLS)


def test_a_closed_session_has_no_subscribers() -> None:
    session = opened(NEWEST, "server")
    listen(session, ALL)
    session.close()
    assert session.end_subscriptions() == []
    with pytest.raises(ConnectionClosed):
        session.publish(TOOLS)
