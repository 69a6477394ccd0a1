"""What changed on the wire from each revision to the next, and what becomes of it in either of the two.

The folder ``between_revisions`` has a table for each two revisions that follow one another. An entry is a message, in
which ``place`` is what changed, and says what becomes of that in the older revision and in the newer one:

    refused             decoding refuses it; ``refused at $.x`` where that is told of another place
    absent              it is not there, and that is right
    known               it is a declared member; the name of a class says of which type it is
    unknown             it is an undeclared member, which is kept and written back
    opaque              it lies in a part that may be any JSON, and stays as it is
    generic             the whole message is one of a method that the revision does not have; nothing of it is lost
    a batch             the text is a list of messages
    no such type        the revision has no type of that name

``answers`` is the request that a response answers, ``sender`` who is known to have sent it; with ``type`` it is no
message but a value of that type. ``of`` names the differences between the two schemas that it is about, as
``support.differences`` words them; ``*`` stands for anything. All of them have to get the same verdicts: those that the
message itself does not show, are tried with the smallest values that do.
"""

from __future__ import annotations

import itertools
import json
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen
from strategies.values import Json, Values
from support import wording
from support.differences import Difference, differences
from support.official import REVISIONS, ours
from support.oracle import Oracle
from support.oracle import Path as Keys
from support.packages import package
from support.standing import Sent, subject, verdict

FOLDER = Path(__file__).parent / "between_revisions"
STEPS = list(itertools.pairwise(REVISIONS))


@frozen
class Entry:
    """An entry of a table."""

    step: tuple[str, str]
    what: str
    of: tuple[str, ...]
    sent: Sent
    places: tuple[Keys, ...]
    verdicts: tuple[str, str]
    """Of the older revision, and of the newer one."""

    def is_about(self, difference: Difference) -> bool:
        return any(fits(pattern, str(difference)) for pattern in self.of)


def fits(pattern: str, text: str) -> bool:
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), text) is not None


@cache
def table(step: tuple[str, str]) -> list[Entry]:
    text = tomllib.loads((FOLDER / f"{step[0]}_{step[1]}.toml").read_text(encoding="utf-8"))
    return [entry(step, each, text.get("short", {})) for each in text["change"]]


def entry(step: tuple[str, str], written: dict[str, Any], short: dict[str, str]) -> Entry:
    unknown = written.keys() - {"what", "of", "message", "type", "answers", "sender", "place", "before", "after"}
    assert not unknown, f"{written['what']}: {unknown}"
    message = written["message"]
    for name, meant in short.items():
        message = message.replace(f" {name}", f" {meant}")
    sent = Sent(json.loads(message), written.get("type"), written.get("answers"), written.get("sender"))
    places = [written["place"]] if isinstance(written["place"], str) else written["place"]
    verdicts = (written["before"], written["after"])
    return Entry(step, written["what"], tuple(written["of"]), sent, tuple(map(keys_of, places)), verdicts)


def keys_of(path: str) -> Keys:
    """The keys of ``$.params._meta["odd key"][0]``."""
    found = re.findall(r'\.([\w$]+)|\[(\d+)\]|\["([^"]*)"\]', path)
    keys = tuple(int(index) if index else name or odd for name, index, odd in found)
    assert wording.path_text(keys) == path
    return keys


@cache
def changes(step: tuple[str, str]) -> list[Difference]:
    return differences(ours(step[0]), ours(step[1]))


each_step = pytest.mark.parametrize("step", STEPS, ids=[f"{old} to {new}" for old, new in STEPS])
each_entry = pytest.mark.parametrize(
    "entry", [each for step in STEPS for each in table(step)], ids=lambda each: f"{each.step[1]}: {each.what}"
)


# --- The tables are complete -------------------------------------------------------------------------------------


@each_step
def test_every_difference_has_an_entry(step: tuple[str, str]) -> None:
    missing = [str(each) for each in changes(step) if not any(row.is_about(each) for row in table(step))]
    assert missing == []


@each_step
def test_every_entry_is_about_a_difference(step: tuple[str, str]) -> None:
    names = [str(each) for each in changes(step)]
    idle = [pattern for row in table(step) for pattern in row.of if not any(fits(pattern, name) for name in names)]
    assert idle == []


def test_there_is_a_table_for_every_step() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == [f"{old}_{new}.toml" for old, new in STEPS]
    assert [len(changes(step)) for step in STEPS] == [8, 27, 71, 112]


