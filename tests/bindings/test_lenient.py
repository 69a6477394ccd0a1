"""Lenient decoding: everything that is wrong, each with its place, and a value in which only those parts are still JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from checkout import REVISIONS
from hypothesis import given
from hypothesis import strategies as st
from mcp_bindings_runtime.codec.record import Record
from mcp_bindings_runtime.errors import DecodeError, EncodeError
from mcp_bindings_runtime.unset import UNSET
from strategies.faults import Faults
from strategies.messages import Message, Messages, messages
from strategies.targeted_faults import AimedFaults, Fault
from strategies.values import Json, Path
from support.message_oracle import MessageOracle
from support.oracle import Violation
from support.packages import Package, attempt, package


@pytest.fixture(params=REVISIONS)
def mcp(request: pytest.FixtureRequest) -> Package:
    return package(request.param)


def leniently(mcp: Package, value: Json, message: Message) -> tuple[Any, list[tuple[Path, str, str]]]:
    """The value, and what is wrong with it."""
    results = mcp.results(message.results)
    made, violations = mcp.module.decode(json.dumps(value), sender=message.sender, results=results, mode="lenient")
    assert all(type(each) is DecodeError and each.revision == mcp.revision for each in violations)
    return made, [(each.keys, each.found, each.expected) for each in violations]


def strictly(mcp: Package, value: Json, message: Message) -> Any:
    return mcp.module.decode(json.dumps(value), sender=message.sender, results=mcp.results(message.results))


def told(violations: list[Violation]) -> list[tuple[Path, str, str]]:
    return [(each.path, each.found, each.expected) for each in violations]


# --- What is right -----------------------------------------------------------------------------------------------


def test_of_what_is_right_it_makes_the_same_as_strict_decoding(mcp: Package) -> None:
    tried = 0
    for message in Messages(mcp.protocol).cases():
        made, violations = leniently(mcp, message.value, message)
        strict = strictly(mcp, message.value, message)
        assert (made, repr(made), violations) == (strict, repr(strict), [])
        tried += 1
    assert tried > 1_000


# --- What is wrong in several places -----------------------------------------------------------------------------


def apart(faults: list[tuple[Fault, Violation]]) -> list[tuple[Fault, Violation]]:
    """Those of which none lies in a part that another spoils."""
    chosen: list[tuple[Fault, Violation]] = []
    for fault, violation in faults:
        part = violation.path if violation.raw is None else violation.raw
        others = (each.path if each.raw is None else each.raw for _, each in chosen)
        if not any(part[: len(other)] == other or other[: len(part)] == part for other in others):
            chosen.append((fault, violation))
    return chosen


def single(oracle: MessageOracle, message: Message, fault: Fault) -> Violation:
    (violation,) = oracle.violations(fault.change.applied(message.value), message.sender, message.results)
    return violation


def is_of_an_answer(message: Message, fault: Fault) -> bool:
    """Whether the id of a response is spoiled, so that nobody can say any more what it answers."""
    return fault.change.path[-1:] == ("id",) and bool(message.results)


def spoiled(typed: Any, wrong: Json, faults: list[tuple[Fault, Violation]], mcp: Package) -> Any:
    """What strict decoding made of the value without faults, with the JSON of the faulty parts in their places."""
    for fault, violation in faults:
        if violation.raw is not None:
            part = holder = wrong
            for key in violation.raw:
                part, holder = part[key], part
            typed = mcp.put(typed, violation.raw, part)
            around: Any = mcp.part(typed, violation.raw[:-1])
            if isinstance(around, Record) and around.extra:
                around.extra = {key: around.extra[key] for key in holder if key in around.extra}
        elif fault.change.drop:
            typed = mcp.without(typed, violation.path)
    return typed


@pytest.mark.parametrize("revision", REVISIONS)
@given(data=st.data())
def test_each_of_several_faults_is_told_once_and_spoils_its_own_part_only(revision: str, data: st.DataObject) -> None:
    mcp = package(revision)
    oracle, aimed = MessageOracle(mcp.protocol), AimedFaults(mcp.protocol)
    message = data.draw(messages(mcp.protocol))
    possible = [each for each in aimed.of_message(oracle, message) if not is_of_an_answer(message, each)]
    random = data.draw(st.randoms(use_true_random=False))
    several = random.sample(possible, min(len(possible), random.randint(1, 6)))
    faults = apart([(fault, single(oracle, message, fault)) for fault in several])
    wrong = message.value
    for fault, _ in faults:
        wrong = fault.change.applied(wrong)

    made, violations = leniently(mcp, wrong, message)
    assert sorted(violations, key=repr) == sorted(told([violation for _, violation in faults]), key=repr)
    assert violations == told(oracle.violations(wrong, message.sender, message.results))
    expected = spoiled(strictly(mcp, message.value, message), wrong, faults, mcp)
    assert made == expected
    assert repr(made) == repr(expected)
    with pytest.raises(DecodeError) as caught:
        strictly(mcp, wrong, message)
    assert (caught.value.keys, caught.value.found, caught.value.expected) == violations[0]


def changed(mcp: Package) -> Iterator[tuple[Message, Json]]:
    """Messages of which two or three places were changed, whatever that makes of them."""
    faults, random = Faults(mcp.protocol), Random(mcp.revision)
    for message in Messages(mcp.protocol).cases():
        value = message.value
        for _ in range(random.randint(2, 3)):
            value = faults.one(value, random).applied(value)
        yield message, value


def test_whatever_is_changed_all_that_the_model_finds_wrong_is_told_in_order(mcp: Package) -> None:
    oracle = MessageOracle(mcp.protocol)
    most = 0
    for message, value in changed(mcp):
        wanted = told(oracle.violations(value, message.sender, message.results))
        _, violations = leniently(mcp, value, message)
        assert violations == wanted, value
        if wanted:
            with pytest.raises(DecodeError) as caught:
                strictly(mcp, value, message)
            assert (caught.value.keys, caught.value.found, caught.value.expected) == wanted[0]
        most = max(most, len(wanted))
    assert most > 2


# --- What stays JSON ---------------------------------------------------------------------------------------------


def test_an_object_with_an_unknown_tag_stays_json_and_its_neighbours_do_not(mcp: Package) -> None:
    text, strange = {"type": "text", "text": "a"}, {"type": "hologram", "text": 5, "x": [None]}
    value = {"jsonrpc": "2.0", "id": 1, "result": {"content": [text, strange, text]}}
    made, violations = leniently(mcp, value, Message(value, None, {1: "tools/call"}))
    assert [path for path, _, _ in violations] == [("result", "content", 1, "type")]
    block = mcp.types.TextContent(text="a")
    assert made.result.content == [block, strange, block]


def test_a_result_stays_json_where_the_id_of_its_response_is_wrong(mcp: Package) -> None:
    value = {"jsonrpc": "2.0", "id": True, "result": {"tools": []}}
    made, violations = leniently(mcp, value, Message(value, None, {1: "tools/list"}))
    assert [path for path, _, _ in violations] == [("id",)]
    assert (made.id, made.result) == (True, {"tools": []})


def test_a_wrong_message_of_a_batch_stays_json_and_the_others_do_not() -> None:
    mcp = package("2025-03-26")
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    made, violations = leniently(mcp, [ping, {"id": 1}, ping], Message(ping))
    assert [path for path, _, _ in violations] == [(1,)]
    assert made == [mcp.types.PingRequest(id=1), {"id": 1}, mcp.types.PingRequest(id=1)]


def test_what_no_attribute_can_hold_lies_in_extra_and_is_not_written(mcp: Package) -> None:
    block = {"type": "text", "text": "a", "annotations": None, "x": 1}
    value = {"jsonrpc": "1.0", "id": 1, "result": {"content": [block], "x": 2}}
    made, violations = leniently(mcp, value, Message(value, None, {1: "tools/call"}))
    assert [path for path, _, _ in violations] == [("jsonrpc",), ("result", "content", 0, "annotations")]
    assert made.extra == {"jsonrpc": "1.0"}
    assert list(made.result.content[0].extra.items()) == [("annotations", None), ("x", 1)]
    with pytest.raises(EncodeError) as caught:
        mcp.module.encode(made)
    assert caught.value.keys == ("result", "content", 0, "annotations")
    del made.result.content[0].extra["annotations"]
    with pytest.raises(EncodeError) as caught:
        mcp.module.encode(made)
    assert (caught.value.keys, caught.value.found) == (("jsonrpc",), '"1.0" in extra')
    assert caught.value.expected == 'nothing there, as "2.0" is always written'
    made.extra = None
    del block["annotations"]
    assert json.loads(mcp.module.encode(made)) == {**value, "jsonrpc": "2.0"}


def lost(mcp: Package, made: Any, value: Json, path: Path = ()) -> Iterator[Path]:
    """The parts of a JSON value that cannot be read off what was made of it."""
    if isinstance(made, Record):
        typed: Any = made
        for key, part in value.items():
            attribute = mcp.attribute(mcp.path_of(made), key)
            if typed.extra and key in typed.extra:
                yield from lost(mcp, typed.extra[key], part, (*path, key))
            else:
                yield from lost(mcp, getattr(made, attribute or "", UNSET), part, (*path, key))
    elif type(made) is not type(value) or (type(value) in {list, dict} and len(made) != len(value)):
        yield path
    elif type(value) is dict:
        for key, part in value.items():
            yield from lost(mcp, made[key], part, (*path, key))
    elif type(value) is list:
        for place, (one, other) in enumerate(zip(made, value, strict=True)):
            yield from lost(mcp, one, other, (*path, place))
    elif made != value:
        yield path


def additions(before: Json, after: Json, path: Path = ()) -> Iterator[Path]:
    """The places at which ``after`` has a member that ``before`` lacks, or another value."""
    if isinstance(before, dict) and isinstance(after, dict) and before.keys() <= after.keys():
        for name, value in after.items():
            yield from additions(before[name], value, (*path, name)) if name in before else [(*path, name)]
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from additions(one, other, (*path, index))
    elif before != after:
        yield path


def test_whatever_is_wrong_is_kept_and_is_written_as_it_was_or_not_at_all(mcp: Package) -> None:
    """Encoding adds the constants that are missing, and changes nothing else."""
    added = refused = 0
    for message, value in changed(mcp):
        made, violations = leniently(mcp, value, message)
        assert list(lost(mcp, made, value)) == []
        if not violations:
            continue
        try:
            text = mcp.module.encode(made)
        except EncodeError:
            refused += 1
        else:
            if json.loads(text) != value:
                missing = [keys for keys, found, _ in violations if found == "nothing"]
                assert [keys for keys in additions(value, json.loads(text)) if keys not in missing] == []
                assert list(lost(mcp, made, json.loads(text))) == []
                added += 1
    assert refused > 200
    assert added > 1


def test_what_is_no_message_at_all_stays_json(mcp: Package) -> None:
    values: list[Json] = [{}, 5, "method", {"method": 5}, {"result": {}, "error": {}}, {"id": 1, "method": []}]
    for value in values:
        made, violations = leniently(mcp, value, Message(value))
        assert made == value
        assert len(violations) == 1


# --- Whatever is given -------------------------------------------------------------------------------------------

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=8,
)


def envelopes(mcp: Package) -> st.SearchStrategy[Json]:
    """Objects that begin as messages do."""
    members = {
        "jsonrpc": st.just("2.0") | anything,
        "id": st.sampled_from([1, "1", None]) | anything,
        "method": st.sampled_from([*mcp.protocol.methods]) | anything,
        "params": anything,
        "result": anything,
        "error": anything,
    }
    return st.fixed_dictionaries({}, optional=members)


@pytest.mark.parametrize("revision", REVISIONS)
@given(data=st.data())
def test_it_raises_for_no_json_at_all(revision: str, data: st.DataObject) -> None:
    mcp = package(revision)
    value = data.draw(anything | envelopes(mcp) | st.lists(envelopes(mcp), max_size=3))
    name = data.draw(st.sampled_from([*mcp.module.methods.REQUESTS]))
    message = Message(value, data.draw(st.sampled_from([None, "client", "server"])), {1: name, "1": name})
    wanted = told(MessageOracle(mcp.protocol).violations(value, message.sender, message.results))
    made, violations = leniently(mcp, value, message)
    assert violations == wanted
    if not violations:
        assert made == strictly(mcp, value, message)


@pytest.mark.parametrize("revision", REVISIONS)
@given(data=st.binary(max_size=40) | st.text(max_size=40), place=st.integers(0, 200))
def test_it_raises_for_no_text_at_all(revision: str, data: bytes | str, place: int) -> None:
    mcp = package(revision)
    call = '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "add", "arguments": {"a": "é"}}}'
    text = call[:place] + data + call[place:] if isinstance(data, str) else call[:place].encode() + data
    made, violations = mcp.module.decode(text, mode="lenient")
    strict, refusal = attempt(mcp.module.decode, text)
    if refusal is None:
        assert (made, list(violations)) == (strict, [])
    else:
        assert str(refusal) == str(violations[0])


@pytest.mark.parametrize("depth", [10, 400, 800, 200_000])
def test_depth_is_one_violation_or_none(mcp: Package, depth: int) -> None:
    for opening, closing in (("[", "]"), ('{"a":', "}")):
        deep = opening * depth + "1" + closing * depth
        text = f'{{"jsonrpc":"2.0","id":1,"method":"acme/deep","params":{{"a":{deep}}}}}'
        _, violations = mcp.module.decode(text, mode="lenient")
        assert ["deep" in each.found for each in violations] == ([] if depth < 900 else [True])
