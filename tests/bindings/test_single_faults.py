"""One change of a valid value: refused with one error at the right place, or taken where the model says so.

The model is the judge. Of each kind of fault it is also known beforehand where it has to be reported: where it is.
"""

from __future__ import annotations

import functools
import itertools
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from operator import getitem
from random import Random
from typing import Any

import pytest
from checkout import REVISIONS
from mcp_bindgen.ir.protocol import ObjectOf, Type
from mcp_bindings_runtime.errors import DecodeError
from strategies.faults import Change, Faults
from strategies.messages import Message, Messages
from strategies.targeted_faults import AimedFaults, Fault
from strategies.values import Json, Path, Values
from support import error_texts
from support.json_equality import same_as, same_message
from support.message_oracle import MessageOracle
from support.oracle import Oracle, Violation, type_names
from support.packages import Package, attempt, package

FAULTS = {
    "a bool for a number",
    "a float for an integer",
    "a list for an object",
    "a required member is missing",
    "null where it is not legal",
    "the wrong kind of JSON",
    "there is no such literal",
}


@pytest.fixture(params=REVISIONS)
def mcp(request: pytest.FixtureRequest) -> Package:
    return package(request.param)


def some(changes: Iterable[Change], share: float, random: Random) -> Iterator[Change]:
    """Those of the whole, and some of those of its parts."""
    return (change for change in changes if not change.path or random.random() < share)


def check_refusal(refusal: DecodeError | None, wanted: Violation | None, value: Json, revision: str) -> None:
    """That what is wrong is refused, and nothing else; and all that an error says, each part of it in its own way."""
    assert (refusal is None) is (wanted is None), f"{value!r}: {refusal or wanted}"
    if refusal is None or wanted is None:
        return
    assert (refusal.keys, refusal.found, refusal.expected) == (wanted.path, wanted.found, wanted.expected)
    assert refusal.revision == revision
    assert refusal.path == error_texts.path_text(wanted.path)
    assert str(refusal) == f"{refusal.path}: found {wanted.found}, expected {wanted.expected} ({revision})"
    if wanted.found == "nothing":
        assert wanted.path[-1] not in error_texts.pointed_at(value, refusal.pointer.rpartition("/")[0])
    else:
        assert error_texts.pointed_at(value, refusal.pointer) is functools.reduce(getitem, wanted.path, value)


# --- Every change, judged by the model ---------------------------------------------------------------------------


def changed_values(mcp: Package) -> Iterator[tuple[str, Json]]:
    made, faults, random = Values(mcp.protocol), Faults(mcp.protocol), Random(mcp.revision)
    for name in type_names(mcp.protocol):
        for case in made.cases(name):
            changes = itertools.chain(faults.of(case, random), faults.marks(case, random))
            for change in some(changes, 1 / 20, random):
                yield name, change.applied(case.value)


def test_a_changed_value_is_refused_where_the_model_says_or_comes_back(mcp: Package) -> None:
    oracle, made = Oracle(mcp.protocol), Values(mcp.protocol)
    verdicts: Counter[bool] = Counter()
    for name, value in changed_values(mcp):
        kind = made.type(name)
        wanted = next(oracle.violations(kind, value), None)
        typed, refusal = attempt(mcp.structure, value, name)
        check_refusal(refusal, wanted, value, mcp.revision)
        if refusal is None:
            assert same_as(oracle, kind, value, mcp.unstructure(typed))
        verdicts[wanted is None] += 1
    assert min(verdicts.values()) > 1_000


def changed_messages(mcp: Package) -> Iterator[tuple[Message, Json]]:
    faults, random = Faults(mcp.protocol), Random(mcp.revision)
    for message in Messages(mcp.protocol).cases():
        for change in some(faults.of(message.case, random), 1 / 16, random):
            yield message, change.applied(message.value)


def test_a_changed_message_is_refused_where_the_model_says_or_is_another(mcp: Package) -> None:
    oracle = MessageOracle(mcp.protocol)
    verdicts: Counter[str] = Counter()
    for message, value in changed_messages(mcp):
        results, text = mcp.results(message.results), json.dumps(value)
        wanted = next(iter(oracle.violations(value, message.sender, message.results)), None)
        typed, refusal = attempt(mcp.module.decode, text, sender=message.sender, results=results)
        check_refusal(refusal, wanted, value, mcp.revision)
        if refusal is not None:
            verdicts["refused"] += 1
        else:
            readings = oracle.read(value, message.sender, message.results)
            each = typed if type(value) is list else [typed]
            assert [mcp.path_of(one) for one in each] == [reading.kind for reading in readings]
            written = json.loads(mcp.module.encode(typed))
            assert same_message(oracle, value, written, message.sender, message.results)
            before = oracle.read(message.value, message.sender, message.results)
            verdicts["same" if before[0].kind == readings[0].kind else "another"] += 1
    assert verdicts["refused"] > 800
    assert verdicts["same"] > 400
    assert verdicts["another"] > 3


