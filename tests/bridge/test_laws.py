"""Laws of the conversion between revisions, for every form of every message and for random ones, of every two revisions."""

from __future__ import annotations

import copy
import itertools
import json
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import pytest
from checkout import REVISIONS
from hypothesis import given
from hypothesis import strategies as st
from mcp_bindgen import catalog
from mcp_bindgen.ir.protocol import ObjectOf
from mcp_bindgen.validate import validate_messages
from mcp_bindings import bridge
from strategies.messages import Message, Messages, messages
from strategies.values import Json, Path, Values, values
from support.packages import package

PAIRS = list(itertools.permutations(REVISIONS, 2))
HANDSHAKE = [revision for revision in REVISIONS if "initialize" in catalog.load(revision).methods]
each_pair = pytest.mark.parametrize(("source", "target"), PAIRS, ids=[f"{one} to {other}" for one, other in PAIRS])

# --- Helpers of the laws -----------------------------------------------------------------------------------------


@cache
def cases(revision: str) -> list[Message]:
    return list(Messages(catalog.load(revision)).cases())


def are_neighbours(source: str, target: str) -> bool:
    return abs(REVISIONS.index(source) - REVISIONS.index(target)) == 1


def sample(source: str, target: str, step: int = 1) -> list[Message]:
    """Return every ``step``th form for neighbours, and far fewer for others, whose steps are the same."""
    step = step if are_neighbours(source, target) else 19 * step
    return cases(source)[PAIRS.index((source, target)) % step :: step]


def converted(message: Message, source: str, target: str, *, strict: bool = False) -> bridge.Converted:
    before = copy.deepcopy(message.value)
    found = bridge.convert(
        message.value, to=target, from_=source, answers=message.results, sender=message.sender, strict=strict
    )
    assert message.value == before
    return found


