"""Each rule by itself: what breaks it, what does not, and where it holds."""

from __future__ import annotations

import tomllib

import pytest
from checkout import REVISIONS, ROOT
from mcp_bindgen.validate.rules import listing
from support.content_cases import CONTENT_CASES
from support.conversation_builder import Talk
from support.session_cases import SESSION_CASES

CASES = {**SESSION_CASES, **CONTENT_CASES}
RULES = {rule.id: rule for rule in listing()}
SPECIFICATION = tomllib.loads((ROOT / "tests" / "docs" / "specification.toml").read_text("utf-8"))
PAGES = {(page["revision"], page["name"]) for page in SPECIFICATION["page"]}


def revisions_of(rule) -> list[str]:
    return [revision for revision in REVISIONS if revision in rule.revisions]


each_rule = pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.id)
holding = pytest.mark.parametrize(
    ("name", "revision"), [(rule.id, revision) for rule in RULES.values() for revision in revisions_of(rule)]
)
elsewhere = pytest.mark.parametrize(
    ("name", "revision"),
    [(rule.id, revision) for rule in RULES.values() for revision in REVISIONS if revision not in rule.revisions],
)


@holding
def test_what_breaks_a_rule_is_reported_under_its_id_alone(name: str, revision: str) -> None:
    broken, _ = CASES[name]
    found = broken(Talk(revision)).findings()
    assert {finding.code for finding in found} == {name}, found
    assert all(finding.level == "rule" and finding.revision == revision for finding in found)


@holding
def test_what_obeys_a_rule_is_not_reported(name: str, revision: str) -> None:
    _, right = CASES[name]
    assert right(Talk(revision)).findings() == []


@elsewhere
def test_a_rule_is_silent_where_it_does_not_hold(name: str, revision: str) -> None:
    broken, right = CASES[name]
    assert name not in broken(Talk(revision)).codes()
    assert name not in right(Talk(revision)).codes()


@holding
def test_a_finding_says_where_and_what_in_a_fragment_of_a_sentence(name: str, revision: str) -> None:
    broken, _ = CASES[name]
    for finding in broken(Talk(revision)).findings():
        assert finding.path.startswith("$")
        assert finding.message[0] not in " \n"
        assert not finding.message.endswith(".")
        assert "\n" not in finding.message
        assert len(finding.found or "") < 100
        assert len(finding.expected or "") < 100


def test_every_rule_has_its_cases_and_every_case_its_rule() -> None:
    assert RULES.keys() == CASES.keys()
    assert len(listing()) == len(RULES), "an id is used twice"
    assert not SESSION_CASES.keys() & CONTENT_CASES.keys()


@each_rule
def test_a_rule_says_in_a_line_what_it_asks_for(rule) -> None:
    assert rule.summary.endswith(".")
    assert "\n" not in rule.summary
    assert len(rule.summary) < 125
    assert rule.id == rule.id.lower()
    assert revisions_of(rule)
    assert {rule.since, rule.until, rule.recommended_until} <= {None, *REVISIONS}


@each_rule
def test_a_rule_comes_from_a_page_of_each_revision_in_which_it_holds(rule) -> None:
    for revision in (each for each in revisions_of(rule) if each not in SPECIFICATION["without_pages"]):
        page, _, heading = rule.section_in(revision).partition(", ")
        assert (revision, page) in PAGES
        assert heading


@each_rule
def test_the_exceptions_of_a_rule_are_about_revisions_in_which_it_holds(rule) -> None:
    exceptions = {*rule.earlier_sections} | ({rule.recommended_until} - {None})
    assert exceptions <= set(revisions_of(rule))
    for last in rule.earlier_sections:
        assert rule.section_in(last) != rule.section
    assert {rule.strength_in(revision) for revision in revisions_of(rule)} <= {"must", "should"}
