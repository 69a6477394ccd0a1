"""Tools: functions that are listed, called with arguments that fit, and answered for, in every revision."""

from __future__ import annotations

import collections.abc
import dataclasses
import functools
import json
import sqlite3
import threading
import time
from base64 import b64encode
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple, TypedDict, get_origin

import attrs
import pytest
from checkout import REVISIONS
from mcp_bindings_runtime.codec.record import field_names
from mcp_bindings_runtime.errors import ResponseError, ToolError, UsageError
from mcp_bindings_runtime.features import lists
from mcp_bindings_runtime.features.media import Audio, Image
from mcp_bindings_runtime.tasks.store import MemoryTasks
from support.revisions import HANDSHAKE, STATELESS, WITH_STRUCTURE, WITH_TASKS, facts, those_with
from support.scripted_peers import PATIENCE, eventually, package, scripted_client, text_of, threads_of

EARLY = those_with(lambda each: not each.argument_faults_in_results)
NAMED = those_with(lambda each: each.tool_names)
PNG = b"\x89PNG\r\n\x1a\n rest"
WAV = b"RIFF\0\0\0\0WAVE rest"

each_revision = pytest.mark.parametrize("revision", REVISIONS)


@attrs.define
class Weather:
    """What it is like outside."""

    temperature: float
    sky: str | None = None


class Options(TypedDict):
    deep: bool


@contextmanager
def client_of(server: Any, revision: str, **options: Any) -> Iterator[Any]:
    client = package(revision).Client.in_memory(server, timeout=PATIENCE, **options)
    with client:
        yield client
    server.close()


def new_server(revision: str, **options: Any) -> Any:
    return package(revision).Server("demo", "1.0", **options)


def listed(server: Any, revision: str) -> dict[str, Any]:
    """What clients see of the tools, as JSON."""
    with client_of(server, revision) as client:
        return {tool.name: package(revision).converter.unstructure(tool) for tool in client.list_tools()}


def called(server: Any, revision: str, name: str, /, **arguments: Any) -> Any:
    """The result of a call, as JSON and without what results of a revision always have."""
    with client_of(server, revision) as client:
        result = package(revision).converter.unstructure(client.call_tool(name, arguments))
    return {key: value for key, value in result.items() if key not in ("_meta", "resultType")}


# Listing.


@each_revision
def test_a_function_becomes_a_tool_and_stays_what_it_is(revision: str) -> None:
    server = new_server(revision)

    @server.tool
    def add(a: int, b: Annotated[int, "what to add"] = 1) -> int:
        """Add two numbers.

        Args:
            a: the first
        """
        return a + b

    assert add(1, b=2) == 3
    shown = listed(server, revision)["add"]
    assert shown.pop("outputSchema", None) == ({"type": "integer"} if revision in STATELESS else None)
    assert shown == {
        "name": "add",
        "description": "Add two numbers.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "a": {"type": "integer", "description": "the first"},
                "b": {"type": "integer", "description": "what to add", "default": 1},
            },
            "required": ["a"],
            "additionalProperties": False,
        },
    }
    assert called(server, revision, "add", a=1)["content"] == [{"type": "text", "text": "2"}]


@each_revision
def test_what_the_decorator_is_given_is_listed(revision: str) -> None:
    mcp = package(revision)
    server = mcp.Server("demo", "1.0")
    members: dict[str, Any] = {"description": "Says it back."}
    wanted: dict[str, Any] = {"description": "Says it back."}
    declared = field_names(mcp.Tool)
    if "annotations" in declared:
        members["annotations"] = mcp.ToolAnnotations(read_only_hint=True)
        wanted["annotations"] = {"readOnlyHint": True}
    if "title" in declared:
        members |= {"title": "Echo", "meta": {"acme/x": 1}}
        wanted |= {"title": "Echo", "_meta": {"acme/x": 1}}
    if "icons" in declared:
        members["icons"] = [mcp.Icon(src="https://a.example/i.png")]
        wanted["icons"] = [{"src": "https://a.example/i.png"}]
    if "execution" in declared:
        members["execution"] = mcp.ToolExecution(task_support="optional")
        wanted["execution"] = {"taskSupport": "optional"}

    @server.tool(name="say", **members)
    def echo(text: str) -> str:
        """Not this."""
        return text

    shown = listed(server, revision)
    assert list(shown) == ["say"]
    assert {key: value for key, value in shown["say"].items() if key not in ("name", "inputSchema")} == wanted


def test_a_revision_takes_what_its_tools_have() -> None:
    with pytest.raises(UsageError, match="title"):
        new_server("2024-11-05").tool(title="Echo")
    with pytest.raises(UsageError, match="execution"):
        new_server("2026-07-28").tool(execution=None)
    with pytest.raises(UsageError, match="output_schema"):
        new_server("2025-03-26").tool(output_schema={})


@each_revision
def test_without_parameters_only_the_empty_object_is_taken(revision: str) -> None:
    server = new_server(revision)
    server.tool(lambda_free)
    schema = {"type": "object", "properties": {}, "additionalProperties": False}
    assert listed(server, revision)["lambda_free"]["inputSchema"] == schema
    assert called(server, revision, "lambda_free") == {"content": []}


def lambda_free() -> None:
    """Does nothing."""


@pytest.mark.parametrize("revision", WITH_STRUCTURE)
def test_an_object_that_is_promised_has_an_output_schema(revision: str) -> None:
    server = new_server(revision)

    @server.tool
    def weather(city: str) -> Weather:
        return Weather(20 if city == "Rome" else 10)

    assert listed(server, revision)["weather"]["outputSchema"] == {
        "type": "object",
        "description": "What it is like outside.",
        "properties": {"temperature": {"type": "number"}, "sky": {"anyOf": [{"type": "string"}, {"type": "null"}]}},
        "required": ["temperature", "sky"],
    }
    assert called(server, revision, "weather", city="Rome") == {
        "content": [{"type": "text", "text": '{"temperature": 20.0, "sky": null}'}],
        "structuredContent": {"temperature": 20.0, "sky": None},
    }


@each_revision
def test_other_values_than_objects_are_structured_where_the_revision_allows_it(revision: str) -> None:
    server = new_server(revision)

    @server.tool
    def numbers() -> list[int]:
        return [1, 2]

    result = called(server, revision, "numbers")
    assert result.pop("structuredContent", None) == ([1, 2] if revision in STATELESS else None)
    assert result == {"content": [{"type": "text", "text": "[1, 2]"}]}
    assert ("outputSchema" in listed(server, revision)["numbers"]) == (revision in STATELESS)


