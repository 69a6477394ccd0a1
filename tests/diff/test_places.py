"""A change of a type matters where one revision's peer sends the type and the other's looks for it, and nowhere else."""

from __future__ import annotations

import pytest
from diff.comparing import framed, line, resolve
from diff.test_methods import EMBEDDED, SENT, with_unions
from mcp_bindgen import diff

C, B = "compatible", "breaking"

IN, OUT = "export interface In", "export interface Out"
BEFORE, AFTER = "export interface X { a?: string }\n", "export interface X { a: string }\n"
"""A type before and after a change that breaks whoever still sends it in the old way."""

ELSEWHERE = "No message exchanged between the two revisions contains it; only code must change."


def of_x(old: str, new: str) -> diff.Change:
    """What is told of that change, between two whole schemas."""
    (change,) = (each for each in diff.compare(resolve(old), resolve(new)).changes if each.subject == "X.a")
    return change


def verdicts(old: str, new: str) -> str:
    """Those of that change, between two texts that are framed."""
    return line(of_x(framed(BEFORE + old), framed(AFTER + new))).partition(" field-became-required ")[2]


SAME_PLACE = {
    "in a member": f"{IN} {{ x: X }}",
    "in an array of arrays": f"{IN} {{ x: X[][] }}",
    "in a map": f"{IN} {{ x: {{ [key: string]: X }} }}",
    "in a union": f"export interface Z {{ z: 1 }}\n{IN} {{ x: X | Z | null }}",
    "behind aliases": f"export type A = B\nexport type B = X[]\n{IN} {{ x: A }}",
    "in what contains itself": f"export interface T {{ again?: T; x?: X }}\n{IN} {{ t: T }}",
    "in what is inherited": f"export interface T {{ x: X }}\nexport interface U extends T {{ u: 1 }}\n{IN} {{ u: U }}",
    "in an alias that takes any JSON": f"export type J = X | J[] | string | number | boolean | null\n{IN} {{ j: J }}",
}


@pytest.mark.parametrize("case", SAME_PLACE)
def test_it_is_met_in_the_same_place(case: str):
    around = SAME_PLACE[case]
    assert verdicts(around, around) == f"{B}/{C}/{B} client"


PQ = "export interface P { kind: 'p'; x: X }\nexport interface Q { kind: 'q'; x: X }\n"

WRITTEN_DIFFERENTLY = {
    "an array of itself has another name": (
        f"export type J = X | J[] | string\n{IN} {{ j: J }}",
        f"export type K = X | K[] | string\n{IN} {{ j: K }}",
    ),
    "a name was given": (f"{IN} {{ t: {{ x: X }} }}", f"{IN} {{ t: T }}\nexport interface T {{ x: X }}"),
    "another type took the place": (f"{PQ}{IN} {{ t: P }}", f"{PQ}{IN} {{ t: Q }}"),
    "an alternative came": (f"{PQ}{IN} {{ t: P }}", f"{PQ}{IN} {{ t: Q | P }}"),
    "a member is any other member now": (f"{IN} {{ x?: X }}", f"{IN} {{ [key: string]: X }}"),
    "any other member is a member now": (f"{IN} {{ [key: string]: X }}", f"{IN} {{ x?: X; [key: string]: X }}"),
}


@pytest.mark.parametrize("case", WRITTEN_DIFFERENTLY)
def test_it_is_met_in_a_place_that_is_written_differently(case: str):
    assert verdicts(*WRITTEN_DIFFERENTLY[case]) == f"{B}/{C}/{B} client"


ELSEWHERE_IN_MESSAGES = {
    "a member has another name": (f"{IN} {{ x?: X }}", f"{IN} {{ y?: X }}"),
    "a member is in another one": (f"{IN} {{ x?: X }}", f"{IN} {{ y?: {{ x: X }} }}"),
    "it is in an array": (f"{IN} {{ x: X }}", f"{IN} {{ x: X[] }}"),
    "it is in another alternative": (
        f"{PQ}{IN} {{ t: P | R }}\nexport interface R {{ kind: 'r' }}",
        f"{PQ}{IN} {{ t: Q | R }}\nexport interface R {{ kind: 'r' }}",
    ),
}


