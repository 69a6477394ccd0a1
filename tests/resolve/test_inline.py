"""The paths of object types without a name."""

from __future__ import annotations

import pytest
from resolve.resolving import field, resolve

ROWS = {
    "a property": ("interface X { a: { b: { c: string } } }", "X.a X.a.b"),
    "an array adds nothing": ("interface X { a: { b: string }[]; c: Array<{ d: string }> }", "X.a X.c"),
    "the second at the same place is numbered": (
        "interface X { a: { b: 1 } | { b: 2 } | { b: 3 }[] }",
        "X.a X.a#2 X.a#3",
    ),
    "what is in it goes by its number": (
        "interface X { a: { b: 1; c: {} } | { b: 2; c: {} } }",
        "X.a X.a.c X.a#2 X.a#2.c",
    ),
    "a map of other values has the plain path": ("interface X { a: { [key: string]: string } }", "X.a"),
    "of a map of objects, the object has it": ("interface X { a: { [key: string]: { b: string } } }", "X.a#map X.a"),
    "also as a Record, and through an array": ("interface X { a: Record<string, { b: string }[]> }", "X.a#map X.a"),
    "a map of maps": (
        "interface X { a: { [key: string]: { [key: string]: { b: string } } } }",
        "X.a#map X.a#map#2 X.a",
    ),
    "two maps of objects": (
        "interface X { a: { [key: string]: { b: 1 } } | { [key: string]: { b: 2 } }[] }",
        "X.a#map X.a X.a#map#2 X.a#2",
    ),
    "a map with members is no map": ("interface X { a: { b: 1; [key: string]: unknown | { c: 2 } } }", "X.a X.a#2"),
    "names as keys": ("interface X { a: Record<'p' | 'q', { b: string }> }", "X.a X.a.p X.a.q"),
    "an intersection": ("interface X { a: Y & { b: {} } }\nexport interface Y { c: {} }", "X.a X.a.b Y.c"),
    "other types made in place": (
        "interface X { a: Partial<Y>; b: Omit<Y, 'c'>[] }\nexport interface Y { c: {} }",
        "X.a X.b Y.c",
    ),
    "in an alias of an object": ("type X = { a: { b: string } }", "X.a"),
    "in an alias of another type, whose name is taken": ("type X = { a: string }[] | null", "X#2"),
    "under the index signature of a declared type": ("interface X { [key: string]: { a: string } }", "X#2"),
    "a name that looks like a path": ("interface X { 'a.b': {}; a: { b: {} } }", "X.a.b X.a X.a.b#2"),
}


@pytest.mark.parametrize("row", ROWS)
def test_paths(row):
    text, expected = ROWS[row]
    protocol = resolve(f"export {text}")
    assert " ".join(path for path, made in protocol.objects.items() if made.kind == "inline") == expected


def test_what_is_inherited_is_shared():
    protocol = resolve(
        "export interface X extends Y { x: Y['a'] }\nexport interface Y { a: { b: { c: string } } }\nexport type Z = Partial<Y> & { z: string }"
    )
    assert [path for path in protocol.objects if "." in path] == ["Y.a", "Y.a.b"]
    shared = field(protocol, "Y.a").type
    assert {field(protocol, path).type for path in ("X.a", "X.x", "Z.a")} == {shared}
    assert field(protocol, "X.a").declared_in == "Y"


def test_each_comes_after_its_owner_though_another_asked_first():
    protocol = resolve("export interface A { x: B['y'] }\nexport interface B { y: { z: { w: string } } }")
    assert list(protocol.objects) == ["A", "B", "B.y", "B.y.z"]
