"""What is refused: every fault at its place, all faults of a file in one run, and nothing skipped in silence."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_bindgen.errors import Fault, SchemaError
from mcp_bindgen.syntax.declarations import read_schema
from mcp_bindgen.syntax.parse import MAX_SYNTAX_FAULTS


def faults_of(text: str | bytes) -> list[str]:
    """The faults of a schema without the name of the file and without the caret: ``1:2: message``."""
    with pytest.raises(SchemaError) as refused:
        read_schema(text if isinstance(text, bytes) else text.encode(), "schema.ts")
    positions = [fault.position for fault in refused.value.faults]
    assert all(position.file == "schema.ts" for position in positions)
    assert positions == sorted(positions, key=lambda position: (position.line, position.column))
    return [f"{fault.position.line}:{fault.position.column}: {fault.message}" for fault in refused.value.faults]


def fault_of(text: str | bytes) -> str:
    (fault,) = faults_of(text)
    return fault


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("enum E { A }", "1:1: found an enum declaration"),
        ("export const enum E { A }", "1:8: found an enum declaration"),
        ("declare enum E { A }", "1:9: found an enum declaration after `declare`"),
        ("export class C {}", "1:8: found a class declaration"),
        ("abstract class C {}", "1:1: found an abstract class declaration"),
        ("function f() {}", "1:1: found a function declaration"),
        ("declare function f(): void;", "1:9: found a function signature after `declare`"),
        ("namespace N {}", "1:1: found a namespace"),
        ("declare namespace N { type A = B; }", "1:9: found a namespace after `declare`"),
        ('declare module "m" {}', "1:9: found a module declaration after `declare`"),
        ("declare global {}", "1:9: found `global` after `declare`"),
        ("declare declare type A = B;", "1:9: found an ambient declaration after `declare`"),
        ("let a = 1;", "1:1: found `let`"),
        ("export let a = 1;", "1:8: found `let`"),
        ("var a = 1;", "1:1: found a variable declaration"),
        ('"use strict";', "1:1: found an expression statement"),
        ("type = string;", "1:1: found an expression statement"),
        ("if (a) {}", "1:1: found an if statement"),
        ("#!/usr/bin/env node\n", "1:1: found a `#!` line"),
        ("export default interface A {}", "1:8: found `default` beside `export`"),
        ("export = A;", "1:8: found `=` beside `export`"),
        ("export as namespace A;", "1:8: found `as` beside `export`"),
        ('export * from "m";', "1:1: found an export from another module"),
        ('export * as a from "m";', "1:1: found an export from another module"),
        ('export type { A } from "m";', "1:1: found an export from another module"),
        ("export import A = B.C;", "1:8: found an import alias"),
        ("type A = B; export { A as C };", "1:22: found an export under another name"),
        ("export { A };", "1:10: `A` is exported, but not declared in this file"),
        ("import { A } from 'm'; export { A };", "1:33: found an export of the import `A`"),
        ('import a from "m";', "1:8: found an import of something other than names"),
        ('import type a from "m";', "1:13: found an import of something other than names"),
        ('import a, { b } from "m";', "1:8: found an import of something other than names"),
        ('import * as a from "m";', "1:8: found an import of something other than names"),
        ('import "m";', "1:1: found an import without names"),
        ('import a = require("m");', "1:8: found `import … = require(…)`"),
        ('import { a } from "m" with { type: "json" };', "1:23: found an import attribute"),
        ('import { "a" as b } from "m";', "1:10: found a string"),
        ('import { default as a } from "m";', "1:10: found an import of the default export"),
        ('import { typeof a } from "m";', "1:10: found `typeof`"),
        ("type A<T> = string;", "1:7: type parameters are not supported"),
        ("interface A<T = B> {}", "1:12: type parameters are not supported"),
        ("interface A extends b.C {}", "1:21: found a dotted name"),
        ("type string = A;", "1:6: `string` is the name of a built-in type"),
        ("interface any {}", "1:11: `any` is the name of a built-in type"),
        (r"type \u0041 = string;", "1:6: found an escape sequence in a name"),
    ],
)
def test_statements_outside_of_the_table_are_refused(text: str, found: str) -> None:
    assert fault_of(text).startswith(found)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("const A = null;", "found `null`; expected a string, a number, `true` or `false`"),
        ("const A = undefined;", "found `undefined`; expected a string"),
        ("const A = f();", "found a call expression"),
        ("const A = { a: 1 };", "found an object"),
        ("const A = [1];", "found an array"),
        ("const A = (1);", "found a parenthesized expression"),
        ("const A = `a`;", "found a template string"),
        ("const A = -B;", "found a unary expression"),
        ("const A = !1;", "found a unary expression"),
        ("const A = - -1;", "found a unary expression"),
        ("const A = 1 + 1;", "found a binary expression"),
        ("const A = 1n;", "found a bigint"),
        ("const A = 010;", "this number is malformed"),
        ("const A = 1e999;", "this number is too large"),
        ("const A = { a: 1 } satisfies B;", "found a satisfies expression"),
        ("const A = 1 as B;", "found a name after `as`"),
        ("const A = 1 as const as const;", "found an as expression"),
        ("const { a } = 1;", "found an object pattern"),
        ("const A = 1, B = f();", "found a call expression"),
        ("const A;", "this constant has no value"),
        ("declare const A: string;", "this constant has no value"),
        ("declare const A: typeof B;", "this constant has no value"),
        ('const A: "a" = "b";', "the value of this constant differs from the literal in its type"),
        ("const A: true = 1;", "the value of this constant differs from the literal in its type"),
        ("const A: void = 1;", "found `void`"),
    ],
)
def test_constants_without_a_plain_value_are_refused(text: str, found: str) -> None:
    assert found in fault_of(text)


@pytest.mark.parametrize(
    ("text", "column", "found"),
    [
        ("[string, number]", 1, "found a tuple type; expected a built-in type, a name"),
        ("keyof B", 1, "found a `keyof` type"),
        ("B extends C ? D : E", 1, "found a conditional type"),
        ("`a${B}`", 1, "found a template literal type"),
        ("`a`", 1, "found a template literal type"),
        ("() => B", 1, "found a function type"),
        ("(a: string) => B", 1, "found a function type"),
        ("new () => B", 1, "found a constructor type"),
        ("unique symbol", 1, "found `unique symbol`, which is not the type of any JSON value"),
        ("symbol", 1, "found `symbol`"),
        ("void", 1, "found `void`"),
        ("bigint", 1, "found `bigint`"),
        ("this", 1, "found `this`"),
        ("infer B", 1, "found an `infer` type"),
        ("b.C", 1, "found a dotted name"),
        ("b.C<D>", 1, "found a dotted name"),
        ('import("m").B', 1, "found a dotted name"),
        ("?B", 1, "found a `?` type"),
        ("*", 1, "found a `*` type"),
        ("const", 1, "found `const`"),
        ("Array<const>", 7, "found `const`"),
        ("Array<B, void[]>", 10, "found `void`"),
        ("typeof B.c", 8, "found a dotted name after `typeof`"),
        ("typeof this", 8, "found a this after `typeof`"),
        ("typeof B<C>", 8, "found an instantiation expression after `typeof`"),
        ("B[number]", 3, "found a built-in type in `[ ]`"),
        ("B['a' | 'b']", 3, "found a union type in `[ ]`"),
        ("B[C]", 3, "found a name in `[ ]`"),
        ("B[0]", 3, "found a number in `[ ]`"),
        ("readonly B", 10, "found a name after `readonly`"),
        ("readonly B | C[]", 10, "found a name after `readonly`"),
        ("readonly readonly B[]", 10, "found a readonly type after `readonly`"),
        ("B & readonly C[] | D", 5, "found a union in an intersection"),
        ("B | | C", 5, "found `|` with no type before it"),
        ("| | B", 3, "found `|` with no type before it"),
        ("B & & C", 5, "found `&` with no type before it"),
        ("B & | C", 5, "found a union in an intersection"),
        ("B | C | void | D", 9, "found `void`"),
        ("10n", 1, "found a bigint"),
        ("0_1", 1, "this number is malformed"),
        ("-1e999", 2, "this number is too large"),
        (r'"\u{D800}"', 1, "this string contains half of a surrogate pair"),
        (r'"a\uDE00\uD83D"', 1, "this string contains half of a surrogate pair"),
        (r'"é\8"', 3, "unknown escape sequence"),
        (r'"\u{110000}"', 2, "unknown escape sequence"),
        (r'"\08"', 2, "unknown escape sequence"),
        ('"a\n"', 3, "this string has no closing quote on its line"),
        ('"\\?\n"', 4, "this string has no closing quote on its line"),
    ],
)
def test_types_outside_of_the_table_are_refused(text: str, column: int, found: str) -> None:
    assert fault_of(f"type A =\n{text};").startswith(f"2:{column}: {found}")


@pytest.mark.parametrize(
    ("text", "column", "found"),
    [
        ("a(): string", 1, "found a method signature; expected a property `name: type` or an index signature"),
        ("a?(): string", 1, "found a method signature"),
        ("get a(): string", 1, "found a method signature"),
        ("set a(b: string)", 1, "found a method signature"),
        ("(): string", 1, "found a call signature"),
        ("new (): string", 1, "found a construct signature"),
        ("export type B = string", 1, "found an export statement"),
        ("a", 1, "this property has no type"),
        ("a?; b: c", 1, "this property has no type"),
        ("#a: string", 1, "found a private name"),
        ("[a]: string", 1, "found a computed name"),
        ("['a']: string", 1, "found a computed name"),
        ("[Symbol.iterator]: string", 1, "found a computed name"),
        ("private a: string", 1, "found an accessibility modifier"),
        ("static a: string", 1, "found `static`"),
        ("override a: string", 1, "found an override modifier"),
        ("1e21: string", 1, "JavaScript converts this number to another name"),
        ("1n: string", 1, "found a bigint"),
        (r'"\u{D800}": string', 1, "this string contains half of a surrogate pair"),
        ("[key: number]: string", 7, "found `number`; expected"),
        ("[key: symbol]: string", 7, "found `symbol`; expected"),
        ("[key: B]: string", 7, "found a name; expected"),
        ("[key: 'a' | 'b']: string", 7, "found a union type; expected"),
        ("[K in B]: string", 2, "found a mapped type"),
        ("[K in keyof B]?: string", 2, "found a mapped type"),
        ("-readonly [key: string]: B", 1, "found `-`"),
        ("[a: string]: B; [b: string]: C", 17, "this body already has an index signature, at schema.ts:2:1"),
        ("a: B; b: C; a?: D", 13, "`a` is already declared in this body, at schema.ts:2:1"),
        ("a: B; 'a': C", 7, "`a` is already declared in this body, at schema.ts:2:1"),
        ("1: B; '1': C", 7, "`1` is already declared in this body, at schema.ts:2:1"),
        ("a: { b: C; b: D }", 12, "`b` is already declared in this body, at schema.ts:2:6"),
        ("a: B; b: void; c: D", 10, "found `void`"),
    ],
)
@pytest.mark.parametrize("start", ["interface A {", "type A = {"])
def test_members_outside_of_the_table_are_refused(start: str, text: str, column: int, found: str) -> None:
    assert fault_of(f"{start}\n{text}\n}}").startswith(f"2:{column}: {found}")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (
            "interface A { b: C }\ninterface A { b: D }",
            "2:15: `b` has another type in `A` at schema.ts:1:15",
        ),
        (
            "interface A { b: C }\ninterface A { b?: C }",
            "2:15: `b` has another type in `A` at schema.ts:1:15",
        ),
        (
            "interface A { [key: string]: B }\ninterface A { [key: string]: C }",
            "2:15: `A` already has an index signature, at schema.ts:1:15",
        ),
        (
            "interface A {}\nexport interface A {}",
            "2:18: `A` is exported in one of its declarations only; see schema.ts:1:11",
        ),
    ],
)
def test_interfaces_that_cannot_be_merged_are_refused(text: str, fault: str) -> None:
    assert fault_of(text) == fault


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("type A = B; type A = C;", "1:18: `A` is already declared at schema.ts:1:6"),
        ("type A = B;\nconst A = 1;", "2:7: `A` is already declared at schema.ts:1:6"),
        ("import { A } from 'm';\ntype A = B;", "2:6: `A` is already declared at schema.ts:1:10"),
        ("import { A, B as A } from 'm';", "1:13: `A` is already declared at schema.ts:1:10"),
        ("const A = 1, A = 2;", "1:14: `A` is already declared at schema.ts:1:7"),
        ("type A = B;\ninterface A {}", "2:11: `A` is already declared at schema.ts:1:6"),
        ("interface A {}\ntype A = B;", "2:6: `A` is already declared at schema.ts:1:11"),
    ],
)
def test_a_second_declaration_of_a_name_is_refused(text: str, fault: str) -> None:
    assert fault_of(text) == fault


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("interface A {\n  a: string\n", "1:13: this `{` is never closed: `}` is missing"),
        ("interface A {\n  a: B;\n\nexport interface C { d: E }\n", "1:13: this `{` is never closed: `}` is missing"),
        ("type A = (B | C;\n", "1:10: this `(` is never closed: `)` is missing"),
        ("type A = { a: (B };\n", "1:15: this `(` is never closed: `)` is missing"),
        ("type A = B[;\n", "1:11: this `[` is never closed: `]` is missing"),
        ("interface A {} }\n", "1:16: found `}`, but no `{` is open"),
        ("type A = B];", "1:11: found `]`, but no `[` is open"),
        ('type A = "abc;\ntype B = C;', '1:10: this string has no closing `"` on its line'),
        ("type A = 'abc;\ntype B = C;", "1:10: this string has no closing `'` on its line"),
        ("type A = B;\n/* abc\ntype B = void;", "2:1: this comment is never closed: `*/` is missing"),
        ("type A = B; /** abc *", "1:13: this comment is never closed: `*/` is missing"),
        ("type A = `abc\n;", "1:10: this template literal is never closed"),
        ("type A = Array<B", "1:1: syntax error at `type A = Array<B`"),
        ("type A = Array<B;", "1:17: syntax error: `>` is missing here"),
        ('type A = "a" | ;', "1:15: syntax error: a type is missing here"),
        ("const A = -;", "1:12: syntax error: a name is missing here"),
        ("const A = ;", "1:9: syntax error at `=`"),
        ("type A = B C;", "1:12: syntax error at `C`"),
        ("type A B;", "1:6: syntax error at `A B`"),
        ("interface A { a: string,, b: C }", "1:24: syntax error at `,`"),
        ("interface A { a: ; b: C }", "1:16: syntax error at `:`"),
        ("interface A { a b: C }", "1:15: syntax error at `a`"),
        ("interface A { é: @ C }", "1:18: syntax error at `@`"),
        ("interface A extends { a: B }", "1:13: syntax error at `extends`"),
        ("exprt interface A {}", "1:1: syntax error at `exprt`"),
        (r'type A = "\u12";', r"1:11: syntax error at `\u12`"),
        (r'type A = "\x1";', r"1:11: syntax error at `\x1`"),
        ("type A = B <!-- C\n;", "1:12: found `<!--`, an HTML comment; use `// …` or `/* … */`"),
        ("type A = B\n--> C\n", "2:1: found `-->`, an HTML comment; use `// …` or `/* … */`"),
    ],
)
def test_syntax_errors_are_told_where_they_are(text: str, fault: str) -> None:
    assert fault_of(text) == fault


def test_a_declaration_cut_short_is_refused_wherever_it_is_cut() -> None:
    whole = 'export interface Tool extends A, Omit<B, "k"> { "a"?: (B | C<D>)[]; [key: string]: { b: -1 } }'
    for length in range(1, len(whole)):
        assert faults_of(whole[:length]), length


def test_a_missing_token_is_named() -> None:
    assert "syntax error: `>` is missing here" in fault_of("type A = Record<string, B;\ntype C = D;")


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (
            b"type A = B;\n// \xe9\xff caf\xc3\xa9",
            "2:4: byte 0xe9 (offset 15) is not valid UTF-8: invalid continuation byte",
        ),
        ("// é".encode() + b"\xff", "1:5: byte 0xff (offset 5) is not valid UTF-8: invalid start byte"),
        (b'type A = "\xed\xa0\x80";', "1:11: byte 0xed (offset 10) is not valid UTF-8: invalid continuation byte"),
        (b'type A = "\xc3', "1:11: byte 0xc3 (offset 10) is not valid UTF-8: unexpected end of data"),
        (b"type A = B;\n\n \0", "3:2: found a NUL byte (offset 14); a schema file is text"),
        ("type A = B;".encode("utf-16"), "1:1: found UTF-16 text; a schema file is UTF-8"),
    ],
)
def test_what_is_not_text_is_refused(data: bytes, fault: str) -> None:
    assert fault_of(data) == fault


def test_all_faults_of_a_file_are_told_in_one_run() -> None:
    text = """\
