"""Tools of a server in the forms of other projects, whose interfaces stand-ins have here; ``nox -s adapters`` has them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from functools import partial
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from checkout import REVISIONS
from mcp_bindings import adapters
from mcp_bindings_runtime.adapters.server_tools import server_tools
from mcp_bindings_runtime.errors import ToolFailed, UsageError
from support.connected_clients import asking, serving
from support.scripted_peers import Spoken, package, scripted_server


@pytest.fixture(params=REVISIONS)
def client(request: pytest.FixtureRequest) -> Iterator[Any]:
    server = serving(request.param)

    @server.tool
    def add(a: int, b: int = 2) -> str:
        """Add two numbers."""
        return str(a + b)

    @server.tool(name="files.read")
    def read(path: str | None = None) -> str:
        raise ValueError(path)

    @server.tool(name="files_read")
    def other(point: dict[str, int]) -> dict[str, int]:
        return point

    with asking(server) as connected:
        yield connected


def call(name: str, arguments: str) -> dict[str, Any]:
    return {"id": "c1", "type": "function", "function": {"name": name, "arguments": arguments}}


def test_openai_gets_names_that_it_accepts_and_the_schemas(client: Any) -> None:
    tools = adapters.to_openai_tools(client)
    assert [each["type"] for each in tools] == ["function"] * 3
    add, *others = [each["function"] for each in tools]
    assert add["name"] == "add"
    assert add["description"] == "Add two numbers."
    assert add["parameters"]["properties"].keys() == {"a", "b"}
    assert add["parameters"]["required"] == ["a"]
    assert [each["name"] for each in others] == ["files_read", "files_read_2"]
    json.dumps(tools)


def echo(text: str) -> str:
    return text


def test_openai_gets_no_name_twice() -> None:
    names = ["a_b_2", "a_b", "a.b", "a/b", "x" * 70, "x" * 64 + "y", "a b"]
    server = serving(REVISIONS[0])
    for each in names:
        server.tool(partial(echo, each), name=each, description=each)
    with asking(server) as client:
        tools = adapters.to_openai_tools(client)
        given = [each["function"]["name"] for each in tools]
        assert given == ["a_b_2", "a_b", "a_b_3", "a_b_4", "x" * 64, "x" * 58 + "_2", "a_b_5"]
        assert [tools.answer(call(each, "{}"))["content"] for each in given] == names


def test_tools_that_do_not_match_the_schema_are_used_as_they_are(caplog: pytest.LogCaptureFixture) -> None:
    listed = [{"name": "note", "description": None, "inputSchema": {"properties": {"text": {}}}}, {"inputSchema": {}}]

    def play(server: Spoken) -> None:
        server.welcome("2025-06-18")
        while True:
            asked = server.hear()
            server.answer(asked, {"tools": listed} if asked["method"] == "tools/list" else {"content": []})

    with scripted_server(package("2025-06-18").Client, play) as (client, _):
        client.connect()
        (tool,) = server_tools(client)
        assert (tool.name, tool.description) == ("note", "")
        assert tool.schema == {"type": "object", "properties": {"text": {}}}
        assert tool.call({"text": "a"})[0] == ""
    assert "tools/list does not match its schema, and is used as it is" in caplog.text


def test_calls_of_the_model_are_answered(client: Any) -> None:
    tools = adapters.to_openai_tools(client)
    answer = tools.answer(call("add", '{"a": 1}'))
    assert answer == {"role": "tool", "tool_call_id": "c1", "content": "3"}
    made = SimpleNamespace(model_dump=lambda: call("add", '{"a": 1, "b": 1}'))
    assert tools.answer(made)["content"] == "2"
    assert json.loads(tools.answer(call("files_read_2", '{"point": {"x": 1}}'))["content"]) == {"x": 1}


@pytest.mark.parametrize(
    ("name", "arguments", "content"),
    [
        ("nosuch", "{}", "There is no tool 'nosuch'; use one of add, files_read, files_read_2."),
        ("add", "{", "The arguments are not JSON: "),
        ("add", "[]", "The arguments must be a JSON object."),
        ("add", '{"a": NaN, "b": 1}', "The arguments cannot be sent: "),
        ("add", '{"a": "\\ud800", "b": 1}', "The arguments cannot be sent: "),
        ("add", "[" * 100_000, "The arguments are nested too deeply."),
        ("add", '{"a": "x"}', "a"),
        ("files_read", "{}", ""),
    ],
)
def test_what_the_model_does_wrong_is_told_to_it(client: Any, name: str, arguments: str, content: str) -> None:
    assert content in adapters.to_openai_tools(client).answer(call(name, arguments))["content"]


@pytest.mark.parametrize("name", ["langchain", "smolagents", "dspy"])
def test_a_missing_library_is_named(client: Any, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    distribution = "langchain-core" if name == "langchain" else name
    for module in ("langchain_core", "langchain_core.tools", "smolagents", "dspy"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(UsageError, match=f"run: pip install {distribution}$"):
        getattr(adapters, f"to_{name}_tools")(client)


def stand_in(monkeypatch: pytest.MonkeyPatch, name: str, **members: Any) -> None:
    module = ModuleType(name)
    vars(module).update(members)
    monkeypatch.setitem(sys.modules, name.partition(".")[0], ModuleType(name.partition(".")[0]))
    monkeypatch.setitem(sys.modules, name, module)


def test_langchain_gets_the_schema_and_the_text_with_the_result(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    class ToolException(Exception):  # the name that it has there
        pass

    stand_in(monkeypatch, "langchain_core.tools", StructuredTool=SimpleNamespace, ToolException=ToolException)
    add, failing, _ = adapters.to_langchain_tools(client)
    assert (add.name, add.description, add.response_format) == ("add", "Add two numbers.", "content_and_artifact")
    assert add.args_schema["required"] == ["a"]
    text, result = add.func(a=1, b=5)
    assert text == result.text == "6"
    with pytest.raises(ToolException):
        failing.func(path="a")


def test_smolagents_gets_one_type_for_each_argument(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    class Tool:
        pass

    stand_in(monkeypatch, "smolagents", Tool=Tool)
    add, failing, point = adapters.to_smolagents_tools(client)
    assert add.inputs == {
        "a": {"type": "integer", "description": "a"},
        "b": {"type": "integer", "description": "b", "nullable": True},
    }
    assert failing.name == "files_read"
    assert failing.inputs["path"]["type"] == "any"
    assert point.inputs["point"]["type"] == "object"
    # Arguments that the model leaves out are None there.
    assert add.forward(1, None) == add.forward(a=1, b=2) == "3"
    with pytest.raises(ToolFailed):
        failing.forward(path="a")


def test_dspy_gets_types_and_schemas(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch, "dspy", Tool=SimpleNamespace)
    add, failing, _ = adapters.to_dspy_tools(client)
    assert (add.name, add.desc, add.arg_types) == ("add", "Add two numbers.", {"a": int, "b": int})
    assert failing.arg_types == {"path": Any}
    assert add.args["a"]["type"] == "integer"
    assert add.func(a=1) == "3"
    with pytest.raises(ToolFailed):
        failing.func(path="a")
