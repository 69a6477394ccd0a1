"""What looks like a change and is none, and what is easily told as something else than it is."""

from __future__ import annotations

import pytest
from diff.comparing import FRAME, compare, framed, line, lines, only, resolve
from mcp_bindgen import diff

C, R, B = "compatible", "risky", "breaking"

NOTHING = {
    "another order, other words": (
        "/** One. */\nexport interface In { a: string; b?: 'x' | 'y' }\nexport type X = string | number",
        "export type X = number | string\nexport interface In { b?: 'y' | 'x';\n /** Two. */\n a: string }",
    ),
    "an object that an alias builds": (
        "export interface In { a: string; b?: number }",
        "export type In = { a: string } & { b?: number }",
    ),
    "arrays and maps": (
        "export interface In { a: string[]; b: { [key: string]: number } }",
        "export interface In { a: Array<string>; b: Record<string, number> }",
    ),
    "a literal by the name of its constant": (
        "export const X = 'x'\nexport interface In { a: 'x' }",
        "export const X = 'x'\nexport interface In { a: typeof X }",
    ),
    "any and unknown": (
        "export interface In { a: any; b: { [key: string]: any } }",
        "export interface In { a: unknown; b: { [key: string]: unknown } }",
    ),
    "a type looked up": (
        "export interface In { a: 'x' | 'y'; b: 'x' | 'y' }",
        "export interface In { a: 'x' | 'y'; b: In['a'] }",
    ),
    "a union in another order": (
        "export interface P { p: 1 }\nexport interface Q { q: 1 }\nexport interface In { a: P | Q | (P | Q)[] }",
        "export interface P { p: 1 }\nexport interface Q { q: 1 }\nexport interface In { a: (Q | P)[] | Q | P }",
    ),
}

NAMES_ONLY = {
    "a new base": (
        "export interface In { a: string; b?: number }\nexport interface Out { a: string }",
        "export interface Named { a: string }\nexport interface In extends Named { b?: number }\nexport interface Out extends Named {}",
    ),
    "a base that is gone": (
        "export interface Named { a: string }\nexport interface In extends Named { b?: number }",
        "export interface In { a: string; b?: number }",
    ),
    "an intersection": (
        "export interface In { a: string; b?: number }",
        "export interface Named { a: string; x: string }\nexport type In = Omit<Named, 'x'> & { b?: number }",
    ),
    "an alias for a scalar": (
        "export interface In { a: string | number; b: string[] }",
        "export type Id = string | number\nexport type Name = string\nexport interface In { a: Id; b: Name[] }",
    ),
    "an inline object that gets a name": (
        "export interface In { a: { b: { c: string }[] } }",
        "export interface In { a: Inner }\nexport interface Inner { b: Innermost[] }\nexport type Innermost = { c: string }",
    ),
    "an inline map that gets a name": (
        "export interface In { a: { [key: string]: unknown } }\nexport interface Out { a?: { [key: string]: unknown } }",
        "export type Map = Record<string, unknown>\nexport interface In { a: Map }\nexport interface Out { a?: Map }",
    ),
    "inline members that get names": (
        "export interface In { a: { kind: 'x' } | { kind: 'y' } }",
        "export interface In { a: P | Q }\nexport interface P { kind: 'x' }\nexport interface Q { kind: 'y' }",
    ),
    "an interface that is an alias of another": (
        "export interface In { a: string }",
        "export type In = Inner\nexport interface Inner { a: string }",
    ),
    "types of the same shape, one beside the other": (
        "export interface P { p: string }\nexport interface In { a: P }",
        "export interface P { p: string }\nexport interface Q { p: string }\nexport interface In { a: P }",
    ),
}


@pytest.mark.parametrize("case", NOTHING)
def test_nothing_has_changed(case):
    old, new = NOTHING[case]
    assert lines(old, new) == lines(new, old) == []


@pytest.mark.parametrize("case", NAMES_ONLY)
def test_only_names_came_and_went(case):
    old, new = NAMES_ONLY[case]
    for difference in (compare(old, new), compare(new, old)):
        assert {change.kind for change in difference.changes} <= {"type_added", "type_removed"}
        assert difference.changes


def test_another_type_of_the_same_shape_is_told_as_the_same():
    old = "export interface P { p: string }\nexport interface Q { p: string }\nexport interface In { a: P }"
    assert lines(old, old.replace("a: P", "a: Q")) == [f"field_type_changed In.a type-equivalent {C}/{C}/{C} client"]


