"""How objects are flattened: which properties they have, in which order, of which type, and from where."""

from __future__ import annotations

import pytest
from mcp_bindgen.ir.type_text import type_text
from resolve.resolving import faults, resolve

BASES = """
export interface Result { _meta?: string; [key: string]: unknown }
export interface Task { id: string; ttl: number | null }
export interface Named { name: string; title?: string }
export interface Any { code: number; data?: unknown; kind: string }
"""

OVERRIDES = {
    "a keyword": ("name: number", "a number", "a string"),
    "a literal": ("name: 1 | 'x'", "a number", "a string"),
    "an alias": ("name: Deep", "a boolean", "a string"),
    "an object": ("name: { x: 1 }", "an object", "a string"),
    "an interface": ("name: Named", "an object", "a string"),
    "a constant": ("name: typeof CODE", "a number", "a string"),
    "null": ("ttl: number | null | string", "a string", "a number or null"),
}

ROWS = {
    "own properties": ("interface X { b: string; a?: number }", "b: string @X, a?: number @X"),
    "bases first, in their order": (
        "interface X extends Task, Named { own: boolean }",
        "id: string @Task, ttl: number | null @Task, name: string @Named, title?: string @Named, own: boolean @X",
    ),
    "an own property replaces the inherited one, in its place": (
        "interface X extends Named { extra: string; name?: 'x' }",
        'name?: "x" @X, title?: string @Named, extra: string @X',
    ),
    "a replaced property may be of another type altogether": (
        "interface X extends Named { name: boolean }",
        "name: boolean @X, title?: string @Named",
    ),
    "a diamond counts once": (
        "interface X extends L, R {}\nexport interface L extends Named { l: string }\nexport interface R extends Named { r: string }",
        "name: string @Named, title?: string @Named, l: string @L, r: string @R",
    ),
    "of a diamond, the side that narrows counts, in the first place": (
        "interface X extends L, R {}\nexport interface L extends Named { l: string }\nexport interface R extends Named { name: 'r' }",
        'name: "r" @R, title?: string @Named, l: string @L',
    ),
    "the nearest override counts": (
        "interface X extends M {}\nexport interface M extends Named { name: 'm' | 'x' }",
        'name: "m" | "x" @M, title?: string @Named',
    ),
    "an index signature is inherited": (
        "interface X extends Named, Result {}",
        "name: string @Named, title?: string @Named, _meta?: string @Result, [string]: unknown",
    ),
    "an own index signature replaces": (
        "interface X extends Result { [key: string]: string }",
        "_meta?: string @Result, [string]: string",
    ),
    "an intersection has what its parts have": (
        "type X = Result & Task",
        "_meta?: string @Result, id: string @Task, ttl: number | null @Task, [string]: unknown",
    ),
    "in an intersection the narrower type counts, and required wins": (
        "type X = Any & { code: -1; data: { x: string }; kind?: string }",
        "code: -1 @X, data: X.data @X, kind: string @Any",
    ),
    "whichever part has it": ("type X = { code: -1 } & Any", "code: -1 @X, data?: unknown @Any, kind: string @Any"),
    "optional in all parts is optional": (
        "type X = Any & { data?: string }",
        "code: number @Any, data?: string @X, kind: string @Any",
    ),
    "an interface is narrower than its base": (
        "type X = { it: Named } & { it: More }\nexport interface More extends Named { more: string }",
        "it: More @X",
    ),
    "an object is narrower than another by its properties": (
        "type X = { it: { a?: string } } & { it: Thing }\nexport interface Thing { a: 'x'; b: string }",
        "it: Thing @X",
    ),
    "a list is narrower by its elements": ("type X = { it: unknown[] } & { it: Named[] }", "it: Named[] @X"),
    "a union is narrower by its members": (
        "type X = { it: string | null | boolean } & { it: null | 'x' }",
        'it: null | "x" @X',
    ),
    "integers are floats": (
        "type X = { /** @TJS-type number */ it: number } & { it: number }",
        "it: number @X",
    ),
    "Omit": ("interface X extends Omit<Any, 'data' | 'kind'> { own: string }", "code: number @Any, own: string @X"),
    "Omit of a type with an index signature keeps the rest": (
        "type X = Omit<Result & Named, 'name'>",
        "_meta?: string @Result, title?: string @Named, [string]: unknown",
    ),
    "Omit with an alias of keys": (
        "type X = Omit<Any, Keys>\nexport type Keys = 'data' | typeof KIND\nexport const KIND = 'kind'",
        "code: number @Any",
    ),
    "Pick": ("type X = Pick<Any, 'kind' | 'data'>", "data?: unknown @Any, kind: string @Any"),
    "Partial": ("type X = Partial<Named>", "name?: string @Named, title?: string @Named"),
    "Required": ("type X = Required<Named>", "name: string @Named, title: string @Named"),
    "one in the other": (
        "type X = Partial<Omit<Named & Task, 'ttl' | 'title'>>",
        "name?: string @Named, id?: string @Task",
    ),
    "a Record of strings": ("type X = Record<string, number>", "[string]: number"),
    "a Record of an alias of strings": ("type X = Record<Key, number>\nexport type Key = string", "[string]: number"),
    "a Record of names": ("type X = Record<'a' | 'b', number>", "a: number @X, b: number @X"),
    "a Partial Record of names": ("type X = Partial<Record<'a', number>>", "a?: number @X"),
    "an interface that extends an alias": (
        "interface X extends Meta { x: string }\nexport type Meta = Record<string, unknown>",
        "x: string @X, [string]: unknown",
    ),
    "an interface that extends a second name": (
        "interface X extends Other { x: string }\nexport type Other = Named",
        "name: string @Named, title?: string @Named, x: string @X",
    ),
    "an interface that extends the type of a property": (
        "interface X extends Params { x: string }\nexport type Params = Holder['params']\nexport interface Holder { params: { p: { q: string } } }",
        "p: Holder.params.p @Holder.params, x: string @X",
    ),
    "undefined among the alternatives is a question mark": (
        "interface X { a: string | undefined; b: undefined | number | null }",
        "a?: string @X, b?: number | null @X",
    ),
}


