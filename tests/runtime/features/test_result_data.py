"""The data of a tool's result: what the tool returned comes back as the type that the caller names, or it is told where not."""

from __future__ import annotations

import json
import pickle
from dataclasses import dataclass
from datetime import date
from enum import Enum
from typing import Any, Literal, NamedTuple, TypedDict

import attrs
import cattrs
import pytest
from checkout import REVISIONS
from hypothesis import given
from hypothesis import strategies as st
from mcp_bindings_runtime.errors import DataMismatch, ProtocolError, ToolFailed, UsageError
from support.revisions import those_with
from support.scripted_peers import package

each_revision = pytest.mark.parametrize("revision", REVISIONS)
STRUCTURED = those_with(lambda each: each.structured_results != "none")


@attrs.frozen
class Point:
    x: int
    y: float = 0.0


@dataclass
class Line:
    start: Point
    end: Point
    name: str | None = None


class Named(TypedDict):
    name: str


class Pair(NamedTuple):
    one: int
    two: str


class Colour(Enum):
    RED = "red"


def result_of(revision: str, text: str, **more: Any) -> Any:
    types = package(revision).types
    return types.CallToolResult(content=[types.TextContent(text=text)], **more)


VALUES: list[tuple[Any, Any]] = [
    (int, 5),
    (float, 2.5),
    (bool, True),
    (str, "a text"),
    (str, "5"),
    (list[int], [1, 2]),
    (dict[str, float], {"a": 1.5}),
    (Point, Point(1, 2.5)),
    (Line, Line(Point(1), Point(2), "l")),
    (list[Point], [Point(1), Point(2)]),
    (Named, {"name": "n"}),
    (Pair, Pair(1, "t")),
    (Colour, Colour.RED),
    (date, date(2026, 7, 28)),
    (Literal["a", "b"], "a"),
    (int | None, 7),
]


@each_revision
@pytest.mark.parametrize(("kind", "value"), VALUES, ids=lambda each: repr(each)[:30])
def test_what_a_tool_returns_comes_back_as_its_type(revision: str, kind: Any, value: Any) -> None:
    server = package(revision).Server("s", "1")

    def give():
        return value

    give.__annotations__["return"] = kind
    server.tools.add(give)
    with package(revision).Client.in_memory(server) as client:
        found = client.call_tool("give").as_(kind)
        assert (found, found.__class__) == (value, value.__class__)
        assert client.call_tool("give", returns=kind) == value


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(st.characters(codec="utf-8")),
        lambda inner: st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=4),
    )
)
def test_the_text_of_any_json_value_is_its_data(value: Any) -> None:
    assert result_of(STRUCTURED[-1], json.dumps(value)).data == value


@each_revision
def test_the_texts_of_all_text_blocks_are_joined(revision: str) -> None:
    types = package(revision).types
    image = types.ImageContent(data="", mime_type="image/png")
    blocks = [types.TextContent(text="one"), image, types.TextContent(text="two")]
    assert types.CallToolResult(content=blocks).text == "one\ntwo"
    assert types.CallToolResult(content=[]).text == ""
    assert types.CallToolResult(content=[]).data is None


@pytest.mark.parametrize("revision", STRUCTURED)
def test_structured_content_comes_before_the_text(revision: str) -> None:
    result = result_of(revision, "a report", structured_content={"x": 1, "unknown": [2]})
    assert result.data == {"x": 1, "unknown": [2]}
    assert result.as_(Point) == Point(1)
    assert result.as_(dict[str, Any]) == {"x": 1, "unknown": [2]}


@pytest.mark.parametrize("revision", STRUCTURED)
def test_a_wrapped_value_is_unwrapped(revision: str) -> None:
    result = result_of(revision, "", structured_content={"result": [1, 2]})
    assert result.as_(list[int]) == [1, 2]
    assert result.as_(dict[str, list[int]]) == {"result": [1, 2]}
    with pytest.raises(DataMismatch) as caught:
        result.as_(list[str])
    assert caught.value.faults == (
        "$.result[0]: found 1, expected a string",
        "$.result[1]: found 2, expected a string",
    )


@each_revision
def test_data_of_another_type_is_told_with_its_places(revision: str) -> None:
    result = result_of(revision, json.dumps({"start": {"x": "1"}, "end": {}}))
    with pytest.raises(DataMismatch) as caught:
        result.as_(Line)
    assert caught.value.faults == (
        '$.start.x: found "1", expected an integer',
        "$.end.x: is missing, expected an integer",
    )
    assert caught.value.result is result
    assert str(caught.value).startswith("the data of the tool's result is not of the type Line: $.start.x: ")
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.faults) == (str(caught.value), caught.value.faults)


@each_revision
def test_text_that_is_not_json_is_text(revision: str) -> None:
    result = result_of(revision, "sunny")
    assert result.as_(str) == "sunny"
    assert result.as_(str | int) == "sunny"
    with pytest.raises(ProtocolError, match=r"its text is not JSON: .*; read `text` instead"):
        _ = result.data
    with pytest.raises(DataMismatch, match='found "sunny", expected an integer'):
        result.as_(int)


@each_revision
def test_a_failed_tool_has_no_data(revision: str) -> None:
    result = result_of(revision, "5", is_error=True)
    assert result.text == "5"
    for read in (lambda: result.data, lambda: result.as_(int), lambda: result.as_(str)):
        with pytest.raises(ToolFailed, match=r"^5$"):
            read()


@each_revision
def test_a_type_that_cannot_be_read_is_refused_before_the_call(revision: str) -> None:
    server = package(revision).Server("s", "1")
    called = []

    @server.tool()
    def give() -> int:
        called.append(1)
        return 5

    with package(revision).Client.in_memory(server) as client:
        with pytest.raises(UsageError, match=r"range has no JSON Schema; .* pass a converter of cattrs to `as_`"):
            client.call_tool("give", returns=range)
        assert not called
        with pytest.raises(UsageError, match="pass a converter of cattrs"):
            client.call_tool("give").as_(range)


def test_a_task_has_no_result_to_convert_yet() -> None:
    revision = those_with(lambda each: "tools/call" in each.task_methods)[0]
    mcp = package(revision)
    with mcp.Client.in_memory(mcp.Server("s", "1")) as client, pytest.raises(UsageError, match="`returns` or `task`"):
        client.call_tool("give", task=mcp.TaskMetadata(), returns=int)


class Money:
    def __init__(self, cents: int) -> None:
        self.cents = cents


def test_a_converter_of_cattrs_reads_types_of_ones_own() -> None:
    converter = cattrs.Converter()
    converter.register_structure_hook(Money, lambda value, _: Money(round(value * 100)))
    result = result_of(STRUCTURED[-1], "2.5")
    assert result.as_(Money, converter=converter).cents == 250
    with pytest.raises(DataMismatch, match="is not of the type Point: "):
        result.as_(Point, converter=converter)
    with pytest.raises(DataMismatch) as caught:
        result_of(STRUCTURED[-1], '{"x": "a"}').as_(Point, converter=converter)
    assert [each for each in caught.value.faults if "$.x" in each]
