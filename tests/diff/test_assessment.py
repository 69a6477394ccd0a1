"""What a difference comes to: thresholds, perspectives, approvals, and parts of it."""

from __future__ import annotations

import pytest
from diff.comparing import compare, framed, resolve
from mcp_bindgen import diff
from mcp_bindgen.diff.approvals import read_approvals, skeleton, stale
from mcp_bindgen.diff.assessment import Assessment
from mcp_bindgen.diff.selection import Selection
from mcp_bindgen.errors import BindgenError

OLD = "export interface In { i: string }\nexport interface Out { o: 'x' }"
NEW = "export interface In { i: number }\nexport interface Out { o: 'x' | 'y'; p?: string }"
REPLACED, ADDED, FIELD = "field_type_changed:In.i", 'enum_value_added:Out.o:"y"', "field_added:Out.p"
"""Breaking in both pairings; risky for an old client; compatible."""


def assessment(**how) -> Assessment:
    return Assessment(difference=compare(OLD, NEW), **how)


def test_the_changes_are_what_the_tests_take_them_for():
    found = {change.id: change.level for change in compare(OLD, NEW).changes}
    assert found == {REPLACED: "breaking", ADDED: "risky", FIELD: "compatible"}


@pytest.mark.parametrize(
    ("fail_on", "perspective", "counting"),
    [
        ("breaking", "both", {REPLACED}),
        ("risky", "both", {REPLACED, ADDED}),
        ("any", "both", {REPLACED, ADDED, FIELD}),
        ("none", "both", set()),
        ("risky", "client", {REPLACED, ADDED}),
        ("risky", "server", {REPLACED}),
    ],
)
def test_what_counts(fail_on, perspective, counting):
    assert {change.id for change in assessment(fail_on=fail_on, perspective=perspective).failing} == counting


def test_what_is_approved_does_not_count():
    assert not assessment(fail_on="any", approved=dict.fromkeys([REPLACED, ADDED, FIELD], "fine")).failing


def test_a_perspective_is_that_of_the_old_side():
    numbers = assessment(perspective="server").numbers()
    assert numbers == {"breaking": 1, "risky": 0, "compatible": 2}
    assert assessment().numbers("old_client_new_server") == {"breaking": 1, "risky": 1, "compatible": 1}


@pytest.mark.parametrize(
    ("how", "kept"),
    [
        ({}, {REPLACED, ADDED, FIELD}),
        ({"kinds": ("field_added",)}, {FIELD}),
        ({"kinds": ("field_added", "field_type_changed")}, {REPLACED, FIELD}),
        ({"only": ("enum-value-added",)}, {ADDED}),
        ({"ignored": ("enum-value-added", "type-replaced")}, {FIELD}),
        ({"only": ("enum-value-added",), "ignored": ("enum-value-added",)}, set()),
        ({"level": "risky"}, {REPLACED, ADDED}),
        ({"level": "risky", "perspective": "server"}, {REPLACED}),
        ({"methods": ("widgets/get",)}, {REPLACED, ADDED, FIELD}),
        ({"methods": ("notifications/tell",)}, set()),
    ],
)
def test_parts(how, kept):
    selection = Selection(**how)
    selection.check(resolve(framed(OLD)), resolve(framed(NEW)))
    assert {change.id for change in selection.of(compare(OLD, NEW)).changes} == kept


def test_the_method_itself_is_part_of_what_it_has():
    new = framed("").replace("type ClientRequest = GetRequest", "type ClientRequest = GetRequest | PingRequest")
    new += 'export interface PingRequest extends JSONRPCRequest { method: "ping" }'
    difference = diff.compare(resolve(framed("")), resolve(new))
    assert "method_added:ping" in {change.id for change in Selection(methods=("ping",)).of(difference).changes}


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"kinds": ("field_aded",)}, "--kind: unknown kind of change 'field_aded'; did you mean field_added"),
        ({"kinds": ("q",)}, "--kind: unknown kind of change 'q'; use one of constant_added, "),
        ({"only": ("enum-value",)}, "--only: unknown rule 'enum-value'; did you mean enum-value-"),
        ({"ignored": ("q",)}, "--ignore: unknown rule 'q'; use --list-rules to list them"),
        (
            {"methods": ("widget/get",)},
            "--method: unknown method 'widget/get'; did you mean widgets/get?",
        ),
        ({"methods": ("q",)}, "use one of notifications/tell, widgets/get"),
    ],
)
def test_an_unknown_name_gets_the_nearest(how, message):
    protocol = resolve(framed(""))
    with pytest.raises(BindgenError) as caught:
        Selection(**how).check(protocol, protocol)
    assert message in str(caught.value)


def test_a_skeleton_is_read_again_once_it_has_its_reasons():
    text = skeleton(assessment(fail_on="any", approved={FIELD: "known", "gone": "once"}))
    assert "gone" not in text
    assert f'"{FIELD}" = "known"' in text
    with pytest.raises(BindgenError, match="has no reason; write why"):
        read_approvals(text.encode(), "a.toml")
    filled = read_approvals(text.replace('= ""', '= "new"').encode(), "a.toml")
    assert filled == {REPLACED: "new", ADDED: "new", FIELD: "known"}
    assert not assessment(fail_on="any", approved=filled).failing


@pytest.mark.parametrize("member", ["\x7f", "\x1b[31m", '"', "\\", "\u2028", "\U0001f600"])
def test_a_skeleton_holds_any_id(member):
    escaped = member.replace("\\", "\\\\").replace("'", "\\'")
    difference = compare("", f"export interface In {{ i: string; '{escaped}'?: string }}")
    text = skeleton(Assessment(difference=difference, fail_on="any")).replace('= ""', '= "fine"')
    assert set(read_approvals(text.encode(), "a.toml")) == {change.id for change in difference.changes}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[approved", "a.toml: "),
        ("[approved]\nmethod_removed:ping = 'x'", '[approved] and lines of the form "ID" = "REASON"'),
        ("[aproved]\n'x' = 'y'", "a.toml: unexpected 'aproved'; write [approved]"),
        ("approved = 3", "a.toml: unexpected 'approved', which is not a table"),
        ("[approved]\nWidget.size = 'x'", "'Widget' is a table; write the whole id of the change in quotes"),
        ("[approved]\n'x' = 3", "the reason of 'x' must be a string"),
        ("[approved]\n'x' = ' '", "'x' has no reason"),
        ("a = " + "[" * 5000, "a.toml: "),
    ],
)
def test_a_file_that_approves_nothing_says_what_would(text, message):
    with pytest.raises(BindgenError) as caught:
        read_approvals(text.encode(), "a.toml")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_in_another_encoding():
    with pytest.raises(BindgenError, match="byte 0 is not UTF-8"):
        read_approvals(b"\xff\xfe", "a.toml")


def test_stale_entries():
    found = stale({REPLACED: "x", "field_aded:Out.p": "x", "q": "x"}, compare(OLD, NEW))
    assert found == [
        "'field_aded:Out.p' is not a change from acme to acme; did you mean 'field_added:Out.p'?",
        "'q' is not a change from acme to acme; remove it",
    ]