# Calling.


@each_revision
def test_arguments_become_what_they_are_annotated_as(revision: str) -> None:
    server = new_server(revision)
    seen: list[Any] = []

    @server.tool
    def take(place: Weather, options: Options, /, tags: set[str], *, more: list[Weather] | None = None) -> None:
        seen.append((place, options, tags, more))

    called(
        server,
        revision,
        "take",
        place={"temperature": 1},
        options={"deep": True},
        tags=["a"],
        more=[{"temperature": 2, "sky": "x"}],
    )
    assert seen == [(Weather(1.0), {"deep": True}, {"a"}, [Weather(2.0, "x")])]


@each_revision
def test_wrong_arguments_are_told_all_at_once_in_the_way_of_the_revision(revision: str) -> None:
    server = new_server(revision)

    @server.tool
    def take(place: Weather, n: int) -> None:
        raise AssertionError

    faults = ['$.n: found "5", expected an integer', "$.place.temperature: is missing, expected a number"]
    faults.append("$.other: is unknown, expected only place, n")
    arguments = {"n": "5", "place": {}, "other": 1}
    if revision in EARLY:
        with pytest.raises(ResponseError) as caught:
            called(server, revision, "take", **arguments)
        assert caught.value.code == -32602
        assert caught.value.data["name"] == "take"
        assert sorted(caught.value.data["faults"]) == sorted(faults)
    else:
        result = called(server, revision, "take", **arguments)
        assert result["isError"] is True
        assert all(fault in result["content"][0]["text"] for fault in faults)


@each_revision
def test_an_unknown_tool_is_invalid_params(revision: str) -> None:
    server = new_server(revision)
    server.tool(lambda_free)
    with pytest.raises(ResponseError, match="Unknown tool: Lambda_free") as caught:
        called(server, revision, "Lambda_free")
    assert caught.value.code == -32602


def refusal_of(server: Any, name: str) -> str:
    with pytest.raises(ResponseError) as caught:
        called(server, REVISIONS[-1], name)
    return caught.value.message


def test_the_error_for_an_unknown_tool_suggests_a_similar_name(monkeypatch: pytest.MonkeyPatch) -> None:
    server = new_server(REVISIONS[-1])
    server.tool(lambda_free)
    assert refusal_of(server, "lamda_free") == "Unknown tool: lamda_free (did you mean 'lambda_free'?)"
    assert refusal_of(server, "forecast") == "Unknown tool: forecast"
    # Comparing names takes time that grows with their lengths.
    assert refusal_of(server, long := "lambda_free" * 100) == f"Unknown tool: {long}"
    monkeypatch.setattr(lists, "_SEARCHED", 0)
    assert refusal_of(server, "lamda_free") == "Unknown tool: lamda_free"


def test_no_tool_is_suggested_where_the_list_may_conceal_it() -> None:
    mcp, server = package(REVISIONS[-1]), new_server(REVISIONS[-1])
    server.tool(lambda_free)

    @server.handler(mcp.methods.LIST_TOOLS)
    def conceal(params: Any, context: Any) -> Any:
        return mcp.ListToolsResult(tools=[])

    assert refusal_of(server, "lamda_free") == "Unknown tool: lamda_free"


@each_revision
def test_what_a_tool_raises_reaches_its_caller_as_a_message_and_the_log_with_its_traceback(
    revision: str, caplog: pytest.LogCaptureFixture
) -> None:
    mcp = package(revision)
    server = mcp.Server("demo", "1.0")

    @server.tool
    def fail(how: str) -> None:
        if how == "wanted":
            text = "there is no such city"
            raise mcp.ToolError(text)
        if how == "refused":
            raise ResponseError(-32000, "no", {"why": "not"})
        text = "" if how == "silent" else "it broke"
        raise ValueError(text)

    assert called(server, revision, "fail", how="wanted") == {
        "content": [{"type": "text", "text": "there is no such city"}],
        "isError": True,
    }
    assert not caplog.records
    assert called(server, revision, "fail", how="any") == {
        "content": [{"type": "text", "text": "it broke"}],
        "isError": True,
    }
    assert "Traceback" in caplog.text
    assert called(server, revision, "fail", how="silent")["content"] == [{"type": "text", "text": "ValueError"}]
    with pytest.raises(ResponseError) as caught:
        called(server, revision, "fail", how="refused")
    assert (caught.value.code, caught.value.message, caught.value.data) == (-32000, "no", {"why": "not"})


@each_revision
def test_content_of_all_kinds(revision: str) -> None:
    mcp = package(revision)
    server = mcp.Server("demo", "1.0")
    text = mcp.TextContent(text="made")
    embedded = mcp.EmbeddedResource(resource=mcp.TextResourceContents(uri="test://a", text="inside"))
    given: dict[str, Any] = {
        "nothing": None,
        "text": "hello",
        "number": 1.5,
        "flag": True,
        "image": Image(PNG),
        "bytes": bytearray(PNG),
        "block": text,
        "mixed": ["first", Image(PNG, "image/x-mine"), {"a": 1}, [embedded, None]],
        "result": mcp.CallToolResult(content=[text], is_error=True),
    }

    @server.tool
    def give(what: str):  # type: ignore[no-untyped-def]  # what is not annotated is taken as it comes
        return given[what]

    def block(data: str, kind: str) -> dict[str, Any]:
        return {"type": "image", "data": data, "mimeType": kind}

    png = "iVBORw0KGgogcmVzdA=="
    wanted: dict[str, list[Any]] = {
        "nothing": [],
        "text": [{"type": "text", "text": "hello"}],
        "number": [{"type": "text", "text": "1.5"}],
        "flag": [{"type": "text", "text": "true"}],
        "image": [block(png, "image/png")],
        "bytes": [block(png, "image/png")],
        "block": [{"type": "text", "text": "made"}],
        "mixed": [
            {"type": "text", "text": "first"},
            block(png, "image/x-mine"),
            {"type": "text", "text": '{"a": 1}'},
            {"type": "resource", "resource": {"uri": "test://a", "text": "inside"}},
        ],
        "result": [{"type": "text", "text": "made"}],
    }
    for what, content in wanted.items():
        result = called(server, revision, "give", what=what)
        assert result.pop("isError", False) == (what == "result")
        assert result == {"content": content}


DATA: list[Any] = [
    bytes,
    bytearray,
    bytes | None,
    list[bytes],
    Image | bytes,
    list[str | bytes],
    Annotated[bytes, "a photo"],
    tuple[bytes, ...],
    Generator[float, None, bytes],
]


