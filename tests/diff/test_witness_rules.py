"""A row for each rule: two small schemas, and the messages that show what their difference means."""

from __future__ import annotations

import json

import pytest
from diff.comparing import framed, resolve
from diff.test_laws import edits
from diff.test_methods import EMBEDDED, SENT, with_unions
from hypothesis import given, settings
from mcp_bindgen import diff
from mcp_bindgen.diff.changes import PAIRINGS
from mcp_bindgen.diff.witnesses import WitnessSearch
from mcp_bindgen.ir.protocol import ObjectOf, Protocol
from strategies.schema_texts import resolvable_texts
from support.oracle import Oracle

TWO = "export interface A { kind: 'a' }\nexport interface B { kind: 'b' }\n"
ALIKE = "export interface A { a: string }\nexport interface B { a: string; b: number }\n"
ASK = "export interface AskRequest extends JSONRPCRequest { method: 'ask' }\n"
SAY = "export interface SayNotification extends JSONRPCNotification { method: 'say' }\n"

OLD_CLIENT, NEW_CLIENT = PAIRINGS


def get(part: str) -> str:
    return f'{{"jsonrpc": "2.0", "id": "a", "method": "widgets/get", "params": {{"in": {part}}}}}'


def got(part: str) -> str:
    return f'{{"jsonrpc": "2.0", "id": "a", "result": {{"out": {part}}}}}'


def tell(part: str) -> str:
    return f'{{"jsonrpc": "2.0", "method": "notifications/tell", "params": {{"told": {part}}}}}'


IN, OUT, TOLD = "export interface In", "export interface Out", "export interface Told"

ROWS: dict[str, tuple[str, str, dict[str, str]]] = {
    "field-added-required": (
        f"{IN} {{ i: string }}",
        f"{IN} {{ i: string; j: number }}",
        {OLD_CLIENT: f'client refused $.params.in.j {get("""{"i": "a"}""")}'},
    ),
    "type-widened, by fractions": (
        f"{IN} {{ i: number | 'all' }}",
        f"{IN} {{\n /** @TJS-type number */\n i: number | 'all' }}",
        {NEW_CLIENT: f'client refused $.params.in.i {get("""{"i": 0.5}""")}'},
    ),
    "type-narrowed, by fractions in a map": (
        f"{OUT} {{\n /** @TJS-type number */\n o: {{ [key: string]: number }} }}",
        f"{OUT} {{ o: {{ [key: string]: number }} }}",
        {NEW_CLIENT: f'server refused $.result.out.o.a {got("""{"o": {"a": 0.5}}""")}'},
    ),
    "field-added-required, in what both send": (
        f"{TOLD} {{ }}",
        f"{TOLD} {{ t: {{ u: string }} }}",
        {
            OLD_CLIENT: f"client refused $.params.told.t {tell('{}')}",
            NEW_CLIENT: f"server refused $.params.told.t {tell('{}')}",
        },
    ),
    "field-removed-required": (
        f"{OUT} {{ o: string; p: 1 | 2 }}",
        f"{OUT} {{ o: string }}",
        {OLD_CLIENT: f'server refused $.result.out.p {got("""{"o": "a"}""")}'},
    ),
    "field-removed-optional": (
        f"{IN} {{ i: string; j?: boolean }}",
        f"{IN} {{ i: string }}",
        {OLD_CLIENT: f'client ignored $.params.in.j {get("""{"i": "a", "j": true}""")}'},
    ),
    "field-removed-optional, from what takes any other member": (
        f"{OUT} {{ o: string; p?: boolean; [key: string]: unknown }}",
        f"{OUT} {{ o: string; [key: string]: unknown }}",
        {NEW_CLIENT: f'server ignored $.result.out.p {got("""{"o": "a", "p": true}""")}'},
    ),
    "field-removed-now-open": (
        f"{OUT} {{ o?: number }}",
        f"{OUT} {{ [key: string]: unknown }}",
        {OLD_CLIENT: f'server refused $.result.out.o {got("""{"o": []}""")}'},
    ),
    "field-became-required": (
        f"{IN} {{ i?: string }}",
        f"{IN} {{ i: string }}",
        {OLD_CLIENT: f"client refused $.params.in.i {get('{}')}"},
    ),
    "field-became-optional": (
        f"{OUT} {{ o: string[] }}",
        f"{OUT} {{ o?: string[] }}",
        {OLD_CLIENT: f"server refused $.result.out.o {got('{}')}"},
    ),
    "type-widened": (
        f"{OUT} {{ o: string }}",
        f"{OUT} {{ o: unknown }}",
        {OLD_CLIENT: f'server refused $.result.out.o {got("""{"o": 0}""")}'},
    ),
    "type-widened, of what a map holds": (
        f"{OUT} {{ [key: string]: string }}",
        f"{OUT} {{ [key: string]: string | number }}",
        {OLD_CLIENT: f'server refused $.result.out.a {got("""{"a": 0}""")}'},
    ),
    "type-narrowed": (
        f"{IN} {{ i: {{ [key: string]: unknown }} }}",
        f"{IN} {{ i: {{ [key: string]: number }} }}",
        {OLD_CLIENT: f'client refused $.params.in.i.a {get("""{"i": {"a": []}}""")}'},
    ),
    "type-replaced": (
        f"{TOLD} {{ t: string }}",
        f"{TOLD} {{ t: number }}",
        {
            OLD_CLIENT: f'server refused $.params.told.t {tell("""{"t": 0}""")}',
            NEW_CLIENT: f'client refused $.params.told.t {tell("""{"t": 0}""")}',
        },
    ),
    "type-redefined": (
        f"export interface C {{ c: string }}\n{OUT} {{ o: C }}",
        f"export type C = {{ c: string }} | number\n{OUT} {{ o: C }}",
        {OLD_CLIENT: f'server refused $.result.out.o {got("""{"o": 0}""")}'},
    ),
    "union-member-added": (
        f"{TWO}{OUT} {{ o: A }}",
        f"{TWO}{OUT} {{ o: A | B }}",
        {OLD_CLIENT: f'server refused $.result.out.o.kind {got("""{"o": {"kind": "b"}}""")}'},
    ),
    "union-member-added, read as another": (
        f"{ALIKE}{OUT} {{ o: A }}",
        f"{ALIKE}{OUT} {{ o: A | B }}",
        {OLD_CLIENT: f'server ignored $.result.out.o.b {got("""{"o": {"a": "a", "b": 0}}""")}'},
    ),
    "union-member-removed, from a map of arrays": (
        f"{TWO}{IN} {{ i: {{ [key: string]: (A | B)[] }} }}",
        f"{TWO}{IN} {{ i: {{ [key: string]: A[] }} }}",
        {OLD_CLIENT: f'client refused $.params.in.i.a.0.kind {get("""{"i": {"a": [{"kind": "b"}]}}""")}'},
    ),
    "enum-value-added": (
        f"{OUT} {{ o: 'x' | 'y' }}",
        f"{OUT} {{ o: 'x' | 'y' | 'z' }}",
        {OLD_CLIENT: f'server refused $.result.out.o {got("""{"o": "z"}""")}'},
    ),
    "enum-value-removed, from an alias": (
        f"export type I = 1 | 2\n{IN} {{ i?: I }}",
        f"export type I = 1\n{IN} {{ i?: I }}",
        {OLD_CLIENT: f'client refused $.params.in.i {get("""{"i": 2}""")}'},
    ),
}