import a from "m";
export interface A extends b.C {
  a(): string;
  b: [string] | keyof B;
  c: { d: void; e: "\\8"; d: string };
  f;
}
enum E { A }
export const X = f(), Y: void = 1;
type A = B;
"""
    assert [fault.split(";")[0] for fault in faults_of(text)] == [
        "1:8: found an import of something other than names",
        "2:28: found a dotted name",
        "3:3: found a method signature",
        "4:6: found a tuple type",
        "4:17: found a `keyof` type",
        "5:11: found `void`, which is not the type of any JSON value",
        "5:21: unknown escape sequence",
        "5:26: `d` is already declared in this body, at schema.ts:5:8",
        "6:3: this property has no type",
        "8:1: found an enum declaration",
        "9:18: found a call expression",
        "9:26: found `void`, which is not the type of any JSON value",
        "10:6: `A` is already declared at schema.ts:2:18",
    ]


def test_a_syntax_error_does_not_hide_what_is_wrong_elsewhere() -> None:
    text = "enum E { A }\ntype A = B C;\nexport class F {}\ninterface G { a: void }\n"
    assert [fault.split(";")[0] for fault in faults_of(text)] == [
        "1:1: found an enum declaration",
        "2:12: syntax error at `C`",
        "3:8: found a class declaration",
        "4:18: found `void`, which is not the type of any JSON value",
    ]


def test_after_a_bracket_that_is_not_closed_nothing_more_is_guessed() -> None:
    assert faults_of("enum E { A }\ninterface A {\n  a: void;\n\nenum F {}\n") == [
        '1:1: found an enum declaration; write a union of its values, such as `type Colour = "red" | "blue"`',
        "2:13: this `{` is never closed: `}` is missing",
    ]


def test_a_message_shows_the_line_with_a_caret_below_the_place() -> None:
    with pytest.raises(SchemaError) as refused:
        read_schema("// é\r\ntype Ä = '😀' | void;\r\n".encode(), "dir/my schema.ts")
    assert re.sub("expected .*", "…", str(refused.value)) == (
        "dir/my schema.ts:2:16: found `void`, which is not the type of any JSON value; …\n"
        "    type Ä = '😀' | void;\n"
        "                   ^"
    )


def test_only_the_first_syntax_errors_are_told_and_the_others_counted() -> None:
    faults = faults_of("".join(f"interface A{number} {{ a: B,, c: D }}\n" for number in range(MAX_SYNTAX_FAULTS + 5)))
    assert faults[0] == "1:20: syntax error at `,`"
    assert len(faults) == MAX_SYNTAX_FAULTS + 1
    assert faults[-1] == f"{MAX_SYNTAX_FAULTS}:21: and 5 more syntax errors"


_SOUND = """\
import type { A as B } from "./x";
/** Doc {@link A}. @tag
 * @tag x */
