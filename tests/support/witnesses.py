"""Messages that show a difference: the example of a table entry, adapted to another difference of that entry."""

from __future__ import annotations

import functools
from operator import getitem

from mcp_bindgen.ir.protocol import ObjectOf, Protocol
from strategies.values import Values
from support import error_texts
from support.differences import Difference
from support.official_schemas import ours
from support.oracle import Json, Oracle
from support.oracle import Path as Keys
from support.revision_changes import Entry, keys_of
from support.verdicts import Sent, subject


def protocol_with(entry: Entry, difference: Difference) -> Protocol:
    """Return the revision that has the subject; the newer one if both have it."""
    return ours(entry.step[0 if difference.sign == "-" else 1])


def is_shown(entry: Entry, difference: Difference) -> bool:
    """Return whether the message of an entry shows that difference itself."""
    protocol = protocol_with(entry, difference)
    for keys in entry.places:
        if subject(protocol, entry.sent, keys) == difference.subject:
            if not _is_alternative(difference) or difference.kind is None:
                return True
            return Oracle(protocol).accepts(difference.kind, _part(entry.sent.value, keys))
    return False


def _is_alternative(difference: Difference) -> bool:
    """Return whether the difference is about the alternatives of a place, and not about the place."""
    return difference.sign != "~" and difference.detail.startswith(": ")


def _part(value: Json, keys: Keys) -> Json:
    return functools.reduce(getitem, keys, value)


def witness(entry: Entry, difference: Difference) -> tuple[tuple[Sent, Sent], Keys]:
    """Return the smallest value that shows the difference, for the older and the newer revision, and its place."""
    old, new = map(ours, entry.step)
    what, _, name = difference.subject.partition(" ")
    if what == "method":
        # One that only travels inside another message now has an envelope in the older revision only.
        protocol = old if name in old.methods else new
        sent = Sent(Values(protocol).least(ObjectOf(protocol.methods[name].interface)))
        return (sent, sent), ("method",)
    made = Values(protocol_with(entry, difference))
    if what == "type":
        sent = Sent(made.least(ObjectOf(name)), name)
        return (sent, sent), ()
    assert difference.old is not None, f"{difference} needs an entry of its own"
    assert difference.new is not None, f"{difference} needs an entry of its own"
    # What either revision has to have, so that there is no other reason to refuse it.
    value = {**Values(old).least(ObjectOf(difference.old)), **Values(new).least(ObjectOf(difference.new))}
    value = _with_part(value, difference.way, _to_be_there(entry, difference, made))
    return (Sent(value, difference.old), Sent(value, difference.new)), difference.way


def _to_be_there(entry: Entry, difference: Difference, made: Values) -> list[Json]:
    """Return the value for the place, as a list: the entry's own value if it is valid; empty if the entry has none."""
    assert difference.kind is not None
    oracle = Oracle(protocol_with(entry, difference))
    of_that_name = [keys for keys in entry.places if keys[-1:] == difference.way[-1:]]
    for keys in of_that_name or entry.places:
        try:
            part = _part(entry.sent.value, keys)
        except LookupError:
            return []
        if not difference.detail.startswith(": ") or oracle.accepts(difference.kind, part):
            return [part]
    return [made.least(difference.kind)]


def _with_part(value: dict[str, Json], way: Keys, parts: list[Json]) -> dict[str, Json]:
    member, *inside = way
    assert inside in ([], [0])
    if not parts:
        return {key: item for key, item in value.items() if key != member}
    return {**value, str(member): [parts[0]] if inside else parts[0]}


def moved(verdict: str, entry: Entry, keys: Keys) -> str:
    """Return a verdict on an entry's place as a verdict on another place; a class becomes "known"."""
    if verdict.startswith("refused at "):
        told, place = keys_of(verdict.removeprefix("refused at ")), entry.places[0]
        assert told[: len(place)] == place
        return f"refused at {error_texts.path_text((*keys, *told[len(place) :]))}"
    return "known" if verdict[0].isupper() else verdict