# --- Faults of each kind, where they have to be reported --------------------------------------------------------


def aimed_at_types(mcp: Package) -> Iterator[tuple[str, Json, Fault]]:
    """Every fault of every member of every type, once at each place of each type."""
    made, aimed = Values(mcp.protocol), AimedFaults(mcp.protocol)
    seen: set[tuple[str, Path, str, str]] = set()
    inline = [
        path for path, declared in mcp.protocol.objects.items() if declared.kind == "inline" and not declared.is_map
    ]
    for name in (*type_names(mcp.protocol), *inline):
        for case in made.cases(name):
            for fault in aimed.of(made.type(name), case.value, (), name):
                key = (name, fault.change.path, fault.subject, fault.name)
                if key not in seen:
                    seen.add(key)
                    yield name, case.value, fault


def test_a_fault_of_every_kind_in_every_member_is_reported_at_its_own_place(mcp: Package) -> None:
    tried: set[tuple[str, str]] = set()
    for path, value, fault in aimed_at_types(mcp):
        wrong = fault.change.applied(value)
        with pytest.raises(DecodeError) as caught:
            mcp.structure(wrong, path)
        assert caught.value.keys == fault.change.path, f"{fault.name}: {fault.subject} in {wrong!r}"
        found = "nothing" if fault.change.drop else error_texts.found(fault.change.put)
        assert caught.value.found == found
        tried.add((fault.subject, fault.name))
    aimed = AimedFaults(mcp.protocol)
    wanted = {each for path in mcp.protocol.objects for each in aimed.names(path)}
    assert wanted - tried == set()
    assert {name for _, name in wanted} == FAULTS


def test_a_fault_of_every_kind_in_a_message_is_reported_at_its_own_place(mcp: Package) -> None:
    aimed, oracle = AimedFaults(mcp.protocol), MessageOracle(mcp.protocol)
    seen: set[tuple[str, Path, str, str]] = set()
    for message in Messages(mcp.protocol).cases():
        about = next(iter(message.results.values()), None) or oracle.read(message.value)[0].kind
        for fault in aimed.of_message(oracle, message):
            key = (str(about), fault.change.path, fault.subject, fault.name)
            if key in seen:
                continue
            seen.add(key)
            text = json.dumps(fault.change.applied(message.value))
            with pytest.raises(DecodeError) as caught:
                mcp.module.decode(text, sender=message.sender, results=mcp.results(message.results))
            assert caught.value.keys == fault.change.path, f"{fault.name}: {fault.subject} in {text}"
    assert {name for *_, name in seen} == FAULTS
    # Of every message, and of every result.
    generic = {"JSONRPCRequest", "JSONRPCNotification", oracle.response, oracle.error}
    methods = mcp.protocol.methods.values()
    results = {method.name for method in methods if method.result is not None}
    assert {about for about, *_ in seen} == results | generic | {
        each.interface for each in methods if not each.embedded
    }


# --- What decides between alternatives ----------------------------------------------------------------------------

WITHOUT: dict[str, set[str | int]] = {
    "BlobResourceContents.blob": {"text"},
    "CallToolResult.content": {"content"},
    "CreateMessageResult.content": {"content"},
    "CreateMessageResult.model": {"model"},
    "CreateTaskResult.task": {"action", "content"},
    "ElicitRequestURLParams.mode": {"requestedSchema"},
    "ElicitResult.action": {"action", "model"},
    "EnumSchema.enum": {"nothing"},
    "InputRequiredResult.resultType": {"content", "contents", "messages", "nothing"},
    "LegacyTitledEnumSchema.enum": {"enum", "nothing"},
    "ListRootsResult.roots": {"model"},
    "TextResourceContents.text": {"text"},
    "TitledMultiSelectEnumSchema.items.anyOf": {"enum"},
    "TitledSingleSelectEnumSchema.oneOf": {"enum", "nothing"},
    "UntitledMultiSelectEnumSchema.items.enum": {"enum"},
    "UntitledSingleSelectEnumSchema.enum": {"enum", "nothing"},
}
"""Required members by which a union is decided, and which member is missed where they are missing: the one that is asked
for first, or one of the alternative that it then is; nothing, where it is valid as that."""