export interface Tool extends Base, Omit<B, "k"> {
  readonly a?: string | "x" | null; // é
  "b/c": { [key: string]: unknown }[];
  d: typeof X
}
export declare const X: "2.0"; const Y = -1 as const;
type T = | (A & B) | readonly C["m"][] | Array<{ a: 1 }>;
"""
_pieces = st.sampled_from(
    [
        "{",
        "}",
        "(",
        "[",
        "]",
        "<",
        ">",
        "|",
        "&",
        ";",
        ":",
        '"',
        "'",
        "`",
        "/*",
        "*/",
        "//",
        "\\",
        "${",
        "\n",
        "é",
        "\0",
    ]
)
_words = st.sampled_from(
    ["export ", "type ", "=", " interface A ", "readonly ", "typeof ", " as const", "enum ", "?", ".", "-", "1", "😀"]
)


@given(
    st.lists(
        st.tuples(st.integers(0, len(_SOUND)), st.integers(0, 12), _pieces | _words | st.just("")),
        min_size=1,
        max_size=4,
    )
)
def test_a_damaged_file_is_read_or_refused_with_places_in_it(damages: list[tuple[int, int, str]]) -> None:
    text = _SOUND
    for start, length, put in damages:
        text = text[:start] + put + text[start + length :]
    _is_read_or_refused(text.encode())


@given(st.lists(_pieces | _words, max_size=30).map("".join))
def test_any_text_is_read_or_refused_with_places_in_it(text: str) -> None:
    _is_read_or_refused(text.encode())


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused_with_places_in_them(data: bytes) -> None:
    _is_read_or_refused(data)


def _is_read_or_refused(data: bytes) -> None:
    lines = data.removeprefix(b"\xef\xbb\xbf").decode(errors="replace").split("\n")
    for fault in _faults_if_any(data):
        assert 1 <= fault.position.line <= len(lines)
        assert 1 <= fault.position.column <= len(lines[fault.position.line - 1]) + 1


def _faults_if_any(data: bytes) -> list[Fault]:
    try:
        read_schema(data, "schema.ts")
    except SchemaError as error:
        return error.faults
    return []
