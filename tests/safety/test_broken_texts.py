"""Schemas that chance has damaged: sound code, or faults that say where."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp_bindgen.emit.render import render_package
from mcp_bindgen.errors import Fault, SchemaError
from mcp_bindgen.resolve.protocol import resolve_protocol
from mcp_bindgen.syntax.declarations import read_schema
from strategies.schema_texts import schema_texts

PIECES = st.sampled_from(
    [
        *"{}()[]<>|&;:,?=*/\\\"'`$#@-.\n\r\t\x00 ",
        "/*",
        "*/",
        "/**",
        "//",
        "=>",
        "<!--",
        "export ",
        "interface ",
        "type ",
        "extends ",
        "A",
        "string",
        "null",
        "undefined",
        "readonly ",
        "typeof ",
        "[key: string]: ",
        "Omit<A, 'a'>",
        "\ufeff",
        "\u2028",
        "�",
    ]
)


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    text = draw(schema_texts(max_size=3))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 12)))
        text = text[:start] + draw(st.just("") | PIECES | st.text(max_size=3)) + text[end:]
    return text.encode("utf-8", "surrogatepass")


def check(data: bytes) -> None:
    faults, files = _outcome(data)
    assert faults or files
    for fault in faults:
        assert fault.position.file == "schema.ts"
        assert 1 <= fault.position.line <= data.count(b"\n") + 1
        assert fault.message
    for code in files.values():
        ast.parse(code)


def _outcome(data: bytes) -> tuple[list[Fault], dict[str, str]]:
    try:
        protocol = resolve_protocol(read_schema(data, "schema.ts"), revision="2001-01-01")
        return [], render_package(protocol, package="v")
    except SchemaError as error:
        return error.faults, {}


@settings(max_examples=settings.default.max_examples * 2)
@given(damaged())
def test_a_damaged_schema_becomes_code_or_faults_with_places(data: bytes) -> None:
    check(data)


@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_anything_at_all_becomes_code_or_faults_with_places(data: bytes) -> None:
    check(data)


@pytest.mark.parametrize(
    "text",
    [
        "export interface A { a: string } export interface A { a: number }",
        "export type A = B;",
        "export type A = A;",
        "export interface A extends A {}",
        "export class A {}",
        "export enum A { B }",
        "export type A<T> = T;",
        "export type A = keyof B;",
        "export type A = [string, number];",
        "export type A = () => void;",
        "export const A = process.exit(1);",
        "export const A = `${1}`;",
        "export const A = [1];",
        "export const A = { b: 1 };",
        "eval('1')",
        'import "./side_effect"; export type A = string;',
        "export default interface A {}",
        "export * from './b';",
        "declare global { interface A {} }",
        "export type A = string extends infer B ? B : never;",
        "export interface A { get a(): string }",
        "export interface A { (a: string): string }",
        "export interface A { [key: number]: string }",
        "export interface A { [Symbol.iterator]: string }",
        "export interface A { a: this }",
        "export interface A { a: never }",
        "export interface A { a: bigint }",
        "export interface A { a: 1n }",
        "export interface A { a: 1e999 }",
        "export interface A { a: '\\ud800' }",
        "export interface A { a: 'b' } export interface B { a: 'b' } export type C = A | B;",
    ],
)
def test_what_is_no_schema_is_a_fault_with_its_place(text: str) -> None:
    with pytest.raises(SchemaError) as caught:
        resolve_protocol(read_schema(text.encode(), "schema.ts"), revision="2001-01-01")
    assert str(caught.value).startswith("schema.ts:1:")
