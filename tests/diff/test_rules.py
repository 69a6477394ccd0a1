"""Each rule of the contract: one small edit, the changes it makes, who sends the subject, and the verdicts."""

from __future__ import annotations

import pytest
from diff.comparing import lines
from mcp_bindgen.diff import RULES

C, R, B = "compatible", "risky", "breaking"

FIELDS = {
    "required, from the client": (
        "export interface In { a: string }",
        "export interface In { a: string; b: number }",
        [f"field_added In.b field-added-required {B}/{C}/{B} client"],
    ),
    "required, from the server": (
        "export interface Out { a: string }",
        "export interface Out { a: string; b: number }",
        [f"field_added Out.b field-added-required {C}/{B}/{B} server"],
    ),
    "required, from both": (
        "export interface Told { a: string }",
        "export interface Told { a: string; b: number }",
        [f"field_added Told.b field-added-required {B}/{B}/{B} client+server"],
    ),
    "optional": (
        "export interface In { a: string }",
        "export interface In { a: string; b?: number }",
        [f"field_added In.b field-added-optional {C}/{C}/{C} client"],
    ),
    "removed, required": (
        "export interface Out { a: string; b: number }",
        "export interface Out { a: string }",
        [f"field_removed Out.b field-removed-required {B}/{C}/{B} server"],
    ),
    "removed, optional": (
        "export interface In { a: string; b?: number }",
        "export interface In { a: string }",
        [f"field_removed In.b field-removed-optional {R}/{C}/{B} client"],
    ),
    "removed, but still allowed": (
        "export interface In { a: string; b?: number }",
        "export interface In { a: string; [key: string]: unknown }",
        [
            f"openness_changed In openness-changed {C}/{C}/{C} client",
            f"field_removed In.b field-removed-now-open {C}/{R}/{B} client",
        ],
    ),
    "removed, and not of what is allowed": (
        "export interface In { a: string; b: number }",
        "export interface In { a: string; [key: string]: string }",
        [
            f"openness_changed In openness-changed {C}/{C}/{C} client",
            f"field_removed In.b field-removed-required {C}/{B}/{B} client",
        ],
    ),
    "removed from what was open all the time": (
        "export interface Out extends Result { a: string; b: number }",
        "export interface Out extends Result { a: string }",
        [f"field_removed Out.b field-removed-required {B}/{C}/{B} server"],
    ),
    "became required": (
        "export interface In { a?: string }",
        "export interface In { a: string }",
        [f"field_became_required In.a field-became-required {B}/{C}/{B} client"],
    ),
    "became optional": (
        "export interface Out { a: string }",
        "export interface Out { a?: string }",
        [f"field_became_optional Out.a field-became-optional {R}/{C}/{B} server"],
    ),
    "undefined is optional": (
        "export interface In { a?: string }",
        "export interface In { a: string | undefined }",
        [],
    ),
    "wider": (
        "export interface Out { a: string }",
        "export interface Out { a: string | number }",
        [f"field_type_changed Out.a type-widened {R}/{C}/{B} server"],
    ),
    "wider, any JSON": (
        "export interface In { a: { [key: string]: unknown } }",
        "export interface In { a: unknown }",
        [f"field_type_changed In.a type-widened {C}/{R}/{B} client"],
    ),
    "nullable": (
        "export interface Out { a: number }",
        "export interface Out { a: number | null }",
        [f"field_type_changed Out.a type-widened {R}/{C}/{B} server"],
    ),
    "narrower": (
        "export interface In { a: string | number }",
        "export interface In { a: number }",
        [f"field_type_changed In.a type-narrowed {B}/{C}/{B} client"],
    ),
    "narrower, an enumeration": (
        "export interface In { a: string }",
        "export interface In { a: 'x' | 'y' }",
        [f"field_type_changed In.a type-narrowed {B}/{C}/{B} client"],
    ),
    "an enumeration that is closed now": (
        "export interface In { a: 'x' | 'y' | string }",
        "export interface In { a: 'x' | 'y' }",
        [f"field_type_changed In.a type-narrowed {B}/{C}/{B} client"],
    ),
    "replaced": (
        "export interface In { a: string }",
        "export interface In { a: number }",
        [f"field_type_changed In.a type-replaced {B}/{B}/{B} client"],
    ),
    "replaced, one literal by another": (
        "export interface In { a: 'x' }",
        "export interface In { a: 'y' }",
        [f"field_type_changed In.a type-replaced {B}/{B}/{B} client"],
    ),
    "replaced, an array by its element": (
        "export interface In { a: string[] }",
        "export interface In { a: string }",
        [f"field_type_changed In.a type-replaced {B}/{B}/{B} client"],
    ),
    "the elements of an array": (
        "export interface In { a: string[][] }",
        "export interface In { a: number[][] }",
        [f"field_type_changed In.a type-replaced {B}/{B}/{B} client"],
    ),
    "the values of a map": (
        "export interface In { a: { [key: string]: string } }",
        "export interface In { a: { [key: string]: string | number } }",
        [f"field_type_changed In.a type-widened {C}/{R}/{B} client"],
    ),
    "the same, written differently": (
        "export interface In { a: object; b: true | false }",
        "export interface In { a: { [key: string]: unknown }; b: boolean }",
        [
            f"field_type_changed In.a type-equivalent {C}/{C}/{C} client",
            f"field_type_changed In.b type-equivalent {C}/{C}/{C} client",
        ],
    ),
    "a marker that got members": (
        "export interface In { a?: object }",
        "export interface In { a?: { b?: object; c?: { d: string } } }",
        [
            f"field_added In.a.b field-added-optional {C}/{C}/{C} client",
            f"field_added In.a.c field-added-optional {C}/{C}/{C} client",
        ],
    ),
    "a marker that has to have members": (
        "export interface In { a?: object }",
        "export interface In { a?: { b: string } }",
        [f"field_type_changed In.a type-narrowed {B}/{C}/{B} client"],
    ),
    "inside an inline object": (
        "export interface In { a: { b: { c: string }[] } }",
        "export interface In { a: { b: { c: string; d: string }[] } }",
        [f"field_added In.a.b.d field-added-required {B}/{C}/{B} client"],
    ),
    "inside a map": (
        "export interface Out { a: { [key: string]: { b?: string } } }",
        "export interface Out { a: { [key: string]: { b: string } } }",
        [f"field_became_required Out.a.b field-became-required {C}/{B}/{B} server"],
    ),
    "with a name that is none": (
        "export interface In { _meta: {} }",
        "export interface In { _meta: { 'example.com/key'?: string } }",
        [f'field_added In._meta["example.com/key"] field-added-optional {C}/{C}/{C} client'],
    ),
    "constraints": (
        "export interface In {\n /** @minimum 0 */\n a: number;\n b: string }",
        "export interface In {\n /** @minimum 1 */\n a: number;\n /** @format uri */\n b: string }",
        [
            f"constraint_changed In.a constraint-changed {C}/{C}/{C} client",
            f"constraint_changed In.b constraint-changed {C}/{C}/{C} client",
        ],
    ),
    "fractions": (
        "export interface In { a: number }",
        "export interface In {\n /** @TJS-type number */\n a: number }",
        [f"constraint_changed In.a type-widened {C}/{R}/{B} client"],
    ),
    "fractions that went": (
        "export interface In {\n /** @TJS-type number */\n a: number }",
        "export interface In { a: number }",
        [f"constraint_changed In.a type-narrowed {B}/{C}/{B} client"],
    ),
    "fractions in an array": (
        "export interface Out { a?: number[] }",
        "export interface Out {\n /** @TJS-type number */\n a?: number[] }",
        [f"constraint_changed Out.a type-widened {R}/{C}/{B} server"],
    ),
    "fractions in a map": (
        "export interface In { a: { [key: string]: number } }",
        "export interface In {\n /** @TJS-type number */\n a: { [key: string]: number } }",
        [f"constraint_changed In.a type-widened {C}/{R}/{B} client"],
    ),
    "fractions in a union": (
        "export interface In { a: number | string }",
        "export interface In {\n /** @TJS-type number */\n a: number | string }",
        [f"constraint_changed In.a type-widened {C}/{R}/{B} client"],
    ),
    "fractions that went where strings came": (
        "export interface In {\n /** @TJS-type number */\n a: number }",
        "export interface In { a: number | string }",
        [
            f"constraint_changed In.a type-narrowed {B}/{C}/{B} client",
            f"field_type_changed In.a type-replaced {B}/{B}/{B} client",
        ],
    ),
    "fractions and a limit": (
        "export interface In {\n /** @minimum 0 */\n a: number }",
        "export interface In {\n /** @minimum 1\n * @TJS-type number */\n a: number }",
        [
            f"constraint_changed In.a constraint-changed {C}/{C}/{C} client",
            f"constraint_changed In.a type-widened {C}/{R}/{B} client",
        ],
    ),
    "a member with fractions of a union of objects": (
        "export interface A { kind: 'a'; n: number }\nexport interface B { kind: 'b' }\nexport interface In { a: A | B }",
        "export interface A { kind: 'a'\n /** @TJS-type number */\n n: number }\nexport interface B { kind: 'b' }\n"
        "export interface In { a: A | B }",
        [f"constraint_changed A.n type-widened {C}/{R}/{B} client"],
    ),
    "deprecated": (
        "export interface In { a: string }",
        "/** @deprecated Use Out. */\nexport interface In {\n /** @deprecated */\n a: string }",
        [
            f"deprecated_added In deprecated-added {C}/{C}/{C} client",
            f"deprecated_added In.a deprecated-added {C}/{C}/{C} client",
        ],
    ),
    "no longer deprecated": (
        "/** @deprecated Use Out. */\nexport type X = string",
        "export type X = string",
        [f"deprecated_removed X deprecated-removed {C}/{C}/{C} nobody"],
    ),
}