@pytest.mark.parametrize("row", ROWS)
def test_flattening(row):
    text, expected = ROWS[row]
    made = resolve(f"export {text}\n{BASES}").objects["X"]
    shown = [
        f"{each.name}{'?' if each.optional else ''}: {type_text(each.type)} @{each.declared_in}" for each in made.fields
    ]
    if made.index is not None:
        shown.append(f"[string]: {type_text(made.index)}")
    assert ", ".join(shown) == expected


FAULTS = {
    "bases that contradict each other": (
        "export interface X extends Y, Z {}\nexport interface Y { a: string }\nexport interface Z { a: number }\nexport interface W extends X {}",
        ["acme.ts:1:18: a is string in Y and number in Z; one of them must include the other"],
    ),
    "parts of an intersection that do": (
        "export type X = Y & { a: { p: string }; b: 1 | 2 } & { b: 2 | 3 }\nexport interface Y { a: { p: number } }",
        [
            "acme.ts:1:17: a is Y.a in Y and X.a in X; one of them must include the other",
            "acme.ts:1:17: b is 1 | 2 in X and 2 | 3 in X; one of them must include the other",
        ],
    ),
    "index signatures that do": (
        "export type X = Y & Record<string, number>\nexport interface Y { [key: string]: string }",
        ["acme.ts:1:17: [string] is string in Y and number in X; one of them must include the other"],
    ),
    "an interface that extends no object": (
        "export interface X extends Y {}\nexport type Y = string[]",
        ["acme.ts:1:28: Y is not an object type, so it cannot be extended or combined"],
    ),
    "an intersection of no objects": (
        "export interface X { x: string & Y; y: (Y | null) & Z }\nexport interface Y {}\nexport interface Z {}",
        [
            "acme.ts:1:25: this is not an object type, so it cannot be extended or combined",
            "acme.ts:1:45: this is not an object type, so it cannot be extended or combined",
        ],
    ),
    "Omit and Pick of what is not there": (
        "export interface X extends Omit<Y, 'a' | 'b'> {}\nexport type Z = Pick<Y, 'c'>\nexport interface Y { a: string }",
        ["acme.ts:1:36: Y has no property 'b'", "acme.ts:2:25: Y has no property 'c'"],
    ),
    "keys that are no literals": (
        "export type K = Record<number, string>\nexport type P = Pick<Y, string | Y>\nexport interface Y { a: string }",
        [
            "acme.ts:1:24: keys must be string or string literals joined by |",
            "acme.ts:2:25: keys must be string literals joined by |",
            "acme.ts:2:34: keys must be string literals joined by |",
        ],
    ),
    "the property of a type that has it not": (
        "export interface X { a: X['b']; c: Y['x'] }\nexport type Y = string",
        [
            "acme.ts:1:25: X has no property 'b'",
            "acme.ts:1:36: Y is not an object type, so it cannot be extended or combined",
        ],
    ),
    "the property of a type without a name": (
        "export interface X { a: { b: string }['b'] }",
        ['acme.ts:1:25: only properties of a named type can be looked up, as in Tool["name"]'],
    ),
    "a property of which there are several texts": (
        "export interface X { a: Y['b'] }\nexport type Y = { b: string } & { b: 'x' }",
        ["acme.ts:1:25: 'b' has several types here; write the intended one"],
    ),
    "a property that is its own type": (
        "export interface X { a: X['a'] }",
        ["acme.ts:1:22: the type of X.a contains itself"],
    ),
}


