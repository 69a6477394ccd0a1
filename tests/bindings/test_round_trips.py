"""Nothing is lost: what was read is written as it was, for every type and every message of every revision.

The values are made from the resolved model. Undeclared members, text of all kinds, opaque JSON, integers of any size,
fractions that look whole, and nulls are among them.
"""

from __future__ import annotations

import copy
import json
import pickle
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from checkout import REVISIONS
from hypothesis import given
from hypothesis import strategies as st
from mcp_bindgen.ir.protocol import Protocol
from strategies.messages import Message, Messages, messages, text_of
from strategies.values import Case, Json, Values, drawn_json, values
from support.json_backends import NAMES, backend, using
from support.json_equality import same, same_as, same_message
from support.message_oracle import MessageOracle
from support.oracle import Oracle, type_names, undecidable
from support.packages import Package, package


@pytest.fixture(params=REVISIONS)
def mcp(request: pytest.FixtureRequest) -> Package:
    return package(request.param)


def all_types(protocol: Protocol) -> list[str]:
    """The types that have a name in Python and whose values can be told from others; those of inline objects too."""
    inline = [path for path, declared in protocol.objects.items() if declared.kind == "inline" and not declared.is_map]
    return [*type_names(protocol), *inline]


def cases(mcp: Package) -> Iterator[tuple[str, Case]]:
    made = Values(mcp.protocol)
    return ((name, case) for name in all_types(mcp.protocol) for case in made.cases(name))


# --- Types -------------------------------------------------------------------------------------------------------


def test_every_form_of_every_type_comes_back(mcp: Package) -> None:
    oracle, made = Oracle(mcp.protocol), Values(mcp.protocol)
    tried: Counter[str] = Counter()
    for name, case in cases(mcp):
        typed = mcp.structure(case.value, name)
        written = mcp.unstructure(typed)
        assert same_as(oracle, made.type(name), case.value, written), f"{name}: {case.value!r} became {written!r}"
        again = mcp.structure(written, name)
        assert again == typed
        assert repr(again) == repr(typed)
        tried[name] += 1
    declared = set(mcp.protocol.order) - set(mcp.protocol.constants)
    assert declared - set(tried) == undecidable(mcp.protocol)
    assert {path for path, each in mcp.protocol.objects.items() if not each.is_map} <= set(tried)
    assert tried.total() > 20 * len(tried)


@pytest.mark.parametrize("revision", REVISIONS)
@given(data=st.data())
def test_values_put_together_at_random_come_back(revision: str, data: st.DataObject) -> None:
    mcp = package(revision)
    name = data.draw(st.sampled_from(all_types(mcp.protocol)))
    value = data.draw(values(mcp.protocol, name))
    typed = mcp.structure(value, name)
    written = mcp.unstructure(typed)
    assert same_as(Oracle(mcp.protocol), Values(mcp.protocol).type(name), value, written)
    assert mcp.structure(written, name) == typed


def test_copies_and_pickles_are_equal_and_deep_ones_apart(mcp: Package) -> None:
    for name, case in cases(mcp):
        typed = mcp.structure(case.value, name)
        for again in (copy.copy(typed), copy.deepcopy(typed), pickle.loads(pickle.dumps(typed))):
            assert again == typed
            assert repr(again) == repr(typed)
            assert same(mcp.unstructure(again), mcp.unstructure(typed))
        deep = copy.deepcopy(typed)
        if getattr(deep, "extra", None):
            deep.extra.clear()
            assert deep != typed


def test_objects_are_equal_where_their_json_is(mcp: Package) -> None:
    """As Python compares JSON: ``1`` equals ``1.0`` and ``true``, and the order of members is nothing."""
    made, random = Values(mcp.protocol), Random(0)
    for path, declared in mcp.protocol.objects.items():
        if not declared.is_map:
            several = [case.value for case in made.cases(path)]
            typed = [mcp.structure(value, path) for value in several]
            for one, value in zip(typed, several, strict=True):
                other = random.randrange(len(several))
                assert (one == typed[other]) is (value == several[other])
                assert (one != typed[other]) is (value != several[other])
                shuffled = dict(random.sample(list(value.items()), len(value)))
                assert one == mcp.structure(shuffled, path)


def test_objects_show_all_that_they_are_made_of(mcp: Package) -> None:
    """So what ``repr`` gives is Python that makes the same again, and absent is never shown as null."""
    names = {**vars(mcp.types), "UNSET": mcp.module.UNSET}
    for name, case in list(cases(mcp))[::3]:
        typed = mcp.structure(case.value, name)
        assert eval(repr(typed), names) == typed, f"{case.value!r} as {name}"


