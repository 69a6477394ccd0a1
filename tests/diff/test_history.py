"""Histories: what became of one thing over three revisions, for each thing that can become of it."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from itertools import pairwise

import pytest
from checkout import REVISIONS
from diff.comparing import framed, resolve
from hypothesis import given, settings
from jsonschema import Draft202012Validator
from mcp_bindgen import catalog, diff
from mcp_bindgen.diff.reports import history_markdown, history_text
from mcp_bindgen.diff.timeline.document import SCHEMA, to_document
from mcp_bindgen.diff.typescript import below
from mcp_bindgen.errors import BindgenError
from mcp_bindgen.ir.protocol import Protocol
from strategies.schema_texts import resolvable_texts

BUNDLED = [catalog.load(revision) for revision in REVISIONS]


@cache
def timeline(length: int = len(BUNDLED)) -> diff.Timeline:
    """Return the timeline of the oldest bundled revisions, of all by default."""
    return diff.Timeline(BUNDLED[:length])


def read(subject: str) -> diff.History:
    """Return the history in the revisions that somebody read for the tables below; later ones may do anything."""
    return timeline(5).history(subject)


def protocols(*texts: str):
    return [resolve(framed(text), revision=f"r{number}") for number, text in enumerate(texts, 1)]


def told(history: diff.History) -> list[str]:
    """A line for each entry: the state, the name where it is another one than before, the ids of the changes."""
    found: list[str] = []
    name = history.subject
    for entry in history.entries:
        words = [entry.state]
        if entry.name not in {None, name}:
            words.append(f"as {entry.name}")
        words += [change.id for change in entry.changes]
        found.append(" ".join(words))
        name = entry.name or name
    return found


def lines(subject: str, *texts: str) -> list[str]:
    return told(diff.history(protocols(*texts), subject))


A = "export interface In { a: string }"
AB = "export interface In { a: string; b?: 'x' }"
X, Y = "export interface X { x: string; y?: number }", "export interface Y { x: string; y?: number }"
CONSTANT = f"export const LIMIT = %d\n{A}"
DEPRECATED = "export interface In {\n /** @deprecated no */\n a: string }"

STATES = {
    "appeared": ("In.b", (A, A, AB), ["absent", "absent", "appeared field_added:In.b"]),
    "there from the first": ("In.a", (A, AB, AB), ["first", "unchanged", "unchanged"]),
    "changed": (
        "In.b",
        (AB, AB.replace("b?", "b"), AB.replace("'x'", "'x' | 'y'").replace("b?", "b")),
        ["first", "changed field_became_required:In.b", 'changed enum_value_added:In.b:"y"'],
    ),
    "went": ("In.b", (AB, A, A), ["first", "went field_removed:In.b", "absent"]),
    "went and came back": (
        "In.b",
        (AB, A, AB),
        ["first", "went field_removed:In.b", "returned field_added:In.b"],
    ),
    "a type that went and came back": (
        "X",
        (f"{A}\n{X}", A, f"{A}\n{X}"),
        ["first", "went type_removed:X", "returned type_added:X"],
    ),
    "deprecated": (
        "In.a",
        (A, DEPRECATED, A),
        ["first", "changed deprecated_added:In.a", "changed deprecated_removed:In.a"],
    ),
    "a type with all that is in it": (
        "In",
        (A, AB, "export interface In { a: string; b?: 'x'; c: { d?: string } }"),
        ["first", "changed field_added:In.b", "changed field_added:In.c"],
    ),
    "an object without a name": (
        "In.c",
        (
            "export interface In { c: { d: string } }",
            "export interface In { c: { d: string; e?: string } }",
            "export interface In { c: { d: string; e?: string }; f?: string }",
        ),
        ["first", "changed field_added:In.c.e", "unchanged"],
    ),
    "a field that appears with the object around it": (
        "In.c.d",
        (A, "export interface In { a: string; c?: { d: string } }", A),
        ["absent", "appeared field_added:In.c", "went field_removed:In.c"],
    ),
    "a field that appears with its type": (
        "X.x",
        (A, f"{A}\n{X}", A),
        ["absent", "appeared type_added:X", "went type_removed:X"],
    ),
    "renamed, asked for by the new name": (
        "Y",
        (
            f"{X}\nexport interface In {{ i: X }}",
            f"{Y}\nexport interface In {{ i: Y }}",
            f"{Y}\nexport interface In {{ i: Y }}",
        ),
        ["first as X", "changed as Y type_renamed:X", "unchanged"],
    ),
    "renamed, asked for by the old name": (
        "X",
        (f"{X}\nexport interface In {{ i: X }}", f"{Y}\nexport interface In {{ i: Y }}", A),
        ["first", "changed as Y type_renamed:X", "went type_removed:Y"],
    ),
    "a field of a renamed type": (
        "X.y",
        (
            f"{X}\nexport interface In {{ i: X }}",
            f"{Y}\nexport interface In {{ i: Y }}",
            f"{Y}\nexport interface In {{ i: Y }}",
        ),
        ["first", "renamed as Y.y", "unchanged"],
    ),
    "an object that gets a name, and loses it": (
        "In.c.d",
        (
            "export interface In { c: { d: string } }",
            "export interface C { d: string; e?: string }\nexport interface In { c: C }",
            "export interface In { c: { d: number; e?: string } }",
        ),
        ["first", "renamed as C.d", "changed as In.c.d field_type_changed:C.d"],
    ),
    "a name for something else": (
        "X",
        (
            f"{X}\nexport interface In {{ i: X }}",
            "export type X = string\nexport interface In { i: X }",
            "export type X = string\nexport interface In { i: X }",
        ),
        ["first", "changed type_changed:X", "unchanged"],
    ),
    "a field of a renamed type whose name was given to something else": (
        "X.y",
        (
            f"{X}\nexport interface In {{ i: X }}",
            f"{Y}\nexport interface Z {{ z: 1 }}\nexport type X = Z | string\nexport interface In {{ i: Y; j?: X }}",
            A,
        ),
        ["first", "renamed as Y.y", "went type_removed:Y"],
    ),
    "inherited": (
        "In.b",
        (
            "export interface P { p: string }\nexport interface In extends P { i: string }",
            "export interface P { p: string; b?: string }\nexport interface In extends P { i: string }",
            "export interface P { p: string; b?: number }\nexport interface In extends P { i: string }",
        ),
        ["absent", "appeared field_added:P.b", "changed field_type_changed:P.b"],
    ),
    "flattened into the type": (
        "In.b",
        (
            A,
            "export interface P { b?: string; c: string }\nexport type In = Omit<P, 'c'> & { a: string }",
            AB.replace("'x'", "string"),
        ),
        ["absent", "appeared field_added:In.b", "unchanged"],
    ),
    "a union": (
        "U",
        (
            f"{X}\nexport type U = X | string\nexport interface In {{ i: U }}",
            f"{X}\nexport type U = X | string | number[]\nexport interface In {{ i: U }}",
            f"{X}\nexport type U = X | string | number[]\nexport interface In {{ i: U }}",
        ),
        ["first", "changed union_member_added:U:number[]", "unchanged"],
    ),
    "an alternative": (
        "In.i:X",
        (
            f"{X}\nexport interface In {{ i: string }}",
            f"{X}\nexport interface In {{ i: (string | X | number)[] }}",
            f"{X}\nexport interface In {{ i: (string | number)[] }}",
        ),
        ["absent", "appeared field_type_changed:In.i", "went union_member_removed:In.i:X"],
    ),
    "a value, without its quotes": (
        "In.b:y",
        (AB, AB.replace("'x'", "'x' | 'y'"), AB),
        ["absent", 'appeared enum_value_added:In.b:"y"', 'went enum_value_removed:In.b:"y"'],
    ),
    "a value that goes with its field": (
        "In.b:x",
        (AB.replace("'x'", "'x' | 'y'"), A, A),
        ["first", "went field_removed:In.b", "absent"],
    ),
    "an alternative that is renamed": (
        "In.i:Y",
        (
            f"{X}\nexport interface In {{ i: X | string }}",
            f"{Y}\nexport interface In {{ i: Y | string }}",
            f"{Y}\nexport interface In {{ i: Y | string }}",
        ),
        ["first as In.i:X", "renamed as In.i:Y", "unchanged"],
    ),
    "a constant": (
        "LIMIT",
        (A, CONSTANT % 1, CONSTANT % 2),
        ["absent", "appeared constant_added:LIMIT", "changed constant_changed:LIMIT"],
    ),
}


@pytest.mark.parametrize("name", STATES)
def test_what_becomes_of_it(name):
    subject, texts, expected = STATES[name]
    assert lines(subject, *texts) == expected


PUT = """
export interface PutRequest extends JSONRPCRequest { method: "widgets/put"; params: PutRequestParams }
export interface PutRequestParams { put: Put }
export interface Put { a: string%s }
export interface PutResult extends Result { done: boolean }
export type ServerRequest = PutRequest;
"""


def test_a_method_appears_changes_and_went():
    history = diff.history(
        protocols(A, A + PUT % "", A + (PUT % "").replace("put: Put", "put: Put; more?: string"), A), "widgets/put"
    )
    assert told(history) == [
        "absent",
        "appeared method_added:widgets/put",
        "changed field_added:PutRequestParams.more",
        "went method_removed:widgets/put",
    ]
    assert history.kind == "method"
    assert history.entries[1].text == "request from server, result PutResult"


def test_what_only_the_messages_of_a_method_contain_is_counted():
    history = diff.history(protocols(A + PUT % "", A + PUT % "; b?: string"), "widgets/put")
    (entry,) = history.entries[1:]
    assert (entry.state, entry.changes, entry.further) == ("unchanged", (), 1)


def test_unknown_subjects_are_refused_with_the_nearest():
    for query, hint in {
        "Tool.outputSchma": "did you mean Tool.outputSchema?",
        "notifications/task/status": "did you mean notifications/tasks/status",
        "CallToolResult.content:Audio": "CallToolResult.content has no alternative 'Audio'; did you mean AudioContent?",
        "TaskStatus:zzz": 'use one of "working"',
        "": f"'' not found in {REVISIONS[0]} to {REVISIONS[-1]}",
    }.items():
        with pytest.raises(BindgenError, match=re.escape(hint)):
            timeline().history(query)


BY_READING = {
    "Tool.outputSchema": ["absent", "absent", "appeared", "changed", "changed"],
    "Tool.name": ["first", "unchanged", "unchanged", "unchanged", "unchanged"],
    "ContentBlock": ["absent", "absent", "appeared", "unchanged", "unchanged"],
    "elicitation/create": ["absent", "absent", "appeared", "changed", "changed"],
    "notifications/tasks/status": ["absent", "absent", "absent", "appeared", "went"],
    "JSONRPCBatchRequest": ["absent", "appeared", "went", "absent", "absent"],
    "CallToolRequestParams.task": ["absent", "absent", "absent", "appeared", "went"],
    "CallToolRequestParams.name": ["first", "unchanged", "unchanged", "renamed", "unchanged"],
    "ListToolsResult.nextCursor": ["first", "unchanged", "unchanged", "unchanged", "unchanged"],
    "ProgressNotificationParams.message": ["absent", "appeared", "unchanged", "renamed", "unchanged"],
    "JSONRPCErrorResponse.id": ["first", "unchanged", "unchanged", "changed", "unchanged"],
    "CreateMessageResult.content[]": ["first", "changed", "unchanged", "changed", "unchanged"],
    "CreateMessageResult.stopReason:toolUse": ["absent", "absent", "absent", "appeared", "unchanged"],
    "tools/call:CreateTaskResult": ["absent", "absent", "absent", "appeared", "went"],
    "JSONRPCMessage:JSONRPCBatchRequest": ["absent", "appeared", "went", "absent", "absent"],
    "URL_ELICITATION_REQUIRED": ["absent", "absent", "absent", "appeared", "went"],
    "-32042": ["absent", "absent", "absent", "appeared", "went"],
    "CALL_TOOL.params.name": ["first", "unchanged", "unchanged", "renamed", "unchanged"],
    "ListRootsRequest.params._meta.progressToken": ["first", "unchanged", "unchanged", "renamed", "went"],
}
"""What the schemas of the first five revisions say."""


@pytest.mark.parametrize("subject", BY_READING)
def test_the_bundled_revisions(subject):
    assert [entry.state for entry in read(subject).entries] == BY_READING[subject]


def test_a_rename_is_followed_both_ways():
    for subject in ("ResourceReference", "ResourceTemplateReference"):
        names = [entry.name for entry in read(subject).entries]
        assert names == ["ResourceReference"] * 2 + ["ResourceTemplateReference"] * 3


def test_a_name_that_was_given_to_something_else_is_told_with_where_it_went():
    entry = timeline().history("JSONRPCResponse").entries[3]
    assert [change.id for change in entry.changes] == ["type_changed:JSONRPCResponse", "type_renamed:JSONRPCResponse"]
    moved = timeline().history("JSONRPCResultResponse").entries[3]
    assert (moved.renamed_from, [change.id for change in moved.changes]) == (
        "JSONRPCResponse",
        ["type_renamed:JSONRPCResponse"],
    )


def test_a_method_that_became_embedded_and_deprecated():
    entry = timeline().history("sampling/createMessage").entries[4]
    assert {"method_embedded:sampling/createMessage", "deprecated_added:CreateMessageRequest"} <= {
        change.id for change in entry.changes
    }
    assert entry.deprecated
    assert entry.text is not None
    assert "inside `InputRequiredResult`" in entry.text


def test_a_change_that_reaches_a_method_by_another_way_is_not_told_of_it():
    changes = timeline().history("tools/call").entries[4].changes
    assert not [change.id for change in changes if change.subject.startswith("ListRootsRequest")]


def test_that_the_params_of_a_method_got_a_name_is_nothing_to_it():
    ids = [change.id for change in timeline().history("tools/call").entries[3].changes]
    assert "field_added:CallToolRequestParams.task" in ids
    assert "type_added:CallToolRequestParams" not in ids


@pytest.mark.parametrize(("old", "new"), list(pairwise(REVISIONS)))
def test_every_change_is_told_in_the_history_of_its_subject(old, new):
    pair = [catalog.load(old), catalog.load(new)]
    timeline = diff.Timeline(pair)
    for change in diff.compare(*pair).changes:
        subjects = [change.subject] if change.member is None else [change.subject, f"{change.subject}:{change.member}"]
        for subject in subjects:
            assert change in timeline.history(subject).entries[1].changes, (subject, change.id)


def is_of(change: diff.Change, subject: str) -> bool:
    """Whether a change is of a type or a field, by the names alone."""
    if change.subject == subject or change.subject.startswith((f"{subject}.", f"{subject}[")):
        return True
    heirs = {
        f"{heir}{change.subject.removeprefix(base)}" for base in BASES[change.subject] for heir in change.inherited_by
    }
    return any(heir == subject or heir.startswith((f"{subject}.", f"{subject}[")) for heir in heirs)


class _Bases(dict[str, list[str]]):
    """What a subject may be a field of: all that it begins with."""

    def __missing__(self, subject: str) -> list[str]:
        return [subject[:place] for place, char in enumerate(subject) if char in ".["]


BASES = _Bases()


def test_the_events_of_a_type_and_its_fields_are_the_changes_of_the_difference():
    """By names alone; what has objects without a name inside is told of these at the place of one of them, too."""
    assert sum(events_that_are_changes(old, new) for old, new in pairwise(REVISIONS))


def events_that_are_changes(old, new):
    """How many types and fields have events that equal their changes."""
    pair = [catalog.load(old), catalog.load(new)]
    timeline = diff.Timeline(pair)
    changes = [change for change in diff.compare(*pair).changes if not change.kind.startswith(OF_NO_TYPE)]
    equal = 0
    for name, declared in pair[1].objects.items():
        if declared.kind == "inline" or name not in pair[0].objects:
            continue
        shared = {field.name for field in declared.fields} & {field.name for field in pair[0].objects[name].fields}
        for key in [None, *sorted(shared)]:
            subject = name if key is None else below(name, key)
            expected = [change.id for change in changes if is_of(change, subject)]
            found = [change.id for change in timeline.history(subject).entries[1].changes]
            if has_inline(pair, name, key):
                assert set(expected) <= set(found), subject
            else:
                assert found == expected, subject
                equal += bool(found)
    return equal


OF_NO_TYPE = ("method_", "notification_", "direction_", "constant_")


def has_inline(pair: list[Protocol], name: str, key: str | None) -> bool:
    return any(
        f"{field.declared_in}.{field.name}" in protocol.objects
        for protocol in pair
        for field in protocol.objects[name].fields
        if key in {None, field.name}
    )


@pytest.mark.parametrize(("old", "new"), list(pairwise(REVISIONS)))
def test_what_came_or_went_has_a_reason(old, new):
    """No state without changes that explain it, for all types and fields, methods and constants there are."""
    pair = [catalog.load(old), catalog.load(new)]
    timeline = diff.Timeline(pair)
    subjects = {name: None for protocol in pair for name in [*protocol.order, *protocol.methods]}
    for protocol in pair:
        for path, declared in protocol.objects.items():
            if declared.kind != "inline":
                subjects |= {below(path, field.name): None for field in declared.fields}
    unexplained = {
        f"{new} {subject} {entry.state}"
        for subject in subjects
        for entry in timeline.history(subject).entries[1:]
        if entry.state in {"appeared", "went"} and not entry.changes
    }
    assert unexplained == {each for each in UNTOLD if each.startswith(new)}


UNTOLD = {
    f"{step} {state}"
    for state, steps in {
        "appeared": ["2025-11-25 PaginatedRequest.id", "2025-11-25 PaginatedRequest.jsonrpc"],
        "went": [
            f"2026-07-28 {name}.{key}"
            for name in ("CreateMessageRequest", "ElicitRequest", "ListRootsRequest")
            for key in ("id", "jsonrpc")
        ],
    }.items()
    for step in steps
}
"""The envelope of messages, of which a difference does not say where it is declared."""


@given(resolvable_texts(), resolvable_texts())
@settings(max_examples=settings.default.max_examples // 4)
def test_any_schemas_have_histories(one, other):
    pair = [resolve(one), resolve(other)]
    timeline = diff.Timeline(pair)
    kinds = Counter({name for protocol in pair for name in protocol.methods})
    kinds += Counter({name for protocol in pair for name in protocol.constants})
    kinds += Counter({name for protocol in pair for name in (*protocol.objects, *protocol.aliases)})
    for change in diff.compare(*pair).changes:
        # A name of two kinds means only one of them.
        if kinds[change.subject] == 1 and change.kind in {
            "type_added",
            "type_removed",
            "type_renamed",
            "constant_changed",
        }:
            assert change in timeline.history(change.subject).entries[1].changes


def test_a_type_that_lost_its_name_to_another_one_says_what_it_is_called_now():
    old = "export interface In { a: Put }\nexport interface Put { b: number }"
    new = "export interface In { a: Moved }\nexport interface Moved { b: number }\nexport type Put = 'x'"
    assert lines("Put", old, new) == ["first", "changed type_changed:Put type_renamed:Put"]


def test_the_newest_revision_decides_what_a_name_means():
    """``Put`` is a type, and then a constant."""
    assert lines("Put", f"{A}\nexport interface Put {{ a: string }}", f"{A}\nexport const Put = 1") == [
        "absent",
        "appeared constant_added:Put",
    ]


def test_a_name_comes_before_a_name_in_python():
    """In the newer revision ``PUT`` is what a method is called in Python."""
    assert lines("PUT", f"{A}\nexport const PUT = 1", A + PUT % "") == ["first", "went constant_removed:PUT"]


def test_a_name_that_is_in_one_revision_only_is_found():
    assert diff.history(BUNDLED[:1], "Annotated").entries[0].state == "first"


VALIDATOR = Draft202012Validator(SCHEMA)


@pytest.mark.parametrize("subject", [*BY_READING, "tools/call", "roots/list", "JSONRPCResponse", "Tool"])
def test_the_document_fits_its_schema(subject):
    document = to_document(timeline().history(subject))
    assert [f"{error.json_path}: {error.message}" for error in VALIDATOR.iter_errors(document)] == []
    for name in ("format", "subject", "kind", "revisions"):
        assert list(VALIDATOR.iter_errors({key: value for key, value in document.items() if key != name}))


def test_the_document():
    document = to_document(diff.history(protocols(A, A + PUT % "", A + PUT % "; b?: string"), "widgets/put"))
    assert document["format"] == "mcp-history/1"
    absent, appeared, unchanged = document["revisions"]
    assert absent == {"revision": "r1", "source": "r1.ts", "state": "absent", "changes": []}
    assert appeared["changes"][0]["id"] == "method_added:widgets/put"
    assert unchanged == {
        "revision": "r3",
        "source": "r3.ts",
        "state": "unchanged",
        "name": "widgets/put",
        "text": "request from server, result PutResult",
        "further_changes": 1,
        "changes": [],
    }


TEXT = """\
In  type
all revisions (r1 to r4); changed in r2, r3