A, BB, D = (f"export interface {name} {{ kind: '{name}' }}\n" for name in "ABD")

UNIONS = {
    "a member more": (
        A + BB + D + "export interface Out { a: (A | B)[] }",
        A + BB + D + "export interface Out { a: (A | B | D)[] }",
        [f"union_member_added Out.a D union-member-added {R}/{C}/{R} server"],
    ),
    "a member less": (
        A + BB + D + "export interface In { a: A | B | D }",
        A + BB + D + "export interface In { a: A | D }",
        [f"union_member_removed In.a B union-member-removed {B}/{C}/{B} client"],
    ),
    "the first of several": (
        A + BB + "export interface In { a: A }",
        A + BB + "export interface In { a: A | B }",
        [f"union_member_added In.a B union-member-added {C}/{R}/{R} client"],
    ),
    "an array beside its element": (
        A + BB + "export interface Out { a: A | B }",
        A + BB + "export interface Out { a: A | B | A[] }",
        [f"union_member_added Out.a A[] union-member-added {R}/{C}/{R} server"],
    ),
    "an array of several": (
        A + BB + "export interface Out { a: A | B | (A | B)[] }",
        A + BB + "export interface Out { a: A | B }",
        [f"union_member_removed Out.a (A | B)[] union-member-removed {C}/{B}/{B} server"],
    ),
    "scalars": (
        "export interface In { a: string | number }",
        "export interface In { a: string | boolean | null }",
        [
            f"union_member_added In.a boolean union-member-added {C}/{R}/{R} client",
            f"union_member_added In.a null union-member-added {C}/{R}/{R} client",
            f"union_member_removed In.a number union-member-removed {B}/{C}/{B} client",
        ],
    ),
    "of an alias, told there": (
        A
        + BB
        + D
        + "export type Block = A | B\nexport interface Out { a: Block[] }\nexport interface In { b?: Block }",
        A
        + BB
        + D
        + "export type Block = A | B | D\nexport interface Out { a: Block[] }\nexport interface In { b?: Block }",
        [f"union_member_added Block D union-member-added {R}/{R}/{R} client+server"],
    ),
    "aliases are expanded": (
        A + BB + D + "export interface Out { a: A | B }",
        A + BB + D + "export type Block = A | More\nexport type More = B | D\nexport interface Out { a: Block }",
        [
            f"type_added Block type-added {C}/{C}/{C} server",
            f"type_added More type-added {C}/{C}/{C} server",
            f"union_member_added Out.a D union-member-added {R}/{C}/{R} server",
        ],
    ),
    "beside an alias that has it already": (
        A + BB + D + "export type Block = A | B\nexport interface Out { a: Block | D }",
        A + BB + D + "export type Block = A | B | D\nexport interface Out { a: Block }",
        [f"union_member_added Block D union-member-added {R}/{C}/{R} server"],
    ),
    "beside an alias that has its value already": (
        "export type Level = 'x' | 'y'\nexport interface In { a: Level | 'z' }",
        "export type Level = 'x' | 'y' | 'z'\nexport interface In { a: Level }",
        # In messages all is as before: the field has had that value already.
        [f'enum_value_added Level "z" enum-value-added {C}/{C}/{R} nobody'],
    ),
    "beside an alias of scalars": (
        "export type Id = string | number\nexport type Name = string\nexport interface In { a: Id; b: Name }",
        "export type Id = string | number\nexport type Name = string\nexport interface In { a: Id | null; b: Name | null }",
        [
            f"union_member_added In.a null union-member-added {C}/{R}/{R} client",
            f"field_type_changed In.b type-widened {C}/{R}/{B} client",
        ],
    ),
    "beside an alias of literals": (
        "export type Level = 'x' | 'y'\nexport interface In { a: Level; b: Level; c: Level }",
        "export type Level = 'x' | 'y'\nexport interface In { a: Level | 'z'; b: Level | null; c: Level | string }",
        [
            f'enum_value_added In.a "z" enum-value-added {C}/{R}/{R} client',
            f"union_member_added In.b null union-member-added {C}/{R}/{R} client",
            f"field_type_changed In.c type-widened {C}/{R}/{B} client",
        ],
    ),
    "in an alias and in its array, told once": (
        A + BB + D + "export interface Out { a: A | B | (A | B)[] }",
        A + BB + D + "export interface Out { a: A | B | D | (A | B | D)[] }",
        [f"union_member_added Out.a D union-member-added {R}/{C}/{R} server"],
    ),
    "without names": (
        "export interface In { a: { kind: 'x' } | { kind: 'y'; b?: string } }",
        "export interface In { a: { kind: 'y'; b: string } | { kind: 'z' } }",
        [
            f'union_member_added In.a {{ kind: "z" }} union-member-added {C}/{R}/{R} client',
            f'union_member_removed In.a {{ kind: "x" }} union-member-removed {B}/{C}/{B} client',
            f"field_became_required In.a.b field-became-required {B}/{C}/{B} client",
        ],
    ),
    "nothing of the old is left": (
        A + BB + D + "export interface E { kind: 'E' }\nexport interface In { a: A | B }",
        A + BB + D + "export interface E { kind: 'E' }\nexport interface In { a: D | E }",
        [
            f"union_member_added In.a D union-member-added {C}/{B}/{R} client",
            f"union_member_added In.a E union-member-added {C}/{B}/{R} client",
            f"union_member_removed In.a A union-member-removed {B}/{C}/{B} client",
            f"union_member_removed In.a B union-member-removed {B}/{C}/{B} client",
        ],
    ),
    "a value more": (
        "export interface Out { a: 'x' | 'y' }",
        "export interface Out { a: 'x' | 'y' | 'z' }",
        [f'enum_value_added Out.a "z" enum-value-added {R}/{C}/{R} server'],
    ),
    "a value less": (
        "export interface In { a: 'x' | 'y' }",
        "export interface In { a: 'x' }",
        [f'enum_value_removed In.a "y" enum-value-removed {B}/{C}/{B} client'],
    ),
    "numbers": (
        "export interface In { a: 1 | 2 | true }",
        "export interface In { a: 1 | 3 | true }",
        [
            f"enum_value_added In.a 3 enum-value-added {C}/{R}/{R} client",
            f"enum_value_removed In.a 2 enum-value-removed {B}/{C}/{B} client",
        ],
    ),
    "of an alias": (
        "export type Level = 'x' | 'y'\nexport interface In { a: Level; b: Level[] }",
        "export type Level = 'x'\nexport interface In { a: Level; b: Level[] }",
        [f'enum_value_removed Level "y" enum-value-removed {B}/{C}/{B} client'],
    ),
    "open": (
        "export interface In { a: 'x' | 'y' | string; b: string }",
        "export interface In { a: 'x' | 'z' | string; b: 'p' | string }",
        [
            f'enum_value_added In.a "z" open-enum-value-added {C}/{C}/{C} client',
            f'enum_value_removed In.a "y" open-enum-value-removed {C}/{C}/{C} client',
            f'enum_value_added In.b "p" open-enum-value-added {C}/{C}/{C} client',
        ],
    ),
    "among other members": (
        "export interface In { a: 'x' | 'y' | number }",
        "export interface In { a: 'x' | number }",
        [f'enum_value_removed In.a "y" enum-value-removed {B}/{C}/{B} client'],
    ),
}

