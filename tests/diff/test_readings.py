"""A member that only one revision's union has may be read as another member by whoever does not know it."""

from __future__ import annotations

import pytest
from diff.comparing import compare, framed, resolve
from diff.test_methods import with_unions
from diff.test_witness_rules import behaves
from mcp_bindgen import diff
from mcp_bindgen.diff.changes import PAIRINGS
from mcp_bindgen.diff.witnesses import WitnessSearch

C, R, B = "compatible", "risky", "breaking"

OTHERS = "export interface Line { kind: 'text'; longest?: number }\nexport interface Flag { kind: 'flag' }\n"

UNKNOWN = f"{R}/{C}", f"{C}/{B}"
"""The verdicts of what the other revision does not know: of a server that sends it anew, and of one that still does."""

ROWS = {
    "it has nothing else": ("", "", "kind: 'text'; names: string[]", (f"{C}/{C}", f"{C}/{C}")),
    "it has something else, and may leave it out": (
        "",
        "; start?: string",
        "kind: 'text'; names: string[]; start?: string",
        (f"{C}/{C}", f"{C}/{R}"),
    ),
    "it has something else in any case": ("", "", "kind: 'text'; names: string[]; start: string", UNKNOWN),
    "it lacks something": ("; titles: string[]", "; titles: string[]", "kind: 'text'; names: string[]", UNKNOWN),
    "it says that it is something else": ("", "", "kind: 'other'; names: string[]", UNKNOWN),
    "it has something of another type": (
        "; size?: string",
        "; size?: number",
        "kind: 'text'; names: string[]; size?: number",
        UNKNOWN,
    ),
}


def schemas(of_old: str, of_new: str, more: str) -> tuple[str, str]:
    """A union without a member and with it. What is like it has other members in each of them, too."""
    names = "export interface Names {{ kind: 'text'; names: string[]; hint?: string{} }}\n"
    old = f"{names.format(of_old)}{OTHERS}export interface Out {{ o: Names | Line | Flag }}"
    new = f"{names.format(of_new)}{OTHERS}export interface Out {{ o: Names | More | Line | Flag }}"
    return old, f"{new}\nexport interface More {{ {more} }}"


def of_more(old: str, new: str) -> diff.Change:
    (change,) = (each for each in compare(old, new).changes if each.member == "More")
    return change


def verdicts(change: diff.Change) -> str:
    return f"{change.verdicts.old_client_new_server}/{change.verdicts.new_client_old_server}"


@pytest.mark.parametrize("case", ROWS)
def test_a_member_is_read_as_another(case: str):
    of_old, of_new, more, (added, removed) = ROWS[case]
    old, new = schemas(of_old, of_new, more)
    assert verdicts(of_more(old, new)) == added
    assert verdicts(of_more(new, old)) == removed
    for one, other in ((old, new), (new, old)):
        before, after = resolve(framed(one)), resolve(framed(other))
        change = of_more(one, other)
        shown = WitnessSearch(before, after).of(change)
        assert list(shown) == [each for each in PAIRINGS if getattr(change.verdicts, each) != C]
        for witness in shown.values():
            behaves(witness, before, after)


def test_the_reason_says_as_what():
    old, new = schemas("", "; start?: string", "kind: 'text'; names: string[]; start?: string")
    assert of_more(old, new).reason == "An old client reads it as `Names`, which has all its required members."
    assert of_more(new, old).reason == "A new client reads it as `Names`, and may ignore a part of it."
    # For code it is a new alternative all the same.
    assert (of_more(old, new).verdicts.api, of_more(new, old).verdicts.api) == (R, B)


def test_an_answer_is_read_as_another():
    text = (
        "export interface AskRequest extends JSONRPCRequest { method: 'ask' }\n"
        "export interface Known { kind: 'known'; known: string; hint?: string }\nexport interface Other { kind: 'other' }\n"
        "export interface More { kind: 'known'; known: string }\n"
        "export interface AskResultResponse { jsonrpc: '2.0'; id: string; result: Known | Other }\n"
    )
    old = with_unions(text, ClientRequest="AskRequest")
    new = old.replace("result: Known |", "result: Known | More |")
    (change,) = diff.compare(resolve(old), resolve(new)).changes
    assert (change.kind, change.member, verdicts(change)) == ("method_result_changed", "More", f"{C}/{C}")
    assert change.reason == "An old client reads it as `Known`, which has all its required members."