@each_revision
@pytest.mark.parametrize("kind", DATA, ids=str)
def test_a_tool_that_is_annotated_with_bytes_is_refused_with_what_to_write(revision: str, kind: Any) -> None:
    server = new_server(revision)

    def photo() -> Any:
        return PNG

    def steps() -> Any:
        yield 0.5
        return PNG

    photo.__annotations__["return"] = steps.__annotations__["return"] = kind
    with pytest.raises(UsageError, match=r"tool photo returns .*bytes are not content; return Image\(data\)") as caught:
        server.tool(name="photo")(steps if get_origin(kind) is Generator else photo)
    assert "base64.b64encode(data).decode()" in str(caught.value)
    assert ("Audio(data)" in str(caught.value)) == hasattr(package(revision), "AudioContent")
    assert len(server.tools) == 0


@each_revision
def test_bytes_within_an_object_are_base64_as_its_schema_says(revision: str) -> None:
    @dataclass
    class Photo:
        data: bytes

    server = new_server(revision)

    def photo() -> Any:
        return Photo(PNG)

    photo.__annotations__["return"] = Photo
    server.tool(photo)
    text = called(server, revision, "photo")["content"][0]["text"]
    assert json.loads(text) == {"data": b64encode(PNG).decode()}


@each_revision
def test_a_sound_is_content_from_2025_03_26_on(revision: str, caplog: pytest.LogCaptureFixture) -> None:
    server = new_server(revision)

    @server.tool
    def sound() -> Audio:
        return Audio(WAV)

    result = called(server, revision, "sound")
    if "AudioContent" not in facts(revision).content_blocks:
        assert result["isError"] is True
        assert "which exists from 2025-03-26 on" in result["content"][0]["text"]
    else:
        assert [each["mimeType"] for each in result["content"]] == ["audio/wav"]


@each_revision
def test_objects_without_annotation_are_json(revision: str) -> None:
    server = new_server(revision)

    @server.tool
    def one() -> Any:
        return Weather(1.0)

    @server.tool
    def many() -> Any:
        return [Weather(1.0), {"when": threading}]

    result = called(server, revision, "one")
    assert result["content"] == [{"type": "text", "text": '{"temperature": 1.0, "sky": null}'}]
    assert ("structuredContent" in result) == (revision in WITH_STRUCTURE)
    failed = called(server, revision, "many")
    expected = (
        "tool many returned a value that cannot be sent as JSON: $[1].when: found module, which is not a JSON value"
    )
    assert failed["content"][0]["text"] == expected


@each_revision
def test_a_row_of_a_database_is_to_be_converted(revision: str) -> None:
    server = new_server(revision)

    @server.tool
    def orders():  # type: ignore[no-untyped-def]  # as beginners write it
        with closing(sqlite3.connect(":memory:")) as database:
            database.row_factory = sqlite3.Row
            return database.execute("SELECT 1 AS number").fetchall()

    text = called(server, revision, "orders")["content"][0]["text"]
    assert text.endswith("cannot be sent as JSON: $[0]: found Row, which is not a JSON value; convert it with dict()")


@each_revision
@pytest.mark.parametrize(
    ("annotation", "value", "said"),
    [
        (int, "5", '$: found "5", expected an integer'),
        (Weather, {"temperature": 1}, "$: found dict, expected Weather"),
        (Weather, Weather("hot"), '$.temperature: found "hot", expected a number'),  # type: ignore[arg-type]
        (Image, "x", "$: found str, expected Image"),
        (Annotated[Image, "A picture."], "x", "$: found str, expected Image"),
        (None, 5, "$: found 5, expected null"),
    ],
    ids=str,
)
def test_a_result_of_another_type_than_promised_fails_the_call(
    revision: str, annotation: Any, value: Any, said: str
) -> None:
    server = new_server(revision)

    def give() -> Any:
        return value

    give.__annotations__["return"] = annotation
    server.tool(give)
    result = called(server, revision, "give")
    assert result["isError"] is True
    assert result["content"][0]["text"] == f"tool give returned a value that does not match its annotation: {said}"


@pytest.mark.parametrize("revision", WITH_STRUCTURE)
@pytest.mark.parametrize("schema", [None, {"type": "object"}], ids=["annotation", "schema"])
def test_a_ready_result_needs_the_structured_content_that_the_tool_declares(revision: str, schema: Any) -> None:
    server, result = new_server(revision), package(revision).CallToolResult

    @server.tool(**({} if schema is None else {"output_schema": schema}))
    def give() -> dict[str, int]:
        return result(content=[])  # type: ignore[no-any-return]  # the mistake

    failed = called(server, revision, "give")
    assert failed["isError"] is True
    assert failed["content"][0]["text"].endswith(
        "$: found a CallToolResult without `structured_content`, which the return type requires"
    )


def test_a_wrong_result_is_logged_on_one_line_with_the_place_of_the_function(caplog: pytest.LogCaptureFixture) -> None:
    server = new_server(REVISIONS[-1])

    @server.tool
    def give() -> int:
        return "x"  # type: ignore[return-value]

    called(server, REVISIONS[-1], "give")
    (record,) = caplog.records
    line = give.__code__.co_firstlineno
    assert record.getMessage().startswith(f"{__file__}:{line}: tool give returned a value that does not match")
    assert record.exc_info is None
    assert "\n" not in caplog.text.strip()


@pytest.mark.parametrize("revision", WITH_TASKS)
def test_a_wrong_result_of_a_task_is_logged_like_that_of_a_call(
    revision: str, caplog: pytest.LogCaptureFixture
) -> None:
    mcp = package(revision)
    server = new_server(revision, tasks=mcp.MemoryTasks(tools={"give": "optional"}))
    wrong: Any = "x"

    @server.handler(mcp.methods.CALL_TOOL)
    def give(params: Any, context: Any) -> Any:
        return wrong

    options = {"tasks": True} if revision in STATELESS else {}
    with (
        client_of(server, revision, **options) as client,
        pytest.raises(ResponseError, match=r"^Internal error \(-32603\)$"),
    ):
        client.call_tool_as_task("give").result(PATIENCE)
    (record,) = [each for each in caplog.records if each.levelname == "WARNING"]
    line = give.__code__.co_firstlineno
    start = f"{__file__}:{line}: the handler of tools/call returned a str; expected "
    assert record.getMessage().startswith(start)
    assert record.exc_info is None