# --- The verdicts ------------------------------------------------------------------------------------------------


def agrees(said: str, found: str) -> bool:
    """Whether a verdict is what the table says; a class is known."""
    return found == said or (said == "known" and found[0].isupper())


@each_entry
def test_both_revisions_give_the_verdicts_of_the_table(entry: Entry) -> None:
    for keys, (revision, said) in itertools.product(entry.places, zip(entry.step, entry.verdicts, strict=True)):
        found = verdict(package(revision), entry.sent, keys)
        assert agrees(said, found), f"{revision}: {wording.path_text(keys)} is {found}"


def shown(entry: Entry, difference: Difference) -> bool:
    """Whether the message of an entry shows that difference itself."""
    protocol = ours(entry.step[0 if difference.sign == "-" else 1])
    for keys in entry.places:
        if subject(protocol, entry.sent, keys) == difference.subject:
            is_alternative = difference.sign != "~" and difference.detail.startswith(": ")
            if not is_alternative or difference.kind is None:
                return True
            return Oracle(protocol).accepts(difference.kind, part(entry.sent.value, keys))
    return False


def part(value: Json, keys: Keys) -> Json:
    for key in keys:
        value = value[key]
    return value


@each_entry
def test_the_place_is_one_of_the_differences(entry: Entry) -> None:
    assert any(entry.is_about(each) and shown(entry, each) for each in changes(entry.step))


def witness(entry: Entry, difference: Difference) -> tuple[tuple[Sent, Sent], Keys]:
    """The smallest value that shows a difference as the message of the entry would: for the older, and the newer."""
    old, new = (Values(ours(revision)) for revision in entry.step)
    what, _, name = difference.subject.partition(" ")
    if what == "method":
        methods = {**ours(entry.step[0]).methods, **ours(entry.step[1]).methods}
        made = old if name in ours(entry.step[0]).methods else new
        sent = Sent(made.least(made.type(methods[name].interface)))
        return (sent, sent), ("method",)
    if what == "type":
        made = old if difference.sign == "-" else new
        sent = Sent(made.least(made.type(name)), name)
        return (sent, sent), ()
    assert difference.old is not None, f"{difference} needs an entry of its own"
    assert difference.new is not None, f"{difference} needs an entry of its own"
    value = {**old.least(old.type(difference.old)), **new.least(new.type(difference.new))}
    value = with_part(value, difference.way, list(parts(entry, difference)))
    return (Sent(value, difference.old), Sent(value, difference.new)), difference.way


def parts(entry: Entry, difference: Difference) -> Iterator[Json]:
    """What is to stand in the place of a difference: what stands in that of the entry; nothing where nothing does."""
    protocol, kind = ours(entry.step[0 if difference.sign == "-" else 1]), difference.kind
    assert kind is not None
    named = [keys for keys in entry.places if keys[-1:] == difference.way[-1:]]
    for keys in named or entry.places:
        try:
            found = part(entry.sent.value, keys)
        except LookupError:
            return
        if not difference.detail.startswith(": ") or Oracle(protocol).accepts(kind, found):
            yield found
    yield Values(protocol).least(kind)


def with_part(value: dict[str, Json], way: Keys, found: list[Json]) -> dict[str, Json]:
    if not found:
        return {key: item for key, item in value.items() if key != way[0]}
    if way[1:] == (0,):
        return {**value, str(way[0]): [found[0]]}
    assert len(way) == 1
    return {**value, str(way[0]): found[0]}


def moved(said: str, entry: Entry, keys: Keys) -> str:
    """The verdict for another place: what it is told of moves along, and a class is just known."""
    if said.startswith("refused at "):
        told = keys_of(said.removeprefix("refused at "))
        first = entry.places[0]
        assert told[: len(first)] == first
        return f"refused at {wording.path_text((*keys, *told[len(first) :]))}"
    return "known" if said[0].isupper() else said


@each_entry
def test_other_differences_of_an_entry_get_the_same_verdicts(entry: Entry) -> None:
    others = [each for each in changes(entry.step) if entry.is_about(each) and not shown(entry, each)]
    for difference in others:
        sent, keys = witness(entry, difference)
        for revision, each, said in zip(entry.step, sent, entry.verdicts, strict=True):
            found = verdict(package(revision), each, keys)
            assert agrees(moved(said, entry, keys), found), f"{difference}: {found} in {revision}: {each.value}"
