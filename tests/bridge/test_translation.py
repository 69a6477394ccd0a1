"""``Translator``: it agrees with ``convert``, names what it cannot express, and keeps a bounded ledger."""

from __future__ import annotations

import itertools
import json
import logging
from typing import Any

import pytest
from checkout import REVISIONS
from hypothesis import given
from hypothesis import strategies as st
from mcp_bindgen import catalog
from mcp_bindings import NotExpressible, bridge
from mcp_bindings_runtime.bridge.connection_ledger import MAX_ENTRIES, ConnectionLedger
from mcp_bindings_runtime.bridge.ledger import LedgerEntry
from mcp_bindings_runtime.bridge.translation import QUESTIONS, Translator
from mcp_bindings_runtime.jsonrpc import ErrorObject
from mcp_bindings_runtime.methods import Side
from strategies.messages import Message, Messages
from support.bindings import binding
from support.revisions import HANDSHAKE, STATELESS, WITH_FORMS, those_with_methods

PAIRS = list(itertools.permutations(REVISIONS, 2))
OTHER: dict[Side, Side] = {"client": "server", "server": "client"}
BOOKKEEPING = ("resultType", "protocolVersion", "clientInfo", "clientCapabilities", "logLevel", "ttlMs", "cacheScope")
"""Members that a connection of the other era keeps elsewhere, or whose absence says the same."""


def translator(source: str, target: str, sender: Side) -> Translator:
    ledger = ConnectionLedger(source, target)
    return Translator(binding(source), binding(target), sender, ledger)


def losses(ledger: tuple[LedgerEntry, ...]) -> list[tuple[str, str]]:
    found = [(each.action, each.pointer) for each in ledger if not each.pointer.endswith(BOOKKEEPING)]
    return [each for each in found if each != ("synthesised", "/params/_meta")]


def without_bookkeeping(message: dict[str, Any]) -> dict[str, Any]:
    """Return a stateless request without what a session knows already, which leaves no empty ``_meta``."""
    params = dict(message["params"])
    params["_meta"] = {name: value for name, value in params["_meta"].items() if not name.endswith(BOOKKEEPING)}
    if not params["_meta"]:
        del params["_meta"]
    return {**message, "params": params}


def check_request(message: Message, source: str, target: str) -> None:
    """The translated request or notification is the one that ``convert`` makes."""
    one, other = binding(source), binding(target)
    method = message.value["method"]
    is_request = "id" in message.value
    key: Any = (one.requests if is_request else one.notifications).get(method)
    if key is None:
        return
    sender = message.sender or key.sent_by[0]
    # A message that is decoded twice has no undeclared members beside its params.
    typed = one.codec.structure(message.value, key.message)
    typed.extra = None
    plain = one.codec.unstructure(typed)
    if is_request and source in STATELESS and target in HANDSHAKE:
        plain = without_bookkeeping(plain)
    expected = bridge.convert(plain, to=target, from_=source, sender=sender)
    made = translator(source, target, sender)
    try:
        found = (made.request if is_request else made.notification)(key, typed.params)
    except NotExpressible:
        assert not expected.messages
    else:
        if found is None:
            assert not is_request
            assert not expected.messages
        else:
            target_key, params = found
            envelope = {"id": plain["id"]} if is_request else {}
            assert other.codec.unstructure(target_key.message(params=params, **envelope)) == expected.message
    assert losses(made.ledger.entries) == losses(expected.ledger)[:MAX_ENTRIES]


def check_result(message: Message, source: str, target: str) -> None:
    (method,) = message.results.values()
    key = binding(source).requests.get(method)
    if key is None or "result" not in message.value or method in QUESTIONS:
        return
    result = binding(source).codec.decode_result(key, message.value["result"])
    plain = binding(source).codec.unstructure(result)
    expected = bridge.convert_result(plain, method=method, to=target, from_=source)
    made = translator(source, target, OTHER[key.sent_by[0]])
    try:
        found = made.result(key, result)
    except NotExpressible:
        assert expected.value is None
    else:
        assert binding(target).codec.unstructure(found) == expected.value
    assert losses(made.ledger.entries) == losses(expected.ledger)[:MAX_ENTRIES]


@pytest.mark.parametrize(("source", "target"), PAIRS, ids=[f"{one} to {other}" for one, other in PAIRS])
def test_typed_messages_become_what_convert_makes_of_their_json(source: str, target: str) -> None:
    checked = 0
    crosses = (source in HANDSHAKE) != (target in HANDSHAKE)
    for message in list(Messages(catalog.load(source)).cases())[::7]:
        if not isinstance(message.value, dict):
            continue
        if message.value.get("method") in QUESTIONS and crosses:
            continue
        if "method" in message.value:
            check_request(message, source, target)
        elif len(message.results) == 1:
            check_result(message, source, target)
        checked += 1
    assert checked > 10


FORM = {"message": "Which?", "requestedSchema": {"type": "object", "properties": {"a": {"type": "string"}}}}


@pytest.mark.parametrize(
    ("source", "target"), [(one, other) for one in WITH_FORMS for other in WITH_FORMS if one != other]
)
def test_forms_and_their_answers_cross_every_pair_of_revisions_that_have_forms(source: str, target: str) -> None:
    key = binding(source).requests["elicitation/create"]
    params = binding(source).codec.structure(FORM, key.params)
    there = translator(source, target, "server")
    target_key, made = there.request(key, params)
    assert binding(target).codec.unstructure(made) == FORM
    answer = binding(target).codec.structure({"action": "accept", "content": {"a": "b"}}, target_key.result)
    back = translator(target, source, "client")
    assert binding(source).codec.unstructure(back.result(key, answer)) == {"action": "accept", "content": {"a": "b"}}
    assert there.ledger.losses == back.ledger.losses == ()


