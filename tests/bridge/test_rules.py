"""The rules of the steps: each risky or breaking change has one, each change that one names exists, and faults are errors."""

from __future__ import annotations

import itertools
import re

import pytest
from attrs import evolve
from checkout import REVISIONS
from mcp_bindgen import catalog, diff
from mcp_bindgen.bridge import RuleError, Rules, plan_step, plan_steps
from mcp_bindgen.bridge.rules import matches
from mcp_bindgen.diff import Change
from mcp_bindings import bridge
from support.message_oracle import MessageOracle
from support.revisions import STATELESS

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
    missing = [id_ for id_ in found if not any(matches(id_, pattern) for pattern in patterns(older, newer))]
    assert missing == [], f"enter them in `changes` of a rule in bridge/rules.toml that handles them: {missing}"


@each_step
def test_each_change_that_a_rule_names_exists(older: str, newer: str) -> None:
    found = [change.id for change in changes(older, newer)]
    idle = [pattern for pattern in patterns(older, newer) if not any(matches(id_, pattern) for id_ in found)]
    other = [step for step in STEPS if step != (older, newer)]
    # A rule of several steps names the changes of one of them.
    everywhere = [change.id for step in other for change in changes(*step)]
    unknown = [pattern for pattern in idle if not any(matches(id_, pattern) for id_ in everywhere)]
    assert unknown == [], f"`mcp-codegen diff {older} {newer} --format json` prints no such ids: {unknown}"


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


REASON = ("why, for the reader of a report", "r")
SECTION = ("page of the specification", "s")
CHANGES = ("ids of the risky and breaking changes that it handles, if any", "c")


def completed(error: RuleError) -> str:
    """Return the rules that an error prints, as a person completes them."""
    return str(error).partition("for example:\n")[2].replace(*REASON).replace(*SECTION).replace(*CHANGES)


def test_a_request_that_both_revisions_embed_in_results_is_treated_as_a_message_of_its_own() -> None:
    source = catalog.load(STATELESS[-1])
    tool = source.objects["Tool"]
    fewer = tuple(each for each in tool.fields if each.name != "outputSchema")
    target = evolve(source, revision="2099-12-31", objects={**source.objects, "Tool": evolve(tool, fields=fewer)})
    tables = plan_step(source, target, rules())
    assert tables.methods["sampling/createMessage"] == ("object", "CreateMessageRequest")
    assert "roots/list" not in tables.methods


def test_all_differences_without_a_rule_are_one_error_with_rules_to_copy() -> None:
    with pytest.raises(RuleError) as raised:
        plan_step(catalog.load("2025-03-26"), catalog.load("2024-11-05"), rules())
    listed, examples = str(raised.value).partition("for example:\n")[0], completed(raised.value)
    assert listed.startswith(
        "codegen/mcp_bindgen/bridge/rules.toml: 5 rules are missing in the step 2025-03-26 -> 2024-11-05:"
    )
    assert "\n    alternative AudioContent at PromptMessage.content\n" in listed
    written = Rules.parse(examples).rules
    assert [(each.kind, each.subjects, each.at) for each in (written[0], written[-1])] == [
        ("alternative", ("AudioContent",), ("PromptMessage.content",)),
        ("batch", ("JSONRPCBatchRequest",), ("*",)),
    ]
    assert {each.steps for each in written} == {("2025-03-26 -> 2024-11-05",)}
    assert len(written) == 5


def test_the_rules_of_the_example_are_enough() -> None:
    with pytest.raises(RuleError) as raised:
        plan_step(catalog.load("2025-03-26"), catalog.load("2024-11-05"), rules())
    examples = completed(raised.value)
    assert plan_step(catalog.load("2025-03-26"), catalog.load("2024-11-05"), rules(examples))


def test_the_example_is_to_be_completed() -> None:
    with pytest.raises(RuleError) as raised:
        plan_step(catalog.load("2025-03-26"), catalog.load("2024-11-05"), rules())
    examples = str(raised.value).partition("for example:\n")[2]
    with pytest.raises(RuleError, match="reason or section is the text of the example"):
        Rules.parse(examples)
    with pytest.raises(RuleError, match="changes has the text of the example"):
        Rules.parse(examples.replace(*REASON).replace(*SECTION))


def test_the_example_leaves_out_a_notification_and_refuses_a_request() -> None:
    with pytest.raises(RuleError) as raised:
        plan_step(catalog.load("2025-11-25"), catalog.load("2025-06-18"), rules())
    actions = {
        each.subjects[0]: each.do for each in Rules.parse(completed(raised.value)).rules if each.kind == "method"
    }
    assert (actions["notifications/tasks/status"], actions["tasks/cancel"]) == ("omit", "refuse")


def test_the_printed_rules_hold_where_places_and_names_have_brackets_and_quotes() -> None:
    named = Rules(()).of_step("2026-07-28", "2027-01-15")
    places = [
        ("alternative", "ListRootsResult", "CallToolRequestParams.inputResponses[*]"),
        ("member", 'RequestMetaObject["com.acme/x"]', ""),
    ]
    for kind, subject, at in places:
        named.require(kind, subject, at)
    with pytest.raises(RuleError) as raised:
        named.check()
    written = Rules.parse(completed(raised.value)).of_step("2026-07-28", "2027-01-15")
    for kind, subject, at in places:
        assert written.find(kind, subject, at) is not None
    assert written.find("alternative", "ListRootsResult", "CallToolRequestParams.inputResponses") is None


def test_one_missing_rule_is_named_in_one_line() -> None:
    more = rule("alternative", "AudioContent")
    expected = "no rule for the batch JSONRPCBatchRequest in the step 2025-03-26 -> 2024-11-05; add one, for example:"
    with pytest.raises(RuleError, match=expected):
        plan_step(catalog.load("2025-03-26"), catalog.load("2024-11-05"), rules(more))


def test_the_faults_of_all_steps_are_reported_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Rules, "bundled", rules)
    with pytest.raises(RuleError) as raised:
        plan_steps([catalog.load(revision) for revision in ("2024-11-05", "2025-03-26", "2025-06-18")])
    steps = re.findall(r"missing in the step (.*):", str(raised.value))
    assert {"2025-03-26 -> 2024-11-05", "2025-06-18 -> 2025-03-26"} <= set(steps)


def test_a_faulty_file_of_rules_is_one_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Rules, "bundled", lambda: rules(rule("method", "x", "sing")))
    with pytest.raises(RuleError) as raised:
        plan_steps([catalog.load(revision) for revision in ("2024-11-05", "2025-03-26", "2025-06-18")])
    assert str(raised.value).count("unknown action 'sing'") == 1


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
        (rule("method", "x").replace(" -> ", "->"), "unknown step '.*->.*'; write it as '2025-06-18 -> 2025-11-25'"),
        ("[[", "codegen/mcp_bindgen/bridge/rules.toml: "),
    ],
)
def test_a_faulty_rule_is_an_error(text: str, expected: str) -> None:
    with pytest.raises(RuleError, match=expected):
        Rules.parse(text)