def test_another_type_of_another_shape_is_judged_by_what_is_in_it():
    types = "export interface P { p: string; q?: string }\nexport interface Q { p: string }\nexport interface R { r: string }\n"
    old = types + "export interface In { a: P; b: Q; c: P }"
    new = types + "export interface In { a: Q; b: P; c: R }"
    assert lines(old, new) == [
        # Its q is ignored; nothing else about it is different.
        f"field_type_changed In.a type-narrowed {R}/{C}/{B} client",
        f"field_type_changed In.b type-equivalent {C}/{C}/{C} client",
        f"field_type_changed In.c type-replaced {B}/{B}/{B} client",
    ]


def test_fields_of_types_that_came_or_went_are_not_told():
    old = "export interface P { p: string }\nexport interface In { a?: P }"
    new = "export interface Q { q: string; r: string }\nexport interface In { b?: Q }"
    assert [change.subject for change in compare(old, new).changes] == ["In.a", "In.b", "P", "Q"]


class TestNamedAndInlineParams:
    INLINE = FRAME.replace("params: GetRequestParams }", "params: { in: In } }").replace(
        "export interface GetRequestParams { in: In }", ""
    )

    def compare(self, old: str, new: str) -> list[str]:
        rest = framed("").removeprefix(FRAME)
        return [line(change) for change in diff.compare(resolve(old + rest), resolve(new + rest)).changes]

    def test_the_same(self):
        assert self.compare(self.INLINE, FRAME) == [f"type_added GetRequestParams type-added {C}/{C}/{C} client"]
        assert self.compare(FRAME, self.INLINE) == [f"type_removed GetRequestParams type-removed {C}/{C}/{B} client"]

    def test_fields_are_compared_with_each_other(self):
        new = FRAME.replace("{ in: In }", "{ in?: In; more: string }")
        assert self.compare(self.INLINE, new) == [
            f"type_added GetRequestParams type-added {C}/{C}/{C} client",
            f"field_became_optional GetRequestParams.in field-became-optional {C}/{R}/{B} client",
            f"field_added GetRequestParams.more field-added-required {B}/{C}/{B} client",
        ]

    def test_params_of_another_name_are_the_params_all_the_same(self):
        new = FRAME.replace("{ in: In }", "{ in: In; more?: string }").replace("GetRequestParams", "GetParams")
        assert self.compare(FRAME, new) == [
            f"type_added GetParams type-added {C}/{C}/{C} client",
            f"field_added GetParams.more field-added-optional {C}/{C}/{C} client",
            f"type_removed GetRequestParams type-removed {C}/{C}/{B} client",
        ]

    def test_a_name_that_stands_for_more_than_one_is_not_used(self):
        old = "export interface Out { a: { x: string }; b: { x?: string } }"
        new = "export interface Out { a: X; b: X }\nexport interface X { x: string }"
        assert lines(old, new) == [
            f"field_became_required Out.b.x field-became-required {C}/{B}/{B} server",
            f"type_added X type-added {C}/{C}/{C} server",
        ]


def test_an_envelope_spelled_out_elsewhere():
    late = FRAME
    early = late.replace("extends JSONRPCRequest", "extends Request").replace(
        "extends JSONRPCNotification", "extends Notification"
    )
    bare = early.replace("GetRequest extends Request", "GetRequest")
    for old, new in [(early, late), (late, early), (bare, late), (late, bare)]:
        rest = framed("").removeprefix(FRAME)
        assert diff.compare(resolve(old + rest), resolve(new + rest)).changes == ()