def shown(old: Protocol, new: Protocol) -> dict[str, str]:
    """The witnesses of the one change that is not compatible."""
    (change,) = (each for each in diff.compare(old, new).changes if each.level != "compatible")
    return {pairing: line(witness) for pairing, witness in WitnessSearch(old, new).of(change).items()}


def line(witness: diff.Witness) -> str:
    """A witness in one line: ``sender outcome place message``."""
    place = ".".join(["$", *map(str, witness.place)])
    return f"{witness.sender} {witness.outcome} {place} {json.dumps(witness.message)}"


@pytest.mark.parametrize("name", ROWS)
def test_fields_and_types(name: str):
    old, new, expected = ROWS[name]
    before, after = resolve(framed(old)), resolve(framed(new))
    assert shown(before, after) == expected
    (change,) = (each for each in diff.compare(before, after).changes if each.level != "compatible")
    assert change.rule == name.partition(",")[0]
    for witness in WitnessSearch(before, after).of(change).values():
        behaves(witness, before, after)


@given(edits())
@settings(max_examples=100, deadline=None)
def test_one_edit_has_a_witness_for_each_verdict(drawn: tuple[str, str, object, str]):
    before, after = resolve(drawn[0]), resolve(drawn[1])
    witnesses = WitnessSearch(before, after)
    for change in diff.compare(before, after).changes:
        found = witnesses.of(change)
        assert list(found) == [each for each in PAIRINGS if getattr(change.verdicts, each) != "compatible"]
        for witness in found.values():
            behaves(witness, before, after)


def behaves(witness: diff.Witness, old: Protocol, new: Protocol) -> None:
    """Check what a witness claims, as another reader of the same models sees it."""
    is_old = (witness.pairing == OLD_CLIENT) == (witness.sender == "client")
    sending, receiving = (old, new) if is_old else (new, old)
    assert violations(sending, witness) == []
    found = violations(receiving, witness)
    assert found[:1] == ([witness.place] if witness.outcome == "refused" else [])


def violations(protocol: Protocol, witness: diff.Witness) -> list[tuple[str | int, ...]]:
    """Where a message is wrong, as another reader of the same model sees it."""
    oracle, message = Oracle(protocol), witness.message
    if witness.answers is None:
        kind = ObjectOf(protocol.methods[message["method"]].interface)
        return [each.path for each in oracle.violations(kind, message)]
    kind = protocol.methods[witness.answers].result
    assert kind is not None
    return [each.path for each in oracle.violations(kind, message["result"], ("result",))]


# --- Methods -----------------------------------------------------------------------------------------------------