@pytest.mark.parametrize("case", FAULTS)
def test_what_cannot_be_flattened_is_a_located_fault(case):
    text, expected = FAULTS[case]
    assert faults(text) == expected


def test_bases_are_listed_nearest_first():
    protocol = resolve(
        "export interface X extends L, Omit<R, 'r'> {}\nexport interface L extends Top { l: string }\n"
        "export interface R extends Mid { r: string }\nexport type Mid = Other\nexport interface Other extends Top { o: string }\n"
        "export interface Top { t: string }"
    )
    assert protocol.objects["X"].bases == ("L", "R", "Top", "Mid", "Other")
    assert protocol.objects["Top"].bases == ()


def test_kinds_of_objects():
    protocol = resolve(
        "export interface I { x: {}; y: { [key: string]: string } }\nexport type O = { x: string }\nexport type N = I & Map\n"
        "export type M = Record<string, string>\nexport interface Map { [key: string]: I }\nexport interface Empty {}"
    )
    kinds = {path: (made.kind, made.is_map) for path, made in protocol.objects.items()}
    assert kinds == {
        "I": ("interface", False),
        "I.x": ("inline", True),
        "I.y": ("inline", True),
        "O": ("alias", False),
        "N": ("alias", False),
        "M": ("alias", True),
        "Map": ("interface", True),
        "Empty": ("interface", False),
    }


@pytest.mark.parametrize("case", OVERRIDES)
def test_a_property_that_the_base_cannot_have_is_a_warning(case: str) -> None:
    text, found, allowed = OVERRIDES[case]
    declared = f"export interface X extends Named, Task {{ {text} }}\nexport type Deep = Inner | 'x'\nexport type Inner = true\n"
    warnings = resolve(f"{declared}export const CODE = 1{BASES}").warnings
    name = text.partition(":")[0]
    owner = "Task" if name == "ttl" else "Named"
    expected = f"acme.ts:1: X.{name} may be {found}, but {owner}.{name}, which it overrides, is {allowed}"
    assert warnings == (expected,)


@pytest.mark.parametrize(
    "text",
    [
        "name: 'x'",
        "name: string & {}",
        "code: 1",
        "data: string",
        "ttl: null",
        "name: Record<string, 1>[]",
    ],
)
def test_a_property_that_the_base_may_have_or_that_is_not_understood_is_no_warning(text: str) -> None:
    base = "Named" if "[]" not in text else "Open"
    declared = f"export interface X extends {base}, Task, Any {{ {text} }}\nexport interface Open {{ name: object }}"
    assert resolve(f"{declared}{BASES}").warnings == ()