TYPES = {
    "a type more": (
        "",
        "export interface X { a: string }",
        [f"type_added X type-added {C}/{C}/{C} nobody"],
    ),
    "a type less": (
        "export type X = string",
        "",
        [f"type_removed X type-removed {C}/{C}/{B} nobody"],
    ),
    "another name": (
        "export interface Old { kind: 'x'; a: string }\nexport interface In { a: Old }",
        "export interface New { kind: 'x'; a: string }\nexport interface In { a: New }",
        [f"type_renamed Old type-renamed {C}/{C}/{B} client"],
    ),
    "an interface that is a union now": (
        A + BB + "export interface X { kind: 'A' }\nexport interface Out { a: X }",
        A + BB + "export type X = A | B\nexport interface Out { a: X }",
        [f"type_changed X type-redefined {R}/{C}/{B} server"],
    ),
    "an alias of something else": (
        "export type X = string\nexport interface In { a: X }",
        "export type X = number\nexport interface In { a: X }",
        [f"type_changed X type-redefined {B}/{B}/{B} client"],
    ),
    "constants": (
        "export const A = 1\nexport const B = 'b'\nexport const D = -5",
        "export const B = 'c'\nexport const C = 2\nexport const D = -5",
        [
            f"constant_removed A constant-removed {C}/{C}/{B} nobody",
            f"constant_changed B constant-changed {C}/{C}/{C} nobody",
            f"constant_added C constant-added {C}/{C}/{C} nobody",
        ],
    ),
}


