"""Our converters against the model they were emitted from, and against independent judges made from ``schema.json``."""

from __future__ import annotations

import importlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from checkout import REVISIONS
from differential.judge_rules import RULES
from differential.judges import Explained, Models, Validator
from differential.specimens import (
    SCALE,
    Bindings,
    Specimen,
    as_values,
    bindings,
    first,
    message_specimens,
    specimens,
    tried,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp_bindgen import catalog
from mcp_bindings_runtime.codec.record import Record
from mcp_bindings_runtime.errors import DecodeError, EncodeError, Undecidable
from strategies.values import UNDECLARED, Values, values
from support.json_equality import same, same_as
from support.message_oracle import MessageOracle
from support.official_schemas import official_json, ours
from support.oracle import Oracle, type_names, undecidable

Json = Any

each_revision = pytest.mark.parametrize("revision", REVISIONS, scope="session")
"""Puts the tests of a revision after each other, so that most processes of a parallel run make the values of one or two."""

ENOUGH_VALUES = 20_000
"""How many values, valid and changed, are judged of each revision at least; of them whole messages:"""
ENOUGH_MESSAGES = 2_000

# --- The model as a judge ----------------------------------------------------------------------------------------


def disagreeing(revision: str, found: Iterable[Specimen]) -> Iterator[Specimen]:
    """Values of which the emitted code says something else than the model."""
    oracle, made = Oracle(ours(revision)), Values(ours(revision))
    return (each for each in found if oracle.accepts(made.type(each.type), each.value) is not each.accepted)


@each_revision
def test_valid_values_are_taken(revision: str) -> None:
    valid = [each for each in specimens(revision) if each.change is None]
    assert first(each for each in valid if not each.accepted) == []
    assert {each.type for each in valid} == set(type_names(ours(revision)))


@each_revision
def test_the_emitted_code_takes_what_the_model_takes(revision: str, record_property: pytest.RecordProperty) -> None:
    found = specimens(revision)
    assert first(disagreeing(revision, found)) == []
    counts = Counter(("valid" if each.change is None else "changed", each.accepted) for each in found)
    assert counts["changed", True] > len(found) / 20
    assert counts["changed", False] > len(found) / 20
    told = {
        "types": len(type_names(ours(revision))),
        "valid values": counts["valid", True],
        "changed values taken": counts["changed", True],
        "changed values refused": counts["changed", False],
    }
    print(f"{revision}: {', '.join(f'{count} {what}' for what, count in told.items())}")
    record_property("counts", told)


@each_revision
def test_whole_messages_are_taken_as_the_model_takes_them(
    revision: str, record_property: pytest.RecordProperty
) -> None:
    oracle, found = MessageOracle(ours(revision)), message_specimens(revision)
    wrong = [
        each
        for each in found
        if each.accepted is bool(oracle.violations(each.value, each.message.sender, each.message.results))
    ]
    assert first(wrong) == []
    counts = Counter((each.change is None, each.accepted) for each in found)
    assert counts[True, False] == 0
    assert min(counts[False, True], counts[False, False]) > len(found) / 20
    print(f"{revision}: {len(found)} messages, {counts[False, False]} of them refused")
    record_property("messages", len(found))


@each_revision
def test_enough_is_judged(revision: str) -> None:
    assert len(message_specimens(revision)) >= ENOUGH_MESSAGES
    assert len(specimens(revision)) + len(message_specimens(revision)) >= ENOUGH_VALUES


@each_revision
def test_unions_that_their_values_do_not_tell_apart_are_refused_as_such(revision: str) -> None:
    by = bindings(revision)
    expected = {"ClientResult", "ServerResult"} if revision != "2026-07-28" else {"ServerResult"}
    assert undecidable(ours(revision)) == expected
    for name in expected:
        with pytest.raises(Undecidable, match="request with the same id"):
            by.structure({"tools": []}, getattr(by.types, name))


@each_revision
def test_a_refusal_names_a_place_in_the_value(revision: str) -> None:
    def is_there(each: Specimen) -> bool:
        assert each.refusal is not None
        held = each.value
        for key in each.refusal.keys[:-1]:
            held = held[key]
        # The last key may be one that is missing.
        return not each.refusal.keys or type(held) is dict or each.refusal.keys[-1] in range(len(held))

    assert first(each for each in specimens(revision) if not each.accepted and not is_there(each)) == []


# --- Laws about what is taken ------------------------------------------------------------------------------------


def written(made: Any, by: Bindings) -> Json:
    """The JSON of whatever structuring made: an object of a class, or plain values with such objects in them."""
    if isinstance(made, Record):
        return by.unstructure(made)
    if type(made) is list:
        return [written(each, by) for each in made]
    if type(made) is dict:
        return {key: written(each, by) for key, each in made.items()}
    return made


def changed_on_the_way(revision: str, found: Iterable[Specimen], by: Bindings) -> Iterator[Specimen]:
    """Values that are not the same when they are written again, or not equal when they are read again."""
    oracle, made = Oracle(ours(revision)), Values(ours(revision))
    for each in found:
        if each.accepted:
            again = written(each.made, by)
            is_same = same_as(oracle, made.type(each.type), each.value, again)
            if not is_same or by.structure(again, getattr(by.types, each.type)) != each.made:
                yield each


@each_revision
def test_what_is_taken_comes_back_as_it_was(revision: str) -> None:
    assert first(changed_on_the_way(revision, specimens(revision), bindings(revision))) == []


def records(made: Any) -> Iterator[Record]:
    """The objects of classes in whatever structuring made."""
    if isinstance(made, Record):
        yield made
        made = [getattr(made, name) for name in made.__slots__]
    if type(made) is dict:
        made = list(made.values())
    if type(made) is list:
        for each in made:
            yield from records(each)


@each_revision
def test_extra_is_none_where_there_is_nothing_undeclared(revision: str) -> None:
    accepted = (each for each in specimens(revision) if each.accepted)
    extras = (getattr(made, "extra", None) for each in accepted for made in records(each.made))
    assert {extra is None or len(extra) > 0 for extra in extras} == {True}


def _as_far_as_it_goes(each: Specimen, by: Bindings) -> Any:
    """What lenient reading makes of a refused value: what is faulty stays as it is in the JSON."""
    codec = importlib.import_module(f"{by.types.__package__}.converter").CODEC
    return codec._error_locator().read(each.value, codec._shape_of(getattr(by.types, each.type)), (), [])


def wrongly_written(found: Iterable[Specimen], by: Bindings) -> Iterator[Specimen]:
    """Faulty objects of which something is written that would be refused; what they lack may be added."""
    for each in found:
        made = None if each.accepted else _as_far_as_it_goes(each, by)
        if isinstance(made, Record):
            try:
                by.structure(by.unstructure(made), getattr(by.types, each.type))
            except EncodeError:
                continue
            except DecodeError:
                yield each


@each_revision
def test_what_would_be_refused_is_not_written(revision: str) -> None:
    assert first(wrongly_written(specimens(revision), bindings(revision))) == []


@each_revision
def test_reading_changes_nothing_in_the_value(revision: str) -> None:
    names = type_names(ours(revision))[::10]
    again = tried(revision, names, bindings(revision))
    before = [each for each in specimens(revision) if each.type in names]
    assert all(same(one.value, other.value) for one, other in zip(before, again, strict=True))


@each_revision
@settings(derandomize=True, deadline=None, max_examples=round(100 * SCALE), database=None)
@given(data=st.data())
def test_random_values_are_taken_and_come_back(revision: str, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(type_names(ours(revision))))
    value = data.draw(values(ours(revision), name))
    by = bindings(revision)
    made = by.structure(value, getattr(by.types, name))
    assert same_as(Oracle(ours(revision)), Values(ours(revision)).type(name), value, written(made, by))


# --- Independent judges ------------------------------------------------------------------------------------------


@each_revision
def test_the_rules_of_jsonschema_say_what_its_own_validators_say(upstream: Path, revision: str) -> None:
    sample = specimens(revision)[::100]
    document = official_json(upstream, revision)
    for rules in ((), tuple(rule for rule in RULES if revision in rule.revisions)):
        ours, theirs = Validator(document, rules), Validator(document, rules, lambda kind, schema: kind(schema))
        verdicts = [theirs.accepts(each.type, each.value) for each in sample]
        assert [ours.accepts(each.type, each.value) for each in sample] == verdicts
        assert set(verdicts) == {True, False}


@cache
def _explained(document: Path, revision: str) -> Explained:
    rules = tuple(rule for rule in RULES if revision in rule.revisions)
    return Explained(official_json(document, revision), rules)


ENOUGH = 10
"""How often it is found out that a rule explains a difference: each time takes as many verdicts as there are rules."""
TOO_FAR = 4
"""Of so many values that need no rule, one is looked at to see that the rules leave it alone."""


def judged(found: Iterable[Specimen], judge: Explained) -> tuple[list[Specimen], Counter[str]]:
    """What a validator says otherwise with all rules applied, and how often each explains something, up to a limit."""
    used: Counter[str] = Counter({rule.name: 0 for rule in judge.rules})
    unexplained: list[Specimen] = []
    for place, each in enumerate(found):
        agreed = judge.official(each.type, each.value) is each.accepted
        if agreed and place % TOO_FAR:
            continue
        if judge.corrected(each.type, each.value) is not each.accepted:
            unexplained.append(each)
        elif not agreed:
            wanted = [rule for rule in judge.rules if used[rule.name] < ENOUGH]
            used.update(judge.needed(each.type, each.value, wanted))
    return unexplained, used


@each_revision
def test_a_validator_of_the_official_schema_agrees(
    upstream: Path, revision: str, record_property: pytest.RecordProperty
) -> None:
    unexplained, used = judged(specimens(revision), _explained(upstream, revision))
    told = ", ".join(f"{'at least ' if count == ENOUGH else ''}{count} by {name!r}" for name, count in used.items())
    print(f"{revision}: {len(specimens(revision))} values; differences explained: {told}")
    record_property("explained", dict(used))
    assert first(unexplained) == []
    assert [name for name, count in used.items() if not count] == [], "these rules explain nothing any more"


@each_revision
def test_a_validator_of_the_official_schema_agrees_about_messages(upstream: Path, revision: str) -> None:
    """Message by message as the type that it is, and result by result as that of its request."""
    found = list(as_values(revision))
    unexplained, _ = judged(found, _explained(upstream, revision))
    assert first(unexplained) == []
    print(f"{revision}: {len(found)} messages and results")
    assert len(found) > ENOUGH_MESSAGES / 2


@pytest.fixture(scope="session")
def models(upstream: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Models]:
    """The models of a revision, generated once."""
    pytest.importorskip("datamodel_code_generator", reason="it is installed by: nox -s differential")
    folder = tmp_path_factory.mktemp("models")

    @cache
    def of(revision: str) -> Models:
        return Models(official_json(upstream, revision), folder, f"models_{catalog.package_name(revision)}")

    return of


def refused_by_models(found: Iterable[Specimen], judge: Models, explained: Explained) -> Iterator[Specimen]:
    """What the models say otherwise, but for what the schema that they are made of says otherwise."""
    for each in found:
        verdict = judge.accepts(each.type, each.value)
        if verdict is each.accepted:
            continue
        # To a validator 1.0 may be an integer; to them it is none.
        schema = (explained.official(each.type, each.value), explained.with_strict_integers(each.type, each.value))
        if verdict not in schema or explained.corrected(each.type, each.value) is not each.accepted:
            yield each


@each_revision
def test_models_made_of_the_official_schema_agree(
    upstream: Path, models: Callable[[str], Models], revision: str
) -> None:
    found = refused_by_models(specimens(revision), models(revision), _explained(upstream, revision))
    assert first(found) == []


# --- Each of these can fail --------------------------------------------------------------------------------------

FEW = ("Tool", "Annotations", "JSONRPCError", "ContentBlock", "ElicitResult", "CompleteRequest", "RequestId")
"""Types of 2025-06-18 that show every kind of member."""


def _takes_anything(value: Json, kind: Any) -> Any:
    return value


def _takes_true_for_one(value: Json, kind: Any) -> Any:
    def as_number(each: Json) -> Json:
        if type(each) is dict:
            return {key: as_number(item) for key, item in each.items()}
        return 1 if each is True else each

    return bindings("2025-06-18").structure(as_number(value), kind)


def _takes_null_for_absent(value: Json, kind: Any) -> Any:
    present = {key: each for key, each in value.items() if each is not None} if type(value) is dict else value
    return bindings("2025-06-18").structure(present, kind)


def _refuses_unknown_keys(value: Json, kind: Any) -> Any:
    if type(value) is dict and "x-unknown" in value:
        raise DecodeError(("x-unknown",), "a key", "none", "2025-06-18")
    return bindings("2025-06-18").structure(value, kind)


BROKEN = (_takes_anything, _takes_true_for_one, _takes_null_for_absent, _refuses_unknown_keys)


@pytest.mark.parametrize("structure", BROKEN)
def test_every_judge_notices_a_broken_decoder(
    upstream: Path, models: Callable[[str], Models], structure: Callable[[Json, Any], Any]
) -> None:
    revision = "2025-06-18"
    broken = Bindings(structure, bindings(revision).unstructure, bindings(revision).types)
    found = list(tried(revision, FEW, broken))
    explained = _explained(upstream, revision)
    assert first(disagreeing(revision, found))
    assert judged(found, explained)[0]
    assert first(refused_by_models(found, models(revision), explained))


def _drops_unknown_keys(made: Any) -> Json:
    written = bindings("2025-06-18").unstructure(made)
    return {key: each for key, each in written.items() if key not in UNDECLARED}


def _writes_whole_numbers(made: Any) -> Json:
    return json.loads(json.dumps(bindings("2025-06-18").unstructure(made)), parse_float=lambda text: int(float(text)))


def _sorts_keys(made: Any) -> Json:
    return json.loads(json.dumps(bindings("2025-06-18").unstructure(made), sort_keys=True))


def _writes_null_for_absent(made: Any) -> Json:
    return bindings("2025-06-18").unstructure(made) | {"x-absent": None}


LOSSY = (_drops_unknown_keys, _writes_whole_numbers, _sorts_keys, _writes_null_for_absent)


@pytest.mark.parametrize("unstructure", LOSSY)
def test_the_laws_notice_a_lossy_encoder(unstructure: Callable[[Any], Json]) -> None:
    revision = "2025-06-18"
    broken = Bindings(bindings(revision).structure, unstructure, bindings(revision).types)
    found = tried(revision, ("Annotations", "Tool"), bindings(revision))
    assert first(changed_on_the_way(revision, found, broken))


def test_an_encoder_that_checks_nothing_is_noticed() -> None:
    def written_unchecked(made: Any) -> Json:
        try:
            return bindings("2025-06-18").unstructure(made)
        except EncodeError:
            return {}

    broken = Bindings(bindings("2025-06-18").structure, written_unchecked, bindings("2025-06-18").types)
    found = tried("2025-06-18", ("Annotations", "Tool"), bindings("2025-06-18"))
    assert first(wrongly_written(found, broken))


@each_revision
def test_rules_that_explain_nothing_are_told(upstream: Path, revision: str) -> None:
    agreed = [each for each in specimens(revision) if each.type == "Role"]
    unexplained, used = judged(agreed, _explained(upstream, revision))
    assert unexplained == []
    assert set(used.values()) == {0}
