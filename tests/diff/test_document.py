"""The document: what is in it, ids, texts, and sentences for people."""

from __future__ import annotations

import json

from diff.comparing import compare, framed, only, resolve
from mcp_bindgen import catalog, diff

WIDGETS = """
export interface JSONRPCRequest { jsonrpc: "2.0"; id: string; method: string }
export interface ListWidgetsRequest extends JSONRPCRequest { method: "widgets/list" }
export interface ListWidgetsResult { widgets: Widget[] }
export interface Widget { name: string }
export interface PaintRequest extends JSONRPCRequest { method: "widgets/paint"; params: PaintRequestParams }
export interface PaintRequestParams { color: "red" | "green" }
export interface PaintResult { done: boolean }
export type ClientRequest = ListWidgetsRequest | PaintRequest;
"""


def test_the_example_of_the_contract():
    new = WIDGETS.replace("{ name: string }", "{ name: string; weight?: number }").replace(' | "green"', "")
    document = diff.to_document(
        diff.compare(resolve(WIDGETS, revision="2001-01-01"), resolve(new, revision="2002-02-02"))
    )
    assert document == {
        "format": "mcp-diff/1",
        "old": {"revision": "2001-01-01", "source": "2001-01-01.ts"},
        "new": {"revision": "2002-02-02", "source": "2002-02-02.ts"},
        "summary": {"changes": 2, "by_level": {"breaking": 1, "risky": 0, "compatible": 1}},
        "changes": [
            {
                "id": 'enum_value_removed:PaintRequestParams.color:"green"',
                "kind": "enum_value_removed",
                "rule": "enum-value-removed",
                "subject": "PaintRequestParams.color",
                "member": '"green"',
                "old": '"red" | "green"',
                "new": '"red"',
                "sent_by": ["client"],
                "verdicts": {
                    "old_client_new_server": "breaking",
                    "new_client_old_server": "compatible",
                    "api": "breaking",
                },
                "level": "breaking",
                "methods": ["widgets/paint"],
                "reason": 'An old client may send "green", which a new server no longer accepts.',
                "hint": 'Send "red", or find out the receiver\'s revision first.',
            },
            {
                "id": "field_added:Widget.weight",
                "kind": "field_added",
                "rule": "field-added-optional",
                "subject": "Widget.weight",
                "old": None,
                "new": "number",
                "required": False,
                "sent_by": ["server"],
                "verdicts": {
                    "old_client_new_server": "compatible",
                    "new_client_old_server": "compatible",
                    "api": "compatible",
                },
                "level": "compatible",
                "methods": ["widgets/list"],
                "reason": "An old client ignores it, and a new client accepts its absence.",
            },
        ],
    }


def test_the_same_bytes_in_every_run():
    first, second = (
        json.dumps(diff.to_document(compare("export interface In { a: 1; b: 2 }", "export interface In { c: 1 }")))
        for _ in range(2)
    )
    assert first == second


def test_inherited_fields_say_where_they_come_from():
    old = "export interface Base { a: string }\nexport interface In extends Base {}"
    (entry,) = diff.to_document(compare(old, old.replace("a: string", "a: number")))["changes"]
    assert entry["inherited_by"] == ["In"]
    new = "export interface More { b?: string }\nexport interface Base { a: string }\nexport interface In extends Base, More {}"
    entry, _ = diff.to_document(compare(old, new))["changes"]
    assert (entry["subject"], entry["declared_in"]) == ("In.b", "More")


def test_no_two_changes_have_the_same_id():
    old = "export interface In { a: { kind: 'x' } | { kind: 'y' } }"
    new = "export interface In { a: { kind: 'x'; b?: string } | { kind: 'y'; b?: string } }"
    assert [change.id for change in compare(old, new).changes] == ["field_added:In.a.b", "field_added:In.a.b#2"]