def test_which_member_is_missed_where_one_that_decides_is_missing() -> None:
    missed: dict[str, set[str | int]] = {}
    for mcp, kind, value in unions():
        for fault in AimedFaults(mcp.protocol).of_what_decides(kind, value):
            wrong = fault.change.applied(value)
            violation = next(Oracle(mcp.protocol).violations(kind, wrong), None)
            missed.setdefault(fault.subject, set()).add("nothing" if violation is None else violation.path[-1])
    assert missed == WITHOUT


def unions() -> Iterator[tuple[Package, Type, Json]]:
    """Values of all types but whole messages, and of all results."""
    for mcp in map(package, REVISIONS):
        made = Values(mcp.protocol)
        for name in type_names(mcp.protocol):
            if not name.startswith("JSONRPC"):
                yield from ((mcp, made.type(name), case.value) for case in made.cases(name))
        for method in mcp.protocol.methods.values():
            if method.result is not None:
                yield from ((mcp, method.result, case.value) for case in made.results(method))


# --- Faults of whole messages ------------------------------------------------------------------------------------


def refusal(mcp: Package, value: Json, **options: Any) -> tuple[Path, str, str]:
    with pytest.raises(DecodeError) as caught:
        mcp.module.decode(json.dumps(value), **options)
    return caught.value.keys, caught.value.found, caught.value.expected


def test_a_request_of_every_method_needs_an_id(mcp: Package) -> None:
    made = Values(mcp.protocol)
    for name, method in mcp.protocol.methods.items():
        if method.kind == "request" and not method.embedded:
            value = made.least(ObjectOf(method.interface))
            del value["id"]
            assert refusal(mcp, value) == (("id",), "nothing", f"an id, as {name} is a request")
            other = {"client": "server", "server": "client"}[method.sent_by[0]]
            if other not in method.sent_by:
                taken = mcp.module.decode(json.dumps(value), sender=other)
                assert type(taken) is mcp.types.JSONRPCNotification


NO_ID: tuple[Json, ...] = (1, "1", None, [], 1.5)


def test_a_notification_of_every_method_has_no_id(mcp: Package) -> None:
    made = Values(mcp.protocol)
    for name, method in mcp.protocol.methods.items():
        if method.kind == "notification":
            for id_ in NO_ID:
                value = {**made.least(ObjectOf(method.interface)), "id": id_}
                assert refusal(mcp, value) == (("id",), error_texts.found(id_), f"no id, as {name} is a notification")


@pytest.mark.parametrize("result", [{}, None, 1, {"tools": []}])
@pytest.mark.parametrize("error", [{"code": 1, "message": "no"}, None, {}])
def test_both_or_neither_of_result_and_error_is_refused_as_a_whole(mcp: Package, result: Json, error: Json) -> None:
    key = mcp.module.methods.REQUESTS["tools/list"]
    both = {"jsonrpc": "2.0", "id": 1, "result": result, "error": error}
    neither = {"jsonrpc": "2.0", "id": 1, "results": result, "errors": error}
    for options in ({}, {"results": {1: key}}, {"sender": "server"}):
        assert refusal(mcp, both, **options) == ((), "both result and error", "one of them")
        assert refusal(mcp, neither, **options) == ((), "neither method nor result nor error", "one of them")


def test_a_method_makes_a_request_of_what_has_a_result_too(mcp: Package) -> None:
    value = {"jsonrpc": "2.0", "id": 1, "method": "acme/do", "result": 5, "error": 6}
    taken = mcp.module.decode(json.dumps(value))
    assert type(taken) is mcp.types.JSONRPCRequest
    assert taken.extra == {"result": 5, "error": 6}
    assert json.loads(mcp.module.encode(taken)) == value


ODD: tuple[Json, ...] = (
    None,
    True,
    False,
    0,
    1.5,
    "",
    "method",
    "result",
    "id",
    "[]",
    [],
    ["method"],
    ["result"],
    ["method", "id"],
    [{}],
)


@pytest.mark.parametrize("value", ODD, ids=repr)
def test_what_is_no_object_is_no_message(mcp: Package, value: Json) -> None:
    wanted, *_ = MessageOracle(mcp.protocol).violations(value)
    assert refusal(mcp, value) == (wanted.path, wanted.found, wanted.expected)


def test_in_a_batch_a_fault_is_reported_in_its_message() -> None:
    mcp = package("2025-03-26")
    good = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    for place, bad in itertools.product(
        range(3), ({}, 5, [], [good], {**good, "id": None}, {**good, "jsonrpc": "1.0"})
    ):
        batch: list[Json] = [good, good]
        batch.insert(place, bad)
        (wanted,) = MessageOracle(mcp.protocol).violations(batch)
        assert wanted.path[0] == place
        assert refusal(mcp, batch) == (wanted.path, wanted.found, wanted.expected)
    assert refusal(mcp, []) == ((), "an empty array", "at least one message")
