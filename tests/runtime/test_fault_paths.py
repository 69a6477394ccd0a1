"""Where a fault is said to be, what was found there, and what would have been accepted."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from strategies.emitted_packages import emit, load, unload

SCHEMA = """
export interface Item {
  name: string;
  count?: number;
  /** @TJS-type number */ weight?: number;
  on?: boolean;
  none?: null;
  level?: 1 | 2;
  color?: "red" | "green";
  open?: "known" | string;
  tags?: string[];
  by?: { [key: string]: number };
  any?: unknown;
  object?: object;
  maybe?: string | null;
  mixed?: string | number | boolean;
  shape?: Round | Square;
  shapes?: (Round | Square)[];
  keyed?: Left | Right;
  keyedOrTagged?: Left | Round | Square;
  keyedOrNested?: Left | Right | Inner | Other;
  one?: Round | Round[] | string;
  lists?: string[] | number[];
  tree?: Tree;
  inner?: { deep: { value: string } };
  "odd~/key"?: string;
}
export interface Round { kind: "round"; radius: number }
export interface Square { kind: "square"; side: number }
export interface Left { left: string }
export interface Right { right: number }
export interface Inner { items: { inner: string } }
export interface Other { items: { other: string } }
export type Tree = string | Tree[];
export interface Typed { a: string; [key: string]: string | number }
"""


@pytest.fixture(scope="module")
def package() -> Iterator[Any]:
    package = load(emit(SCHEMA))
    yield package
    unload(package)


@pytest.fixture(scope="module")
def errors(package: Any) -> Any:
    return importlib.import_module(f"{package.__name__.rpartition('.')[0]}.runtime.errors")


KINDS = "a JSON value"


@pytest.mark.parametrize(
    ("value", "path", "found", "expected"),
    [
        (5, "$", "5", "an object"),
        ([], "$", "an array", "an object"),
        (None, "$", "null", "an object"),
        ({}, "$.name", "nothing", "a string"),
        ({"name": None}, "$.name", "null", "a string"),
        ({"name": {}}, "$.name", "an object", "a string"),
        ({"name": "", "count": 1.0}, "$.count", "1.0", "an integer"),
        ({"name": "", "count": True}, "$.count", "true", "an integer"),
        ({"name": "", "count": "1"}, "$.count", '"1"', "an integer"),
        ({"name": "", "count": 10**400}, None, None, None),
        ({"name": "", "count": [10**400]}, "$.count", "an array", "an integer"),
        ({"name": 10**400}, "$.name", "a huge integer", "a string"),
        ({"name": "", "weight": 1}, None, None, None),
        ({"name": "", "weight": False}, "$.weight", "false", "a number"),
        ({"name": "", "on": 1}, "$.on", "1", "true or false"),
        ({"name": "", "none": 0}, "$.none", "0", "null"),
        ({"name": "", "level": 3}, "$.level", "3", "one of 1, 2"),
        ({"name": "", "level": 1.0}, "$.level", "1.0", "one of 1, 2"),
        ({"name": "", "level": True}, "$.level", "true", "one of 1, 2"),
        ({"name": "", "color": "blue"}, "$.color", '"blue"', 'one of "red", "green"'),
        ({"name": "", "color": ["red"]}, "$.color", "an array", 'one of "red", "green"'),
        ({"name": "", "open": "anything"}, None, None, None),
        ({"name": "", "open": 1}, "$.open", "1", "a string"),
        ({"name": "", "tags": "a"}, "$.tags", '"a"', "an array"),
        ({"name": "", "tags": ["a", "b", 3]}, "$.tags[2]", "3", "a string"),
        ({"name": "", "by": []}, "$.by", "an array", "an object"),
        ({"name": "", "by": {"a": 1, "b c": "2"}}, '$.by["b c"]', '"2"', "an integer"),
        ({"name": "", "any": [object]}, None, None, None),
        ({"name": "", "object": []}, "$.object", "an array", "an object"),
        ({"name": "", "maybe": 1}, "$.maybe", "1", "a string or null"),
        ({"name": "", "mixed": 1.5}, "$.mixed", "1.5", "a string, an integer or true or false"),
        ({"name": "", "shape": "round"}, "$.shape", '"round"', "an object"),
        ({"name": "", "shape": {}}, "$.shape.kind", "nothing", 'one of "round", "square"'),
        ({"name": "", "shape": {"kind": "oval"}}, "$.shape.kind", '"oval"', 'one of "round", "square"'),
        ({"name": "", "shape": {"kind": 1}}, "$.shape.kind", "1", 'one of "round", "square"'),
        ({"name": "", "shape": {"kind": ["round"]}}, "$.shape.kind", "an array", 'one of "round", "square"'),
        # A fault in one member never yields the errors of the others.
        ({"name": "", "shape": {"kind": "round", "side": 1}}, "$.shape.radius", "nothing", "an integer"),
        (
            {"name": "", "shapes": [{"kind": "round", "radius": 1}, {}]},
            "$.shapes[1].kind",
            "nothing",
            'one of "round", "square"',
        ),
        # Where no alternative can be told, what is missed is the key that is asked for first.
        ({"name": "", "keyed": {}}, "$.keyed.left", "nothing", 'this member, or "right" instead'),
        ({"name": "", "keyedOrTagged": {}}, "$.keyedOrTagged.left", "nothing", 'this member, or "kind" instead'),
        ({"name": "", "keyedOrTagged": {"kind": 1}}, "$.keyedOrTagged.kind", "1", 'one of "round", "square"'),
        (
            {"name": "", "keyedOrNested": {}},
            "$.keyedOrNested.left",
            "nothing",
            'this member, or one of "right", "items" instead',
        ),
        (
            {"name": "", "keyedOrNested": {"items": {}}},
            "$.keyedOrNested.items.inner",
            "nothing",
            'this member, or "other" instead',
        ),
        ({"name": "", "keyed": {"right": "1"}}, "$.keyed.right", '"1"', "an integer"),
        ({"name": "", "one": 5}, "$.one", "5", "an object, an array or a string"),
        ({"name": "", "one": [{"kind": "round"}]}, "$.one[0].radius", "nothing", "an integer"),
        ({"name": "", "one": [{"kind": "square"}]}, "$.one[0].kind", '"square"', '"round"'),
        ({"name": "", "lists": ["a", 1]}, "$.lists[1]", "1", "a string"),
        ({"name": "", "lists": [1, "a"]}, "$.lists[1]", '"a"', "an integer"),
        ({"name": "", "lists": [None]}, "$.lists[0]", "null", "an array"),
        ({"name": "", "tree": [["a", [5]]]}, "$.tree[0][1][0]", "5", "a string or an array"),
        ({"name": "", "inner": {"deep": {}}}, "$.inner.deep.value", "nothing", "a string"),
        ({"name": "", "odd~/key": 1}, '$["odd~/key"]', "1", "a string"),
        ({"name": "", "by": {"\n\x7f": ""}}, '$.by["\\n\\u007f"]', '""', "an integer"),
        ({"name": "", "by": {'"\U000e0001': ""}}, '$.by["\\"\\udb40\\udc01"]', '""', "an integer"),
        ({"name": "", "count": "é"}, "$.count", '"é"', "an integer"),
        ({"name": "", "count": "é" * 100}, "$.count", '"' + "é" * 60 + '"…', "an integer"),
        ({"name": "x" * 100, "count": "y" * 100}, "$.count", '"' + "y" * 60 + '"…', "an integer"),
        # One fault, one error: the first in the order of the declaration.
        ({"name": 1, "count": "2"}, "$.name", "1", "a string"),
    ],
)
def test_reading(
    package: Any, errors: Any, value: Any, path: str | None, found: str | None, expected: str | None
) -> None:
    if path is None:
        assert package.converter.structure(value, package.types.Item).name == value["name"]
        return
    with pytest.raises(errors.DecodeError) as caught:
        package.converter.structure(value, package.types.Item)
    fault = caught.value
    assert (fault.path, fault.found, fault.expected) == (path, found, expected)
    assert fault.revision == "2001-01-01"
    assert str(fault) == f"{path}: found {found}, expected {expected} (2001-01-01)"


def test_a_pointer_is_escaped(package: Any, errors: Any) -> None:
    with pytest.raises(errors.DecodeError) as caught:
        package.converter.structure({"name": "", "odd~/key": 1}, package.types.Item)
    assert caught.value.pointer == "/odd~0~1key"
    with pytest.raises(errors.DecodeError) as caught:
        package.converter.structure({"name": "", "tags": [1]}, package.types.Item)
    assert caught.value.pointer == "/tags/0"


Change = Callable[[Any, Any], None]


def put(name: str, value: Any) -> Change:
    return lambda item, types: setattr(item, name, value)


@pytest.mark.parametrize(
    ("change", "path", "found", "expected"),
    [
        (put("name", 5), "$.name", "5", "a string"),
        (put("name", None), "$.name", "None", "a string"),
        (put("name", b"x"), "$.name", "a bytes", "a string"),
        (put("name", "\ud800"), "$.name", "a string with half a surrogate pair", "Unicode text"),
        (put("count", "5"), "$.count", '"5"', "an integer"),
        (put("count", True), "$.count", "True", "an integer"),
        (put("count", 1.0), "$.count", "1.0", "an integer"),
        (put("weight", math.nan), "$.weight", "nan", "a number"),
        (put("weight", math.inf), "$.weight", "inf", "a number"),
        (put("weight", 1), None, None, None),
        (put("on", 0), "$.on", "0", "true or false"),
        (put("level", 4), "$.level", "4", "one of 1, 2"),
        (put("color", "blue"), "$.color", '"blue"', 'one of "red", "green"'),
        (put("color", []), "$.color", "a list", 'one of "red", "green"'),
        (put("tags", ("a", "b")), None, None, None),
        (put("tags", ["a", 5]), "$.tags[1]", "5", "a string"),
        (put("tags", "ab"), "$.tags", '"ab"', "a list"),
        (put("tags", {"a"}), "$.tags", "a set", "a list"),
        (put("by", {"a": 1, "b": None}), "$.by.b", "None", "an integer"),
        (put("by", {1: 1}), "$.by", "the key 1", "strings as keys"),
        (put("by", [1]), "$.by", "a list", "a dict"),
        (put("any", {"a": [1, object()]}), "$.any.a[1]", "an object", "a JSON value"),
        (put("any", {"a": {2: 3}}), "$.any.a", "the key 2", "strings as keys"),
        (put("any", [math.inf]), "$.any[0]", "inf", "a finite number"),
        (put("object_", [1]), "$.object", "a list", "a dict"),
        (put("maybe", 1), "$.maybe", "1", "a string or null"),
        (put("mixed", 1.5), "$.mixed", "1.5", "a string, an integer or true or false"),
        (put("shape", {"kind": "round"}), "$.shape", "a dict", "an object"),
        (lambda item, types: setattr(item, "shape", types.Left(left="")), "$.shape", "a Left", "an object"),
        (lambda item, types: setattr(item, "shape", types.Round(radius="1")), "$.shape.radius", '"1"', "an integer"),
        (
            lambda item, types: setattr(item, "shapes", [types.Round(radius=1), types.Square(side=None)]),
            "$.shapes[1].side",
            "None",
            "an integer",
        ),
        (lambda item, types: setattr(item, "one", [types.Square(side=1)]), "$.one[0]", "a Square", "a Round"),
        (put("lists", ["a", 1]), "$.lists", "a list", "an array"),
        (put("tree", [["a", [5]]]), "$.tree[0][1][0]", "5", "a string or an array"),
        (put("inner", {"deep": 1}), "$.inner", "a dict", "an ItemInner"),
        (put("extra", {"count": 1}), "$.count", "a declared member in extra", "its own attribute to hold it"),
        (put("extra", {"x": object()}), "$.x", "an object", "a JSON value"),
        (put("extra", {5: 1}), "$", "the key 5", "strings as keys"),
        (put("extra", [1]), "$", "a list in extra", "a dict or None"),
        (lambda item, types: delattr(item, "name"), "$.name", "nothing", "a string"),
        (lambda item, types: delattr(item, "count"), "$.count", "nothing", "an integer"),
        (lambda item, types: delattr(item, "extra"), "$", "no attribute extra", "a dict or None"),
    ],
)
def test_writing(
    package: Any, errors: Any, change: Change, path: str | None, found: str | None, expected: str | None
) -> None:
    item = package.types.Item(name="item")
    change(item, package.types)
    if path is None:
        assert package.converter.unstructure(item)["name"] == "item"
        return
    with pytest.raises(errors.EncodeError) as caught:
        package.converter.encode(item)
    fault = caught.value
    assert (fault.path, fault.found, fault.expected) == (path, found, expected)


def test_writing_under_an_index_signature(package: Any, errors: Any) -> None:
    made = package.types.Typed(a="x", extra={"b": 1, "c": None})
    with pytest.raises(errors.EncodeError) as caught:
        package.converter.unstructure(made)
    assert (caught.value.path, caught.value.expected) == ("$.c", "a string or an integer")


def test_what_is_nested_too_deeply_is_a_fault(package: Any, errors: Any) -> None:
    deep: Any = "end"
    for _ in range(5_000):
        deep = [deep]
    with pytest.raises(errors.DecodeError, match="nested too deeply"):
        package.converter.structure({"name": "", "tree": deep}, package.types.Item)
    for name in ("tree", "any"):
        item = package.types.Item(name="")
        setattr(item, name, deep)
        with pytest.raises(errors.EncodeError, match="nested"):
            package.converter.unstructure(item)