def unsendable(mcp: Any) -> dict[str, Any]:
    """Values that tools may return, but that cannot be sent."""
    return {
        "bytes": b"not an image",
        "text for a list": mcp.CallToolResult(content="abc"),
        "text for a block": mcp.CallToolResult(content=["abc"]),
        "half a surrogate pair": "\ud800",
        "member": mcp.TextContent(text=5),
        "generator expression": (each for each in "abc"),
    }


@pytest.mark.parametrize("revision", [HANDSHAKE[0], REVISIONS[-1]])
@pytest.mark.parametrize("name", unsendable(package(REVISIONS[-1])))
def test_what_cannot_be_sent_is_logged_on_one_line_with_the_place_of_the_function(
    name: str, revision: str, caplog: pytest.LogCaptureFixture
) -> None:
    server = new_server(revision)
    value = unsendable(package(revision))[name]

    @server.tool
    def give():  # type: ignore[no-untyped-def]
        return value

    assert called(server, revision, "give")["isError"]
    (record,) = caplog.records
    assert record.getMessage().startswith(f"{__file__}:{give.__code__.co_firstlineno}: tool give returned a ")
    assert record.exc_info is None


def test_keys_of_a_declared_map_that_are_not_texts_are_reported_with_the_place(
    caplog: pytest.LogCaptureFixture,
) -> None:
    server = new_server(REVISIONS[-1])

    @server.tool
    def give() -> dict[str, float]:
        return {1: 2.0}  # type: ignore[dict-item]

    assert called(server, REVISIONS[-1], "give")["isError"]
    (record,) = caplog.records
    text = "tool give returned a result that cannot be sent: $.result.structuredContent: found the key 1"
    assert record.getMessage().startswith(f"{__file__}:{give.__code__.co_firstlineno}: {text}")


def test_a_generator_expression_is_not_taken_for_progress() -> None:
    server = new_server(REVISIONS[-1])

    @server.tool
    def give() -> list[int]:
        return (each for each in (1, 2))  # type: ignore[return-value]

    said = called(server, REVISIONS[-1], "give")["content"][0]["text"]
    assert said == "tool give returned a generator expression, which is used up by reading it; return a list"


