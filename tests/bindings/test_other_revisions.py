"""What is valid in one revision, read as another one: the verdict is that of the other's schema, for every pair of them.

``test_between_revisions`` says in words what comes of each difference between two revisions that follow one another.
"""

from __future__ import annotations

import itertools
import json
from collections import Counter

import pytest
from checkout import REVISIONS
from mcp_bindings_runtime.errors import DecodeError
from strategies.messages import Message, Messages
from strategies.values import Json, Values
from support.json_equality import same_as, same_message
from support.message_oracle import MessageOracle
from support.oracle import Oracle, Violation, type_names
from support.oracle import Path as Keys
from support.packages import Package, attempt, package

PAIRS = list(itertools.permutations(REVISIONS, 2))

READ = set(REVISIONS[:5])
"""The revisions that somebody compared for the pairs below."""
ONLY_MORE = {("2024-11-05", "2025-03-26"), ("2024-11-05", "2025-06-18")}
"""Pairs of which the second takes every value that the first does, but for keys that mean something to it only."""
ONLY_MORE_MESSAGES = ONLY_MORE | {("2024-11-05", "2025-11-25"), ("2025-06-18", "2025-11-25")}
"""The same for whole messages. (2025-03-26 has batches, and a type changed its name from 2025-06-18 to 2025-11-25.)"""

two_revisions = pytest.mark.parametrize(("written", "read"), PAIRS, ids=[f"{one} as {other}" for one, other in PAIRS])


def shared_types(one: Package, other: Package) -> list[str]:
    """Names that both revisions declare, whatever they mean by them."""
    names = set(type_names(other.protocol))
    return [name for name in type_names(one.protocol) if name in names]


@two_revisions
def test_a_value_of_one_revision_gets_the_verdict_of_the_other(written: str, read: str) -> None:
    one, other = package(written), package(read)
    made, kinds, oracle = Values(one.protocol), Values(other.protocol), Oracle(other.protocol)
    verdicts: Counter[bool] = Counter()
    for name in shared_types(one, other):
        for case in made.cases(name):
            wanted = next(oracle.violations(kinds.type(name), case.value), None)
            typed, refusal = attempt(other.structure, case.value, name)
            assert said(refusal) == wanted_to_be_said(wanted), f"{case.value!r} as {name} of {read}"
            if refusal is None:
                assert same_as(oracle, kinds.type(name), case.value, other.unstructure(typed))
            else:
                assert refusal.revision == read
            verdicts[wanted is None] += 1
    assert verdicts[True] > 1_000
    if {written, read} <= READ:
        assert (verdicts[False] == 0) is ((written, read) in ONLY_MORE)


def said(refusal: DecodeError | None) -> tuple[Keys, str, str] | None:
    return None if refusal is None else (refusal.keys, refusal.found, refusal.expected)


def wanted_to_be_said(wanted: Violation | None) -> tuple[Keys, str, str] | None:
    return None if wanted is None else (wanted.path, wanted.found, wanted.expected)


def in_the_other(oracle: MessageOracle, message: Message) -> Message:
    """The same message, for a receiver that knows the methods of another revision."""
    results = {each: name for each, name in message.results.items() if oracle.method(name) is not None}
    return Message(message.value, message.sender, results)


def check_message(mcp: Package, oracle: MessageOracle, message: Message) -> str:
    """What becomes of it."""
    value: Json = message.value
    wanted = next(iter(oracle.violations(value, message.sender, message.results)), None)
    results = mcp.results(message.results)
    typed, refusal = attempt(mcp.module.decode, json.dumps(value), sender=message.sender, results=results)
    assert said(refusal) == wanted_to_be_said(wanted), f"{value!r} as a message of {mcp.revision}"
    if refusal is not None:
        return "refused"
    readings = oracle.read(value, message.sender, message.results)
    each = typed if type(value) is list else [typed]
    assert [mcp.path_of(one) for one in each] == [reading.kind for reading in readings]
    written = json.loads(mcp.module.encode(typed))
    assert same_message(oracle, value, written, message.sender, message.results)
    return "generic" if readings[0].kind in {"JSONRPCRequest", "JSONRPCNotification"} else "taken"


@two_revisions
def test_a_message_of_one_revision_gets_the_verdict_of_the_other(written: str, read: str) -> None:
    one, other = package(written), package(read)
    oracle = MessageOracle(other.protocol)
    verdicts: Counter[str] = Counter()
    generic: set[str] = set()
    for message in Messages(one.protocol).cases():
        verdict = check_message(other, oracle, in_the_other(oracle, message))
        verdicts[verdict] += 1
        if verdict == "generic" and type(message.value) is dict and message.sender is None:
            generic.add(message.value["method"])
    assert verdicts["taken"] > 300
    if {written, read} <= READ:
        assert (verdicts["refused"] == 0) is ((written, read) in ONLY_MORE_MESSAGES)
    methods = {name for name, method in one.protocol.methods.items() if not method.embedded}
    assert generic & methods == {name for name in methods if oracle.method(name) is None}
