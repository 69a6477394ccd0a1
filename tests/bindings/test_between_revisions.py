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
message itself does not show, are tried with the smallest values that do. ``differences`` at the top counts all.
"""

from __future__ import annotations

import itertools

import pytest
from checkout import ROOT
from support import error_texts
from support.packages import package
from support.revision_changes import FOLDER, STEPS, Entry, Step, counted, file_of, fits, found, table
from support.verdicts import verdict
from support.witnesses import is_shown, moved, witness

each_step = pytest.mark.parametrize("step", STEPS, ids=[f"{old} to {new}" for old, new in STEPS])
each_entry = pytest.mark.parametrize(
    "entry", [each for step in STEPS for each in table(step)], ids=lambda each: f"{each.step[1]}: {each.what}"
)


# --- The tables are complete -------------------------------------------------------------------------------------


def test_there_is_a_table_for_every_step() -> None:
    assert sorted(FOLDER.iterdir()) == list(map(file_of, STEPS))


@each_step
def test_a_table_counts_the_differences(step: Step) -> None:
    """A walk that overlooks some would pass for two revisions that are more alike."""
    assert len(found(step)) == counted(step)


@each_step
def test_every_difference_has_an_entry(step: Step) -> None:
    covered = {difference for entry in table(step) for difference in entry.differences}
    missing = [str(difference) for difference in found(step) if difference not in covered]
    listed = "".join(f"\n    {each}" for each in missing)
    assert not missing, f"add a [[change]] to {file_of(step).relative_to(ROOT)} for each of these:{listed}"


@each_entry
def test_every_entry_is_about_differences(entry: Entry) -> None:
    assert [pattern for pattern in entry.of if not any(fits(pattern, each) for each in found(entry.step))] == []
    assert any(is_shown(entry, difference) for difference in entry.differences)


# --- The verdicts ------------------------------------------------------------------------------------------------


def agrees(said: str, seen: str) -> bool:
    """Whether a verdict is what the table says; a class is known."""
    return seen == said or (said == "known" and seen[0].isupper())


@each_entry
def test_both_revisions_give_the_verdicts_of_the_table(entry: Entry) -> None:
    for keys, (revision, said) in itertools.product(entry.places, zip(entry.step, entry.verdicts, strict=True)):
        seen = verdict(package(revision), entry.sent, keys)
        assert agrees(said, seen), f"{revision}: {error_texts.path_text(keys)} is {seen}"


@each_entry
def test_other_differences_of_an_entry_get_the_same_verdicts(entry: Entry) -> None:
    for difference in entry.differences:
        if not is_shown(entry, difference):
            sent, keys = witness(entry, difference)
            for revision, each, said in zip(entry.step, sent, entry.verdicts, strict=True):
                seen = verdict(package(revision), each, keys)
                assert agrees(moved(said, entry, keys), seen), f"{difference}: {seen} in {revision}: {each.value}"