@pytest.mark.parametrize("wrong", [None, "text for a block"])
def test_a_handler_whose_result_cannot_be_sent_is_named_with_its_place(
    wrong: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    mcp = package(REVISIONS[-1])
    server = mcp.Server("s", "1")

    @server.handler(mcp.methods.CALL_TOOL)
    def give(params: Any, context: Any) -> Any:
        return None if wrong is None else unsendable(mcp)[wrong]

    with mcp.Client.in_memory(server) as client:
        if wrong is None:
            with pytest.raises(ResponseError, match="-32603"):
                client.call_tool("x")
        else:
            assert client.call_tool("x").is_error
    (record,) = caplog.records
    place = f"{__file__}:{give.__code__.co_firstlineno}: the handler of tools/call returned "
    assert record.getMessage().startswith(place)


class Silent(Exception):
    def __str__(self) -> str:
        return " "


class Unprintable(Exception):
    def __str__(self) -> str:
        raise ValueError


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("too late"), "too late"),
        (ValueError(), "ValueError"),
        (Silent("x"), "Silent"),
        (Unprintable(), "Unprintable"),
        (ToolError(""), "ToolError"),
        (ToolError("  "), "ToolError"),
        (SystemExit(3), "SystemExit: 3"),
        (SystemExit(), "SystemExit"),
        (KeyError("name"), "KeyError: 'name'"),
        (OSError(2), "OSError: 2"),
        (OSError("disk is gone"), "OSError: disk is gone"),
        (FileNotFoundError(2, "No such file or directory"), "No such file or directory"),
        (FileNotFoundError(2, ""), "No such file or directory"),
        (FileNotFoundError(2, "No such file or directory", "a.txt"), "No such file or directory: 'a.txt'"),
        (OSError(18, "Invalid link", "a", None, "b"), "Invalid link: 'a' -> 'b'"),
    ],
    ids=repr,
)
def test_the_message_of_an_exception_is_never_empty_nor_a_number_alone(
    error: BaseException, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    server = new_server(REVISIONS[-1])

    @server.tool
    def fail() -> str:
        raise error

    assert called(server, REVISIONS[-1], "fail")["content"][0]["text"] == said
    assert [record.getMessage() for record in caplog.records] in ([f"tool fail failed: {said}"], [])
    assert isinstance(error, ToolError) or caplog.records


@pytest.mark.parametrize("revision", WITH_STRUCTURE)
def test_a_ready_made_result_keeps_the_promise_too(revision: str) -> None:
    mcp = package(revision)
    server = mcp.Server("demo", "1.0")
    given = [
        mcp.CallToolResult(content=[], structured_content={"temperature": 1.5, "sky": None}),
        mcp.CallToolResult(content=[], structured_content={"temperature": "hot", "sky": None}),
        mcp.CallToolResult(content=[]),
        mcp.CallToolResult(content=[], is_error=True),
    ]

    @server.tool
    def weather() -> Weather:
        result: Weather = given.pop(0)
        return result

    kept = [called(server, revision, "weather") for _ in range(4)]
    assert [bool(each.get("isError")) for each in kept] == [False, True, True, True]
    assert "$.temperature" in kept[1]["content"][0]["text"]
    assert kept[3]["content"] == []


@each_revision
def test_values_that_the_annotation_leaves_open_are_made_json_or_refused(revision: str) -> None:
    server = new_server(revision)
    given: list[Any] = [{"a": Weather(1.0)}, {"a": float("nan")}, {"a": object()}]

    @server.tool
    def give() -> dict[str, Any]:
        value: dict[str, Any] = given.pop(0)
        return value

    results = [called(server, revision, "give") for _ in range(3)]
    assert results[0]["content"][0]["text"] == '{"a": {"temperature": 1.0, "sky": null}}'
    assert "$.a: found nan, expected a finite number" in results[1]["content"][0]["text"]
    assert "$.a: found object, which is not a JSON value" in results[2]["content"][0]["text"]


@attrs.define
class Chain:
    """It contains itself."""

    next: Chain | None = None


@each_revision
def test_arguments_that_are_nested_too_deeply_are_wrong_arguments(revision: str) -> None:
    server = new_server(revision)

    @server.tool
    def follow(chain: Chain) -> None:
        raise AssertionError

    @server.tool(input_schema={"type": "object", "$ref": "#"})
    def endless(**_: Any) -> None:
        raise AssertionError

    deep: Any = {}
    for _ in range(400):
        deep = {"next": deep}
    for name, arguments in [("follow", {"chain": deep}), ("endless", {"a": 1})]:
        if revision in EARLY:
            with pytest.raises(ResponseError) as caught:
                called(server, revision, name, **arguments)
            assert caught.value.code == -32602
        else:
            assert "is nested too deeply" in called(server, revision, name, **arguments)["content"][0]["text"]


def test_members_of_another_type_are_refused_where_the_tool_is_registered() -> None:
    with pytest.raises(UsageError, match=r"tool lambda_free does not fit 2025-11-25: \$.title: found 5"):
        new_server("2025-11-25").tool(title=5)(lambda_free)


# The context, progress and time.


@each_revision
def test_the_context_is_that_of_the_revision_and_no_argument(revision: str) -> None:
    mcp = package(revision)
    server = mcp.Server("demo", "1.0")
    seen: list[Any] = []

    def one(n: int, where) -> None:  # type: ignore[no-untyped-def]  # annotated below
        seen.append((n, where))

    one.__annotations__["where"] = mcp.Context

    def two(context, n: int = 2) -> None:  # type: ignore[no-untyped-def]  # its name is enough
        seen.append((n, context))

    def three(n: int, context: Any) -> None:
        seen.append((n, context))

    def four(n: int, context: object) -> None:
        seen.append((n, context))

    for function in (one, two, three, four):
        server.tool(function)
    arguments = [list(tool["inputSchema"]["properties"]) for tool in listed(server, revision).values()]
    assert arguments == [["n"], ["n"], ["n"], ["n", "context"]]
    called(server, revision, "one", n=1)
    called(server, revision, "two")
    called(server, revision, "three", n=3)
    called(server, revision, "four", n=4, context="here")
    found = [(n, context.__class__) for n, context in seen]
    assert found == [(1, mcp.Context), (2, mcp.Context), (3, mcp.Context), (4, str)]

    def both(where: Any, context: Any) -> None:
        """Have two contexts."""

    both.__annotations__["where"] = mcp.Context
    with pytest.raises(UsageError, match="where and context both stand for the context; use one"):
        server.tool(both)
    result_or_error = new_server(revision)
    result_or_error.tool(two)
    with pytest.raises(ResponseError) if revision in EARLY else contextmanager(lambda: iter([None]))():
        assert called(result_or_error, revision, "two", context=1)["isError"] is True


@pytest.mark.parametrize("annotation", [list[int], str, None])
def test_a_function_that_yields_and_declares_another_result_is_refused(annotation: Any) -> None:
    def days():  # type: ignore[no-untyped-def]
        yield 1

    days.__annotations__["return"] = annotation
    with pytest.raises(
        UsageError, match=r"days yields, and is annotated as returning .*: write Generator\[float, None, "
    ):
        new_server(REVISIONS[-1]).tool(days)


@each_revision
def test_a_generator_reports_progress_and_returns_its_result(revision: str) -> None:
    server = new_server(revision)

    @server.tool
    def steps(n: int) -> collections.abc.Generator[Any, None, str]:
        yield 0.5
        for step in range(n):
            yield step + 1, n, "on"
        return "done"

    @server.tool
    def wrong() -> collections.abc.Iterator[str]:
        yield "half"

    seen: list[Any] = []
    with client_of(server, revision) as client:
        result = client.call_tool("steps", {"n": 2}, on_progress=lambda each: seen.append((each.progress, each.total)))
        assert text_of(result) == "done"
        assert seen == [(0.5, None), (1, 2), (2, 2)]
        assert "must yield progress, (progress, total)" in text_of(client.call_tool("wrong"))
        assert text_of(client.call_tool("steps", {"n": 0})) == "done"


@each_revision
def test_a_call_that_takes_too_long_is_answered_and_its_function_sees_that_it_is_cancelled(revision: str) -> None:
    server = new_server(revision)
    ended: list[bool] = []

    @server.tool(timeout=0.02)
    def slower(n: int, context) -> str:  # type: ignore[no-untyped-def]
        while not context.cancelled:
            time.sleep(0.001)
        ended.append(context.cancelled)
        context.progress(1)
        return "late"

    @server.tool(timeout=PATIENCE)
    def quick() -> str:
        return "in time"

    with client_of(server, revision) as client:
        result = client.call_tool("slower", {"n": 1})
        assert result.is_error
        assert text_of(result) == "tool slower did not finish within 0.02 s"
        assert text_of(client.call_tool("quick")) == "in time"
        eventually(lambda: ended == [True])
    eventually(lambda: not threads_of("mcp-tool-timeout"))


@pytest.mark.parametrize("asks", [False, True])
@pytest.mark.parametrize("revision", NAMED)
def test_a_task_that_takes_too_long_ends_and_its_function_sees_that_it_is_cancelled(revision: str, asks: bool) -> None:
    server = new_server(revision, tasks=MemoryTasks(tools={"slower": "optional"}, poll=0.001))
    left = threading.Event()
    handlers: dict[str, Any] = {"tasks": True} if revision in STATELESS else {}

    @server.tool(timeout=0.05)
    def slower(context) -> str:  # type: ignore[no-untyped-def]
        if revision in STATELESS:
            context.begin_task()
        try:
            if asks:
                context.elicit_form("?", Weather)
            while not context.cancelled:
                time.sleep(0.001)
        finally:
            left.set()
        return "late"

    def too_late(params: Any, context: Any) -> Any:
        left.wait(PATIENCE)
        return package(revision).ElicitResult(action="decline")

    with client_of(server, revision, elicitation=too_late, **handlers) as client:
        result = client.call_tool_as_task("slower").result(PATIENCE)
        assert result.is_error
        assert text_of(result) == "tool slower did not finish within 0.05 s"
        assert left.wait(PATIENCE)


@each_revision
def test_a_generator_that_takes_too_long_is_closed(revision: str) -> None:
    server = new_server(revision)
    closed = threading.Event()

    @server.tool(timeout=0.02)
    def forever() -> collections.abc.Generator[float, None, None]:
        try:
            for step in range(1, 1_000_000):
                yield step
                time.sleep(0.001)
        finally:
            closed.set()

    with client_of(server, revision) as client:
        assert client.call_tool("forever").is_error
        assert closed.wait(PATIENCE)


@each_revision
def test_a_function_that_stops_when_its_time_is_over_may_return_anything(
    revision: str, caplog: pytest.LogCaptureFixture
) -> None:
    server = new_server(revision)
    ended: list[str] = []

    @server.tool(timeout=0.02)
    def steps() -> collections.abc.Generator[float, None, str]:
        try:
            for step in range(1, 1_000_000):
                yield step
                time.sleep(0.001)
        finally:
            ended.append("steps")
        return "done"

    @server.tool(timeout=0.02)
    def loop(context) -> str:  # type: ignore[no-untyped-def]
        while not context.cancelled:
            time.sleep(0.001)
        ended.append("loop")
        return None  # type: ignore[return-value]

    with client_of(server, revision) as client:
        for name in ("steps", "loop"):
            assert text_of(client.call_tool(name)) == f"tool {name} did not finish within 0.02 s"
        eventually(lambda: sorted(ended) == ["loop", "steps"])
        # What is logged is logged after the function has ended.
        time.sleep(0.05)
    assert caplog.messages == []


@pytest.mark.parametrize("revision", STATELESS)
def test_a_question_to_the_user_passes_through_a_tool(revision: str) -> None:
    mcp = package(revision)
    server = mcp.Server("demo", "1.0")
    rounds: list[int] = []

    @server.tool
    def greet(greeting: str, context) -> collections.abc.Generator[float, None, str]:  # type: ignore[no-untyped-def]
        rounds.append(1)
        yield 0.5
        try:
            fields = {"name": mcp.StringSchema()}
            answer = context.elicit("Who?", mcp.ElicitRequestFormParamsRequestedSchema(properties=fields))
        except Exception as error:  # noqa: BLE001  # as tools may
            return f"caught {error}"
        return f"{greeting} {answer.content['name']}"

    client = mcp.Client.in_memory(server, timeout=PATIENCE)
    client.handler(mcp.methods.ELICIT)(
        lambda params, context: mcp.ElicitResult(action="accept", content={"name": "Ada"})
    )
    with client:
        assert text_of(client.call_tool("greet", {"greeting": "Hello"})) == "Hello Ada"
    assert len(rounds) == 2


# What cannot be a tool.


def test_what_cannot_be_described_is_refused_with_function_parameter_and_type() -> None:
    server = new_server("2025-06-18")

    def bare(a) -> None: ...  # type: ignore[no-untyped-def]

    def odd(a: int, z: complex) -> None: ...

    def rest(*numbers: int) -> None: ...

    def gives() -> complex: ...

    async def later() -> None: ...

    def foreign(context: package("2025-11-25").Context) -> None: ...  # type: ignore[valid-type]

    foreign.__annotations__["context"] = package("2025-11-25").Context

    def lost(a: Unknown) -> None: ...  # type: ignore[name-defined]  # noqa: F821

    for function, said in [
        (bare, "tool bare: parameter a has no annotation; use one of str"),
        (odd, "tool odd: parameter z: complex has no JSON Schema; use one of str"),
        (rest, r"tool rest: arguments for \*numbers cannot be passed by name"),
        (gives, r"tool gives returns complex.*use CallToolResult, content blocks"),
        (later, "tool later is a coroutine function"),
        (foreign, "v2025_11_25.server.Context, but this server passes .*v2025_06_18"),
        (lost, "tool lost: name 'Unknown' is not defined"),
    ]:
        with pytest.raises(UsageError, match=said):
            server.tool(function)
    with pytest.raises(UsageError, match="pass name="):
        server.tool(lambda: None)
    assert len(server.tools) == 0


def test_models_and_fields_of_pydantic_are_refused_with_what_to_write_instead() -> None:
    server = new_server("2025-06-18")
    model = type("BaseModel", (), {"__module__": "pydantic.main"})
    user = type("User", (model,), {})
    field = type("FieldInfo", (), {"__module__": "pydantic.fields"})()

    def taken(who: Any) -> None: ...

    def given() -> Any: ...

    def noted(count: Annotated[int, field]) -> None: ...  # type: ignore[valid-type]

    def preset(count: int = field) -> None: ...  # type: ignore[assignment]

    bound = type("Gt", (), {"__module__": "annotated_types"})()

    def bounded(count: Annotated[int, bound]) -> None: ...  # type: ignore[valid-type]

    bounded.__annotations__["count"] = Annotated[int, bound]

    taken.__annotations__["who"] = given.__annotations__["return"] = user
    noted.__annotations__["count"] = Annotated[int, field]
    for function, said in [
        (taken, r"parameter who: User has no JSON Schema \(pydantic models are not supported; make it a dataclass\)"),
        (given, "returns User: .*pydantic models are not supported"),
        (noted, r"parameter count: pydantic's Field is not supported.*mcp\.Keywords"),
        (preset, "parameter count: pydantic's Field is not supported"),
        (bounded, "parameter count: Gt of annotated_types is not supported"),
    ]:
        with pytest.raises(UsageError, match=said):
            server.tool(function)


def pydantic_field() -> Any:
    return type("FieldInfo", (), {"__module__": "pydantic.fields", "__hash__": object.__hash__})()


def dataclass_with_field() -> type:
    return dataclasses.make_dataclass("Order", [("quantity", int, pydantic_field())])


def annotated_dataclass() -> type:
    return dataclasses.make_dataclass("Order", [("quantity", Annotated[int, pydantic_field()], 1)])


def attrs_class_with_field() -> type:
    return attrs.make_class("Order", {"quantity": attrs.field(type=int, default=pydantic_field())})


def named_tuple_with_field() -> type:
    return type(
        "Order", (NamedTuple("Order", [("quantity", int)]),), {"_field_defaults": {"quantity": pydantic_field()}}
    )


@pytest.mark.parametrize(
    "make", [dataclass_with_field, annotated_dataclass, attrs_class_with_field, named_tuple_with_field]
)
def test_a_field_of_pydantic_in_a_class_is_refused_by_its_name(make: Callable[[], type]) -> None:
    order = make()
    server = new_server("2026-07-28")

    def taken(order: Any) -> None: ...

    def listed(orders: Any) -> None: ...

    def returned() -> Any: ...

    taken.__annotations__["order"] = order
    listed.__annotations__["orders"] = list[order]  # type: ignore[valid-type]
    returned.__annotations__["return"] = order
    for function, place in [
        (taken, "tool taken: parameter order: "),
        (listed, "tool listed: parameter orders: "),
        (returned, "tool returned returns Order: "),
    ]:
        with pytest.raises(UsageError, match=f"^{place}field quantity of Order: pydantic's Field is not supported"):
            server.tool(function)


@each_revision
def test_names_are_those_that_the_revision_wants(revision: str) -> None:
    server = new_server(revision)
    for name in ["getUser", "DATA_EXPORT_v2", "admin.tools.list", "a", "a" * 128]:
        server.tool(name=name)(lambda_free)
    for name in ["", "has space", "comma,", "naïve", "a" * 129]:
        if revision in NAMED or not name:
            with pytest.raises(UsageError, match=r"the name of a tool must be|is empty"):
                server.tool(name=name)(lambda_free)
        else:
            server.tool(name=name)(lambda_free)
    with pytest.raises(UsageError, match=r"there is a tool 'a' already"):
        server.tool(name="a")(lambda_free)
    server.tool(name="A")(lambda_free)


@each_revision
def test_methods_partials_and_objects_are_functions_too(revision: str) -> None:
    class Counter:
        def __init__(self) -> None:
            self.value = 0

        def count(self, by: int = 1) -> int:
            """Counts."""
            self.value += by
            return self.value

        def __call__(self, to: int) -> int:
            """Sets."""
            self.value = to
            return to

        @staticmethod
        def twice(n: int) -> int:
            return 2 * n

    counter = Counter()
    server = new_server(revision)
    server.tool(counter.count)
    server.tool(name="set")(counter)
    server.tool(name="ten")(functools.partial(counter.count, 10))
    server.tool(Counter.twice)
    shown = listed(server, revision)
    assert {name: tool.get("description") for name, tool in shown.items()} == {
        "count": "Counts.",
        "set": "Sets.",
        "ten": "Counts.",
        "twice": None,
    }
    assert shown["ten"]["inputSchema"]["properties"] == {}
    texts = [
        called(server, revision, name, **arguments)["content"][0]["text"]
        for name, arguments in [("count", {"by": 2}), ("set", {"to": 5}), ("ten", {}), ("twice", {"n": 4})]
    ]
    assert texts == ["2", "5", "15", "8"]


def test_a_parameter_that_is_repeated_in_a_header_is_marked_and_one_that_cannot_be_is_refused() -> None:
    mcp = package("2026-07-28")
    region = mcp.Keywords(more={"x-mcp-header": "Region"})

    def run(region: str, count: float) -> None: ...

    run.__annotations__["region"] = Annotated[str, "where", region]
    server = mcp.Server("demo", "1.0")
    server.tool(run)
    assert listed(server, "2026-07-28")["run"]["inputSchema"]["properties"]["region"] == {
        "type": "string",
        "description": "where",
        "x-mcp-header": "Region",
    }
    for name, kind in [("bad name", str), ("", str), ("Count", float), ("region", str)]:
        run.__annotations__["count"] = Annotated[kind, mcp.Keywords(more={"x-mcp-header": name})]
        with pytest.raises(UsageError, match=r"tool run: .*x-mcp-header"):
            new_server("2026-07-28").tool(run)
        new_server("2025-11-25").tool(run)


@each_revision
def test_tools_are_declared_as_a_capability(revision: str) -> None:
    server = new_server(revision)
    assert server.capabilities.tools is None
    server.tool(lambda_free)
    assert package(revision).converter.unstructure(server.capabilities)["tools"] == {"listChanged": True}


# Changing the list, and handlers beside it.


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_clients_are_told_of_what_is_added_and_removed_while_they_are_there(revision: str) -> None:
    server = new_server(revision)
    server.tool(lambda_free)
    spoken = scripted_client(server)
    answered = spoken.introduce(revision)
    assert answered["result"]["capabilities"]["tools"] == {"listChanged": True}
    spoken.request("ping", 1)
    assert spoken.hear()["id"] == 1
    server.tool(name="second")(lambda_free)
    assert spoken.hear()["method"] == "notifications/tools/list_changed"
    server.tools.remove("lambda_free")
    assert spoken.hear()["method"] == "notifications/tools/list_changed"
    with server.tools.changing():
        server.tools.add(lambda_free)
        server.tools.remove("second")
    assert spoken.hear()["method"] == "notifications/tools/list_changed"
    spoken.request("tools/list", 2)
    assert [tool["name"] for tool in spoken.hear()["result"]["tools"]] == ["lambda_free"]
    with pytest.raises(UsageError, match="there is no tool 'second' to remove"):
        server.tools.remove("second")
    spoken.close()
    server.close()


@pytest.mark.parametrize("revision", STATELESS)
def test_subscribers_are_told_of_what_is_added_and_removed(revision: str) -> None:
    server = new_server(revision)
    server.tool(lambda_free)
    with client_of(server, revision) as client, client.listen(tools=True, timeout=PATIENCE) as changes:
        for change in (lambda: server.tool(name="second")(lambda_free), lambda: server.tools.remove("lambda_free")):
            change()
            assert changes.get(PATIENCE).key is package(revision).methods.TOOL_LIST_CHANGED


@each_revision
def test_the_list_is_in_the_order_of_registration_and_comes_in_pages(revision: str) -> None:
    server = new_server(revision, page_size=3)
    names = [f"tool{number}" for number in (5, 3, 9, 1, 7, 2, 8)]
    for name in names:
        server.tool(name=name)(lambda_free)
    with client_of(server, revision) as client:
        assert [tool.name for tool in client.list_tools()] == names
        page = client.list_tools_page()
        assert len(page.tools) == 3
        assert client.list_tools_page(page.next_cursor).tools[0].name == "tool1"
        with pytest.raises(ResponseError) as caught:
            client.list_tools_page("nowhere")
    assert caught.value.code == -32602


@each_revision
def test_every_client_sees_the_same_list(revision: str) -> None:
    server = new_server(revision)
    server.tool(lambda_free)
    server.tool(name="b")(lambda_free)
    server.tool(name="a")(lambda_free)
    with client_of(server, revision) as one, client_of(server, revision) as two:
        one.call_tool("b")
        lists = [[tool.name for tool in client.list_tools()] for client in (one, two, one)]
    assert lists == [["lambda_free", "b", "a"]] * 3


@each_revision
def test_a_server_whose_tools_are_all_gone_lists_none(revision: str) -> None:
    server = new_server(revision)
    server.tool(lambda_free)
    server.tools.remove("lambda_free")
    assert listed(server, revision) == {}


@each_revision
@pytest.mark.parametrize("first", ["handler", "tool"])
def test_a_handler_has_the_last_word_on_its_method(revision: str, first: str) -> None:
    mcp = package(revision)
    server = mcp.Server("demo", "1.0")

    def handle(params: Any, context: Any) -> Any:
        return mcp.CallToolResult(content=[mcp.TextContent(text="from the handler")])

    register = [lambda: server.handler(mcp.methods.CALL_TOOL)(handle), lambda: server.tool(lambda_free)]
    for step in register if first == "handler" else reversed(register):
        step()
    assert called(server, revision, "lambda_free")["content"][0]["text"] == "from the handler"
    assert list(listed(server, revision)) == ["lambda_free"]


@each_revision
def test_a_call_may_be_refused_admission(revision: str) -> None:
    server = new_server(revision)
    server.tool(lambda_free)
    reasons: list[str | None] = [None, "too many calls; try again in a second"]
    server.tools.admit = lambda context: reasons.pop(0)
    assert called(server, revision, "lambda_free") == {"content": []}
    refused = called(server, revision, "lambda_free")
    assert refused == {"content": [{"type": "text", "text": "too many calls; try again in a second"}], "isError": True}


# Schemas that are written by hand.

ADDRESS: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {"city": {"type": "string", "minLength": 2}},
    "properties": {"city": {"$ref": "#/$defs/city"}, "zip": {"type": "string"}},
    "anyOf": [{"required": ["city"]}, {"required": ["zip"]}],
    "additionalProperties": False,
}


