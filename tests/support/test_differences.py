"""The walk that finds differences finds all of them, and nothing else."""

from __future__ import annotations

import itertools

import pytest
from checkout import REVISIONS
from mcp_bindgen.ir.protocol import ObjectOf, Protocol
from strategies.values import Values
from support.differences import differences, reached, reached_from
from support.official_schemas import ours, resolved
from support.oracle import Oracle

STEPS = list(itertools.pairwise(REVISIONS))

ENVELOPES = """
export type RequestId = string | number;
export interface JSONRPCRequest { jsonrpc: "2.0"; id: RequestId; method: string; params?: { [key: string]: unknown } }
export interface JSONRPCNotification { jsonrpc: "2.0"; method: string; params?: { [key: string]: unknown } }
export interface Result { [key: string]: unknown }
export type EmptyResult = Result;
export interface JSONRPCResponse { jsonrpc: "2.0"; id: RequestId; result: Result }
export interface JSONRPCError { jsonrpc: "2.0"; id: RequestId; error: { code: number; message: string } }
export type JSONRPCMessage = JSONRPCRequest | JSONRPCNotification | JSONRPCResponse | JSONRPCError;
export interface AskRequest extends JSONRPCRequest { method: "ask"; params: { about: About } }
export interface AskResult extends Result { answer: string }
export type ClientRequest = AskRequest%s;
%s
"""


def protocol(text: str, *, requests: str = "") -> Protocol:
    return resolved((ENVELOPES % (requests, text)).encode(), "2001-01-01", "2024-11-05")


BEFORE = """
export interface About { a: string; b?: number; c?: "x" | "y"; d?: One; e?: { f: string }; g?: object; h?: string[] }
export interface One { type: "one"; one?: string }
export interface Two { type: "two"; two?: string }
"""


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("a: string", "a: string", []),
        ("a: string", "a: string; i: string; j?: string", ["+ About.i (required)", "+ About.j"]),
        ("a: string; b", "a: string; b_", ["+ About.b_", "- About.b"]),
        ("b?: number", "b: number", ["~ About.b: required"]),
        ("a: string", "a?: string", ["~ About.a: optional"]),
        ("b?: number", "b?: string", ["+ About.b: a string", "- About.b: an integer"]),
        ("b?: number", "b?: unknown", ["~ About.b: any JSON"]),
        ('"x" | "y"', '"x" | "z"', ['+ About.c: "z"', '- About.c: "y"']),
        ("d?: One", "d?: One | Two", ["+ About.d: Two"]),
        ("d?: One", "d?: Two", ["+ About.d: Two", "- About.d: One"]),
        ("f: string", "f?: string", ["~ About.e.f: optional"]),
        ("g?: object", "g?: { k?: string }", ["+ About.g.k"]),
        ("g?: object", "g?: { [key: string]: unknown }", []),
        ("h?: string[]", "h?: string[] | string", ["+ About.h: a string"]),
        ("h?: string[]", "h?: number[]", ["+ About.h[]: an integer", "- About.h[]: a string"]),
        ("h?: string[] }", "h?: string[]; [key: string]: unknown }", []),
        ("interface One", "interface Uno", []),
        ("one?: string }\n", 'one?: string }\nexport interface Lone { a: "a" }\n', ["+ type Lone"]),
    ],
)
def test_differences_of_types(old: str, new: str, expected: list[str]) -> None:
    after = BEFORE.replace(old, new, 1)
    if "Uno" in after:
        after = after.replace("d?: One", "d?: Uno")
    assert [str(each) for each in differences(protocol(BEFORE), protocol(after))] == expected


def test_differences_of_methods() -> None:
    more = 'export interface SeeRequest extends JSONRPCRequest { method: "see" }'
    one, other = protocol(BEFORE), protocol(BEFORE + more, requests=" | SeeRequest")
    assert [str(each) for each in differences(one, other)] == ["+ method see"]
    assert [str(each) for each in differences(other, one)] == ["- method see"]


@pytest.mark.parametrize("revision", REVISIONS)
def test_there_is_no_difference_between_a_revision_and_itself(revision: str) -> None:
    assert differences(ours(revision), ours(revision)) == []


@pytest.mark.parametrize("step", STEPS, ids=" to ".join)
def test_values_of_types_without_a_difference_get_the_same_verdict_in_both(step: tuple[str, str]) -> None:
    """So there is no difference that is not found."""
    old, new = map(ours, step)
    found = differences(old, new)
    changed_in_old, changed_in_new = {each.old for each in found}, {each.new for each in found}
    tried = 0
    for path in reached(old) & reached(new):
        kind = ObjectOf(path)
        if changed_in_old.isdisjoint(reached_from(old, kind)) and changed_in_new.isdisjoint(reached_from(new, kind)):
            oracles = Oracle(old), Oracle(new)
            for case in itertools.chain(Values(old).cases(path), Values(new).cases(path)):
                assert all(oracle.accepts(kind, case.value) for oracle in oracles), f"{path}: {case.value!r}"
            tried += 1
    assert tried > 15