# --- Messages ----------------------------------------------------------------------------------------------------


def decoded(mcp: Package, text: str | bytes, message: Message) -> Any:
    return mcp.module.decode(text, sender=message.sender, results=mcp.results(message.results))


def classes(mcp: Package, oracle: MessageOracle, message: Message) -> list[Any]:
    """The classes that the messages in a text have to become."""
    readings = oracle.read(message.value, message.sender, message.results)
    return [mcp.type(reading.kind) for reading in readings if reading.kind is not None]


def check_message(mcp: Package, oracle: MessageOracle, message: Message, text: str | bytes) -> Any:
    typed = decoded(mcp, text, message)
    each = typed if type(message.value) is list else [typed]
    assert [type(one) for one in each] == classes(mcp, oracle, message)
    line = mcp.module.encode(typed)
    assert b"\n" not in line
    written = json.loads(line)
    assert same_message(oracle, message.value, written, message.sender, message.results), f"{text!r} became {line!r}"
    again = decoded(mcp, line, message)
    assert again == typed
    assert mcp.module.encode(again) == line
    return typed


@pytest.mark.usefixtures("both_backends")
def test_every_form_of_every_message_comes_back(mcp: Package) -> None:
    oracle, random = MessageOracle(mcp.protocol), Random(0)
    kinds: set[type] = set()
    for message in Messages(mcp.protocol).cases():
        typed = check_message(mcp, oracle, message, text_of(message.value, random))
        kinds.update(map(type, typed if type(typed) is list else [typed]))
    methods = [method for method in mcp.protocol.methods.values() if not method.embedded]
    generic = {"JSONRPCRequest", "JSONRPCNotification", oracle.response, oracle.error}
    assert kinds == {mcp.type(path) for path in generic.union(method.interface for method in methods)}


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("by", NAMES)
@given(data=st.data())
def test_messages_put_together_at_random_come_back(by: str, revision: str, data: st.DataObject) -> None:
    mcp = package(revision)
    message = data.draw(messages(mcp.protocol))
    text = text_of(message.value, data.draw(st.builds(Random, st.integers(0, 2**32))))
    with using(backend(by)):
        check_message(mcp, MessageOracle(mcp.protocol), message, text)


def test_a_result_that_is_finished_later_is_the_same(mcp: Package) -> None:
    tried = set()
    for message in Messages(mcp.protocol).cases():
        for method in message.results.values() if type(message.value) is dict else ():
            text = json.dumps(message.value)
            later = mcp.module.decode(text)
            assert same(later.result, message.value["result"])
            key = mcp.module.methods.REQUESTS[method]
            assert mcp.module.decode_result(key, later.result) == decoded(mcp, text, message).result
            assert mcp.module.encode(later) == mcp.module.encode(mcp.module.decode(text))
            tried.add(method)
    assert tried == set(mcp.module.methods.REQUESTS)


def test_no_method_makes_a_result_of_a_response_to_another_id(mcp: Package) -> None:
    key = mcp.module.methods.REQUESTS["tools/list"]
    for id_, other in ((1, "1"), ("1", 1), (0, ""), (2**70, 2**70 + 1), ("é", "e\u0301")):
        text = json.dumps({"jsonrpc": "2.0", "id": id_, "result": {"tools": "none"}})
        assert mcp.module.decode(text, results={other: key}).result == {"tools": "none"}


# --- Members of the same name ------------------------------------------------------------------------------------


def repeating(value: Json, random: Random) -> str:
    """A JSON text of the value, in which some members come after others of the same name."""
    match value:
        case dict():
            members = []
            for key, item in value.items():
                if random.randint(0, 2) == 0:
                    members.append(f"{json.dumps(key)}: {json.dumps(drawn_json(random, 1))}")
                members.append(f"{json.dumps(key)}: {repeating(item, random)}")
            return f"{{{', '.join(members)}}}"
        case list():
            return f"[{', '.join(repeating(item, random) for item in value)}]"
        case _:
            return json.dumps(value)


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("by", NAMES)
@given(data=st.data())
def test_of_members_of_the_same_name_the_last_counts(by: str, revision: str, data: st.DataObject) -> None:
    mcp = package(revision)
    message = data.draw(messages(mcp.protocol))
    text = repeating(message.value, data.draw(st.builds(Random, st.integers(0, 2**32))))
    with using(backend(by)):
        typed, plain = decoded(mcp, text, message), decoded(mcp, json.dumps(message.value), message)
        assert typed == plain
        assert mcp.module.encode(typed) == mcp.module.encode(plain)