@pytest.mark.parametrize("case", ELSEWHERE_IN_MESSAGES)
def test_it_is_not_met_in_another_place(case: str):
    old, new = ELSEWHERE_IN_MESSAGES[case]
    assert verdicts(old, new) == f"{C}/{C}/{B} client"
    assert of_x(framed(BEFORE + old), framed(AFTER + new)).reason == ELSEWHERE


def test_it_matters_for_the_side_that_still_sends_it_there():
    old = f"{IN} {{ x: X }}\n{OUT} {{ x: X }}"
    assert verdicts(old, f"{IN} {{ x: X }}\n{OUT} {{ y: X }}") == f"{B}/{C}/{B} client+server"
    assert verdicts(old, f"{IN} {{ y: X }}\n{OUT} {{ x: X }}") == f"{C}/{B}/{B} client+server"
    assert verdicts(old, f"{IN} {{ y: X }}\n{OUT} {{ y: X }}") == f"{C}/{C}/{B} client+server"


def test_it_is_not_met_in_methods_of_one_revision():
    ask = "export interface AskRequest extends JSONRPCRequest { method: 'ask'; params: { x: X } }\n"
    tell = ask.replace("AskRequest", "DemandRequest").replace("'ask'", "'demand'")
    old = with_unions(BEFORE + ask, ClientRequest="AskRequest")
    assert line(of_x(old, with_unions(AFTER + ask, ClientRequest="AskRequest"))).endswith(f"{B}/{C}/{B} client")
    for new in (
        with_unions(AFTER + tell, ClientRequest="DemandRequest"),
        with_unions(AFTER + ask, ServerRequest="AskRequest"),
    ):
        assert of_x(old, new).level == C


def test_it_is_not_met_in_what_travels_inside_another_message_now():
    question, x = "question: string", "question: X"
    old, new = BEFORE + SENT.replace(question, x), AFTER + EMBEDDED.replace(question, x)
    for one, other in ((old, new), (new.replace(AFTER, BEFORE), old.replace(BEFORE, AFTER))):
        change = of_x(one, other)
        assert line(change).endswith(f"{C}/{C}/{B} server")
        assert change.reason == ELSEWHERE
    # In both revisions it travels inside.
    assert line(of_x(new.replace(AFTER, BEFORE), new)).endswith(f"{C}/{B}/{B} server")


def test_answers_are_read_by_whoever_asks_for_them():
    ask = (
        "export interface AskRequest extends JSONRPCRequest { method: 'ask' }\n"
        "export interface AskResult extends Result { x: X }\n"
    )
    old = with_unions(BEFORE + ask, ClientRequest="AskRequest")
    assert line(of_x(old, old.replace(BEFORE, AFTER))).endswith(f"{C}/{B}/{B} server")
    assert of_x(old, with_unions(AFTER + ask, ServerRequest="AskRequest")).level == C


def test_what_is_around_messages_is_in_all_of_them():
    old = framed(BEFORE).replace('jsonrpc: "2.0"; id: string }', 'jsonrpc: "2.0"; id: string; x: X }')
    assert line(of_x(old, old.replace(BEFORE, AFTER))).endswith(f"{B}/{C}/{B} client")


def test_errors_come_from_whoever_is_asked_by_the_other_revision():
    error = "export interface JSONRPCError { jsonrpc: '2.0'; id: string; error: X }\n"
    ask = "export interface AskRequest extends JSONRPCRequest { method: 'ask' }\n"
    neither, both = framed(BEFORE + error), with_unions(BEFORE + error + ask, ServerRequest="AskRequest")
    # A client answers the requests of a server of the other revision, even those that it does not know.
    assert line(of_x(neither, neither.replace(BEFORE, AFTER))).endswith(f"{C}/{B}/{B} server")
    assert line(of_x(both, both.replace(BEFORE, AFTER))).endswith(f"{B}/{B}/{B} client+server")
    assert line(of_x(neither, both.replace(BEFORE, AFTER))).endswith(f"{B}/{B}/{B} client+server")
    assert line(of_x(both, neither.replace(BEFORE, AFTER))).endswith(f"{C}/{B}/{B} server")


def test_a_schema_without_methods_does_not_say_where_anything_is():
    bare = "export interface In { y: X }"
    assert line(of_x(BEFORE + bare, AFTER + bare)).endswith(f"{B}/{B}/{B} client+server")