WITHOUT = resolve(framed(""))
CLIENT = resolve(with_unions(ASK, ClientRequest="AskRequest"))
SERVER = resolve(with_unions(ASK, ServerRequest="AskRequest"))
ASKED = '$.method {"jsonrpc": "2.0", "id": "a", "method": "ask"}'


def test_a_method_that_came():
    assert shown(WITHOUT, CLIENT) == {NEW_CLIENT: f"client unanswered {ASKED}"}
    assert shown(WITHOUT, SERVER) == {OLD_CLIENT: f"server unanswered {ASKED}"}


def test_a_method_that_went():
    assert shown(CLIENT, WITHOUT) == {OLD_CLIENT: f"client unanswered {ASKED}"}
    assert shown(SERVER, WITHOUT) == {NEW_CLIENT: f"server unanswered {ASKED}"}


def test_a_method_that_the_other_side_sends():
    # A new server may call it too; that an old client still does is worse.
    assert shown(CLIENT, SERVER) == {OLD_CLIENT: f"client unanswered {ASKED}"}


def test_a_notification_that_never_comes():
    assert shown(resolve(with_unions(SAY, ServerNotification="SayNotification")), WITHOUT) == {}


def test_a_request_that_nobody_begins_with():
    start = resolve(
        with_unions(
            "export interface StartRequest extends JSONRPCRequest { method: 'initialize' }",
            ClientRequest="StartRequest",
        )
    )
    begun = 'client unanswered $.method {"jsonrpc": "2.0", "id": "a", "method": "initialize"}'
    assert shown(start, WITHOUT) == {OLD_CLIENT: begun}
    assert shown(WITHOUT, start) == {NEW_CLIENT: begun}


def test_a_method_that_travels_inside_another_message():
    question = '"method": "ask", "params": {"question": "a"}'
    inside = f"""{{"out": {{"o": "a"}}, "questions": {{"a": {{{question}}}}}}}"""
    assert shown(resolve(SENT), resolve(EMBEDDED)) == {
        OLD_CLIENT: f'server ignored $.result.questions {{"jsonrpc": "2.0", "id": "a", "result": {inside}}}',
        NEW_CLIENT: f'server unanswered $.method {{"jsonrpc": "2.0", "id": "a", {question}}}',
    }


def test_a_result_that_a_method_may_have():
    more = "export interface MoreResult extends Result { more: number }\n"
    one = resolve(
        with_unions(ASK + more + "export interface AskResult extends Result { one: 1 }", ClientRequest="AskRequest")
    )
    either = resolve(
        with_unions(
            ASK + more + "export interface AskResult extends Result { one: 1 }\n"
            "export interface AskResultResponse { jsonrpc: '2.0'; id: string; result: AskResult | MoreResult }",
            ClientRequest="AskRequest",
        )
    )
    assert shown(one, either) == {
        OLD_CLIENT: 'server refused $.result.one {"jsonrpc": "2.0", "id": "a", "result": {"more": 0}}'
    }


# --- The document ------------------------------------------------------------------------------------------------


def test_the_worse_verdict_has_the_witness_of_the_change():
    old, new = resolve(SENT), resolve(EMBEDDED)
    difference = diff.compare(old, new)
    assert [change.witness for change in difference.changes] == [None] * len(difference.changes)
    change = diff.with_witnesses(difference, old, new).changes[0]
    assert change.witness is not None
    assert change.witness.pairing == NEW_CLIENT
    assert change.witness == WitnessSearch(old, new).of(change)[NEW_CLIENT]
    assert diff.to_document(diff.with_witnesses(difference, old, new))["changes"][0]["witness"] == {
        "pairing": NEW_CLIENT,
        "sender": "server",
        "message": {"jsonrpc": "2.0", "id": "a", "method": "ask", "params": {"question": "a"}},
        "outcome": "unanswered",
    }
    hash(change)


# --- Schemas that are not meant well ------------------------------------------------------------------------------


def test_a_value_that_doubles_with_each_level_is_not_made():
    levels = "\n".join(f"export interface D{n} {{ one: D{n + 1}; two: D{n + 1} }}" for n in range(25))
    old, new = (
        resolve(framed(f"{levels}\nexport interface D25 {{ d: {kind} }}\n{IN} {{ i: D0 }}"))
        for kind in ("string", "number")
    )
    assert WitnessSearch(old, new).of(diff.compare(old, new).changes[0]) == {}


def test_a_place_too_deep_for_a_message_has_none():
    levels = "\n".join(f"export interface D{n} {{ one?: D{n + 1} }}" for n in range(400))
    old, new = (
        resolve(framed(f"{levels}\nexport interface D400 {{ d: {kind} }}\n{IN} {{ i?: D0 }}"))
        for kind in ("string", "number")
    )
    assert WitnessSearch(old, new).of(diff.compare(old, new).changes[0]) == {}


@given(resolvable_texts(), resolvable_texts())
@settings(max_examples=30, deadline=None)
def test_any_two_schemas(one: str, other: str):
    old, new = resolve(one), resolve(other)
    difference = diff.with_witnesses(diff.compare(old, new), old, new)
    assert [change for change in difference.changes if change.witness and change.level == "compatible"] == []