TEXTS = {
    "string | null": "string | null",
    "('x' | 'y')[]": '("x" | "y")[]',
    "(string | number)[][]": "(string | number)[][]",
    "{ a: string; 'b-c'?: number[]; [key: string]: unknown }": '{ a: string; "b-c"?: number[]; [key: string]: unknown }',
    "{}": "{}",
    "'x' | string": '"x" | string',
    "Told[]": "Told[]",
    "object": "object",
    "any": "any",
    "1 | true | 2.5": "1 | true | 2.5",
    "Record<string, boolean>": "{ [key: string]: boolean }",
}


def test_texts_are_typescript():
    old = "export interface In {}"
    new = "export interface In { " + "; ".join(f"f{place}?: {text}" for place, text in enumerate(TEXTS)) + " }"
    found = {change.subject: change.new for change in compare(old, new).changes}
    assert found == {f"In.f{place}": text for place, text in enumerate(TEXTS.values())}


def test_the_text_of_a_definition():
    old, new = "export type X = string", "export type X = { a: string } | null"
    change = only(compare(old, new))
    assert (change.old, change.new) == ("string", "{ a: string } | null")
    added = compare("", "export interface Y extends Told { a: Z }\nexport type Z = 1").changes
    assert [change.new for change in added] == ["{ t: string; a: Z }", "1"]


def test_braces_in_the_texts_of_a_schema_are_no_places_to_fill():
    old = "export interface In { a: '{s}' | '{x}' | '{' }"
    reasons = [change.reason for change in compare(old, "export interface In { a: '{' | '{r} {0}' }").changes]
    assert reasons == [
        'A new client may send "{r} {0}", which an old server does not know.',
        'An old client may send "{s}", which a new server no longer accepts.',
        'An old client may send "{x}", which a new server no longer accepts.',
    ]


def test_long_texts_are_not_repeated_in_sentences():
    long = " | ".join(f"'{'x' * 20}{place}'" for place in range(5))
    change = only(compare(f"export interface In {{ a: {long} }}", "export interface In { a: string }"))
    assert (
        change.reason
        == "A new client may send values other than those of the old type, but an old server accepts no others."
    )


def test_every_sentence_is_one():
    old = "export interface In { a: string; b?: number; c: 'x' | 'y'; d: string }\nexport interface X { x: string }"
    new = "export interface In { a?: string; c: 'y' | 'z'; d: number; e: string }\nexport interface Y { y: string }"
    for change in compare(old, new).changes:
        for text in (change.reason, change.hint or "None."):
            assert text[0].isupper()
            assert text.endswith(".")
            assert ". " not in text
            assert "{" not in text


def test_sides():
    assert diff.compare(resolve(framed(""), revision="a"), resolve(framed(""), revision="b")) == diff.Difference(
        diff.Revision("a", "a.ts"), diff.Revision("b", "b.ts"), ()
    )


def test_the_message_of_a_witness_is_what_is_sent():
    """An object, or for a batch an array of them: an exception that docs/cli.md tells."""
    old, new = catalog.load("2025-03-26"), catalog.load("2025-06-18")
    difference = diff.with_witnesses(diff.compare(old, new), old, new)
    entries = diff.to_document(difference)["changes"]
    shown = {each["id"]: each["witness"]["message"] for each in entries if "witness" in each}
    assert {name: message for name, message in shown.items() if not isinstance(message, dict)} == {
        "union_member_removed:JSONRPCMessage:JSONRPCBatchRequest": [{"jsonrpc": "2.0", "id": 1, "method": "ping"}],
        "union_member_removed:JSONRPCMessage:JSONRPCBatchResponse": [{"jsonrpc": "2.0", "id": 1, "result": {}}],
    }
    assert len(shown) > 2


def test_only_names_of_types_and_constants_are_said_to_be_in_no_message():
    """A code of an error is a constant, and in messages; a type that is gone may have taken its messages along."""
    old, new = "export const A = -1\nexport interface Gone { a: string }", "export const A = -2\nexport const B = -3"
    assert {change.id: change.reason for change in compare(old, new).changes} == {
        "type_removed:Gone": "Messages do not contain names of types, but code that uses it must change.",
        "constant_changed:A": "Messages do not contain names of constants; its value changed from `-1` to `-2`.",
        "constant_added:B": "Messages do not contain names of constants.",
    }