@each_revision
def test_a_schema_written_by_hand_comes_back_unchanged_and_holds(revision: str) -> None:
    server = new_server(revision)

    @server.tool(input_schema=ADDRESS)
    def find(**where: Any) -> str:
        return ",".join(where)

    @server.tool(input_schema=ADDRESS, check=False)
    def trust(city: str = "", zip: Any = None) -> str:  # noqa: A002
        return city

    assert listed(server, revision)["find"]["inputSchema"] == ADDRESS
    assert called(server, revision, "find", city="Rome")["content"][0]["text"] == "city"
    assert called(server, revision, "trust", city="R")["content"][0]["text"] == "R"
    for arguments in ({"city": "R"}, {}, {"city": "Rome", "x": 1}):
        if revision in EARLY:
            with pytest.raises(ResponseError, match="Invalid arguments"):
                called(server, revision, "find", **arguments)
        else:
            assert called(server, revision, "find", **arguments)["isError"] is True


@pytest.mark.parametrize("revision", WITH_STRUCTURE)
def test_structured_content_is_held_against_an_output_schema_written_by_hand(revision: str) -> None:
    mcp = package(revision)
    server = mcp.Server("demo", "1.0")
    given: list[Any] = [
        {"city": "Rome"},
        {"city": 5},
        mcp.CallToolResult(content=[], structured_content={"city": "Rome"}),
        mcp.CallToolResult(content=[], structured_content={"town": "Rome"}),
        mcp.CallToolResult(content=[]),
        mcp.CallToolResult(content=[], is_error=True),
    ]

    @server.tool(output_schema=ADDRESS)
    def find() -> Any:
        return given.pop(0)

    assert listed(server, revision)["find"]["outputSchema"] == ADDRESS
    assert called(server, revision, "find") == {
        "content": [{"type": "text", "text": '{"city": "Rome"}'}],
        "structuredContent": {"city": "Rome"},
    }
    failed = called(server, revision, "find")
    assert failed["isError"] is True
    assert "does not fit its output schema: $.city" in failed["content"][0]["text"]
    assert called(server, revision, "find")["structuredContent"] == {"city": "Rome"}
    assert called(server, revision, "find")["isError"] is True
    assert called(server, revision, "find")["isError"] is True
    assert called(server, revision, "find") == {"content": [], "isError": True}


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        (
            {"type": "object", "properties": {"a": {"$ref": "https://a.example/s.json"}}},
            "use a reference into the schema itself",
        ),
        ({"type": "object", "$ref": "#/$defs/none"}, "which does not exist"),
        ({"type": "object", "minProperties": "a"}, "is not a valid JSON Schema"),
        (
            {"type": "object", "$schema": "https://a.example/dialect"},
            "has the unknown dialect 'https://a.example/dialect'",
        ),
        ({"type": "object", "enum": [[[]]] * 20_000}, "has more than"),
        ({"type": "object", "properties": {"b": {}}}, "input_schema has b, for which the function has no parameter"),
        ({"type": "array"}, "tool take does not fit 2025-11-25"),
    ],
    ids=str,
)
def test_a_schema_that_is_none_or_leads_elsewhere_is_refused(schema: dict[str, Any], said: str) -> None:
    def take(a: Any = None) -> None: ...

    with pytest.raises(UsageError, match=said):
        new_server("2025-11-25").tool(input_schema=schema)(take)