r1  present: { a: string }
r2  changed
    breaking    In.a  field removed: string
                new client, old server: A new client no longer sends it, but an
                old server requires it.
    breaking    In.i  new required field: X
                old client, new server: An old client does not send it, but a
                new server requires it.
    compatible  In.j  new field: string
    compatible  In.k  new field: string
r3  changed
    risky       In.j  field removed: string
    risky       In.k  field removed: string
                old client, new server: An old client may send it, but a new
                server silently ignores it.
r4  unchanged
"""


def test_text():
    history = diff.history(
        protocols(
            A,
            f"{X}\nexport interface In {{ i: X; j?: string; k?: string }}",
            f"{Y}\nexport interface In {{ i: Y }}",
            f"{Y}\nexport interface In {{ i: Y }}",
        ),
        "In",
    )
    assert history_text.render(history, width=80) == TEXT


def test_text_fits_the_terminal_where_words_do():
    history = timeline().history("Tool")
    for width in (60, 80, 100):
        assert max(map(len, history_text.render(history, width=width).splitlines())) <= width


def test_a_label_longer_than_a_date_has_a_line_of_its_own():
    pair = [resolve(framed(A), revision="a-label-longer-than-any-date"), resolve(framed(AB), revision="r2")]
    shown = history_text.render(diff.history(pair, "In.b"), width=80).splitlines()
    assert shown[3:5] == ["a-label-longer-than-any-date", "              absent"]


def test_no_text_of_a_schema_is_more_than_text():
    hostile = "export interface In { a: string; b?: '|<img src=x>\\u001b[31m`@all' }"
    history = diff.history(protocols(A, hostile), "In.b")
    assert "\x1b" not in history_text.render(history)
    shown = history_markdown.render(history)
    assert "<img" not in shown
    assert "\x1b" not in shown
    row = next(line for line in shown.splitlines() if line.startswith("| r2"))
    assert row.count("|") == 3


def test_the_fields_of_a_replaced_type_go_on_in_the_type_that_replaces_it():
    found = diff.history([catalog.load(each) for each in catalog.revisions()], "LegacyTitledEnumSchema.enumNames")
    assert [each.name for each in found.entries] == [
        None,
        None,
        "EnumSchema.enumNames",
        *["LegacyTitledEnumSchema.enumNames"] * 2,
    ]


def test_long_names_fit_the_terminal():
    found = diff.history([catalog.load(each) for each in catalog.revisions()], "notifications/message")
    shown = [each for each in history_text.render(found, width=80).splitlines() if "mcp-codegen" not in each]
    assert max(map(len, shown)) <= 80