def test_an_elicitation_by_url_gets_an_id_where_the_era_has_one() -> None:
    source, target = STATELESS[-1], HANDSHAKE[-1]
    key = binding(source).requests["elicitation/create"]
    params = binding(source).codec.structure({"mode": "url", "message": "Pay", "url": "https://a.example/"}, key.params)
    made = translator(source, target, "server")
    _, found = made.request(key, params)
    assert len(found.elicitation_id) >= 16
    (entry,) = made.ledger.entries
    assert (entry.action, entry.pointer) == ("synthesised", "/params/elicitationId")


def test_a_method_that_the_target_lacks_is_refused_with_the_revision_the_reason_and_the_section() -> None:
    source = WITH_FORMS[0]
    target = next(each for each in reversed(HANDSHAKE) if each not in WITH_FORMS)
    key = binding(source).requests["elicitation/create"]
    made = translator(source, target, "server")
    with pytest.raises(NotExpressible) as caught:
        made.request(key, binding(source).codec.structure(FORM, key.params), 7)
    assert str(caught.value) == (
        f"elicitation/create cannot be expressed in {target}: the target has no elicitation (client/elicitation)"
    )
    (entry,) = made.ledger.entries
    assert (entry.action, entry.direction, entry.method, entry.id) == ("refused", "server->client", key.name, 7)


@pytest.mark.parametrize("side", ["client", "server"])
@given(pair=st.sampled_from(PAIRS))
def test_a_side_introduces_itself_in_every_revision(side: Side, pair: tuple[str, str]) -> None:
    source, target = pair
    types = binding(source).types
    made = translator(source, target, side)
    declared = (types.ClientCapabilities if side == "client" else types.ServerCapabilities)(experimental={"a": {}})
    assert made.capabilities(side, declared).experimental == {"a": {}}
    assert made.implementation(types.Implementation(name="one", version="2")).name == "one"
    assert made.implementation(None) is None


def test_the_error_for_an_unknown_resource_has_the_code_of_the_target() -> None:
    stateless, older = STATELESS[-1], HANDSHAKE[0]
    error = ErrorObject(-32602, "Resource not found", {"uri": "file:///a"})
    there = translator(stateless, older, "server").error("resources/read", error)
    assert there == ErrorObject(-32002, "Resource not found", {"uri": "file:///a"})
    assert translator(older, stateless, "server").error("resources/read", there) == error
    other = ErrorObject(-5, "Other")
    assert translator(older, stateless, "server").error("tools/call", other) == other


def test_a_notification_that_the_target_does_without_is_none() -> None:
    target = STATELESS[-1]
    source = those_with_methods("notifications/roots/list_changed")[0]
    key = binding(source).notifications["notifications/roots/list_changed"]
    made = translator(source, target, "client")
    assert made.notification(key) is None
    assert [each.action for each in made.ledger.losses] == ["dropped"]


def test_the_ledger_is_bounded_and_counts_all(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    ledger = ConnectionLedger("2025-11-25", "2025-06-18", side="client")
    entries = [
        LedgerEntry("client->server", "tools/call", number, f"/params/{number}", action, "why", "section", "step")
        for number in range(MAX_ENTRIES)
        for action in ("dropped", "kept")
    ]
    for entry in entries:
        ledger.add([entry])
    assert len(ledger.entries) == MAX_ENTRIES
    assert list(ledger.counts.values()) == [MAX_ENTRIES, MAX_ENTRIES]
    assert [(each.method, each.action) for each in ledger.losses] == [("tools/call", "dropped")]
    assert [(each.levelname, each.message) for each in caplog.records] == [
        ("INFO", "the peer uses 2025-06-18, this program 2025-11-25; messages are converted"),
        (
            "WARNING",
            "tools/call to a peer of 2025-06-18: /params/0 was dropped: why (section)",
        ),
    ]
    json.dumps(ledger.entries)
    assert "1 of loss" in repr(ledger)


@pytest.mark.parametrize(
    ("side", "direction", "words"),
    [
        ("client", "client->server", "to a peer"),
        ("client", "server->client", "from a peer"),
        ("server", "server->client", "to a peer"),
        ("server", "client->server", "from a peer"),
        ("server", None, "with a peer"),
        (None, "client->server", "with a peer"),
    ],
)
def test_the_log_names_the_direction_in_which_content_was_lost(
    side: Any, direction: str | None, words: str, caplog: pytest.LogCaptureFixture
) -> None:
    ledger = ConnectionLedger("2025-11-25", "2025-06-18", side=side)
    ledger.add([LedgerEntry(direction, "tools/call", 1, "/params/a", "dropped", "why", "section", "step")])
    assert caplog.messages == [f"tools/call {words} of 2025-06-18: /params/a was dropped: why (section)"]


def test_the_original_stays_as_it_is() -> None:
    source, target = REVISIONS[-1], REVISIONS[0]
    types = binding(source).types
    params = types.CallToolRequestParams(
        name="add",
        arguments={"a": 1},
        meta=types.RequestMetaObject(protocol_version=source, client_capabilities=types.ClientCapabilities()),
    )
    before = binding(source).codec.unstructure(params)
    _, made = translator(source, target, "client").request(binding(source).requests["tools/call"], params)
    made.arguments["a"] = 2
    assert binding(source).codec.unstructure(params) == before
