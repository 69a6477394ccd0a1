"""The rules of the steps: each risky or breaking change has one, each change that one names exists, and faults are errors."""

from __future__ import annotations

import itertools
from fnmatch import fnmatchcase

import pytest
from checkout import REVISIONS
from mcp_bindgen import catalog, diff
from mcp_bindgen.bridge import RuleError, Rules, plan_step
from mcp_bindgen.diff import Change
from mcp_bindings import bridge
from support.message_oracle import MessageOracle

STEPS = list(itertools.pairwise(REVISIONS))
each_step = pytest.mark.parametrize(("older", "newer"), STEPS, ids=[f"{older} to {newer}" for older, newer in STEPS])


def changes(older: str, newer: str) -> tuple[Change, ...]:
    return diff.compare(catalog.load(older), catalog.load(newer)).changes


def patterns(older: str, newer: str) -> list[str]:
    steps = {f"{older} -> {newer}", f"{newer} -> {older}"}
    return [pattern for rule in Rules.bundled().rules if steps & {*rule.steps} for pattern in rule.changes]


@each_step
def test_each_risky_and_breaking_change_has_a_rule(older: str, newer: str) -> None:
    found = [change.id for change in changes(older, newer) if change.level != "compatible"]
    assert [id_ for id_ in found if not any(fnmatchcase(id_, pattern) for pattern in patterns(older, newer))] == []


@each_step
def test_each_change_that_a_rule_names_exists(older: str, newer: str) -> None:
    found = [change.id for change in changes(older, newer)]
    idle = [pattern for pattern in patterns(older, newer) if not any(fnmatchcase(id_, pattern) for id_ in found)]
    other = [step for step in STEPS if step != (older, newer)]
    # A rule of several steps names the changes of one of them.
    everywhere = [change.id for step in other for change in changes(*step)]
    assert [pattern for pattern in idle if not any(fnmatchcase(id_, pattern) for id_ in everywhere)] == []


@each_step
def test_the_witness_of_a_change_is_accepted_after_its_conversion(older: str, newer: str) -> None:
    old, new = catalog.load(older), catalog.load(newer)
    tried = 0
    for change in diff.with_witnesses(diff.compare(old, new), old, new).changes:
        witness = change.witness
        if witness is None:
            continue
        is_old_sender = (witness.pairing == "old_client_new_server") == (witness.sender == "client")
        source, target = (older, newer) if is_old_sender else (newer, older)
        found = bridge.convert(witness.message, to=target, from_=source, answers=witness.answers, sender=witness.sender)
        results = {} if witness.answers is None else {witness.message["id"]: witness.answers}
        for message in found.messages:
            known = {id_: name for id_, name in results.items() if name in catalog.load(target).methods}
            assert MessageOracle(catalog.load(target)).violations(message, witness.sender, known) == [], change.id
        assert found.ledger, change.id
        tried += 1
    assert tried


def rules(more: str = "") -> Rules:
    text = "".join(
        f'[[general]]\nsteps = ["*"]\nsubjects = ["{name}"]\ndo = "note"\nreason = "r"\nsection = "s"\n'
        for name in ("undeclared", "clash")
    )
    return Rules.parse(text + more)


def rule(kind: str, subject: str, do: str = "refuse", step: str = "2025-03-26 -> 2024-11-05") -> str:
    return f'[[{kind}]]\nsteps = ["{step}"]\nsubjects = ["{subject}"]\ndo = "{do}"\nreason = "r"\nsection = "s"\n'


def test_a_difference_without_a_rule_is_an_error() -> None:
    expected = "no rule for the alternative AudioContent at PromptMessage.content in the step 2025-03-26 -> 2024-11-05"
    with pytest.raises(RuleError, match=expected):
        plan_step(catalog.load("2025-03-26"), catalog.load("2024-11-05"), rules())


def test_a_rule_that_matches_nothing_is_an_error() -> None:
    more = rule("alternative", "AudioContent") + rule("batch", "*", "split") + rule("member", "Tool.colour", "drop")
    with pytest.raises(RuleError, match=r"match nothing in the step .*\n    \[\[member\]\] Tool\.colour"):
        plan_step(catalog.load("2025-03-26"), catalog.load("2024-11-05"), rules(more))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[[wish]]\n", r"\[\[wish\]\], rule 1: unknown kind"),
        (rule("method", "x", "sing"), "unknown action 'sing'"),
        (rule("method", "x", "apply"), "unknown function None"),
        ("[[method]]\nsubject = 1\n", "unknown key 'subject'"),
        (rule("method", "x").replace('reason = "r"', 'reason = ""'), "reason is missing"),
        ("[[", "rules.toml: "),
    ],
)
def test_a_faulty_rule_is_an_error(text: str, expected: str) -> None:
    with pytest.raises(RuleError, match=expected):
        Rules.parse(text)
