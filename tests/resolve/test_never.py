"""``never``: what no value has is not declared."""

from __future__ import annotations

import pytest
from mcp_bindgen.ir.type_text import type_text
from resolve.resolving import faults, resolve

ROWS = {
    "an optional property": ("interface X { a: 1; b?: never }", "a: 1"),
    "beside undefined": ("interface X { a: 1; b?: never | undefined; c: never | undefined }", "a: 1"),
    "an alternative": ("interface X { a: string | never; b: (never | 1)[] }", "a: string, b: 1[]"),
    "an inherited property": ("interface X extends Y { b?: never }\nexport interface Y { a: 1; b?: 2 }", "a: 1"),
    "a part of an intersection": ("type X = Y & { b?: never }\nexport interface Y { a: 1; b?: 2 }", "a: 1"),
    "the values of a map": ("type X = Record<string, never>", ""),
    "the values of an index signature": ("interface X { a: 1; [key: string]: never }", "a: 1"),
    "an inherited index signature": (
        "interface X extends Y { [key: string]: never }\nexport interface Y { a: 1; [key: string]: unknown }",
        "a: 1",
    ),
}


@pytest.mark.parametrize("case", ROWS)
def test_what_is_never_there_is_not_part_of_an_object(case: str) -> None:
    text, expected = ROWS[case]
    found = resolve(f"export {text}").objects["X"]
    assert ", ".join(f"{each.name}: {type_text(each.type)}" for each in found.fields) == expected
    assert found.index is None


FAULTS = {
    "a required property": (
        "export interface X { a: never }",
        "acme.ts:1:22: a is required, but no value has its type (never)",
    ),
    "a property that another part requires": (
        "export type X = { a: 1 } & { a?: never }",
        "acme.ts:1:17: a is required, but no value has its type (never)",
    ),
    "an alias": (
        "export type X = never",
        "acme.ts:1:17: no value has the type never; it can only be the type of an optional property or of an index "
        "signature, or an alternative",
    ),
    "the elements of an array": (
        "export interface X { a: never[] }",
        "acme.ts:1:25: no value has the type never; it can only be the type of an optional property or of an index "
        "signature, or an alternative",
    ),
    "all alternatives": (
        "export interface X { a: (never | never)[] }",
        "acme.ts:1:26: no value matches any of these alternatives",
    ),
}


@pytest.mark.parametrize("case", FAULTS)
def test_what_would_have_to_be_there_is_a_located_fault(case: str) -> None:
    text, expected = FAULTS[case]
    assert faults(text) == [expected]