@pytest.mark.parametrize("case", FIELDS)
def test_fields(case):
    old, new, expected = FIELDS[case]
    assert lines(old, new) == expected


@pytest.mark.parametrize("case", UNIONS)
def test_unions_and_enumerations(case):
    old, new, expected = UNIONS[case]
    assert lines(old, new) == expected


@pytest.mark.parametrize("case", TYPES)
def test_types_and_constants(case):
    old, new, expected = TYPES[case]
    assert lines(old, new) == expected


def test_the_table_is_that_of_the_contract():
    verdicts = {name: (rule.weights.old_to_new, rule.weights.new_to_old, rule.api) for name, rule in RULES.items()}
    assert verdicts == {
        "field-added-required": (B, C, B),
        "field-added-optional": (C, C, C),
        "field-removed-required": (C, B, B),
        "field-removed-optional": (R, C, B),
        "field-removed-now-open": (C, R, B),
        "field-became-required": (B, C, B),
        "field-became-optional": (C, R, B),
        "type-widened": (C, R, B),
        "type-narrowed": (B, C, B),
        "type-replaced": (B, B, B),
        "type-equivalent": (C, C, C),
        "union-member-added": (C, R, R),
        "union-member-removed": (B, C, B),
        "enum-value-added": (C, R, R),
        "enum-value-removed": (B, C, B),
        "open-enum-value-added": (C, C, C),
        "open-enum-value-removed": (C, C, C),
        "openness-changed": (C, C, C),
        "constraint-changed": (C, C, C),
        "method-added": (C, R, C),
        "method-removed": (B, C, B),
        "notification-added": (C, C, C),
        "notification-removed": (C, R, B),
        "notification-requested": (C, R, C),
        "direction-changed": (C, C, R),
        "method-embedded": (B, R, B),
        "type-removed": (C, C, B),
        "type-renamed": (C, C, B),
        "type-redefined": (C, C, B),
        "type-added": (C, C, C),
        "constant-removed": (C, C, B),
        "constant-added": (C, C, C),
        "constant-changed": (C, C, C),
        "deprecated-added": (C, C, C),
        "deprecated-removed": (C, C, C),
        "doc-changed": (C, C, C),
    }
    assert all(rule.explanation.endswith(".") for rule in RULES.values())