def differing(one: Json, other: Json, path: Path = ()) -> Iterator[Path]:
    """Yield the paths at which two values differ; the order of members is nothing."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in {**one, **other}:
            if key in one and key in other:
                yield from differing(one[key], other[key], (*path, key))
            else:
                yield (*path, key)
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for place, (mine, theirs) in enumerate(zip(one, other, strict=True)):
            yield from differing(mine, theirs, (*path, place))
    elif json.dumps(one) != json.dumps(other):
        yield path


def place_of(pointer: str) -> tuple[str, ...]:
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:])


def are_related(one: Sequence[object], other: Sequence[object]) -> bool:
    return all(str(mine) == str(theirs) for mine, theirs in zip(one, other, strict=False))


def check_named(original: Json, result: Json, ledger: Sequence[bridge.LedgerEntry]) -> None:
    """Every difference is in the ledger."""
    places = [place_of(entry.pointer) for entry in ledger if entry.action != "kept"]
    unnamed = [path for path in differing(original, result) if not any(are_related(path, place) for place in places)]
    assert unnamed == [], f"{original!r} became {result!r}: {ledger}"


def check_true(original: Json, result: Json, ledger: Sequence[bridge.LedgerEntry]) -> None:
    """What the ledger of one step names is so."""
    differences = list(differing(original, result))
    for entry in ledger:
        place = place_of(entry.pointer)
        is_different = any(are_related(path, place) for path in differences)
        assert is_different == (entry.action != "kept"), f"{entry}: {original!r} became {result!r}"


def check_valid(found: bridge.Converted, message: Message, target: str) -> None:
    """The revision decodes what it gets."""
    mcp = package(target)
    known = {id_: name for id_, name in message.results.items() if name in mcp.protocol.methods}
    for each in found.messages:
        mcp.module.decode(json.dumps(each), sender=message.sender, results=mcp.results(known))


def check(message: Message, source: str, target: str) -> bridge.Converted:
    found = converted(message, source, target)
    check_valid(found, message, target)
    if not isinstance(message.value, list):
        if found.messages:
            check_named(message.value, found.message, found.ledger)
        else:
            (entry,) = found.ledger
            assert entry.is_loss
    return found


# --- The laws ----------------------------------------------------------------------------------------------------


@each_pair
def test_every_form_of_every_message_is_valid_and_its_differences_are_named(source: str, target: str) -> None:
    for message in sample(source, target):
        found = check(message, source, target)
        if found.messages and are_neighbours(source, target) and not isinstance(message.value, list):
            check_true(message.value, found.message, found.ledger)


@given(pair=st.sampled_from(PAIRS), data=st.data())
def test_random_messages_are_valid_and_their_differences_are_named(pair: tuple[str, str], data: st.DataObject) -> None:
    source, target = pair
    check(data.draw(messages(catalog.load(source))), source, target)


@each_pair
def test_validate_accepts_what_is_converted(source: str, target: str) -> None:
    protocol = catalog.load(target)
    made = Values(protocol)
    lines: list[dict[str, Any]] = []
    ours: set[int] = set()
    for message in sample(source, target, 7):
        answers = protocol.methods.get(next(iter(message.results.values()), ""))
        for each in converted(message, source, target).messages:
            if isinstance(each, list):
                continue
            # Their ids repeat.
            one = {**each, "id": f"number {len(lines)}"} if "id" in each else each
            sender = message.sender
            if answers is not None:
                request = made.least(ObjectOf(answers.interface))
                lines.append({"from": answers.sent_by[0], "message": {**request, "id": one["id"]}})
                sender = "server" if answers.sent_by[0] == "client" else "client"
            lines.append({"message": one, **({"from": sender} if sender else {})})
            ours.add(len(lines))
    wrong = [each for each in validate_messages(lines, version=target) if each.level == "error"]
    assert [each for each in wrong if each.place.line in ours] == []


@pytest.mark.parametrize(("older", "newer"), list(itertools.combinations(REVISIONS, 2)))
def test_newer_to_older_and_back_keeps_all_that_the_ledger_does_not_name(older: str, newer: str) -> None:
    for message in sample(newer, older, 3):
        there = converted(message, newer, older)
        if isinstance(message.value, list) or not there.messages:
            continue
        back = bridge.convert(there.message, to=newer, from_=older, answers=message.results, sender=message.sender)
        if back.messages:
            check_named(message.value, back.message, [*there.ledger, *back.ledger])


@pytest.mark.parametrize(("older", "newer"), list(itertools.combinations(HANDSHAKE, 2)))
def test_older_to_newer_loses_nothing_between_handshake_revisions(older: str, newer: str) -> None:
    for message in sample(older, newer, 3):
        found = converted(message, older, newer)
        assert [entry for entry in found.ledger if entry.is_loss] == []
        if not isinstance(message.value, list):
            assert [entry for entry in found.ledger if not entry.pointer.endswith("protocolVersion")] == []


@each_pair
def test_strict_conversions_keep_no_undeclared_members_of_the_source(source: str, target: str) -> None:
    for message in sample(source, target, 11):
        found = converted(message, source, target, strict=True)
        check_valid(found, message, target)
        assert [entry for entry in found.ledger if entry.action == "kept"] == []


@given(pair=st.sampled_from(PAIRS), data=st.data())
def test_unknown_members_survive(pair: tuple[str, str], data: st.DataObject) -> None:
    source, target = pair
    message = data.draw(messages(catalog.load(source)))
    if isinstance(message.value, dict):
        marked = Message({**message.value, "x-mark": [None, {"a": 1.0}]}, message.sender, message.results)
        found = converted(marked, source, target)
        if found.messages:
            assert found.message["x-mark"] == [None, {"a": 1.0}]


@pytest.mark.parametrize("side", ["client", "server"])
@given(pair=st.sampled_from(PAIRS), data=st.data())
def test_capabilities_are_valid_and_their_differences_are_named(
    side: bridge.Side, pair: tuple[str, str], data: st.DataObject
) -> None:
    source, target = pair
    name = "ClientCapabilities" if side == "client" else "ServerCapabilities"
    value = data.draw(values(catalog.load(source), name))
    found = bridge.convert_capabilities(value, of=side, to=target, from_=source)
    package(target).structure(found.value, name)
    check_named(value, found.value, found.ledger)


def test_a_member_of_capabilities_that_the_target_does_not_declare_is_named() -> None:
    roots = {"roots": {"listChanged": True}}
    found = bridge.convert_capabilities(roots, of="client", to="2026-07-28", from_="2025-11-25")
    assert found.value == roots
    assert [(entry.pointer, entry.action) for entry in found.ledger] == [("/roots/listChanged", "kept")]


@pytest.mark.parametrize("revision", REVISIONS)
def test_nothing_changes_within_a_revision(revision: str) -> None:
    for message in cases(revision)[::29]:
        assert converted(message, revision, revision) == bridge.Converted((message.value,), ())