class TestInheritance:
    BASE = "export interface Base { a: string }\nexport interface In extends Base { b: string }\nexport interface Out extends Base {}\n"

    def test_told_once_at_the_declaring_type(self):
        change = only(compare(self.BASE, self.BASE.replace("a: string", "a?: string")))
        assert line(change) == f"field_became_optional Base.a field-became-optional {R}/{R}/{B} client+server"
        assert (change.inherited_by, change.declared_in) == (("In", "Out"), None)
        assert change.methods == ("widgets/get",)

    def test_told_of_each_type_where_the_declaring_one_is_new(self):
        old = "export interface In { b: string }\nexport interface Out { o: string }"
        new = "export interface Base { a?: string }\nexport interface In extends Base { b: string }\nexport interface Out extends Base { o: string }"
        changes = compare(old, new).changes
        assert [(each.subject, each.declared_in) for each in changes] == [
            ("Base", None),
            ("In.a", "Base"),
            ("Out.a", "Base"),
        ]

    def test_who_declares_a_field_of_its_own_does_not_change_with_the_base(self):
        old = self.BASE.replace("{ b: string }", "{ a: string; b: string }")
        change = only(compare(old, old.replace("Base { a: string }", "Base { a: string; c?: string }")))
        assert (change.subject, change.inherited_by) == ("Base.c", ("In", "Out"))
        changed = compare(old, old.replace("a: string", "a: number")).changes
        assert [(each.subject, each.inherited_by) for each in changed] == [("Base.a", ("Out",)), ("In.a", ())]

    def test_a_field_moves_to_its_heirs(self):
        new = "export interface Base {}\nexport interface In extends Base { a: string; b: string }\nexport interface Out extends Base { a: string }\n"
        # The base itself has lost it, but no message is a Base.
        assert lines(self.BASE, new) == [f"field_removed Base.a field-removed-required {C}/{C}/{B} nobody"]

    def test_an_index_signature_of_a_base(self):
        new = self.BASE.replace("{ a: string }", "{ a: string; [key: string]: unknown }")
        change = only(compare(self.BASE, new))
        assert (change.kind, change.subject, change.inherited_by) == ("openness_changed", "Base", ("In", "Out"))
        assert (change.old, change.new) == (None, "[key: string]: unknown")


RENAMES = {
    "in the same field": ("export interface P { a: string }\nexport interface In { a: P }", "PQ", True),
    "in a union": (
        "export interface P { kind: 'p' }\nexport interface X { kind: 'x' }\nexport interface In { a: P | X }",
        "PQ",
        True,
    ),
    "of itself": ("export interface P { a: string; again?: P }\nexport interface In { a: P }", "PQ", True),
    "an alias": ("export type P = 'x' | 'y'\nexport interface In { a: P }", "PQ", True),
    "of an alias, at nothing": ("export type P = 'x' | 'y'", "PQ", False),
    "at nothing, with enough to know it by": ("export interface P { a: string; b: number }", "PQ", True),
    "at nothing, with too little": ("export interface P { a: string }", "PQ", False),
    "of a base": (
        "export interface P { a: string }\nexport interface In extends P { b: string }\nexport interface Out extends P { b: string }",
        "PQ",
        True,
    ),
}


@pytest.mark.parametrize("case", RENAMES)
def test_renames(case):
    old, (one, other), expected = RENAMES[case]
    new = old.replace(f"{one} ", f"{other} ").replace(f": {one}", f": {other}")
    kinds = [change.kind for change in compare(old, new).changes]
    assert kinds == (["type_renamed"] if expected else ["type_removed", "type_added"])


NO_RENAMES = {
    "another shape": (
        "export interface P { a: string }\nexport interface In { a: P }",
        "export interface Q { b: string }\nexport interface In { a: Q }",
    ),
    "another place": (
        "export interface P { a: string; b: string }\nexport interface In { a?: P }",
        "export interface Q { a: string; b: string }\nexport interface In { b?: Q }",
    ),
    "two that could be meant": (
        "export interface P { a: string }\nexport interface In { a: P; b: P }",
        "export interface Q { a: string }\nexport interface R { a: string }\nexport interface In { a: Q; b: R }",
    ),
    "a type that is still there": (
        "export interface P { a: string }\nexport interface In { a: P }",
        "export interface P { a: string }\nexport interface Q { a: string }\nexport interface In { a: Q }",
    ),
    "another type of a field": (
        "export interface P { a: string }\nexport interface In { a: P }",
        "export interface Q { a: number }\nexport interface In { a: Q }",
    ),
}


@pytest.mark.parametrize("case", NO_RENAMES)
def test_what_is_not_sure_is_no_rename(case):
    old, new = NO_RENAMES[case]
    for difference in (compare(old, new), compare(new, old)):
        assert "type_renamed" not in {change.kind for change in difference.changes}


def test_renamed_types_are_compared_with_each_other():
    old = "export interface P { kind: 'p'; a: string }\nexport interface X { kind: 'x' }\nexport interface In { a: P | X }"
    new = old.replace("P ", "Q ").replace("a: string", "a?: string")
    assert lines(old, new) == [
        f"type_renamed P type-renamed {C}/{C}/{B} client",
        f"field_became_optional Q.a field-became-optional {C}/{R}/{B} client",
    ]


def test_a_rename_may_prove_another():
    old = "export interface P { next: PP }\nexport interface PP { a: string }\nexport interface In { a: P }"
    new = old.replace("PP", "QQ").replace("P ", "Q ").replace("a: P", "a: Q")
    assert [(each.kind, each.old, each.new) for each in compare(old, new).changes] == [
        ("type_renamed", "P", "Q"),
        ("type_renamed", "PP", "QQ"),
    ]