def test_without_the_extra_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "jsonschema", None)
    with pytest.raises(UsageError, match=r"pip install 'mcp-bindings\[schema\]'"):
        new_server("2025-11-25").tool(input_schema={"type": "object"})(lambda_free)
    new_server("2025-11-25").tool(input_schema={"type": "object"}, check=False)(lambda_free)


@each_revision
def test_half_a_surrogate_in_a_result_is_an_error_for_the_language_model(revision: str) -> None:
    mcp = package(revision)
    server = mcp.Server("made-up", "1.0")

    @server.tool()
    def text() -> str:
        return "\ud83d"

    @server.tool()
    def block() -> Any:
        return mcp.types.TextContent(text="\ud83d")

    @server.tool()
    def member() -> dict[str, str]:
        return {"a": "\ude00"}

    @server.tool()
    def key() -> dict[str, str]:
        return {"\ude00": "a"}

    with client_of(server, revision) as client:
        for name in ("text", "block", "member", "key"):
            found = client.call_tool(name, {})
            assert found.is_error
            assert "half a surrogate pair" in found.content[0].text


@each_revision
def test_half_a_surrogate_in_the_reason_of_a_failure_is_escaped(revision: str) -> None:
    server = package(revision).Server("made-up", "1.0")

    @server.tool()
    def fail() -> str:
        text = "no file \udcff"
        raise ToolError(text)

    with client_of(server, revision) as client:
        found = client.call_tool("fail", {})
    assert found.is_error
    assert found.content[0].text == "no file \\udcff"


@each_revision
def test_half_a_surrogate_in_the_result_of_a_handler_is_an_error_too(revision: str) -> None:
    mcp = package(revision)
    server = mcp.Server("made-up", "1.0")

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params: Any, context: Any) -> Any:
        return mcp.types.CallToolResult(content=[mcp.types.TextContent(text="\ud83d")])

    with client_of(server, revision) as client:
        found = client.call_tool("any", {})
    assert found.is_error
    assert "half a surrogate pair" in found.content[0].text
