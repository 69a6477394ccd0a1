"""Conversion without steps: it gives what the steps give, and leaves to them what the ledger lists."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from typing import Any

import pytest
from checkout import REVISIONS
from hypothesis import given
from hypothesis import strategies as st
from mcp_bindgen import catalog
from mcp_bindings import NotExpressible
from mcp_bindings_runtime.bridge.connection_ledger import ConnectionLedger
from mcp_bindings_runtime.bridge.translation import Translator
from mcp_bindings_runtime.errors import EncodeError
from mcp_bindings_runtime.methods import Side
from strategies.messages import Message, Messages, messages
from support.bindings import binding
from support.revisions import HANDSHAKE, STATELESS

PAIRS = list(itertools.permutations(REVISIONS, 2))
NEIGHBOURS = [*itertools.pairwise(REVISIONS), *itertools.pairwise(reversed(REVISIONS))]
OTHER: dict[Side, Side] = {"client": "server", "server": "client"}
CALL = "tools/call"
each_pair = pytest.mark.parametrize(("source", "target"), PAIRS, ids=[f"{one} to {other}" for one, other in PAIRS])


def translator(source: str, target: str, sender: Side) -> Translator:
    ledger = ConnectionLedger(source, target, quiet=True)
    made = Translator(binding(source), binding(target), sender, ledger)
    return made.for_client({"name": "c", "version": "1"}, {"roots": {}})


def outcome(translate: Callable[..., Any], *arguments: Any) -> Any:
    """Return what a translation gives, with its JSON; the text of the error if it raises one."""
    try:
        found = translate(*arguments)
    except (NotExpressible, EncodeError) as error:
        return str(error)
    if found.__class__ is tuple:
        key, params = found
        return key, params, None if params is None else json.dumps(as_json(params), sort_keys=True)
    return found, None if found is None else json.dumps(as_json(found), sort_keys=True)


def as_json(value: Any) -> Any:
    revision = next(each for each in REVISIONS if f"v{each.replace('-', '_')}" in type(value).__module__)
    return binding(revision).codec.unstructure(value)


def translations(message: Message, source: str, target: str) -> list[tuple[Any, str]]:
    """Return the outcomes of a message, and the ledgers, in both ways."""
    one = binding(source)
    value = message.value
    if "method" in value:
        is_request = "id" in value
        key: Any = (one.requests if is_request else one.notifications)[value["method"]]
        arguments: Any = (key, one.codec.structure(value, key.message).params)
        sender = message.sender or key.sent_by[0]
        name = "request" if is_request else "notification"
    else:
        (method,) = message.results.values()
        key = one.requests[method]
        arguments = (key, one.codec.decode_result(key, value["result"]))
        sender, name = OTHER[key.sent_by[0]], "result"
    both: list[tuple[Any, str]] = []
    for suffix in ("", "_by_steps"):
        made = translator(source, target, sender)
        both.append((outcome(getattr(made, name + suffix), *arguments), repr(made.ledger.entries)))
    return both


def is_typed(message: Message, source: str) -> bool:
    """Return whether a message has a key or a typed result in its revision."""
    value, known = message.value, binding(source)
    if not isinstance(value, dict):
        return False
    if "method" in value:
        return value["method"] in (known.requests if "id" in value else known.notifications)
    return (
        "result" in value and bool(message.results) and all(name in known.requests for name in message.results.values())
    )


def check(message: Message, source: str, target: str) -> None:
    if is_typed(message, source):
        without, by_steps = translations(message, source, target)
        assert without == by_steps, message.value


@pytest.mark.parametrize(("source", "target"), NEIGHBOURS)
def test_every_form_of_every_message_becomes_what_the_steps_make_of_it(source: str, target: str) -> None:
    for message in list(Messages(catalog.load(source)).cases())[::3]:
        check(message, source, target)


@given(pair=st.sampled_from(PAIRS), data=st.data())
def test_random_messages_become_what_the_steps_make_of_them(pair: tuple[str, str], data: st.DataObject) -> None:
    source, target = pair
    check(data.draw(messages(catalog.load(source))), source, target)


def forbid_steps(made: Translator) -> None:
    """Let a translator fail where it needs the steps."""

    def refuse(*_: Any) -> Any:
        message = "this needs no steps"
        raise AssertionError(message)

    for name in ("request", "result", "notification"):
        setattr(made, f"{name}_by_steps", refuse)


def call_of(source: str, **members: Any) -> tuple[Any, Any]:
    key = binding(source).requests[CALL]
    params: dict[str, Any] = {"name": "add", "arguments": {"a": [1]}, **members}
    if binding(source).era == "stateless":
        meta = {"protocolVersion": source, "clientCapabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
        params["_meta"] = {f"io.modelcontextprotocol/{name}": each for name, each in meta.items()}
    value = {"jsonrpc": "2.0", "id": 1, "method": CALL, "params": params}
    return key, binding(source).codec.structure(value, key.message).params


def result_of(source: str, **members: Any) -> tuple[Any, Any]:
    key = binding(source).requests[CALL]
    value = {"content": [{"type": "text", "text": "hi", "annotations": {"priority": 1}}], "isError": False, **members}
    if binding(source).era == "stateless":
        server = {"io.modelcontextprotocol/serverInfo": {"name": "s", "version": "1"}}
        value |= {"resultType": "complete", "_meta": server}
    return key, binding(source).codec.decode_result(key, value)


@each_pair
def test_an_ordinary_call_and_its_result_need_no_steps(source: str, target: str) -> None:
    key, params = call_of(source)
    made = translator(source, target, "client")
    # The steps make what stateless requests repeat, once.
    first = made.request(key, params)
    forbid_steps(made)
    assert made.request(key, params) == first
    assert type(first[1]) is binding(target).types.CallToolRequestParams
    key, result = result_of(source)
    back = translator(source, target, "server")
    forbid_steps(back)
    converted = back.result(key, result)
    assert type(converted) is binding(target).types.CallToolResult
    assert [type(each) for each in converted.content] == [binding(target).types.TextContent]


@pytest.mark.parametrize(("source", "target"), [(one, other) for one in STATELESS for other in HANDSHAKE])
def test_a_stateless_request_may_lack_what_the_session_of_the_target_knows(source: str, target: str) -> None:
    key, params = call_of(source)
    made = translator(source, target, "client")
    bare = params.__replace__(meta=None)
    assert made.request(key, bare) == made.request_by_steps(key, bare) == made.request(key, params)
    assert "_meta" not in as_json(made.request(key, bare)[1])
    marked = params.__replace__(meta=params.meta.__replace__(extra={"x": 1}))
    assert as_json(made.request(key, marked)[1])["_meta"] == {"x": 1}


@each_pair
def test_requests_share_nothing_that_a_handler_may_change(source: str, target: str) -> None:
    made = translator(source, target, "client")
    found = [made.request(*call_of(source, **{"x-new": {"a": 1}}))[1] for _ in range(3)]
    assert found[0] == found[1] == found[2]
    metas = [getattr(each, "meta", None) for each in found]
    assert metas[0] is None or len({id(each) for each in metas}) == len(metas)
    found[0].extra["x-other"] = 1
    assert "x-other" not in found[1].extra


WRONG: dict[str, Any] = {
    "a number for a text": {"name": 1},
    "an object without JSON form": {"arguments": {"a": object()}},
    "a key that is no text": {"arguments": {1: "a"}},
    "not a number": {"arguments": {"a": float("nan")}},
    "a declared member twice": {"extra": {"name": "again"}},
    "no dict": {"extra": 5},
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG.keys())
@each_pair
def test_wrong_values_are_refused_as_by_the_steps(source: str, target: str, wrong: dict[str, Any]) -> None:
    key, params = call_of(source)
    for name, value in wrong.items():
        setattr(params, name, value)
    found = [
        outcome(getattr(translator(source, target, "client"), name), key, params)
        for name in ("request", "request_by_steps")
    ]
    assert found[0] == found[1]
    assert isinstance(found[0], str)


@each_pair
def test_members_that_only_the_target_declares_are_left_to_the_steps(source: str, target: str) -> None:
    extra = {"task": {"ttl": 1}, "requestState": "x", "structuredContent": {"a": 1}, "resultType": "complete", "x": 1}
    cases: list[tuple[Any, str, Side]] = [(call_of, "request", "client"), (result_of, "result", "server")]
    for make, name, sender in cases:
        for member, value in extra.items():
            key, typed = make(source)
            typed.extra = {member: value}
            both = [
                outcome(getattr(translator(source, target, sender), f"{name}{suffix}"), key, typed)
                for suffix in ("", "_by_steps")
            ]
            assert both[0] == both[1]


@pytest.mark.parametrize(("source", "target"), [pair for pair in PAIRS if set(pair) <= set(HANDSHAKE)])
def test_a_word_that_is_none_of_the_literals_is_refused_as_by_the_steps(source: str, target: str) -> None:
    types = binding(source).types
    content = types.TextContent(text="a")
    result = types.GetPromptResult(messages=[types.PromptMessage(role="nobody", content=content)])
    level = binding(source).requests["logging/setLevel"]
    cases: list[tuple[str, Side, Any, Any]] = [
        ("result", "server", binding(source).requests["prompts/get"], result),
        ("request", "client", level, level.params(level="loud")),
    ]
    for name, sender, key, value in cases:
        both = [
            outcome(getattr(translator(source, target, sender), f"{name}{suffix}"), key, value)
            for suffix in ("", "_by_steps")
        ]
        assert both[0] == both[1]
        assert isinstance(both[0], str)