def test_a_reused_name():
    old = "export interface Answer { kind: 'good' }\nexport interface Fault { kind: 'bad' }\nexport interface Out { a: Answer | Fault }"
    new = "export interface GoodAnswer { kind: 'good' }\nexport interface BadAnswer { kind: 'bad' }\nexport type Answer = GoodAnswer | BadAnswer\nexport interface Out { a: Answer }"
    assert [(each.kind, each.subject, each.new, each.level) for each in compare(old, new).changes] == [
        ("type_changed", "Answer", "GoodAnswer | BadAnswer", C),
        ("type_renamed", "Answer", "GoodAnswer", C),
        ("type_renamed", "Fault", "BadAnswer", C),
    ]


def test_a_member_that_another_one_stands_for():
    old = "export interface Choice { kind: 'choice'; names?: string[] }\nexport interface Text { kind: 'text' }\nexport interface Out { a: Choice | Text }"
    new = (
        "export interface Legacy { kind: 'choice'; names?: string[]; start?: string }\nexport interface Many { kind: 'many' }\n"
        "export type Choice = Legacy | Many\nexport interface Text { kind: 'text' }\nexport interface Out { a: Choice | Text }"
    )
    assert lines(old, new) == [
        f"type_changed Choice type-redefined {R}/{C}/{B} server",
        f"type_added Legacy type-added {C}/{C}/{C} server",
        # A new type that takes the place of a member is compared with that; another new type is not compared.
        f"field_added Legacy.start field-added-optional {C}/{C}/{C} server",
        f"type_added Many type-added {C}/{C}/{C} server",
        f"union_member_added Out.a Many union-member-added {R}/{C}/{R} server",
    ]
    # The other way round, the field is still that of the type which has it.
    assert f"field_removed Legacy.start field-removed-optional {C}/{R}/{B} server" in lines(new, old)


CONTINUED = "export interface Gone { a: string; b: number; old?: string }", (
    "export interface Come { a: string; b: number; old?: string; more?: number }"
)
PLACES = {
    "a field": "export interface Out { o: ONE | Other }",
    "an array": "export interface Out { o: (ONE | Other)[] }",
    "a map": "export interface Out { o: { [key: string]: ONE | Other } }",
    "an alias": "export type Some = ONE | Other\nexport interface Out { o: Some }",
}


@pytest.mark.parametrize("place", PLACES)
def test_a_new_type_that_takes_the_place_of_a_member(place: str):
    other = "export interface Other { other: string }\n"
    old = f"{other}{CONTINUED[0]}\n{PLACES[place].replace('ONE', 'Gone')}"
    new = f"{other}{CONTINUED[1]}\n{PLACES[place].replace('ONE', 'Come')}"
    assert lines(old, new) == [
        f"type_added Come type-added {C}/{C}/{C} server",
        f"field_added Come.more field-added-optional {C}/{C}/{C} server",
        f"type_removed Gone type-removed {C}/{C}/{B} server",
    ]


@pytest.mark.parametrize(
    "response", ["", "export interface GetResultResponse { jsonrpc: '2.0'; id: string; result: ONE }"]
)
def test_a_new_type_that_takes_the_place_of_a_result(response: str):
    """Whether the result is named by a response or by the union of all results."""
    given = "export interface GetResult extends Result { out: Out }"
    frame = framed("").replace(given, "")
    result = "export interface ONE extends Result { out: Out; n: number; MORE }"
    old = frame + (result + response).replace("ONE", "GetResult").replace("MORE", "")
    new = frame + (result + response).replace("ONE", "TakeResult").replace("MORE", "more?: string")
    if not response:
        new += "\nexport type GetResult = TakeResult | OtherResult\nexport interface OtherResult extends Result { b: string }"
    found = [line(change) for change in diff.compare(resolve(old), resolve(new)).changes]
    assert f"field_added TakeResult.more field-added-optional {C}/{C}/{C} server" in found


def test_words_are_told_only_when_asked_for():
    old = "/** One. */\nexport interface In {\n /** Two. */\n a: string }\n/** Three. */\nexport const X = 1"
    new = old.replace("One", "Uno").replace("Two", "Due").replace("Three", "Tre")
    assert compare(old, new).changes == ()
    assert [(each.kind, each.subject, each.new) for each in compare(old, new, docs=True).changes] == [
        ("doc_changed", "In", "Uno."),
        ("doc_changed", "In.a", "Due."),
        ("doc_changed", "X", "Tre."),
    ]
